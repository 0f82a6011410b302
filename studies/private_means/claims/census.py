"""Measures for the stratified-DP paper on means: Figs 2, 3, 6 to 8."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from lib.datasets.cache import origin
from lib.ledger.authors import AUTHORS
from lib.ledger.rules import LEVEL, Evidence
from lib.rng import stream
from lib.runner import NoResults, scores
from lib.stats.p_values import holm
from studies.measures import DRAWS, measures_of, share_of_draws
from studies.private_means import authors
from studies.private_means.census import RHO, oracles
from studies.private_means.scores import METHODS, of_method

PLAIN, STRATIFIED, _ = METHODS


@cache
def mixtures(dataset: str = "mixture") -> pd.DataFrame:
    """Stored scores of the mixtures with spread 1: ours, or those of the authors."""
    rows = authors.mixtures() if dataset == AUTHORS else scores("means_mixtures")
    return rows[rows["spreads"] == "one"]


@cache
def census(setting: str = "published", dataset: str = "newyork2024") -> pd.DataFrame:
    """Stored COINPRESS scores of a data set at the papers' budget; ``"newyork2024"`` is New York
    six years after the paper's table, ``"newyork_census"`` that table, ``"authors"`` what its
    authors stored of it, one run each.
    """
    if dataset == AUTHORS:
        if setting != "published":
            raise NoResults("another setting than the published one")
        rows = authors.census()
    else:
        rows = scores(f"means_{dataset}" if dataset.startswith("newyork2024") else "means_census")
    ours = (rows["dataset"] == dataset) & (rows["setting"] == setting)
    return rows[ours & (rows["mechanism"] == "coinpress") & (rows["budget"] == RHO)]


@cache
def _table_of(dataset: str) -> str:
    """``dataset``; for ``"newyork2024"`` the paper's own table, once its grid is complete."""
    if dataset == "newyork2024":
        with suppress(NoResults):
            found = scores("means_newyork_census")
            if found["cell"].nunique() == scores("means_newyork2024")["cell"].nunique():
                return "newyork_census"
    return dataset


def stratified_price(setting: str) -> pd.DataFrame:
    """What stratifying costs everybody's mean, by variable, over the crossings that were also run
    with all strata.

    Columns: ``plain``, ``stratified`` and ``clean`` (stratified, no noise drawn:
    clipping, and strata that are left out of this estimate only), medians;
    ``median``, ``least`` and ``most`` of stratified over plain.
    """
    rows, whole = census(setting), census("scaled, all strata")
    rows = rows[rows["crossing"].isin(whole["crossing"])]
    plain, stratified = (of_method(rows, "error", method) for method in (PLAIN, STRATIFIED))
    clean = of_method(rows, "clean", STRATIFIED)["mean"]
    cells = pd.DataFrame({"plain": plain["mean"], "stratified": stratified["mean"], "clean": clean})
    ratio = (cells["stratified"] / cells["plain"]).groupby(plain["variable"])
    medians = cells.groupby(plain["variable"]).median()
    return medians.assign(median=ratio.median(), least=ratio.min(), most=ratio.max())


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


def _half(rows: pd.DataFrame, of: str = "gap_") -> pd.Series:
    """Half the width of the 95% interval of the difference to the plain error."""
    return (rows[f"{of}high"] - rows[f"{of}low"]) / 2


def _error(rows: pd.DataFrame, of: str = "") -> pd.Series:
    """The standard error of the mean over runs, from its 95% interval; NaN without one."""
    return _half(rows, of) / stats.t.isf(LEVEL / 2, np.maximum(rows["runs"] - 1, 1))


def _mixtures(method: str, dataset: str, total: int = 0, **of: float | None) -> pd.DataFrame:
    """Errors at the published k, of settings with at least ``total`` rows; those of one k and
    alpha, if ``of`` has them.

    The figure's n is the total: the script takes the weights from the half that is not private.
    """
    rows = of_method(mixtures(dataset=dataset), "error", method)
    rows = rows[(2 * rows["n"] >= total) & (rows["k"] <= 12)]
    for name, value in of.items():
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
    words = f"{(error <= threshold).sum()} of {len(error)} settings, errors {error.min():.4f} to"
    words += f" {error.max():.4f}"
    return _share_of(error <= threshold, rows, words, (error - threshold, _error(rows)))


def mixture_stable(
    method: str, most: float, factor: float, margin: float, total: int = 0, dataset: str = "mixture"
) -> Evidence:
    """Share of (n, alpha) at which the largest mean error over k is at most ``most``, and at most
    ``factor`` times the smallest plus ``margin``.
    """
    rows = _mixtures(method, dataset, total)
    of_setting = rows.assign(error=_error(rows)).sort_values("mean").groupby(["n", "alpha"])
    low, high = of_setting.first(), of_setting.last()
    beyond = np.maximum(high["mean"] - most, high["mean"] - factor * low["mean"] - margin)
    words = f"largest over smallest error {(high['mean'] / low['mean']).max():.1f} at most, largest"
    words += f" less smallest {(high['mean'] - low['mean']).max():.4f}, over {len(low)} settings"
    error = np.hypot(high["error"], factor * low["error"])
    return _share_of(beyond <= 0, rows, words, (beyond, error))


