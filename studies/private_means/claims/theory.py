"""Measures for the stratified-DP paper's theory of means, its Fig. 1 and Algorithm 3."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement, product

import numpy as np
from scipy import stats

from lib import validate
from lib.ledger.rules import Evidence
from lib.means.grouped import laplace_means, recombine
from lib.means.stratified import strat_laplace
from lib.rng import stream
from lib.stats.summary import clopper_pearson
from studies.measures import fact, measures_of, share_of_cases
from studies.private_means.group_sizes import expected_logs, log_dirichlet, log_sums
from studies.private_means.theory import clip_slack, clipping_probability, printed_factor


def stratified_privacy() -> Evidence:
    """Whether the strata's releases together lose at most epsilon, by exact densities.

    For the worst neighbours.

    One record goes from far left to far right of its stratum's clip interval,
    in each stratum in turn. Centres and scales are read off the mechanism's
    releases, all strata are compared, and the losses of independent Laplace
    variables add up; the mean of everybody is made from the strata.
    """
    sizes, epsilons, worst = np.array([1, 5, 40, 1000]), (0.1, 1.0, 5.0), 0.0
    groups = np.repeat(np.arange(sizes.size), sizes)
    half = 3.0 + np.array([clip_slack(size, 0.05) for size in sizes])
    x = stream(1, "worst neighbours").normal(0, 2, groups.size)
    for epsilon in epsilons:
        for moved in np.cumsum(sizes) - sizes:
            left, right = ((np.arange(x.size) == moved) * sign * 1e6 + x for sign in (-1, 1))
            (a, scale), (b, other) = (_laplace_law(v, groups, half, epsilon) for v in (left, right))
            if not np.allclose(scale, other, rtol=1e-9):
                return fact(False, "the noise's scale depends on the values")
            worst = max(worst, float((np.abs(a - b) / scale).sum() / epsilon))
    return fact(
        worst <= 1 + 1e-9,
        f"largest loss {worst:.9f} of epsilon, strata of {', '.join(map(str, sizes))}, epsilon"
        f" {', '.join(map(str, epsilons))}",
    )


def _laplace_law(
    x: np.ndarray, groups: np.ndarray, half: np.ndarray, epsilon: float
) -> tuple[np.ndarray, np.ndarray]:
    """Centre and scale of every stratum's release, read off two releases.

    Their standard draws are known to differ.
    """
    found, draws = [], []
    for run in (0, 1):
        rng = stream(1, "draws", run)
        mean = strat_laplace(x, groups, half.size, low=-half, high=half, epsilon=epsilon, rng=rng)
        found.append(mean.strata)
        draws.append(stream(1, "draws", run).laplace(0.0, 1.0, half.size))
    scale = (found[1] - found[0]) / (draws[1] - draws[0])
    return found[0] - draws[0] * scale, np.abs(scale)


def printed_clipping(n: int, gamma: float) -> Evidence:
    """Whether the printed clip interval leaves all ``n`` normal values alone often enough.

    With probability ``1 - O(gamma)``: within 2 gamma.
    """
    missed = clipping_probability(n, gamma, reading="printed")
    right = clipping_probability(n, gamma)
    words = f"a value beyond with probability {missed:.2g}; with sqrt(2 log(2n/gamma)) {right:.2g}"
    return fact(missed <= 2 * gamma, f"n = {n:,}, gamma = {gamma:g}: {words}")


def noise_bound(stratified: bool, runs: int = 2000) -> Evidence:
    """Whether ``|p - p_hat|`` stays below the bound in all but 2 gamma of the data sets.

    Simulated ones, with the whole 95% interval.

    Eq. 2's constants are exact for one Laplace variable: it exceeds ``ln(1/gamma)``
    scales with probability gamma. Proposition 9 is sqrt(k) times that, with
    n/k for n in the logarithm; each group clips by its own size, as in Eq. 3.
    """
    missed, gamma, epsilon, radius = 0, 0.05, 1.0, 3.0
    for sizes in _BOUNDED if stratified else ([200], [5000]):
        k, n = len(sizes), sum(sizes)
        rng = stream(1, "noise bound", k, n, max(sizes))
        width = 2 * radius + 2 * clip_slack(n / k, gamma)
        bound = math.sqrt(k) * math.log(1 / gamma) * width / (n * epsilon)
        x = radius + rng.standard_normal(runs * n)  # means at the edge, where clipping would bite
        half = np.tile([radius + clip_slack(size, gamma) for size in sizes], runs)
        groups = laplace_means(x, np.tile(sizes, runs), -half, half, epsilon, rng).reshape(runs, k)
        error = np.abs(recombine(groups, sizes) - x.reshape(runs, n).mean(axis=1))
        missed = max(missed, int((error > bound).sum()))
    low, high = clopper_pearson(missed, runs)
    words = (
        f"beyond it at most {missed / runs:.1%} [{low:.1%}, {high:.1%}] of {runs:,} data sets a"
        f" size, 2 gamma {2 * gamma:g}"
    )
    return fact(high <= 2 * gamma, words, runs=runs, data="generated")


_BOUNDED = (
    [100] * 4,
    [397, 1, 1, 1],
    [100] * 10,
    [20] * 50,
    [500, 250, 120, 60, 30, 20, 10, 5, 4, 1],
)


def skewed_noise(skewed: float, even: float) -> Evidence:
    """Share of (n, k) at which the whole's noise is smaller at alpha ``skewed`` than ``even``.

    Laplace noise, the settings of the mixtures.

    The noise's standard deviation is exact given the sizes (Eqs 3 and 4, each
    group clipped by its own size, R = 3); sizes are drawn from both laws.
    """
    apart, ratios = [], []
    for n, k in product((1000, 2000, 4000, 6000, 8000, 10_000, 30_000), (3, 6, 12)):
        few, many = (_noise_of_sizes(alpha, n, k) for alpha in (skewed, even))
        apart.append(few - many)
        ratios.append(few.mean() / many.mean())
    words = (
        f"median ratio {np.median(ratios):.3f}, {min(ratios):.3f} to {max(ratios):.3f}, over"
        f" {len(ratios)} pairs of settings"
    )
    return share_of_cases(np.array(apart), lambda means: means < 0, data="generated", detail=words)


def _noise_of_sizes(alpha: float, n: int, k: int) -> np.ndarray:
    """The noise's deviation, times n epsilon, for each of 2,000 drawn sizes.

    A group that nobody is in counts as one person; it would add no noise at all.
    """
    rng = stream(1, "skewed noise", alpha, n, k)
    sizes = rng.multinomial(n, rng.dirichlet(np.full(k, alpha), size=2000))
    logs = np.log(np.maximum(sizes, 1) / 0.05)
    return np.sqrt((8 * (3.0 + np.sqrt(2 * (logs + math.log(2)))) ** 2).sum(axis=1))


def root_k() -> Evidence:
    """Whether the recombined mean's noise is at most sqrt(k) times the plain one's.

    Over vectors of sizes.
    """
    rng, ratios = stream(1, "root k"), []
    for k, alpha in product((2, 5, 20, 100), (0.13, 1.0, 100.0)):
        sizes = 1 + rng.multinomial(100_000, rng.dirichlet(np.full(k, alpha)))
        factors = [printed_factor(sizes, radius=r, gamma=0.05) for r in (0.01, 3.0, 100.0)]
        ratios += [factor / math.sqrt(k) for factor in factors]
    words = f"{min(ratios):.2f} to {max(ratios):.2f} of sqrt(k), over {len(ratios)} settings"
    return fact(max(ratios) <= 1, words)


def lemma12() -> Evidence:
    """Whether the sum of log sizes is at most k log(n/k), and reaches it for equal sizes alone.

    Over every way to split up to 20 people into up to 5 groups, and over drawn vectors of larger
    sizes.
    """
    rng = stream(1, "lemma 12")
    drawn = [
        1 + rng.multinomial(10_000, rng.dirichlet(np.full(k, alpha)))
        for k, alpha in product((2, 9, 40), (0.1, 1.0, 1000.0))
    ]
    # every way to split n into k sizes of at least one
    ways = [
        sizes
        for k in range(2, 6)
        for sizes in combinations_with_replacement(range(1, 21), k)
        if sum(sizes) <= 20
    ]
    cases = [*drawn, *map(np.array, ways)]
    slack = np.array([logs["worst"] - logs["observed"] for logs in map(log_sums, cases)])
    equal = np.array([np.ptp(sizes) == 0 for sizes in cases])
    least = slack[~equal].min()
    return fact(
        least > 1e-9 and np.abs(slack[equal]).max() < 1e-9,
        f"slack from {least:.4f} in {len(ways):,} partitions and {len(drawn)} drawn vectors, none"
        f" in {equal.sum()} of equal groups",
    )


def theorem10(runs: int = 200_000) -> Evidence:
    """Whether the mean sum of log sizes is at most the digamma expression.

    A z-test at 1e-6, for several alpha and k.
    """
    rng, scores = stream(1, "theorem 10"), []
    for alpha, k in ((0.13, 9), (0.5, 4), (1.0, 9), (5.0, 30)):
        sums = log_dirichlet(alpha, k, runs, rng).sum(axis=1)
        scores.append((sums.mean() - expected_logs(alpha, k, 1.0)) / (sums.std() / math.sqrt(runs)))
    words = f"an equality: z from {min(scores):.1f} to {max(scores):.1f} over {runs:,} draws each"
    return fact(max(scores) < stats.norm.isf(1e-6), words, runs=runs, data="generated")


def best_case(n: int, k: int, exact: bool = False) -> Evidence:
    """Whether the sum of logs of one large group and singletons is as good as (k-1) + log(n-k).

    At most that, and not below half of it; with ``exact``, equal to it. There is one group of the
    majority and k - 1 of size one.
    """
    logs = log_sums(np.array([n - k + 1] + [1] * (k - 1)))
    found, printed = logs["observed"], logs["best as printed"]
    words = f"the sum is {found:.2f}, the formula gives {printed:.2f} (n = {n:,}, k = {k})"
    if exact:
        return fact(math.isclose(found, printed, rel_tol=0.01), words)
    return fact(printed / 2 <= found <= printed, words)


def figure1() -> Evidence:
    """Whether Theorem 10's expression rises with alpha and stays between its two ends.

    From 0.2 to 1, between k + log n and k log(n/k).
    """
    places, ok = [], True
    for k, n in product((3, 9, 20, 50), (10_000, 196_967, 1_000_000)):
        low, high = k + math.log(n), k * math.log(n / k)
        curve = np.array([expected_logs(a, k, n) for a in np.linspace(0.2, 1.0, 17)])
        ok &= bool((np.diff(curve) > 0).all() and low <= curve[0] and curve[-1] <= high)
        places.append((curve[[0, -1]] - low) / (high - low))
    words = ", ".join(
        f"alpha {a}: {x.min():.0%} to {x.max():.0%} of the way up"
        for a, x in zip((0.2, 1), np.transpose(places), strict=True)
    )
    return fact(ok, words)


def small_alpha(alpha: float, runs: int = 2000) -> Evidence:
    """Whether the bound's sum is of the order k + log n + R at a small alpha.

    The sum of Eq. 12, ``(R + sqrt(log(size / gamma)))^2`` over the groups, each of one person at
    least. Of that order: the ratio does not grow from a thousand to a billion people, for any
    tested k and R.
    """
    growth = []
    for k, radius in product((3, 9, 50), (0.1, 3.0)):
        ratios = []
        for n in (1e3, 1e9):
            logs = log_dirichlet(alpha, k, runs, stream(1, "small alpha", k)) + math.log(n)
            terms = radius + np.sqrt(np.maximum(logs, 0.0) - math.log(0.05))
            ratios.append((terms**2).sum(axis=1).mean() / (k + math.log(n) + radius))
        growth.append(float(ratios[1] / ratios[0]))
    words = (
        f"at alpha {alpha:g} the ratio to k + log n + R grows by a factor of"
        f" {min(growth):.2f} to {max(growth):.2f} from n = 10^3 to 10^9 (mean of"
        f" {runs:,} draws, {len(growth)} pairs of k and R)"
    )
    return fact(max(growth) <= 1, words, runs=runs, data="generated")


def small_alpha_expression(alpha: float, n: int, k: int) -> Evidence:
    """Whether Theorem 10's expression is within a factor of 2 of k + log n at a small alpha."""
    value, scale = expected_logs(alpha, k, n), k + math.log(n)
    words = f"at alpha {alpha:g} it is {value:,.0f}, k + log n {scale:.1f}"
    return fact(scale / 2 <= value <= 2 * scale, words)


