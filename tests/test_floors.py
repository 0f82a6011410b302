"""A module of ``lib`` imports only from floors below its own."""

from __future__ import annotations

import pytest

from lib.book.reach import imported
from lib.paths import ROOT

FLOORS = {
    "paths": 0,
    "rng": 0,
    "validate": 0,
    "datasets": 1,
    "dp": 1,
    "ldp": 2,
    "fairness": 2,
    "means": 2,
    "synth": 2,
    "coherence": 2,
    "experiments": 3,
    "book": 4,
    "claims": 4,
    "plots": 4,
    "cli": 5,
    "__main__": 6,
}
SOURCES = sorted((ROOT / "lib").rglob("*.py"))


def test_the_check_sees_the_package():
    assert len(SOURCES) > 30


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_import_climbs(path):
    own = path.relative_to(ROOT / "lib").parts[0].removesuffix(".py")
    if own == "__init__":
        assert not imported(path.read_text())
        return
    for name in imported(path.read_text()):
        parts = name.split(".")
        if len(parts) > 1 and parts[1] != own:
            assert FLOORS[parts[1]] < FLOORS[own], f"{own} (floor {FLOORS[own]}) imports {name}"


def test_the_check_would_see_a_climb():
    assert "lib.runner" in imported("def f():\n    from lib.runner import results\n")
