"""The same data in other forms, and answers in one form: for ``test_one_answer.py``."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

DTYPES = "bool int8 int64 uint64 float16 float32 float64 longdouble >i2 >f8 U4".split()
OF_PANDAS = "object boolean Int8 Float64 int64[pyarrow] category string".split()
TEXT = {"U4", "string", "category"}  # equal to no number by themselves
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "bool": bool, "float": float, "fraction": lambda x: Fraction(float(x)),
    "decimal": lambda x: Decimal(float(x)), "int8": np.int8, "uint64": np.uint64,
    "float32": np.float32, "longdouble": np.longdouble, "array of no dimension": np.array,
    "array of one entry": lambda x: np.array([x]),
}  # fmt: skip
# Other shapes: an answer may have that shape, too.
SHAPES = {"matrix", "column", "row", "frame", "array of one entry"}
# No reason to refuse an array.
LAYOUTS = {"Fortran", "strided", "negative stride", "read-only", "list of entries", "unmasked"}


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(np.array_equal(a, b))
    except (TypeError, ValueError):
        return False


def _frozen(values: np.ndarray) -> np.ndarray:
    frozen = values.copy()
    frozen.flags.writeable = False
    return frozen


def _matrix(values: np.ndarray) -> np.matrix:
    with warnings.catch_warnings():  # that nobody should use one any more
        warnings.simplefilter("ignore")
        return np.asmatrix(values)


def _objects(values: np.ndarray, make: Callable[[Any], Any]) -> np.ndarray:
    found = np.empty(values.shape, dtype=object)
    for place, x in np.ndenumerate(values):
        found[place] = make(x)
    return found


def _of_arrays(values: np.ndarray) -> Iterator[tuple[str, Any]]:
    with np.errstate(all="ignore"):
        for dtype in DTYPES:
            cast = values.astype(dtype)
            if dtype == "U4" or _equal(cast, values):
                yield dtype, cast
    if values.ndim > 1:
        yield "Fortran", np.asfortranarray(values)
    yield "strided", np.repeat(values, 2, axis=0)[::2]
    yield "negative stride", np.ascontiguousarray(values[::-1])[::-1]
    yield "read-only", _frozen(values)
    yield "list", values.tolist()
    yield "tuple", tuple(values.tolist())
    yield "list of entries", list(values)
    yield "unmasked", np.ma.array(values)
    yield "matrix", _matrix(values)
    yield "column", values[:, None]
    yield "row", values[None]
    yield "objects", values.astype(object)
    yield "fractions", _objects(values, lambda x: Fraction(float(x)) if math.isfinite(x) else x)
    yield "decimals", _objects(values, lambda x: Decimal(float(x)))
    yield "frame", pd.DataFrame(values)
    if values.ndim == 1:
        yield from _of_series(pd.Series(values))
        yield "index", pd.Index(values)


def _of_columns(
    values: pd.Series, dtypes: Sequence[str] = (*DTYPES, *OF_PANDAS)
) -> Iterator[tuple[str, pd.Series]]:
    """A column in other dtypes, with its index."""
    numbers = values.dtype.kind in "biuf"
    for dtype in dtypes:
        try:
            cast = values.astype(dtype)
        except (TypeError, ValueError, ArithmeticError):
            continue
        if ((numbers or dtype in OF_PANDAS) and dtype in TEXT) or _equal(
            cast.to_numpy(dtype=object), values.to_numpy(dtype=object)
        ):
            yield dtype, cast
    codes = [*pd.unique(values)[::-1], 77 if numbers else "unused"]
    yield "category, odd order", values.astype(pd.CategoricalDtype(codes, ordered=True))


def _indices(n: int) -> dict[str, Any]:
    """Labels of rows other than the default."""
    back = np.arange(n)[::-1]
    return {
        "reversed": back,
        "duplicate": np.zeros(n, dtype=int),
        "two levels": pd.MultiIndex.from_arrays([np.arange(n) % 2, back]),
    }


def _of_series(values: pd.Series) -> Iterator[tuple[str, pd.Series]]:
    for label, cast in _of_columns(values, OF_PANDAS):
        yield f"series of {label}", cast
    for label, index in _indices(len(values)).items():
        yield f"series, {label} index", values.set_axis(index)


def _of_tables(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for label, index in _indices(len(frame)).items():
        yield f"{label} index", frame.set_axis(index)
    columns = {c: dict(_of_columns(frame[c])) for c in frame}
    for label in dict.fromkeys(label for casts in columns.values() for label in casts):
        yield label, pd.DataFrame({c: columns[c].get(label, frame[c]) for c in frame})
    yield "every other row", pd.concat([frame, frame]).sort_index(kind="stable").iloc[::2]
    yield "names as categories", frame.set_axis(pd.CategoricalIndex(frame.columns), axis=1)


def _of_numbers(value: Any) -> Iterator[tuple[str, Any]]:
    for label, make in NUMBERS.items():
        try:
            with np.errstate(all="ignore"):
                other = make(value)
                same = float(np.ravel(other)[0]) == float(value)
        except (OverflowError, ValueError):
            continue
        if same:  # in all digits: NumPy itself rounds 0.2 to 32 bits before it compares
            yield label, other


def forms(value: Any) -> Iterator[tuple[str, Any]]:
    """The same data in every other form, each with its name; nothing for what is no data."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf" and value.ndim:
        yield from _of_arrays(value)
    elif isinstance(value, pd.Series):
        yield from _of_series(value)
        yield "array", value.to_numpy()
        yield "list", value.tolist()
    elif isinstance(value, pd.DataFrame):
        yield from _of_tables(value)
    elif isinstance(value, list | tuple) and value and all(map(_is_number, value)):
        yield from _of_arrays(np.array(value))
    elif isinstance(value, Mapping) and value:
        made = {key: dict(forms(entry)) for key, entry in value.items()}
        for label in dict.fromkeys(label for entry in made.values() for label in entry):
            yield label, {key: made[key].get(label, value[key]) for key in value}
    elif isinstance(value, list | tuple) and value and not isinstance(value[0], str):
        every = [dict(forms(entry)) for entry in value]
        for label in dict.fromkeys(label for entry in every for label in entry):
            pairs = zip(every, value, strict=True)
            yield label, type(value)([made.get(label, entry) for made, entry in pairs])
    elif _is_number(value):
        yield from _of_numbers(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, Real | np.bool_) and not isinstance(value, bool)


