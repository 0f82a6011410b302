"""COINPRESS and the clipped Laplace mean for many groups at once: runs, strata, or both, one pass
over the values.

The values come ordered by group, with the sizes of the groups. Groups are
disjoint, so an estimate of every group costs what one costs (parallel
composition); runs are groups too, which is how a figure's 50 runs are drawn in
one call. Sizes are public, as in the paper. An empty group has no data to use:
its estimate is the middle of the interval it started from.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lib import validate
from lib.dp import Gaussian, Laplace, PrivacyAccountant, noisy

__all__ = [
    "Interval",
    "group_order",
    "clipped_means",
    "coinpress",
    "coinpress_path",
    "laplace_means",
    "recombine",
]

WITHIN = "replace within a group"
_BLOCK = 16_384
_WIDEST = 1e100  # squares of widths are added up


@dataclass(frozen=True, kw_only=True)
class Interval:
    """What COINPRESS is told: a mean in [``low``, ``high``], spread ``sigma``, failure probability
    ``beta``.

    ``oracle`` names what of this was read off the private data instead of
    being declared. No budget pays for it; the accountant of a fit notes it.
    """

    low: float
    high: float
    sigma: float = 1.0
    beta: float = 0.01
    oracle: str = ""

    def __post_init__(self) -> None:
        low, high = bounds(self.low, self.high)
        if high - low > _WIDEST:
            raise ValueError(
                f"low={self.low!r}, high={self.high!r} are not allowed: a distance <="
                f" {_WIDEST:g} is"
            )
        if validate.positive("sigma", self.sigma) > _WIDEST:
            raise ValueError(f"sigma={self.sigma!r} is not allowed: a number <= {_WIDEST:g} is")
        if validate.fraction("beta", self.beta) < 1 / _WIDEST:
            raise ValueError(f"beta must be a number >= {1 / _WIDEST:g} and < 1, got {self.beta!r}")
        if not isinstance(self.oracle, str):
            raise ValueError(f"oracle must be words, got {self.oracle!r}")


def group_order(groups: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The stable order that puts groups 0, ..., k-1 one after another, and their sizes, shape
    (k,).
    """
    groups = validate.codes("groups", groups, k)
    return np.argsort(groups, kind="stable"), np.bincount(groups, minlength=k)


