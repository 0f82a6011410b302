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
    """The module called ``name`` and the packages above it, where they exist."""
    parts, found = name.split("."), []
    for depth in range(1, len(parts) + 1):
        base = root.joinpath(*parts[:depth])
        found += [file for file in (base / "__init__.py", base.with_suffix(".py")) if file.exists()]
    return found


def reachable(source: str, root: Path, package: str = "lib") -> list[Path]:
    """Source files of ``package`` that ``source`` reaches by imports, directly or through
    others, sorted.
    """
    seen: set[Path] = set()
    todo = [file for name in imported(source, package) for file in _files(name, root)]
    while todo:
        file = todo.pop()
        if file in seen:
            continue
        seen.add(file)
        todo += [f for name in imported(file.read_text(), package) for f in _files(name, root)]
    return sorted(seen)


def digest(files: Iterable[Path], root: Path) -> str:
    """SHA-256 over the names (below ``root`` where they are) and the contents of ``files``."""
    total = hashlib.sha256()
    for file in sorted(files):
        name = file.relative_to(root) if file.is_relative_to(root) else file.name
        total.update(f"{name}\0".encode())
        total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()