def mixture_skewed(method: str, skewed: float, even: float, dataset: str = "mixture") -> Evidence:
    """Share of (n, k) at which the mean error is smaller at alpha ``skewed`` than at ``even``."""
    rows = _mixtures(method, dataset)
    rows = rows.assign(error=_error(rows))
    few, many = (rows[rows["alpha"] == a].set_index(["n", "k"]) for a in (skewed, even))
    few, many = few.align(many, join="inner", axis=0)
    ratio = few["mean"] / many["mean"]
    words = f"median ratio {ratio.median():.2f}, {ratio.min():.2f} to {ratio.max():.2f}, over"
    words += f" {len(ratio)} pairs of settings"
    margin = few["mean"] - many["mean"], np.hypot(few["error"], many["error"])
    return _share_of(ratio < 1, rows, words, margin)


def mixture_gap(
    method: str, total: int, margin: float, dataset: str = "mixture", **of: Any
) -> Evidence:
    """Share of the settings whose mean error is within ``margin`` of plain COINPRESS's.

    Of those with at least ``total`` rows, paired on the run. Half of the total is private.
    """
    rows = _paired(_mixtures(method, dataset, total, **of))
    gap = rows["gap"].abs()
    words = f"differences to {gap.max():.4f}, over {len(rows)} settings"
    return _share_of(gap <= margin, rows, words, (gap - margin, _error(rows, "gap_")))


def mixture_ratio(method: str, dataset: str = "mixture") -> Evidence:
    """Mean error over plain COINPRESS's at the largest n, over k and alpha; the reference is that
    at the smallest n.

    The interval is over runs: those of the paired differences, each divided by
    the plain error of its setting, whose own noise is left out.
    """
    rows, plain = _mixtures(method, dataset), _mixtures(PLAIN, dataset)["mean"]
    ratio, n = 1 + rows["gap"] / plain, rows["n"]
    last, half = (part[n == n.max()] for part in (ratio, _half(rows) / plain))
    mean, before = (float(ratio[n == end].mean()) for end in (n.max(), n.min()))
    reach = math.sqrt((half**2).sum(skipna=False)) / len(last)
    clear = f", clearly above 1 in {(last - half > 1).sum()} of {len(last)} settings"
    words = f"{last.min():.1f} to {last.max():.1f} at {n.max():,} private rows"
    words += f"{clear if reach == reach else ''}; the mean at {n.min():,} is {before:.1f}"
    share = mean, mean - reach, mean + reach, int(rows["runs"].min()), "generated"
    return Evidence(*share, detail=words + _noiseless(rows), reference=before)


def _paired(rows: pd.DataFrame) -> pd.DataFrame:
    """``rows``; :class:`NoResults` if the interval of the difference to the plain error is not
    stored.
    """
    if rows["gap_low"].isna().all():
        raise NoResults(f"the difference run by run, of {rows['runs'].iloc[0]} run(s)")
    return rows


def _noiseless(rows: pd.DataFrame) -> str:
    """What is to be said of the authors' stratified mixtures."""
    theirs = "alpha" in rows and {*rows["data_source"]} == {AUTHORS}
    if theirs and PLAIN not in {*rows["method"]}:
        return "; no noise is in the stored errors"
    return ""


def _census_share(
    hits: pd.Series,
    rows: pd.DataFrame,
    words: str,
    setting: str,
    margins: tuple[pd.Series, pd.Series] | None = None,
) -> Evidence:
    """:func:`_share_of`, with what the estimates took from the private table for nothing."""
    data = origin(rows["data_source"])
    if data == "real data" and set(rows["dataset"]) == {"newyork2024"}:
        data = "real New Yorkers, 2024"
    found = _share_of(hits, rows, words, margins, data)
    oracle = f"; oracle, not charged: {'; '.join(oracles(setting))}"
    return replace(found, detail=found.detail + oracle)


def census_error(
    variables: list[str],
    factor: float,
    setting: str = "published",
    dataset: str = "newyork2024",
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
    error = np.hypot(_error(own, "gap_"), (factor - 1) * _error(plain).fillna(0))
    hits = (ratio <= factor) != worse
    return _census_share(hits, own, words, setting, (beyond, error))


def census_improves(
    variables: list[str], setting: str = "published", dataset: str = "newyork2024"
) -> Evidence:
    """Whether the stratified error is smaller in at least one crossing: a paired t-test each,
    Holm's correction over all.
    """
    rows = of_method(census(setting, _table_of(dataset)), "error", STRATIFIED)
    rows = _paired(rows[rows["variable"].isin(variables)])
    gap, error = rows["gap"], _error(rows, "gap_")
    t = gap / error.where(error > 0, 1.0)
    better = holm(np.where(error > 0, stats.t.cdf(t, rows["runs"] - 1), gap >= 0)) < LEVEL
    words = ", ".join(f"{v} {better[rows['variable'] == v].mean():.0%}" for v in variables)
    words = f"after Holm's correction in {better.sum()} of {len(rows)} crossings: {words}"
    return replace(_census_share(gap, rows, words, setting), value=float(better.any()))


def census_parity(setting: str = "published", dataset: str = "newyork2024") -> Evidence:
    """Share of variables and crossings whose parity error is smaller when stratified."""
    rows = census(setting, _table_of(dataset))
    own = of_method(rows, "parity", STRATIFIED)
    ratio = (own["mean"] / of_method(rows, "parity")["mean"]).median()
    words = f"median ratio {ratio:.2g} over {len(own)} crossings"
    if dataset == AUTHORS:
        fewer = (own["gap"] < 0).mean()
        raise NoResults(f"one run, without an interval; in that one smaller in {fewer:.0%}")
    margins = own["gap"], _error(own, "gap_")
    return _census_share(own["gap"] < 0, own, words, setting, margins)


MEASURES = measures_of(__name__, mixture="means_mixtures")
