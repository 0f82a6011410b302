"""Papermill's engine for a book that is built although a cell fails.

A guard that fails costs a sentence: the rest of its cell and all later cells run. A computation
that fails leaves names without a value, and the cells that read them are not run: what they showed
would be of nothing, or of something else.
"""

from __future__ import annotations

import ast
import dis
import json
from collections.abc import Iterable
from pathlib import Path
from types import CodeType
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode
from papermill.clientwrap import CellExecutionError, PapermillNotebookClient
from papermill.engines import NBClientEngine, papermill_engines

from press.failures import KEY, sentence_output

NAME = "onward"
_LOADS = ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_FROM_DICT_OR_GLOBALS")
# an expression, so that nothing of it stays in the kernel
_DESCRIBE = "(lambda known: (exec({source!r}, known), known['describe']())[1])({{'__name__': ''}})"


def statements(source: str) -> list[ast.stmt]:
    """The statements of a cell, magics included; none if it is not Python."""
    try:
        return ast.parse(TransformerManager().transform_cell(source)).body
    except SyntaxError:
        return []


def names(body: Iterable[ast.stmt]) -> tuple[set[str], set[str]]:
    """The names that statements read before they set them, and those that they set.

    Examples
    --------
    >>> names(ast.parse("rows = [f(x) for x in data]; print(rows)").body)[1]
    {'rows'}
    """
    needed = set()
    bound = set()

    def scan(code: CodeType, top: bool) -> None:
        for one in dis.get_instructions(code):
            if isinstance(one.argval, CodeType):
                scan(one.argval, top=False)
            elif one.opname == "STORE_NAME" and top:
                bound.add(one.argval)
            elif one.opname in _LOADS and one.argval not in bound:
                needed.add(one.argval)

    scan(compile(ast.Module([*body], []), "cell", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), top=True)
    return needed, bound


def changed(body: Iterable[ast.stmt]) -> set[str]:
    """The names whose objects statements may change: ``x[0] = 1``, ``x.append(1)``."""
    found = set()
    for node in (node for one in body for node in ast.walk(one)):
        match node:
            case ast.Subscript(ctx=ast.Store()) | ast.Attribute(ctx=ast.Store()):
                place: ast.expr = node
            case ast.Expr(value=ast.Call(func=ast.Attribute() as method)):
                place = method
            case _:
                continue
        while isinstance(place, ast.Attribute | ast.Subscript):
            place = place.value
        found |= {place.id} if isinstance(place, ast.Name) else set()
    return found


def _joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """The same with each print whole: a busy kernel sends the words of one line in two messages."""
    found: list[NotebookNode] = []
    for output in outputs:
        last = found[-1] if found else {}
        if output.get("name") == last.get("name") and output.output_type == "stream":
            last["text"] += output.text
        else:
            found.append(output)
    return found


class _Client(PapermillNotebookClient):
    """Runs every cell that can run, and puts a sentence where one fails."""

    # names that have no value, or not the one that the page means, with the sentence that says why
    lost: dict[str, NotebookNode]
    skipped: list[NotebookNode]  # for each cell that was not run, the same
    unread: NotebookNode | None  # that of a cell with a mistake, whose names nobody knows

    def papermill_execute_cells(self) -> None:
        """In the order of the page."""
        self.lost, self.skipped, self.unread = {}, [], None
        for index, cell in enumerate(self.nb.cells):
            self.nb_man.cell_start(cell, index)
            if cell.cell_type == "code":
                self._run(cell, index)
            self.nb_man.cell_complete(cell, index)
        for said in {id(said): said for said in self.skipped}.values():
            count = sum(other is said for other in self.skipped)
            were = "cell needs it and was" if count == 1 else "cells need it and were"
            sentence = said.metadata[KEY].rstrip(".")
            said.update(sentence_output(f"{sentence}; {count} later {were} not run."))

    def _run(self, cell: NotebookNode, index: int) -> None:
        """Run a cell, and what of it follows a guard that fails."""
        source, outputs = cell.source, []
        while source.strip():
            body = statements(source)
            needed, bound = names(body)
            if missing := [said for name, said in self.lost.items() if name in needed]:
                self._skip(body, missing[0])
                break
            part = self.nb.cells[index] = NotebookNode(cell | {"source": source, "outputs": []})
            try:
                self.execute_cell(part, index)
                for name in bound & self.lost.keys():
                    del self.lost[name]
                source = ""
            except CellExecutionError as error:
                source = self._after(error, part)
            outputs += part.outputs
            cell.execution_count = part.execution_count
        outputs = _joined(outputs)
        if len(outputs) != len(self.nb.cells[index].get("outputs", ())):
            for shown in self._display_id_map.values():  # its outputs have other places now
                shown.pop(index, None)
        cell.outputs = outputs
        self.nb.cells[index] = cell

    def _after(self, error: CellExecutionError, part: NotebookNode) -> str:
        """Put a sentence in the place of the error; the source that can still run is returned."""
        said, body = self._described(error), statements(part.source)
        reached = [s for s in body if (s.end_lineno or 0) >= said["line"]]
        part.outputs = [out for out in part.outputs if out.output_type != "error"]
        if self.unread and said["kind"] == "NameError":
            self._skip(reached, self.unread)
            return ""
        words, rest = f"This cell failed: {said['clause'].rstrip('.')}.", ""
        if said["guard"] and reached:
            words = f"A check failed here: {said['clause']}; the text around it may not hold."
            reached = reached[:1]
            rest = "\n".join(part.source.splitlines()[reached[0].end_lineno :])
        part.outputs.append(sentence_output(words))
        self._lose(reached, part.outputs[-1])
        self.unread = self.unread or (None if body else part.outputs[-1])
        return rest

    def _described(self, error: CellExecutionError) -> dict[str, Any]:
        """What the kernel says of its last failure."""
        source = Path(__file__).with_name("guards.py").read_text("utf-8")
        asked = {"said": _DESCRIBE.format(source=source)}
        message = self.kc.execute("", silent=True, store_history=False, user_expressions=asked)
        reply = self.wait_for_reply(message)
        try:
            text = reply["content"]["user_expressions"]["said"]["data"]["text/plain"]
            return json.loads(ast.literal_eval(text))
        except (KeyError, TypeError, ValueError, SyntaxError):
            clause = f"{error.ename}: {error.evalue}"[:200]
            return {"guard": False, "line": 0, "kind": error.ename, "clause": clause}

    def _skip(self, body: list[ast.stmt], why: NotebookNode) -> None:
        self.skipped.append(why)
        self._lose(body, why)

    def _lose(self, body: list[ast.stmt], why: NotebookNode) -> None:
        """The names that ``body`` would have set or changed are not to be used; modules are."""
        cells = [statements(c.source) for c in self.nb.cells if c.cell_type == "code"]
        modules = [s for b in cells for s in b if isinstance(s, ast.Import | ast.ImportFrom)]
        for name in names(body)[1] | changed(body) - names(modules)[1]:
            self.lost.setdefault(name, why)


class _Engine(NBClientEngine):
    @classmethod
    def execute_managed_notebook(
        cls, nb_man: Any, kernel_name: str, *, start_timeout: int = 60, **_: Any
    ) -> None:
        """Papermill's own, with the client that goes on."""
        _Client(nb_man, kernel_name=kernel_name, startup_timeout=start_timeout).execute()


def register() -> str:
    """Make the engine known to papermill; its name is returned."""
    papermill_engines.register(NAME, _Engine)
    return NAME