class _Parts:
    """Values ordered by group, with each group's sum and range: a block that its intervals hold
    whole is not clipped again.

    A block is some neighbouring groups of about ``_BLOCK`` values together, so
    that what is clipped stays in the processor's cache.
    """

    def __init__(self, values: np.ndarray, sizes: np.ndarray) -> None:
        self.values, self.sizes, self.some = values, sizes, sizes > 0
        self.own = sizes[self.some]
        self.edges = np.concatenate([[0], np.cumsum(self.own)])
        starts = self.edges[:-1]
        self.blocks = np.append(np.flatnonzero(np.diff(starts // _BLOCK, prepend=-1)), starts.size)
        self.total, self.least, self.most = (
            ufunc.reduceat(values, starts) if starts.size else np.zeros(0)
            for ufunc in (np.add, np.minimum, np.maximum)
        )

    def means(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Mean of each group's values projected into its [low, high], shape (k,); 0 for empty
        groups.
        """
        low, high, total = low[self.some], high[self.some], self.total.copy()
        cut = (self.least < low) | (self.most > high)
        for first, last in zip(self.blocks[:-1], self.blocks[1:], strict=True):
            if cut[first:last].any():
                total[first:last] = self._clipped_sums(
                    first, last, low[first:last], high[first:last]
                )
        found = np.zeros(self.sizes.size)
        found[self.some] = total / self.own
        return found

    def _clipped_sums(self, first: int, last: int, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        x = self.values[self.edges[first] : self.edges[last]]
        if last - first > 1:
            low, high = np.repeat(low, self.own[first:last]), np.repeat(high, self.own[first:last])
        return np.add.reduceat(
            np.minimum(np.maximum(x, low), high), self.edges[first:last] - self.edges[first]
        )


def clipped_means(
    values: np.ndarray, sizes: np.ndarray, low: np.ndarray | float, high: np.ndarray | float
) -> np.ndarray:
    """Mean of each group's values projected into its [low, high], shape (k,); 0 for empty
    groups.
    """
    sizes = _sizes(values, sizes)
    return _Parts(validate.finite("values", values), sizes).means(
        np.broadcast_to(low, sizes.shape), np.broadcast_to(high, sizes.shape)
    )


def _sizes(values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    sizes = validate.array("sizes", sizes)
    if (
        sizes.ndim != 1
        or sizes.dtype.kind not in "iu"
        or (sizes < 0).any()
        or sizes.sum() != len(values)
    ):
        raise ValueError(
            f"sizes add up to {sizes.sum()}; whole numbers >= 0 that add up to {len(values)} are"
            " allowed"
        )
    return sizes


def coinpress_path(
    values: np.ndarray,
    sizes: np.ndarray,
    interval: Interval,
    rhos: tuple[float, ...],
    rng: np.random.Generator | None,
    accountant: PrivacyAccountant | None = None,
) -> np.ndarray:
    """The intervals of every step, shape (t + 1, 2, k): the one that was declared first, the last
    one's middle is the answer.

    Everything here is released by the mechanism, so looking at it costs nothing.
    The path of an empty group is noise; :func:`coinpress` has a rule for its answer.

    Parameters
    ----------
    values : array, shape (n,)
        Ordered by group.
    sizes : array of int, shape (k,)
    interval : Interval
    rhos : tuple of float
        Budget of each of the t steps.
    rng : Generator or None
        None draws no noise: **not private**, for the bias that clipping alone makes.
    accountant : PrivacyAccountant, optional
        In rho; pays for every step. Nobody pays if it is not given.

    Raises
    ------
    ValueError
        For sizes that do not add up to the values, values that are not finite, or a budget that is
        not above 0.
    """
    values, sizes = validate.finite("values", values), _sizes(values, sizes)
    require_finite(interval, rhos, sizes)
    if accountant is not None and interval.oracle:
        accountant.note_oracle(interval.oracle)
    low, high = np.full(sizes.size, float(interval.low)), np.full(sizes.size, float(interval.high))
    path, parts = [(low, high)], _Parts(values, sizes)
    for step, rho in enumerate(rhos, start=1):
        low, high = _uvm(
            parts, low, high, interval.sigma, rho, _beta(interval, step, len(rhos)), rng, accountant
        )
        path.append((low, high))
    return np.array(path)


def _beta(interval: Interval, step: int, steps: int) -> float:
    return interval.beta / 4 if step == steps else interval.beta / (4 * (steps - 1))


def require_finite(interval: Interval, rhos: tuple[float, ...], sizes: np.ndarray) -> None:
    """Raise a ``ValueError`` unless the noise of every step is a finite number above 0, before
    anything is spent.

    The widths of the intervals do not depend on the data. They are widest for a
    group of one and narrowest for the largest group.
    """
    if not rhos:
        raise ValueError(f"rhos must be a tuple of at least one budget, got {rhos!r}")
    for n in {1, max(1, int(np.max(sizes, initial=1)))}:
        width = float(interval.high) - float(interval.low)
        for step, rho in enumerate(rhos, start=1):
            validate.positive("rhos", rho)
            beta = _beta(interval, step, len(rhos))
            slack = interval.sigma * math.sqrt(2 * math.log(2 * n / beta))
            deviation = float(Gaussian(sensitivity=(width + 2 * slack) / n, rho=rho).sigma)
            width = 2 * math.sqrt(2 * (interval.sigma**2 / n + deviation**2) * math.log(2 / beta))


def coinpress(
    values: np.ndarray,
    sizes: np.ndarray,
    interval: Interval,
    rhos: tuple[float, ...],
    rng: np.random.Generator | None,
    accountant: PrivacyAccountant | None = None,
) -> np.ndarray:
    """UVMRec (the paper's Algorithms 1 and 2) in every group: sum(rhos)-zCDP estimates, shape (k,).

    Neighbours replace one record's value; its group is public. An empty group
    says the middle of the declared interval. Arguments as :func:`coinpress_path`.
    """
    low, high = coinpress_path(values, sizes, interval, rhos, rng, accountant)[-1]
    return np.where(np.asarray(sizes) > 0, (low + high) / 2, (interval.low + interval.high) / 2)


def _uvm(parts: _Parts, low, high, sigma, rho, beta, rng, accountant):
    """Algorithm 1, with the sign that the printed interval lacks: [low - slack, high + slack]."""
    n = np.maximum(parts.sizes, 1)
    slack = sigma * np.sqrt(2 * np.log(2 * n / beta))
    noise = Gaussian(sensitivity=(high - low + 2 * slack) / n, rho=rho)
    middle = _noisy(
        noise, parts.means(low - slack, high + slack), rng, "COINPRESS step", accountant
    )
    half = np.sqrt(2 * (sigma**2 / n + noise.sigma**2) * np.log(2 / beta))
    return middle - half, middle + half


def _noisy(mechanism, means, rng, what, accountant) -> np.ndarray:
    """``means`` of disjoint groups with noise, or as they are without ``rng``; a row changes one
    of them.
    """
    if rng is None:
        return means
    return noisy(
        mechanism, means, rng, what, accountant, {WITHIN: float(np.max(mechanism.sensitivity))}
    )


def laplace_means(
    values: np.ndarray,
    sizes: np.ndarray,
    low: float | np.ndarray,
    high: float | np.ndarray,
    epsilon: float,
    rng: np.random.Generator | None,
    accountant: PrivacyAccountant | None = None,
) -> np.ndarray:
    """Eqs 1 and 3: each group's clipped mean with Laplace noise of scale (high - low) / (n
    epsilon), shape (k,).

    An empty group says the middle of its interval. ``rng=None`` draws no noise: **not private**.

    Parameters
    ----------
    values : array, shape (n,)
        Ordered by group.
    sizes : array of int, shape (k,)
    low, high : float or array of shape (k,)
        Where values are clipped to: one interval for all groups, or each group's own. Public.
    epsilon : float
    rng : Generator or None
    accountant : PrivacyAccountant, optional
        In epsilon; pays. Nobody pays if it is not given.

    Raises
    ------
    ValueError
        For values that are not finite, sizes that do not add up to them, an interval without a
        finite width above 0.
    """
    validate.epsilon(epsilon)
    values, sizes = validate.finite("values", values), _sizes(values, sizes)
    low, high = bounds(low, high, sizes.size)
    means = clipped_means(values, sizes, low, high)
    n = np.maximum(sizes, 1)
    with np.errstate(over="ignore", under="ignore"):  # such a scale is refused
        noise = Laplace(
            sensitivity=(high - low) / n, epsilon=epsilon, scale=(high - low) / (n * epsilon)
        )
    return np.where(
        sizes > 0, _noisy(noise, means, rng, "clipped mean", accountant), (low + high) / 2
    )


def bounds(
    low: float | np.ndarray, high: float | np.ndarray, k: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The ends of one interval, or of ``k``, as arrays; a ``ValueError`` if one is not finite,
    empty or too wide.
    """
    try:
        ends = validate.reals("low", low), validate.reals("high", high)
    except ValueError:
        ends = np.array(np.nan), np.array(np.nan)
    shapes = ((),) if k is None else ((), (k,))
    with np.errstate(over="ignore", invalid="ignore"):
        good = all(e.shape in shapes for e in ends) and bool(
            np.all((ends[1] > ends[0]) & np.isfinite(ends[1] - ends[0]))
        )
    if not good:
        what = "" if k is None else f", one or {k} of each"
        raise ValueError(
            f"low={low!r}, high={high!r} are not allowed: numbers with low < high and a finite"
            f" distance are{what}"
        )
    return ends


def recombine(
    estimates: np.ndarray, weights: np.ndarray | Sequence[float], *, printed: bool = False
) -> np.ndarray:
    """Eq. 4: the weighted mean over the last axis; weights are made to add up to one.

    ``printed`` divides by k once more, as Algorithm 3 does: with weights that
    add up to one the answer is k times too small.

    Raises
    ------
    ValueError
        For weights below 0, without a positive sum, or of another number than the estimates.
    """
    weights, estimates = validate.reals("weights", weights), validate.reals("estimates", estimates)
    validate.boolean("printed", printed)
    sums = weights.sum(axis=-1)
    if not ((weights >= 0) & (weights <= _WIDEST)).all() or not (sums >= 1 / _WIDEST).all():
        what = f"numbers >= 0 and <= {_WIDEST:g} with a sum >= {1 / _WIDEST:g}"
        raise ValueError(f"weights must be {what}, got {weights!r}")
    if weights.shape[-1:] != estimates.shape[-1:] or not estimates.ndim:
        raise ValueError(
            f"weights of shape {weights.shape} are not allowed: one for each of the"
            f" {estimates.shape[-1:]} estimates is"
        )
    mean = (estimates * weights).sum(axis=-1) / sums
    return mean / estimates.shape[-1] if printed else mean
