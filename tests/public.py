"""The public names of modules, for tests that ask something of each."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module
from pkgutil import walk_packages


def names_of(module: str) -> list[str]:
    """What a module defines without a leading underscore, and what it passes on: a package's face
    all that it imports from the package, a module ``name as name``.
    """
    item, found = import_module(module), []
    body = ast.parse(inspect.getsource(item)).body
    on_demand = [inner for node in body if isinstance(node, ast.If) for inner in node.body]
    for node in [*body, *on_demand]:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                found.append(node.name)
            case ast.Assign() | ast.AnnAssign():
                bound = node.targets if isinstance(node, ast.Assign) else [node.target]
                names = (n for target in bound for n in ast.walk(target))
                found += [name.id for name in names if isinstance(name, ast.Name)]
            case ast.ImportFrom(module=origin):
                face = hasattr(item, "__path__") and str(origin).startswith(("lib.", "studies."))
                found += [a.name for a in node.names if face or a.asname == a.name]
    return [name for name in found if not name.startswith("_")]


def modules_of(package: str) -> list[str]:
    """The modules below a package, or the module itself."""
    item = import_module(package)
    below = walk_packages(getattr(item, "__path__", ()), f"{package}.")
    return [m.name for m in below if not m.ispkg and "__main__" not in m.name] or [package]
