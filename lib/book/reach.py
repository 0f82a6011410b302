"""Which files a chapter's result depends on, read off its imports without running anything."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from threading import Lock

__all__ = ["imported", "reachable", "digest"]


_PARSER = (
    Lock()
)  # the parser of Python 3.11 counts its depth for all threads together: two at once can fail


@cache
def imported(source: str, package: str = "lib") -> frozenset[str]:
    """Dotted names below ``package`` that ``source`` imports anywhere, ``from a import b``
    giving ``a`` and ``a.b``.
    """
    names: set[str] = set()
    with _PARSER:
        tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(name for name in names if name.split(".")[0] == package)


def _files(name: str, root: Path) -> list[Path]:
    """The module called ``name``, or the one that a package's face takes the name from."""
    *parts, last = name.split(".")
    above = root.joinpath(*parts)
    for file in (above / last / "__init__.py", (above / last).with_suffix(".py")):
        if file.exists():
            return [file]
    face = above / "__init__.py"
    if not face.exists():  # a name inside a module, which is listed under its own name
        return []
    taken = [n for n in imported(face.read_text(), parts[0]) if n.endswith(f".{last}")]
    return [face, *(file for n in taken for file in _files(n.rpartition(".")[0], root))]


def reachable(source: str, root: Path, package: str = "lib") -> list[Path]:
    """Source files of ``package`` that ``source`` reaches by imports, directly or through
    others, sorted.

    A name that a package's face passes on reaches the module that it comes from, and not the
    others of the face.
    """
    seen: set[Path] = set()
    todo = [file for name in imported(source, package) for file in _files(name, root)]
    while todo:
        file = todo.pop()
        if file in seen:
            continue
        seen.add(file)
        if file.name != "__init__.py" or not _is_face(file.read_text()):
            todo += [f for name in imported(file.read_text(), package) for f in _files(name, root)]
    return sorted(seen)


def _is_face(source: str) -> bool:
    """Whether a package's ``__init__`` has nothing but imports and ``__all__``."""
    body = ast.parse(source).body
    return all(isinstance(n, ast.Expr | ast.Import | ast.ImportFrom | ast.Assign) for n in body)


def digest(files: Iterable[Path], root: Path) -> str:
    """SHA-256 over the names (below ``root`` where they are) and the contents of ``files``."""
    total = hashlib.sha256()
    for file in sorted(files):
        name = file.relative_to(root) if file.is_relative_to(root) else file.name
        total.update(f"{name}\0".encode())
        total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()
