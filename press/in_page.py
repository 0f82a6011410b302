"""Python inside a page: packages that unpack when they are imported, and cells run one by one.

``chapters/_static/live.js`` starts Pyodide in a worker and calls :func:`start` and :func:`run`.
Nothing of weight is imported here: the first cell decides what it needs.
"""

from __future__ import annotations

import ast
import ctypes
import importlib
import importlib.machinery
import io
import json
import linecache
import os
import sys
import traceback
import zipfile
from collections.abc import Callable, Mapping
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from press.packed import unpack_table

Take = Callable[[str], bytes]
Show = Callable[[str, str], None]


class NotInThePage(OSError):
    """Something that the Python of a page does not have was used; code that asks for a program and
    can do without, as for git, expects an ``OSError``.
    """


class _Absent(type):
    """Of classes that may be imported, also as modules, named in an ``except`` and looked into,
    but not called.
    """

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _absent(f"{cls.__name__}.{name}")

    def __call__(cls, *_: Any, **__: Any) -> Any:
        raise NotInThePage(f"{cls.__name__.split('.')[0]} is not in the Python of this page")


def _absent(name: str) -> Any:
    return _Absent(name, (Exception,), {})


@dataclass
class Packages:
    """A finder that unpacks a package of Pyodide when it is first imported.

    Parameters
    ----------
    packages : mapping
        Name -> ``{"file_name", "imports", "depends"}``, as in Pyodide's lock file.
    absent : list of str
        Modules that our code imports and that do not exist here.
    take : callable
        The bytes of a file by its name.
    folder : str
        Where packages go.
    link : callable
        Called with the path of a shared library that others look for by its bare name.
    """

    packages: dict[str, Mapping[str, Any]]
    absent: list[str]
    take: Take
    folder: str
    link: Callable[[str], None]

    def __post_init__(self) -> None:
        self.names = {name: key for key, p in self.packages.items() for name in p["imports"]}

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Unpack what ``name`` belongs to, and leave the import to the other finders."""
        if name in self.names:
            self.unpack(self.names[name])
        elif name == "lib.datasets.load":
            vars(importlib.import_module("pandas"))["read_parquet"] = _read_parquet
        elif name == "lib.programs":
            vars(importlib.import_module("joblib"))["Parallel"] = _one_process()
            vars(importlib.import_module("subprocess"))["Popen"] = _absent("subprocess.Popen")
        elif name.split(".")[0] in self.absent and _asked_by_us():
            loader: Any = self
            return importlib.machinery.ModuleSpec(name, loader, is_package=True)
        return None

    def create_module(self, spec: Any) -> Any:
        """What has every name."""
        return _absent(spec.name)

    def exec_module(self, module: Any) -> None:
        """Nothing to run."""

    def unpack(self, package: str) -> None:
        """Put ``package`` and what it depends on into the folder, once."""
        if not (found := self.packages.pop(package, None)):  # it is there, or not needed
            return
        for other in found["depends"]:
            self.unpack(other)
        with zipfile.ZipFile(io.BytesIO(self.take(found["file_name"]))) as archive:
            archive.extractall(self.folder)
            libraries = [n for n in archive.namelist() if n.endswith(".so") and ".cpython" not in n]
        for library in libraries:
            path = os.path.join(self.folder, library)
            ctypes.CDLL(path, ctypes.RTLD_GLOBAL)
            self.link(path)
        importlib.invalidate_caches()


def _asked_by_us() -> bool:
    """Whether our code or a cell imports: other packages try an absent one and do without."""
    frame: Any = sys._getframe(2)
    while frame and frame.f_globals.get("__name__", "").startswith("importlib"):
        frame = frame.f_back
    asker = frame.f_globals.get("__name__", "") if frame else ""
    return asker.split(".")[0] in ("lib", "studies", "__main__")


_state: dict[str, Any] = {}


def start(settings: str, take: Take, show: Show, link: Callable[[str], None], root: str) -> None:
    """Make the imports of cells work: packages, displays, stored tables.

    Parameters
    ----------
    settings : str
        JSON with ``packages`` and ``absent``.
    take, link : callable
        See :class:`Packages`.
    show : callable
        Receives the kind (``"text"``, ``"html"`` or ``"error"``) and the content of each output.
    root : str
        The folder of the book, with ``lib`` and ``data``.
    """
    given = json.loads(settings)
    os.environ |= {
        "MPLBACKEND": "agg",
        "MATPLOTLIBRC": f"{root}/lib/plotting/companion.mplstyle",
        "COMPANION_OFFLINE": "1",
        "COMPANION_CACHE": f"{root}/cache",
    }
    site = f"{root}/site"
    os.makedirs(site, exist_ok=True)
    sys.path.append(site)
    sys.meta_path.insert(0, Packages(given["packages"], given["absent"], take, site, link))
    _state.update(show=show, names={"__name__": "__main__"})
    _take_counts_of_64_bits()
    shown = _stand_in("IPython.display", display=_display)
    _stand_in("IPython", display=shown, get_ipython=lambda: None)
    _stand_in("myst_nb", glue=lambda *_, **__: None)
    _stand_in("filelock", FileLock=lambda *_, **__: nullcontext(), Timeout=TimeoutError)
    _stand_in("lib.runner.tables", read_table=_stored, write_table=None, tidy=_tidy)


def _take_counts_of_64_bits() -> None:
    """NumPy counts in 32 bits here, and would refuse the integers of 64 bits that it draws."""
    import numpy as np

    def counts(values: Any) -> Any:
        found = np.asarray(values)
        return found.astype(np.intp, casting="same_kind") if found.dtype.kind == "i" else found

    bincount, repeat = np.bincount, np.repeat
    vars(np)["bincount"] = lambda x, *rest, **given: bincount(counts(x), *rest, **given)
    vars(np)["repeat"] = lambda a, repeats, axis=None: repeat(a, counts(repeats), axis)


def _one_process() -> type:
    """Joblib's ``Parallel`` for a page, which has one process: no other to start or to end."""
    from joblib.parallel import Parallel

    class InOneProcess(Parallel):
        def __init__(self, n_jobs: Any = 1, return_as: str = "list", **_: Any) -> None:
            super().__init__(n_jobs=1, return_as=return_as)

    return InOneProcess


