"""What a program imports from the houses, itself or through others."""

from __future__ import annotations

import ast

from lib.paths import HOUSES


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
