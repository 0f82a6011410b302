"""Tables as compressed NumPy arrays, for the Python of a page, which cannot read parquet files."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd

TEXT = " as text"


def pack_table(frame: pd.DataFrame) -> bytes:
    """A table as compressed NumPy arrays, which need no library for parquet files.

    Columns of numbers and Booleans stay as they are; a column of text becomes codes and its texts.
    """
    arrays = {}
    for name, values in frame.items():
        if values.dtype.kind in "biuf":
            arrays[name] = values
        else:
            arrays[name], found = pd.factorize(values)
            arrays[name + TEXT] = np.asarray(found, str)
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    return packed.getvalue()


def unpack_table(packed: bytes) -> pd.DataFrame:
    """The table that :func:`pack_table` packed; text that was missing is NaN."""
    with np.load(io.BytesIO(packed)) as arrays:
        columns = {name: arrays[name] for name in arrays}
    for name in [name for name in columns if name.endswith(TEXT)]:
        texts = np.array([*columns.pop(name).tolist(), np.nan], object)
        columns[name.removesuffix(TEXT)] = texts[columns[name.removesuffix(TEXT)]]
    return pd.DataFrame(columns)
