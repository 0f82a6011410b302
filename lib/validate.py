"""Checks of arguments. Each raises a ``ValueError`` that names the argument, the value and what is
allowed.

:func:`resolve` also lets in what is not in this package: ``"module:object"``
wherever a protocol, a task or a grid has a name. The object is imported where
the name is used, so a worker process, a Dask worker and ``python -m lib run``
find what the notebook found, and the name in a record says which code made it.
There is no registry to fill, and none that a new process would have to be told of.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from numbers import Integral, Real
from typing import Any

import numpy as np

__all__ = [
    "EPSILON_MIN",
    "EPSILON_MAX",
    "INTEGER_MAX",
    "array",
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


def _number(value: object) -> float:
    """``value`` as a float, NaN if it is no real number, infinity if it is too large for one."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def choice(name: str, value: object, allowed: Iterable[object]) -> object:
    """``value`` if it is one of ``allowed``."""
    allowed = list(allowed)
    if not _among(value, allowed):
        raise ValueError(
            f"{name}={value!r} is not known; choose from {', '.join(map(repr, allowed))}"
        )
    return value


def _among(value: object, allowed: list[object]) -> bool:
    try:
        hash(value)  # an array of one name equals the name, and cannot stand for it
        return value in allowed
    except (TypeError, ValueError):
        return False


def positive(name: str, value: float, *, infinite: bool = False) -> float:
    """``value`` as a float if it is a number above 0 (``infinite``: or infinity)."""
    number = _number(value)
    if not number > 0 or (number == math.inf and not infinite):
        raise ValueError(
            f"{name}={_shown(value)} is not allowed: a {'' if infinite else 'finite '}number > 0 is"
        )
    return number


def epsilon(value: float, *, name: str = "epsilon") -> float:
    """A privacy budget: finite and above 0."""
    return positive(name, value)


def budget(
    name: str, value: float, *, low: float = EPSILON_MIN, high: float = EPSILON_MAX
) -> float:
    """``value`` as a float if it is a number in [``low``, ``high``].

    Without these, what the local protocols can work with: below ``EPSILON_MIN``
    the difference of ``e^epsilon`` and 1 is lost to rounding, above
    ``EPSILON_MAX`` ``e^-epsilon`` rounds to 0.
    """
    number = _number(value)
    if not low <= number <= high:
        raise ValueError(
            f"{name}={_shown(value)} is not allowed: a number >= {low:g} and <= {high:g} is"
        )
    return number


