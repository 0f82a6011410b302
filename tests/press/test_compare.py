"""A page reads the same with real data and on replicas, outside its live cells; and a page that
does not is found.
"""

from __future__ import annotations

import re

import nbformat
import pytest

from lib.paths import HOUSES, ROOT
from press.compare import compare, differences
from press.execute import read_stamp
from press.toc import Page
from tests.press.conftest import CHAPTERS, write_notebook

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
    write_notebook(tmp_path / "page.ipynb", *CELLS)
    notebook = nbformat.read(tmp_path / "page.ipynb", as_version=4)
    for cell, tags in zip(notebook.cells[1:], CELLS.values(), strict=True):
        cell.metadata["tags"] = tags
    nbformat.write(notebook, tmp_path / "page.ipynb")
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
    stamps = (
        tmp_path / "build" / "executed" / kind / "page.json" for kind in ("quick", "replicas")
    )
    assert [read_stamp(stamp)["found"] for stamp in stamps] == [["rows.csv"], []]
    assert not [*tmp_path.rglob("*.found")]


def test_a_page_that_found_no_real_data_runs_once(planted, tmp_path):
    (tmp_path / "real" / "rows.csv").unlink()
    said, folder = [], tmp_path / "build" / "executed"
    assert compare([planted], build=folder.parent, say=said.append) == 3  # none says "real"
    assert read_stamp(folder / "quick" / "page.json")["found"] == []
    assert not (folder / "replicas").exists()


def test_without_real_data_nothing_can_be_compared(planted, monkeypatch):
    monkeypatch.setattr("press.compare.missing_files", lambda: ["x.csv"])
    with pytest.raises(
        ValueError,
        match=r"COMPANION_DATA must name a folder with the real data, got none that has 'x\.csv'",
    ):
        compare([planted])


PICTURE = "<img src=\"data:image/png;base64,{}\" alt='x'>"


@pytest.mark.parametrize(
    ("output", "other"),
    [
        ({"text/html": "<p>1</p>", "text/plain": ""}, {"text/html": "<p>2</p>", "text/plain": ""}),
        ({"text/html": PICTURE.format("AA")}, {"text/html": PICTURE.format("AB")}),
        (
            {"text/markdown": "1", "text/plain": "<object>"},
            {"text/markdown": "2", "text/plain": "<object>"},
        ),
        ({"text/plain": "1"}, {"text/plain": "2"}),
        ({"image/png": "AA"}, {"image/png": "AB"}),
        ({"text/plain": "1"}, None),
    ],
)
def test_every_kind_of_output_is_compared(tmp_path, output, other):
    files = [
        _notebook(tmp_path / f"{i}.ipynb", data) for i, data in enumerate((output, output, other))
    ]
    assert differences(files[0], files[1]) == []
    assert len(differences(files[0], files[2])) == 1


@pytest.mark.parametrize("tags", [[], ["live"]])
def test_a_glued_value_is_part_of_the_prose_even_from_a_live_cell(tmp_path, tags):
    metadata = {"scrapbook": {"name": "rows", "mime_prefix": "application/papermill.record/"}}
    files = [
        _notebook(
            tmp_path / f"{i}.ipynb",
            {"application/papermill.record/text/plain": value},
            metadata,
            tags,
        )
        for i, value in enumerate("12")
    ]
    assert "glued 'rows'" in differences(*files)[0]


def test_what_is_printed_may_come_in_pieces(tmp_path):
    files = []
    for number, pieces in enumerate((["a\n", "b\n"], ["a\nb\n"])):
        outputs = [nbformat.v4.new_output("stream", name="stdout", text=text) for text in pieces]
        cell = nbformat.v4.new_code_cell("x", outputs=outputs, id="cell-000")
        files.append(tmp_path / f"{number}.ipynb")
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), files[-1])
    assert differences(*files) == []


def test_two_pages_cannot_be_compared(tmp_path):
    files = [
        _notebook(tmp_path / f"{i}.ipynb", {"text/plain": "1"}, source=f"{i}") for i in range(2)
    ]
    with pytest.raises(ValueError, match="real and replica must be executions of the same page"):
        differences(*files)


def _notebook(path, data, metadata=None, tags=(), source="x"):
    outputs = (
        []
        if data is None
        else [nbformat.v4.new_output("display_data", data=data, metadata=metadata or {})]
    )
    cell = nbformat.v4.new_code_cell(
        source, outputs=outputs, metadata={"tags": list(tags)}, id="cell-000"
    )
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), path)
    return path


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.doc)
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
    found = {
        str(path.relative_to(ROOT))
        for house in HOUSES
        for path in (ROOT / house).rglob("*.py")
        if named.search(path.read_text(encoding="utf-8"))
    }
    notes = {"lib/datasets/cache.py", "studies/data/acs.py", "studies/data/bureau.py"}
    assert found == notes | {
        "lib/__main__.py",  # clears what killed commands left
        "lib/paths.py",
        "press/compare.py",
        "press/execute.py",
        "press/live.py",
    }
