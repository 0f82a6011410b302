"""Whether a page reads the same with real data and on replicas, outside the cells that are tagged
``live``.

What a page shows is a function of its text, which is one, and of the outputs of
its cells. So two executions of a chapter are compared cell by cell: text, tables,
captions, alternative text, pictures, and the values that are glued into the prose.
A chapter that found no real data (:func:`lib.datasets.cache.note_real`) has no second one.
A cell tagged ``live`` may show what the tables of this machine say, and must name
them: its output has the word "replica" on replicas, and "real" on real data
(:func:`lib.pages.chapter.ran_on` displays a line that has it).
"""

from __future__ import annotations

import difflib
import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from unittest.mock import patch

import nbformat

from lib.datasets.cache import state
from lib.datasets.registry import FILES
from lib.paths import BUILD
from press.execute import execute
from press.toc import Page, glued, page_code, read_notebook, tags

LIVE = "live"  # tag of a cell whose outputs depend on the tables of the machine
WORD = {"real data": "real", "replicas": "replica"}  # what a live cell must say of its rows
_GLUED = "application/papermill.record/"
_KINDS = ("text/html", "text/markdown", "text/latex", "image/png")
_PICTURE = re.compile(r'src(?:set)?="data:image/png;base64,([^"]*)"')


def _shown(cell: nbformat.NotebookNode, pictures: bool = True) -> list[str]:
    """What a code cell shows, as text; a picture is its checksum. What goes to stderr is not on
    a page.
    """

    def mark(picture: re.Match) -> str:
        checksum = hashlib.sha256(picture[1].encode()).hexdigest()[:12]
        return f"picture {checksum}" if pictures else ""

    found, printed = [], ""  # a kernel sends what is printed in as many pieces as it likes
    for out in cell.get("outputs", []):
        if out.output_type == "stream":
            printed += out.text if out.name == "stdout" else ""
        elif not out.get("metadata", {}).get("scrapbook"):
            data = out.get("data", {})
            for kind in [kind for kind in _KINDS if kind in data] or ["text/plain"]:
                text = data.get(kind, "")
                text = f'src="data:image/png;base64,{text}"' if kind == "image/png" else text
                found.append(_PICTURE.sub(mark, text))
    return [text for text in (printed, *found) if text.strip()]


def _plain(data: nbformat.NotebookNode) -> str:
    """The data of a glued value, without the prefix of their kinds."""
    return str({kind.removeprefix(_GLUED): text for kind, text in data.items()})


def _lines(texts: Iterable[str]) -> list[str]:
    """One line a sentence, row or tag, so that a difference is short."""
    text = "\n".join(texts).replace("</td><td", "</td> <td")
    lines = re.sub(r"(</tr>|</p>|</figcaption>|</caption>|\. )", r"\1\n", text).split("\n")
    return [*map(str.strip, lines)]


def differences(
    real: Path,
    replica: Path,
    *,
    names: tuple[str, str] | None = None,
    pictures: bool = True,
    without: Collection[str] = (),
) -> list[str]:
    """How two executed notebooks of one page, on real data and on replicas, differ where they must
    not.

    Parameters
    ----------
    names : (str, str), optional
        What the two are called where they are something else; then live cells are compared, too.
    pictures : bool
        Compare pictures, too.
    without : collection of str
        Tags of cells that are left out.

    Returns
    -------
    list of str
        One entry a cell: the cell's first line, and the lines that differ, or
        what its outputs do not say. Empty if the page reads the same.

    Raises
    ------
    ValueError
        If the two are not executions of the same code.
    """
    pairs = [page_code(read_notebook(path)) for path in (real, replica)]
    if [c.source for c in pairs[0]] != [c.source for c in pairs[1]]:
        raise ValueError(
            f"real and replica must be executions of the same page, got {real} and {replica}"
        )
    found = []
    for number, cells in enumerate(zip(*pairs, strict=True)):
        if tags(cells[0]).intersection(without):
            continue
        head = f"code cell {number} ({(cells[0].source.splitlines() or [''])[0][:90]})"
        first, second = ({n: _plain(v) for n, v in glued(cell).items()} for cell in cells)
        for name in sorted(first.keys() | second.keys()):
            if first.get(name) != second.get(name):
                found.append(f"{head}: glued {name!r}: {first.get(name)} | {second.get(name)}")
        shown = [_shown(cell, pictures) for cell in cells]
        if LIVE in tags(cells[0]) and names is None:
            for (rows, word), texts in zip(WORD.items(), shown, strict=True):
                words = re.sub("<[^>]*>", " ", " ".join(texts))
                if not re.search(rf"\b{word}s?\b", words, re.IGNORECASE):
                    silent = f"on {rows} its output does not say {word!r}"
                    found.append(f"{head}: is tagged {LIVE!r}, and {silent}")
        elif shown[0] != shown[1]:
            one, other = map(_lines, shown)
            sides = names or ("real data", "replicas")
            lines = difflib.unified_diff(one, other, *sides, n=0, lineterm="")
            kept = (line[:400] for line in lines if not line.startswith("@@"))
            found.append("\n    ".join([f"{head}:", *kept]))
    return found


def missing_files() -> list[str]:
    """Registered files that are neither in ``COMPANION_DATA`` nor in the cache."""
    return [name for name, file in FILES.items() if state(file) not in ("local", "cached")]


def on_replicas(folder: Path) -> AbstractContextManager:
    """An environment in which no real data can be had: ``folder`` is the empty cache."""
    away = {"COMPANION_CACHE": str(folder / "no-cache"), "COMPANION_OFFLINE": "1"}
    return patch.dict(os.environ, away | {"COMPANION_DATA": ""})


def replicas_folder(build: Path = BUILD) -> Path:
    """Where chapters that were executed on replicas are kept."""
    return build / "executed" / "replicas"


def compare(
    pages: Iterable[Page],
    profile: str = "quick",
    *,
    workers: int = 2,
    build: Path = BUILD,
    say: Callable[[str], object] = print,
) -> int:
    """Execute the chapters among ``pages`` with real data and on replicas, where they changed, and
    compare. A chapter that found no real data is the same on replicas, and runs once.

    Returns
    -------
    int
        The number of differences; ``say`` gets a line for each.

    Raises
    ------
    ValueError
        If real data are not all here.
    """
    if missing := missing_files():
        raise ValueError(
            "COMPANION_DATA must name a folder with the real data, got none that has"
            f" {missing[0]!r}"
        )
    chapters, parameters = [page for page in pages if page.is_chapter], {"profile": profile}
    real = execute(chapters, parameters, build / "executed" / profile, workers=workers)
    again = [page for page, one in zip(chapters, real, strict=True) if one.found]
    with on_replicas(build):
        replica = execute(again, parameters, replicas_folder(build), workers=workers)
    others = {one.doc: one for one in (*real, *replica)}
    count = 0
    for one in real:
        found = differences(one.path, others[one.doc].path)
        count += len(found)
        say(f"{one.doc}: {f'{len(found)} differences' if found else 'equal'}")
        for text in found:
            say(f"  {text}")
    return count
