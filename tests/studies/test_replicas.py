"""The embedded replicas: their schema, their record, and their maker."""

from __future__ import annotations

import json
import math
import shutil
import sys
from runpy import run_path
from types import ModuleType, SimpleNamespace

import pandas as pd
import pytest

from lib.datasets import FILES, TASKS, DataError, File, Task, load
from lib.datasets.cache import sha256_of
from lib.domain import Domain
from lib.files import read_json
from lib.paths import REPLICAS
from lib.rng import stream
from lib.synth import AIM
from studies.data.coding import coded_domain

replicas = SimpleNamespace(**run_path(str(REPLICAS / "make.py")))
every = pytest.mark.parametrize("name", TASKS)


def metadata(folder=REPLICAS) -> dict[str, dict]:
    return read_json(folder / "replicas.json", dict)


@every
def test_a_replica_is_small_and_is_what_its_record_says(name):
    path, facts = REPLICAS / f"{name}.parquet", metadata()[name]
    assert facts["bytes"] == path.stat().st_size < 2e6
    assert facts["sha256"] == sha256_of(path)
    data = load(name, "replica")
    assert (data.is_replica, len(data.frame)) == (True, facts["rows"])
    coded_domain(name).check(pd.read_parquet(path))  # the codes of its codebook


OTHER = r"lsac.parquet must be the replica on record in replicas.json.*got SHA-256"
DAMAGED = [
    (text, "replicas.json must be a record") for text in ("", "[]", '{"lsac": 3}', '{"lsac": null}')
]


@pytest.mark.parametrize(("record", "words"), [("whole", OTHER), ("gone", OTHER), *DAMAGED])
def test_a_replica_that_is_not_the_one_on_record_is_refused(tmp_path, monkeypatch, record, words):
    """A flipped bit used to be read as data, or as a broken parquet file."""
    for name in ("lsac.parquet", "replicas.json"):
        shutil.copy(REPLICAS / name, tmp_path)
    monkeypatch.setattr(sys.modules["lib.datasets.load"], "REPLICAS", tmp_path)
    assert load("lsac", "replica").sha256 == metadata()["lsac"]["sha256"]
    if record == "whole":
        rows = bytearray((tmp_path / "lsac.parquet").read_bytes())
        rows[len(rows) // 2] ^= 1
        (tmp_path / "lsac.parquet").write_bytes(rows)
    elif record == "gone":
        (tmp_path / "replicas.json").unlink()
    else:
        (tmp_path / "replicas.json").write_text(record, encoding="utf-8")
    with pytest.raises(DataError, match=words):
        load("lsac", "replica")


@every
def test_the_declared_budget_is_what_was_spent(name):
    facts = metadata()[name]
    assert facts["budget"] == pytest.approx(replicas.BUDGET, rel=1e-12)
    assert facts["neighbours"] == "replace one row"
    rho = facts["rho"]
    # to replace a row, a measurement costs twice its price, a selection 4 times
    assert 2 * replicas.BUDGET < rho < 4 * replicas.BUDGET
    epsilon = rho + 2 * math.sqrt(rho * math.log(1 / replicas.DELTA))
    assert facts["epsilon"] == pytest.approx(epsilon, rel=1e-12)


PAID = set(
    "edition rows bytes sha256 unit neighbours rho delta epsilon budget noise synthesizer rounds"
    " versions".split()
)


@every
def test_the_record_holds_nothing_of_the_real_table_that_was_not_paid_for(name):
    """A checksum of the source was there, and a seed: from each, a hidden row is found by trial."""
    facts = metadata()[name]
    assert set(facts) == PAID
    assert FILES[TASKS[name].file].sha256 not in json.dumps(facts)


FACTS = {"target": "t", "protected": "p", "sensitive": ("p",), "pool": ("a",)}
DOMAIN = Domain.of({"a": 3, "b": 4, "c": 2, "one": 1, "p": 2, "t": 2})
QUICK = AIM(rounds_per_column=1, iterations=50, last_iterations=200)


def _toy_frame(n=3000) -> pd.DataFrame:
    rng = stream(2, "toy table")
    a = rng.integers(0, 3, n)
    b = (a + rng.integers(0, 2, n)) % 4
    t = (rng.random(n) < 0.2 + 0.25 * a).astype(int)
    c, p = rng.integers(0, 2, (2, n))
    return pd.DataFrame({"a": a, "b": b, "c": c, "one": 0, "p": p, "t": t})


@pytest.fixture
def toy(tmp_path, monkeypatch) -> str:
    """The name of a task of one's own, whose file is there."""
    path = tmp_path / "toy.csv"
    _toy_frame().to_csv(path, index=False)
    file = File("toy.csv", "", sha256_of(path), path.stat().st_size, "none", 3000, 6)
    module = ModuleType("toy")
    module.TASK = Task("toy", "Toy", file, domain=DOMAIN, **FACTS)
    monkeypatch.setitem(sys.modules, "toy", module)
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    return "toy:TASK"


def test_two_replicas_of_one_table_differ_and_are_of_its_schema(toy, tmp_path, monkeypatch):
    one, two = (replicas.make(toy, folder=tmp_path / "r", maker=QUICK) for _ in range(2))
    assert one["sha256"] != two["sha256"]
    assert metadata(tmp_path / "r") == {"toy": two}
    assert set(two) == PAID
    monkeypatch.setattr(sys.modules["lib.datasets.load"], "REPLICAS", tmp_path / "r")
    assert len(load(toy, "replica").frame) == two["rows"]


@pytest.mark.parametrize("name", ["lsac", "nist"])
def test_a_replica_is_made_of_real_rows_only(name, tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COMPANION_OFFLINE", "1")
    words = f"dataset must be there with its real rows .*, got '{name}'"
    with pytest.raises(ValueError, match=words):
        replicas.make(name, folder=tmp_path)


def test_the_number_of_rows_is_what_the_noise_says():
    """The true number is not used: it would tell a table from its neighbour."""
    found = [
        replicas.synthesise(_toy_frame(), DOMAIN, rho=1e-3, rng=stream(s, "rows"), maker=QUICK)
        for s in range(3)
    ]
    assert [len(rows) for rows, _ in found] == [round(model.total) for _, model in found]
    assert len({len(rows) for rows, _ in found}) > 1
