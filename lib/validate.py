"""Checks of arguments: each raises ``ValueError("NAME must be WHAT, got VALUE")``.

:func:`resolve` also lets in what is not in this package: ``"module:object"``
wherever a protocol, a task or a grid has a name. The object is imported where
the name is used, so a worker process, a Dask worker and ``python -m lib run``
find what the notebook found, and the name in a record says which code made it.
There is no registry to fill, and none that a new process would have to be told of.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import cache, wraps
from importlib import import_module
from inspect import Parameter, signature
from numbers import Integral, Real
from types import UnionType
from typing import Any, TypeVar, get_origin

import numpy as np

EPSILON_MIN, EPSILON_MAX = 1e-9, 600.0
INTEGER_MAX = 1 << 63  # for a count or a size that is reckoned with as a float
_REAL = "biuf"  # kinds of dtype whose entries are real numbers
_LONGEST = 300  # letters of a value that a message shows


def require(holds: bool | np.bool, name: str, what: str, value: object) -> None:
    """Raise ``ValueError("NAME must be WHAT, got VALUE")`` unless ``holds``.

    >>> require(2 > 1, "two", "more than one", 2)
    """
    if not holds:
        raise refusal(name, what, value)


def refusal(name: str, what: str, value: object) -> ValueError:
    """The error that says what ``name`` must be, for a check that :func:`require` cannot state."""
    return ValueError(f"{name} must be {what}, got {_shown(value)}")


def _shown(value: Any) -> str:
    if np.ma.is_masked(value):  # to write it would change how it is cast afterwards
        return f"an array with {np.ma.count_masked(value)} masked entries"
    try:
        with np.errstate(all="ignore"):  # pandas prints a column of 16 bits with a warning
            text = repr(value)
    except ValueError:  # Python writes no integer of thousands of digits
        if isinstance(value, int):
            return f"an integer of {value.bit_length()} bits"
        return "integers too long to be written"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _number(value: object) -> float:
    """``value`` as a float: NaN if it is no real number, infinity if no float is large enough."""
    if not isinstance(value, Real) or isinstance(value, bool | np.timedelta64):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def choice(name: str, value: object, allowed: Iterable[object]) -> Any:
    """``value`` if it is one of ``allowed``."""
    allowed = allowed if isinstance(allowed, Container) else list(allowed)
    if not _among(value, allowed):
        raise refusal(name, f"one of {', '.join(map(repr, allowed))}", value)
    return value


def column(name: str, value: str, frame: Any) -> str:
    """``value`` if it is the name of one column of ``frame``, and of no other."""
    choice(name, value, frame.columns)
    times = list(frame.columns).count(value)
    require(times == 1, name, "a column that is there once", f"{value!r} {times} times")
    return value


def _among(value: object, allowed: Container[object]) -> bool:
    try:
        hash(value)  # an array of one name equals the name, and cannot stand for it
        return value in allowed
    except (TypeError, ValueError):
        return False


def positive(name: str, value: float, *, infinite: bool = False) -> float:
    """``value`` as a float if it is a number above 0 (``infinite``: or infinity)."""
    number = _number(value)
    holds = number > 0 and (infinite or number < math.inf)
    require(holds, name, f"a {'' if infinite else 'finite '}number > 0", value)
    return number


def budget(
    name: str, value: float, *, low: float = EPSILON_MIN, high: float = EPSILON_MAX
) -> float:
    """``value`` as a float if it is a number in [``low``, ``high``].

    The defaults are what the local protocols can work with: below ``EPSILON_MIN``
    the difference of ``e^epsilon`` and 1 is lost to rounding, above
    ``EPSILON_MAX`` ``e^-epsilon`` rounds to 0.
    """
    number = _number(value)
    upper = "" if math.isinf(high) else f" and <= {high:g}"
    require(low <= number <= high, name, f"a number >= {low:g}{upper}", value)
    return number


def integer(name: str, value: int, *, low: int, high: float | None = None) -> int:
    """``value`` as an int if it is a whole number in [``low``, ``high``]."""
    most = INTEGER_MAX if high is None else high  # no count or size of anything is beyond it
    holds = _whole(value) and low <= value <= most
    beyond = _whole(value) and value > most
    upper = f" and <= {most}" if beyond or high not in (None, math.inf) else ""
    require(holds, name, f"an integer >= {low}{upper}", value)
    return int(value)


def _whole(value: object) -> bool:
    # NumPy counts a difference of times among its integers
    return isinstance(value, Integral) and not isinstance(value, bool | np.timedelta64)


def fraction(name: str, value: float, *, open_ends: bool = True) -> float:
    """``value`` as a float if it lies in (0, 1), or in [0, 1] without ``open_ends``."""
    number = _number(value)
    holds = 0 < number < 1 if open_ends else 0 <= number <= 1
    require(holds, name, f"a number in {'(0, 1)' if open_ends else '[0, 1]'}", value)
    return number


def broadcastable(name: str, shape: tuple[int, ...], other: tuple[int, ...], whose: str) -> None:
    """A ``ValueError`` unless arrays of ``shape`` and ``other`` (``whose``) broadcast together."""
    try:
        np.broadcast_shapes(shape, other)
    except ValueError:
        raise refusal(name, f"of a shape that broadcasts with {whose} {other}", shape) from None


def generator(name: str, value: np.random.Generator) -> np.random.Generator:
    """``value`` if it is a generator: no seed, no ``None``, no older ``RandomState``."""
    require(isinstance(value, np.random.Generator), name, "a numpy.random.Generator", value)
    return value


def sequence(name: str, values: Any) -> list:
    """``values`` as a list if they have an order and a length: no text, mapping, set or table."""
    flat = getattr(values, "ndim", 1) == 1
    if flat and not isinstance(values, str | bytes | Mapping | set | frozenset):
        try:
            len(values)
            return list(values)
        except TypeError:  # no length: a generator, an array of no dimension
            pass
    raise refusal(name, "a list or a tuple", values)


def array(name: str, values: object) -> np.ndarray:
    """``values`` as an array: their rows have one length, and none of them is masked.

    NumPy drops a mask silently, and what it hid would be used. Bytes are in the machine's order,
    since not all of NumPy and pandas takes another.
    """
    if np.ma.is_masked(values):
        masked = np.ma.count_masked(values)
        raise ValueError(f"{name} must have no masked entries, got {masked} of them")
    try:
        found = np.asarray(values)
    except ValueError:
        raise refusal(name, "an array: entries of one length", values) from None
    return found if found.dtype.isnative else found.astype(found.dtype.newbyteorder("="))


def reals(name: str, values: object) -> np.ndarray:
    """``values`` as a float array, if they are real numbers."""
    found = array(name, values)
    numbers = found.dtype.kind in _REAL
    if found.dtype.kind == "O":  # fractions, say; NumPy would make NaN of None
        numbers = all(isinstance(entry, Real | np.bool_) for entry in found.flat)
    if numbers and not isinstance(values, bool):
        try:
            return found.astype(float, copy=False)
        except OverflowError:
            pass
    raise refusal(name, "real numbers", values)


def finite(name: str, values: object) -> np.ndarray:
    """``values`` as a float array, if they are finite real numbers."""
    found = reals(name, values)
    if wrong := int((~np.isfinite(found)).sum()):
        raise ValueError(f"{name} must be finite numbers, got {wrong} values that are not finite")
    return found


def mask(name: str, values: object, n: int, whose: str, *, rows: bool = False) -> np.ndarray:
    """``values`` as a bool array of shape (n,), if they are truth values for each of ``whose``.

    With ``rows``, of any shape (..., n).
    Numbers are refused: ``[1, 0, 1]`` may say who is in, or be the rows of three people.
    """
    found = array(name, values)
    if found.dtype.kind == "O" and all(isinstance(entry, bool | np.bool_) for entry in found.flat):
        found = found.astype(bool)
    require(found.dtype == bool, name, "an array of True and False", values)
    fits = found.shape[-1:] == (n,) and (rows or found.ndim == 1)
    shape = f"of shape {f'(..., {n})' if rows else (n,)}, for each of {whose}"
    require(fits, name, shape, found.shape)
    return found


def masks(name: str, groups: Mapping[str, Any], n: int, whose: str) -> dict[str, np.ndarray]:
    """The :func:`mask` of each of ``groups``."""
    return {group: mask(f"{name} of {group!r}", who, n, whose) for group, who in groups.items()}


def boolean(name: str, value: bool) -> bool:
    """``value`` if it is True or False: a text such as ``"False"`` would count as true."""
    require(isinstance(value, bool | np.bool_), name, "True or False", value)
    return bool(value)


def bits(name: str, values: object, k: int | None = None) -> np.ndarray:
    """``values`` as a uint8 array of 0 and 1, of shape (n, k), any k if none is given."""
    found = array(name, values)
    fits = found.ndim == 2 and k in (None, found.shape[1])
    require(fits, name, f"of shape (n, {'k' if k is None else k})", found.shape)
    # one pass over bytes; anything else is compared before it is cast, since NaN has no byte
    right = found <= 1 if found.dtype == np.uint8 else np.isin(found, (0, 1))
    if not right.all():
        raise refusal(name, "bits, 0 or 1", found[~right].tolist()[0])
    return found.astype(np.uint8, copy=False)


def codes(name: str, values: np.ndarray, k: int) -> np.ndarray:
    """``values`` as an array of shape (n,) if every entry is a whole number in 0..k-1.

    Of intp, the integer that NumPy counts and looks up with; of int64 where ``k`` is too large
    for that one, which has 32 bits on some platforms.

    Raises
    ------
    ValueError
        With the first entry that is not and its dtype (an object array is none of
        numbers, whatever it holds), or with the shape if it is not one dimension.
    """
    found = array(name, values)
    require(found.ndim == 1, name, "of one dimension", found.shape)
    numbers = found.dtype.kind in _REAL
    if found.size and not (numbers and _are_codes(found, k)):
        # an array of objects may hold nothing but good codes: its first entry shows the dtype
        right = (found >= 0) & (found < k) & (found == np.floor(found)) if numbers else 0
        entry = found.tolist()[int(np.argmin(right))]
        raise ValueError(
            f"{name} must be whole numbers in 0..{k - 1} of an integer, float or bool dtype, got"
            f" {entry!r} ({found.dtype})"
        )
    kind = np.intp if k - 1 <= np.iinfo(np.intp).max else np.int64
    # no entries of another dtype are no codes of it; to cast complex ones would warn
    return found.astype(kind, copy=False) if found.size else np.empty(0, kind)


def _are_codes(found: np.ndarray, k: int) -> bool:
    """Whether all of some numbers are codes; for integers without an array of their size."""
    # a large k is no number of 16 bits
    if not (found.min() >= 0 and found.max().item() < k):
        return False
    return found.dtype.kind != "f" or bool((found == np.floor(found)).all())


def resolve(
    name: str, value: str, known: Mapping[str, object], fits: Callable[[object], bool], what: str
) -> Any:
    """``known[value]``, or the object that ``value`` names as ``"module:object"``.

    Parameters
    ----------
    name, value : str
        The argument and what was given for it.
    known : mapping
        The objects that the package has by name.
    fits : callable
        Whether an imported object is of the right kind.
    what : str
        That kind, for the message.

    Raises
    ------
    ValueError
        For an unknown name (with the choices), a module that cannot be found,
        an object that is not in it, or one of another kind. What a module
        raises while it is imported is left as it is.
    """
    if not (isinstance(value, str) and ":" in value):
        return known[choice(name, value, known)]
    module, _, attribute = value.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    except (
        ModuleNotFoundError,
        AttributeError,
        TypeError,
        ValueError,
    ) as error:  # not there, or half a name
        raise ValueError(
            f"{name} must be MODULE:OBJECT with a module on Python's path, got {value!r} ({error})"
        ) from error
    require(fits(found), name, f"the name of {what}", value)
    return found


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
    names = list(texts)

    def taken(name: str, value: Any) -> Any:
        words, take = _type(texts.get(name, others), target.__module__)
        try:
            return take(value)
        except _Misfit:
            raise refusal(name, words, value) from None

    @wraps(function)
    def checked(*args, **more):
        given = [taken(name, value) for name, value in zip(names, args, strict=False)]
        named = {name: taken(name, value) for name, value in more.items()}
        return function(*given, *args[len(given) :], **named)

    if isinstance(target, type):
        target.__init__ = checked  # type: ignore[misc]
        return target
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


def _same(new: list, old: Iterable) -> bool:
    return all(a is b for a, b in zip(new, old, strict=True))


def _entries(values: Any, take: _Take) -> Any:
    """``values`` itself if all its entries arrive as they are, else a list or a tuple of them."""
    if isinstance(values, list | tuple):
        found = [take(entry) for entry in values]
        if _same(found, values):
            return values
        return tuple(found) if isinstance(values, tuple) else found
    return [take(entry) for entry in values]


def _of_each(words: str, take: _Take, length: int | None) -> tuple[str, _Take]:
    def take_all(values: Any) -> Any:
        try:
            entries = sequence("", values)
        except ValueError:
            raise _Misfit from None
        if length not in (None, len(entries)):
            raise _Misfit
        return _entries(values if isinstance(values, list | tuple) else entries, take)

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
    keys, found = [take_key(key) for key in values], [take(value) for value in values.values()]
    same = _same(keys, values) and _same(found, values.values())
    return values if same else dict(zip(keys, found, strict=True))


def _named(full: str, name: str, found: Any) -> tuple[str, _Take]:
    """A class by its name, which need not have been imported, or what an alias stands for."""
    if (origin := get_origin(found)) is not None:
        if origin is UnionType:  # of many forms: the function that states them checks them
            return _KINDS["Any"]
        return f"a {name.lower()}", _if(lambda value: isinstance(value, origin))
    words = full.replace("np.", "numpy.").replace("pd.", "pandas.")
    article = "an" if words[0] in "AEIO" else "a"
    is_one = _if(lambda value: any(c.__name__ == name for c in type(value).__mro__))
    return f"{article} {words}", is_one


def _take_int(value: Any) -> int:
    if not _whole(value):
        raise _Misfit
    return int(value)


def _take_float(value: Any) -> float:
    """A number of Python's; ``float64`` is one, and whole numbers stay whole."""
    if isinstance(value, float):
        return value
    if isinstance(value, np.floating) or math.isfinite(_number(value)):
        return int(value) if _whole(value) else float(value)
    raise _Misfit


def _take_array(value: object) -> np.ndarray:
    try:
        found = array("", value)
        if found.dtype.kind not in _REAL:
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
    return dtype.newbyteorder("=") if dtype.kind in _REAL else dtype


def _take_series(value: Any) -> Any:
    if not any(c.__name__ == "Series" for c in type(value).__mro__):
        raise _Misfit
    return value if (dtype := _native(value.dtype)) == value.dtype else value.astype(dtype)


def _take_table(value: Any) -> Any:
    if not any(c.__name__ == "DataFrame" for c in type(value).__mro__):
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
