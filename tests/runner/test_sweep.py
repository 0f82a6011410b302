"""Cells rerun alone, in any order, with any backend, through any kill."""

from __future__ import annotations

import hashlib
import math
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

import lib.runner.store
from lib.paths import ROOT
from lib.runner import run_sweep
from lib.runner.cell import cell_key
from lib.runner.records import provenance
from lib.runner.registry import grid_of, grids
from lib.runner.store import Store, StoreBusy, read_rows
from tests.programs import git, wait
from tests.runner.toy import ALONE, MANY, STABLE, ToyCell, record_of, run_toy, stored, sweep

CELLS = [ToyCell(number=i) for i in range(12)]
AGAIN = pytest.mark.thorough("workers of a program, once more")


def _sweep(path, cells=CELLS, **options) -> pd.DataFrame:
    return sweep(path, cells, **options)[STABLE]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return _sweep(tmp_path_factory.mktemp("sweep") / "grid.parquet")


def test_order_and_workers_do_not_matter(undisturbed, tmp_path):
    backwards = _sweep(tmp_path / "a.parquet", CELLS[::-1])
    two = _sweep(tmp_path / "b.parquet", workers=2)
    threads = _sweep(tmp_path / "c.parquet", workers=2, backend="threading")
    for other in (backwards, two, threads):
        pd.testing.assert_frame_equal(undisturbed, other)


def test_a_budget_of_1_is_a_budget_of_1_point_0_and_seeds_are_checked():
    """A parameter from a command line is an int where the grid has a float: same key, same
    stream, stored cell found. In each kind of cell that the grids have.
    """
    cells = (cell for name in grids() for cell in grid_of(name).cells("quick"))
    for cell in {type(cell): cell for cell in cells if _is_finite(cell)}.values():
        budgets = {"epsilon", "rho", "budget"} & set(vars(cell))
        one, other = (replace(cell, **dict.fromkeys(budgets, kind(1))) for kind in (int, float))
        assert cell_key(one) == cell_key(other) == cell_key(replace(one, seed=np.int64(one.seed)))
        for seed in (-1, True, "2024", None, 20240212.0):
            with pytest.raises(ValueError, match=f"seed must be .*, got {seed!r}"):
                replace(cell, seed=seed)


def _is_finite(cell) -> bool:
    return all(math.isfinite(v) for v in vars(cell).values() if isinstance(v, float))


class Other(ToyCell, kind="other"):
    """Equal fields, another kind."""


class Renamed(ToyCell):
    """Another class of the kind."""


def test_the_key_is_of_kind_and_fields_and_keeps_its_stored_records():
    """By hand; renaming a class orphans none."""
    body = '["toy", {"budget": NaN, "number": 1}]'
    by_hand = hashlib.blake2b(body.encode(), digest_size=8).hexdigest()
    assert cell_key(ToyCell(number=1)) == by_hand == "9cdd5cb903f9174c"
    same = [ToyCell(number=1, budget=float("nan")), Renamed(number=1)]
    assert {*map(cell_key, same)} == {by_hand}
    assert by_hand not in map(cell_key, [ToyCell(number=2), Other(number=1)])


@pytest.mark.parametrize("name", [n for n in grids() if grid_of(n).path("paper").exists()])
def test_every_stored_record_is_found_by_the_key_of_its_cell(name):
    grid = grid_of(name)
    store = Store(grid.path("paper"), version=grid.version)
    assert set(store.frame()["cell"]) <= set(map(cell_key, grid.cells("paper")))


def test_only_what_is_missing_is_run_also_where_it_was_finished_since(path):
    store, calls = Store(path, version="1"), []
    _sweep(path, CELLS[:5])

    def counted(cell: ToyCell) -> dict:
        calls.append(cell.number)
        return run_toy(cell)

    assert len(run_sweep(CELLS + CELLS, counted, store, **ALONE)) == 12
    assert calls == list(range(5, 12))


def test_a_second_sweep_is_refused_before_its_first_cell(path):
    first = stored(path, record_of(CELLS[0]))
    with first.writing():
        with pytest.raises(StoreBusy, match="another process is writing"):
            sweep(path, CELLS, lambda cell: pytest.fail("a cell was run"), **ALONE)
        # nothing to run: no lock is needed
        assert _sweep(path, CELLS[:1])["value"].tolist() == [run_toy(CELLS[0])["value"]]
        assert read_rows(first.database)
    stored(path, record_of(CELLS[1]))  # what a killed run has left is folded
    _sweep(path, CELLS[:2])
    assert not read_rows(first.database)
    assert len(pd.read_parquet(path)) == 2


def _breaks(cell: ToyCell) -> dict:
    if cell.number == 7:
        raise ValueError("number=7")
    return run_toy(cell)


