"""One chapter again with other parameters: checked, executed by papermill, rendered as a small
book of its own; several values give a book each, and one with a table of their numbers.
"""

from __future__ import annotations

import hashlib
import json
import math
import posixpath
import re
import shutil
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from html import escape
from itertools import product
from pathlib import Path

import nbformat
import pandas as pd
import papermill
import yaml
from papermill.exceptions import PapermillExecutionError

from lib import validate
from lib.files import alone, read_yaml
from lib.pages.chapter import table_html
from lib.pages.headline import KIND, in_words
from lib.pages.parameters import COUNTS
from lib.paths import CHAPTERS, ROOT
from press.execute import run_notebook
from press.exercises import add_boxes
from press.pairs import without_traces, write_pairs
from press.render import jupyter_book
from press.stage import copy_static, fold_parameters
from press.teaching import run_times
from press.toc import Page, page_code, pages, put, read_notebook

Parameters = dict[str, object]
TYPES: dict[str, Callable[[str], object]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": {"True": True, "False": False}.__getitem__,
}
ALONGSIDE = ("chapters/front/glossary", "chapters/front/references")  # what every page links to
_DOC = re.compile(r"(?<=\{doc\}`)((?:[^`<]*<)?)([^`<>]+)")
SEVERAL = "chapters/side_by_side.md"
NOTE = """```{{note}}
Run with {}. Numbers, tables and figures are of this run; the sentences around them were written for
the book's own parameters, and may not hold here.
```"""


def label(parameters: Parameters) -> str:
    """The parameters in words, ``epsilon = 1, seed = 3``."""
    return ", ".join(f"{name} = {value}" for name, value in parameters.items()) or "as in the book"


def chapter(name: str) -> Page:
    """The chapter ``name``, as ``ldp/fairness``; its text and its notebook are in step.

    Raises
    ------
    ValueError
        With the names that there are.
    """
    write_pairs(CHAPTERS)
    known = {p.doc.removeprefix("chapters/"): p for p in pages(ROOT) if p.is_chapter}
    short = name.removeprefix("chapters/").removesuffix(".md").removesuffix(".ipynb")
    return known[validate.choice("chapter", short, known)]


def requested(page: Page, words: Sequence[str]) -> list[Parameters]:
    """Each combination of the values that ``words`` ask for, as ``["epsilon=0.5,1", "seed=1"]``.

    Raises
    ------
    ValueError
        For a name that is no parameter of the page or is given twice, a value of another type or
        that the page refuses, or a word of another form.
    """
    known = papermill.inspect_notebook(page.notebook)
    values: dict[str, list[object]] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not text:
            raise validate.refusal("parameter", "NAME=VALUE or NAME=VALUE,VALUE", word)
        validate.choice("parameter", name, known)
        validate.require(name not in values, name, "given once, several values by commas", word)
        kind = known[name]["inferred_type_name"]
        comma = ",(?! )" if kind == "str" else ","  # "GEM, as published" is one
        try:
            values[name] = [*dict.fromkeys(map(TYPES.get(kind, str), re.split(comma, text)))]
        except (ValueError, KeyError):
            raise validate.refusal(name, f"of the type {kind}", text) from None
    versions = [dict(zip(values, chosen, strict=True)) for chosen in product(*values.values())]
    for parameters in versions:
        check(page, parameters)
    return versions


def check(page: Page, parameters: Parameters) -> None:
    """Let the page check its parameters here, before a kernel starts."""
    declared, *cells = (cell.source for cell in page_code(read_notebook(page.notebook)))
    checking = [cell for cell in cells if re.search(r"^check_parameters\(", cell, re.M)]
    given = Parameters()
    exec(declared, given)
    with redirect_stdout(None):  # it prints the line under the title
        exec("".join(checking[:1]), given | parameters)


def estimate(page: Page, parameters: Parameters) -> float:
    """Seconds that the page should take: its last run time, in proportion to what is counted.

    The time is of the book's own build, on the machine that ``data/run_times.csv`` names.
    """
    known = papermill.inspect_notebook(page.notebook)
    factors = (
        max(1.0, float(str(parameters[name])) / float(known[name]["default"]))
        for name in COUNTS
        if name in parameters
    )
    return float(run_times().get(page.doc, 60.0)) * math.prod(factors)


def folder_name(versions: Sequence[Parameters]) -> str:
    """A name for the folder of these versions: their parameters and the beginning of a hash, as a
    folder cannot be named by every value.
    """
    said = "_".join(f"{name}-{value}" for name, value in versions[0].items()) or "as-in-the-book"
    tail = hashlib.sha256(json.dumps([*versions], sort_keys=True).encode()).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9._-]', '-', said)[:50]}-{tail}"


