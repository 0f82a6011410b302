"""Cells rerun alone, in any order, with any backend, through any kill."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

from lib.paths import ROOT
from lib.runner import sweep
from lib.runner.cell import KeyedCell, cell_key
from lib.runner.errors import StoreBusy
from lib.runner.provenance import provenance
from lib.runner.registry import GRIDS
from lib.runner.store import Store
from lib.runner.sweep import run_sweep
from studies.coherence import noisy_counts as coherence_dp
from studies.coherence import section5 as coherence
from studies.cross_paper import cells as across
from studies.ldp_fairness import cells as ldp_fairness
from studies.ldp_fairness import tuning
from studies.private_means import census as means
from studies.private_means import mixtures as means_mixtures
from studies.replicas import scores as replica_scores
from studies.synthesizers import cells as synth
from tests.programs import git
from tests.runner.toy import ToyCell, run_toy

CELLS = [ToyCell(number=i) for i in range(12)]
STABLE = ["cell", "number", "value", "label"]


def _sweep(path, cells=CELLS, **options) -> pd.DataFrame:
    return run_sweep(cells, run_toy, Store(path, version="1"), progress=False, **options)[STABLE]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    return _sweep(tmp_path_factory.mktemp("sweep") / "grid.parquet")


def test_order_and_workers_do_not_matter(undisturbed, tmp_path):
    backwards = _sweep(tmp_path / "a.parquet", CELLS[::-1])
    two = _sweep(tmp_path / "b.parquet", workers=2)
    threads = _sweep(tmp_path / "c.parquet", workers=2, backend="threading")
    for other in (backwards, two, threads):
        pd.testing.assert_frame_equal(undisturbed, other)


KINDS = [
    (synth.Cell, {"dataset": "nist", "synthesizer": "MST", "epsilon": 1.0, "run": 2}),
    (across.Cell, {"kind": "MST", "epsilon": 1.0, "run": 2}),
    (
        coherence_dp.Cell,
        {
            "release": next(iter(coherence_dp.RELEASES)),
            "epsilon": 1.0,
            "reader": "counts",
            "split": 2,
        },
    ),
    (coherence.Cell, {"variant": "published", "split": 2}),
    (
        ldp_fairness.Cell,
        {"dataset": "lsac", "protocol": "GRR", "split": "uniform", "epsilon": 1.0, "run": 2},
    ),
    (
        means.CensusCell,
        {"dataset": "nist", "variable": "PINCP", "crossing": "SEX", "budget": 1.0, "runs": 2},
    ),
    (means_mixtures.MixtureCell, {"n": 1000, "k": 3, "alpha": 1.0, "rho": 2.0}),
    (tuning.Trial, {"dataset": "lsac", "number": 2, "folds": 4}),
    (replica_scores.Score, {"dataset": "lsac", "table": "real", "part": "downstream", "run": 2}),
]


@pytest.mark.parametrize(("kind", "fields"), KINDS)
def test_a_budget_of_1_is_a_budget_of_1_point_0(kind, fields):
    """A parameter from a command line is an int where the grid has a float: same key, same
    stream, stored cell found.
    """
    other = {
        name: int(v) if isinstance(v, float) else np.int64(v) if isinstance(v, int) else v
        for name, v in fields.items()
    }
    assert cell_key(kind(**fields)) == cell_key(kind(**other))
    assert repr(kind(**fields)) == repr(kind(**other))


@pytest.mark.parametrize(("kind", "fields"), KINDS)
def test_the_seed_is_checked_as_the_other_numbers_are(kind, fields):
    for seed in (-1, True, "2024", None, 20240212.0):
        with pytest.raises(ValueError, match=f"seed must be .*, got {seed!r}"):
            kind(**fields, seed=seed)
    assert cell_key(kind(**fields, seed=np.int64(7))) == cell_key(kind(**fields, seed=7))


def test_a_mixture_is_no_data_set():
    with pytest.raises(ValueError, match=r"dataset must be .*, got 'zzz'"):
        means_mixtures.MixtureCell(n=1000, k=3, alpha=1.0, dataset="zzz")


def test_the_key_is_of_kind_and_fields():
    """By hand: stored records are found by it."""

    @dataclass(frozen=True, kw_only=True)
    class OtherCell(KeyedCell, kind="other"):
        number: int
        budget: float = float("nan")

    body = '["toy", {"budget": NaN, "number": 1}]'
    by_hand = hashlib.blake2b(body.encode(), digest_size=8).hexdigest()
    assert cell_key(ToyCell(number=1)) == by_hand == "9cdd5cb903f9174c"
    assert cell_key(ToyCell(number=1)) != cell_key(OtherCell(number=1))


def test_another_class_name_and_a_later_field_keep_the_key():
    """Renaming a class or adding a field with a frozen default orphans no stored record."""

    @dataclass(frozen=True, kw_only=True)
    class Renamed(KeyedCell, kind="toy"):
        number: int
        budget: float = float("nan")
        added: str = field(default="off", metadata={"frozen": "off"})

    assert cell_key(Renamed(number=1)) == cell_key(ToyCell(number=1))
    assert cell_key(Renamed(number=1, added="on")) != cell_key(ToyCell(number=1))


def test_a_default_that_changes_later_does_not_hide_behind_the_old_key():
    """The frozen value is part of the class, and not the default of the day."""

    @dataclass(frozen=True, kw_only=True)
    class Changed(KeyedCell, kind="toy"):
        number: int
        budget: float = float("nan")
        added: str = field(default="on", metadata={"frozen": "off"})

    assert cell_key(Changed(number=1)) != cell_key(ToyCell(number=1))
    assert cell_key(Changed(number=1, added="off")) == cell_key(ToyCell(number=1))


def test_a_cell_without_a_kind_is_refused():
    @dataclass(frozen=True)
    class Unnamed:
        number: int

    with pytest.raises(ValueError, match="cell must be a KeyedCell with a kind, got Unnamed"):
        cell_key(Unnamed(1))


def _keys(name: str) -> set[str]:
    return {cell_key(cell) for cell in GRIDS[name].cells("paper")}


@pytest.mark.parametrize("name", [g.name for g in GRIDS.values() if g.path("paper").exists()])
def test_every_stored_record_is_found_by_the_key_of_its_cell(name):
    store = Store(GRIDS[name].path("paper"), version=GRIDS[name].version, mix_versions=True)
    assert set(store.frame()["cell"]) <= _keys(name)


def test_a_cell_alone_is_the_cell_in_the_sweep(undisturbed):
    for cell in CELLS[::5]:
        row = undisturbed.set_index("cell").loc[cell_key(cell)]
        assert row["value"] == run_toy(cell)["value"]


def test_only_what_is_missing_is_run(tmp_path):
    path, calls = tmp_path / "grid.parquet", []

    def counted(cell):
        calls.append(cell.number)
        return run_toy(cell)

    for cells in (CELLS[:5], CELLS, CELLS + CELLS):
        run_sweep(cells, counted, Store(path, version="1"), backend="sequential", progress=False)
    assert sorted(calls) == list(range(12))


def test_a_second_sweep_is_refused_before_its_first_cell(tmp_path):
    path = tmp_path / "grid.parquet"
    first = Store(path, version="1")
    first.append({"cell": cell_key(CELLS[0])} | run_toy(CELLS[0]))
    with pytest.raises(StoreBusy, match="another process is writing"):
        run_sweep(
            CELLS,
            lambda cell: pytest.fail("a cell was run"),
            Store(path, version="1"),
            backend="sequential",
            progress=False,
        )
    # nothing to run: no lock is needed
    done = run_sweep(CELLS[:1], run_toy, Store(path, version="1"), progress=False)
    assert done["value"].tolist() == [run_toy(CELLS[0])["value"]]
    assert path.with_suffix(".journal").exists()
    first.close()
    run_sweep(CELLS[:1], run_toy, Store(path, version="1"), progress=False)
    assert not path.with_suffix(".journal").exists()


def test_what_another_sweep_finished_since_the_store_was_opened_is_not_run_again(tmp_path):
    path, calls = tmp_path / "grid.parquet", []
    early = Store(path, version="1")
    _sweep(path, CELLS[:5])

    def counted(cell):
        calls.append(cell.number)
        return run_toy(cell)

    assert len(run_sweep(CELLS, counted, early, backend="sequential", progress=False)) == 12
    assert calls == list(range(5, 12))


def test_a_cost_that_fails_lets_the_writer_go(tmp_path):
    path = tmp_path / "grid.parquet"
    with pytest.raises(ZeroDivisionError):
        _sweep(path, cost=lambda cell: 1 / 0)
    assert len(_sweep(path)) == 12


@pytest.mark.parametrize(("every", "folds"), [(0.0, 12), (3600.0, 0)])
def test_the_journal_is_folded_as_often_as_is_said(tmp_path, monkeypatch, every, folds):
    path, compact, seen = tmp_path / "grid.parquet", Store.compact, []
    monkeypatch.setattr(Store, "compact", lambda store: seen.append(len(store)) or compact(store))
    _sweep(path, backend="sequential", compact_every=every)
    assert seen == [*range(1, folds + 1), 12]  # and once at the end


def test_the_bar_counts_cost(tmp_path, monkeypatch):
    class Bar(sweep.tqdm):
        totals: ClassVar[list[float]] = []

        def update(self, n=1):
            Bar.totals.append((self.total, n))
            return super().update(n)

    monkeypatch.setattr(sweep, "tqdm", Bar)
    _sweep(
        tmp_path / "grid.parquet",
        CELLS[:3],
        backend="sequential",
        cost=lambda cell: 10.0 * (cell.number + 1),
    )
    assert Bar.totals == [(60.0, 10.0), (60.0, 20.0), (60.0, 30.0)]


def test_a_failing_cell_loses_nothing_that_was_done(tmp_path):
    path = tmp_path / "grid.parquet"

    def breaks(cell):
        if cell.number == 7:
            raise ValueError("number=7")
        return run_toy(cell)

    with pytest.raises(ValueError, match="number=7"):
        run_sweep(CELLS, breaks, Store(path, version="1"), backend="sequential", progress=False)
    assert len(Store(path, version="1")) == 7
    assert len(_sweep(path)) == 12  # the writer's lock was let go


def test_equal_cells_have_equal_keys():
    assert cell_key(ToyCell(number=1)) == cell_key(ToyCell(number=1, budget=float("nan")))
    assert cell_key(ToyCell(number=1)) != cell_key(ToyCell(number=2))


def test_workers_below_one_are_refused(tmp_path):
    with pytest.raises(ValueError, match=r"workers must be .*, got 0"):
        _sweep(tmp_path / "grid.parquet", workers=0)


@pytest.mark.parametrize(
    ("workers", "instants"),
    [
        pytest.param(1, (0.15, 0.05), marks=pytest.mark.thorough("kills of sweeps")),
        (2, (0.2,)),
    ],
)
def test_killed_again_and_again_and_resumed_it_gives_the_same_table(tmp_path, workers, instants):
    """SIGKILL at instants of the clock, then a run to the end; test_killed.py has those inside a
    write.
    """
    path = tmp_path / "grid.parquet"
    command = [sys.executable, "-m", "tests.runner.toy", str(path), str(workers)]
    for seconds in instants:
        before = len(Store(path, version="1"))
        process = subprocess.Popen(
            command, cwd=ROOT, start_new_session=True, stderr=subprocess.DEVNULL
        )
        start = time.monotonic()
        while (
            len(Store(path, version="1")) <= before
            and process.poll() is None
            and time.monotonic() - start < 60
        ):
            time.sleep(0.04)
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert len(Store(path, version="1")) >= before
    subprocess.run(command, cwd=ROOT, check=True, timeout=120)
    cells = [ToyCell(number=i) for i in range(60)]
    disturbed = Store(path, version="1").frame()[STABLE]
    pd.testing.assert_frame_equal(disturbed, _sweep(tmp_path / "other.parquet", cells))


def test_a_machine_without_git_still_has_provenance(monkeypatch):
    monkeypatch.setenv("PATH", "")
    found = provenance.__wrapped__()
    assert found["commit"] == "unknown"
    assert "lightgbm=" in found["versions"]


def test_a_commit_whose_code_was_changed_is_called_dirty(tmp_path, monkeypatch):
    monkeypatch.setattr("lib.runner.provenance.ROOT", tmp_path)
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
    git(tmp_path, "add", "-A")
    assert found()["commit"] == f"{commit}-dirty"
    git(tmp_path, "commit", "-q", "-m", "second")
    assert found()["commit"] == git(tmp_path, "rev-parse", "--short=12", "HEAD") != commit


def test_records_name_the_packages_that_make_their_numbers(monkeypatch):
    named = dict(pair.split("=") for pair in provenance.__wrapped__()["versions"].split(" "))
    assert named["numpy"] == np.__version__
    assert {"scipy", "pandas", "scikit-learn", "lightgbm", "mbi", "jax", "optax"} <= set(named)
    monkeypatch.setattr("lib.runner.provenance.PACKAGES", ("numpy", "no-such-package"))
    assert provenance.__wrapped__()["versions"] == f"numpy={np.__version__}"


def test_an_unknown_backend_is_refused_and_lets_the_writer_go(tmp_path):
    path = tmp_path / "grid.parquet"
    with pytest.raises(ValueError, match="backend"):
        _sweep(path, backend="spark2")
    assert len(_sweep(path)) == 12
