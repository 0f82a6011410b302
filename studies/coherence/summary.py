"""Stored distances in summary, and what the bounds promise beside them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from lib.coherence.guarantee import MODES, Setting, holds
from lib.coherence.solver import solve
from lib.runner import scores
from lib.stats.summary import summarise


def mean_distances(grid: str, by: Sequence[str], **setting: Any) -> pd.DataFrame:
    """Mean W1 over splits with its 95% interval: ``*by, mean, low, high, runs, null, q95``.

    Parameters
    ----------
    grid : str
        Name of a grid of this study, such as ``"coherence_section5"``.
    by : sequence of str
        What tells the rows of the result apart.
    **setting
        Value, or list of values, of further columns: ``learner="forest"``.

    ``null`` is what sampling alone makes, ``q95`` the distance that one split in twenty exceeds.
    """
    rows = scores(grid)
    for column, value in setting.items():
        rows = rows[rows[column].isin(np.atleast_1d(value))]
    groups = rows.groupby([*by], sort=False)
    found = summarise(rows, by, "distance", sort=False, floor=0.0).set_index([*by])
    found = found.assign(null=groups["null"].mean(), q95=groups["distance"].quantile(0.95))
    return found.reset_index()


def promised(
    unknown: str, known: str, values: Iterable[float], modes: Sequence[str] = MODES, **setting
) -> pd.DataFrame:
    """What each bound gives for ``unknown`` at each value of ``known``: ``mode, known, unknown``.

    NaN where a bound gives nothing.

    Parameters
    ----------
    unknown, known : str
        Parameters of a :class:`~lib.coherence.guarantee.Setting`; ``setting`` has the others.

    Examples
    --------
    >>> asked = {"beta": 0.05, "collection": 100, "n": 5_000_000, "fraction": 0.05}
    >>> promised("epsilon", "alpha", [0.2], ["theorem7"], **asked)["epsilon"].round(3).tolist()
    [0.014]
    """
    rows: list[dict[str, Any]] = []
    for mode, value in product(modes, map(float, values)):
        asked = setting | {known: value, "mode": mode}
        rows.append({"mode": mode, known: value, unknown: solve(Setting(**asked)).value})
    return pd.DataFrame(rows).astype({unknown: float})


# alpha to the epsilon printed beside it; beta = e^-30, |C| = 100, gamma = .05 n, n = 5 million
# throughout
_TABLE1 = {
    0.1: 0.003,
    0.2: 0.01,
    0.3: 0.02,
    0.4: 0.025,
    0.8: 0.056,
    0.9: 0.065,
    1.3: 0.09,
    1.4: 0.1,
}


def table1(mode: str = "theorem7") -> list[dict[str, Any]]:
    """Table 1 row by row: the printed epsilon, whether the theorem accepts it, and the largest.

    ``slack`` is by how much the largest exceeds the printed one.

    Examples
    --------
    >>> row = table1()[1]
    >>> row["alpha"], row["printed"], row["holds"], round(row["largest"], 4)
    (0.2, 0.01, True, 0.0121)
    """
    known: dict[str, Any] = {"beta": math.exp(-30), "collection": 100, "n": 5e6, "fraction": 0.05}
    rows: list[dict[str, Any]] = []
    for alpha, printed in _TABLE1.items():
        s = Setting(alpha=alpha, mode=mode, **known)
        largest = solve(s).value
        rows.append(
            {
                "alpha": alpha,
                "printed": printed,
                "holds": holds(s, epsilon=printed),
                "largest": largest,
                "slack": largest / printed - 1 if largest else math.nan,
            }
        )
    return rows
