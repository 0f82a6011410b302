"""Exact max-information, and how alike reports are, for releases that are small.

Both releases here tell about a random half ``S`` of ``n`` people. A report
about it depends on ``S`` through a whole number, so that the joint law of
(half, report) is a small table, and bounds can be held against the truth.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special, stats

from lib import validate


def max_information(true: np.ndarray, fresh: np.ndarray, eta: float) -> float:
    """``I_eta`` of Definition 6 in nats: ``ln sup_T (Pr_true[T] - eta) / Pr_fresh[T]``.

    The best event collects the outcomes of largest likelihood ratio first
    (Neyman and Pearson), so one pass over the sorted outcomes is exact.

    Parameters
    ----------
    true, fresh : float arrays of one shape
        Probabilities of each outcome for the half that the report is about, and for a fresh half.
    eta : float
        In [0, 1). Outcomes of probability below 1e-250, where the other law may be too small for a
        float, are left out.

    Examples
    --------
    >>> round(max_information(np.array([0.5, 0.5]), np.array([0.25, 0.75]), 0.0), 3)
    0.693
    """
    validate.require(0 <= validate.as_float(eta) < 1, "eta", "a number in [0, 1)", eta)
    true, fresh = (np.ravel(validate.reals(*law)) for law in (("true", true), ("fresh", fresh)))
    for name, law in (("true", true), ("fresh", fresh)):
        validate.require(((law >= 0) & (law <= 1 + 1e-9)).all(), name, "probabilities", law)
        total = float(law.sum())
        validate.require(abs(total - 1) <= 1e-6, name, "probabilities that add up to 1", total)
    if true.shape != fresh.shape:
        raise ValueError(f"fresh must have the {true.size} outcomes of true, got {fresh.size}")
    keep = true > 1e-250
    true, fresh = true[keep], fresh[keep]
    free = fresh == 0  # or too small for a float
    taken = float(true[free].sum())
    if taken > eta:
        return math.inf
    true, fresh = true[~free], fresh[~free]
    order = np.argsort(-true / fresh, kind="stable")
    won, paid = taken + np.cumsum(true[order]) - eta, np.cumsum(fresh[order])
    gains = won > 0  # all outcomes together gain 1 - eta, so some event does
    return float(np.log(np.max(won[gains] / paid[gains])))


def noisy_count(*, n: int, ones: int, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """Law of a half's number of ones, and of a noisy count of them.

    The noise is two-sided geometric; the report is kept within 0..n/2.

    Returns
    -------
    weights : float array of shape (n/2 + 1,)
        ``Pr[N = j]``, hypergeometric.
    channel : float array of shape (n/2 + 1, n/2 + 1)
        ``Pr[report = a | N = j]``; each row sums to 1. ``epsilon = inf`` publishes ``N`` itself.

    Examples
    --------
    >>> weights, channel = noisy_count(n=4, ones=2, epsilon=1.0)
    >>> weights.round(3).tolist(), channel[0].round(3).tolist()
    ([0.167, 0.667, 0.167], [0.731, 0.17, 0.099])
    """
    half = _half(n)
    ones = validate.integer("ones", ones, low=0, high=n)
    epsilon = validate.positive("epsilon", epsilon, infinite=True)
    values = np.arange(half + 1)
    weights = stats.hypergeom(n, ones, half).pmf(values)
    if epsilon == math.inf:
        return weights, np.eye(half + 1)
    r = math.exp(-epsilon)
    channel = (1 - r) / (1 + r) * r ** np.abs(values[:, None] - values).astype(float)
    channel[:, 0] = r**values / (1 + r)  # everything at or below 0
    channel[:, -1] = r ** (half - values) / (1 + r)
    return weights, channel


def membership_bits(*, n: int, epsilon: float) -> tuple[np.ndarray, np.ndarray]:
    """Joint laws ``(true, fresh)`` of a report by randomised response on membership.

    Laws of (ones among the half, ones in all). The likelihood ratio of a report depends on these
    two numbers alone.

    Returns
    -------
    float arrays of shape (n/2 + 1, n + 1)

    Examples
    --------
    >>> true, fresh = membership_bits(n=4, epsilon=1.0)
    >>> true.shape, round(float(true.sum()), 9)
    ((3, 5), 1.0)
    """
    half = _half(n)
    keep = 1 / (1 + math.exp(-validate.positive("epsilon", epsilon) / 2))
    j, k = np.indices((half + 1, n + 1))
    true = stats.binom.pmf(j, half, keep) * stats.binom.pmf(k - j, half, 1 - keep)
    return true, stats.hypergeom.pmf(j, n, half, k) * true.sum(axis=0)


def perfect_generalisation(
    *, n: int, ones: int, epsilon: float, at: float, complement: bool = False
) -> tuple[float, float]:
    """How often the reports of two halves by :func:`noisy_count` differ by a ratio above ``e^at``.

    Parameters
    ----------
    epsilon : float
        Of the count; ``inf`` publishes it.
    at : float
        The epsilon of sample perfect generalisation (Definition 10, delta = 0), for two independent
        halves.
    complement : bool
        Compare a half with its complement, as in demographic coherence, instead.

    Returns
    -------
    beta : float
        Probability over the two halves that their reports are not (at, 0)-indistinguishable.
    expected : float
        Mean of the total variation between the two laws of reports.

    Examples
    --------
    >>> beta, expected = perfect_generalisation(n=8, ones=4, epsilon=0.5, at=1.0)
    >>> round(beta, 3), round(expected, 3)
    (0.013, 0.178)
    """
    at = validate.number("at", at)
    validate.boolean("complement", complement)
    weights, channel = noisy_count(n=n, ones=ones, epsilon=epsilon)
    j = np.arange(weights.size)
    if complement:
        pairs = np.where(j[:, None] + j == ones, weights[:, None], 0.0)
    else:
        pairs = np.outer(weights, weights)
    worst, apart = np.zeros_like(pairs), np.zeros_like(pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(channel)
        for i in j[pairs.sum(axis=1) > 0]:
            worst[i] = np.nan_to_num(np.abs(logs[i] - logs), nan=0.0, posinf=np.inf).max(axis=1)
            apart[i] = np.abs(channel[i] - channel).sum(axis=1) / 2
    return float(pairs[worst > at * (1 + 1e-8)].sum()), float((pairs * apart).sum())


def generalisation_information(*, beta: float, epsilon: float) -> tuple[float, float]:
    """Max-information of a (beta, epsilon, 0)-perfectly generalising curator: ``(eta, bound)``.

    Ours: ``I_eta <= bound``. For independent halves: ``eta = sqrt(beta)``, ``bound = epsilon - ln(1
    - sqrt(beta))``. The appendix takes this step for granted when it says that Theorem 3 covers
    perfectly generalising algorithms.

    Examples
    --------
    >>> generalisation_information(beta=0.0, epsilon=1.0)
    (0.0, 1.0)
    """
    beta = validate.fraction("beta", beta, open_ends=False)
    root, epsilon = math.sqrt(beta), validate.number("epsilon", epsilon)
    return root, math.inf if root == 1 else epsilon - math.log1p(-root)


def distinct_log_probability(*, draws: int, universe: int) -> float:
    """Bound on ``ln Pr[all draws differ]``, for independent draws from ``universe`` values.

    It holds for every distribution. The uniform one has the largest. At ``draws = universe / 2`` it
    tends to ``-(1 - ln 2) draws``.

    Parameters
    ----------
    draws, universe : int

    Examples
    --------
    >>> round(math.exp(distinct_log_probability(draws=23, universe=365)), 3)
    0.493
    """
    universe = validate.integer("universe", universe, low=1)
    draws = validate.integer("draws", draws, low=1, high=universe)
    return float(
        special.gammaln(universe + 1)
        - special.gammaln(universe - draws + 1)
        - draws * math.log(universe)
    )


def _half(n: int) -> int:
    n = validate.integer("n", n, low=2)
    validate.require(n % 2 == 0, "n", "an even number", n)
    return n // 2
