"""Parquet tables of records, and the one field of a record that is a table itself.

A cell that measures many things (each group, each attacker) returns them under ``"scores"``: a list
of flat records with the same keys, such as ``{"group": "men", "error": 0.1}``. The list stays in
one column; :func:`tidy` gives it back as a table with one row for each score.

The Python of a page has no pyarrow, and puts packed arrays in the place of this module.
"""

from __future__ import annotations

import io
import os
from pathlib import Path

import pandas as pd
from pandas.api.types import infer_dtype

from lib.extras import needs
from lib.runner.records import RESERVED, SCORES


def write_table(frame: pd.DataFrame, path: Path) -> None:
    """Put ``frame``, without its index, into a Parquet file at once; one process does at a time."""
    with needs("run"):
        import pyarrow as pa
        import pyarrow.parquet as pq
    # scores as lists: of Arrow's own types pandas notes what it could not read again
    lists = frame.astype({name: object for name in frame if name == SCORES})
    table, buffer = pa.Table.from_pandas(lists, preserve_index=False), io.BytesIO()
    pq.write_table(table, buffer, compression="zstd", write_page_checksum=True)
    temporary = path.with_suffix(".tmp")  # a killed writer's is written over
    try:
        with open(temporary, "wb") as file:
            file.write(buffer.getvalue())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def read_table(path: Path) -> pd.DataFrame:
    """The table of a Parquet file; without pyarrow all but its scores.

    The bytes are read first: a writer may put another file under this name meanwhile.
    """
    source = io.BytesIO(path.read_bytes())
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        return _without_scores(source)
    # without threads: one that lets go of the bytes while the interpreter ends aborts the process
    file = pq.ParquetFile(source, page_checksum_verification=True, pre_buffer=False)
    table = file.read(use_threads=False)
    table.validate(full=True)  # text that is no text would only be found when it is used
    return table.to_pandas(  # lists stay Arrow's, which is ten times as fast
        use_threads=False, types_mapper=lambda t: pd.ArrowDtype(t) if pa.types.is_list(t) else None
    )


def _without_scores(source: io.BytesIO) -> pd.DataFrame:
    from fastparquet import ParquetFile

    file = ParquetFile(source)
    flat = [name for name in file.columns if name.partition(".")[0] != SCORES]
    frame = file.to_pandas(columns=flat)
    text = [c for c in frame.select_dtypes(object) if infer_dtype(frame[c]) == "string"]
    return frame.astype(dict.fromkeys(text, "str"))


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
    lists = pa.Table.from_pandas(records[[SCORES]])[SCORES].combine_chunks()
    scores = pa.Table.from_struct_array(lists.flatten()).to_pandas()
    own = records[[c for c in records if c == "cell" or c not in (*RESERVED, SCORES)]]
    rows = own.iloc[lists.value_parent_indices().to_numpy()].reset_index(drop=True)
    return pd.concat([rows, scores], axis=1)
