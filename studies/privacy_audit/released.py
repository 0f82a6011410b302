"""What a released object holds, part by part, so that two of them can be compared to the last bit.

Everything that somebody who has the object can read counts: types, dtypes, shapes and bytes, the
order of keys, attributes that are no fields, what a function closes over. What can be neither
opened nor pickled equals nothing, not even itself.
"""

from __future__ import annotations

import marshal
import pickle
import types
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
import pandas as pd

_PLAIN = (type(None), bool, int, float, complex, str, bytes)


class Part(NamedTuple):
    """One place of a released object.

    ``kind`` names the type, ``what`` is the content of the place itself, without what lies inside,
    and ``counted`` says what it is if it is the keys or the number of what lies inside.
    """

    where: str
    kind: str
    what: object
    counted: str = ""


def parts(value: object, where: str = "released", above: tuple[int, ...] = ()) -> Iterator[Part]:
    """Every part of ``value`` with its path, from the outside inwards.

    Examples
    --------
    >>> [part.where for part in parts({"a": [1, 2.0]})]
    ['released', "released['a']", "released['a'][0]", "released['a'][1]"]
    """
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if id(value) in above:
        yield Part(where, kind, above[::-1].index(id(value)))
        return
    inside = _inside(value)
    yield Part(where, kind, *_own(value, inside))
    for name, part in inside.items():
        yield from parts(part, where + name, (*above, id(value)))


def first_difference(one: Iterable[Part], other: Iterable[Part]) -> str:
    """Where two streams of :func:`parts` part, as a path; empty if they do not.

    Examples
    --------
    >>> first_difference(parts({"a": [1, 2]}), parts({"a": [1, 3]}))
    "released['a'][1]"
    >>> first_difference(parts(0.0), parts(-0.0)), first_difference(parts(1), parts(1))
    ('released', '')
    """
    for here, there in zip_longest(one, other):
        if here is None or there is None or here != there:
            place = here or there
            same = here and there and here.kind == there.kind and place.counted
            return f"{place.where} ({place.counted})" if same else place.where
    return ""


def _own(value: object, inside: dict[str, object]) -> tuple[object, str]:
    if isinstance(value, np.ndarray | np.generic):
        content = b"" if value.dtype.hasobject else value.tobytes()
        return (value.dtype.str, value.shape, content), ""
    if isinstance(value, Mapping):
        return tuple(inside), "keys"
    if isinstance(value, list | tuple | AbstractSet):
        return tuple(inside), "number"
    if isinstance(value, types.FunctionType):
        return (value.__module__, value.__qualname__, marshal.dumps(value.__code__)), ""
    if isinstance(value, type | types.BuiltinFunctionType | types.ModuleType):
        return repr(value), ""
    if inside and not isinstance(value, _PLAIN):
        return tuple(inside), ""
    try:
        return pickle.dumps(value), ""
    except Exception:  # whatever an object's own methods raise
        return float("nan"), ""  # equals nothing


def _inside(value: object) -> dict[str, object]:
    """What lies inside of an object, by the end of its path."""
    if isinstance(value, type | types.ModuleType):
        return {}
    if isinstance(value, pd.DataFrame | pd.Series | pd.Index):
        return _of_pandas(value)
    found = {}
    if isinstance(value, Mapping):
        found = {f"[{key!r}]": part for key, part in value.items()}
    elif isinstance(value, list | tuple):
        found = {f"[{i}]": part for i, part in enumerate(value)}
    elif isinstance(value, AbstractSet):
        found = {f"{{{i}}}": part for i, part in enumerate(sorted(value, key=repr))}
    elif isinstance(value, np.ndarray) and value.dtype.hasobject:
        found = {f"[{i}]": part for i, part in enumerate(value.ravel().tolist())}
    elif isinstance(value, types.FunctionType):
        cells = (cell.cell_contents for cell in value.__closure__ or ())
        held = [*cells, value.__defaults__, value.__kwdefaults__]
        found = {f"<{i}>": part for i, part in enumerate(held)}
    names = [*getattr(value, "__dict__", ())]
    for base in type(value).__mro__:
        slots = vars(base).get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    names = [n for n in names if n not in ("__dict__", "__weakref__")]
    return found | {f".{n}": getattr(value, n) for n in names if hasattr(value, n)}


def _of_pandas(value: pd.DataFrame | pd.Series | pd.Index) -> dict[str, object]:
    if isinstance(value, pd.Index):
        return {".name": value.names, ".dtype": str(value.dtype), "[:]": value.to_numpy()}
    frame = value.to_frame() if isinstance(value, pd.Series) else value
    columns = {f"[:, {i}]": frame.iloc[:, i].to_numpy() for i in range(frame.shape[1])}
    about = {".index": value.index, ".columns": frame.columns, ".attrs": value.attrs}
    return about | {".dtypes": [str(dtype) for dtype in frame.dtypes]} | columns
