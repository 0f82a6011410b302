"""One chapter again with other parameters: checked, executed by papermill, rendered as a small
book of its own; several values give a page each, and one with a table of their numbers.
"""

from __future__ import annotations

import hashlib
import json
import math
import posixpath
import re
import shutil
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path

import nbformat
import pandas as pd
import papermill
import yaml
from papermill.exceptions import PapermillExecutionError

from lib import validate
from lib.files import alone
from lib.pages.chapter import table_html
from lib.pages.headline import KIND, in_words
from lib.pages.parameters import COUNTS
from lib.paths import ROOT
from press.execute import run_notebook
from press.exercises import add_boxes
from press.pairs import pair_up, without_traces
from press.render import jupyter_book
from press.stage import add_line, copy_static
from press.teaching import run_times
from press.toc import Page, pages, read_notebook

Parameters = dict[str, object]
TYPES: dict[str, Callable[[str], object]] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": {"True": True, "False": False}.__getitem__,
}
ALONGSIDE = ("chapters/front/glossary", "chapters/front/references")  # what every page links to
SEVERAL = "chapters/side_by_side"


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
    pair_up()
    known = {p.doc.removeprefix("chapters/"): p for p in pages(ROOT) if p.is_chapter}
    short = name.removeprefix("chapters/").removesuffix(".md").removesuffix(".ipynb")
    return known[validate.choice("chapter", short, known)]


def requested(page: Page, words: Sequence[str]) -> list[Parameters]:
    """Each combination of the values that ``words`` ask for, as ``["epsilon=0.5,1", "seed=1"]``; a
    name may stand in several of them.

    Raises
    ------
    ValueError
        For a name that is no parameter of the page, a value of another type, or a word of
        another form.
    """
    known = papermill.inspect_notebook(page.notebook)
    values: dict[str, list[object]] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not text:
            raise validate.refusal("parameter", "NAME=VALUE or NAME=VALUE,VALUE", word)
        validate.choice("parameter", name, known)
        kind = known[name]["inferred_type_name"]
        try:
            values.setdefault(name, []).extend(map(TYPES.get(kind, str), text.split(",")))
        except (ValueError, KeyError):
            raise validate.refusal(name, f"of the type {kind}", text) from None
    once = {name: [*dict.fromkeys(given)] for name, given in values.items()}
    return [dict(zip(once, chosen, strict=True)) for chosen in product(*once.values())]


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
) -> Path:
    """Execute and render each version of ``page`` below ``folder``; the page to open is returned.

    What was in ``folder`` is removed. Another rerun into it is waited for.

    Raises
    ------
    ValueError
        With the page's own words, for a value that it refuses.
    RuntimeError
        If a cell fails.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with alone(folder.with_name(f"{folder.name}.lock"), "the same rerun is at work"):
        shutil.rmtree(folder, ignore_errors=True)
        return _rerun(page, versions, folder, progress)


def _rerun(page: Page, versions: Sequence[Parameters], folder: Path, progress: bool) -> Path:
    book = folder / "stage"
    copy_static(page.root, book / "_static")
    listed, found = [], []
    for number, parameters in enumerate(versions, 1):
        doc = page.doc if len(versions) == 1 else f"{page.doc}--{number}"
        notebook = _execute(page, parameters, folder / f"{number}.ipynb", progress)
        listed.append({"file": doc, "title": label(parameters)})
        found.append(stated(notebook))
        (book / doc).parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(_as_page(notebook, page, f"--{number}"), book / f"{doc}.ipynb")
    if len(versions) > 1:
        links = [f"- {{doc}}`{one['title']} </{one['file']}>`" for one in listed]
        text = [f"# {page.doc.removeprefix('chapters/')} for several values", "", *links, ""]
        (book / f"{SEVERAL}.md").write_text("\n".join(text) + several(versions, found), "utf-8")
        listed.insert(0, {"file": SEVERAL})
    first, *others = [*listed, *({"file": doc} for doc in ALONGSIDE)]
    contents = {"format": "jb-book", "root": first["file"], "chapters": others}
    (book / "_toc.yml").write_text(yaml.safe_dump(contents), "utf-8")
    for name in ("_config.yml", "references.bib", *(f"{doc}.md" for doc in ALONGSIDE)):
        (book / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(page.root / name, book / name)
    html, _ = jupyter_book(book, folder, strict=False)
    return html / f"{first['file']}.html"


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


def _as_page(notebook: nbformat.NotebookNode, page: Page, suffix: str) -> nbformat.NotebookNode:
    """The executed notebook as a page of the small book: labels of its own, links into the built
    book.
    """
    notebook = without_traces(notebook)
    texts = [cell for cell in notebook.cells if cell.cell_type == "markdown"]
    text = "\n".join(cell.source for cell in texts)
    own = {"".join(m) for m in re.findall(r"^(?::label: (\S+)|\(([\w-]+)\)=)$", text, re.M)}
    names = "|".join(map(re.escape, sorted(own, key=len, reverse=True)))
    for cell in texts:
        cell.source = _outside_links(cell.source, page, own)
        if own:
            cell.source = re.sub(rf"(?<![\w-])({names})(?![\w-])", rf"\1{suffix}", cell.source)
    add_line(notebook.cells, page.doc)
    add_boxes(notebook.cells)
    return notebook


def _outside_links(text: str, page: Page, own: set[str]) -> str:
    """Links to other pages as links into the built book, or as words where there is none."""

    def link(match: re.Match) -> str:
        role, words, place = match[1], (match[2] or "").strip(), match[3].strip()
        if role == "doc":
            there = posixpath.normpath(posixpath.join(posixpath.dirname(page.doc), place))
            built = page.root / "_build" / "html" / f"{there}.html"
            source = page.root / f"{there}.md"
            said = source.read_text("utf-8") if source.exists() else ""
            title = re.search(r"^# (.+)$", said, re.M)
            words = words or (title[1] if title else source.stem)
            return f"[{words}]({built.as_uri()})" if built.exists() else f"*{words}*"
        return match[0] if place in own else f"*{words or place}*"

    return re.sub(r"\{(doc|ref|prf:ref|numref)\}`(?:([^`<]*)<)?([^`<>]+)>?`", link, text)