def rerun(
    page: Page, versions: Sequence[Parameters], folder: Path, *, progress: bool = True
) -> tuple[Path, list[str]]:
    """Execute and render each version of ``page`` below ``folder``: the page to open, and what
    failed among several versions.

    What was in ``folder`` is removed. Another rerun into it is waited for.

    Raises
    ------
    ValueError
        With the page's own words, for a value that it refuses.
    RuntimeError
        If a cell fails, of several versions in all.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with alone(folder.with_name(f"{folder.name}.lock"), "the same rerun is at work"):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        made, found, failed = [], [], []
        for number, parameters in enumerate(versions, 1):
            try:
                notebook = _execute(page, parameters, folder / f"{number}.ipynb", progress)
            except (ValueError, RuntimeError) as error:
                said = str(error).strip().splitlines()[-1]
                failed.append(f"{label(parameters)} failed: {said}")
                if len(failed) == len(versions):
                    raise
                continue
            found.append((parameters, stated(notebook)))
            text = nbformat.writes(_as_page(notebook, page, parameters))
            one = _book(page, f"{page.doc}.ipynb", text, folder / f"{number}")
            made.append(_link(label(parameters), one))
        if len(versions) == 1:
            return one, failed
        title = f"# {page.doc.removeprefix('chapters/')} for several values\n\n"
        text = title + "".join(f"- {line}\n" for line in (*made, *map(escape, failed)))
        text += several(*zip(*found, strict=True))
        return _book(page, SEVERAL, text, folder / "all"), failed


def _book(page: Page, name: str, text: str, folder: Path) -> Path:
    """A small book of the one page ``name`` and of what every page links to, rendered; what it
    refers to elsewhere is looked up in the built book, if there is one.
    """
    stage, built = folder / "stage", page.root / "_build" / "html"
    copy_static(page.root, stage / "_static")
    for copied in ("references.bib", *(f"{doc}.md" for doc in ALONGSIDE)):
        put(stage / copied, (page.root / copied).read_text("utf-8"))
    put(stage / name, text)
    doc = name.partition(".")[0]
    contents = {"format": "jb-book", "root": doc, "chapters": [{"file": f} for f in ALONGSIDE]}
    put(stage / "_toc.yml", yaml.safe_dump(contents))
    config = read_yaml(page.root / "_config.yml", dict)
    if (inventory := built / "objects.inv").exists():
        config["sphinx"]["config"] |= {
            "intersphinx_mapping": {"book": [built.as_uri(), str(inventory)]},
            "intersphinx_disabled_reftypes": [],  # by default, {doc} is
        }
    put(stage / "_config.yml", yaml.safe_dump(config))
    html, _ = jupyter_book(stage, folder, strict=False)
    return html / f"{doc}.html"


def stated(notebook: nbformat.NotebookNode) -> dict[str, list]:
    """What an executed page states with :func:`lib.pages.headline.headline`: of each metric the
    mean with its interval, here and without privacy. Nothing if it does not.
    """
    outputs = (out for cell in notebook.cells for out in cell.get("outputs", []))
    bodies = (out.get("data", {}).get(KIND, {}) for out in outputs)
    return {name: both for body in bodies for name, both in body.items()}


def several(versions: Sequence[Parameters], found: Sequence[dict[str, list]]) -> str:
    """A table (MyST) of the metrics that every version states, a row each, and one without privacy
    below it.
    """
    if not all(found):
        return "\nThis page states no headline numbers, so there is no table: open its versions.\n"
    rows = [
        {"setting": label(parameters) + end}
        | {
            metric: in_words((mean, *(float("nan") if x is None else x for x in ends)))
            for metric, (mean, *ends) in ((m, both[at]) for m, both in one.items())
        }
        for parameters, one in zip(versions, found, strict=True)
        for at, end in enumerate(("", ", without privacy"))
    ]
    caption = "Means over the runs of each setting, with 95% intervals (Student's t)."
    return f"\n````{{raw}} html\n{table_html(pd.DataFrame(rows), caption)}\n````\n"


def _execute(
    page: Page, parameters: Parameters, output: Path, progress: bool
) -> nbformat.NotebookNode:
    try:
        bar = {"desc": label(parameters)} if progress else False
        run_notebook(page.notebook, output, parameters, page.root, progress_bar=bar)
    except PapermillExecutionError as error:
        if error.ename == "ValueError":
            raise ValueError(error.evalue) from None
        raise RuntimeError(f"{page.doc} failed in {error}") from None
    return read_notebook(output)


def _as_page(
    notebook: nbformat.NotebookNode, page: Page, parameters: Parameters
) -> nbformat.NotebookNode:
    """The executed notebook as the page of a small book; other pages by their names in the built
    one. Below its title it says which sentences are not about these ``parameters``.
    """
    notebook, here = without_traces(notebook), posixpath.dirname(page.doc)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _DOC.sub(
                lambda m: m[1] + posixpath.normpath(posixpath.join(here, m[2])), cell.source
            )
    fold_parameters(notebook.cells)
    add_boxes(notebook.cells)
    if parameters:
        title = [cell.cell_type for cell in notebook.cells].index("markdown")
        note = nbformat.v4.new_markdown_cell(NOTE.format(label(parameters)))
        notebook.cells.insert(title + 1, note)
    return notebook


def _link(words: str, file: Path) -> str:
    """HTML, as Markdown refuses addresses of files."""
    return f'<a href="{file.as_uri()}">{words}</a>'
