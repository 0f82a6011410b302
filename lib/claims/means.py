"""Measures for the claims of the stratified-DP paper about means: its theory, New York's group sizes, Figs 2, 3, 6 to 8."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd
from scipy import stats

from lib.claims.rules import Evidence
from lib.datasets.newyork import GROUPS, ROWS
from lib.dp.mechanisms import Laplace
from lib.experiments import results
from lib.experiments.means import METHODS
from lib.experiments.summary import mean_interval
from lib.means.group_sizes import alpha_by_likelihood, alpha_by_squares, expected_logs, improvements, log_sums
from lib.means.grouped import laplace_means
from lib.means.theory import clip_slack, plain_bound, printed_factor, stratified_bound
from lib.rng import stream

__all__ = ["MEASURES", "race_sizes", "mixtures", "census"]

NOTHING = Evidence(math.nan, detail="no stored results")


def race_sizes() -> np.ndarray:
    """People of each race in the paper's Table 3, largest first, shape (9,)."""
    race = np.zeros(9)
    for (_, code), people in GROUPS.items():
        race[code - 1] += people
    return np.sort(race)[::-1]


@cache
def mixtures(spreads: str = "one") -> pd.DataFrame:
    """Stored cells of the mixtures; empty if there are none."""
    try:
        rows = results("means_mixtures")
    except ValueError:
        return pd.DataFrame()
    return rows[rows["spreads"] == spreads]


@cache
def census(setting: str = "published", dataset: str = "newyork") -> pd.DataFrame:
    """Stored COINPRESS cells of a data set at the papers' budget; empty if there are none."""
    try:
        rows = results("means_newyork" if dataset == "newyork" else "means_census")
    except ValueError:
        return pd.DataFrame()
    ours = (rows["dataset"] == dataset) & (rows["setting"] == setting) & (rows["mechanism"] == "coinpress")
    return rows[ours & (rows["budget"] == 0.5)]


# --- theory ----------------------------------------------------------------------------------------------------------


def stratified_privacy(epsilon: float = 1.0) -> Evidence:
    """Whether the strata's Laplace means have a privacy loss of at most epsilon when one record changes: exact densities."""
    worst = 0.0
    for n in (1, 10, 1000):
        m = Laplace(sensitivity=2.0 / n, epsilon=epsilon)
        x = np.linspace(-5, 5, 4001) * float(m.scale)
        worst = max(worst, float(np.abs(m.log_density(x) - m.log_density(x - 2.0 / n)).max()))
    return Evidence(float(worst <= epsilon * (1 + 1e-12)), detail=f"largest loss {worst:.12f} at epsilon {epsilon:g}")


def printed_clipping(n: int, gamma: float) -> Evidence:
    """Whether the printed clip interval leaves all ``n`` normal values alone with probability ``1 - O(gamma)``: within 2 gamma."""
    missed = -math.expm1(n * stats.norm.logcdf(clip_slack(n, gamma, reading="printed")))
    right = -math.expm1(n * stats.norm.logcdf(clip_slack(n, gamma)))
    words = f"a value beyond with probability {missed:.2g}; with sqrt(2 log(2n/gamma)) {right:.2g}"
    return Evidence(float(missed <= 2 * gamma), detail=f"n = {n:,}, gamma = {gamma:g}: {words}")


