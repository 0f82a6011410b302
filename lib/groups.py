"""Groups of people: a group is its name, and a collection of groups maps names to members.

A name is text: ``"everyone"``, the values that the members share (``"SEX = 1"``, crossed
``"SEX = 1 & RAC1P = 2"``), or words of your own (``"men & Black"``). Members are a bool array with
one entry for each row of a table. A stored score has the name in a column ``group``, and a function
that works on groups takes the mapping. There is no other form of a group: no tuples of codes, and
no names of groups in the names of columns.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from lib import validate

EVERYONE = "everyone"
_PART = r'("(?:[^"\\]|\\.)*"|(?!").*?)'
_VALUE = re.compile(rf"{_PART} = {_PART}(?: & |$)", re.DOTALL)
_NUMBER = r"-?[\d.]+(?:e[+-]?\d+)?"
_BAND = re.compile(
    rf" = (?:< {_NUMBER}|>= ({_NUMBER})|({_NUMBER})-{_NUMBER}|\[({_NUMBER}), {_NUMBER}\))(?= & |$)"
)


def group_name(values: Mapping[str, object]) -> str:
    """The name of the group of people with these values, by column.

    What has " & " or " = " in it is quoted, as in JSON, so that :func:`group_values` reads it.

    Examples
    --------
    >>> group_name({"SEX": 1, "RAC1P": 2}), group_name({})
    ('SEX = 1 & RAC1P = 2', 'everyone')
    >>> group_name({"job": "arts & crafts"})
    'job = "arts & crafts"'
    """
    parts = (f"{_quoted(c)} = {_quoted(_written(value))}" for c, value in values.items())
    return " & ".join(parts) or EVERYONE


def _quoted(part: object) -> str:
    text = str(part)
    plain = not re.search(r'^"|(?:^| )[&=](?: |$)', text)
    return text if plain else json.dumps(text, ensure_ascii=False)


def _written(value: object) -> object:
    """A whole number without a point: one missing value in a column makes floats of its codes."""
    return int(value) if isinstance(value, float | np.floating) and value.is_integer() else value


def group_values(name: str) -> dict[str, str]:
    """The values, as text, that a name made by :func:`group_name` states.

    Examples
    --------
    >>> group_values("SEX = 1 & RAC1P = 2"), group_values("everyone")
    ({'SEX': '1', 'RAC1P': '2'}, {})
    >>> group_values('sex = f & job = "arts & crafts"')
    {'sex': 'f', 'job': 'arts & crafts'}
    """
    found = {} if name == EVERYONE else {m[1]: m[2] for m in _VALUE.finditer(name)}
    return {_unquoted(column): _unquoted(value) for column, value in found.items()}


def _unquoted(part: str) -> str:
    return json.loads(part) if part.startswith('"') else part


def groups(
    frame: pd.DataFrame,
    columns: Sequence[str] = (),
    crossings: Sequence[Sequence[str]] = (),
    predicates: Mapping[str, Callable[[pd.DataFrame], object]] | None = None,
    *,
    everyone: bool = True,
) -> dict[str, np.ndarray]:
    """Name to members, a bool array of shape (n,), in the order asked for.

    Parameters
    ----------
    columns : names
        One group for each value that occurs: ``"SEX = 1"``. Missing values make no group.
    crossings : sequences of names
        One group for each combination that occurs: ``"SEX = 1 & RAC1P = 2"``.
    predicates : mapping
        Name to a function of the table that says who is in.

    Raises
    ------
    ValueError
        For an unknown column, a predicate of another shape, or a name that comes twice.

    Examples
    --------
    >>> people = pd.DataFrame({"sex": ["f", "m", "f"]})
    >>> {name: who.sum().item() for name, who in groups(people, ["sex"]).items()}
    {'everyone': 3, 'sex = f': 2, 'sex = m': 1}
    """
    return groups_by_size(frame, columns, crossings, predicates, gamma=0, everyone=everyone)[0]


def groups_by_size(
    frame: pd.DataFrame,
    columns: Sequence[str] = (),
    crossings: Sequence[Sequence[str]] = (),
    predicates: Mapping[str, Callable[[pd.DataFrame], object]] | None = None,
    *,
    gamma: float,
    everyone: bool = True,
) -> tuple[dict[str, np.ndarray], dict[str, int]]:
    """:func:`groups` of at least ``gamma`` members, and the sizes of all smaller ones.

    The members of the smaller ones are never listed. A column of thousands of values in a large
    table has thousands of groups; counted first, most cost nothing.

    Examples
    --------
    >>> large, small = groups_by_size(pd.DataFrame({"sex": ["f", "m", "f"]}), ["sex"], gamma=2)
    >>> list(large), small
    (['everyone', 'sex = f'], {'sex = m': 1})
    """
    validate.table("frame", frame)
    validate.budget("gamma", gamma, low=0, high=math.inf)
    alone = [(column,) for column in validate.names("columns", columns)]
    crossed = [validate.names("crossing", c) for c in validate.sequence("crossings", crossings)]
    large: dict[str, np.ndarray] = {}
    small: dict[str, int] = {}

    def add(name: str, size: int, who: Callable[[], np.ndarray]) -> None:
        if name in large or name in small:
            raise ValueError(f"groups must have different names, got {name!r} twice")
        if size >= gamma:
            large[name] = who()
        else:
            small[name] = size

    if validate.boolean("everyone", everyone):
        add(EVERYONE, len(frame), lambda: np.ones(len(frame), dtype=bool))
    for crossing in [*alone, *crossed]:
        numbers = _numbers(frame, crossing)
        there = np.flatnonzero(numbers >= 0)
        found, first, sizes = np.unique(numbers[there], return_index=True, return_counts=True)
        values = (frame[column].iloc[there[first]].tolist() for column in crossing)
        for number, size, *own in zip(found, sizes.tolist(), *values, strict=True):
            name = group_name(dict(zip(crossing, own, strict=True)))
            add(name, size, partial(np.equal, numbers, number))
    for name, predicate in (predicates or {}).items():
        answer = predicate(frame)
        who = np.asarray(answer)
        if who.shape != (len(frame),) or who.dtype != bool:
            raise ValueError(
                f"predicate {name!r} must return bool of shape ({len(frame)},), got {who.dtype} of"
                f" shape {who.shape}"
            )
        if isinstance(answer, pd.Series) and not answer.index.equals(frame.index):
            raise ValueError(
                f"predicate {name!r} must return the rows of the table in their order, got"
                f" {answer.index!r}"
            )
        add(name, int(who.sum()), partial(np.asarray, who))
    return large, small


def _numbers(frame: pd.DataFrame, crossing: Sequence[str]) -> np.ndarray:
    """The number of each row's group in a crossing of columns, in the order of the values.

    NaN stands for a missing value.
    """
    for column in crossing:
        validate.column("column", column, frame)
    # categories have an order of their own
    by = [frame[c].astype(object) if frame[c].dtype == "category" else frame[c] for c in crossing]
    return frame.groupby(by).ngroup().to_numpy()


def to_bands(values: pd.Series, edges: Sequence[float]) -> pd.Series:
    """Each number as the band it falls into, such as ``"18-24"``.

    The first and the last band are ``"< a"`` and ``">= b"``. A band of other than whole numbers is
    written ``"[18, 25)"``. A missing number falls into none and stays missing.

    Examples
    --------
    >>> to_bands(pd.Series([3, 18, 70]), (18, 65)).tolist()
    ['< 18', '18-64', '>= 65']
    """
    validate.instance("values", values, pd.Series)
    edges = validate.reals("edges", validate.sequence("edges", edges)).tolist()
    if edges != sorted(set(edges)) or not edges:
        raise ValueError(f"edges must be increasing numbers, got {edges!r}")
    missing = values.isna()
    there = validate.reals("values", values[~missing])
    whole = np.mod(np.concatenate([there, edges]), 1).max() == 0
    middle = [f"{a:g}-{b - 1:g}" if whole else f"[{a:g}, {b:g})" for a, b in pairwise(edges)]
    names = np.array([f"< {edges[0]:g}", *middle, f">= {edges[-1]:g}"], dtype=object)
    bands = pd.Series(None, index=values.index, name=values.name, dtype=object)
    bands[~missing] = names[np.digitize(there, edges)]  # digitize would put NaN into the last band
    return bands


def bands_in_order(names: Iterable[str]) -> list[str]:
    """Names of groups for display: bands of a number come from low to high.

    All else stays in the order in which it came. :func:`groups` sorts bands by their letters and
    stays so: the groups' order is that of the draws behind stored results.

    Examples
    --------
    >>> bands_in_order(["age = 18-64", "age = 65-99", "age = < 18"])
    ['age = < 18', 'age = 18-64', 'age = 65-99']
    """
    listed = validate.names("names", list(names) if isinstance(names, Mapping) else names)
    parts = {name: _without_bands(name) for name in listed}
    first: dict[str, int] = {}
    for rest, _ in parts.values():
        first.setdefault(rest, len(first))
    return sorted(parts, key=lambda name: (first[parts[name][0]], parts[name][1]))


def _without_bands(name: str) -> tuple[str, tuple[float, ...]]:
    """The name with its bands cut out, and the numbers where these begin."""
    begin = tuple(
        float(band[band.lastindex]) if band.lastindex else -math.inf
        for band in _BAND.finditer(name)
    )
    return _BAND.sub(" in a band", name), begin


def mask(name: str, values: object, n: int, whose: str, *, rows: bool = False) -> np.ndarray:
    """``values`` as a bool array of shape (n,), if they are truth values for each of ``whose``.

    With ``rows``, of any shape (..., n).
    Numbers are refused: ``[1, 0, 1]`` may say who is in, or be the rows of three people.
    """
    found = validate.array(name, values)
    if found.dtype.kind == "O" and all(isinstance(entry, bool | np.bool_) for entry in found.flat):
        found = found.astype(bool)
    validate.require(found.dtype == bool, name, "an array of True and False", values)
    fits = found.shape[-1:] == (n,) and (rows or found.ndim == 1)
    shape = f"of shape {f'(..., {n})' if rows else (n,)}, for each of {whose}"
    validate.require(fits, name, shape, found.shape)
    return found


def masks(name: str, groups: Mapping[str, Any], n: int, whose: str) -> dict[str, np.ndarray]:
    """The :func:`mask` of each of ``groups``."""
    validate.instance(name, groups, Mapping)
    return {group: mask(f"{name} of {group!r}", who, n, whose) for group, who in groups.items()}


def groups_of_at_least(found: Mapping[str, np.ndarray], gamma: float) -> dict[str, np.ndarray]:
    """The groups with at least ``gamma`` members (Definition 3).

    Examples
    --------
    >>> list(groups_of_at_least({"a": np.array([True, True]), "b": np.array([True, False])}, 2))
    ['a']
    """
    validate.positive("gamma", gamma)
    validate.instance("found", found, Mapping)
    n = len(next(iter(found.values()), ()))
    own = masks("found", found, n, "the first of them")
    return {name: who for name, who in own.items() if who.sum() >= gamma}
