"""Objects by their place, ``"module:object"``, which are imported when they are asked for."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from lib.validate.checks import choice, require


def resolve(
    name: str, value: Any, known: Mapping[str, Any], fits: Callable[[object], bool], what: str
) -> Any:
    """What ``known`` has under ``value``, or what ``value`` names as ``"module:object"``.

    Parameters
    ----------
    name, value : str
        The argument and what was given for it.
    known : mapping
        The objects that the package has by name, or their places.
    fits : callable
        Whether an imported object is of the right kind.
    what : str
        That kind, for the message.

    Raises
    ------
    ValueError
        For an unknown name (with the choices), a module that cannot be found, an object that is not
        in it, or one of another kind. What a module raises while it is imported is left as it is.
    """
    if not (isinstance(value, str) and ":" in value):
        value = known[choice(name, value, known)]
        if not isinstance(value, str):
            return value
    module, _, attribute = value.partition(":")
    try:
        found = getattr(import_module(module), attribute)
    # not there, or half a name
    except (ModuleNotFoundError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(
            f"{name} must be MODULE:OBJECT with a module on Python's path, got {value!r} ({error})"
        ) from error
    require(fits(found), name, f"the name of {what}", value)
    return found


def on_demand(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` of a package that imports a name when it is asked for it.

    The names are those that its face imports under ``TYPE_CHECKING``. There a type checker, an
    editor and what else reads code find them as if they were imported at once.

    >>> import lib.ldp
    >>> "GRR" in dir(lib.ldp), lib.ldp.GRR
    (True, <class 'lib.ldp.grr.GRR'>)
    """
    face = sys.modules[package]
    code = ast.parse(Path(str(face.__file__)).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(code) if isinstance(node, ast.ImportFrom)]
    places = {alias.name: str(node.module) for node in imports for alias in node.names}

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(places[name]), name)
        setattr(face, name, found)
        return found

    return find, lambda: sorted({*vars(face), *places})
