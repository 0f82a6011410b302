"""The pages of the part *Reference*: every public name of the package, from its docstring.

Their sources are written into the stage at build time, read off the code without importing it;
Sphinx (autodoc, autosummary, numpydoc) fills in signatures and docstrings. Each entry links to a
listing of its module (:func:`source_page`).
"""

from __future__ import annotations

import ast
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from lib.files import template
from lib.paths import HOUSES, ROOT
from press.reach import digest

FOLDER = "chapters/reference"
SOURCES = "_static/source"  # one listing a module
TEMPLATES = Path(__file__).parent / "templates"
OVERVIEW = "overview"
PACKAGES = {  # name of the page -> its title and the packages or modules that it shows
    "ldp": ("Local protocols", ("lib.ldp",)),
    "dp": ("Budgets and mechanisms", ("lib.dp",)),
    "synth": ("Synthesizers", ("lib.synth",)),
    "means": ("Private means", ("lib.means",)),
    "coherence": ("Demographic coherence", ("lib.coherence",)),
    "fairness": ("Fairness metrics", ("lib.fairness",)),
    "audit": ("Audit of your own table", ("lib.audit",)),
    "stats": ("Statistics", ("lib.stats",)),
    "datasets": ("Data sets", ("lib.datasets",)),
    "runner": ("Runner", ("lib.runner",)),
    "ledger": ("Ledger", ("lib.ledger",)),
    "plotting": ("Plotting", ("lib.plotting",)),
    "basics": (
        "Checks, streams, domains, groups",
        ("lib.validate", "lib.rng", "lib.domain", "lib.groups"),
    ),
}


def of_ours(module: str | None) -> bool:
    """Whether a module is in one of our houses."""
    return (module or "").partition(".")[0] in HOUSES


@dataclass(frozen=True)
class Name:
    """A public name: the module and line that define it, and for a constant its value and note.

    ``kind`` is ``"function"``, ``"class"`` or ``"data"``.
    """

    module: str
    name: str
    kind: str
    line: int
    value: str = ""
    note: str = ""

    @property
    def full(self) -> str:
        """Dotted name, which is also the anchor on the page."""
        return f"{self.module}.{self.name}"


def _file(module: str, root: Path) -> Path | None:
    """The file of a module or of a package's face; None for what is neither."""
    base = root.joinpath(*module.split("."))
    found = (f for f in (base.with_suffix(".py"), base / "__init__.py") if f.exists())
    return next(found, None)


@cache
def _tree(file: Path, changed: float) -> tuple[ast.Module, list[str]]:
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    # what a face imports on demand
    tree.body += [inner for node in tree.body if isinstance(node, ast.If) for inner in node.body]
    return tree, text.splitlines()


def _body(module: str, root: Path) -> tuple[list[ast.stmt], list[str]]:
    file = _file(module, root)
    if file is None:
        return [], []
    tree, lines = _tree(file, file.stat().st_mtime)
    return tree.body, lines


def is_module(name: str, root: Path = ROOT) -> bool:
    """Whether a dotted name is a module or package of the repository."""
    return _file(name, root) is not None


def _targets(node: ast.stmt) -> list[str]:
    """Names that an assignment at the top of a module binds."""
    bound = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
    return [n.id for target in bound for n in ast.walk(target) if isinstance(n, ast.Name)]


def _constant(module: str, name: str, node: ast.Assign | ast.AnnAssign, lines: list[str]) -> Name:
    """Value where it is short, and the comment that ends the assignment."""
    value = ast.unparse(node.value) if node.value else ""
    after = lines[(node.end_lineno or 1) - 1][node.end_col_offset or 0 :].strip()
    first = lines[node.lineno - 1].rpartition("  # ")[2] if "  # " in lines[node.lineno - 1] else ""
    note = after.removeprefix("#").strip() if after.startswith("#") else first
    return Name(module, name, "data", node.lineno, value if len(value) <= 60 else "", note)


@cache
def defined_in(module: str, name: str, root: Path = ROOT) -> Name | None:
    """What ``module`` calls ``name``, where it is defined; faces that pass it on are followed."""
    body, lines = _body(module, root)
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            kind = "function" if isinstance(node, ast.FunctionDef) else "class"
            return Name(module, name, kind, node.lineno)
        if isinstance(node, ast.Assign | ast.AnnAssign) and name in _targets(node):
            return _constant(module, name, node, lines)
        if isinstance(node, ast.ImportFrom) and of_ours(node.module):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return defined_in(str(node.module), alias.name, root)
    return None


