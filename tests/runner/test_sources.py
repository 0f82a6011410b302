"""A results file holds the records of one version of a data set: replica and real rows are not
mixed, nor taken for each other.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from itertools import product

import pandas as pd
import pytest

from lib.cli import main
from lib.datasets import load
from lib.paths import ROOT
from lib.runner import Grid, Store, StoreError, gather_grid, run_grid
from lib.runner.cell import KeyedCell, cell_key
from lib.runner.sources import in_words
from tests.runner.toy import ALONE, ToyCell, grid_of_toys


@dataclass(frozen=True, kw_only=True)
class Cell(KeyedCell, kind="numbered"):
    dataset: str
    number: int


def _run(cell: Cell) -> dict:
    data = load(cell.dataset)
    return {"value": cell.number, "data_source": data.source, "data_sha256": data.sha256}


def _grid(folder, numbers=range(3), dataset="lsac", run=_run) -> Grid:
    cells = [Cell(dataset=dataset, number=n) for n in numbers]
    return grid_of_toys(folder, cells, "mine", run=run)


def _sweep(grid, **options) -> pd.DataFrame:
    return run_grid(grid, **ALONE, **options)


@pytest.fixture
def places(tmp_path, monkeypatch, real_data):
    """A function that takes the real LSAC away, and one that gives it back."""
    folder = str(real_data("db_LSAC.csv").parent)

    def away() -> None:
        monkeypatch.setenv("COMPANION_OFFLINE", "1")
        monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "cache"))
        monkeypatch.delenv("COMPANION_DATA", raising=False)

    def back() -> None:
        monkeypatch.setenv("COMPANION_DATA", folder)

    return away, back


@pytest.mark.parametrize("numbers", [range(3), range(5)])  # nothing is missing; something is
def test_a_file_of_replica_records_is_not_resumed_on_real_data_nor_the_reverse(
    numbers, tmp_path, places
):
    """Nothing was computed, nothing said, and replica records came back as results."""
    away, back = places
    for first, second, there, here in (
        (away, back, "the replica", "the real data"),
        (back, away, "the real data", "the replica"),
    ):
        path = tmp_path / f"{there}.parquet"
        first()
        _sweep(_grid(tmp_path), path=path)
        before = path.read_bytes()
        second()
        said = (
            rf"{re.escape(str(path))} holds records of 'lsac' that were computed on {there} .*here"
            rf" is {here}.*COMPANION_DATA"
        )
        idle = _grid(tmp_path, numbers, run=lambda cell: pytest.fail("work was done"))
        with pytest.raises(StoreError, match=said):
            _sweep(idle, path=path)
        assert path.read_bytes() == before
        assert not path.with_suffix(".journal").exists()
        first()
        assert len(_sweep(_grid(tmp_path, numbers), path=path)) == len(numbers)


def test_the_quick_profile_by_command_is_held_to_it_too(tmp_path, places, monkeypatch, capsys):
    away, back = places
    monkeypatch.setattr("lib.runner.registry.GRIDS", {"mine": _grid(tmp_path)})
    away()
    run = ["run", "mine", "--profile", "quick", "--workers", "1", "--backend", "sequential"]
    assert main(run) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "3 cells of mine (quick); data: lsac replica"
    back()
    assert main(run) == 2
    words = "mine.quick.parquet holds records of 'lsac' that were computed on the replica"
    assert words in capsys.readouterr().err


def test_a_folder_the_cache_and_a_download_are_the_same_bytes(tmp_path, places):
    places[1]()
    other = {"data_source": "download"}
    _sweep(_grid(tmp_path, run=lambda cell: _run(cell) | other), path=tmp_path / "a.parquet")
    frame = _sweep(_grid(tmp_path, range(5)), path=tmp_path / "a.parquet")
    assert sorted(frame["data_source"]) == ["download"] * 3 + ["local"] * 2
    assert in_words(frame) == "; data: lsac download and local"


def test_other_bytes_of_a_real_file_are_not_resumed(tmp_path, places):
    places[1]()
    _sweep(_grid(tmp_path, run=lambda cell: _run(cell) | {"data_sha256": "0" * 64}))
    words = r"the real data \(SHA-256 000000000000...\), and here is the real data"
    with pytest.raises(StoreError, match=words):
        _sweep(_grid(tmp_path))


def test_a_sweep_whose_workers_have_other_data_stops(tmp_path):
    def changing(cell: Cell) -> dict:
        half = cell.number // 2
        return {"data_source": ("local", "replica")[half], "data_sha256": str(half)}

    words = r"'lsac' was computed on the replica .*, and in .* on the real data"
    with pytest.raises(StoreError, match=words):
        _sweep(_grid(tmp_path, range(4), run=changing))
    assert len(Store(tmp_path / "mine.parquet", version="1")) == 2


def test_parts_of_two_sources_are_not_gathered(tmp_path, places):
    """``path=`` went by the one check that there was."""
    away, back = places
    away()
    _sweep(_grid(tmp_path), part=(1, 2), path=tmp_path / "replica.parquet")
    back()
    _sweep(_grid(tmp_path), part=(2, 2), path=tmp_path / "real.parquet")
    for first, second in (("real", "replica"), ("replica", "real")):
        into = tmp_path / f"{first} first.parquet"
        gather_grid(_grid(tmp_path), [tmp_path / f"{first}.parquet"], path=into)
        there = len(Store(into, version="1"))
        words = f"{second}.parquet: 'lsac' was computed on the .*give the other a path of its own"
        with pytest.raises(StoreError, match=words):
            gather_grid(_grid(tmp_path), [tmp_path / f"{second}.parquet"], path=into)
        assert len(Store(into, version="1")) == there


GENERATED = [
    {},
    {"data_source": "generated"},
    {"data_source": "my archive", "data_sha256": "1"},
    {"data_source": "local"},
]


@pytest.mark.parametrize(
    ("dataset", "said"),
    [
        *product(("mixture", "newyork", "my table"), GENERATED),
        ("my table", {"data_source": "local", "data_sha256": "{number}"}),  # each its own
    ],
)
def test_what_is_generated_or_ones_own_is_let_be(dataset, said, tmp_path):
    def run(cell: Cell) -> dict:
        return {name: word.format(number=cell.number) for name, word in said.items()}

    grid = _grid(tmp_path, dataset=dataset, run=run)
    assert len(_sweep(grid)) == len(_sweep(grid)) == 3


def test_a_grid_without_sources_says_none(tmp_path):
    grid = grid_of_toys(tmp_path, [ToyCell(number=1)])
    assert in_words(_sweep(grid)) == ""
    assert cell_key(ToyCell(number=1)) in set(_sweep(grid)["cell"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--workers", "0"], r"workers must be .*, got 0"),
        (["--part", "5/3"], r"number must be .*, got 5"),
        (["--part", "0/3"], r"number must be .*, got 0"),
        (["--backend", "threads"], "threads"),
    ],
)
def test_arguments_are_looked_at_before_data(options, message, monkeypatch, capsys):
    """Without data the complaint was of replicas, after a try at the network."""
    monkeypatch.setattr("lib.runner.run.load", lambda name: pytest.fail("data were asked for"))
    assert main(["run", "ldp_main", *options]) == 2
    assert re.search(message, capsys.readouterr().err)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_cell_that_needs_too_much_memory_is_named(workers, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["run", "tests.runner.toy:HUNGRY", "--workers", workers]) == 1
    said = capsys.readouterr().err
    assert re.search(r"error: cell \w+ \(ToyCell\(number=2.*needs more memory than there is", said)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_ends_a_run_with_one_line(workers, tmp_path):
    """A traceback of 55 lines hid that nothing is lost."""
    words = ["-m", "lib", "run", "tests.runner.toy:GRID", "--workers", workers]
    run = subprocess.Popen(
        [sys.executable, *words],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},  # of the module of the grid
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # a suite that a shell starts in the background hands an ignored Ctrl-C down
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    journal, deadline = tmp_path / "results" / "toy.journal", time.monotonic() + 120
    while not (journal.exists() and journal.stat().st_size):
        if run.poll() is not None or time.monotonic() > deadline:
            break
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGINT)  # as a terminal does: to the workers, too
    said = run.communicate(timeout=120)[1]
    assert run.returncode == 130
    assert "Traceback" not in said
    words = "interrupted: finished cells are stored, and the same command goes on from there"
    assert said.splitlines()[-1] == words
    assert len(Store(tmp_path / "results" / "toy.parquet", version="1"))
