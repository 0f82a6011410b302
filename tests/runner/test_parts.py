"""Parts cover a grid once and cost about the same; gathered, they are the grid; nothing foreign
gets in.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import pandas as pd
import pytest

from lib.cli import main
from lib.runner import gather_grid, grid_of, results, run_grid
from lib.runner.cell import KeyedCell, cell_key
from lib.runner.parts import gather, refuse_other_fields, share
from lib.runner.run import _refuse_replica
from lib.runner.store import UNSEALED, Store, StoreError
from tests.runner.toy import ALONE, MADE, ToyCell, grid_of_toys, record_of, run_toy, stored, sweep

CELLS = [ToyCell(number=i) for i in range(23)]


@pytest.fixture
def grid(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return grid_of_toys(tmp_path / "out", CELLS, cost=lambda c: 1.0 + (c.number < 5))


@pytest.mark.parametrize("of", [1, 4, 23, 30])
def test_every_cell_is_in_one_part_and_parts_are_even(of):
    def cost(cell: ToyCell) -> float:
        return 100.0 if cell.number < 4 else 1.0

    parts = [share(CELLS, i, of, cost=cost) for i in range(1, of + 1)]
    assert sorted(c.number for part in parts for c in part) == list(range(23))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    dear = [sum(c.number < 4 for c in part) for part in parts]
    assert max(dear) - min(dear) <= 1
    assert share(CELLS[::-1], 1, of) == share(CELLS, 1, of)


@pytest.mark.parametrize(("number", "of"), [(0, 4), (5, 4), (1, 0), (1.0, 4)])
def test_a_part_that_there_is_not_is_refused(number, of):
    with pytest.raises(ValueError, match=r"must be an integer >= 1( and <= \d+)?, got"):
        share(CELLS, number, of)


def test_parts_gathered_are_the_grid(grid, tmp_path):
    for number in (3, 1):
        run_grid(grid, "quick", part=(number, 3), **ALONE)
    files = [tmp_path / f"toy.quick.{i}-of-3.parquet" for i in (1, 2, 3)]
    assert gather_grid(grid, [files[0], files[2]], "quick") == (15, 8)
    run_grid(grid, "quick", part=(2, 3), **ALONE)
    for _ in range(2):
        assert gather_grid(grid, files, "quick") == (23, 0)
    whole = run_grid(grid, "quick", path=tmp_path / "whole.parquet", **ALONE)
    stable = ["cell", "number", "value", "label"]
    pd.testing.assert_frame_equal(results(grid, "quick")[stable], whole[stable])


def test_what_is_not_of_the_grid_is_not_gathered(grid, tmp_path):
    other = grid_of_toys(tmp_path, [ToyCell(number=99)], "other")
    for one in (other, grid_of_toys(tmp_path, CELLS, "newer", "2")):
        run_grid(one, "quick", **ALONE)
    for file, words in (
        ("other.quick", cell_key(ToyCell(number=99))),
        ("newer.quick", "version 2"),
        ("none", "none.parquet is not there"),
    ):
        with pytest.raises(StoreError, match=words):
            gather_grid(grid, [tmp_path / f"{file}.parquet"], "quick")


def test_parts_that_are_no_files_are_refused_before_any_is_gathered(grid, tmp_path, capsys):
    run_grid(grid, "quick", part=(1, 3), **ALONE)
    part = tmp_path / "toy.quick.1-of-3.parquet"
    for wrong, words in ((tmp_path, "is a folder"), (tmp_path / "none.parquet", "is not there")):
        with pytest.raises(StoreError, match=rf"{re.escape(str(wrong))} {words}"):
            gather_grid(grid, [part, wrong], "quick")
        with pytest.raises(StoreError, match=words):
            gather(CELLS, [part, wrong], Store(grid.path("quick"), version="1"))
        assert main(["run", "tests.runner.toy:GRID", "--gather", str(wrong)]) == 2
        # whose parts are looked through first
        assert main(["run", "ldp_main", "--gather", str(wrong)]) == 2
        assert capsys.readouterr().err.count(words) == 2
    assert not grid.path("quick").exists()
    assert not grid.path("quick").with_suffix(".journal").exists()


def test_a_part_that_is_a_journal_still_is_gathered(grid, tmp_path):
    part = stored(tmp_path / "part.parquet", record_of(CELLS[0]))
    assert gather_grid(grid, [part.path], "quick") == (1, 22)


def _part(tmp_path, **fields) -> Path:
    return stored(tmp_path / "forged.parquet", record_of(CELLS[0]) | fields, fold=True).path


def test_a_record_under_the_key_of_another_cell_is_refused(grid, tmp_path):
    """Cell 0 with the parameters of cell 5 was gathered, and resumed."""
    part = _part(tmp_path, number=5)
    with pytest.raises(StoreError, match=r"number of cell .* must be 0, as its key says, got 5"):
        gather_grid(grid, [part], "quick")
    assert not grid.path("quick").exists()
    with pytest.raises(StoreError, match="as its key says"):
        run_grid(grid, "quick", path=part, **ALONE)


def test_a_record_without_the_parameters_of_its_cell_is_refused(grid, tmp_path):
    """A key alone was enough: nothing showed that the numbers beside it are that cell's."""
    bare = {"cell": cell_key(CELLS[5]), "value": 1.0} | MADE
    part = stored(tmp_path / "forged.parquet", bare)
    with pytest.raises(StoreError, match=r"number of cell .* must be 5, as its key says, got None"):
        gather_grid(grid, [part.path], "quick")


