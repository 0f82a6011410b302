"""A module imports only from floors below its own, over all houses; only text leads up."""

from __future__ import annotations

import re

from lib.paths import HOUSES, ROOT
from tests.imports import imported

TEXT = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
FLOORS = {
    room: int(floor)
    for floor, rooms in re.findall(r"^\| (\d) \| (.+) \|$", TEXT, re.M)
    for room in re.findall(r"`([\w.]+)`", rooms)
}
ACROSS = ("cross_paper", "replicas")  # these compare the other studies
SHARED = ("data", "measures")


def room(module: str) -> str:
    """A folder or module of ``lib``, or another house."""
    parts = module.split(".")
    return ".".join(parts[:2]) if parts[0] == "lib" else parts[0]


def climbs(module: str, source: str) -> list[str]:
    """Imports that lead to the module's own floor or above, but for its own room."""
    own = room(module)
    rooms = {name: room(name) for name in imported(source) if name != "lib"}
    return [n for n, r in rooms.items() if r != own and FLOORS.get(r, 0) >= FLOORS.get(own, 9)]


def modules() -> dict[str, str]:
    """The source of every module of the houses, by its dotted name."""
    paths = (path for house in HOUSES for path in (ROOT / house).rglob("*.py"))
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path.read_text("utf-8")
        for path in paths
    }


def test_no_import_climbs():
    found = {name: up for name, source in modules().items() if (up := climbs(name, source))}
    assert found == {}, "import it from below, or name it by text (ARCHITECTURE.md has the floors)"


def test_no_study_imports_another():
    for module, source in modules().items():
        house, study, *inner = module.split(".")
        if house == "studies" and inner and study not in ACROSS:
            named = {name.split(".")[1] for name in imported(source) if name.startswith("studies.")}
            assert named <= {study, *SHARED}, f"{module} imports {named}"