def plain(answer: Any) -> Any:
    """An answer in lists of Python's numbers and text, to be compared to the last bit.

    Labels of rows are left out: an answer may have those of the data.
    """
    if isinstance(answer, pd.DataFrame):
        return [*answer.columns, *(plain(answer[c]) for c in answer)]
    if sparse.issparse(answer):
        return plain(answer.toarray())
    if isinstance(answer, pd.Series | pd.Index | np.ndarray):
        return plain(answer.tolist())
    if isinstance(answer, bool | np.bool_):
        return bool(answer)
    if isinstance(answer, Real):
        number = int(answer) if isinstance(answer, Integral) else float(answer)
        return "nan" if number != number else number
    if isinstance(answer, Mapping):
        return {key: plain(entry) for key, entry in answer.items()}
    if isinstance(answer, tuple | list):
        return [*map(plain, answer)]
    if is_dataclass(answer) and not isinstance(answer, type):
        return {f.name: plain(getattr(answer, f.name)) for f in fields(answer)}
    if isinstance(answer, str | None):
        return answer
    if hasattr(answer, "__array__"):  # of jax
        return plain(np.asarray(answer))
    if hasattr(answer, "__dict__") and not callable(answer):
        return {name: plain(entry) for name, entry in vars(answer).items()}
    return type(answer).__name__


def flat(answer: Any) -> list:
    """The entries of a :func:`plain` answer, without its shape."""
    if isinstance(answer, list):
        return [entry for part in answer for entry in flat(part)]
    return [answer]
