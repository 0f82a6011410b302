"""Words for the data sets, their groups and their sensitive attributes, as the pages use them."""

from __future__ import annotations

from pathlib import Path

from lib.datasets import TASKS
from lib.fairness import FAIR
from lib.files import read_yaml
from lib.plotting.style import METRIC_NAMES

_NAMES = read_yaml(Path(__file__).with_suffix(".yml"), dict)
TITLES: dict[str, str] = _NAMES["titles"]
GROUPS: dict[str, tuple[str, str]] = {d: tuple(pair) for d, pair in _NAMES["groups"].items()}
ATTRIBUTES: dict[str, str] = _NAMES["attributes"]


def title(dataset: str) -> str:
    """The name of a data set in words; one of the user's own keeps its name."""
    return TITLES.get(dataset) or (TASKS[dataset].title if dataset in TASKS else dataset)


def metric_name(metric: str) -> str:
    """A fairness metric by its letters, another in words; one of the user's own keeps its name."""
    return metric if metric in FAIR else METRIC_NAMES.get(metric, metric)
