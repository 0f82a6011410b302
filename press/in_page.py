"""Cells of a page, run one by one by the Python inside it.

``chapters/_static/live.js`` starts Pyodide in a worker, and calls :func:`start` and :func:`run`.
What a cell asks for and a page does not have, a module or a program, is said to be absent.
"""

from __future__ import annotations

import errno
import io
import linecache
import os
import sys
import traceback
from collections.abc import Callable
from contextlib import nullcontext, redirect_stderr, redirect_stdout
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd

_state: dict[str, Any] = {}


def start(show: Callable[[str, str], None], root: str) -> None:
    """Make cells work on the book in the folder ``root``, which has ``lib`` and ``data``; ``show``
    receives the kind (``"text"``, ``"html"`` or ``"error"``) and the content of each output.
    """
    os.environ |= {
        "MPLBACKEND": "agg",
        "MATPLOTLIBRC": f"{root}/lib/plotting/companion.mplstyle",
        "COMPANION_OFFLINE": "1",
        "COMPANION_CACHE": f"{root}/cache",
        "JOBLIB_MULTIPROCESSING": "0",
    }
    _state.update(show=show, names={"__name__": "__main__"})
    # what a notebook has of Jupyter, and what our code imports for downloads and for locks
    shown = _stand_in("IPython.display", display=_display)
    _stand_in("IPython", display=shown, get_ipython=lambda: None)
    _stand_in("myst_nb", glue=lambda *_, **__: None)
    _stand_in("filelock", FileLock=lambda *_, **__: nullcontext(), Timeout=TimeoutError)
    _stand_in("pooch")
    errors = "InvalidURL MissingSchema InvalidSchema RequestException ConnectionError".split()
    _stand_in("requests", exceptions=SimpleNamespace(**dict.fromkeys(errors, OSError)))
    # tables are packed arrays here
    _stand_in("lib.runner.tables", read_table=_stored, write_table=None, tidy=_tidy)
    vars(pd)["read_parquet"] = lambda path: _read(f"{path}.npz")
    # NumPy counts in 32 bits, and would refuse the integers of 64 bits that it draws
    bincount, repeat = np.bincount, np.repeat
    vars(np)["bincount"] = lambda x, *rest, **given: bincount(_counts(x), *rest, **given)
    vars(np)["repeat"] = lambda a, repeats, axis=None: repeat(a, _counts(repeats), axis)


def _counts(values: Any) -> Any:
    found = np.asarray(values)
    return found.astype(np.intp, casting="same_kind") if found.dtype.kind == "i" else found


def _stand_in(name: str, **content: Any) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(content)
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
    """Run the cell that the page calls ``name``, and return ``"done"``, ``"absent"`` (it needs what
    a page does not have) or ``"error"``.

    The value of a last expression is displayed, as in a notebook.
    """
    from pyodide.code import eval_code  # which is in the page alone

    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    _state["out"] = io.StringIO()
    said, outcome = "", "done"
    try:
        with redirect_stdout(_state["out"]), redirect_stderr(io.StringIO()):
            if (value := eval_code(source, _state["names"], filename=name)) is not None:
                _display(value)
    except BaseException as error:
        said, outcome = _traceback(error, name), "error"
        if absent := _absent(error):
            said, outcome = f"{absent} is not in the Python of this page", "absent"
    _flush()
    if said:
        _state["show"]("error", said)
    return outcome


def _absent(error: BaseException) -> str:
    """The package that is not in the page; ``""`` if the error is another."""
    if isinstance(error, ImportError) and error.name and error.name not in sys.modules:
        return error.name.partition(".")[0]
    is_program = isinstance(error, OSError) and error.errno == errno.ENOTSUP
    return "subprocess" if is_program else ""


def _traceback(error: BaseException, name: str) -> str:
    """From the cell on: the frames above are ours."""
    trace = error.__traceback__
    while trace and trace.tb_frame.f_code.co_filename != name:
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))


def _read(path: str) -> Any:
    with np.load(path, allow_pickle=True) as arrays:
        return pd.DataFrame(dict(arrays))


def _stored(path: Any) -> Any:
    """The records of a grid; in place of their scores, the name of the file that has them."""
    frame, beside = _read(path), f"{path}.scores"
    return frame.assign(scores=beside) if os.path.exists(beside) else frame


def _tidy(records: Any) -> Any:
    table = _read(records["scores"].iloc[0])
    return table[table["cell"].isin(records["cell"])].reset_index(drop=True)
