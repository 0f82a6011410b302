"""Below each figure and table of a page, a link to the function that made it.

Which function it is is read off the page's code: the function whose result is shown, else the
functions that the shown value was worked out from, as near as there are any. What only the page's
own code works out links to the notebook of the page.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from posixpath import relpath

from nbformat import NotebookNode

from lib.paths import ROOT
from press.reference import Name, defined_in, is_module, of_ours, target

SHOWN = {"figure": '<figure class="plot"', "table": 'class="table-scroll"', "frame": "dataframe"}
HELPERS = (
    "lib.pages.answers",
    "lib.pages.chapter",
    "lib.validate",
    "lib.plotting.style",
    "lib.rng",
)  # make nothing
WORDING = re.compile(r"(?:^|_)words$|^NoResults$")
Position = tuple[int, int]  # of a node: cell and line


def kind_of(output: NotebookNode) -> str | None:
    """``"figure"``, ``"table"`` (displayed by the helpers), ``"frame"`` or ``"markdown"``, or
    None for an output that is neither.
    """
    data = output.get("data", {})
    html = data.get("text/html", "")
    for kind, mark in SHOWN.items():
        if mark in html:
            return kind
    return "markdown" if re.search(r"^\|[ :|-]+\|$", data.get("text/markdown", ""), re.M) else None


def _is_helper(name: Name) -> bool:
    return name.module.startswith(HELPERS) or bool(WORDING.search(name.name))


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _bound(node: ast.AST) -> Iterator[tuple[ast.expr, ast.AST]]:
    """Targets of a statement and what each is worked out from."""
    if isinstance(node, ast.Assign):
        yield from ((bound, node.value) for bound in node.targets)
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value:
        yield node.target, node.value
    elif isinstance(node, ast.For):
        yield node.target, node.iter
    elif isinstance(node, ast.FunctionDef):
        yield ast.Name(node.name), ast.Module(node.body, [])
    else:
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=t), args=[*_, value])):
                yield ast.Attribute(t, "changed"), value  # rows.append(value)


class PageCode:
    """The code of a page, cell by cell, and where its names come from."""

    def __init__(self, cells: Sequence[str], root: Path = ROOT):
        self.root = root
        self.cells = [_parsed(source) for source in cells]
        self.modules: dict[str, str] = {}
        self.imported: dict[str, Name] = {}
        # name -> (where, value, whether it adds to what the name was before)
        self.bindings: dict[str, list[tuple[Position, ast.AST, bool]]] = {}
        for number, cell in enumerate(self.cells):
            for node in ast.walk(cell):
                self._read_import(node)
                for bound, value in _bound(node):
                    adds = not isinstance(bound, ast.Name | ast.Tuple) or isinstance(
                        node, ast.AugAssign
                    )
                    where = (number, getattr(node, "lineno", 0))
                    parts = bound.elts if isinstance(bound, ast.Tuple) else [bound]
                    for name in filter(None, map(_root, parts)):
                        self.bindings.setdefault(name, []).append((where, value, adds))

    def _read_import(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            self.modules |= {a.asname: a.name for a in node.names if a.asname}
        if not isinstance(node, ast.ImportFrom) or not of_ours(node.module):
            return
        for alias in node.names:
            name = alias.asname or alias.name
            if is_module(f"{node.module}.{alias.name}", self.root):
                self.modules[name] = f"{node.module}.{alias.name}"
            elif found := defined_in(str(node.module), alias.name, self.root):
                self.imported[name] = found

    def _named(self, node: ast.AST) -> Name | None:
        """The function or class of the package that ``node`` names; None for a helper or another
        thing.
        """
        name = None
        if isinstance(node, ast.Name):
            name = self.imported.get(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = self.modules.get(node.value.id, "")
            name = defined_in(module, node.attr, self.root) if module else None
        return name if name and name.kind != "data" and not _is_helper(name) else None

    def _functions(self, nodes: Iterable[ast.AST]) -> list[Name]:
        """Functions and classes of the package that ``nodes`` use, each once; what goes into a
        call of one of them is its own affair.
        """
        found: dict[Name, None] = {}
        todo = list(nodes)
        while todo:
            node = todo.pop(0)
            if name := self._named(node.func if isinstance(node, ast.Call) else node):
                found[name] = None
            else:
                todo[:0] = ast.iter_child_nodes(node)
        return list(found)

    def _sources(self, node: ast.AST, before: Position) -> Iterator[ast.AST]:
        """What the names in ``node`` were worked out from, last before a place of the page."""
        for used in dict.fromkeys(n.id for n in ast.walk(node) if isinstance(n, ast.Name)):
            for where, value, adds in reversed(self.bindings.get(used, [])):
                if where <= before and value is not node:
                    yield value
                    if not adds:
                        break

    def origin(self, node: ast.AST, at: Position) -> list[Name]:
        """The functions of the package nearest to a value: those that it calls, else those that
        its parts came from.
        """
        level, seen = [node], {id(node)}
        while level:
            if found := self._functions(level):
                return found
            level = [v for n in level for v in self._sources(n, at) if id(v) not in seen]
            seen |= {id(v) for v in level}
        return []

    def makers(self, cell: int, kind: str, count: int) -> list[list[Name]]:
        """For each of ``count`` outputs of one kind of a cell, in order: its functions."""
        tree = self.cells[cell]
        found = [
            self.origin(call.args[0], (cell, call.lineno))
            for call in _calls(tree, kind)
            if call.args
        ]
        if kind in ("frame", "markdown") and not any(found) and tree.body:
            found = [self.origin(tree.body[-1], (cell, tree.body[-1].lineno))]
        if len(found) != count:  # a loop shows one line's value many times
            found = [list(dict.fromkeys(name for names in found for name in names))] * count
        return [names or self._functions(tree.body) for names in found]


def _parsed(source: str) -> ast.Module:
    """The Python of a cell; empty for a magic, or for what is no Python."""
    try:
        return ast.parse(re.sub(r"^%(?!%).*$", "", source, flags=re.M))
    except SyntaxError:
        return ast.Module([], [])


def _calls(tree: ast.Module, kind: str) -> list[ast.Call]:
    """Calls that show an output of a kind, in order: of the helper, else of ``display``."""
    calls: dict[str, list[ast.Call]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            calls.setdefault(node.func.id, []).append(node)
    found = calls.get(kind if kind in ("figure", "table") else "") or calls.get("display", [])
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def _link(names: Sequence[Name], doc: str, root: Path) -> str:
    """``Code:`` and a link for each function that has a place in the reference, else one to the
    page's notebook.
    """
    folder = doc.rpartition("/")[0]
    places = {name.name: place for name in names if (place := target(name, root))}
    places = places or {"this page's notebook": f"_sources/{doc}.ipynb"}
    links = ", ".join(
        f'<a href="{escape(relpath(place, folder))}">{escape(name)}</a>'
        for name, place in list(places.items())[:3]
    )
    return f'<span class="made-by">Code: {links}</span>'


def _with_link(output: NotebookNode, kind: str, link: str) -> None:
    """Put ``link`` at the end of the caption, or below what has none."""
    data = output["data"]
    if kind == "markdown":
        data["text/markdown"] += f"\n\n<p>{link}</p>\n"
        return
    end = {"figure": "</figcaption>", "table": "</caption>"}.get(kind, "")
    if end and end in data["text/html"]:
        data["text/html"] = data["text/html"].replace(end, f" {link}{end}", 1)
    else:
        data["text/html"] += f"<p>{link}</p>"


def add_links(notebook: NotebookNode, doc: str, root: Path = ROOT) -> None:
    """Add to each figure and table of an executed page the link to the function that made it."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    page = PageCode([cell.source for cell in cells], root)
    for number, cell in enumerate(cells):
        shown = [(kind, out) for out in cell.get("outputs", []) if (kind := kind_of(out))]
        for kind in dict.fromkeys(kind for kind, _ in shown):
            outputs = [out for k, out in shown if k == kind]
            for out, names in zip(outputs, page.makers(number, kind, len(outputs)), strict=True):
                _with_link(out, kind, _link(names, doc, root))
