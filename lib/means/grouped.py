"""COINPRESS and the clipped Laplace mean for many groups at once: strata, runs, or both.

The values come ordered by group, with the sizes of the groups. Groups are
disjoint, so an estimate of every group costs what one costs (parallel
composition); runs are groups too, which is how a figure's 50 runs are drawn in
one call. Sizes are public, as in the paper. An empty group has no data to use:
its estimate is the middle of the interval it started from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lib import validate
from lib.dp import Gaussian, Laplace, PrivacyAccountant, noisy
from lib.dp.entries import WITHIN, columns

_BLOCK = 16_384
_WIDEST = 1e100  # squares of widths are added up


@dataclass(frozen=True, kw_only=True)
class Interval:
    """What COINPRESS takes as known: where the mean lies, and the spread of the values.

    Parameters
    ----------
    low, high : float
        The mean lies between them.
    sigma : float
        Standard deviation of the values, in their own unit.
    beta : float
        Failure probability in (0, 1).
    oracle : str
        What of this was read off the private data instead of being declared. No budget pays for
        it; the accountant of a fit notes it.

    Examples
    --------
    >>> Interval(low=0, high=100, sigma=15).beta
    0.01
    """

    low: float
    high: float
    sigma: float
    beta: float = 0.01
    oracle: str = ""

    def __post_init__(self) -> None:
        bounds(self.low, self.high)
        validate.fields(self, "low high", validate.number)
        validate.fields(self, "sigma", validate.positive)
        validate.fields(self, "beta", validate.fraction)
        validate.instance("oracle", self.oracle, str)
        validate.require(self.sigma <= _WIDEST, "sigma", f"a number <= {_WIDEST:g}", self.sigma)
        least = 1 / _WIDEST
        validate.require(self.beta >= least, "beta", f"a number >= {least:g} and < 1", self.beta)


def group_order(groups: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """The stable order that puts groups 0, ..., k-1 one after another, and their sizes.

    Examples
    --------
    >>> order, sizes = group_order(np.array([2, 0, 2, 0]), 3)
    >>> order.tolist(), sizes.tolist()
    ([1, 3, 0, 2], [2, 0, 2])
    """
    groups = validate.codes("groups", groups, validate.integer("k", k, low=1))
    return np.argsort(groups, kind="stable"), np.bincount(groups, minlength=k)


class _Parts:
    """Values ordered by group, with each group's sum and range.

    Groups whose values all lie in their intervals are not clipped again. The others are clipped
    in blocks of neighbouring groups of about ``_BLOCK`` values together, which stay in the
    processor's cache.
    """

    def __init__(self, values: np.ndarray, sizes: np.ndarray) -> None:
        self.values, self.sizes, self.filled = values, sizes, sizes > 0
        self.own = sizes[self.filled]
        self.edges = np.concatenate([[0], np.cumsum(self.own)]).astype(np.intp)
        starts = self.edges[:-1]
        self.blocks = np.append(np.flatnonzero(np.diff(starts // _BLOCK, prepend=-1)), starts.size)
        self.total, self.least, self.most = (
            ufunc.reduceat(values, starts) if starts.size else np.zeros(0)
            for ufunc in (np.add, np.minimum, np.maximum)
        )

    def means(self, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        """Mean of each group's values projected into its [low, high]; 0 for empty groups."""
        low, high, total = low[self.filled], high[self.filled], self.total.copy()
        cut = (self.least < low) | (self.most > high)
        for first, last in zip(self.blocks[:-1], self.blocks[1:], strict=True):
            if cut[first:last].any():
                block = slice(first, last)
                total[block] = self._clipped_sums(block, low[block], high[block])
        means = np.zeros(self.sizes.size)
        means[self.filled] = total / self.own
        return means

    def _clipped_sums(self, block: slice, low: np.ndarray, high: np.ndarray) -> np.ndarray:
        first, last = self.edges[block.start], self.edges[block.stop]
        if low.size > 1:
            low, high = np.repeat(low, self.own[block]), np.repeat(high, self.own[block])
        clipped = np.minimum(np.maximum(self.values[first:last], low), high)
        return np.add.reduceat(clipped, self.edges[block] - first)


def _parts(values: np.ndarray, sizes: np.ndarray) -> _Parts:
    values, sizes = validate.finite("values", values), validate.array("sizes", sizes)
    validate.require(values.ndim == 1, "values", "of one dimension", values.shape)
    whole = sizes.ndim == 1 and sizes.dtype.kind in "iu" and (sizes >= 0).all()
    what = f"whole numbers >= 0 with the sum {len(values)}, one for each of values"
    # as Python adds them up: a sum of 64 bits may wrap around to the right one
    validate.require(whole and sum(sizes.tolist()) == len(values), "sizes", what, sizes)
    return _Parts(values, sizes.astype(np.intp))  # twice 100 in 8 bits is -56


