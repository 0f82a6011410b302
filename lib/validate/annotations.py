"""An interpreter of annotations: what they say of an argument is checked when it arrives."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, wraps
from importlib import import_module
from inspect import Parameter, signature
from types import UnionType
from typing import Any, TypeVar, get_origin

import numpy as np

from lib.validate.checks import REAL, array, as_float, reals, refusal, sequence, whole

_T = TypeVar("_T", bound=Callable)
_Take = Callable[[Any], Any]  # a value in the form that it is worked with, or a _Misfit


class _Misfit(Exception):
    """A value does not fit its annotation."""


def check_types(target: _T) -> _T:
    """A function, or a class, that refuses arguments that do not fit its annotations.

    For what would otherwise fail somewhere inside, or be answered. What the annotations cannot say,
    a range or a shape, is checked inside. A number is no bool and not too large for a float; an
    array holds real numbers without a mask.

    What fits arrives in one form, so that the same data have one answer: a number is one of
    Python's (twice 100 in 8 bits is -56), an array is one of NumPy's in the machine's order of
    bytes, without the labels of a table, by which pandas would take entries.

    >>> @check_types
    ... def double(x: float | None = None) -> float:
    ...     return 2 * x
    >>> double(np.int8(100))
    200
    >>> double("2")
    Traceback (most recent call last):
    ...
    ValueError: x must be a number or None, got '2'
    """
    function = target.__init__ if isinstance(target, type) else target  # type: ignore[misc]
    parameters = list(signature(function).parameters.values())
    texts = {p.name: "Any" if p.annotation is p.empty else p.annotation for p in parameters}
    others = next((texts[p.name] for p in parameters if p.kind is Parameter.VAR_KEYWORD), "Any")

    def taken(name: str, value: Any) -> Any:
        words, take = _type(texts.get(name, others), target.__module__)
        try:
            return take(value)
        except _Misfit:
            raise refusal(name, words, value) from None

    checked = argument_wise(function, taken)
    if isinstance(target, type):
        target.__init__ = checked  # type: ignore[misc]
        return target
    return checked


def argument_wise(function: _T, take: Callable[[str, Any], Any]) -> _T:
    """``function`` of what ``take`` makes of the name and the value of each argument."""
    names = [*signature(function).parameters]

    @wraps(function)
    def checked(*args, **more):
        # what is beyond the parameters is left for the call to refuse
        given = [take(name, value) for name, value in zip(names, args, strict=False)]
        named = {name: take(name, value) for name, value in more.items()}
        return function(*given, *args[len(given) :], **named)

    return checked  # type: ignore[return-value]


@cache
def _type(text: str, module: str) -> tuple[str, _Take]:
    """An annotation in words, and what takes a value that fits it."""
    return _parsed(ast.parse(text, mode="eval").body, vars(import_module(module)))


def _parsed(node: ast.expr, known: Mapping[str, Any]) -> tuple[str, _Take]:
    match node:
        case ast.BinOp(left=a, right=b):
            (words, one), (more, other) = _parsed(a, known), _parsed(b, known)

            def either(value: Any) -> Any:
                try:
                    return one(value)
                except _Misfit:
                    return other(value)

            return f"{words} or {more}", either
        case ast.Subscript(value=ast.Name("Annotated"), slice=ast.Tuple([first, *_])):
            return _parsed(first, known)
        case ast.Subscript(value=ast.Name("Iterable"), slice=entry):
            words, take = _parsed(entry, known)
            return f"an iterable, each entry {words}", lambda value: _iterable(value, take)
        case ast.Subscript(value=ast.Name("Sequence" | "tuple" | "list"), slice=inside):
            parts = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            endless = len(parts) == 1 or isinstance(parts[-1], ast.Constant)  # the three dots
            return _of_each(*_parsed(parts[0], known), None if endless else len(parts))
        case ast.Subscript(value=ast.Name("Mapping" | "dict"), slice=ast.Tuple([a, b])):
            (key, take_key), (words, take) = _parsed(a, known), _parsed(b, known)
            return f"a mapping of {key} to {words}", lambda value: _mapping(value, take_key, take)
        case ast.Subscript(value=head):
            return _parsed(head, known)
        case ast.Name(name) | ast.Attribute(attr=name):
            return _KINDS.get(name) or _named(ast.unparse(node), name, known.get(name))
    return "None", _if(lambda value: value is None)


def _if(fits: Callable[[Any], bool]) -> _Take:
    """Takes a value as it is, if it fits."""

    def take(value: Any) -> Any:
        if fits(value):
            return value
        raise _Misfit

    return take


def _entries(values: Iterable, take: _Take) -> list | tuple:
    found = [take(entry) for entry in values]
    return tuple(found) if isinstance(values, tuple) else found


def _of_each(words: str, take: _Take, length: int | None) -> tuple[str, _Take]:
    def take_all(values: Any) -> Any:
        try:
            entries = sequence("", values)
        except ValueError:
            raise _Misfit from None
        if length not in (None, len(entries)):
            raise _Misfit
        return _entries(values if isinstance(values, tuple) else entries, take)

    return (
        f"a list or a tuple{'' if length is None else f' of {length}'}, each entry {words}",
        take_all,
    )


def _iterable(values: Any, take: _Take) -> Any:
    table = hasattr(values, "columns")  # would give the names of its columns
    if table or isinstance(values, str | bytes) or getattr(values, "ndim", 1) == 0:
        raise _Misfit
    if isinstance(values, Iterator):  # is read once
        return values
    if not isinstance(values, Iterable):
        raise _Misfit
    return _entries(values, take)


def _mapping(values: Any, take_key: _Take, take: _Take) -> Any:
    if not isinstance(values, Mapping):
        raise _Misfit
    return {take_key(key): take(value) for key, value in values.items()}


def _named(full: str, name: str, found: Any) -> tuple[str, _Take]:
    """A class by its name, which need not have been imported, or what an alias stands for."""
    if (origin := get_origin(found)) is not None:
        if origin is UnionType:  # of many forms: the function that states them checks them
            return _KINDS["Any"]
        return f"a {name.lower()}", _if(lambda value: isinstance(value, origin))
    words = full.replace("np.", "numpy.").replace("pd.", "pandas.")
    article = "an" if words[0] in "AEIO" else "a"
    return f"{article} {words}", _if(lambda value: _is_a(name, value))


def _is_a(name: str, value: object) -> bool:
    return any(c.__name__ == name for c in type(value).__mro__)


def _take_int(value: Any) -> int:
    if not whole(value):
        raise _Misfit
    return int(value)


def _take_float(value: Any) -> float:
    """A number of Python's; ``float64`` is one, and whole numbers stay whole."""
    if isinstance(value, float):
        return value
    if isinstance(value, np.floating) or math.isfinite(as_float(value)):
        return int(value) if whole(value) else float(value)
    raise _Misfit


