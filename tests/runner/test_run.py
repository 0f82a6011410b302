"""A grid by its name, in parts, gathered, of one version of the data: nothing foreign gets in."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import pytest

from lib.cli import main
from lib.cli.run import sources_of
from lib.datasets import load
from lib.paths import RESULTS
from lib.runner import Grid, Store, StoreError, gather_grid, grid_of, results, run, run_grid, scores
from lib.runner.cell import KeyedCell, cell_key
from lib.runner.records import DIRTY
from tests.runner.toy import ALONE, MADE, STABLE, ToyCell, grid_of_toys, record_of, stored

CELLS = [ToyCell(number=i) for i in range(23)]


@pytest.fixture
def grid(tmp_path, monkeypatch) -> Grid:
    monkeypatch.chdir(tmp_path)
    return grid_of_toys(tmp_path / "out", CELLS, cost=lambda c: 1.0 + (c.number < 5))


@pytest.mark.parametrize("of", [1, 4, 30])
def test_every_cell_is_in_one_part_and_parts_are_even(of):
    def cost(cell: ToyCell) -> float:
        return 100.0 if cell.number < 4 else 1.0

    parts = [run.share(CELLS, i, of, cost=cost) for i in range(1, of + 1)]
    assert sorted(c.number for part in parts for c in part) == list(range(23))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert run.share(CELLS[::-1], 1, of) == run.share(CELLS, 1, of)
    with pytest.raises(ValueError, match=r"number must be an integer >= 1 and <= \d+, got"):
        run.share(CELLS, of + 1, of)


def test_parts_gathered_are_the_grid_also_twice_and_after_a_kill(grid, tmp_path):
    for number in (3, 1):
        run_grid(grid, "quick", part=(number, 3), **ALONE)
    files = [tmp_path / f"toy.quick.{i}-of-3.parquet" for i in (1, 2, 3)]
    assert gather_grid(grid, [files[0], files[2]], "quick") == (15, 8)
    for cell in run.share(CELLS, 2, 3, cost=grid.cost):  # rows that nobody has folded
        stored(files[1], record_of(cell))
    for second in (files[1].with_suffix(".sqlite"), files[1]):
        assert gather_grid(grid, [files[0], second, files[2]], "quick") == (23, 0)
    whole = run_grid(grid, "quick", path=tmp_path / "whole.parquet", **ALONE)
    pd.testing.assert_frame_equal(results(grid, "quick")[STABLE], whole[STABLE])


def _part(folder: Path, number: int = 0, **change) -> Path:
    return stored(folder / "part.parquet", record_of(CELLS[number]) | change, fold=True).path


def test_what_is_not_of_the_grid_is_not_gathered(grid, tmp_path):
    run_grid(grid_of_toys(tmp_path, [ToyCell(number=99)], "other"), "quick", **ALONE)
    run_grid(grid_of_toys(tmp_path, CELLS, "newer", "2"), "quick", **ALONE)
    wrong = {
        tmp_path / "other.quick.parquet": "records of other cells than the grid's",
        tmp_path / "newer.quick.parquet": "version 2, this is version '1'",
        tmp_path / "none.parquet": "none.parquet is not there",
        _part(tmp_path / "bare", commit=None): "rows without a commit",
        _part(tmp_path / "source", dataset="adult"): "must have data_source or data_sha256",
        _part(tmp_path / "two values", value=0.5): "value of cell .* must be .* got 0.5",
    }
    right = _part(tmp_path / "right")
    for part, words in wrong.items():
        with pytest.raises(StoreError, match=words):
            gather_grid(grid, [right, part], "quick")
    assert not grid.path("quick").exists()


def test_scores_are_read_one_row_each(tmp_path):
    def scored(cell: ToyCell) -> dict:
        return {"value": 0.5, "scores": [{"group": g, "size": cell.number} for g in "ab"]}

    grid = grid_of_toys(tmp_path, CELLS[:3], run=scored)
    run_grid(grid, "quick", **ALONE)
    found = scores(grid, "quick")
    assert set(found) == {"cell", "number", "budget", "value", "group", "size"}
    expected = {(n, g): n for n in range(3) for g in "ab"}
    assert found.set_index(["number", "group"])["size"].to_dict() == expected
    assert "scores" not in results(grid, "quick")
    stored(grid.path("quick"), {"cell": "none", "value": 1.0} | MADE)
    assert "none" in set(results(grid, "quick")["cell"]) - set(scores(grid, "quick")["cell"])


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


@pytest.mark.parametrize(
    ("first", "second", "there", "here"),
    [(True, False, "the replica", "the real data"), (False, True, "the real data", "the replica")],
)
def test_a_file_of_replica_records_is_not_resumed_on_real_data_nor_the_reverse(
    first, second, there, here, path, tmp_path, monkeypatch, real_data
):
    """Nothing was computed, nothing said, and replica records came back as results."""
    folder = str(real_data("db_LSAC.csv").parent)
    monkeypatch.setenv("COMPANION_OFFLINE", "1")
    monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "cache"))

    def move(away: bool) -> None:
        monkeypatch.setenv("COMPANION_DATA", str(tmp_path) if away else folder)

    move(first)
    run_grid(_grid(tmp_path), path=path, **ALONE)
    before = path.read_bytes()
    move(second)
    said = f"here: 'lsac' was computed on {here}, and in {re.escape(str(path))} on {there}"
    for numbers in (range(3), range(5)):  # nothing is missing; something is
        idle = _grid(tmp_path, numbers, run=lambda cell: pytest.fail("work was done"))
        with pytest.raises(StoreError, match=said):
            run_grid(idle, path=path, **ALONE)
    assert path.read_bytes() == before
    run_grid(_grid(tmp_path), path=tmp_path / "other.parquet", **ALONE)
    with pytest.raises(StoreError, match=rf"grid.parquet: 'lsac' was computed on {there}"):
        gather_grid(_grid(tmp_path), [tmp_path / "other.parquet", path], path=tmp_path / "all")
    move(first)
    assert len(run_grid(_grid(tmp_path, range(5)), path=path, **ALONE)) == 5


@pytest.mark.parametrize(
    ("then", "words"),
    [
        (("replica", "0"), "on the replica, and in .* on the real data"),
        (("local", "1"), "on SHA-256 1, and in .* on SHA-256 0"),
    ],
)
def test_a_sweep_whose_workers_have_other_data_stops(then, words, tmp_path):
    """The replica, or other bytes of the real file, also where the first record has no SHA-256."""
    said = [("local", None), ("local", "0"), then]

    def changing(cell: Cell) -> dict:
        return dict(zip(("data_source", "data_sha256"), said[cell.number], strict=True))

    with pytest.raises(StoreError, match=f"'lsac' was computed {words}"):
        run_grid(_grid(tmp_path, run=changing), **ALONE)
    assert len(Store(tmp_path / "mine.parquet", version="1")) == 2


@pytest.mark.parametrize(
    ("dataset", "said"),
    [
        ("lsac", {"data_source": "download"}),  # a folder, the cache and a download are the same
        ("mixture", {"data_source": "generated", "data_sha256": "{number}"}),
        ("my table", {}),
    ],
)
def test_what_is_the_same_generated_or_ones_own_is_let_be(dataset, said, tmp_path, real_data):
    real_data("db_LSAC.csv")

    def run(cell: Cell) -> dict:
        return {name: word.format(number=cell.number) for name, word in said.items()}

    grid = _grid(tmp_path, dataset=dataset, run=run)
    frame = run_grid(grid, **ALONE)
    assert len(frame) == len(run_grid(grid, **ALONE)) == 3
    assert sources_of(frame) == (f"; data: {dataset} {said['data_source']}" if said else "")


def test_a_data_set_that_only_a_record_names_is_not_imported(grid, tmp_path, monkeypatch):
    """Whoever sends a file would choose what runs here."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "sent.py").write_text("open('ran', 'w')", "utf-8")
    said = {"dataset": "sent:TASK", "data_source": "local", "data_sha256": "1"}
    assert gather_grid(grid, [_part(tmp_path / "part", **said)], "quick") == (1, 22)
    run_grid(grid, "quick", **ALONE)
    assert not Path("ran").exists()