def coinpress_path(
    values: np.ndarray,
    sizes: np.ndarray,
    interval: Interval,
    rhos: tuple[float, ...],
    rng: np.random.Generator | None,
    accountant: PrivacyAccountant | None = None,
    by: Sequence[str] = (),
) -> np.ndarray:
    """The intervals of every step of COINPRESS, shape (t + 1, 2, k); the first is the declared one.

    The middle of the last interval is the answer. Everything here is released by
    the mechanism, so looking at it costs nothing. The path of an empty group is
    noise; :func:`coinpress` has a rule for its answer.

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
    by : sequence of str, optional
        The columns that make the groups, as ``accountant`` is to name them. Needed with one: looks
        within groups by other columns do not add up.

    Raises
    ------
    ValueError
        For sizes that do not add up to the values, values that are not finite, or a budget that is
        not above 0.

    Examples
    --------
    >>> x, ends = np.linspace(-1, 1, 100), Interval(low=-50, high=50, sigma=1)
    >>> path = coinpress_path(x, np.array([100]), ends, (0.25, 0.75), np.random.default_rng(0))
    >>> path[:, :, 0].round(1).tolist()
    [[-50.0, 50.0], [-5.5, 5.9], [-0.7, 0.7]]
    """
    parts = _parts(values, sizes)
    by = group_columns(by, accountant)
    validate.instance("interval", interval, Interval)
    rhos = tuple(validate.positive("rhos", rho) for rho in validate.sequence("rhos", rhos))
    _require_finite(interval, rhos, parts.sizes)
    if accountant is not None and interval.oracle:
        accountant.note_oracle(interval.oracle)
    n = np.maximum(parts.sizes, 1)
    path = [np.array([np.full(n.size, end) for end in (interval.low, interval.high)])]
    for rho, beta in _steps(interval, rhos):
        low, high = path[-1]
        slack, noise, half = _step(high - low, n, interval.sigma, rho, beta)
        means = parts.means(low - slack, high + slack)
        middle = _noisy(noise, means, rng, "COINPRESS step", accountant, by)
        path.append(np.array([middle - half, middle + half]))
    return np.array(path)


def _steps(interval: Interval, rhos: tuple[float, ...]) -> Iterator[tuple[float, float]]:
    """Budget and failure probability of each step; the last step has a quarter of ``beta``."""
    for left, rho in zip(range(len(rhos) - 1, -1, -1), rhos, strict=True):
        yield rho, interval.beta / (4 * (len(rhos) - 1)) if left else interval.beta / 4


def _step(width, n, sigma, rho, beta) -> tuple[np.ndarray, Gaussian, np.ndarray]:
    """Algorithm 1: how far beyond the interval to clip, the noise, half the next interval's width.

    The printed interval lacks a sign; it is [low - slack, high + slack].
    """
    slack = sigma * np.sqrt(2 * np.log(2 * n / beta))
    noise = Gaussian(sensitivity=(width + 2 * slack) / n, rho=rho)
    return slack, noise, np.sqrt(2 * (sigma**2 / n + noise.sigma**2) * np.log(2 / beta))


def _require_finite(interval: Interval, rhos: tuple[float, ...], sizes: np.ndarray) -> None:
    """Raise a ``ValueError``, before anything is spent, unless the noise of each step is finite.

    The widths of the intervals do not depend on the data. They are widest for a
    group of one and narrowest for the largest group.
    """
    validate.require(len(rhos) > 0, "rhos", "a tuple of at least one budget", rhos)
    n = np.array([1, np.max(sizes, initial=1)])
    width: float | np.ndarray = interval.high - interval.low
    for rho, beta in _steps(interval, rhos):
        width = 2 * _step(width, n, interval.sigma, rho, beta)[2]


def coinpress(
    values: np.ndarray,
    sizes: np.ndarray,
    interval: Interval,
    rhos: tuple[float, ...],
    rng: np.random.Generator | None,
    accountant: PrivacyAccountant | None = None,
    by: Sequence[str] = (),
) -> np.ndarray:
    """Private mean of every group by COINPRESS (Algorithms 1 and 2), sum(rhos)-zCDP, shape (k,).

    Neighbours replace one record's value; its group is public. The answer of an empty
    group is the middle of the declared interval. Arguments as :func:`coinpress_path`.

    Examples
    --------
    >>> x, sizes = np.array([1.0, 2.0, 3.0]), np.array([3, 0])  # and no noise without a generator
    >>> coinpress(x, sizes, Interval(low=0, high=9, sigma=1), (1.0,), None).tolist()
    [2.0, 4.5]
    """
    low, high = coinpress_path(values, sizes, interval, rhos, rng, accountant, by)[-1]
    return np.where(np.asarray(sizes) > 0, (low + high) / 2, (interval.low + interval.high) / 2)


