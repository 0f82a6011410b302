"""The rendered pages, read as files: links, alternative text, nothing from elsewhere, nothing
unrendered.
"""

from __future__ import annotations

import re
import subprocess

import pytest

from lib.paths import BUILD, ROOT
from press.build import build
from press.render import outside_resources
from press.toc import pages, read_notebook
from tests.press.conftest import each_chapter
from tests.press.pages import parse, target

LOADED = {"script": "src", "img": "src", "source": "src", "iframe": "src", "embed": "src"}
each_page = pytest.mark.parametrize("doc", [page.doc for page in pages(ROOT)])


def test_every_cell_of_the_book_runs_and_nothing_is_warned_of(built):
    """The one test that names each page that failed; a strict build would end there."""
    assert [str(failure) for failure in built.failures] == []
    assert list(built.warnings) == []


def test_nothing_is_loaded_from_another_host(html):
    assert outside_resources(html) == []


@each_page
def test_every_link_and_resource_of_a_page_is_there(html, doc):
    page = html / f"{doc}.html"
    parsed = parse(page)
    addresses = [a.get("href", "") for a in parsed.of("a", "link")]
    addresses += [given.get(LOADED[tag], "") for tag, given in parsed.tags if tag in LOADED]
    missing = []
    for address in addresses:
        if not address or address.startswith("data:") or (place := target(page, address)) is None:
            continue
        file, anchor = place
        asked = anchor if file.suffix == ".html" else ""
        if not file.exists() or (asked and asked not in parse(file).ids):
            missing.append(address)
    assert not missing


@each_page
def test_every_picture_has_alternative_text(html, doc):
    pictures = parse(html / f"{doc}.html").of("img")
    assert not [p.get("src", "")[:60] for p in pictures if not p.get("alt", "").strip()]


@each_page
def test_nothing_is_left_unrendered(html, doc):
    """Roles, directives and fences that nobody understood would stand in the text."""
    text = "".join(parse(html / f"{doc}.html").text)
    assert not re.findall(
        r"\{(?:doc|ref|cite|glue:?\w*|numref|eq|prf:ref|term|math|download)(?::\w+)?\}`", text
    )
    assert ":::" not in text
    assert "```" not in text


@pytest.mark.parametrize(
    "tag",
    [
        '<script async src="https://cdn.example/x.js"></script>',
        "<img alt='x' src='//cdn.example/x.png'>",
        '<link href="http://cdn.example/x.css" rel="stylesheet">',
    ],
)
def test_an_outside_resource_would_be_seen_and_a_link_would_not(tmp_path, tag):
    (tmp_path / "page.html").write_text(f'<a href="https://example.org">out</a>{tag}', "utf-8")
    assert len(outside_resources(tmp_path)) == 1


@each_chapter
def test_a_chapter_shows_no_machinery(html, page):
    """No injected parameters, no error output, and no warning that the page would hide.

    That a replica stands in for real data is logged to stderr on purpose; the badges say it on the
    page.
    """
    rendered = (html / f"{page.doc}.html").read_text("utf-8")
    assert "injected-parameters" not in rendered
    executed = read_notebook(BUILD / "executed" / "quick" / f"{page.doc}.ipynb")
    outputs = [out for cell in executed.cells for out in cell.get("outputs", [])]
    said = "\n".join(out.text for out in outputs if out.get("name") == "stderr").splitlines()
    assert not [line for line in said if line.strip() and "using the embedded replica" not in line]
    assert not [out for out in outputs if out.output_type == "error"]


def test_a_build_with_nothing_changed_executes_and_renders_nothing(html, monkeypatch):
    """What makes the second build quick; how quick is a matter for the benchmarks."""
    run = subprocess.run

    def only_git(command, **options):  # which says where this clone is from
        return run(command, **options) if command[0] == "git" else pytest.fail(f"ran {command}")

    monkeypatch.setattr("subprocess.run", only_git)
    assert build("quick", progress=False).index.parent == html
