"""What the measures of several studies share: their list, and common forms of evidence."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from inspect import isfunction
from typing import Any, SupportsFloat

import numpy as np
import pandas as pd
from scipy import stats

from lib.ledger.authors import AUTHORS, THEIRS
from lib.ledger.rules import Evidence
from lib.rng import stream
from lib.runner.registry import NoResults
from lib.stats.p_values import p_positive
from lib.stats.summary import mean_interval, widening

DRAWS = 1000  # of the runs, with replacement
STEPS = 40  # between the quantiles of a resampled share that are stored
ONLY_REPLICA = Evidence(math.nan, data="replica", detail="only the replica is here")


def measures_of(
    module: str, grid: str | None = None, **starts: str
) -> dict[str, Callable[..., Evidence]]:
    """The measures of a study's module, by name: its public functions that return evidence.

    Where results are not stored yet, each gives evidence without a value. ``grid`` is the grid
    that they read where they are asked of no other, or what ``starts`` has for the first word of
    their name. A measure that an argument asks of the
    authors' results (:data:`~lib.ledger.authors.AUTHORS`) gives evidence that says so as its data.
    """
    found = {}
    for name, function in vars(sys.modules[module]).items():
        own = isfunction(function) and function.__module__ == module and not name.startswith("_")
        if own and function.__annotations__.get("return") == "Evidence":
            found[name] = _measure(function, starts.get(name.partition("_")[0], grid))
    return found


def _measure(function: Callable[..., Evidence], grid: str | None) -> Callable[..., Evidence]:
    @wraps(function)
    def measured(*args, **arguments) -> Evidence:
        theirs = any(str(value).startswith(AUTHORS) for value in arguments.values())
        try:
            found = function(*args, **arguments)
        except NoResults as error:
            words = f"not stored: {error}" if theirs else "no stored results"
            found = Evidence(math.nan, detail=words)
        if theirs and math.isnan(found.value):
            words = found.detail if found.detail.startswith("not stored") else "not stored"
            return Evidence(math.nan, data=THEIRS, detail=words)
        return replace(found, data=THEIRS) if theirs else found

    measured.grid = grid  # type: ignore[attr-defined]
    return measured


def fact(value: SupportsFloat, words: str = "", **more) -> Evidence:
    """A number, or whether something holds (1) or not (0), as evidence, and what it rests on."""
    return Evidence(float(value), detail=words, **more)


def mean_of_runs(runs: pd.Series, ratio: float, *, floor: float = -math.inf, **more) -> Evidence:
    """Mean over runs with its t interval, and the one-sided p-value of being above zero.

    The runs are random splits of one real table, with ``ratio`` test rows per training row. Since
    they overlap, there is a second reading (:func:`lib.stats.summary.widening`). ``floor`` is that
    of :func:`~lib.stats.summary.mean_interval`, ``more`` further fields of the evidence.
    """
    x = runs.dropna().to_numpy(dtype=float)
    found = Evidence(*mean_interval(x, floor=floor), x.size, "real data", **more)
    if x.size < 2:
        return found
    wide = mean_interval(x, floor=floor, ratio=ratio)[1:]
    return replace(
        found,
        p=p_positive(x),
        p_opposite=p_positive(-x),
        overlap=(*wide, p_positive(x, widening(x.size, ratio))),
    )


def resamples(runs: int) -> np.ndarray:
    """Runs drawn again with replacement, shape (DRAWS, runs); the same for every measure."""
    return stream(1, "bootstrap over runs").integers(0, runs, (DRAWS, runs))


def share_of_draws(held: np.ndarray) -> dict[str, Any]:
    """Fields of the evidence for a share of cases whose uncertainty is that of the runs.

    The cases are those that a paper speaks of, all of them, and no sample; the runs are.

    Parameters
    ----------
    held : array of shape (cases, 1 + draws)
        Whether each case holds (1 or 0; NaN is left out): in the stored runs, then in runs that are
        drawn from them again. With one column there is no interval.

    Returns
    -------
    dict
        ``value``; ``low`` and ``high``, the middle 95% of the draws and the value itself;
        ``resampled``, quantiles of the draws; ``clear``: if all cases held, each as clearly as it
        now holds or fails, the share that would hold in new runs, and the probability that every
        case is clear by itself.

    Examples
    --------
    >>> found = share_of_draws(np.array([[1, 1, 1, 1], [1, 0, 1, 1.0]]))
    >>> found["value"], found["low"], found["high"]
    (1.0, 0.5, 1.0)
    """
    held = np.asarray(held, dtype=float)
    held = held[~np.isnan(held).all(axis=1)]
    value, draws = float(np.nanmean(held[:, 0])), held[:, 1:]
    if draws.shape[1] == 0:
        return {"value": value}
    shares = np.nanmean(draws, axis=0)
    low, high = np.quantile(shares, (0.025, 0.975), method="inverted_cdf").tolist()
    levels = np.linspace(0, 1, STEPS + 1)
    clearness = np.abs(stats.norm.ppf(np.nanmean(draws, axis=1)))  # infinite if all draws agree
    return {
        "value": value,
        "low": min(low, value),
        "high": max(high, value),
        "resampled": tuple(np.quantile(shares, levels, method="inverted_cdf").tolist()),
        "clear": (
            float(stats.norm.cdf(clearness / math.sqrt(2)).mean()),
            float(stats.norm.cdf(clearness - 1.96).prod()),
        ),
    }


def share_of_cases(
    runs: np.ndarray, holds: Callable[[np.ndarray], np.ndarray], *, ratio: float = 0.0, **more: Any
) -> Evidence:
    """Share of cases whose means over runs ``holds``, with its interval over runs that are drawn
    again, the same ones for every case.

    Parameters
    ----------
    runs : array of shape (cases, runs) or (cases, parts, runs)
        One number (or one for each part) a case and run; NaN where a run is missing.
    holds : callable
        Of means of shape (..., cases) or (..., cases, parts), whether each case holds, of shape
        (..., cases).
    ratio : float
        Test rows per training row, where the runs are overlapping splits of one table; above 0
        there is a second reading (:func:`lib.stats.summary.widening`).
    more
        Further fields of the evidence.
    """
    x, count = np.asarray(runs, dtype=float), np.shape(runs)[-1]
    more = {"runs": count, "data": "real data"} | more
    there = ~np.isnan(x)
    filled = np.where(there, x, 0.0)
    weights = np.stack([np.bincount(picks, minlength=count) for picks in resamples(count)])
    with np.errstate(invalid="ignore"):  # 0 / 0 where no run is there
        center = filled.sum(axis=-1) / there.sum(axis=-1)
        means = np.moveaxis((filled @ weights.T) / (there @ weights.T), -1, 0)
    if count < 2:
        return Evidence(**share_of_draws(np.asarray(holds(center), float)[:, None]), **more)

    def held(means: np.ndarray) -> np.ndarray:
        found = np.concatenate([holds(center[None]), holds(means)]).astype(float)
        known = ~np.isnan(np.concatenate([center[None], means])).reshape(*found.shape, -1).any(-1)
        return np.where(known, found, np.nan).T

    found = share_of_draws(held(means))
    if ratio:
        far = share_of_draws(held(center + widening(count, ratio) * (means - center)))
        more["overlap"] = (far["low"], far["high"], math.nan)
    return Evidence(**found, **more)
