"""The embedded replicas: their schema, their record, and their maker."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from lib.datasets import TASKS, Domain, Task, load
from lib.datasets.cache import sha256_of
from lib.dp import rho_of
from lib.experiments import replicas
from lib.experiments.replicas import DELTA, EPSILON, metadata, synthesise
from lib.paths import REPLICAS
from lib.rng import stream
from lib.synth import AIM

every = pytest.mark.parametrize("name", TASKS)


@every
def test_a_replica_is_small_and_is_what_its_record_says(name):
    path, facts = REPLICAS / f"{name}.parquet", metadata()[name]
    assert path.stat().st_size < 2e6
    assert facts["sha256"] == sha256_of(path)
    data = load(name, "replica")
    assert data.is_replica
    assert len(data.frame) == facts["rows"]


@every
def test_the_declared_budget_is_what_was_spent(name):
    facts = metadata()[name]
    assert facts["rho"] == rho_of(EPSILON, DELTA)
    assert facts["rho_spent"] == pytest.approx(facts["rho"], rel=1e-12)
    assert facts["adjacency"] == "add or remove one row"


@every
def test_nobody_can_draw_the_noise_again(name):
    """A published seed voids the guarantee: with all rows but one, the last could be tried out."""
    assert not [key for key in metadata()[name] if "seed" in key]


TOY = Task("toy", "", "", "t", "p", ("p",), ("a",), Domain.of({"a": 3, "b": 4, "c": 2, "one": 1, "p": 2, "t": 2}))
QUICK = AIM(rounds_per_column=1, iterations=50, last_iterations=200)


def _toy_frame(n=3000) -> pd.DataFrame:
    rng = stream(2, "toy table")
    a = rng.integers(0, 3, n)
    b = (a + rng.integers(0, 2, n)) % 4
    t = (rng.random(n) < 0.2 + 0.25 * a).astype(int)
    return pd.DataFrame({"a": a, "b": b, "c": rng.integers(0, 2, n), "one": 0, "p": rng.integers(0, 2, n), "t": t})


def test_two_replicas_of_one_table_differ_and_are_of_its_schema(tmp_path, monkeypatch):
    toy = SimpleNamespace(frame=_toy_frame(), task=TOY, is_replica=False, sha256="0")
    monkeypatch.setattr(replicas, "load", lambda name: toy)
    one, two = (replicas.make("toy", folder=tmp_path, maker=QUICK) for _ in range(2))
    assert one["sha256"] != two["sha256"]
    assert metadata(tmp_path) == {"toy": two}
    TOY.domain.check(pd.read_parquet(tmp_path / "toy.parquet").astype(np.int16))


def test_a_replica_is_made_of_real_rows_only(monkeypatch):
    monkeypatch.setattr(replicas, "load", lambda name: load(name, "replica"))
    with pytest.raises(ValueError, match="dataset='lsac': the real data are needed"):
        replicas.make("lsac")


def test_the_maker_spends_all_is_deterministic_and_finds_what_is_strong():
    frame = _toy_frame()
    (one, model), (two, _) = (synthesise(frame, TOY, rho=2.0, rng=stream(1, "s"), maker=QUICK) for _ in range(2))
    pd.testing.assert_frame_equal(one, two)
    assert model.ledger.spent == pytest.approx(2.0, rel=1e-12)
    assert list(one) == list(TOY.domain.columns)
    assert (one["one"] == 0).all()
    share = one.groupby("a")["t"].mean()
    assert np.abs(share.to_numpy() - [0.2, 0.45, 0.7]).max() < 0.08
    together = pd.crosstab(one["a"], one["b"], normalize="index").to_numpy()
    assert together[[0, 1, 2], [0, 1, 2]] == pytest.approx([0.5] * 3, abs=0.1)


def test_the_number_of_rows_is_what_the_noise_says():
    """The true number is not used: it would tell a table from its neighbour."""
    found = [synthesise(_toy_frame(), TOY, rho=1e-3, rng=stream(s, "rows"), maker=QUICK) for s in range(3)]
    assert [len(rows) for rows, _ in found] == [round(model.total) for _, model in found]
    assert len({len(rows) for rows, _ in found}) > 1
