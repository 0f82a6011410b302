"""A table of one's own is checked as it came, before its numbers are narrowed."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest

from lib.datasets import File, Task, load
from lib.datasets.cache import sha256_of
from lib.domain import Domain
from tests.datasets.conftest import FACTS


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Load a CSV text as the task ``own:TASK`` whose column ``a`` has ``k`` codes."""

    def loaded(text: str, k: int = 3, prepare=None):
        path = tmp_path / "own.csv"
        path.write_text(text, encoding="utf-8")
        file = File("own.csv", "", sha256_of(path), path.stat().st_size, "none", 2, 3)
        module, domain = ModuleType("own"), Domain.of({"a": k, "p": 2, "t": 2})
        module.TASK = Task("own", "Own", file, domain=domain, prepare=prepare, **FACTS)
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
    text = "t,x,p,a\n1,9,1,40000\n0,9,0,0\n"
    for prepare in (None, lambda raw: raw.astype(int).astype(object)):
        frame = own(text, k=50_000, prepare=prepare)
        assert frame["a"].tolist() == [40000, 0]
        assert frame.columns.tolist() == ["a", "p", "t"]
        assert set(frame.dtypes) == {np.dtype(np.int32)}


@pytest.mark.parametrize(
    ("text", "prepare", "words"),
    [
        ("a,t\n1,1\n", None, r"'own' has no column 'p'; it has \['a', 't'\]"),
        (
            "a,p,t\n1,1,1\n",
            lambda raw: raw.astype(int) / 2,
            r"a must be whole numbers .*, got 0\.5",
        ),
        ("a,p,t\n1,1,1\n", lambda raw: raw, r"a must be whole numbers .*, got '1'"),
    ],
)
def test_what_prepare_gives_is_checked_too(own, text, prepare, words):
    with pytest.raises(ValueError, match=words):
        own(text, prepare=prepare)
