"""The lessons on paper and in an EPUB: what is read, without controls, furniture and solutions."""

from __future__ import annotations

import re
import zipfile
from contextlib import nullcontext
from xml.etree import ElementTree

import pytest

from lib.paths import ROOT
from press.offprint import ONLINE, printed, write_epub, write_pdf
from press.toc import front

pytestmark = pytest.mark.browser
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
FORMULA = (
    '<mjx-container><svg width="9" height="9"><path id="A" d="M0 0"/></svg><mjx-assistive-mml>'
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math></mjx-assistive-mml></mjx-container>'
)
PAGE = f"""<!doctype html><html lang="en"><title>x</title><article class="bd-article">
<h1>{{title}} &amp; more<a class="headerlink" href="#h">#</a></h1>
<details class="sd-dropdown about"><summary>About this page</summary>badges</details>
<p>Words of {{title}} with {FORMULA}, <a href="{{other}}.html#place">there</a>, and
<a href="../elsewhere.html">a page that is not printed</a>, <a href="https://example.org/">outside</a>.</p>
<h2 id="place">A place</h2>
<div class="cell"><details class="hide above-input">folded</details><div class="cell_output">
<figure class="plot replaced"><picture><source media="x" srcset="data:,"><img class="only-light" alt="a"
src="data:image/png;base64,{PIXEL}"><img class="only-dark" alt="a" src="data:image/png;base64,{PIXEL}"></picture>
<figcaption>What is seen.</figcaption></figure></div></div>
<div class="explorer" data-replaces="fig-x"><p>Move it.</p></div>
<div class="exercise"><p>How many?</p><div class="answer">box</div></div><div class="solution">Secret.</div>
<script>1 &lt; 2</script></article></html>"""
DOCS = ["chapters/one", "chapters/two"]
LEFT_OUT = "badges|folded|Move it.|box|Secret.|#</a>|srcset|only-dark|script".split("|")


@pytest.fixture
def book(tmp_path, chromium, monkeypatch):
    """Two pages, and the browser that is open."""
    monkeypatch.setattr("press.offprint._chromium", lambda: nullcontext(chromium.new_page()))
    (tmp_path / "chapters").mkdir()
    for name, other in (("one", "two"), ("two", "one")):
        text = PAGE.format(title=name, other=other)
        (tmp_path / "chapters" / f"{name}.html").write_text(text, "utf-8")
    return tmp_path


def test_an_epub_is_well_formed_and_leads_to_its_own_pages(book):
    output = book / "out.epub"
    assert write_epub(book, output, DOCS) == output.stat().st_size
    with zipfile.ZipFile(output) as archive:
        names = archive.namelist()
        files = {name: archive.read(name) for name in names}
        assert archive.infolist()[0].compress_type == zipfile.ZIP_STORED
    assert files["mimetype"] == b"application/epub+zip"
    assert names[0] == "mimetype"
    for name in (n for n in names if n.endswith(("html", "opf", "xml"))):
        ElementTree.fromstring(files[name])
    listed = re.findall(r'href="([^"]*)"', files["book.opf"].decode())
    assert {*listed} == {*names} - {"mimetype", "META-INF/container.xml", "book.opf"}
    page = files["one.xhtml"].decode()
    links = ['href="two.xhtml#two--place"', 'href="https://example.org/"', 'id="one--fig-x"']
    assert not [words for words in ("one &amp; more", "<mi", *links) if words not in page]
    assert not [words for words in ("mjx-", "elsewhere.html", *LEFT_OUT) if words in page]
    assert 'id="two--place"' in files["two.xhtml"].decode()
    assert [n for n in names if n.endswith("png")] == ["images/0.png"]


def test_a_pdf_has_the_pages_and_an_outline(book):
    output = book / "out.pdf"
    assert write_pdf(book, output, DOCS) == output.stat().st_size
    raw = output.read_bytes()
    assert raw.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b", raw)) >= 3  # the contents, and a new page for each
    assert b"/Outlines" in raw
    assert not (book / "offprint.html").exists()


def test_the_lessons_are_printed_in_the_order_of_the_side_bar():
    shown, docs = [page.doc for page in front(ROOT)], [page.doc for page in printed()]
    assert len(shown) <= 30
    assert docs == [doc for doc in shown if doc not in ONLINE]
    assert not [doc for doc in docs if doc.endswith(("/evidence", "/proofs"))]
