"""The form of the pages: code in the open that runs when it is pasted, short lines, prose in
Markdown, terms linked where they are first used. ``python -m tests.press.measure`` prints the table.
"""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from lib.paths import CHAPTERS, ROOT
from tests.press.conftest import CHAPTERS as PAGES
from tests.press.measure import FURNITURE, cells, measure

PAPERS = ("means", "synth", "ldp", "coherence", "across")
SPECIAL = ("evidence", "proofs")
WORDS = 1800
LINE = 88
NAMES = [page.doc.removeprefix("chapters/") for page in PAGES]
LESSONS = [n for n in NAMES if n.split("/")[0] in PAPERS and n.split("/")[1] not in SPECIAL]
FOUNDATIONS = [n for n in NAMES if n.startswith("foundations/")]


@pytest.fixture(scope="module")
def rows() -> dict[str, dict]:
    return {name: measure(CHAPTERS / f"{name}.md") for name in NAMES}


LIMITS = {  # the most of what is measured, and of which pages
    # code but badges and checks; that of the home page is in its notebook
    "removed": (0, [name for name in NAMES if name != "index"]),
    "longest line": (LINE, NAMES),
    "say/put": (0, NAMES),  # prose stands in Markdown
    "unlinked": ([], NAMES),  # terms are linked where they are first used
    "long sentences": ([], NAMES),
    "words": (WORDS, LESSONS + FOUNDATIONS),  # ten minutes
}


@pytest.mark.parametrize("what", LIMITS)
def test_a_page_keeps_to_its_form(rows, what):
    most, names = LIMITS[what]
    assert {name: found for name in names if (found := rows[name][what]) > most} == {}


def test_much_of_the_code_of_lessons_is_open():
    count = {"open": 0, "folded": 0, "removed": 0}
    for name in LESSONS:
        for cell in cells((CHAPTERS / f"{name}.md").read_text("utf-8")):
            if cell.shown in count and "solution" not in cell.tags:
                count[cell.shown] += len(cell.lines)
    assert count["open"] >= 0.4 * sum(count.values()), count


@pytest.mark.parametrize("name", NAMES)
def test_the_cells_that_are_shown_run_when_pasted_in_order(name, tmp_path):
    """No name comes from a cell that a reader does not see: what is undefined is a fault."""
    removed = {"remove-input", "remove-cell"}
    shown = [
        body
        for cell in cells((CHAPTERS / f"{name}.md").read_text("utf-8"))
        if not (body := "\n".join(cell.lines)).startswith("%%")
        and not (cell.tags & removed and FURNITURE.search(body))
    ]
    code = "\n".join(line for line in "\n".join(shown).splitlines() if not line.startswith("%"))
    (tmp_path / "page.py").write_text(code, "utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821", "page.py"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_what_is_measured_can_be_seen_to_fail(tmp_path):
    page = ROOT / "chapters" / "_measured.md"
    long = "word " * 40
    cell = f"```{{code-cell}}\n:tags: [remove-input]\nx = '{'a' * 100}'\nsay('no')\n```\n"
    page.write_text(f"# T\n\nThe budget is spent. {long}.\n\n{cell}", "utf-8")
    try:
        row = measure(page)
    finally:
        page.unlink()
    assert (row["removed"], row["say/put"], len(row["long sentences"])) == (2, 1, 1)
    assert row["longest line"] > LINE
    assert "budget" in row["unlinked"]


CAN_SHOW = re.compile(
    r"\*[Ww]hat the (?:{term}`)?stand-in`? can show\*(.+?)\*[Ww]hat it cannot show\*([^.]+)", re.S
)
USES_THE_STAND_IN = re.compile(r"stand-in|(means|synth)_newyork|table_of\(.newyork")


def test_each_page_says_what_the_stand_in_can_and_cannot_show():
    """In words of its own: no two pages have the same."""
    said = {}
    for page in sorted(CHAPTERS.rglob("*.md")):
        text = page.read_text("utf-8")
        if USES_THE_STAND_IN.search(text) and page.stem != "glossary":  # which defines it
            found = CAN_SHOW.search(text)
            said[str(page.relative_to(CHAPTERS))] = found and found.groups()
    assert [name for name, words in said.items() if not words] == []
    assert len(set(said.values())) == len(said) >= 8
