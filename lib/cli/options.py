"""Options of a command from a dataclass, which states names, types, defaults and help.

A field is ``name: Annotated[type, help, metavar] = default``; the first one is the positional
argument. Its type says how text is read: ``tuple[str, ...]`` takes several words, ``Mapping`` and
``tuple[str, str]`` take ``NAME=VALUE``, a tuple within a tuple or a mapping is split at commas.
"""

from __future__ import annotations

import os
import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from lib.runner.store import UNSEALED

_PATHS, _RUN = (Path, Path | None), ("curator",)
_WORDS = {int: "an integer", float: "a number"}


def add_fields(parser: ArgumentParser, kind: type) -> None:
    """Add an argument for each field of the dataclass ``kind``; one that is not given is absent."""
    positional, *options = fields(kind)
    hints = get_type_hints(kind, include_extras=True)
    parser.add_argument(positional.name, help=hints[positional.name].__metadata__[0])
    for field in options:
        hint, default = hints[field.name], field.default
        words, *metavar = hint.__metadata__
        flag = f"--{field.name.replace('_', '-')}"
        if hint.__origin__ is bool:
            parser.add_argument(flag, action="store_true", default=SUPPRESS, help=words)
            continue
        several = get_origin(hint.__origin__) is Mapping or ... in get_args(hint.__origin__)
        if default not in (MISSING, None, ()):
            shown = " ".join(map(str, default)) if isinstance(default, tuple) else default
            words += f" (default {shown})"
        parser.add_argument(
            flag,
            required=default is field.default_factory,  # both are missing
            default=SUPPRESS,
            nargs="+" if several else None,
            metavar=metavar[0] if metavar else None,
            help=words,
        )


def read_fields(args: Namespace, kind: type) -> dict[str, Any]:
    """The fields of the dataclass ``kind`` that were given, read from their text.

    Raises
    ------
    ValueError
        For text that is no ``NAME=VALUE``, or no number, where one is needed.
    """
    hints = get_type_hints(kind)
    given = {f.name: getattr(args, f.name) for f in fields(kind) if hasattr(args, f.name)}
    # what the system is handed keeps the form in which it came
    typed = {
        n: text if n in _RUN or hints[n] in _PATHS else _utf8(text) for n, text in given.items()
    }
    return {name: _read(name, hints[name], text) for name, text in typed.items()}


def _utf8(text: Any) -> Any:
    """What was typed as UTF-8, also where the locale is ASCII."""
    if isinstance(text, list):
        return [_utf8(part) for part in text]
    return os.fsencode(text).decode(errors="replace") if isinstance(text, str) else text


def add_unsealed(parser: ArgumentParser) -> None:
    """The option ``--unsealed``, which :func:`believe_unsealed` answers."""
    parser.add_argument(
        "--unsealed",
        action="store_true",
        help="believe results files without a seal or without provenance",
    )


def believe_unsealed(args: Namespace) -> None:
    """Believe such files in this process and its children, and say so, if it was asked for."""
    if args.unsealed:
        os.environ[UNSEALED] = "1"
        print(
            "results files without a seal or without provenance are believed (--unsealed): what"
            " follows is not shown to be what the grids computed",
            file=sys.stderr,
        )


def _read(name: str, hint: Any, text: Any) -> Any:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is UnionType:  # X | None
        return _read(name, parts[0], text)
    if origin is Mapping:
        return {key: _read(name, parts[1], value) for key, value in (_pair(name, t) for t in text)}
    if origin is tuple and ... in parts:
        return tuple(
            _read(name, parts[0], t) for t in (text.split(",") if isinstance(text, str) else text)
        )
    if origin is tuple:
        return _pair(name, text)
    try:
        return hint(text)
    except ValueError:
        raise ValueError(f"{name} must be {_WORDS[hint]}, got {text!r}") from None


def _pair(name: str, text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    if not (key and value):
        raise ValueError(f"{name} must be NAME=VALUE, got {text!r}")
    return key, value
