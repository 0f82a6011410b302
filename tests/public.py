"""The public names of modules, for tests that ask something of each."""

from __future__ import annotations

import ast
import inspect
from importlib import import_module


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
