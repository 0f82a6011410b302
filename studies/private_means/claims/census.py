"""Measures for the stratified-DP paper on means: group sizes, Figs 2, 3, 6 to 8."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from lib.datasets.cache import origin
from lib.datasets.newyork_aggregates import GROUPS, ROWS, crossing, published_cells
from lib.ledger.authors import AUTHORS
from lib.ledger.measures import DRAWS, fact, measures_of, share_of_draws
from lib.ledger.rules import LEVEL, Evidence
from lib.rng import stream
from lib.runner import NoResults, scores
from lib.stats.holm import holm
from studies.private_means import authors
from studies.private_means.census import RHO, oracles
from studies.private_means.group_sizes import alpha_by_likelihood, alpha_by_squares, improvements
from studies.private_means.scores import METHODS, of_method

PLAIN, STRATIFIED, _ = METHODS
_PUBLISHED = "published aggregates"


def race_sizes() -> np.ndarray:
    """People of each race in the paper's Table 3, largest first, shape (9,)."""
    return np.sort(pd.Series(GROUPS, dtype=float).groupby(level=1).sum())[::-1]


@cache
def mixtures(spreads: str = "one", dataset: str = "mixture") -> pd.DataFrame:
    """Stored scores of the mixtures: ours, or those of the authors."""
    rows = authors.mixtures() if dataset == AUTHORS else scores("means_mixtures")
    return rows[rows["spreads"] == spreads]


@cache
def census(setting: str = "published", dataset: str = "newyork") -> pd.DataFrame:
    """Stored COINPRESS scores of a data set at the papers' budget; ``"newyork"`` is the stand-in,
    ``"newyork_census"`` the Bureau's rows, New York of ``"authors"`` that of the authors, one run
    each.
    """
    if dataset == AUTHORS:
        if setting != "published":
            raise NoResults("another setting than the published one")
        rows = authors.census()
    else:
        rows = scores(f"means_{dataset}" if dataset.startswith("newyork") else "means_census")
    ours = (rows["dataset"] == dataset) & (rows["setting"] == setting)
    return rows[ours & (rows["mechanism"] == "coinpress") & (rows["budget"] == RHO)]


@cache
def _table_of(dataset: str) -> str:
    """``dataset``; for ``"newyork"`` the Census Bureau's rows, once their grid is complete."""
    if dataset != "newyork":
        return dataset
    try:
        found = scores("means_newyork_census")
    except NoResults:
        return dataset
    complete = found["cell"].nunique() == scores("means_newyork")["cell"].nunique()
    return "newyork_census" if complete else dataset


def stratified_price(setting: str) -> pd.DataFrame:
    """What stratifying costs everybody's mean, by variable.

    Over the crossings that were also run with all strata.

    Columns: ``plain``, ``stratified`` and ``clean`` (stratified, no noise drawn:
    clipping, and strata that are left out of this estimate only), medians;
    ``median``, ``least`` and ``most`` of stratified over plain.
    """
    rows, whole = census(setting), census("scaled, all strata")
    rows = rows[rows["crossing"].isin(whole["crossing"])]
    plain, stratified = (of_method(rows, "error", method) for method in (PLAIN, STRATIFIED))
    clean = of_method(rows, "clean", STRATIFIED)
    columns = {"plain": plain["mean"], "stratified": stratified["mean"], "clean": clean["mean"]}
    cells = pd.DataFrame(columns).groupby(plain["variable"])
    ratio = (stratified["mean"] / plain["mean"]).groupby(plain["variable"])
    ends = {"median": ratio.median(), "least": ratio.min(), "most": ratio.max()}
    return cells.median().assign(**ends)


# --- New York
# ----------------------------------------------------------------------


def group_total() -> Evidence:
    """Whether Table 3 adds up to n and fits the published aggregates.

    No group may have fewer people than the aggregates of the script count there.
    """
    total = sum(GROUPS.values())
    counted = crossing(published_cells(), "SEX", "RAC1P")["n_SCHL"]
    fits = all(GROUPS[group] >= people for group, people in counted.items())
    words = (
        f"{total:,}; the counts of {len(counted)} published groups"
        f" {'fit' if fits else 'do not fit'}"
    )
    return fact(total == ROWS and fits, words, data=_PUBLISHED)


