"""Checks of arguments: each raises ``ValueError("NAME must be WHAT, got VALUE")``.

A public function calls them on what it takes, and works on what they return: a number of Python's
(twice 100 in 8 bits is -56), an array without a mask or the labels of a table.

:func:`resolve` also lets in what is not in this package: ``"module:object"``
wherever a protocol, a task or a grid has a name. The object is imported where
the name is used, so a worker process, a Dask worker and ``python -m lib run``
find what the notebook found, and the name in a record says which code made it.
There is no registry to fill, and none that a new process would have to be told of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from numbers import Integral, Real
from typing import Any

import numpy as np

EPSILON_MIN, EPSILON_MAX = 1e-9, 600.0
INTEGER_MAX = 1 << 63  # for a count or a size that is reckoned with as a float
REAL = "biuf"  # kinds of dtype whose entries are real numbers
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


def as_float(value: object) -> float:
    """``value`` as a float: NaN if it is no real number, infinity if no float is large enough."""
    if not isinstance(value, Real) or isinstance(value, bool | np.timedelta64):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def instance(name: str, value: object, kind: type) -> Any:
    """``value`` if it is of that class."""
    article = "an" if kind.__name__[0] in "AEIO" else "a"
    require(isinstance(value, kind), name, f"{article} {kind.__name__}", value)
    return value


def number(name: str, value: float) -> float:
    """``value`` as a float if it is a number, or an infinity."""
    found = as_float(value)
    require(not math.isnan(found), name, "a number", value)
    return found


def fields(thing: object, names: str, check: Callable[[str, Any], Any]) -> None:
    """Put what ``check`` returns into some fields of a frozen dataclass; ``names`` by spaces."""
    for name in names.split():
        object.__setattr__(thing, name, check(name, getattr(thing, name)))


def table(name: str, value: Any) -> Any:
    """``value`` if it is a table of pandas, which need not have been imported."""
    fits = hasattr(value, "iloc") and hasattr(value, "columns")
    require(fits, name, "a pandas.DataFrame", value)
    return value


def choice(name: str, value: object, allowed: Iterable[object]) -> Any:
    """``value`` if it is one of ``allowed``."""
    allowed = allowed if isinstance(allowed, Container) else list(allowed)
    with suppress(TypeError, ValueError):
        hash(value)  # an array of one name equals the name, and cannot stand for it
        if value in allowed:
            return value
    raise refusal(name, f"one of {', '.join(map(repr, allowed))}", value)


def column(name: str, value: str, frame: Any) -> str:
    """``value`` if it is the name of one column of ``frame``, and of no other."""
    choice(name, value, table("frame", frame).columns)
    times = list(frame.columns).count(value)
    require(times == 1, name, "a column that is there once", f"{value!r} {times} times")
    return value


def positive(name: str, value: float, *, infinite: bool = False) -> float:
    """``value`` as a float if it is a number above 0 (``infinite``: or infinity)."""
    number = as_float(value)
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
    number = as_float(value)
    upper = "" if math.isinf(high) else f" and <= {high:g}"
    require(low <= number <= high, name, f"a number >= {low:g}{upper}", value)
    return number


def integer(name: str, value: int, *, low: int, high: float | None = None) -> int:
    """``value`` as an int if it is a whole number in [``low``, ``high``]."""
    most = INTEGER_MAX if high is None else high  # no count or size of anything is beyond it
    holds = whole(value) and low <= value <= most
    beyond = whole(value) and value > most
    upper = f" and <= {most}" if beyond or high not in (None, math.inf) else ""
    require(holds, name, f"an integer >= {low}{upper}", value)
    return int(value)


def whole(value: object) -> bool:
    """Whether ``value`` is a whole number, and no bool."""
    # NumPy counts a difference of times among its integers
    return isinstance(value, Integral) and not isinstance(value, bool | np.timedelta64)


def fraction(name: str, value: float, *, open_ends: bool = True) -> float:
    """``value`` as a float if it lies in (0, 1), or in [0, 1] without ``open_ends``."""
    number = as_float(value)
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
        with suppress(TypeError):  # no length: a generator, an array of no dimension
            len(values)
            return list(values)
    raise refusal(name, "a list or a tuple", values)


def names(name: str, values: Any) -> tuple[str, ...]:
    """``values`` as a tuple, if they are texts in a list or a tuple."""
    found = tuple(sequence(name, values))
    require(all(isinstance(one, str) for one in found), name, "a list or a tuple of names", values)
    return found


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
    numbers = found.dtype.kind in REAL
    if found.dtype.kind == "O":  # fractions, say; NumPy would make NaN of None
        numbers = all(isinstance(entry, Real | np.bool_) for entry in found.flat)
    if numbers and not isinstance(values, bool):
        with suppress(OverflowError):
            return found.astype(float, copy=False)
    raise refusal(name, "real numbers", values)


def vector(name: str, values: object) -> np.ndarray:
    """``values`` as a float array of shape (n,), if they are real numbers."""
    found = reals(name, values)
    require(found.ndim == 1, name, "of one dimension", found.shape)
    return found


def finite(name: str, values: object) -> np.ndarray:
    """``values`` as a float array, if they are finite real numbers."""
    found = reals(name, values)
    if wrong := int((~np.isfinite(found)).sum()):
        raise ValueError(f"{name} must be finite numbers, got {wrong} values that are not finite")
    return found


def boolean(name: str, value: bool) -> bool:
    """``value`` if it is True or False: a text such as ``"False"`` would count as true."""
    require(isinstance(value, bool | np.bool_), name, "True or False", value)
    return bool(value)


def same_labels(**values: Any) -> None:
    """A ``ValueError`` unless those that are labelled, as pandas' Series are, have equal labels."""
    labelled = {name: v for name, v in values.items() if hasattr(v, "iloc") and hasattr(v, "index")}
    for name, value in labelled.items():
        first, *_ = labelled
        same = value.index.equals(labelled[first].index)
        require(same, name, f"labelled as {first} is, in one order", value.index)


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
    numbers = found.dtype.kind in REAL
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
    name: str, value: Any, known: Mapping[str, Any], fits: Callable[[object], bool], what: str
) -> Any:
    """What ``known`` has under ``value``, or what ``value`` names as ``"module:object"``.

    Parameters
    ----------
    name, value : str
        The argument and what was given for it.
    known : mapping
        The objects that the package has by name, or their places.
    fits : callable
        Whether an imported object is of the right kind.
    what : str
        That kind, for the message.

    Raises
    ------
    ValueError
        For an unknown name (with the choices), a module that cannot be found, an object that is not
        in it, or one of another kind. What a module raises while it is imported is left as it is.
    """
    if not (isinstance(value, str) and ":" in value):
        value = known[choice(name, value, known)]
        if not isinstance(value, str):
            return value
    module, _, attribute = value.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    # not there, or half a name
    except (ModuleNotFoundError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(
            f"{name} must be MODULE:OBJECT with a module on Python's path, got {value!r} ({error})"
        ) from error
    require(fits(found), name, f"the name of {what}", value)
    return found