def test_committed_results_take_no_replica_and_no_code_with_changes(tmp_path, monkeypatch):
    """Before a cell runs, from a worker, and when parts are gathered; a path of one's own does."""
    monkeypatch.setattr(run, "RESULTS", tmp_path)
    for at in ("run", "sweep"):
        monkeypatch.setattr(
            f"lib.runner.{at}.provenance", lambda: {"commit": "188e907373d8", "versions": ""}
        )
    replica = lambda cell: {"data_source": "replica" if cell.number == 1 else "local"}  # noqa: E731
    grid = grid_of_toys(tmp_path, CELLS[:3], run=replica)
    with pytest.raises(
        ValueError, match=f"cell {cell_key(CELLS[1])}.*need the real .*got its replica"
    ):
        run_grid(grid, **ALONE)
    assert Store(grid.path("paper"), version="1").frame()["number"].tolist() == [0]
    mine = tmp_path / "own" / "toy.parquet"
    assert len(run_grid(grid, path=mine, **ALONE)) == 3
    with pytest.raises(ValueError, match="need the real"):
        gather_grid(grid, [mine])
    monkeypatch.setattr(run, "provenance", lambda: {"commit": f"188e907373d8{DIRTY}"})
    with pytest.raises(ValueError, match="must be without changes, got '188e907373d8-dirty'"):
        run_grid(grid, **ALONE)
    with pytest.raises(ValueError, match="must be without changes"):
        gather_grid(grid, [_part(tmp_path / "part", commit=f"1{DIRTY}")])


