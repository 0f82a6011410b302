"""A few of the random attacks of ``make torture``; and that an attack sees what it looks for."""

from __future__ import annotations

import sys

import pytest
import yaml

from lib.paths import ROOT
from lib.rng import stream
from tests import torture, torture_files
from tests.faults import PAGE, named_tests


@pytest.mark.parametrize(
    ("name", "count"),
    [
        pytest.param("kills", 3, marks=pytest.mark.thorough("kills of sweeps")),
        *[("flips", 25), ("races", 1), ("edited journals", 30), ("tens of garbage", 10)],
    ],
)
def test_a_few_random_attacks_find_nothing(name, count, tmp_path):
    assert torture.ATTACKS[name](stream(7, "torture", name), count, tmp_path) == []


def test_a_flip_that_is_believed_is_found(tmp_path, monkeypatch):
    module = sys.modules["lib.datasets.load"]
    monkeypatch.setattr(module, "_as_recorded", lambda path, name: "0" * 64)
    monkeypatch.setattr(torture, "_flipped", lambda raw, rng: raw)
    assert torture.flips(stream(7, "torture"), 2, tmp_path)


def test_a_second_value_that_is_dropped_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr("lib.runner.store.refuse_two_values", lambda tables: None)
    monkeypatch.setattr(torture_files, "EDITS", torture_files.EDITS[:1])
    assert torture_files.journals(stream(7, "torture"), 3, tmp_path)


def test_garbage_that_is_refused_without_a_name_is_found(tmp_path, monkeypatch):
    readers = {"YAML": lambda path: yaml.safe_load(path.read_text("utf-8", "replace")[:1000])}
    monkeypatch.setattr(torture_files, "READERS", readers)
    assert torture_files.garbage(stream(7, "torture"), 5, tmp_path)


def test_every_fault_of_the_page_has_a_test_that_is_there():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if line.startswith("| ") and "What happens" not in line]
    assert len(rows) == len(named_tests()) > 20
    for name in named_tests():
        file, _, function = name.partition("::")
        assert f"def {function}(" in (ROOT / file).read_text(encoding="utf-8"), name