def _shown(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # Python writes no integer of thousands of digits
        return f"(an integer of {value.bit_length()} bits)"


def integer(name: str, value: int, *, low: int, high: int | None = None) -> int:
    """``value`` as an int if it is a whole number in [``low``, ``high``]."""
    ok = isinstance(value, Integral) and not isinstance(value, bool) and value >= low
    if not ok or (high is not None and value > high):
        upper = "" if high is None else f" and <= {high}"
        raise ValueError(f"{name}={_shown(value)} is not allowed: an integer >= {low}{upper} is")
    return int(value)


def fraction(name: str, value: float, *, open_ends: bool = True) -> float:
    """``value`` as a float if it lies in (0, 1), or in [0, 1] without ``open_ends``."""
    ok = isinstance(value, Real) and not isinstance(value, bool)
    ok = ok and (0 < value < 1 if open_ends else 0 <= value <= 1)
    if not ok:
        raise ValueError(
            f"{name}={value!r} is not allowed: a number in {'(0, 1)' if open_ends else '[0, 1]'} is"
        )
    return float(value)


def broadcastable(name: str, shape: tuple[int, ...], other: tuple[int, ...], whose: str) -> None:
    """A ``ValueError`` unless arrays of ``shape`` and ``other`` (``whose``) broadcast together."""
    try:
        np.broadcast_shapes(shape, other)
    except ValueError:
        raise ValueError(
            f"{name} has shape {shape}; one that broadcasts with {whose} {other} is allowed"
        ) from None


def generator(name: str, value: np.random.Generator) -> np.random.Generator:
    """``value`` if it is a generator: no seed, no ``None`` and nothing of the older
    ``RandomState``.
    """
    if not isinstance(value, np.random.Generator):
        raise ValueError(f"{name}={value!r} is not allowed: a numpy.random.Generator is")
    return value


def sequence(name: str, values: Iterable[object]) -> list:
    """``values`` as a list if they stand in an order and can be counted: no text, mapping, set
    or generator.
    """
    if not isinstance(values, str | bytes | Mapping | set | frozenset) and hasattr(
        values, "__len__"
    ):
        try:
            return list(values)
        except TypeError:  # an array of no dimension
            pass
    raise ValueError(f"{name}={values!r} is not allowed: a list or a tuple is")


def array(name: str, values: object) -> np.ndarray:
    """``values`` as an array; a ``ValueError`` if their rows differ in length or some are masked.

    NumPy lets go of a mask without a word, and what it hid would be used.
    """
    if np.ma.is_masked(values):
        raise ValueError(
            f"{name} has {np.ma.count_masked(values)} masked entries; an array without any is"
            " allowed"
        )
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(
            f"{name} is a list whose entries differ in length; an array is allowed"
        ) from None


def reals(name: str, values: object) -> np.ndarray:
    """``values`` as a float array, if they are real numbers."""
    found = array(name, values)
    if found.dtype.kind in _REAL + "O":  # objects may be fractions
        try:
            return found.astype(float, copy=False)
        except (TypeError, ValueError, OverflowError):
            pass
    raise ValueError(f"{name}={values!r} is not allowed: real numbers are")


def finite(name: str, values: object) -> np.ndarray:
    """``values`` as a float array, if they are finite real numbers."""
    found = reals(name, values)
    if wrong := int((~np.isfinite(found)).sum()):
        raise ValueError(f"{name} must be finite numbers, got {wrong} values that are not finite")
    return found


def boolean(name: str, value: bool) -> bool:
    """``value`` if it is True or False: a text such as ``"False"`` would count as true."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def codes(name: str, values: np.ndarray, k: int) -> np.ndarray:
    """``values`` as an intp array of shape (n,) if every entry is a whole number in 0..k-1.

    Raises
    ------
    ValueError
        With the first entry that is not, the shape if there is more than one
        dimension, or the dtype if it is none of numbers.
    """
    found = array(name, values)
    if found.ndim != 1:
        raise ValueError(f"{name} has shape {found.shape}; one dimension is allowed")
    if found.size:
        wrong = _first_wrong(found, k)
        if wrong is not None:
            bad = found[wrong : wrong + 1].tolist()[0]  # as Python writes it, not as NumPy does
            if (
                found.dtype.kind not in _REAL
            ):  # the entry may well be a whole number: it is the dtype that is wrong
                raise ValueError(
                    f"{name} holds {bad!r} and has dtype {found.dtype}; an integer, float or bool"
                    f" dtype is allowed, with whole numbers in 0..{k - 1}"
                )
            raise ValueError(
                f"{name} holds {bad!r} ({found.dtype}); allowed are whole numbers in 0..{k - 1}"
            )
    return found.astype(np.intp, copy=False)


def _first_wrong(found: np.ndarray, k: int) -> int | None:
    """Place of the first entry that is no whole number in 0..k-1; the first of all in an array
    without numbers.
    """
    if found.dtype.kind not in _REAL:
        return 0
    if found.dtype.kind == "f" and not (found == np.floor(found)).all():  # NaN, too
        return int(np.argmin((found == np.floor(found)) & (found >= 0) & (found < k)))
    if found.min() < 0 or found.max() >= k:
        return int(np.argmax((found < 0) | (found >= k)))
    return None


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
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{name}={value!r} cannot be imported ({error}): a module on Python's path is needed"
        ) from error
    except (AttributeError, ValueError) as error:  # no such object, or half of a name
        raise ValueError(f"{name}={value!r} is not allowed ({error}): MODULE:OBJECT is") from error
    if not fits(found):
        raise ValueError(f"{name}={value!r} is {found!r}; {what} is allowed")
    return found
