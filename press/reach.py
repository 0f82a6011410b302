"""Which files a chapter's result depends on, without running anything.

They are read off its imports, and off texts that name what is imported on demand.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Lock

from lib.datasets.cache import sha256_of
from lib.paths import HOUSES

_PARSER = Lock()  # that of Python 3.11 counts its depth for all threads: two at once can fail
_WORDS = (ast.Expr, ast.Import, ast.ImportFrom)
_PLACE = re.compile(r"[\w.]+:\w+")  # of an object that is imported when it is asked for


def _parsed(source: str) -> ast.Module:
    with _PARSER:
        return ast.parse(source)


@cache
def _imports(source: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Modules that ``source`` takes names from, the things that it takes, dotted, and those that
    it names by text, ``"module:object"``.
    """
    modules = set()
    things = set()
    places = set()
    for node in ast.walk(_parsed(source)):
        if isinstance(node, ast.Import):
            things |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module)
            things |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and _PLACE.fullmatch(str(node.value)):
            places.add(str(node.value).replace(":", "."))
    return _ours(modules), _ours(things), _ours(places)


def is_python(source: str) -> bool:
    """Whether ``source`` can be parsed."""
    with suppress(SyntaxError):
        return bool(_parsed(source))
    return False


def _ours(names: set[str]) -> frozenset[str]:
    return frozenset(name for name in names if name.split(".")[0] in HOUSES)


def imported(source: str) -> frozenset[str]:
    """Dotted names below the houses of code that ``source`` imports anywhere, ``from a import b``
    giving ``a`` and ``a.b``.
    """
    modules, things, _ = _imports(source)
    return modules | things


def _asked_for(source: str) -> frozenset[str]:
    """Dotted names of what ``source`` imports or names by text."""
    return frozenset.union(*_imports(source)[1:])


def _files(name: str, root: Path) -> tuple[list[Path], Path | None]:
    """Files that an import of ``name`` runs, and the one among them whose imports it needs.

    Of a package's face only the import that passes ``name`` on is needed, unless the package
    itself is what is imported. Faces that nothing is taken from have no effect and are left out.
    """
    parts = name.split(".")
    bases = [root.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1)]
    faces = [base / "__init__.py" for base in bases]
    run = [face for face in faces[:-1] if face.exists() and not _is_face(face)]
    # the package of that name, the module, or the module that has a thing of that name
    places = [faces[-1], *(base.with_suffix(".py") for base in reversed(bases[-2:]))]
    needed = next(filter(Path.exists, places), None)
    return [*run, *([needed] if needed else filter(Path.exists, faces[-2:-1]))], needed


def _is_face(path: Path) -> bool:
    """Whether an ``__init__`` has nothing but words and imports."""
    return all(isinstance(node, _WORDS) for node in _parsed(path.read_text("utf-8")).body)


def _passed_on(name: str, root: Path) -> list[str]:
    """What a package's face imports under the last part of ``name``."""
    above, _, last = name.rpartition(".")
    face = root.joinpath(*above.split("."), "__init__.py")
    things = _imports(face.read_text("utf-8"))[1] if face.exists() else ()
    return [thing for thing in things if thing.rpartition(".")[2] == last]


def reachable(source: str, root: Path) -> list[Path]:
    """Source files of the houses that ``source`` reaches by imports or by texts as
    ``"lib.ldp.grr:GRR"``, directly or through others, sorted.

    A name that a package's face passes on reaches the module that it comes from, and not the
    others of the face.
    """
    seen = set()
    read: set[Path] = set()
    todo = list(_asked_for(source))
    while todo:
        name = todo.pop()
        run, needed = _files(name, root)
        seen.update(run)
        if needed is None:
            todo += _passed_on(name, root)
        elif needed not in read:
            read.add(needed)
            todo += _asked_for(needed.read_text("utf-8"))
    return sorted(seen)


def digest(files: Iterable[Path], root: Path) -> str:
    """SHA-256 over the names (below ``root`` where they are) and the contents of ``files``."""
    total = hashlib.sha256()
    for file in sorted(files):
        name = file.relative_to(root) if file.is_relative_to(root) else file.name
        total.update(f"{name}\0".encode())
        total.update(bytes.fromhex(sha256_of(file)))
    return total.hexdigest()
