"""What both experiments share: a cell is one random split, and its record has a score per group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from lib import validate
from lib.datasets import Dataset
from lib.rng import stream
from lib.runner.cell import COUNT, KeyedCell, set_checked


@dataclass(frozen=True, kw_only=True)
class SplitCell(KeyedCell):
    """One split of the table, or of ``n`` of its people drawn at random (0: all)."""

    split: int
    n: int = 0
    dataset: str = "nist"
    seed: int

    def __post_init__(self) -> None:
        set_checked(self, dataset=("nist",), split=COUNT, n=COUNT, seed=COUNT)

    def people(self, frame: pd.DataFrame, key: str) -> pd.DataFrame:
        """The rows of the cell; ``key`` names the stream, which depends on n and split only."""
        if self.n == 0:
            return frame
        validate.integer("n", self.n, low=2, high=len(frame))
        rows = stream(self.seed, key, self.n, self.split).permutation(len(frame))[: self.n]
        return frame.iloc[rows].reset_index(drop=True)


def record_of(rows: pd.DataFrame, statistics: Sequence[str], data: Dataset) -> dict:
    """The record of a split: a score for each group (``group, members, *statistics``), the data."""
    scores = rows.rename(columns={"n": "members"})[["group", "members", *statistics]]
    return {
        "scores": scores.to_dict("records"),
        "data_source": data.source,
        "data_sha256": data.sha256,
    }
