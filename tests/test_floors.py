"""A module of ``lib`` imports only from floors below its own."""

from __future__ import annotations

import re

import pytest

from lib.book.reach import imported
from lib.paths import ROOT

FLOORS = {
    "files": 1,
    "parse": 0,
    "paths": 0,
    "processes": 0,
    "extras": 1,
    "rng": 1,
    "validate": 0,
    "typeset": 0,
    "domain": 1,
    "groups": 1,
    "stats": 1,
    "datasets": 2,
    "dp": 2,
    "fairness": 2,
    "ldp": 3,
    "means": 3,
    "synth": 3,
    "coherence": 3,
    "plotting": 4,
    "runner": 4,
    "ledger": 5,
    "studies": 6,
    "audit": 6,
    "book": 7,
    "course": 8,
    "cli": 9,
    "__main__": 10,
}
ACROSS = ("cross_paper", "replicas")
SOURCES = sorted((ROOT / "lib").rglob("*.py"))


def test_the_check_sees_the_package():
    assert len(SOURCES) > 30


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_import_climbs(path):
    own = path.relative_to(ROOT / "lib").parts[0].removesuffix(".py")
    if own == "__init__":
        assert not imported(path.read_text(encoding="utf-8"))
        return
    for name in imported(path.read_text(encoding="utf-8")):
        parts = name.split(".")
        if len(parts) > 1 and parts[1] != own:
            assert FLOORS[parts[1]] < FLOORS[own], f"{own} (floor {FLOORS[own]}) imports {name}"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_study_imports_another(path):
    """But for the study across the papers, which compares what the others made."""
    parts = path.relative_to(ROOT / "lib").parts
    if parts[0] != "studies" or len(parts) < 3 or parts[1] in ACROSS:
        return
    for name in imported(path.read_text(encoding="utf-8")):
        if name.startswith("lib.studies."):
            assert name.split(".")[2] == parts[1], f"{parts[1]} imports {name}"


def test_the_architecture_page_shows_the_tree():
    """Its table has every room of the package on the floor that the tests hold it to."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    shown = {room: int(floor) for floor, room in re.findall(r"^\| (\d) \| `(\w+)` \|", text, re.M)}
    assert shown == {room: floor for room, floor in FLOORS.items() if room != "__main__"}
    rooms = {
        p.stem
        for p in (ROOT / "lib").iterdir()
        if p.suffix == ".py" or (p / "__init__.py").exists()
    }
    assert rooms - {"__init__", "__main__"} == set(shown)


def test_the_architecture_page_names_what_is_there():
    for name in re.findall(
        r"`(lib\.[\w.]+)`", (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    ):
        path = ROOT.joinpath(*name.split("."))
        parts = (
            path,
            path.with_suffix(".py"),
            path.parent.with_suffix(".py"),
            path.parent / "__init__.py",
        )
        assert any(part.exists() for part in parts), name


def test_the_check_would_see_a_climb():
    assert "lib.runner" in imported("def f():\n    from lib.runner import results\n")