def noise_bound(stratified: bool, gamma: float = 0.05, runs: int = 2000) -> Evidence:
    """Whether ``|p - p_hat|`` stays below the bound, with its constants, in all but 2 gamma of simulated data sets."""
    worst, epsilon, radius = 0.0, 1.0, 3.0
    for k, n in ((1, 200), (1, 5000)) if not stratified else ((4, 400), (10, 1000), (50, 1000)):
        rng = stream(1, "noise bound", k, n)
        sizes = np.full(k, n // k)
        bound = stratified_bound(sizes, radius=radius, epsilon=epsilon, gamma=gamma) if stratified else plain_bound(
            n, radius=radius, epsilon=epsilon, gamma=gamma)  # fmt: skip
        x = radius + rng.standard_normal(runs * n)  # means at the edge, where clipping would bite
        half = radius + clip_slack(n, gamma)
        private = laplace_means(x, np.tile(sizes, runs), -half, half, epsilon, rng).reshape(runs, k).mean(axis=1)
        worst = max(worst, float((np.abs(private - x.reshape(runs, n).mean(axis=1)) > bound).mean()))
    return Evidence(
        float(worst <= 2 * gamma), detail=f"largest share {worst:.4f} in {runs:,} data sets, 2 gamma {2 * gamma:g}"
    )


def root_k() -> Evidence:
    """Whether the noise of the recombined mean is at most sqrt(k) times the plain one's, over vectors of sizes."""
    rng, ratios = stream(1, "root k"), []
    for k in (2, 5, 20, 100):
        for alpha in (0.13, 1.0, 100.0):
            sizes = 1 + rng.multinomial(100_000, rng.dirichlet(np.full(k, alpha)))
            ratios += [printed_factor(sizes, radius=r, gamma=0.05) / math.sqrt(k) for r in (0.01, 3.0, 100.0)]
    return Evidence(float(max(ratios) <= 1), detail=f"{min(ratios):.2f} to {max(ratios):.2f} of sqrt(k)")


def lemma12() -> Evidence:
    """Whether the sum of log sizes is at most k log(n/k), over drawn vectors."""
    rng, slack = stream(1, "lemma 12"), []
    for k in (2, 9, 40):
        for alpha in (0.1, 1.0, 1000.0):
            logs = log_sums(1 + rng.multinomial(10_000, rng.dirichlet(np.full(k, alpha))))
            slack.append(logs["worst"] - logs["observed"])
    return Evidence(float(min(slack) >= -1e-9), detail=f"slack from {min(slack):.3f} to {max(slack):.1f}")


def theorem10(runs: int = 200_000) -> Evidence:
    """Whether the mean sum of log sizes is at most the digamma expression (z-test at 1e-6, several alpha and k)."""
    rng, scores = stream(1, "theorem 10"), []
    for alpha, k in ((0.13, 9), (0.5, 4), (1.0, 9), (5.0, 30)):
        logs = np.log(rng.gamma(alpha + 1, size=(runs, k))) + np.log(rng.random((runs, k))) / alpha
        logs -= np.logaddexp.reduce(logs, axis=1, keepdims=True)
        sums = logs.sum(axis=1)
        scores.append((sums.mean() - expected_logs(alpha, k, 1.0)) / (sums.std() / math.sqrt(runs)))
    words = f"an equality: z from {min(scores):.1f} to {max(scores):.1f} over {runs:,} draws"
    return Evidence(float(max(scores) < stats.norm.isf(1e-6)), detail=words)


def best_case(n: int, k: int) -> Evidence:
    """Whether (k-1) + log(n-k) is the sum of logs for one group of the majority and k - 1 of size one."""
    logs = log_sums(np.array([n - k + 1] + [1] * (k - 1)))
    words = f"the sum is {logs['observed']:.2f}, the formula gives {logs['best as printed']:.2f} (n = {n:,}, k = {k})"
    return Evidence(float(math.isclose(logs["observed"], logs["best as printed"], rel_tol=0.01)), detail=words)


# --- New York --------------------------------------------------------------------------------------------------------


def group_total() -> Evidence:
    """Whether Table 3 adds up to n."""
    total = sum(GROUPS.values())
    return Evidence(float(total == ROWS), data="published aggregates", detail=f"{total:,}")


def race_shares() -> Evidence:
    """Whether the five printed shares are those of Table 3, to the printed digits."""
    shares, printed = race_sizes()[:5] / ROWS, (0.70, 0.12, 0.086, 0.056, 0.029)
    ok = all(abs(a - b) <= 0.5 * 10 ** -(2 if b >= 0.1 else 3) for a, b in zip(shares, printed, strict=True))
    return Evidence(float(ok), data="published aggregates", detail=", ".join(f"{s:.3f}" for s in shares))


def race_alpha() -> Evidence:
    """Alpha by matching the sum of squared shares, with maximum likelihood in words."""
    sizes = race_sizes()
    likely = alpha_by_likelihood(sizes)
    return Evidence(
        alpha_by_squares(sizes), data="published aggregates", detail=f"maximum likelihood gives {likely:.3f}"
    )


def race_improvement() -> Evidence:
    """How much better than the worst case, at alpha .13, relative to the printed best case; other readings in words."""
    readings = improvements(race_sizes(), 0.13)
    value = readings["expected, relative to the printed best case"]
    others = "; ".join(f"{name} {v:.0%}" for name, v in readings.items() if v != value)
    return Evidence(value, data="published aggregates", detail=f"other readings: {others}")


# --- figures ---------------------------------------------------------------------------------------------------------


def mixture_small(method: str, n: int, threshold: float) -> Evidence:
    """Share of the settings with at least ``n`` rows, published k and alpha, whose mean error is at most ``threshold``."""
    rows = mixtures()
    if rows.empty:
        return NOTHING
    rows = rows[(rows["n"] >= n) & (rows["k"] <= 12)]
    error = rows[f"error|{method}"]
    words = f"{(error <= threshold).sum()} of {len(error)} settings, errors {error.min():.4f} to {error.max():.4f}"
    return Evidence(float((error <= threshold).mean()), runs=int(rows["runs"].min()), data="generated", detail=words)


def mixture_excess(method: str, n: int) -> Evidence:
    """Mean over settings of the error above plain COINPRESS, at ``n`` rows; interval over settings."""
    rows = mixtures()
    if rows.empty:
        return NOTHING
    rows = rows[(rows["n"] == n) & (rows["k"] <= 12)]
    mean, low, high = mean_interval(rows[f"error|{method} - {METHODS[0]}"].to_numpy())
    ratio = (rows[f"error|{method}"] / rows[f"error|{METHODS[0]}"]).median()
    return Evidence(
        mean, low, high, int(rows["runs"].min()), "generated", detail=f"median ratio of the errors {ratio:.1f}"
    )


def _stand_in(rows: pd.DataFrame) -> str:
    return "real data" if set(rows["data_source"]) <= {"local", "cache", "download", "census"} else "stand-in"


def census_error(variables: list[str], factor: float, setting: str = "published", dataset: str = "newyork") -> Evidence:
    """Share of the crossings in which the stratified error is at most ``factor`` times the plain one."""
    rows = census(setting, dataset)
    if rows.empty:
        return NOTHING
    rows = rows[rows["variable"].isin(variables)]
    ratio = rows[f"error|{METHODS[1]}"] / rows[f"error|{METHODS[0]}"]
    words = f"median ratio {ratio.median():.2f}, largest {ratio.max():.1f}, over {len(rows)} crossings"
    return Evidence(float((ratio <= factor).mean()), runs=int(rows["runs"].min()), data=_stand_in(rows), detail=words)


def census_improves(variables: list[str], setting: str = "published") -> Evidence:
    """Share of the crossings in which the stratified error is smaller, its whole interval below zero."""
    rows = census(setting)
    if rows.empty:
        return NOTHING
    rows = rows[rows["variable"].isin(variables)]
    better = rows[f"error|{METHODS[1]} - {METHODS[0]}|high"] < 0
    words = ", ".join(f"{v} {better[rows['variable'] == v].mean():.0%}" for v in variables)
    return Evidence(
        float(better.any()), runs=int(rows["runs"].min()), data=_stand_in(rows), detail=f"of the crossings: {words}"
    )


def census_parity(setting: str = "published", dataset: str = "newyork") -> Evidence:
    """Share of variables and crossings whose parity error is smaller when stratified, its whole interval below zero."""
    rows = census(setting, dataset)
    if rows.empty:
        return NOTHING
    better = rows[f"parity|{METHODS[1]} - {METHODS[0]}|high"] < 0
    ratio = (rows[f"parity|{METHODS[1]}"] / rows[f"parity|{METHODS[0]}"]).median()
    words = f"median ratio {ratio:.2g} over {len(rows)} crossings"
    return Evidence(float(better.mean()), runs=int(rows["runs"].min()), data=_stand_in(rows), detail=words)


MEASURES: dict[str, Callable[..., Evidence]] = {
    f.__name__: f
    for f in (
        stratified_privacy, printed_clipping, noise_bound, root_k, lemma12, theorem10, best_case, group_total, race_shares,
        race_alpha, race_improvement, mixture_small, mixture_excess, census_error, census_improves, census_parity,
    )
}  # fmt: skip
