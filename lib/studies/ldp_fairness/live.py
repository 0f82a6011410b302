"""A slice of a stored grid computed again, to show in a chapter that it comes out the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from lib.runner.cell import cell_key
from lib.studies.ldp_fairness.cells import Cell, run_cell


def _same(now: float, then: float) -> bool:
    """To the last bit; what is not defined, such as a rate of an empty group, is so both times."""
    return bool(now == then or (now != now and then != then))


def recompute(cells: Iterable[Cell], stored: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """Run ``cells`` now and put their metrics beside the stored ones.

    Returns
    -------
    DataFrame
        One row a cell: its parameters, ``<metric>`` as computed now, and
        ``stored``: ``"equal"`` if every metric equals the record to the last
        bit (NaN equals NaN), ``"differs"``, or ``"not stored"``.
    """
    known = stored.set_index("cell") if len(stored) else stored
    rows = []
    for cell in cells:
        now = run_cell(cell)
        key = cell_key(cell)
        if key not in known.index:
            verdict = "not stored"
        else:
            verdict = (
                "equal" if all(_same(now[m], known.loc[key, m]) for m in metrics) else "differs"
            )
        fields = {
            name: getattr(cell, name) for name in ("dataset", "protocol", "split", "epsilon", "run")
        }
        rows.append(fields | {m: now[m] for m in metrics} | {"stored": verdict})
    return pd.DataFrame(rows)
