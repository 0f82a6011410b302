"""Tables as compressed NumPy arrays, for the Python of a page, which cannot read parquet files.

Nothing of weight is imported here before it is needed.
"""

from __future__ import annotations

import io
import json
from typing import Any


def pack_table(frame: Any) -> bytes:
    """A table as compressed NumPy arrays, which need no library for parquet files.

    Columns of numbers and Booleans stay as they are; others become codes and a list in JSON.
    """
    import numpy as np
    import pandas as pd

    arrays = {}
    for number, (_, values) in enumerate(frame.items()):
        if values.dtype.kind in "biuf":
            arrays[f"{number}"] = values.to_numpy()
        else:
            codes, found = pd.factorize(values)
            arrays |= {f"{number}": codes.astype(np.int32), f"{number} text": _text(list(found))}
    packed = io.BytesIO()
    np.savez_compressed(packed, names=_text(list(frame)), **arrays)
    return packed.getvalue()


def _text(content: list) -> Any:
    import numpy as np

    return np.frombuffer(json.dumps(content).encode(), np.uint8)


def unpack_table(packed: bytes) -> Any:
    """The table that :func:`pack_table` packed; text that was missing is NaN."""
    import numpy as np
    import pandas as pd

    columns = {}
    with np.load(io.BytesIO(packed)) as arrays:
        for number, name in enumerate(json.loads(arrays["names"].tobytes())):
            values = arrays[f"{number}"]
            if f"{number} text" in arrays:
                found = [*json.loads(arrays[f"{number} text"].tobytes()), np.nan]
                values = np.array(found, dtype=object)[values]
            columns[name] = values
    return pd.DataFrame(columns)