def _takes(name: str) -> dict:
    return ALONE | {"run": lambda cell: {name: "zz"}}


FIRST = rf"cell {cell_key(CELLS[0])} \(ToyCell\(number=0.*"


@pytest.mark.parametrize(
    ("how", "words", "done"),
    [
        ({"backend": "spark2"}, "backend", 0),
        ({"workers": 0}, r"workers must be .*, got 0", 0),
        (ALONE | {"run": _breaks}, "number=7", 7),
        (ALONE | {"run": Mock(side_effect=MemoryError)}, FIRST + "more memory than there is", 0),
        *((_takes(n), FIRST + f"fields named '{n}' are", 0) for n in ("number", "wall_s")),
    ],
)
def test_a_sweep_that_fails_loses_nothing_and_lets_the_writer_go(path, how, words, done):
    with pytest.raises((ValueError, RuntimeError), match=words):
        _sweep(path, **how)
    assert len(pd.read_parquet(path) if done else ()) == done  # folded
    assert not read_rows(path.with_suffix(".sqlite"))
    assert len(_sweep(path, backend="sequential")) == 12


def _children(pid: int) -> list[int]:
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()]


def _alive(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text("utf-8").rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("number", "status", "last"),
    [
        (signal.SIGINT, 130, "interrupted: finished cells are stored, and the same command goes"),
        pytest.param(signal.SIGTERM, 143, "", marks=AGAIN),
        pytest.param(signal.SIGKILL, -9, "", marks=AGAIN),
    ],
)
def test_an_interrupted_run_keeps_what_is_finished_and_leaves_no_worker(
    number, status, last, tmp_path
):
    """What was finished is in the table, but after a kill, where the next call finds it."""
    path, command = tmp_path / "results" / "toy.parquet", "run tests.runner.toy:GRID --workers 2"
    with open(tmp_path / "said", "w", encoding="utf-8") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "lib", *command.split()],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},  # of the module of the grid
            stderr=said,
            # a suite that a shell starts in the background hands an ignored Ctrl-C down
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            start_new_session=True,
        )
    assert wait(lambda: len(Store(path, version="1")) >= 9 or process.poll() is not None)
    workers = _children(process.pid)
    assert len(workers) >= 2
    done = len(Store(path, version="1"))
    # Ctrl-C of a terminal goes to the workers, too
    (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
    assert process.wait(60) == status
    assert wait(lambda: not any(map(_alive, workers)), 5)
    errors = (tmp_path / "said").read_text(encoding="utf-8")
    assert "Traceback" not in errors
    assert last in errors.splitlines()[-1]
    assert (
        path.exists() == (number != signal.SIGKILL) != bool(read_rows(path.with_suffix(".sqlite")))
    )
    assert done <= len(Store(path, version="1")) < len(MANY)
    resumed = sweep(path, MANY)[STABLE]
    pd.testing.assert_frame_equal(resumed, sweep(tmp_path / "other.parquet", MANY)[STABLE])


@pytest.mark.parametrize("signal_", [KeyboardInterrupt, SystemExit])
def test_a_second_interruption_while_rows_are_folded_waits_for_the_fold(
    signal_, tmp_path, monkeypatch
):
    path, write, asked = tmp_path / "toy.parquet", lib.runner.store.write_table, []

    def interrupted(cell):
        if cell == CELLS[2]:
            raise signal_
        return run_toy(cell)

    def impatient(*arguments):
        asked.append(arguments)
        if len(asked) == 1:
            raise signal_
        write(*arguments)

    monkeypatch.setattr("lib.runner.store.write_table", impatient)
    with pytest.raises(signal_):
        sweep(path, CELLS, run=interrupted, backend="sequential")
    assert path.exists()
    assert read_rows(path.with_suffix(".sqlite")) == []
    assert len(Store(path, version="1")) == 2


def test_a_commit_whose_code_was_changed_is_called_dirty(tmp_path, monkeypatch):
    monkeypatch.setattr("lib.runner.records.ROOT", tmp_path)
    found = provenance.__wrapped__
    git(tmp_path, "init", "-q")
    assert found()["commit"] == "unknown"  # nothing committed yet
    code, results = tmp_path / "lib" / "code.py", tmp_path / "data" / "results" / "grid.parquet"
    for file in (code, results):
        file.parent.mkdir(parents=True)
        file.write_text("1", encoding="utf-8")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    commit = git(tmp_path, "rev-parse", "--short=12", "HEAD")
    assert found()["commit"] == commit
    results.write_text("2", encoding="utf-8")  # what a sweep does
    assert found()["commit"] == commit
    code.write_text("2", encoding="utf-8")
    assert found()["commit"] == f"{commit}-dirty"
    monkeypatch.setenv("PATH", "")  # a machine without git
    assert found()["commit"] == "unknown"
