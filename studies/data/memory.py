"""Keeping what was read or made of data in memory, as long as data come from the same place."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import TypeVar

_Result = TypeVar("_Result")
_PLACES = ("COMPANION_DATA", "COMPANION_CACHE", "COMPANION_OFFLINE")


def cached_by_data_location(
    size: int | None = None,
) -> Callable[[Callable[..., _Result]], Callable[..., _Result]]:
    """Remember the last ``size`` results by arguments and by where data come from.

    A notebook or a test that sets ``COMPANION_DATA`` half-way gets the data that it asks for, not
    what was read before.
    """

    def decorate(function: Callable[..., _Result]) -> Callable[..., _Result]:
        @lru_cache(maxsize=size)
        def remembered(places: tuple, *args, **kwargs) -> _Result:
            return function(*args, **kwargs)

        @wraps(function)
        def wrapper(*args, **kwargs) -> _Result:
            return remembered(tuple(os.environ.get(name) for name in _PLACES), *args, **kwargs)

        return wrapper

    return decorate
