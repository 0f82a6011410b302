"""What the measures of several studies share: their list, and common forms of evidence."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from inspect import isfunction
from typing import SupportsFloat

import pandas as pd

from lib.ledger.authors import AUTHORS, THEIRS
from lib.ledger.rules import Evidence
from lib.runner.registry import NoResults
from lib.stats.p_values import p_positive
from lib.stats.summary import mean_interval, widening

NOT_STORED = "no stored results"
ONLY_REPLICA = Evidence(math.nan, data="replica", detail="only the replica is here")


def measures_of(module: str, grid: str | None = None) -> dict[str, Callable[..., Evidence]]:
    """The measures of a study's module, by name: its public functions that return evidence.

    Where results are not stored yet, each gives evidence without a value. ``grid`` is the grid
    that they read where they are asked of no other. A measure that an argument asks of the
    authors' results (:data:`~lib.ledger.authors.AUTHORS`) gives evidence that says so as its data.
    """
    found = {}
    for name, function in vars(sys.modules[module]).items():
        own = isfunction(function) and function.__module__ == module and not name.startswith("_")
        if own and function.__annotations__.get("return") == "Evidence":
            found[name] = _measure(function, grid)
    return found


def _measure(function: Callable[..., Evidence], grid: str | None) -> Callable[..., Evidence]:
    @wraps(function)
    def measured(*args, **arguments) -> Evidence:
        theirs = any(str(value).startswith(AUTHORS) for value in arguments.values())
        try:
            found = function(*args, **arguments)
        except NoResults as error:
            found = Evidence(math.nan, detail=f"not stored: {error}" if theirs else NOT_STORED)
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
    return replace(found, p=p_positive(x), overlap=(*wide, p_positive(x, widening(x.size, ratio))))