def statistical_error(k: int, n: int, spread: float) -> Evidence:
    """sqrt(n) times the spread of ``sum w_i mean_i`` around the population's mean.

    Weights are exact; the plain mean's spread is in words.
    """
    rng, runs = stream(1, "statistical error", k), 20_000
    weights, means = np.full(k, 1 / k), spread * rng.standard_normal(k)
    sizes = rng.multinomial(n, weights, size=runs)
    groups = means + rng.standard_normal((runs, k)) / np.sqrt(np.maximum(sizes, 1))
    plain = (groups * sizes).sum(axis=1) / n - means @ weights
    error = math.sqrt(n) * math.sqrt(((groups @ weights - means @ weights) ** 2).mean())
    half = 1.96 * error / math.sqrt(2 * runs)
    words = (
        f"the plain mean's is {math.sqrt(n * (plain**2).mean()):.2f}, sigma"
        f" {math.sqrt(1 + means.var()):.2f}"
    )
    return Evidence(error, error - half, error + half, runs, "generated", detail=words)


def algorithm3(k: int, total: str) -> Evidence:
    """Whether (1/k) sum w_i mean_i is the mean of everybody.

    The weights are the groups' shares, so that they add up to ``"one"``; or ``"k"`` times that.
    """
    validate.choice("total", total, ("one", "k"))
    rng = stream(1, "algorithm 3")
    means, sizes = rng.uniform(1, 5, k), rng.integers(1, 100, k)
    printed, right = (float(recombine(means, sizes, printed=p)) for p in (True, False))
    printed *= k if total == "k" else 1
    return fact(math.isclose(printed, right), f"{printed:.3f} beside {right:.3f} (k = {k})")


MEASURES = measures_of(__name__)
