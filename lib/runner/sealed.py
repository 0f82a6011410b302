"""A table as the bytes of a parquet file that tells when one of its bits is not as it was written.

Parquet's page checksums leave out the footer, where names, types and places of
the columns stand. So the footer also holds the SHA-256 of the whole file, taken
with zeros where the digest itself goes. A reader that knows of none of this
reads the file as any other; files written before there were seals are read
with the checks that they allow.

Without pyarrow, which is a quarter of an environment, fastparquet reads all but the scores.
"""

from __future__ import annotations

import hashlib
import io

import pandas as pd
from pandas.api.types import infer_dtype

from lib.extras import needs
from lib.runner.records import SCORES

MARK = b"companion results, sha256 of this file with zeros here: "
BLANK = b"0" * 64


def to_bytes(frame: pd.DataFrame) -> bytes:
    """The parquet file of ``frame`` without its index, sealed."""
    with needs("run"):
        import pyarrow as pa
        import pyarrow.parquet as pq
    flat, buffer = frame.drop(columns=SCORES, errors="ignore"), io.BytesIO()
    table = pa.Table.from_pandas(flat, preserve_index=False)
    if SCORES in frame:  # beside what pandas notes of its types: it could not read its own note
        table = table.append_column(SCORES, pa.array(frame[SCORES]))
    with pq.ParquetWriter(
        buffer, table.schema, compression="zstd", write_page_checksum=True
    ) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"seal": (MARK + BLANK).decode()})
    return _seal(buffer.getvalue())


def from_bytes(raw: bytes) -> pd.DataFrame:
    """The table of a parquet file, sealed or of before.

    Raises
    ------
    ValueError
        If the file is not as it was sealed. Of a file without a seal pyarrow
        raises what it will, of other kinds too.
    """
    if is_sealed(raw) and raw != _seal(raw):  # before pyarrow sees a byte of it
        raise ValueError("its SHA-256 is not the one in its seal")
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ModuleNotFoundError:
        return _without_scores(raw)
    # without threads: one that lets go of `raw` while the interpreter ends aborts the process
    source = io.BytesIO(raw)
    file = pq.ParquetFile(source, page_checksum_verification=True, pre_buffer=False)
    table = file.read(use_threads=False)
    table.validate(full=True)  # text that is no text would only be found when it is used
    return table.to_pandas(
        use_threads=False, types_mapper=lambda t: pd.ArrowDtype(t) if pa.types.is_list(t) else None
    )


def _without_scores(raw: bytes) -> pd.DataFrame:
    from fastparquet import ParquetFile

    file = ParquetFile(io.BytesIO(raw))
    flat = [name for name in file.columns if name.partition(".")[0] != SCORES]
    frame = file.to_pandas(columns=flat)
    text = [c for c in frame.select_dtypes(object) if infer_dtype(frame[c]) == "string"]
    return frame.astype(dict.fromkeys(text, "str"))


def is_sealed(raw: bytes) -> bool:
    """Whether the file has a seal, right or wrong."""
    return MARK in raw


def _seal(raw: bytes) -> bytes:
    """The file with the digest that its seal should have."""
    start = raw.rfind(MARK) + len(MARK)
    head, tail = raw[:start], raw[start + len(BLANK) :]
    return head + hashlib.sha256(head + BLANK + tail).hexdigest().encode() + tail
