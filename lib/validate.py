"""Checks of arguments: each raises ``ValueError("NAME must be WHAT, got VALUE")``.

:func:`resolve` also lets in what is not in this package: ``"module:object"``
wherever a protocol, a task or a grid has a name. The object is imported where
the name is used, so a worker process, a Dask worker and ``python -m lib run``
find what the notebook found, and the name in a record says which code made it.
There is no registry to fill, and none that a new process would have to be told of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping
from importlib import import_module
from numbers import Integral, Real
from typing import Any

import numpy as np

__all__ = [
    "EPSILON_MIN",
    "EPSILON_MAX",
    "INTEGER_MAX",
    "array",
    "refusal",
    "require",
    "bits",
    "boolean",
    "choice",
    "positive",
    "integer",
    "fraction",
    "codes",
    "epsilon",
    "budget",
    "finite",
    "generator",
    "broadcastable",
    "reals",
    "resolve",
    "sequence",
]

EPSILON_MIN, EPSILON_MAX = 1e-9, 600.0
INTEGER_MAX = 1 << 63  # for a count or a size that is reckoned with as a float
_REAL = "biuf"  # kinds of dtype whose entries are real numbers


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
    try:
        return repr(value)
    except ValueError:  # Python writes no integer of thousands of digits
        return f"an integer of {value.bit_length()} bits"


def _number(value: object) -> float:
    """``value`` as a float: NaN if it is no real number, infinity if no float is large enough."""
    if not isinstance(value, Real) or isinstance(value, bool):
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


def epsilon(value: float, *, name: str = "epsilon") -> float:
    """A privacy budget: finite and above 0."""
    return positive(name, value)


def budget(
    name: str, value: float, *, low: float = EPSILON_MIN, high: float = EPSILON_MAX
) -> float:
    """``value`` as a float if it is a number in [``low``, ``high``].

    The defaults are what the local protocols can work with: below ``EPSILON_MIN``
    the difference of ``e^epsilon`` and 1 is lost to rounding, above
    ``EPSILON_MAX`` ``e^-epsilon`` rounds to 0.
    """
    number = _number(value)
    require(low <= number <= high, name, f"a number >= {low:g} and <= {high:g}", value)
    return number


def integer(name: str, value: int, *, low: int, high: int | None = None) -> int:
    """``value`` as an int if it is a whole number in [``low``, ``high``]."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    holds = whole and value >= low and (high is None or value <= high)
    upper = "" if high is None else f" and <= {high}"
    require(holds, name, f"an integer >= {low}{upper}", value)
    return int(value)


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
    """``values`` as a list if they have an order and a length: no text, mapping or set."""
    if not isinstance(values, str | bytes | Mapping | set | frozenset):
        try:
            len(values)
            return list(values)
        except TypeError:  # no length: a generator, an array of no dimension
            pass
    raise refusal(name, "a list or a tuple", values)


def array(name: str, values: object) -> np.ndarray:
    """``values`` as an array: their rows have one length, and none of them is masked.

    NumPy drops a mask silently, and what it hid would be used.
    """
    if np.ma.is_masked(values):
        masked = np.ma.count_masked(values)
        raise ValueError(f"{name} must have no masked entries, got {masked} of them")
    try:
        return np.asarray(values)
    except ValueError:
        raise refusal(name, "an array: entries of one length", values) from None


def reals(name: str, values: object) -> np.ndarray:
    """``values`` as a float array, if they are real numbers."""
    found = array(name, values)
    if found.dtype.kind in _REAL + "O":  # objects may be fractions
        try:
            return found.astype(float, copy=False)
        except (TypeError, ValueError, OverflowError):
            pass
    raise refusal(name, "real numbers", values)


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
    """``values`` as an intp array of shape (n,) if every entry is a whole number in 0..k-1.

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
    return found.astype(np.intp, copy=False)


def _are_codes(found: np.ndarray, k: int) -> bool:
    """Whether all of some numbers are codes; for integers without an array of their size."""
    if not (found.min() >= 0 and found.max() < k):
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
    except (ModuleNotFoundError, AttributeError, ValueError) as error:  # not there, or half a name
        raise ValueError(
            f"{name} must be MODULE:OBJECT with a module on Python's path, got {value!r} ({error})"
        ) from error
    require(fits(found), name, f"the name of {what}", value)
    return found