def race_shares() -> Evidence:
    """Whether the five printed shares are those of Table 3, to the printed digits."""
    shares, printed = race_sizes()[:5] / ROWS, (0.70, 0.12, 0.086, 0.056, 0.029)
    rounding = (0.005, 0.005, 0.0005, 0.0005, 0.0005)
    ok = (np.abs(shares - printed) <= rounding).all()
    return fact(ok, ", ".join(f"{s:.3f}" for s in shares), data=_PUBLISHED)


def race_alpha(alpha: float) -> Evidence:
    """The most likely alpha; in words, the one that matches the sum of squared shares, and how
    likely ``alpha`` is.
    """
    sizes = race_sizes()
    words = (
        f"the sum of squared shares gives {alpha_by_squares(sizes):.3f}; twice the loss of log"
        f" likelihood at {alpha:g}: {_likelihood_loss(sizes, alpha):.2f}"
    )
    return fact(alpha_by_likelihood(sizes), words, data=_PUBLISHED)


def likely_alpha(alpha: float) -> Evidence:
    """Whether ``alpha`` lies in the 95% likelihood set of the shares (Wilks)."""
    sizes = race_sizes()
    loss, most = _likelihood_loss(sizes, alpha), stats.chi2.isf(LEVEL, 1)
    words = (
        f"twice the loss of log likelihood {loss:.2f}, {most:.2f} allowed; the most likely alpha is"
        f" {alpha_by_likelihood(sizes):.3f}, the sum of squared shares gives"
        f" {alpha_by_squares(sizes):.3f}"
    )
    return fact(loss <= most, words, data=_PUBLISHED)


def _likelihood_loss(sizes: np.ndarray, alpha: float) -> float:
    """Twice the log likelihood that the symmetric Dirichlet law of ``alpha`` lacks to the best."""
    shares = sizes / sizes.sum()
    laws = (np.full(sizes.size, a) for a in (alpha_by_likelihood(sizes), alpha))
    best, own = (stats.dirichlet.logpdf(shares / shares.sum(), law) for law in laws)
    return float(2 * (best - own))


def race_improvement() -> Evidence:
    """How much better than the worst case, at alpha .13, relative to the printed best case.

    Other readings are in words.

    The reference is 0: the worst case itself.
    """
    readings = improvements(race_sizes(), 0.13)
    value = readings["expected, relative to the printed best case"]
    others = "; ".join(f"{name} {v:.0%}" for name, v in readings.items() if v != value)
    return fact(value, f"other readings: {others}", data=_PUBLISHED, reference=0.0)


# --- figures
# ----------------------------------------------------------------------


def _share_of(
    hits: pd.Series,
    rows: pd.DataFrame,
    words: str,
    margins: tuple[pd.Series, pd.Series] | None = None,
    data: str = "generated",
) -> Evidence:
    """Share of settings, from as many runs as each of ``rows`` has at least.

    ``margins`` are means over runs, with their standard errors; where one is at most 0, the setting
    is a hit. The interval of the share is over new draws of these means.
    """
    words += _noiseless(rows)
    held, runs = hits.to_numpy(dtype=float)[:, None], int(rows["runs"].min())
    if margins is not None and margins[1].notna().all():
        mean, error = (part.to_numpy()[:, None] for part in margins)
        drawn = stream(1, "draws of means").standard_t(runs - 1, (len(mean), DRAWS))
        held = np.hstack([held, mean + error * drawn <= 0])
    return Evidence(**share_of_draws(held), runs=runs, data=data, detail=words)


def _error(rows: pd.DataFrame, low: str = "low", high: str = "high") -> pd.Series:
    """The standard error of the mean over runs, from its 95% interval; NaN without one."""
    freedom = np.maximum(rows["runs"] - 1, 1)
    return (rows[high] - rows[low]) / 2 / stats.t.isf(LEVEL / 2, freedom)


def _mixtures(
    method: str,
    dataset: str,
    total: int = 0,
    k: int | None = None,
    alpha: float | None = None,
) -> pd.DataFrame:
    """Errors at the published k, of settings with at least ``total`` rows; those of one ``k`` and
    ``alpha``, if they are given.

    The figure's n is the total: the script keeps half of it private and takes the weights from the
    other half.
    """
    rows = of_method(mixtures(dataset=dataset), "error", method)
    rows = rows[(2 * rows["n"] >= total) & (rows["k"] <= 12)]
    for name, value in (("k", k), ("alpha", alpha)):
        rows = rows if value is None else rows[rows[name] == value]
    return rows