OWN = replace(grid_of_toys(Path(), CELLS[:3], "own"), folder=None)
LAWS = replace(_grid(Path()), name="laws", folder=None)


def _command(capsys, *words: str) -> str:
    """What ``python -m lib run`` prints, which ends with 0."""
    assert main(["run", *words, "--workers", "1", "--backend", "sequential"]) == 0
    return capsys.readouterr().out


def test_a_run_says_what_it_will_do_and_in_which_file_and_runs_anew_where_one_asks(
    tmp_path, monkeypatch, capsys
):
    """It printed one line, which named no file, and had run nothing, or started hours of work."""
    monkeypatch.chdir(tmp_path)
    own, file = f"{__name__}:OWN", Path("results/own.parquet")
    said = _command(capsys, own)
    assert f"own (paper) in {file}: 3 of 3 cells to run; data: of its own\n" in said
    assert f"3 cells of {own} (paper) in {file}" in said
    before = file.read_bytes()
    assert f"{file}: all 3 cells are stored; --again FOLDER" in _command(capsys, own)
    mine = Path("mine/own.parquet")
    said = _command(capsys, own, "--again", "mine")
    assert re.search(f"in {mine}: 3 of 3 cells to run, about .* core-hours by stored times", said)
    assert len(Store(mine, version="1")) == 3
    assert file.read_bytes() == before
    part = Path("mine/own.1-of-2.parquet")
    assert f"in {part}: 2 of 2 cells" in _command(capsys, own, "--again", "mine", "--part", "1/2")
    said = _command(capsys, own, "--gather", str(part), "--again", "other")
    assert said == f"2 cells of {own} (paper), 1 missing, in {Path('other/own.parquet')}\n"
    assert not [*RESULTS.glob("own*")]


def test_only_a_grid_of_a_study_at_full_scale_is_stored_in_the_clone():
    """Records of a changed copy of a study's grid, of a grid of one's own and of a quick slice."""
    study = grid_of("ldp_main")
    assert study.path("paper").parent == RESULTS
    for grid in (replace(study, version="mine"), replace(study, title="x", name="y"), OWN):
        assert grid.path("paper").parent == grid.path("quick").parent == Path("results")
    assert study.path("quick") == Path("results/ldp_main.quick.parquet")


def test_replicas_are_run_on_where_one_asks_and_named(tmp_path, monkeypatch, capsys):
    """Six of twelve grids failed, with an option that the command lacked; a whole one needs no
    data.
    """
    monkeypatch.chdir(tmp_path)
    assert "all 960 cells are stored" in _command(capsys, "ldp_rounded")
    laws = f"{__name__}:LAWS"
    assert main(["run", laws, "--again", "mine"]) == 2
    said = capsys.readouterr().err
    assert "data must be real without --replicas: set COMPANION_DATA or go online" in said
    assert "got {'lsac': 'replica'}" in said
    assert not [*tmp_path.iterdir()]
    assert "to run; data: lsac replica\n" in _command(capsys, laws, "--replicas")
    assert len(Store("results/laws.parquet", version="1")) == 3
    assert "data: lsac replica\n" in _command(capsys, laws, "--profile", "quick")


@pytest.mark.parametrize("folder", [__file__, str(RESULTS)])
def test_a_folder_that_is_none_of_ones_own_is_refused(folder, capsys):
    assert main(["run", "means_mixtures", "--again", folder]) == 2
    assert capsys.readouterr().err.startswith("error: again must be a folder of yours, got ")
