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


def test_no_code_is_removed_but_badges_and_checks_and_that_of_the_home_page(rows):
    """Which is for people who want none; its notebook has it."""
    assert {n: r["removed"] for n, r in rows.items() if r["removed"] and n != "index"} == {}


def test_lines_of_code_fit_the_column(rows):
    assert {n: r["longest line"] for n, r in rows.items() if r["longest line"] > LINE} == {}


def test_prose_stands_in_markdown(rows):
    assert sum(r["say/put"] for r in rows.values()) == 0


def test_terms_are_linked_where_they_are_first_used(rows):
    assert {n: r["unlinked"] for n, r in rows.items() if r["unlinked"]} == {}


def test_sentences_can_be_read_in_one_breath(rows):
    assert {n: r["long sentences"] for n, r in rows.items() if r["long sentences"]} == {}


def test_lessons_take_ten_minutes(rows):
    assert {n: rows[n]["words"] for n in LESSONS + FOUNDATIONS if rows[n]["words"] > WORDS} == {}


def test_half_of_the_code_of_lessons_is_open():
    count = {"open": 0, "folded": 0, "removed": 0}
    for name in LESSONS:
        for cell in cells((CHAPTERS / f"{name}.md").read_text(encoding="utf-8")):
            if cell.shown in count and "solution" not in cell.tags:
                count[cell.shown] += len(cell.lines)
    assert count["open"] >= 0.5 * sum(count.values()), count


@pytest.mark.parametrize("name", NAMES)
def test_the_cells_that_are_shown_run_when_pasted_in_order(name, tmp_path):
    """No name comes from a cell that a reader does not see: what is undefined is a fault."""
    shown = [
        "\n".join(cell.lines)
        for cell in cells((CHAPTERS / f"{name}.md").read_text(encoding="utf-8"))
        if not (
            cell.tags & {"remove-input", "remove-cell"} and FURNITURE.search("".join(cell.lines))
        )
        and not (cell.lines and cell.lines[0].startswith("%%"))
    ]
    code = "\n".join(line for line in "\n".join(shown).splitlines() if not line.startswith("%"))
    (tmp_path / "page.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821", "page.py"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_what_is_measured_can_be_seen_to_fail(tmp_path):
    page = ROOT / "chapters" / "_measured.md"
    long = "word " * 40
    page.write_text(
        f"# T\n\nThe budget is spent. {long}.\n\n```{{code-cell}}\n:tags: [remove-input]\n"
        f"x = '{'a' * 100}'\nsay('no')\n```\n",
        encoding="utf-8",
    )
    try:
        row = measure(page)
    finally:
        page.unlink()
    assert row["removed"] == 2
    assert row["longest line"] > LINE
    assert row["say/put"] == 1
    assert len(row["long sentences"]) == 1
    assert "budget" in row["unlinked"]


USES_THE_STAND_IN = re.compile(r"stand-in|(means|synth)_newyork|table_of\(.newyork")


def test_each_page_says_what_the_stand_in_can_and_cannot_show():
    """In words of its own: no two pages have the same."""
    said = {}
    for page in sorted(CHAPTERS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if USES_THE_STAND_IN.search(text) and page.stem != "glossary":  # which defines it
            found = re.search(
                r"\*[Ww]hat the (?:{term}`)?stand-in`? can show\*(.+?)\*[Ww]hat it cannot show\*([^.]+)",
                text,
                re.S,
            )
            said[str(page.relative_to(CHAPTERS))] = found and found.groups()
    assert None not in said.values(), [name for name, words in said.items() if not words]
    assert len(set(said.values())) == len(said) >= 8
