"""The file of a schema: YAML, in which each scalar is what it shows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import MISSING as NEEDED
from dataclasses import fields
from pathlib import Path
from typing import Any

import yaml

from lib import validate
from lib.files import read_yaml
from lib.table.kinds import Category, Coded, Date, Number, plain
from lib.table.reading import canonical_text

IGNORE = "ignore"  # stands in a schema for a column that is not coded
# numbers of YAML that are what they show: as a value, with one spelling; as a limit, with any
_AS_SHOWN = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.(?:0|[0-9]*[1-9]))?(?:e[+-][0-9]+)?")
_LIMIT = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def schema_text(schema: Mapping[str, Coded | str]) -> str:
    """A schema in YAML, of which :func:`read_schema` makes an equal one.

    Equal schemas in one order of columns have one text: it is made of the parameters alone, each
    number in one form, without those that have their default. The comments of a file that a schema
    was read from are not in it, because those of a draft count people.

    Examples
    --------
    >>> print(schema_text({"age": Number(low=0.0, high=99, bins=10, whole=True), "id": "ignore"}))
    age: {low: 0, high: 99, bins: 10, whole: true}
    id: ignore
    <BLANKLINE>
    """
    return "".join(
        entry_text(name, column if isinstance(column, str) else _parameters(column))
        for name, column in schema.items()
    )


def entry_text(name: str, entry: Mapping[str, Any] | str) -> str:
    """A column of a schema in YAML, its parameters in one line.

    Examples
    --------
    >>> entry_text("sex", {"values": ["f", "m"]})
    'sex:\\n  values: [f, m]\\n'
    """
    own: Mapping[str, Any] = {} if isinstance(entry, str) else entry
    texts = [own.get("other"), *own.get("values", ()), *own.get("gaps", ())]
    # escaped otherwise, because libyaml reads some ends of lines as others than PyYAML wrote
    printable = all(str(text).isprintable() for text in [name, *texts])
    return yaml.safe_dump(
        {name: entry if isinstance(entry, str) else dict(entry)},
        default_flow_style=None if isinstance(entry, dict) else False,
        sort_keys=False,
        width=10**9,
        allow_unicode=printable,
    )


def _parameters(column: Coded) -> dict[str, object]:
    """The parameters of a column but for defaults, in the types that YAML has."""
    values = ((field, getattr(column, field.name)) for field in fields(column))
    return {field.name: plain(value) for field, value in values if value != field.default}


def read_schema(path: Path) -> dict[str, Coded | str]:
    """The schema in a YAML file: a mapping from each column to ``ignore``, or to the parameters of
    a :class:`Category` (with ``values``), a :class:`Date` (with ``first``) or a :class:`Number`.

    Raises
    ------
    ValueError
        That names the file and the column, for anything else; and the line, for a text without
        quotes that YAML reads as something else, such as 01101 (octal), 12:30, yes or 2.50.
    """
    schema = {}
    entries = read_yaml(path, dict)
    _require_plain(path)
    for name, entry in entries.items():
        try:
            schema[name] = entry if entry == IGNORE else _coded(entry)
        except ValueError as error:
            raise ValueError(f"{path.name}, column {name!r}: {error}") from None
    return schema


def _coded(entry: object) -> Coded:
    if not isinstance(entry, dict):
        raise validate.refusal("entry", f"{IGNORE!r} or a mapping", entry)
    kind: type[Coded] = Category if "values" in entry else Date if "first" in entry else Number
    allowed = {field.name: field.default is NEEDED for field in fields(kind)}
    for name in entry:
        validate.choice("entry", name, allowed)
    for name, needed in allowed.items():
        validate.require(not needed or name in entry, name, "given", None)
    return kind(**entry)


def _require_plain(path: Path) -> None:
    """Refuse, with its line, a text without quotes that YAML reads as something else."""
    root = yaml.compose(path.read_text(encoding="utf-8-sig"), yaml.SafeLoader)
    for name, entry in root.value:
        _require_shown(path, name, name, "name")
        for key, value in entry.value if isinstance(entry, yaml.MappingNode) else ():
            inside = value.value if isinstance(value, yaml.SequenceNode) else [value]
            for node in inside:
                _require_shown(path, name, node, key.value)


def _require_shown(path: Path, column: yaml.Node, node: yaml.Node, key: str) -> None:
    kind, text = node.tag.rpartition(":")[2], str(node.value)
    texts = dict.fromkeys(("name", "gaps", "other"))
    number = ({"values": _AS_SHOWN} | texts).get(key, _LIMIT)
    if kind in ("int", "float"):
        good = number is not None and number.fullmatch(text) is not None
    else:
        good = number is _LIMIT or kind in ("str", "seq", "map", "merge")
    if good:
        return
    words = "a number in decimals" if number is _LIMIT else f"'{text}'"
    if number is _AS_SHOWN and (plain := canonical_text(text)) != text:
        words += f", or {plain} for the number"
    raise ValueError(
        f"{path.name}, line {node.start_mark.line + 1}, column {column.value!r}: {key} must have"
        f" quotes where YAML reads something else than it shows, got {text} (write {words})"
    )
