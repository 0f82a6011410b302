"""Cells: one setting and one run of a grid, and the key under which the record of one is stored."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection
from dataclasses import asdict
from functools import partial
from typing import Any

from lib import validate

BUDGET = partial(validate.positive, infinite=True)
COUNT = partial(validate.integer, low=0)
ONE_OR_MORE = partial(validate.integer, low=1)
SEVERAL = partial(validate.integer, low=2)


class KeyedCell:
    """Base of the frozen dataclasses that a grid consists of; ``kind`` is stated once and stays.

    A key hangs on the kind and the fields, not on the name of the class.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Draw(KeyedCell, kind="draw"):
    ...     run: int
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Sample(KeyedCell, kind="draw"):
    ...     run: int
    >>> cell_key(Draw(run=0)) == cell_key(Sample(run=0))
    True
    """

    _kind: str

    def __init_subclass__(cls, *, kind: str | None = None, **more: Any) -> None:
        super().__init_subclass__(**more)
        if kind is not None:
            cls._kind = kind


def set_checked(cell: object, **rules: Collection | Callable[[str, Any], Any]) -> None:
    """Check fields of a frozen cell, each by the values that are allowed or by a function of name
    and value that returns the plain value, as those of ``lib.validate``. So equal cells have equal
    keys: ``epsilon=1`` and ``epsilon=1.0`` are the same one.
    """
    for name, rule in rules.items():
        check = rule if callable(rule) else partial(validate.choice, allowed=rule)
        validate.fields(cell, name, check)


def cell_key(cell: Any) -> str:
    """Hash of a cell's kind and fields, 16 hexadecimal digits.

    Raises
    ------
    ValueError
        If the cell's class states no kind.
    """
    kind = getattr(cell, "_kind", None)
    validate.require(isinstance(kind, str), "cell", "a KeyedCell with a kind", cell)
    body = json.dumps([kind, asdict(cell)], sort_keys=True)
    return hashlib.blake2b(body.encode(), digest_size=8).hexdigest()
