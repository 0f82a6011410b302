"""A page reads the same with real data and on replicas, outside its live cells; and a page that
does not is found.
"""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest

from lib.paths import HOUSES, ROOT
from press.compare import compare, differences
from press.execute import read_stamp
from press.toc import Page
from tests.press.conftest import code, each_chapter, write_cells, write_notebook

CELLS = {  # a page that looks at the number of rows of this machine: its cells, and their tags
    f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom lib.datasets.cache import unregistered\n"
    "rows = 100 if unregistered('rows.csv') else 99\nlabel = 'real data' if rows == 100 else 'replica'": [],
    "print('This is the same.')\nprint(f'The table has {rows} rows.')": [],
    "print(f'{label}: {rows} rows')": ["live"],
    "print(f'live: {rows} rows')": ["live"],
}


@pytest.fixture
def planted(tmp_path, monkeypatch) -> Page:
    """A page of :data:`CELLS`, and an environment in which all real data are said to be there."""
    write_notebook(tmp_path / "page.ipynb", *(code(cell, *tags) for cell, tags in CELLS.items()))
    for folder in ("lib", "real"):
        (tmp_path / folder).mkdir()
    (tmp_path / "real" / "rows.csv").touch()
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "real"))
    monkeypatch.setattr("press.compare.missing_files", list)
    return Page("page", tmp_path)


def test_a_planted_difference_is_found_and_a_live_cell_may_differ_if_it_names_its_rows(
    planted, tmp_path
):
    said = []
    assert compare([planted], build=tmp_path / "build", say=said.append) == 3
    head, stored, real, replica = said
    assert head == "page: 3 differences"
    assert "-The table has 100 rows.\n    +The table has 99 rows." in stored
    assert "This is the same" not in stored.partition("):")[2]
    assert "print(f'live: {rows} rows')" in real
    assert real.endswith("on real data its output does not say 'real'")
    assert replica.endswith("on replicas its output does not say 'replica'")
    executed = tmp_path / "build" / "executed"
    found = [read_stamp(executed / kind / "page.json")["found"] for kind in ("quick", "replicas")]
    assert found == [["rows.csv"], []]
    assert not [*tmp_path.rglob("*.found")]


def test_a_page_that_found_no_real_data_runs_once(planted, tmp_path):
    (tmp_path / "real" / "rows.csv").unlink()
    said, folder = [], tmp_path / "build" / "executed"
    assert compare([planted], build=folder.parent, say=said.append) == 3  # none says "real"
    assert read_stamp(folder / "quick" / "page.json")["found"] == []
    assert not (folder / "replicas").exists()


PICTURE = "<img src=\"data:image/png;base64,{}\" alt='x'>"
MARKDOWN = {"text/plain": "<object>"}
GLUED = {"scrapbook": {"name": "rows", "mime_prefix": "application/papermill.record/"}}


def written(folder: Path, *pages: tuple) -> list[Path]:
    """A notebook for each page: the source of its one cell, its tags and outputs."""
    files = [folder / f"{number}.ipynb" for number in range(len(pages))]
    for file, (source, tags, outputs) in zip(files, pages, strict=True):
        write_cells(file, code(source, *tags, outputs=outputs))
    return files


def shown(data: dict, **metadata: object) -> list:
    return [nbformat.v4.new_output("display_data", data=data, metadata=metadata)]


def printed(*pieces: str) -> list:
    return [nbformat.v4.new_output("stream", name="stdout", text=text) for text in pieces]


@pytest.mark.parametrize(
    ("output", "other"),
    [
        (shown({"text/html": "1", "text/plain": ""}), shown({"text/html": "2", "text/plain": ""})),
        (shown({"text/html": PICTURE.format("AA")}), shown({"text/html": PICTURE.format("AB")})),
        (shown(MARKDOWN | {"text/markdown": "1"}), shown(MARKDOWN | {"text/markdown": "2"})),
        (shown({"text/plain": "1"}), shown({"text/plain": "2"})),
        (shown({"image/png": "AA"}), shown({"image/png": "AB"})),
        (shown({"text/plain": "1"}), []),
        (printed("a\nb\n"), printed("a\n", "c\n")),
    ],
)
def test_every_kind_of_output_is_compared(tmp_path, output, other):
    same, again, differs = written(tmp_path, *(("x", (), out) for out in (output, output, other)))
    assert differences(same, again) == []
    assert len(differences(same, differs)) == 1


@pytest.mark.parametrize("tags", [[], ["live"]])
def test_a_glued_value_is_part_of_the_prose_even_from_a_live_cell(tmp_path, tags):
    kind = "application/papermill.record/text/plain"
    files = written(tmp_path, *(("x", tags, shown({kind: value}, **GLUED)) for value in "12"))
    assert "glued 'rows'" in differences(*files)[0]


def test_what_is_printed_may_come_in_pieces(tmp_path):
    outputs = printed("a\n", "b\n"), printed("a\nb\n")
    assert differences(*written(tmp_path, *(("x", (), out) for out in outputs))) == []


def test_two_pages_cannot_be_compared(tmp_path):
    with pytest.raises(ValueError, match="real and replica must be executions of the same page"):
        differences(*written(tmp_path, ("x", (), []), ("y", (), [])))


@each_chapter
def test_every_chapter_runs_on_replicas_and_reads_the_same_outside_its_live_cells(
    html, page, executed_on_replicas, real_data_missing
):
    """One that found no real data has run without them."""
    real = replica = html.parent / "executed" / "quick" / f"{page.doc}.ipynb"
    if read_stamp(real.with_suffix(".json"))["found"]:
        replica = executed_on_replicas(page).path
    stamp = read_stamp(replica.with_suffix(".json"))
    # the guide that adds a data set reads the file that it has just written
    allowed = {"replica", "local"} if page.doc == "chapters/guides/dataset" else {"replica"}
    assert {data["source"] for data in stamp["data"]} <= allowed
    assert stamp["parameters"] == {"profile": "quick"}
    if real_data_missing:
        pytest.skip(f"needs the real data; missing are {', '.join(real_data_missing)}")
    assert differences(real, replica) == []


def test_no_other_module_finds_data_without_a_note():
    """Who looks into the folders of data says what it finds; the rest of the list only compares
    places, or hashes all that is there.
    """
    named = re.compile(r"\buser_cache\(|environ\b.*COMPANION_(DATA|CACHE)|\blocal_folder\(")
    files = (path for house in HOUSES for path in (ROOT / house).rglob("*.py"))
    found = {str(p.relative_to(ROOT)) for p in files if named.search(p.read_text("utf-8"))}
    notes = {"lib/datasets/cache.py", "studies/data/acs.py", "studies/data/bureau.py"}
    # the first clears what killed commands left
    others = {"lib/__main__.py", "lib/paths.py"}
    others |= {f"press/{name}.py" for name in ("compare", "execute", "live")}
    assert found == notes | others
