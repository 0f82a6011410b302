"""The picture in ARCHITECTURE.md, drawn from the imports: ``python -m tests.architecture`` writes
it, and ``tests/test_floors.py`` compares.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

from lib.paths import HOUSES, ROOT
from tests.imports import imported

PAGE = ROOT / "ARCHITECTURE.md"
_PICTURE = re.compile(r"```mermaid\n.*?```\n", re.S)


def room(dotted: str) -> str:
    """The room of a module: a folder or module of ``lib``, or another house."""
    parts = dotted.split(".")
    return ".".join(parts[:2]) if parts[0] == "lib" and len(parts) > 1 else parts[0]


def sources() -> list[Path]:
    """Every module of the houses."""
    return sorted(file for house in HOUSES for file in (ROOT / house).rglob("*.py"))


def dotted(path: Path) -> str:
    """The dotted name of a file."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def arrows(files: Iterable[Path]) -> dict[str, set[str]]:
    """Which rooms the modules of each room import from."""
    found: dict[str, set[str]] = {}
    for path in files:
        own = room(dotted(path))
        rooms = {room(name) for name in imported(path.read_text(encoding="utf-8"))}
        found.setdefault(own, set()).update(rooms - {own, "lib"})
    return {own: to for own, to in found.items() if own not in ("lib.__init__", "lib.__main__")}


def reduced(to: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The arrows without those that others imply.

    Raises
    ------
    graphlib.CycleError
        If the rooms import each other in a circle.
    """
    above: dict[str, set[str]] = {}
    for name in TopologicalSorter(to).static_order():
        direct = to.get(name, set())
        above[name] = direct.union(*(above[other] for other in direct))
    return {
        name: {o for o in direct if not any(o in above[other] for other in direct)}
        for name, direct in to.items()
    }


def picture() -> str:
    """The rooms by house and the arrows between them, as a diagram of Mermaid."""
    to = reduced(arrows(sources()))
    lines = ["```mermaid", "flowchart TD"]
    for house in HOUSES:
        rooms = sorted(name for name in to if name.partition(".")[0] == house)
        lines += [f"  subgraph {house}_house[{house}/]"]
        lines += [f"    {name.replace('.', '_')}[{name.rpartition('.')[2]}]" for name in rooms]
        lines += ["  end"]
    for name in sorted(to):
        for other in sorted(to[name]):
            lines.append(f"  {name.replace('.', '_')} --> {other.replace('.', '_')}")
    return "\n".join([*lines, "```", ""])


def main() -> None:
    """Write the picture into the page."""
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_PICTURE.sub(lambda _: picture(), text), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
