"""A module imports only from floors below its own, over all houses; only text leads up."""

from __future__ import annotations

import ast
import re

from lib.paths import HOUSES, ROOT

TABLE = re.findall(r"^\| (\d) \| (.+) \|$", (ROOT / "ARCHITECTURE.md").read_text("utf-8"), re.M)
FLOORS = {room: int(n) for n, rooms in TABLE for room in re.findall(r"`([\w.]+)`", rooms)}
MODULES = {p: ast.parse(p.read_text("utf-8")) for h in HOUSES for p in (ROOT / h).rglob("*.py")}


def named(tree: ast.AST) -> set[str]:
    """Dotted names below the houses that a module imports anywhere, also inside a function."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.split(".")[0] in HOUSES}


def room(name: str) -> str:
    """A folder or module of ``lib``, or another house."""
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] == "lib" else parts[0]


def test_no_import_climbs_and_no_study_imports_another():
    """But those that compare the other studies, and what all share."""
    assert len(MODULES) > 150
    for path, tree in MODULES.items():
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for name in named(tree):
            if room(name) not in (room(module), "lib.__version__"):
                why = "import it from below, or name it by text (ARCHITECTURE.md has the floors)"
                assert FLOORS[room(name)] < FLOORS.get(room(module), 9), (module, name, why)
            study, other = module.split(".")[1], name.split(".")[1]
            if room(module) == room(name) == "studies" and module.count(".") > 1:
                shared = {study, "data", "measures", "hypotheses"}
                assert study in ("cross_paper", "pooling", "replicas") or other in shared, (
                    module,
                    name,
                )
