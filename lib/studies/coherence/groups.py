"""Records of a split group by group: from rows to one flat record, and back to rows."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

__all__ = ["flat_record", "rows_per_group"]


def flat_record(rows: pd.DataFrame, statistics: Sequence[str]) -> dict[str, float]:
    """``n|<group>`` and ``<statistic>|<group>`` of every row.

    Examples
    --------
    >>> flat_record(pd.DataFrame({"group": ["men"], "n": [5], "distance": [0.5]}), ["distance"])
    {'n|men': 5.0, 'distance|men': 0.5}
    """
    return {
        f"{s}|{row.group}": float(getattr(row, s))
        for row in rows.itertuples()
        for s in ("n", *statistics)
    }


def rows_per_group(
    records: pd.DataFrame, fields: Sequence[str], statistics: Sequence[str], groups: Sequence[str]
) -> pd.DataFrame:
    """One row per record and group: ``fields`` (``n`` as ``sample``), ``group``, ``n``, statistics.

    Examples
    --------
    >>> records = pd.DataFrame({"n": [0], "n|men": [5.0], "distance|men": [0.5]})
    >>> rows_per_group(records, ["n"], ["distance"], ["men"]).to_dict("records")
    [{'sample': 0, 'group': 'men', 'n': 5.0, 'distance': 0.5}]
    """
    cells = records[list(fields)].rename(columns={"n": "sample"})
    parts = [
        cells.assign(group=g, **{s: records[f"{s}|{g}"] for s in ("n", *statistics)})
        for g in groups
    ]
    return pd.concat(parts, ignore_index=True)