def group_columns(by: Sequence[str], accountant: PrivacyAccountant | None) -> tuple[str, ...]:
    """``by``; where nobody gave an accountant that knows other groups, a name for the only ones."""
    by = columns(by)
    if not by and accountant is not None:
        what = "the names of the columns of the groups, since the accountant may have other groups"
        raise validate.refusal("by", what, by)
    return by or ("stratum",)


def _noisy(mechanism, means, rng, what, accountant, by) -> np.ndarray:
    """``means`` of disjoint groups with noise, or as they are without ``rng``.

    A row changes one of them.
    """
    if rng is None:
        return means
    sensitivity = {WITHIN: float(np.max(mechanism.sensitivity))}
    return noisy(mechanism, means, rng, what, accountant, sensitivity, by=by)


def laplace_means(
    values: np.ndarray,
    sizes: np.ndarray,
    low: float | np.ndarray,
    high: float | np.ndarray,
    epsilon: float,
    rng: np.random.Generator | None,
    accountant: PrivacyAccountant | None = None,
    by: Sequence[str] = (),
) -> np.ndarray:
    """Private mean of every group: clipped, with Laplace noise (Eqs 1 and 3), shape (k,).

    The noise has the scale (high - low) / (n epsilon). The answer of an empty group is the middle
    of its interval. ``rng=None`` draws no noise: **not private**.

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
    by : sequence of str, optional
        As :func:`coinpress_path` has it.

    Raises
    ------
    ValueError
        For values that are not finite, sizes that do not add up to them, an interval without a
        finite width above 0.

    Examples
    --------
    >>> x, sizes = np.array([1.0, 9.0, 3.0]), np.array([2, 1])
    >>> laplace_means(x, sizes, 0, 5, 1.0, None).tolist()  # None: no noise
    [3.0, 3.0]
    """
    epsilon = validate.positive("epsilon", epsilon)
    parts = _parts(values, sizes)
    by = group_columns(by, accountant)
    low, high = bounds(low, high, parts.sizes.size)
    means = parts.means(*(np.broadcast_to(end, parts.sizes.shape) for end in (low, high)))
    n = np.maximum(parts.sizes, 1)
    width = high - low
    with np.errstate(over="ignore", under="ignore"):  # such a scale is refused
        noise = Laplace(sensitivity=width / n, epsilon=epsilon, scale=width / (n * epsilon))
    private = _noisy(noise, means, rng, "clipped mean", accountant, by)
    return np.where(parts.sizes > 0, private, (low + high) / 2)


def bounds(
    low: float | np.ndarray, high: float | np.ndarray, k: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """The ends of one interval, or of ``k``, as arrays.

    A ``ValueError`` for an end that is not finite, and an interval that is empty or too wide for a
    float.
    """
    names = "low and high"
    ends = validate.reals(names, low), validate.reals(names, high)
    shapes = {end.shape for end in ends} <= {(), () if k is None else (k,)}
    with np.errstate(over="ignore", invalid="ignore"):
        width = ends[1] - ends[0] if shapes else np.array(np.nan)
    what = "" if k is None else f", one or {k} of each"
    what = f"numbers with low < high and a finite distance{what}"
    validate.require(np.isfinite(width).all() and (width > 0).all(), names, what, (low, high))
    validate.require((width <= _WIDEST).all(), names, f"of a distance <= {_WIDEST:g}", (low, high))
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

    Examples
    --------
    >>> float(recombine([1.0, 5.0], [3, 1]))
    2.0
    """
    weights, estimates = validate.reals("weights", weights), validate.finite("estimates", estimates)
    validate.boolean("printed", printed)
    sums = weights.sum(axis=-1)
    good = ((weights >= 0) & (weights <= _WIDEST)).all() and (sums >= 1 / _WIDEST).all()
    what = f"numbers >= 0 and <= {_WIDEST:g} with a sum >= {1 / _WIDEST:g}"
    validate.require(good, "weights", what, weights)
    fits = estimates.ndim > 0 and weights.shape[-1:] == estimates.shape[-1:]
    what = f"one for each estimate of {estimates.shape}"
    validate.require(fits, "weights", what, weights.shape)
    mean = (estimates * weights).sum(axis=-1) / sums
    return mean / estimates.shape[-1] if printed else mean