def _stand_in(name: str, **content: Any) -> ModuleType:
    module = ModuleType(name)
    module.__dict__.update(content)
    sys.modules[name] = module
    return module


def _display(thing: Any, raw: bool = False) -> None:
    _flush()
    if raw:  # of the forms of an output, the one that is shown
        html, plain = thing.get("text/html"), thing.get("text/plain", "")
    else:
        html, plain = getattr(thing, "_repr_html_", lambda: None)(), repr(thing)
    _state["show"]("html" if html else "text", html or plain)


def _flush() -> None:
    if written := _state["out"].getvalue():
        _state["show"]("text", written)
        _state["out"].seek(0)
        _state["out"].truncate()


def run(source: str, name: str) -> str:
    """Run the cell that the page calls ``name``, and return ``"done"``, ``"absent"`` (a library is
    not here) or ``"error"``.

    The value of a last expression is displayed, as in a notebook.
    """
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    _state["out"] = io.StringIO()
    outcome = "done"
    try:
        with redirect_stdout(_state["out"]), redirect_stderr(io.StringIO()):
            _execute(source, name)
    except BaseException as error:
        _flush()
        outcome = "absent" if isinstance(error, NotInThePage) else "error"
        _state["show"]("error", str(error) if outcome == "absent" else _traceback(error, name))
    _flush()
    return outcome


def _execute(source: str, name: str) -> None:
    tree, names = ast.parse(source, name), _state["names"]
    # the book's style is Matplotlib's default here: no need to load it for a cell without a figure
    tree.body = [n for n in tree.body if ast.unparse(n) != "setup_style()"]
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body.pop()
    exec(compile(tree, name, "exec"), names)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), name, "eval"), names)
        if value is not None:
            _display(value)


def _traceback(error: BaseException, name: str) -> str:
    """From the cell on: the frames above are ours."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename != name:
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))


def _read(path: str) -> Any:
    with open(path, "rb") as file:
        return unpack_table(file.read())


def _read_parquet(path: Any) -> Any:
    return _read(f"{path}.npz")


def _stored(path: Any) -> Any:
    """The records of a grid; in place of their scores, the name of the file that has them."""
    frame, beside = _read(path), f"{path}.scores"
    return frame.assign(scores=beside) if os.path.exists(beside) else frame


def _tidy(records: Any) -> Any:
    table = _read(records["scores"].iloc[0])
    return table[table["cell"].isin(records["cell"])].reset_index(drop=True)
