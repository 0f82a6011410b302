"""What a study consists of, and the list of all: each folder of ``studies`` has one, in
``study.py``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Study:
    """What a study consists of: everything but its title is named by strings.

    ``grids`` maps the name of a grid to ``"module:object"``; ``claims`` names a file in
    ``data/claims``, and ``measures`` the modules whose ``MEASURES`` measure them; ``chapters``
    lists its pages. The first study of a paper says where it can be read (``link``), under which
    ``heading`` its claims stand (else the title), and over how many ``runs`` it averages.

    ``published`` names the tables of results that the paper's authors stored
    (:mod:`lib.ledger.authors`). ``authors`` says how these are asked: which ``measures`` can be,
    and by which ``argument``, whose value (``""`` if it is not given) ``values`` maps to the one
    that asks them.
    """

    title: str
    paper: str
    grids: Mapping[str, str] = field(default_factory=dict)
    claims: str = ""
    measures: tuple[str, ...] = ()
    chapters: tuple[str, ...] = ()
    link: str = ""
    heading: str = ""
    runs: int = 0
    published: tuple[str, ...] = ()
    authors: Mapping[str, Any] = field(default_factory=dict)


@cache
def studies() -> tuple[Study, ...]:
    """Every study's ``STUDY``."""
    listed = import_module("studies").STUDIES
    return tuple(import_module(f"studies.{name}.study").STUDY for name in listed)
