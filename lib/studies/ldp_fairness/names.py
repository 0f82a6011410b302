"""Words for the data sets, their groups and their sensitive attributes, as the pages use them."""

from __future__ import annotations

from pathlib import Path

from lib.datasets import TASKS
from lib.files import read_yaml

_NAMES = read_yaml(Path(__file__).with_suffix(".yml"), dict)
TITLES: dict[str, str] = _NAMES["titles"]
GROUPS: dict[str, tuple[str, str]] = {d: tuple(pair) for d, pair in _NAMES["groups"].items()}
ATTRIBUTES: dict[str, str] = _NAMES["attributes"]


def title(dataset: str) -> str:
    """The name of a data set in words; one of the user's own keeps its name."""
    return TITLES.get(dataset) or (TASKS[dataset].title if dataset in TASKS else dataset)
