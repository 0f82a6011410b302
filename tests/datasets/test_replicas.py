"""The embedded replicas: their schema, their record, the accounting of the maker."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from lib.datasets import TASKS, Domain, Task, load, replicas
from lib.datasets.cache import sha256_of
from lib.datasets.replicas import DELTA, EPSILON, Ledger, metadata, rho_of, synthesise
from lib.paths import REPLICAS
from lib.rng import stream

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


@every
def test_nobody_can_draw_the_noise_again(name):
    """A published seed voids the guarantee: with all rows but one, the last could be tried out."""
    assert not [key for key in metadata()[name] if "seed" in key]


def test_two_replicas_of_one_table_differ(tmp_path, monkeypatch):
    toy = SimpleNamespace(frame=_toy_frame(), task=TOY, is_replica=False, sha256="0")
    monkeypatch.setattr(replicas, "load", lambda name: toy)
    assert replicas.make("toy", folder=tmp_path)["sha256"] != replicas.make("toy", folder=tmp_path)["sha256"]


def test_the_conversion_is_inverted_exactly():
    rho = rho_of(3.0, 1e-9)
    assert rho + 2 * math.sqrt(rho * math.log(1e9)) == pytest.approx(3.0, rel=1e-12)


def test_a_ledger_refuses_to_overspend():
    ledger = Ledger(1.0)
    for _ in range(10):
        ledger.spend("a tenth", 0.1)
    assert ledger.spent == pytest.approx(1.0)
    with pytest.raises(ValueError, match=r"rho=0.01 for 'more'"):
        ledger.spend("more", 0.01)


TOY = Task("toy", "", "", "t", "p", ("p",), ("a",), Domain.of({"a": 3, "b": 4, "c": 2, "one": 1, "p": 2, "t": 2}))


def _toy_frame(n=3000) -> pd.DataFrame:
    rng = stream(2, "toy table")
    a = rng.integers(0, 3, n)
    b = (a + rng.integers(0, 2, n)) % 4
    t = (rng.random(n) < 0.2 + 0.25 * a).astype(int)
    return pd.DataFrame({"a": a, "b": b, "c": rng.integers(0, 2, n), "one": 0, "p": rng.integers(0, 2, n), "t": t})


def test_the_maker_spends_all_is_deterministic_and_finds_what_is_strong():
    frame, made = _toy_frame(), []
    for _ in range(2):
        made.append(synthesise(frame, TOY, rho=2.0, rng=stream(1, "s"), iterations=300))
    one, two = made
    pd.testing.assert_frame_equal(one.frame, two.frame)
    assert one.ledger.spent == pytest.approx(2.0, rel=1e-12)
    assert ("a", "b") in one.edges
    assert len(one.frame) == len(frame)
    share = one.frame.groupby("a")["t"].mean()
    assert np.abs(share.to_numpy() - [0.2, 0.45, 0.7]).max() < 0.08
