"""The pages of the part *Reference*: every public name of ``lib``.

A page lists modules; Sphinx's autodoc, autosummary and viewcode fill in names, docstrings and
sources. What they leave out of a module is added by :func:`add_contents`: a table of its names, and
its constants.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from lib.files import template
from lib.paths import ROOT
from lib.runner.registry import studies
from press.inputs import digest
from press.toc import FOLDER

PACKAGES = {  # name of the page, which is that of the package, and its title
    "ldp": "Local protocols",
    "dp": "Budgets and mechanisms",
    "synth": "Synthesizers",
    "table": "Tables by a stated schema",
    "means": "Private means",
    "coherence": "Demographic coherence",
    "fairness": "Fairness metrics",
    "audit": "Audit of your own table",
    "stats": "Statistics",
    "datasets": "Data sets",
    "runner": "Runner",
    "ledger": "Ledger",
    "plotting": "Plotting",
    "basics": "Checks, streams, domains, groups, sandbox",
}
BASICS = ("lib.validate", "lib.rng", "lib.domain", "lib.groups", "lib.sandbox")
_TEMPLATE = template(Path(__file__).parent / "templates" / "reference.rst.j2")


def parts_of(page: str) -> tuple[str, ...]:
    """The packages and modules that a page shows."""
    return BASICS if page == "basics" else (f"lib.{page}",)


def modules_of(page: str, root: Path = ROOT) -> dict[str, Path]:
    """The modules that a page shows, with their files; none for the overview."""
    found = {}
    for base in (root.joinpath(*part.split(".")) for part in parts_of(page)):
        for file in sorted([*base.parent.glob(f"{base.name}.py"), *base.rglob("*.py")]):
            inner = file.relative_to(root).with_suffix("").parts
            found[".".join(inner).removesuffix(".__init__")] = file
    return found


def write_reference(docs: Iterable[str], folder: Path, root: Path = ROOT) -> None:
    """Write the sources of the reference pages among ``docs`` into a stage; a change of the code is
    a change of its page, so that it is rendered again.
    """
    titles = PACKAGES | {"overview": "Reference"}
    for doc in docs:
        page = doc.removeprefix(f"{FOLDER}/")
        source = folder / f"{doc}.rst"
        source.parent.mkdir(parents=True, exist_ok=True)
        text = _TEMPLATE.render(
            title=titles[page],
            parts=[part for name in PACKAGES for part in parts_of(name)],
            studies=studies(),
            modules=(modules := modules_of(page, root)),
            digest=digest(modules.values(), root),
        )
        source.write_text(text, "utf-8")


def constants(source: str) -> Iterator[tuple[str, str, str]]:
    """Name of each public constant of a module, its value where it is short, and the comment that
    ends its first or last line; without those that autodoc shows, which have a docstring.
    """
    body, lines = ast.parse(source).body, source.splitlines()
    for node, after in zip_longest(body, body[1:]):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or isinstance(after, ast.Expr):
            continue
        value = ast.unparse(node.value) if node.value else ""
        ends = (lines[(node.end_lineno or 1) - 1], lines[node.lineno - 1])
        note = re.search("  # (.+)", "\n".join(ends))
        bound = node.targets if isinstance(node, ast.Assign) else [node.target]
        every = (n for target in bound for n in ast.walk(target))
        for name in (n.id for n in every if isinstance(n, ast.Name)):
            if not name.startswith("_"):
                yield name, value if len(value) <= 60 else "", note[1] if note else ""


def add_contents(app: Any, what: str, module: str, item: Any, options: Any, lines: list) -> None:
    """After the docstring of a module: a table of the functions and classes that it defines, or
    that a package's face passes on, and its constants (for autodoc's ``process-docstring``).
    """
    if what != "module":
        return
    within = f"{module}." if hasattr(item, "__path__") else f"{module}.\n"
    things = (getattr(item, name) for name in dir(item) if not name.startswith("_"))
    named = [one for one in things if callable(one)]
    shown = [one for one in named if f"{getattr(one, '__module__', '')}.\n".startswith(within)]
    if shown:
        names = (f"   ~{one.__module__}.{one.__qualname__}" for one in shown)
        lines += [".. currentmodule:: None", "", ".. autosummary::", "", *names, ""]
    for name, value, note in constants(inspect.getsource(item)):
        lines += [f".. py:data:: {name}", f"   :module: {module}"]
        lines += [f"   :value: {value}"] if value else []
        lines += ["", f"   {note[:1].upper()}{note[1:]}", ""]
