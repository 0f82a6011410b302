"""The numbers of a datasheet, computed from the table: columns, base rates by group, repetition of rows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import stats

from lib import validate
from lib.datasets.codebook import Meaning
from lib.datasets.load import Dataset

__all__ = ["columns", "base_rates", "repetition", "wilson"]


def wilson(hits: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's interval of a proportion; (NaN, NaN) for n = 0."""
    validate.fraction("level", level)
    if n == 0:
        return float("nan"), float("nan")
    interval = stats.binomtest(int(hits), int(n)).proportion_ci(level, method="wilson")
    return float(interval.low), float(interval.high)


def columns(data: Dataset, book: Mapping[str, Meaning]) -> pd.DataFrame:
    """One row a column: role, declared ``k``, codes that occur, most common code and its share, meaning."""
    task, rows = data.task, []
    for column, k in task.domain:
        counts = np.bincount(data.frame[column], minlength=k)
        roles = [
            name
            for name, among in (
                ("target", (task.target,)),
                ("protected", (task.protected,)),
                ("sensitive", task.sensitive),
            )
            if column in among
        ]
        rows.append(
            {
                "column": column, "role": ", ".join(roles) or "feature", "k": k, "codes in use": int((counts > 0).sum()),
                "most common": int(counts.argmax()), "its share": counts.max() / counts.sum(),
                "meaning": str(book[column]),
            }
        )  # fmt: skip
    return pd.DataFrame(rows)


def base_rates(data: Dataset, by: str, book: Mapping[str, Meaning]) -> pd.DataFrame:
    """Share of target 1 in each group of ``by``, named, with n and Wilson's 95% interval."""
    validate.choice("by", by, data.task.domain.columns)
    rows, names = [], book[by].codes
    for code, group in data.frame.groupby(by)[data.task.target]:
        low, high = wilson(group.sum(), len(group))
        rows.append(
            {
                by: int(code),
                "group": names[code] if names else "",
                "n": len(group),
                "rate": group.mean(),
                "low": low,
                "high": high,
            }
        )
    return pd.DataFrame(rows)


def repetition(data: Dataset) -> dict[str, float]:
    """Shares of rows that repeat an earlier row, and that are the only ones of their kind (features and target)."""
    frame = data.frame
    return {
        "n": len(frame),
        "duplicates": float(frame.duplicated().mean()),
        "unique": float((~frame.duplicated(keep=False)).mean()),
    }
