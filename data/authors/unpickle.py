"""Tables out of pickles that somebody else made, with a stated list of constructors and no other.

A pickle is a program: it may call whatever it names. :func:`read_pickle` hands it to a process of
its own, which resolves the names of :data:`ALLOWED` and refuses every other one, has limits of
memory and time, and ends at the first attempt to reach the network, a process or a file. What
comes back is text: columns and plain values.
"""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
from importlib import import_module
from typing import Any

import pandas as pd

SECONDS, BYTES = 60, 4 * 2**30
# what a pickled table of pandas 1 and 2 consists of: module, name, and where it is today
ALLOWED = {
    ("builtins", "slice"): "builtins:slice",
    ("numpy", "dtype"): "numpy:dtype",
    ("numpy", "ndarray"): "numpy:ndarray",
    ("numpy.core.multiarray", "_reconstruct"): "numpy._core.multiarray:_reconstruct",
    ("numpy.core.multiarray", "scalar"): "numpy._core.multiarray:scalar",
    ("numpy.core.numeric", "_frombuffer"): "numpy._core.numeric:_frombuffer",
    ("pandas._libs.internals", "_unpickle_block"): "pandas._libs.internals:_unpickle_block",
    ("pandas.core.frame", "DataFrame"): "pandas:DataFrame",
    ("pandas.core.indexes.base", "Index"): "pandas:Index",
    ("pandas.core.indexes.base", "_new_Index"): "pandas.core.indexes.base:_new_Index",
    ("pandas.core.indexes.numeric", "Int64Index"): "pandas:Index",
    ("pandas.core.indexes.range", "RangeIndex"): "pandas:RangeIndex",
    ("pandas.core.internals.managers", "BlockManager"): (
        "pandas.core.internals.managers:BlockManager"
    ),
}
_REFUSED = ("socket.", "subprocess.", "os.", "shutil.", "ctypes.", "import", "open", "exec")


def read_pickle(name: str, content: bytes) -> pd.DataFrame:
    """The table in a pickle file: numbers, texts, and lists of numbers in place of arrays.

    Parameters
    ----------
    name : str
        Of the file, for the message.
    content : bytes

    Raises
    ------
    ValueError
        If the pickle asks for what is not in :data:`ALLOWED`, holds no table, or takes more than
        :data:`SECONDS` or :data:`BYTES`. Nothing of it has been called then but what is allowed.
    """
    command = [sys.executable, "-I", "-W", "ignore", __file__]
    done = subprocess.run(command, input=content, capture_output=True, timeout=2 * SECONDS)
    if done.returncode:
        said = (done.stderr.decode().strip().splitlines() or ["no message"])[-1][:300]
        raise ValueError(f"file must be a pickled table and nothing else, got {name} ({said})")
    found = json.loads(done.stdout)
    return pd.DataFrame(found["rows"], columns=found["columns"])


class _Tables(pickle.Unpickler):
    """An unpickler to which no name has a meaning but the allowed ones."""

    def __init__(self, file: io.BytesIO, known: dict[tuple[str, str], Any]) -> None:
        super().__init__(file)
        self._known = known

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self._known:
            raise pickle.UnpicklingError(f"{module}.{name} is not allowed")
        return self._known[module, name]


def _limit() -> None:
    """Limits of memory and time, where the system has them."""
    try:
        import resource
    except ImportError:  # Windows has none; the parent's time limit stays
        return
    resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def _refuse(event: str, arguments: tuple) -> None:
    """An audit hook: whatever leaves this process ends it."""
    if event.startswith(_REFUSED):
        raise RuntimeError(f"{event} is not allowed")


def _plain(value: Any) -> Any:
    """A value as JSON has it."""
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value if value is None or isinstance(value, int | float | str) else repr(value)


def _main() -> None:
    places = {name: place.partition(":") for name, place in ALLOWED.items()}
    known = {name: getattr(import_module(at), own) for name, (at, _, own) in places.items()}
    data = io.BytesIO(sys.stdin.buffer.read())
    _limit()
    sys.addaudithook(_refuse)
    frame = _Tables(data, known).load()
    if type(frame) is not pd.DataFrame:
        raise ValueError(f"a {type(frame).__name__}")
    rows = [_plain(list(row)) for row in zip(*(frame[c].to_numpy() for c in frame), strict=True)]
    json.dump({"columns": list(map(str, frame.columns)), "rows": rows}, sys.stdout)


if __name__ == "__main__":
    _main()
