"""Scores: the one field of a record that is a table, as a column of lists and as tidy rows.

A cell that measures many things (each group, each attacker) returns them under ``"scores"``: a list
of flat records with the same keys, such as ``{"group": "men", "error": 0.1}``. The store keeps the
list in one column; :func:`tidy` gives it back as a table with one row for each score.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

from lib.extras import needs
from lib.runner.records import RESERVED, SCORES


def as_lists(column: Iterable[object]) -> pd.Series:
    """The lists of a column ``scores`` in Arrow's memory; without scores, an empty list.

    The values have the types that they would have as columns of their own.
    """
    with needs("run"):
        import pyarrow as pa
    lists = [rows if isinstance(rows, list) else [] for rows in column]
    flat = pd.DataFrame([row for rows in lists for row in rows])
    rows = pa.Table.from_pandas(flat, preserve_index=False).to_struct_array().combine_chunks()
    ends = np.cumsum([0, *map(len, lists)], dtype=np.int32)
    array = pa.ListArray.from_arrays(ends, rows)
    return pd.Series(pd.array(array, dtype=pd.ArrowDtype(array.type)))


def tidy(records: pd.DataFrame) -> pd.DataFrame:
    """One row for each score: the fields of its record but for where it was made, then its own.

    Parameters
    ----------
    records : DataFrame
        With a column ``scores``: from a :class:`~lib.runner.store.Store`, or of what cells return.

    Examples
    --------
    >>> scores = [{"group": "men", "error": 0.1}, {"group": "women", "error": 0.2}]
    >>> tidy(pd.DataFrame({"run": [0], "scores": [scores]})).to_dict("records")
    [{'run': 0, 'group': 'men', 'error': 0.1}, {'run': 0, 'group': 'women', 'error': 0.2}]
    """
    with needs("run"):
        import pyarrow as pa
    column = records[SCORES]
    if not isinstance(column.dtype, pd.ArrowDtype):
        column = as_lists(column)
    lists = pa.chunked_array(pa.array(column)).combine_chunks()
    scores = pa.Table.from_struct_array(lists.flatten()).to_pandas()
    own = records[[c for c in records if c == "cell" or c not in (*RESERVED, SCORES)]]
    rows = own.iloc[lists.value_parent_indices().to_numpy()].reset_index(drop=True)
    return pd.concat([rows, scores], axis=1)