def mixture_small(
    method: str, total: int, threshold: float, dataset: str = "mixture", **of: Any
) -> Evidence:
    """Share of the settings whose mean error is at most ``threshold``.

    Of those with at least ``total`` rows; ``of`` names k and alpha, else all published ones count.
    """
    rows = _mixtures(method, dataset, total, **of)
    error = rows["mean"]
    words = (
        f"{(error <= threshold).sum()} of {len(error)} settings, errors {error.min():.4f} to"
        f" {error.max():.4f}"
    )
    return _share_of(error <= threshold, rows, words, (error - threshold, _error(rows)))


def mixture_skewed(method: str, skewed: float, even: float, dataset: str = "mixture") -> Evidence:
    """Share of (n, k) at which the error is smaller at alpha ``skewed`` than at ``even``.

    Mean error, published k.
    """
    rows = _mixtures(method, dataset)
    rows = rows.assign(error=_error(rows))
    few, many = (rows[rows["alpha"] == a].set_index(["n", "k"]) for a in (skewed, even))
    few, many = few.align(many, join="inner", axis=0)
    ratio = few["mean"] / many["mean"]
    words = (
        f"median ratio {ratio.median():.2f}, {ratio.min():.2f} to {ratio.max():.2f}, over"
        f" {len(ratio)} pairs of settings"
    )
    margin = few["mean"] - many["mean"], np.hypot(few["error"], many["error"])
    return _share_of(ratio < 1, rows, words, margin)


def mixture_gap(
    method: str, total: int, margin: float, dataset: str = "mixture", **of: Any
) -> Evidence:
    """Share of the settings whose mean error is within ``margin`` of plain COINPRESS's.

    Of those with at least ``total`` rows, paired on the run. Half of the total is private.
    """
    rows = _mixtures(method, dataset, total, **of)
    _interval(rows)
    gap = rows["gap"].abs()
    words = f"differences to {gap.max():.4f}, over {len(rows)} settings"
    error = _error(rows, "gap_low", "gap_high")
    return _share_of(gap <= margin, rows, words, (gap - margin, error))


def mixture_ratio(method: str, dataset: str = "mixture") -> Evidence:
    """Mean error over plain COINPRESS's at the largest n, over k and alpha.

    The reference is that at the smallest n.

    The interval is over runs: those of the paired differences, each divided by
    the plain error of its setting, whose own noise is left out.
    """
    rows, plain = _mixtures(method, dataset), _mixtures(PLAIN, dataset)["mean"]
    ratio, half, n = 1 + rows["gap"] / plain, _half(rows) / plain, rows["n"]
    last, half = ratio[n == n.max()], half[n == n.max()]
    mean, before = float(last.mean()), float(ratio[n == n.min()].mean())
    reach = math.sqrt((half**2).sum(skipna=False)) / len(last)
    clear = f", clearly above 1 in {(last - half > 1).sum()} of {len(last)} settings"
    words = (
        f"{last.min():.1f} to {last.max():.1f} at {n.max():,} private"
        f" rows{clear if reach == reach else ''}; the mean at {n.min():,} is {before:.1f}"
    )
    runs, ends = int(rows["runs"].min()), (mean - reach, mean + reach)
    words += _noiseless(rows)
    return Evidence(mean, *ends, runs, "generated", detail=words, reference=before)


