"""Measures for the stratified-DP paper on means: group sizes, Figs 2, 3, 6 to 8."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
from scipy import stats

from lib.datasets.cache import origin
from lib.datasets.newyork import GROUPS, ROWS, crossing, published_cells
from lib.ledger.authors import AUTHORS
from lib.ledger.measures import fact, measures_of
from lib.ledger.rules import LEVEL, Evidence
from lib.means.group_sizes import alpha_by_likelihood, alpha_by_squares, improvements
from lib.runner import NoResults, scores
from lib.stats.holm import holm
from lib.studies.private_means import authors
from lib.studies.private_means.census import RHO, oracles
from lib.studies.private_means.scores import METHODS, of_method

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


def race_alpha() -> Evidence:
    """Alpha by matching the sum of squared shares, with maximum likelihood in words."""
    sizes = race_sizes()
    likely = alpha_by_likelihood(sizes)
    words = f"maximum likelihood gives {likely:.3f}"
    return fact(alpha_by_squares(sizes), words, data=_PUBLISHED)


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


def _share_of(hits: pd.Series, rows: pd.DataFrame, words: str, data: str = "generated") -> Evidence:
    """Share of settings, from as many runs as each of ``rows`` has at least."""
    words += _noiseless(rows)
    return fact(hits.mean(), words, runs=int(rows["runs"].min()), data=data)


def _mixtures(method: str, dataset: str, total: int = 0) -> pd.DataFrame:
    """Errors at the published k, of settings with at least ``total`` rows.

    The figure's n is the total: the script keeps half of it private and takes the weights from the
    other half.
    """
    rows = of_method(mixtures(dataset=dataset), "error", method)
    return rows[(2 * rows["n"] >= total) & (rows["k"] <= 12)]


def mixture_small(method: str, total: int, threshold: float, dataset: str = "mixture") -> Evidence:
    """Share of the settings whose mean error is at most ``threshold``.

    Of those with at least ``total`` rows, published k and alpha.
    """
    rows = _mixtures(method, dataset, total)
    error = rows["mean"]
    words = (
        f"{(error <= threshold).sum()} of {len(error)} settings, errors {error.min():.4f} to"
        f" {error.max():.4f}"
    )
    return _share_of(error <= threshold, rows, words)


def mixture_skewed(method: str, skewed: float, even: float, dataset: str = "mixture") -> Evidence:
    """Share of (n, k) at which the error is smaller at alpha ``skewed`` than at ``even``.

    Mean error, published k.
    """
    rows = _mixtures(method, dataset)
    error = rows.pivot(index=["n", "k"], columns="alpha", values="mean")[[skewed, even]].dropna()
    ratio = error[skewed] / error[even]
    words = (
        f"median ratio {ratio.median():.2f}, {ratio.min():.2f} to {ratio.max():.2f}, over"
        f" {len(ratio)} pairs of settings"
    )
    return _share_of(ratio < 1, rows, words)


def mixture_gap(method: str, total: int, margin: float, dataset: str = "mixture") -> Evidence:
    """Share of the settings whose error is within ``margin`` of plain COINPRESS's.

    Of those with at least ``total`` rows.

    The whole 95% interval of the difference, paired on the run, is to lie inside. Half of the total
    is private.
    """
    rows = _mixtures(method, dataset, total)
    low, high = _interval(rows)
    words = (
        f"intervals of the difference from {low.min():.4f} to {high.max():.4f}, over"
        f" {len(rows)} settings"
    )
    return _share_of((low >= -margin) & (high <= margin), rows, words)


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
    hits: pd.Series, rows: pd.DataFrame, words: str, setting: str, variables: Sequence[str] = ()
) -> Evidence:
    """:func:`_share_of`, with what the estimates took from the private table for nothing.

    And with the limits of New York's stand-in for the errors of ``variables``: where they rest on
    incomes' assumed tail, the share is not comparable.
    """
    found = _share_of(hits, rows, words, origin(rows["data_source"]))
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
    ratio = own["mean"] / of_method(rows, "error")["mean"]
    words = (
        f"median ratio {ratio.median():.2f}, largest {ratio.max():.1f}, over {len(own)} crossings"
    )
    return _census_share((ratio <= factor) != worse, own, words, setting, variables)


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
    """Share of variables and crossings whose parity error is smaller when stratified.

    The whole interval of the difference is below zero.
    """
    rows = census(setting, _table_of(dataset))
    own = of_method(rows, "parity", STRATIFIED)
    ratio = (own["mean"] / of_method(rows, "parity")["mean"]).median()
    words = f"median ratio {ratio:.2g} over {len(own)} crossings"
    if dataset == AUTHORS:
        fewer = (own["gap"] < 0).mean()
        raise NoResults(f"one run, without an interval; in that one smaller in {fewer:.0%}")
    return _census_share(own["gap_high"] < 0, own, words, setting)


MEASURES = measures_of(__name__)
