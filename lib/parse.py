"""YAML and JSON that somebody else may have written, read within stated limits.

A few hundred bytes can stand for more than a memory holds (names that repeat names), or nest deeper
than a reader can go. So the limits are checked while the text is read, before anything is made of
it, and an error shows a value only in part.
"""

from __future__ import annotations

import json
import math
import re
import reprlib
from collections.abc import Hashable, Iterable, Iterator
from datetime import date
from typing import Any

import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

LARGEST = 100_000  # entries of a text, three times the most of ours; 20 letters count as one
DEEPEST = 50
_MERGE = "tag:yaml.org,2002:merge"
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_DIGITS = 400  # of a number; Python takes minutes for millions of them in base 60


class Refused(ValueError):
    """A text that can be read and is refused; what it has stands for itself in a message."""


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 100


def shown(value: object) -> str:
    """The ``repr`` of what a file holds, in part if it is long, and however much it is.

    >>> shown(list(range(10**6)))
    '[0, 1, 2, 3, 4, 5, ...]'
    """
    return _SHORT.repr(value)


def printable(text: str) -> str:
    """``text`` as a terminal may get it: control characters, but for ends of lines and tabs, and
    marks that turn the direction of writing are written out.

    >>> printable("safe\\x1b[2J")
    'safe\\\\x1b[2J'
    """
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def parse_yaml(text: str, *, gaps: bool = False) -> Any:
    """What a YAML text holds; nothing in it is run, and no object made but plain ones.

    Raises
    ------
    ValueError
        For what is no YAML, and as :class:`Refused` for a key that stands twice, more than
        :data:`LARGEST` entries once each name is written out, and what :func:`parse_json` refuses.
        ``gaps`` lets NaN and infinity in.
    """
    if re.search("^%TAG", text, re.MULTILINE):  # thousands of them would take minutes
        raise Refused("a %TAG directive")
    try:
        events = yaml.parse(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        content = _Loader(events).get_single_data()
    except Refused:
        raise
    except Exception as error:  # a date in month 13, say, is whatever Python makes of it
        raise _none(error) from None
    return _plain(content, gaps)


def parse_json(text: str) -> Any:
    """What a JSON text holds.

    Raises
    ------
    ValueError
        For what is no JSON, and as :class:`Refused` for a key that stands twice, more than
        :data:`LARGEST` entries or :data:`DEEPEST` levels, half of a pair of surrogates, an integer
        of more than 64 bits, NaN and infinity.
    """
    return _plain(load_json(text), gaps=False)


def load_json(text: str) -> Any:
    """What a JSON text holds, of any size, NaN among it; raises as :func:`parse_json` for a key
    that stands twice and for what is no JSON, or too deep for Python.
    """
    try:
        return json.loads(text, object_pairs_hook=_object)
    except Refused:
        raise
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise _none(error) from None


def _none(error: Exception) -> ValueError:
    return ValueError(f"what is none ({' '.join(str(error).split())[:120]})")


def _too_deep() -> Refused:
    return Refused(f"more than {DEEPEST} levels")


def _too_much() -> Refused:
    return Refused(f"more than {LARGEST:,} entries, each name written out")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        _refuse_twice(key for key, _ in pairs)
    return found


def _refuse_twice(keys: Iterable[Hashable]) -> None:
    known: set[Hashable] = set()
    for key in keys:
        if key in known:
            raise Refused(f"the key {shown(key)} twice")
        known.add(key)


class _Loader(Composer, SafeConstructor, Resolver):
    """PyYAML's safe loader over events that are checked one by one, before anything is made of
    them; a key must stand once in a mapping.
    """

    def __init__(self, events: Iterable[yaml.Event]) -> None:
        for base in (Composer, SafeConstructor, Resolver):
            base.__init__(self)
        self._events = _checked(events)
        self._next = next(self._events, None)
        self._looked_at: set[int] = set()

    def check_event(self, *kinds: type[yaml.Event]) -> bool:
        return isinstance(self._next, kinds or yaml.Event)

    def peek_event(self) -> yaml.Event | None:
        return self._next

    def get_event(self) -> yaml.Event | None:
        event, self._next = self._next, next(self._events, None)
        return event

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Look at a mapping's own keys before those of another are merged into it."""
        if id(node) not in self._looked_at:
            self._looked_at.add(id(node))
            _refuse_twice(
                "<<" if key.tag == _MERGE else self.construct_object(key, deep=True)
                for key, _ in node.value
            )
        super().flatten_mapping(node)


def _checked(events: Iterable[yaml.Event]) -> Iterator[yaml.Event]:
    """The events, up to one with which the text would be too deep, or too much with its names
    written out.
    """
    sizes: dict[str | None, int] = {}  # of what has a name
    begun: list[tuple[str | None, int]] = []  # the names of what has begun, and how much was before
    total = 0
    for event in events:
        if isinstance(event, yaml.CollectionStartEvent):
            begun.append((event.anchor, total))
            total += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            name, before = begun.pop()
            sizes[name] = total - before
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise Refused(f"the name {shown(event.anchor)} before what it stands for is whole")
            total += sizes[event.anchor]
        elif isinstance(event, yaml.ScalarEvent):
            _refuse_long_number(event)
            sizes[event.anchor] = _size(event.value)
            total += sizes[event.anchor]
        if len(begun) > DEEPEST:
            raise _too_deep()
        if total > LARGEST:
            raise _too_much()
        yield event


def _size(text: str) -> int:
    return 1 + len(text) // 20


def _refuse_long_number(event: yaml.ScalarEvent) -> None:
    quoted = not (event.implicit[0] or event.tag)
    if len(event.value) > _DIGITS and not quoted and not event.value.strip("0123456789:_.+-"):
        raise Refused(f"a number of {len(event.value):,} digits")


def _plain(content: Any, gaps: bool) -> Any:
    """``content`` if it consists of what JSON and a date have, and is neither too deep nor too
    much.
    """
    todo, level, total = [content], 0, 0
    while todo:
        level, total = level + 1, total + len(todo)
        if level > DEEPEST + 1:
            raise _too_deep()
        inner: list[Any] = []
        for value in todo:
            if isinstance(value, dict):
                inner += [*value, *value.values()]
            elif isinstance(value, list):
                inner += value
            else:
                _refuse_odd(value, gaps)
                total += _size(value) - 1 if isinstance(value, str) else 0
            if total + len(inner) > LARGEST:
                raise _too_much()
        todo = inner
    return content


def _refuse_odd(value: object, gaps: bool) -> None:
    if isinstance(value, str):
        if not value.isascii() and re.search("[\ud800-\udfff]", value):
            raise Refused(f"text with half of a pair of surrogates, {shown(value)}")
    elif isinstance(value, int):
        if not -(2**63) <= value < 2**64:
            raise Refused(f"an integer of {value.bit_length():,} bits")
    elif isinstance(value, float):
        if not (gaps or math.isfinite(value)):
            raise Refused(f"the number {value}")
    elif value is not None and not isinstance(value, date):
        raise Refused(f"a value of type {type(value).__name__}")