def _public(module: str, root: Path) -> list[str]:
    """What a module defines without a leading underscore, and what it passes on.

    A package's face passes on what it imports from the package, a module ``name as name``.
    """
    file, found = _file(module, root), []
    for node in _body(module, root)[0]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.append(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            found += _targets(node)
        elif isinstance(node, ast.ImportFrom) and of_ours(node.module):
            face = file and file.name == "__init__.py"
            found += [alias.name for alias in node.names if face or alias.asname == alias.name]
    return [name for name in found if not name.startswith("_")]


@cache
def names_of(module: str, root: Path = ROOT) -> list[Name]:
    """Public names of a module or of a package's face, each where it is defined."""
    found = (defined_in(module, name, root) for name in _public(module, root))
    return [name for name in found if name]


def modules_of(package: str, root: Path = ROOT) -> list[str]:
    """The modules below a package, or the module itself, that have public names."""
    base = root.joinpath(*package.split("."))
    files = sorted(base.rglob("*.py")) if base.is_dir() else [base.with_suffix(".py")]
    dotted = (".".join(f.relative_to(root).with_suffix("").parts) for f in files)
    return [m for m in dotted if not m.endswith("__init__") and _public(m, root)]


def stated(study: str, root: Path = ROOT) -> dict[str, Any]:
    """What the ``STUDY`` of a folder of ``studies`` states, by field; empty if it has none."""
    for node in _body(f"studies.{study}.study", root)[0]:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            return {str(k.arg): ast.literal_eval(k.value) for k in node.value.keywords}
    return {}


@cache
def reference_pages(root: Path = ROOT) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Title and parts of every page but the first: :data:`PACKAGES`, and one page a study."""
    faces = sorted(root.glob("studies/*/__init__.py"))
    found = dict(PACKAGES)
    for study in (face.parent.name for face in faces):
        title = stated(study, root).get("title", study.capitalize())
        found[f"study_{study}"] = (f"Study: {title}", (f"studies.{study}",))
    return found


def target(name: Name, root: Path = ROOT) -> str | None:
    """Page and anchor of a name, if it has one: ``chapters/reference/ldp.html#lib.ldp.grr.GRR``."""
    if name not in names_of(name.module, root):
        return None
    for page, (_, parts) in reference_pages(root).items():
        if f"{name.module}.".startswith(tuple(f"{part}." for part in parts)):
            return f"{FOLDER}/{page}.html#{name.full}"
    return None


# --- the source of a page
# --------------------------------------------------------------------------------------


def _said(part: str, root: Path) -> str:
    """The first sentence of the docstring of a package or module."""
    words = ast.get_docstring(ast.Module(_body(part, root)[0], [])) or ""
    return words.partition("\n\n")[0].replace("\n", " ")


def reference_page(page: str, root: Path = ROOT) -> str:
    """The source (reStructuredText) of one page of the reference.

    The first page, ``overview``, lists the packages, and what each study states of itself.
    """
    pages, source = reference_pages(root), template(TEMPLATES / "reference.rst.j2")
    if page == OVERVIEW:
        found = {n: stated(n.removeprefix("study_"), root) for n in pages if n not in PACKAGES}
        studies = {name: study for name, study in found.items() if study}
        return source.render(
            page=page, packages=PACKAGES, studies=studies, said=lambda part: _said(part, root)
        )
    title, parts = pages[page]
    modules = {part: modules_of(part, root) for part in parts}
    listed = [module for of in modules.values() for module in of]
    files = [file for module in listed if (file := _file(module, root))]
    return source.render(
        page=page,
        title=title,
        faces={face: names_of(face, root) for face, of in modules.items() if face not in of},
        sections={m: [n for n in names_of(m, root) if n.module == m] for m in listed},
        sources=SOURCES,
        # a change of the code is a change of the page, so that it is rendered again
        digest=digest(files, root),
    )


# --- listings of the sources
# -----------------------------------------------------------------------------------

_LISTING = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{module}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body {{ font-size: .9rem; margin: 1rem; }} pre {{ overflow-x: auto; }}
a {{ color: inherit; text-decoration: none; }} :target, :target + span {{ outline: 2px solid; }}
{light}
@media (prefers-color-scheme: dark) {{ body {{ background: #0d1117; color: #e6edf3; }}
{dark} }}</style></head>
<body><h1>{module}</h1>{code}</body></html>
"""


def source_page(module: str, root: Path = ROOT) -> str:
    """The code of a module as a page with an anchor for each line (``L-12``)."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import PythonLexer

    listing = HtmlFormatter(linenos="inline", lineanchors="L", anchorlinenos=True)
    dark = HtmlFormatter(style="github-dark").get_style_defs(".highlight")
    code = highlight("\n".join(_body(module, root)[1]), PythonLexer(stripnl=False), listing)
    light = listing.get_style_defs(".highlight")
    return _LISTING.format(module=module, light=light, dark=dark, code=code)


def write_reference(docs: Iterable[str], folder: Path, root: Path = ROOT) -> None:
    """Write the sources of the reference pages among ``docs`` into a stage, and the listings."""
    kept = root / "_build" / "listings"
    for doc in docs:
        page = doc.removeprefix(f"{FOLDER}/")
        target = folder / f"{doc}.rst"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(reference_page(page, root), encoding="utf-8")
        for place in (folder / SOURCES, kept):
            place.mkdir(parents=True, exist_ok=True)
        for part in reference_pages(root).get(page, ("", ()))[1]:
            for module in modules_of(part, root):
                code = [file for file in [_file(module, root)] if file]
                listing = kept / f"{digest(code, root)}.html"
                if not listing.exists():  # a second build colours nothing again
                    listing.write_text(source_page(module, root), encoding="utf-8")
                shutil.copy(listing, folder / SOURCES / f"{module}.html")