def test_a_field_that_was_added_later_may_be_absent():
    @dataclass(frozen=True, kw_only=True)
    class Sized(KeyedCell, kind="sized"):
        number: int
        size: int = field(default=10, metadata={"frozen": 10})

    cells = {cell_key(cell): cell for cell in (Sized(number=1), Sized(number=2, size=20))}
    before, later = ({"cell": key, "number": cell.number} for key, cell in cells.items())
    frame = pd.DataFrame([before, later | {"size": 20}])
    refuse_other_fields(frame, cells, "file")
    with pytest.raises(StoreError, match=r"size of cell .* must be 20, as its key says, got 10"):
        refuse_other_fields(pd.DataFrame([later]), cells, "file")


def test_a_record_that_does_not_say_what_made_it_is_refused(grid, tmp_path, monkeypatch):
    for bare, nothing in product(("commit", "versions"), (None, "")):
        part = _part(tmp_path / f"{bare}{nothing}", **{bare: nothing})
        with pytest.raises(StoreError, match=f"must have {bare} in every record.*--unsealed"):
            gather_grid(grid, [part], "quick")
    part = _part(tmp_path / "source", dataset="adult")
    with pytest.raises(StoreError, match="must have data_source or data_sha256"):
        results(grid, "quick", path=part)
    monkeypatch.setenv(UNSEALED, "1")
    assert len(results(grid, "quick", path=part)) == 1


def test_a_module_that_a_record_names_is_not_imported(grid, tmp_path, monkeypatch, capsys):
    """The data set of a record went to ``import_module``: a planted file ran."""
    (tmp_path / "planted.py").write_text("print('it ran')\nTASK = None\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    source = {"dataset": "planted:TASK", "data_source": "local", "data_sha256": "0" * 64}
    part = _part(tmp_path, **source)
    gather_grid(grid, [part], "quick")
    run_grid(grid, "quick", path=part, **ALONE)
    assert "planted" not in sys.modules
    assert "it ran" not in capsys.readouterr().out


@pytest.mark.parametrize("version", [1, None])
def test_a_grid_whose_version_is_no_text_is_refused(version):
    with pytest.raises(ValueError, match=re.escape(f"version must be text, got {version!r}")):
        grid_of_toys(Path(), CELLS, version=version)


def test_a_grid_by_reference_and_a_wrong_one():
    assert grid_of("tests.runner.toy:GRID").name == "toy"
    with pytest.raises(ValueError, match=r"grid must be one of .*, got 'toy'"):
        grid_of("toy")
    with pytest.raises(ValueError, match=r"must be the name of a lib.runner.Grid, got"):
        grid_of("tests.runner.toy:run_toy")


def test_a_worker_without_the_real_data_is_found_out(path):
    def on_a_replica(cell):
        return run_toy(cell) | {"data_source": "replica" if cell.number == 7 else "local"}

    with pytest.raises(ValueError, match="computed on a replica, so it is not stored"):
        sweep(path, CELLS, on_a_replica, check=_refuse_replica, **ALONE)
    kept = Store(path, version="1").frame()
    assert len(kept) == 7
    assert set(kept.data_source) == {"local"}
