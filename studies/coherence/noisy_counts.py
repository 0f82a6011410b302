"""DemCoh against a real epsilon-DP release of the NIST extract, and against exact counts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from lib.coherence.experiment import Setup, one_split
from lib.datasets import Dataset, load
from lib.groups import EVERYONE
from lib.rng import stream
from lib.runner.cell import BUDGET, set_checked
from studies.coherence.releases import ATTACKERS, Attacker, Histogram
from studies.coherence.splits import SplitCell, record_of
from studies.data.memory import cached_by_data_location

VERSION = "1"
SEED = 20260117
RELEASES = {
    "coarse": ("SEX", "EDU", "DREM"),
    "medium": ("SEX", "AGE", "RAC1P", "DREM"),
    "fine": ("SEX", "AGE", "RAC1P", "PUMA", "DREM"),
}
EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, math.inf)
GROUPS = (EVERYONE, "with the difficulty", "women", "men")
STATISTICS = ("distance", "null")


@dataclass(frozen=True, kw_only=True)
class Cell(SplitCell, kind="noisy counts"):
    """One split: which counts are published, at which epsilon, and who attacks them."""

    release: str
    epsilon: float
    reader: str
    seed: int = SEED

    def __post_init__(self) -> None:
        super().__post_init__()
        set_checked(self, release=RELEASES, reader=ATTACKERS, epsilon=BUDGET)


def dp_grid(splits: range = range(100), epsilons: tuple[float, ...] = EPSILONS) -> Iterator[Cell]:
    """All releases, epsilons and readers.

    The forest, which is slow, on a fifth of the splits.
    """
    for split, release, epsilon, reader in product(splits, RELEASES, epsilons, ATTACKERS):
        if reader != "forest" or split < max(2, len(splits) // 5):
            yield Cell(release=release, epsilon=epsilon, reader=reader, split=split)


_data = cached_by_data_location()(load)


def run_cell(cell: Cell, data: Dataset | None = None) -> dict:
    """One split: the scores of :data:`GROUPS` and the data's source.

    The halves depend on the split alone.
    """
    data = data or _data("nist")
    frame = cell.people(data.frame, "dp sample")
    columns = RELEASES[cell.release]
    sizes = tuple(data.task.domain[c] for c in columns)
    histogram = Histogram(columns=columns, sizes=sizes, epsilon=cell.epsilon)
    reader = Attacker(histogram, cell.reader, histogram.counts(frame))
    setup = Setup(target="DREM", lens=columns, null_draws=10)
    difficulty, sex = frame["DREM"].to_numpy(), frame["SEX"].to_numpy()
    who = (np.ones(len(frame), dtype=bool), difficulty == 1, sex == 0, sex == 1)
    members = dict(zip(GROUPS, who, strict=True))
    rng = stream(cell.seed, "dp split", cell.n, cell.split)
    return record_of(one_split(frame, members, reader, setup, rng), STATISTICS, data)
