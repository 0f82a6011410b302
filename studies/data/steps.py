"""Cleaning as a list of steps, each with the number of rows that must be there after it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Step:
    """What a step does, and how many rows must be there after it (None: nobody has said)."""

    text: str
    rows: int | None
    apply: Callable[[pd.DataFrame], pd.DataFrame]


def follow(
    steps: Sequence[Step], raw: pd.DataFrame, *, check_rows: bool = True
) -> Iterator[tuple[Step, pd.DataFrame]]:
    """Each step with the table after it.

    Raises
    ------
    ValueError
        If a step leaves another number of rows than it must (``check_rows``).
    """
    frame = raw
    for step in steps:
        frame = step.apply(frame)
        if check_rows and step.rows is not None and len(frame) != step.rows:
            raise ValueError(f"rows after {step.text!r} must be {step.rows}, got {len(frame)}")
        yield step, frame


def clean(steps: Sequence[Step], raw: pd.DataFrame, *, check_rows: bool = True) -> pd.DataFrame:
    """The table after the last step.

    Raises
    ------
    ValueError
        As :func:`follow` does, and as a step does, by :func:`need` for a column that is missing.
    """
    *_, (_, frame) = follow(steps, raw, check_rows=check_rows)
    return frame


def need(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """``frame`` as it is; a ``ValueError`` names the first of ``columns`` that it lacks."""
    if missing := [c for c in columns if c not in frame.columns]:
        raise ValueError(f"raw must have a column {missing[0]!r}, got {list(frame.columns)}")
    return frame


def keep(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """These columns in this order; a ``ValueError`` names the first that is missing."""
    return need(frame, columns)[list(columns)]


def rank_codes(frame: pd.DataFrame) -> pd.DataFrame:
    """Each column to the ranks of the values that occur, from 0, as a label encoder does; text
    by the alphabet.
    """
    ranked = {c: np.unique(frame[c].to_numpy(), return_inverse=True)[1] for c in frame.columns}
    return pd.DataFrame(ranked)