def _take_array(value: object) -> np.ndarray:
    try:
        found = array("", value)
        if found.dtype.kind not in REAL:
            reals("", found)
    except ValueError:
        raise _Misfit from None
    if found.ndim == 0 and not isinstance(value, np.ndarray):
        raise _Misfit
    return found


def _native(dtype: Any) -> Any:
    """A dtype that pandas can group by and merge on: the machine's own, and no float but two."""
    if not isinstance(dtype, np.dtype):
        return dtype
    if dtype.kind == "f" and dtype.itemsize not in (4, 8):
        return np.dtype(float)
    return dtype.newbyteorder("=") if dtype.kind in REAL else dtype


def _take_series(value: Any) -> Any:
    if not _is_a("Series", value):
        raise _Misfit
    return value if (dtype := _native(value.dtype)) == value.dtype else value.astype(dtype)


def _take_table(value: Any) -> Any:
    if not _is_a("DataFrame", value):
        raise _Misfit
    odd = [i for i, dtype in enumerate(value.dtypes) if _native(dtype) != dtype]
    if not odd:
        return value
    value = value.copy(deep=False)
    for i in odd:
        value.isetitem(i, _take_series(value.iloc[:, i]))
    return value


_ANY: tuple[str, _Take] = ("anything", lambda value: value)
_MAPPING: tuple[str, _Take] = ("a mapping", _if(lambda value: isinstance(value, Mapping)))
_KINDS: dict[str, tuple[str, _Take]] = {
    "bool": ("True or False", _if(lambda value: isinstance(value, bool | np.bool_))),
    "str": ("text", _if(lambda value: isinstance(value, str))),
    "int": ("an integer", _take_int),
    "float": ("a number", _take_float),
    "ndarray": ("an array of real numbers", _take_array),
    "Series": ("a pandas.Series", _take_series),
    "DataFrame": ("a pandas.DataFrame", _take_table),
    "Callable": ("a function", _if(callable)),
}
_KINDS |= dict.fromkeys(("Any", "object"), _ANY) | dict.fromkeys(("Mapping", "dict"), _MAPPING)
_KINDS |= dict.fromkeys(("Sequence", "tuple", "list"), _of_each(*_ANY, None))