def _interval(rows: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """The 95% interval of the difference to the plain error; :class:`NoResults` if it is not
    stored.
    """
    if rows["gap_low"].isna().all():
        raise NoResults(f"the difference run by run, of {rows['runs'].iloc[0]} run(s)")
    return rows["gap_low"], rows["gap_high"]


def _half(rows: pd.DataFrame) -> pd.Series:
    """Half the width of the 95% interval of the difference to the plain error."""
    return (rows["gap_high"] - rows["gap_low"]) / 2


def _noiseless(rows: pd.DataFrame) -> str:
    """What is to be said of the authors' stratified mixtures."""
    theirs = "alpha" in rows and {*rows["data_source"]} == {AUTHORS}
    return "; no noise is in the stored errors" * (theirs and PLAIN not in {*rows["method"]})


_TAIL = (
    "the tail of incomes inside a group of the stand-in is assumed (lognormal), and the error comes"
    " from that tail"
)
_SHAPE = (
    "on the stand-in the groups' sizes and means and the range are published; "
    "the shape inside a group, which decides what is clipped, is assumed"
)


def _census_share(
    hits: pd.Series,
    rows: pd.DataFrame,
    words: str,
    setting: str,
    variables: Sequence[str] = (),
    margins: tuple[pd.Series, pd.Series] | None = None,
) -> Evidence:
    """:func:`_share_of`, with what the estimates took from the private table for nothing.

    And with the limits of New York's stand-in for the errors of ``variables``: where they rest on
    incomes' assumed tail, the share is not comparable.
    """
    found = _share_of(hits, rows, words, margins, origin(rows["data_source"]))
    assumed = found.data == "stand-in" and "PINCP" in variables
    if assumed:
        words = f"{_TAIL}. Not held against the claim: {words}"
    elif found.data == "stand-in" and variables:
        words += f"; {_SHAPE}"
    words += f"; oracle, not charged: {'; '.join(oracles(setting))}"
    return replace(found, comparable=not assumed, detail=words)


def census_error(
    variables: list[str],
    factor: float,
    setting: str = "published",
    dataset: str = "newyork",
    method: str = STRATIFIED,
    worse: bool = False,
) -> Evidence:
    """Share of the crossings in which the error is at most ``factor`` times the plain one.

    The error of ``method``; more than that, if ``worse``.
    """
    rows = census(setting, _table_of(dataset))
    rows = rows[rows["variable"].isin(variables)]
    own = of_method(rows, "error", method)
    plain = of_method(rows, "error").reindex(own.index)
    ratio = own["mean"] / plain["mean"]
    words = (
        f"median ratio {ratio.median():.2f}, largest {ratio.max():.1f}, over {len(own)} crossings"
    )
    # own - factor * plain is the gap less (factor - 1) times the plain error
    beyond = (own["mean"] - factor * plain["mean"]) * (-1 if worse else 1)
    error = np.hypot(_error(own, "gap_low", "gap_high"), (factor - 1) * _error(plain).fillna(0))
    hits = (ratio <= factor) != worse
    return _census_share(hits, own, words, setting, variables, (beyond, error))


def census_improves(
    variables: list[str], setting: str = "published", dataset: str = "newyork"
) -> Evidence:
    """Whether the stratified error is smaller in at least one crossing.

    A paired t-test each, Holm's correction over all.
    """
    rows = of_method(census(setting, _table_of(dataset)), "error", STRATIFIED)
    rows = rows[rows["variable"].isin(variables)]
    _interval(rows)
    gap, freedom = rows["gap"], rows["runs"] - 1
    error = _half(rows) / stats.t.isf(0.025, freedom)
    p = np.where(error > 0, stats.t.cdf(gap / error.where(error > 0, 1.0), freedom), gap >= 0)
    better = holm(p) < LEVEL
    words = ", ".join(f"{v} {better[rows['variable'] == v].mean():.0%}" for v in variables)
    words = f"after Holm's correction in {better.sum()} of {len(rows)} crossings: {words}"
    found = _census_share(gap, rows, words, setting, variables)
    return replace(found, value=float(better.any()))


def census_parity(setting: str = "published", dataset: str = "newyork") -> Evidence:
    """Share of variables and crossings whose parity error is smaller when stratified."""
    rows = census(setting, _table_of(dataset))
    own = of_method(rows, "parity", STRATIFIED)
    ratio = (own["mean"] / of_method(rows, "parity")["mean"]).median()
    words = f"median ratio {ratio:.2g} over {len(own)} crossings"
    if dataset == AUTHORS:
        fewer = (own["gap"] < 0).mean()
        raise NoResults(f"one run, without an interval; in that one smaller in {fewer:.0%}")
    error = _error(own, "gap_low", "gap_high")
    return _census_share(own["gap"] < 0, own, words, setting, margins=(own["gap"], error))


MEASURES = measures_of(__name__)
