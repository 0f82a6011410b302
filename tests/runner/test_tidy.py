"""Scores: what a cell has of many groups is stored as a list, sealed, and read as tidy rows."""

from __future__ import annotations

import math
import time

import numpy as np
import pandas as pd
import pytest

from lib.runner import gather_grid, results, run_grid, scores, tidy
from lib.runner.cell import cell_key
from lib.runner.store import Store
from tests.runner.toy import ALONE, MADE, ToyCell, grid_of_toys, record_of, stored, sweep

CELLS = [ToyCell(number=i) for i in range(4)]


def scored(cell: ToyCell) -> dict:
    """Two groups a cell; one value is a gap, one a NumPy scalar."""
    rows = [
        {"group": "men", "size": np.int64(cell.number), "error": 0.1 * cell.number},
        {"group": "women", "size": 7, "error": math.nan},
    ]
    return {"value": 0.5, "scores": rows}


@pytest.fixture
def grid(tmp_path):
    return grid_of_toys(tmp_path / "out", CELLS, run=scored)


def _put(store: Store, cells) -> None:
    for cell in cells:
        store.append(record_of(cell, scored))


def _whole(frame: pd.DataFrame) -> None:
    """Every score of every cell of the grid, bit for bit, and nothing of where it was made."""
    assert set(frame) == {"cell", "number", "budget", "value", "group", "size", "error"}
    found = frame.set_index(["number", "group"])
    assert len(found) == 2 * len(CELLS)
    for cell in CELLS:
        for row in scored(cell)["scores"]:
            at = found.loc[cell.number, row["group"]]
            assert (at["cell"], at["value"], at["size"]) == (cell_key(cell), 0.5, row["size"])
            np.testing.assert_equal(at["error"], row["error"])


def test_scores_come_back_from_the_journal_the_parquet_file_and_both(grid):
    store = Store(grid.path("quick"), version="1")
    _put(store, CELLS[:2])
    assert len(scores(grid, "quick")) == 4
    store.compact()
    _put(store, CELLS[2:])
    _whole(scores(grid, "quick"))
    pd.testing.assert_frame_equal(store.compact(), Store(store.path, version="1").frame())
    store.close()
    _whole(scores(grid, "quick"))


def test_records_without_scores_have_no_rows(grid):
    store = Store(grid.path("quick"), version="1")
    _put(store, CELLS)
    store.append({"cell": "none", "value": 1.0} | MADE)
    for _ in range(2):
        assert "none" not in set(scores(grid, "quick")["cell"])
        assert "none" in set(results(grid, "quick")["cell"])
        store.compact()
    store.close()


def test_a_grid_with_scores_runs_resumes_and_is_gathered(grid, tmp_path):
    parts = [tmp_path / "one.parquet", tmp_path / "two.parquet"]
    for number, path in enumerate(parts, 1):
        run_grid(grid, "quick", part=(number, 2), path=path, **ALONE)
    for _ in range(2):
        assert gather_grid(grid, parts, "quick") == (4, 0)
        _whole(scores(grid, "quick"))
    run_grid(grid, "quick", **ALONE)
    _whole(scores(grid, "quick"))
    assert "scores" not in results(grid, "quick")


def test_the_records_of_live_cells_are_tidied_alike():
    live = pd.DataFrame([vars(cell) | scored(cell) for cell in CELLS])
    assert tidy(live)["size"].tolist() == [n for i in range(4) for n in (i, 7)]


def test_any_reader_reads_a_file_with_scores(grid):
    run_grid(grid, "quick", **ALONE)
    found = pd.read_parquet(grid.path("quick")).sort_values("number")
    assert found["scores"].map(len).tolist() == [2] * 4
    assert [rows[0]["group"] for rows in found["scores"]] == ["men"] * 4


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("men", "scores must be a list of flat records, got 'men'"),
        ([], r"scores must be a list of flat records, got \[\]"),
        ([1.0], r"scores must be a list of flat records, got \[1.0\]"),
        ([{"group": "men", "error": [1]}], r"scores\[0\]: error=\[1\] .* cannot be stored"),
        ([{"group": "men"}, {"group": 1j}], r"scores\[1\]: group=1j .* cannot be stored"),
        ([{"group": "men"}, {"error": 1}], r"scores\[1\] must have the names of scores\[0\]"),
        ([{"group": "men", "number": 1}], r"scores\[0\] must have .* none of the record, got"),
        ([{"group": "men", "value": 1}], r"scores\[0\] must have .* got group, value"),
        ([{"group": "men", "commit": "a"}], r"scores\[0\] must have .* none of the record, got"),
    ],
)
def test_what_no_column_holds_is_refused_with_the_cell_and_the_field(path, wrong, words):
    def run(cell):
        return scored(cell) | ({"scores": wrong} if cell.number == 1 else {})

    with pytest.raises(ValueError, match=f"cell {cell_key(CELLS[1])} .*{words}"):
        sweep(path, CELLS, run, **ALONE)
    assert len(Store(path, version="1")) == 1


@pytest.mark.parametrize("folded", [True, False])
def test_a_field_of_the_scores_is_of_one_kind(path, folded):
    pairs = {"a": None, "b": 1.5}.items()
    records = ({"cell": c, "scores": [{"group": "men", "error": e}]} for c, e in pairs)
    store = stored(path, *records, fold=folded)
    for mixed in ([{"group": 1, "error": 2}], [{"group": "a", "error": 1}, {"group": True}]):
        rows = [{"error": None} | row for row in mixed]
        for _ in range(2):
            with pytest.raises(ValueError, match=r"cell c: group=.* have a text there"):
                store.append({"cell": "c", "scores": rows})
            store.close()
            store = Store(path, version="1")
    store.append({"cell": "c", "scores": [{"group": "men", "error": 2}]})
    assert tidy(store.compact())["error"].tolist()[1:] == [1.5, 2.0]
    store.close()


def test_thousands_of_scores_are_read_at_once(path):
    """Arrow flattens the lists: no loop over the values."""
    rows = [{"group": f"group {i}"} | {f"x{j}": i + j / 7 for j in range(12)} for i in range(500)]
    store = stored(path, *({"cell": f"{i:04d}", "scores": rows} for i in range(60)), fold=True)
    seconds = []
    for _ in range(5):
        start = time.process_time()
        assert len(tidy(store.frame())) == 30_000
        seconds.append(time.process_time() - start)
    assert min(seconds) < 0.5  # some 30 ms; more on a busy machine
