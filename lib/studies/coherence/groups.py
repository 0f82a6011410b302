"""What the cells of both experiments store: the distances of every group."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from lib.datasets import Dataset

__all__ = ["record_of"]


def record_of(rows: pd.DataFrame, statistics: Sequence[str], data: Dataset) -> dict:
    """The record of a split: a score for each group (``group, members, *statistics``), the data."""
    scores = rows.rename(columns={"n": "members"})[["group", "members", *statistics]]
    return {
        "scores": scores.to_dict("records"),
        "data_source": data.source,
        "data_sha256": data.sha256,
    }
