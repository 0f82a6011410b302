"""A table of one's own is checked as it came, before its numbers are narrowed."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from lib.datasets import File, Task, load
from lib.datasets.cache import sha256_of
from lib.domain import Domain

FACTS = {"target": "t", "protected": "p", "sensitive": ("p", "a"), "pool": ("a",)}


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Load a CSV text as the task ``own:TASK`` whose column ``a`` has ``k`` codes."""

    def loaded(text: str, k: int = 3, prepare=None):
        path = tmp_path / "own.csv"
        path.write_text(text, encoding="utf-8")
        file = File("own.csv", "", sha256_of(path), path.stat().st_size, "none", 2, 3)
        module = ModuleType("own")
        module.TASK = Task(
            "own", "Own", file, domain=Domain.of({"a": k, "p": 2, "t": 2}), prepare=prepare, **FACTS
        )
        monkeypatch.setitem(sys.modules, "own", module)
        monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
        return load("own:TASK").frame

    return loaded


@pytest.mark.parametrize(
    ("cell", "shown"),
    [("65537", "65537"), ("-1", "-1"), ("0.7", "0.7"), ("", "nan"), ("two", "'two'")],
)
def test_what_is_no_code_is_refused_with_its_column_and_itself(own, cell, shown):
    """65537 used to be read as 1, and 0.7 as 0."""
    with pytest.raises(ValueError, match=rf"^a must be whole numbers in 0\.\.2 .*, got {shown} \("):
        own(f"a,p,t\n1,1,1\n{cell},0,0\n")


def test_a_large_domain_keeps_its_codes(own):
    """40000 used to be refused as -25536."""
    frame = own("a,p,t\n40000,1,1\n0,0,0\n", k=50_000)
    assert frame["a"].tolist() == [40000, 0]
    assert set(frame.dtypes) == {np.dtype(np.int32)}


def test_built_in_widths_stay_and_the_order_is_the_domains(own):
    frame = own("t,x,p,a\n1,9,1,2.0\n0,9,0,0.0\n")
    assert frame.columns.tolist() == ["a", "p", "t"]
    assert set(frame.dtypes) == set(load("lsac", "replica").frame.dtypes) == {np.dtype(np.int16)}


def test_a_missing_column_is_named(own):
    with pytest.raises(ValueError, match=r"'own' has no column 'p'; it has \['a', 't'\]"):
        own("a,t\n1,1\n")


def test_what_prepare_gives_is_checked_too(own):
    def prepare(raw: pd.DataFrame) -> pd.DataFrame:
        return raw.astype(int).assign(a=lambda f: f["a"] / 2)

    assert own("a,p,t\n4,1,1\n0,0,0\n", prepare=prepare)["a"].tolist() == [2, 0]
    with pytest.raises(ValueError, match=r"a must be whole numbers .*, got 0\.5"):
        own("a,p,t\n1,1,1\n0,0,0\n", prepare=prepare)
    with pytest.raises(ValueError, match=r"a must be whole numbers .*, got '1'"):
        own("a,p,t\n1,1,1\n0,0,0\n", prepare=lambda raw: raw)


def test_whole_numbers_among_objects_are_read(own):
    frame = own("a,p,t\n2,1,1\n0,0,0\n", prepare=lambda raw: raw.astype(int).astype(object))
    assert frame["a"].tolist() == [2, 0]


TOY = Task("toy", "Toy", "toy.csv", domain=Domain.of({"a": 3, "one": 1, "p": 2, "t": 2}), **FACTS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sensitive": ("p", "one")}, "sensitive must be columns that are not constant, got 'one'"),
        ({"pool": ("one",)}, "pool must be columns that are not constant, got 'one'"),
        ({"target": "a"}, "target must be a column of two codes, got 'a of 3'"),
        ({"protected": "one"}, "protected must be a column of two codes, got 'one of 1'"),
        ({"pool": ("b",)}, r"pool must be one of 'a'.*, got 'b'"),
    ],
)
def test_a_task_names_the_attribute_that_does_not_fit(change, message):
    """A constant attribute used to come up far from here, as sizes=1."""
    with pytest.raises(ValueError, match=message):
        replace(TOY, **change)
