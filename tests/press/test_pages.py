"""What a reader relies on in every page: its parameters are checked, its numbers are there, its
links and pictures lead somewhere, and nothing comes from another host.
"""

from __future__ import annotations

import re
import subprocess

import pytest

from lib.files import read_yaml
from lib.paths import BUILD, ROOT
from press.build import build
from press.toc import glued_texts, pages, read_notebook
from tests.conftest import as_it_began
from tests.press.conftest import each_chapter
from tests.press.pages import parse, target

LOADED = {"script": "src", "img": "src", "source": "src", "iframe": "src", "embed": "src"}
LOADING = ("stylesheet", "preload", "icon", "shortcut icon", "preconnect", "modulepreload")
ROLE = re.compile(r"\{(?:doc|ref|cite|glue:?\w*|numref|eq|prf:ref|term|math|download)(?::\w+)?\}`")
MOVED = read_yaml(ROOT / "_config.yml", dict)["sphinx"]["config"]["moved_pages"]
each_page = pytest.mark.parametrize("doc", [*(page.doc for page in pages(ROOT)), *MOVED])


@each_chapter
def test_every_number_of_the_text_is_glued(html, page):
    there = glued_texts(read_notebook(BUILD / "executed" / "quick" / f"{page.doc}.ipynb"))
    asked = re.findall(r"\{glue:text\}`([^`:]+)", page.text.read_text("utf-8"))
    missing = {*asked} - {*there}
    assert not missing, f"{page.text}: call numbers({sorted(missing)}=...) or take them out"


@each_chapter
def test_the_line_under_a_title_has_the_command_of_its_own_page(page):
    named = re.findall(r'^about\("([^"]+)"', page.text.read_text("utf-8"), re.M)
    assert named[:1] in ([], [page.doc.removeprefix("chapters/")])


def test_every_cell_of_the_book_runs_and_nothing_is_warned_of(built):
    """The one test that names each page that failed; a strict build would end there."""
    assert [str(failure) for failure in built.failures] == []
    assert list(built.warnings) == []


@each_page
def test_every_link_picture_and_role_of_a_page_is_right(html, doc):
    page = html / f"{doc}.html"
    assert page.exists(), f"{doc} was not rendered: is it in _toc.yml once, and did it build?"
    parsed = parse(page)
    addresses = [a.get("href", "") for a in parsed.of("a", "link")]
    loaded = [given.get(LOADED[tag], "") for tag, given in parsed.tags if tag in LOADED]
    loaded += [a.get("href", "") for a in parsed.of("link") if a.get("rel") in LOADING]
    outside = [one for one in loaded if target(page, one) is None and not one.startswith("data:")]
    assert not outside, f"{doc} loads {outside}: put the file into chapters/_static"
    addresses += loaded
    for address in addresses:
        if not address or address.startswith("data:") or (place := target(page, address)) is None:
            continue
        file, anchor = place
        there = file.exists() and (
            file.suffix != ".html" or not anchor or anchor in parse(file).ids
        )
        assert there, f"{doc} links to {address}, which is not in the book: correct the link"
    bare = [p.get("src", "")[:60] for p in parsed.of("img") if not p.get("alt", "").strip()]
    assert not bare, f"{doc}: give the pictures {bare} a text in words (alt)"
    left = [*ROLE.findall(text := "".join(parsed.text)), *re.findall(":::|```", text)]
    assert not left, f"{doc}: {left} stand in the text: a role or fence is written wrongly"


@each_chapter
def test_a_chapter_shows_no_machinery(html, page):
    """No injected parameters, and no warning that the page would hide. (That a replica stands in
    for real data is logged on purpose.)
    """
    assert "injected-parameters" not in (html / f"{page.doc}.html").read_text("utf-8")
    executed = read_notebook(BUILD / "executed" / "quick" / f"{page.doc}.ipynb")
    outputs = [out for cell in executed.cells for out in cell.get("outputs", [])]
    said = "\n".join(out.text for out in outputs if out.get("name") == "stderr").splitlines()
    rest = [line for line in said if line.strip() and "using the embedded replica" not in line]
    assert not rest, f"{page.text} warns: {rest[:2]}; mend what it warns of"


def test_a_build_with_nothing_changed_executes_and_renders_nothing(html, monkeypatch):
    as_it_began(monkeypatch)  # the data that the book was built on
    run = subprocess.run

    def only_git(command, **options):  # which says where this clone is from
        return run(command, **options) if command[0] == "git" else pytest.fail(f"ran {command}")

    monkeypatch.setattr("subprocess.run", only_git)
    assert build("quick", progress=False).index.parent == html
