"""What a released object holds, as bytes, so that two of them can be compared to the last bit.

Everything that somebody who has the object can read counts: types, dtypes, shapes, the order of
keys, attributes that are no fields, what a function closes over. What cannot be pickled equals
nothing, not even itself.
"""

from __future__ import annotations

import io
import marshal
import pickle
import types
from typing import Any

import numpy as np
import pandas as pd


class _Contents(pickle.Pickler):
    """Writes what Python's own pickles leave out, or refuse. Its bytes are compared, not read."""

    def reducer_override(self, value: Any) -> Any:
        own = getattr(value, "__dict__", None)
        if isinstance(value, np.ndarray):
            held = value.tolist() if value.dtype.hasobject else value.tobytes()
            return tuple, (type(value), value.dtype.str, value.shape, held, own)
        if isinstance(value, types.FunctionType):
            cells = [cell.cell_contents for cell in value.__closure__ or ()]
            held = [marshal.dumps(value.__code__), cells, value.__defaults__, value.__kwdefaults__]
            return tuple, (value.__module__, value.__qualname__, held, own)
        if isinstance(value, type | types.ModuleType) and value is not str:
            return str, (repr(value),)  # of a class inside of a function, too
        plain = type(value).__getstate__ is object.__getstate__
        if plain or isinstance(value, type | pd.DataFrame | pd.Series):
            return NotImplemented
        return tuple, (type(value), object.__getstate__(value))  # a state that leaves nothing out


def _bytes(value: object) -> bytes | None:
    # Fast: equal parts are written out each time, whether they are one object or two. An object
    # that holds itself has no end so.
    for fast in (True, False):
        written = io.BytesIO()
        pickler = _Contents(written, protocol=5)
        pickler.fast = fast
        try:
            pickler.dump(value)
        except Exception:  # whatever an object's own methods raise
            continue
        return written.getvalue()
    return None


def contents(value: object) -> dict[str, bytes | None]:
    """The bytes of each attribute of a released object, and of the whole; None for what cannot be
    pickled.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> [*contents(SimpleNamespace(count=3.0))]
    ['released.count', 'released']
    """
    inside = {} if isinstance(value, type) else getattr(value, "__dict__", {})
    parts = {f"released.{name}": _bytes(part) for name, part in inside.items()}
    return parts | {"released": _bytes(value)}


def first_difference(one: dict[str, bytes | None], other: dict[str, bytes | None]) -> str:
    """The first place where two :func:`contents` differ; empty if they do not.

    Examples
    --------
    >>> first_difference(contents([0.0]), contents([-0.0]))
    'released'
    >>> first_difference(contents([1, 2]), contents([1, 2]))
    ''
    """
    for place in sorted(one | other, key=lambda place: place == "released"):  # the whole last
        if one.get(place) != other.get(place):
            return place
    return "" if one["released"] is not None else "released, which cannot be compared"
