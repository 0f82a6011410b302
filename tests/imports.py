"""What a program imports from the houses, itself or through others."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from lib.paths import HOUSES, ROOT


def imported(source: str) -> set[str]:
    """Dotted names below the houses that ``source`` imports anywhere, ``from a import b`` giving
    ``a`` and ``a.b``.
    """
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in found if name.split(".")[0] in HOUSES}


def reachable(source: str) -> set[Path]:
    """The modules that ``source`` imports, or names as ``"lib.ldp.grr:GRR"``, and theirs in turn;
    of a package's face only what passes a name on.
    """
    found: set[Path] = set()
    seen: set[str] = set()
    todo = _taken(source)
    while todo - seen:
        seen.add(name := (todo - seen).pop())
        base = ROOT.joinpath(*name.split("."))
        above, _, last = name.rpartition(".")
        face = base.parent / "__init__.py"
        for file in (base.with_suffix(".py"), base / "__init__.py"):
            if file.exists():
                found.add(file)
                todo |= _taken(file.read_text("utf-8"))
                break
        else:
            passed_on = imported(face.read_text("utf-8")) if face.exists() else {above}
            todo |= {one for one in passed_on if one == above or one.rpartition(".")[2] == last}
    return found - {ROOT / "__init__.py"}


def _taken(source: str) -> set[str]:
    """What ``source`` takes from modules, and what it names by text."""
    names = imported(source)
    inner = {name for name in names if not any(other.startswith(f"{name}.") for other in names)}
    places = re.findall(r'"((?:lib|studies)[\w.]+:\w+)"', source)
    return inner | {place.replace(":", ".") for place in places}
