"""What a cell may return: NumPy's scalars are plain values; what no column holds is refused, and
cell and field are named.
"""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from lib.paths import RESULTS
from lib.runner import run
from lib.runner.cell import KeyedCell, cell_key
from lib.runner.records import DIRTY, RESERVED, needs_real
from lib.runner.store import Store
from lib.runner.sweep import run_sweep
from tests.runner.toy import ALONE, ToyCell, grid_of_toys, run_toy

CELLS = [ToyCell(number=i) for i in range(3)]


@pytest.fixture
def store(path):
    return Store(path, version="1")


def _sweep(store: Store, result, cells=CELLS) -> pd.DataFrame:
    """``result``: number of the cell to what it returns."""
    return run_sweep(cells, lambda cell: result(cell.number), store, **ALONE)


def test_numpy_scalars_are_stored_as_the_values_that_they_are(store):
    third = np.float32(1 / 3)
    same = {"share": third, "name": np.str_("a")}
    made = _sweep(store, lambda i: same | {"count": np.int64(i), "flag": np.bool_(i == 1)})
    assert made["count"].tolist() == [int(n) for n in made["number"]]
    assert made["flag"].tolist() == [n == 1 for n in made["number"]]
    assert made["share"].tolist() == [float(third)] * 3
    assert made["name"].tolist() == ["a"] * 3
    assert made["flag"].dtype == bool


@pytest.mark.parametrize(
    "value",
    [
        *([1, 2], {"a": 1}, np.arange(2), 1j, 2**70, {1}, object()),
        *(datetime.date(2024, 1, 1), np.datetime64("2024-01-01")),
    ],
)
def test_what_no_column_holds_is_refused_with_the_cell_and_the_field(store, value):
    named = rf"cell {cell_key(CELLS[1])} \(ToyCell\(number=1, budget=nan\)\)"
    with pytest.raises(ValueError, match=f"{named}: score=.* cannot be stored"):
        _sweep(store, lambda i: {"score": value if i == 1 else 0.5})
    assert len(Store(store.path, version="1")) == 1  # what was done before is kept, and folds
    assert len(_sweep(Store(store.path, version="1"), lambda i: {"score": 0.5})) == 3


def test_a_field_without_a_name_is_refused(store):
    words = f"cell {cell_key(CELLS[0])}.*the name of a field must be text, got 7"
    with pytest.raises(ValueError, match=words):
        _sweep(store, lambda i: {7: 1.0})


@pytest.mark.parametrize(
    ("first", "then", "words"),
    [
        ("a", 1.5, "is a number .* have a text there"),
        (1.5, "a", "is a text .* have a number there"),
        (True, 2, "is a number .* have a truth value there"),
        (0.5, False, "is a truth value .* have a number there"),
    ],
)
@pytest.mark.parametrize("folded", [True, False])
def test_a_field_is_of_one_kind(store, first, then, words, folded):
    store.append({"cell": "a", "x": None, "y": 1})
    store.append({"cell": "b", "x": first})
    if folded:
        store.compact()
    for _ in range(2):
        with pytest.raises(ValueError, match=f"cell c: x=.* {words}"):
            store.append({"cell": "c", "x": then})
        store.close()
        store = Store(store.path, version="1")  # the kinds are known from the files, too
    store.append({"cell": "d", "x": first, "y": 2.5})
    store.append({"cell": "e", "x": math.nan})
    assert store.compact()["cell"].tolist() == ["a", "b", "d", "e"]


@pytest.mark.parametrize("name", ["number", "budget", *RESERVED])
def test_a_result_does_not_take_the_name_of_a_parameter_or_a_reserved_one(store, name):
    words = rf"cell {cell_key(CELLS[0])}.*fields named '{name}' are not allowed"
    with pytest.raises(ValueError, match=words):
        _sweep(store, lambda i: {"value": 0.5, name: "zz"})
    assert len(Store(store.path, version="1")) == 0


def test_a_parameter_does_not_take_a_reserved_name(store):
    @dataclass(frozen=True)
    class Versioned(KeyedCell, kind="versioned"):
        number: int
        version: str = "2"

    words = "Versioned: fields named 'version' are not allowed.*reserved"
    with pytest.raises(ValueError, match=words):
        _sweep(store, lambda i: pytest.fail("a cell was run"), [Versioned(number=0)])


def test_the_reserved_names_are_those_that_are_written(store):
    made = run_sweep(CELLS, run_toy, store, **ALONE)
    assert set(made) - {"number", "budget", "value", "label"} == set(RESERVED)


def test_only_a_replica_is_refused():
    needs_real("adult", "download", "this", "that")
    words = "^this needs the real 'adult', and only its replica.*or give that for replica"
    with pytest.raises(ValueError, match=words):
        needs_real("adult", "replica", "this", "that")


def test_every_stored_record_names_a_commit_without_changes():
    for file in sorted(RESULTS.glob("*.parquet")):
        assert not pd.read_parquet(file)["commit"].str.endswith(DIRTY).any(), file.name


def test_code_with_changes_adds_nothing_to_committed_results(tmp_path, monkeypatch):
    """Before a cell runs, and when parts are gathered; a path of one's own takes the record."""
    monkeypatch.setattr(run, "RESULTS", tmp_path)
    monkeypatch.setattr(run, "_needs_real_tables", lambda grid: None)
    monkeypatch.setattr(run, "provenance", lambda: {"commit": f"188e907373d8{DIRTY}"})
    grid = grid_of_toys(tmp_path, CELLS)
    with pytest.raises(ValueError, match="must be without changes, got '188e907373d8-dirty'"):
        run.run_grid(grid, progress=False)
    assert not list(tmp_path.glob("*.parquet"))
    assert len(run.run_grid(grid, path=tmp_path / "own" / "toy.parquet", progress=False))
