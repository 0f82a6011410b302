"""Cells rerun alone, in any order, with any backend, through any kill."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from tqdm import tqdm

from lib.paths import ROOT
from lib.runner import run_sweep
from lib.runner.cell import cell_key
from lib.runner.errors import StoreBusy
from lib.runner.provenance import provenance
from lib.runner.registry import GRIDS
from lib.runner.store import Store
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
from tests.runner.toy import ALONE, STABLE, ToyCell, record_of, run_toy, sweep

CELLS = [ToyCell(number=i) for i in range(12)]


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


RELEASE = next(iter(coherence_dp.RELEASES))
LSAC, NIST = {"dataset": "lsac"}, {"dataset": "nist"}
KINDS = [
    (synth.Cell, NIST | {"synthesizer": "MST", "epsilon": 1.0, "run": 2}),
    (across.Cell, {"kind": "MST", "epsilon": 1.0, "run": 2}),
    (coherence_dp.Cell, {"release": RELEASE, "epsilon": 1.0, "reader": "counts", "split": 2}),
    (coherence.Cell, {"variant": "published", "split": 2}),
    (ldp_fairness.Cell, LSAC | {"protocol": "GRR", "split": "uniform", "epsilon": 1.0, "run": 2}),
    (means.CensusCell, NIST | {"variable": "PINCP", "crossing": "SEX", "budget": 1.0, "runs": 2}),
    (means_mixtures.MixtureCell, {"n": 1000, "k": 3, "alpha": 1.0, "rho": 2.0}),
    (tuning.Trial, LSAC | {"number": 2, "folds": 4}),
    (replica_scores.Score, LSAC | {"table": "real", "part": "downstream", "run": 2}),
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


class Other(ToyCell, kind="other"):
    """Equal fields, another kind."""


@dataclass(frozen=True, kw_only=True)
class Renamed(ToyCell):
    """Another class of the kind, with a field that came later."""

    added: str = field(default="off", metadata={"frozen": "off"})


@dataclass(frozen=True, kw_only=True)
class Changed(ToyCell):
    """The frozen value is part of the class, and not the default of the day."""

    added: str = field(default="on", metadata={"frozen": "off"})


def test_the_key_is_of_kind_and_fields_and_keeps_its_stored_records():
    """By hand; renaming a class or adding a field with a frozen default orphans none."""
    body = '["toy", {"budget": NaN, "number": 1}]'
    by_hand = hashlib.blake2b(body.encode(), digest_size=8).hexdigest()
    assert cell_key(ToyCell(number=1)) == by_hand == "9cdd5cb903f9174c"
    same = [ToyCell(number=1, budget=float("nan")), Renamed(number=1)]
    assert {*map(cell_key, same), cell_key(Changed(number=1, added="off"))} == {by_hand}
    others = [ToyCell(number=2), Other(number=1), Renamed(number=1, added="on"), Changed(number=1)]
    assert by_hand not in map(cell_key, others)


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


@pytest.mark.parametrize("opened", ["before", "after"])
def test_only_what_is_missing_is_run(path, opened):
    """Also where another sweep finished it since the store was opened."""
    early, calls = Store(path, version="1"), []
    _sweep(path, CELLS[:5])
    store = early if opened == "before" else Store(path, version="1")
    counted = partial(_counted, calls)
    assert len(run_sweep(CELLS + CELLS, counted, store, **ALONE)) == 12
    assert calls == list(range(5, 12))


def _counted(calls: list[int], cell: ToyCell) -> dict:
    calls.append(cell.number)
    return run_toy(cell)


def test_a_second_sweep_is_refused_before_its_first_cell(path):
    first = Store(path, version="1")
    first.append(record_of(CELLS[0]))
    with pytest.raises(StoreBusy, match="another process is writing"):
        sweep(path, CELLS, lambda cell: pytest.fail("a cell was run"), **ALONE)
    # nothing to run: no lock is needed
    assert _sweep(path, CELLS[:1])["value"].tolist() == [run_toy(CELLS[0])["value"]]
    assert path.with_suffix(".journal").exists()
    first.close()
    _sweep(path, CELLS[:1])
    assert not path.with_suffix(".journal").exists()


def _breaks(cell: ToyCell) -> dict:
    if cell.number == 7:
        raise ValueError("number=7")
    return run_toy(cell)


@pytest.mark.parametrize(
    ("how", "words", "done"),
    [
        ({"cost": lambda cell: 1 / 0}, "division by zero", 0),
        ({"backend": "spark2"}, "backend", 0),
        ({"workers": 0}, r"workers must be .*, got 0", 0),
        ({"run": _breaks, "backend": "sequential"}, "number=7", 7),
    ],
)
def test_a_sweep_that_fails_loses_nothing_and_lets_the_writer_go(path, how, words, done):
    with pytest.raises((ValueError, ZeroDivisionError), match=words):
        _sweep(path, **how)
    assert len(Store(path, version="1")) == done
    assert len(_sweep(path)) == 12


@pytest.mark.parametrize(("every", "folds"), [(0.0, 12), (3600.0, 0)])
def test_the_journal_is_folded_as_often_as_is_said(path, monkeypatch, every, folds):
    compact, seen = Store.compact, []
    monkeypatch.setattr(Store, "compact", lambda store: seen.append(len(store)) or compact(store))
    _sweep(path, backend="sequential", compact_every=every)
    assert seen == [*range(1, folds + 1), 12]  # and once at the end


def test_the_bar_counts_cost(path, monkeypatch):
    class Bar(tqdm):
        totals: ClassVar[list[float]] = []

        def update(self, n=1):
            Bar.totals.append((self.total, n))
            return super().update(n)

    monkeypatch.setattr("lib.runner.sweep.tqdm", Bar)
    _sweep(path, CELLS[:3], backend="sequential", cost=lambda cell: 10.0 * (cell.number + 1))
    assert Bar.totals == [(60.0, 10.0), (60.0, 20.0), (60.0, 30.0)]


@pytest.mark.parametrize(
    ("workers", "instants"),
    [pytest.param(1, (0.15, 0.05), marks=pytest.mark.thorough("kills of sweeps")), (2, (0.2,))],
)
def test_killed_again_and_again_and_resumed_it_gives_the_same_table(
    path, tmp_path, workers, instants
):
    """SIGKILL at instants of the clock, then a run to the end; test_killed.py is inside a write."""
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
