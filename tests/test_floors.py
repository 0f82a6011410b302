"""A module imports only from floors below its own, over all houses; only text leads up."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter

import pytest

from lib.paths import HOUSES, ROOT
from tests.architecture import PAGE, arrows, dotted, picture, reduced, room, sources
from tests.imports import imported

IN_LIB = {
    **dict.fromkeys("paths processes programs typeset validate".split(), 0),
    **dict.fromkeys("domain extras files groups rng stats".split(), 1),
    **dict.fromkeys("datasets dp fairness table".split(), 2),
    **dict.fromkeys("coherence ldp means synth".split(), 3),
    **dict.fromkeys(("plotting", "runner"), 4),
    **dict.fromkeys("audit ledger pages".split(), 5),
    **{"cli": 6, "__main__": 7},
}
FLOORS = {f"lib.{name}": floor for name, floor in IN_LIB.items()}
FLOORS |= {"studies": 7, "press": 7, "course": 8}
ACROSS = ("cross_paper", "replicas")
SHARED = ("data", "measures")  # no study: the tables of several, and what their evidence shares
SOURCES = sources()


def climbs(module: str, source: str) -> list[str]:
    """Imports of a module that lead to its own floor or above, but for its own room."""
    own = room(module)
    return [
        name
        for name in imported(source)
        if room(name) not in (own, "lib") and FLOORS[room(name)] >= FLOORS[own]
    ]


def test_the_check_sees_the_houses():
    assert len(SOURCES) > 100
    assert {path.relative_to(ROOT).parts[0] for path in SOURCES} == set(HOUSES)


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_import_climbs(path):
    module = dotted(path)
    text = path.read_text(encoding="utf-8")
    if module == "lib.__init__":
        assert not imported(text)
    else:
        assert climbs(module, text) == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_study_imports_another(path):
    """But for the study across the papers, which compares what the others made."""
    parts = path.relative_to(ROOT).parts
    if parts[0] != "studies" or len(parts) < 3 or parts[1] in ACROSS:
        return
    for name in imported(path.read_text(encoding="utf-8")):
        if name.startswith("studies."):
            assert name.split(".")[1] in (parts[1], *SHARED), f"{parts[1]} imports {name}"


def test_the_architecture_page_shows_the_tree():
    """Its table has every room of the houses on the floor that the tests hold it to."""
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    shown = {r: int(floor) for floor, r in re.findall(r"^\| (\d) \| `([\w.]+)` \|", text, re.M)}
    assert shown == {name: floor for name, floor in FLOORS.items() if name != "lib.__main__"}
    there = [
        p for p in (ROOT / "lib").iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()
    ]
    rooms = {f"lib.{p.stem}" for p in there}
    assert rooms - {"lib.__init__", "lib.__main__"} == {n for n in shown if n.startswith("lib.")}


@pytest.mark.skipif(
    not (ROOT / "course/public.py").exists(), reason="students have a part of the course only"
)
def test_the_picture_is_drawn_from_the_imports():
    """`python -m tests.architecture` draws it anew."""
    assert picture() in PAGE.read_text(encoding="utf-8")


def test_a_circle_of_rooms_is_seen_and_what_others_imply_is_left_out():
    with pytest.raises(CycleError):
        reduced({"a": {"b"}, "b": {"a"}})
    arrows_left = reduced({"a": {"b", "c"}, "b": {"c"}, "c": set()})
    assert arrows_left == {"a": {"b"}, "b": {"c"}, "c": set()}
    assert "lib.ldp" in arrows([ROOT / "studies" / "ldp_fairness" / "cells.py"])["studies"]


def test_no_module_imports_itself_by_others():
    """No circle of modules either: each can be read after those that it imports."""
    to = {}
    for path in SOURCES:
        names = imported(path.read_text(encoding="utf-8"))
        files = {ROOT.joinpath(*name.split(".")).with_suffix(".py") for name in names}
        to[path] = {file for file in files if file in SOURCES and file != path}
    assert [*TopologicalSorter(to).static_order()]


def test_the_architecture_page_names_what_is_there():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    for name in re.findall(r"`((?:lib|studies|press|course)\.[\w.]+)`", text):
        path = ROOT.joinpath(*name.split("."))
        modules = path.with_suffix(".py"), path.parent.with_suffix(".py")
        assert any(p.exists() for p in (path, *modules, path.parent / "__init__.py")), name


def test_the_check_would_see_a_climb():
    assert "lib.runner" in imported("def f():\n    from lib.runner import results\n")
    assert climbs("lib.ledger.claim", "from studies.coherence import grids\n")
    assert climbs("lib.dp.looks", "import lib.synth\n") == ["lib.synth"]
    assert climbs("press.build", "from course.sessions import sessions\n")
    assert climbs("press.build", "from studies.coherence import grids\n")
    assert climbs("studies.coherence.grids", "from lib.dp import Laplace\n") == []
