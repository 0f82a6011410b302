"""Other last bits: every inexact number that the numerical packages return, and every stored one,
moved by at most one part in 10^12.

The idea is that of Monte Carlo arithmetic: what hangs on bits that another processor, library or
compiler sets otherwise changes when these bits do. A number is moved by a hash of the seed, of
where it comes from, of its place in an array, and of its own bits. So a program does the same
twice, while equal numbers at two places become different ones. Numbers that a person may have
typed (whole ones, and those of at most six significant digits) are exact and stay.
"""

from __future__ import annotations

import copy
import importlib.abc
import importlib.machinery
import inspect
import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np

RELATIVE = 1e-12
PACKAGES = ("coherence", "dp", "fairness", "ldp", "means", "stats", "synth")
STORED = {"lib.files": ("read_yaml",), "lib.runner.registry": ("results", "scores")}
# weights that are whole numbers over their sum, times that sum: division and product are the same
# on every platform, and a moved one asks for one draw more; and ties, which are given numbers that
# were made the same, and would be apart again
LEFT_OUT = ("lib.synth.stratified", "lib.stats.ties")
_DIGITS = 6


def is_exact(values: np.ndarray) -> np.ndarray:
    """Where numbers are whole, or have at most six significant digits, or are not finite."""
    size = np.abs(values)
    with np.errstate(all="ignore"):
        power = np.floor(np.log10(size))
        scale = 10.0 ** np.abs(_DIGITS - 1 - power)
        short = np.where(
            power < _DIGITS, np.rint(size * scale) / scale, np.rint(size / scale) * scale
        )
        return ~np.isfinite(values) | (values == np.rint(values)) | (short == size)


def move(values: np.ndarray, salt: int) -> np.ndarray:
    """The values, each inexact one times a factor within ``RELATIVE`` of 1.

    Parameters
    ----------
    values : array of float64
    salt : int
        The seed and the origin of the values, hashed.

    Examples
    --------
    >>> move(np.array([0.5, 7.0, 1 / 3]), 1) == np.array([0.5, 7.0, 1 / 3])
    array([ True,  True, False])
    """
    flat = np.ascontiguousarray(values, dtype=np.float64).reshape(-1)
    with np.errstate(over="ignore"):  # splitmix64
        z = flat.view(np.uint64) ^ (
            (np.arange(flat.size, dtype=np.uint64) + np.uint64(salt))
            * np.uint64(0x9E3779B97F4A7C15)
        )
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            z = (z ^ (z >> np.uint64(shift))) * np.uint64(factor)
    sign = (z >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        moved = np.where(is_exact(flat), flat, flat * (1.0 + RELATIVE * sign))
    return moved.reshape(np.shape(values))


def moved(value: Any, salt: int) -> Any:
    """A result with its numbers moved: arrays, tables, containers and dataclasses of them."""
    import pandas as pd

    if isinstance(value, float | np.float64):
        return type(value)(move(np.asarray(value), salt)[()])
    if isinstance(value, np.ndarray):
        return (
            move(value, salt) if value.dtype == np.float64 and type(value) is np.ndarray else value
        )
    if isinstance(value, pd.DataFrame):
        changed = value.copy(deep=False)
        for i, kind in enumerate(value.dtypes):
            if kind == np.float64:
                changed.isetitem(i, move(value.iloc[:, i].to_numpy(), salt + i))
        return changed
    if isinstance(value, pd.Series) and value.dtype == np.float64:
        return pd.Series(move(value.to_numpy(), salt), value.index, name=value.name)
    if isinstance(value, dict) and type(value) is dict:
        return {key: moved(item, salt + i) for i, (key, item) in enumerate(value.items())}
    if isinstance(value, list | tuple) and len(value) < 100_000:
        items = [moved(item, salt + i) for i, item in enumerate(value)]
        return value._make(items) if hasattr(value, "_make") else type(value)(items)
    if is_dataclass(value) and not isinstance(value, type):
        changed = copy.copy(value)
        for i, field in enumerate(fields(value)):
            item = getattr(value, field.name)
            if isinstance(item, float | np.ndarray | tuple | dict):
                object.__setattr__(changed, field.name, moved(item, salt + i))
        return changed
    return value


def _jittered(function: Callable, seed: int) -> Callable:
    salt = zlib.crc32(f"{seed} {function.__module__} {function.__qualname__}".encode())

    @wraps(function)
    def moving(*args: Any, **arguments: Any) -> Any:
        return moved(function(*args, **arguments), salt)

    return moving


def jitter_module(module: ModuleType, seed: int) -> None:
    """Replace the public functions of ``module``, or the named ones of :data:`STORED`, and the
    public methods of its classes."""
    named = STORED.get(module.__name__)
    for name, found in list(vars(module).items()):
        if name.startswith("_") or getattr(found, "__module__", "") != module.__name__:
            continue
        if inspect.isfunction(found) and (named is None or name in named):
            setattr(module, name, _jittered(found, seed))
        elif inspect.isclass(found) and named is None:
            for method, body in list(vars(found).items()):
                if inspect.isfunction(body) and not method.startswith("_"):
                    setattr(found, method, _jittered(body, seed))


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules to jitter as Python does, and jitters each once it is executed."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.loaders: dict[str, Any] = {}

    def find_spec(self, name: str, path: Sequence[str] | None, target: Any = None) -> Any:
        if name in LEFT_OUT or not name.startswith("lib."):
            return None
        if name not in STORED and name.split(".")[1] not in PACKAGES:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec:
            self.loaders[name], spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        self.loaders[module.__name__].exec_module(module)
        jitter_module(module, self.seed)


def install(seed: int) -> None:
    """Jitter the modules of :data:`PACKAGES` that are imported from now on, and :data:`STORED`."""
    for name in STORED.keys() & sys.modules.keys():
        jitter_module(sys.modules[name], seed)
    sys.meta_path.insert(0, _Finder(seed))
