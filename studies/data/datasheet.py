"""The numbers of a data sheet: columns, base rates by group, repetition, cleaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy import stats

from lib import validate
from lib.datasets.codebook import Meaning
from lib.datasets.load import Dataset
from studies.data.steps import Step, clean, follow


def wilson(hits: int, n: int) -> tuple[float, float]:
    """Wilson's 95% interval of a proportion; (NaN, NaN) for n = 0."""
    if n == 0:
        return float("nan"), float("nan")
    interval = stats.binomtest(int(hits), int(n)).proportion_ci(method="wilson")
    return float(interval.low), float(interval.high)


def card(data: Dataset, book: Mapping[str, Meaning]) -> pd.DataFrame:
    """What the table is, in two columns: its file and licence, its target, rows that repeat."""
    file, twins = data.task.of_file, repetition(data)
    target, protected = data.task.target, data.task.protected
    rows = {
        "rows here": f"{len(data.frame):,} ({data.label})",
        "target": f"{book[target].text.removeprefix('target: ')} (`{target}`)",
        "share with target 1": f"{data.y.mean():.1%}",
        "protected attribute": f"{book[protected].text} (`{protected}`)",
        "rows that repeat an earlier one": f"{twins['duplicates']:.1%}",
        "rows that are the only ones of their kind": f"{twins['unique']:.1%}",
        "file": f"`{file.name}`, {file.rows:,} rows, {file.columns} columns",
        "source": file.url,
        "licence": file.licence,
        "SHA-256 of the file": f"`{file.sha256}`",
    }
    return pd.DataFrame(rows.items(), columns=["of the table", "here"])


def columns(data: Dataset, book: Mapping[str, Meaning]) -> pd.DataFrame:
    """One row a column: meaning, name, role, declared ``k``, codes that occur, the most common."""
    task, rows = data.task, []
    among = {"target": (task.target,), "protected": (task.protected,), "sensitive": task.sensitive}
    for column, k in task.domain:
        counts = np.bincount(data.frame[column], minlength=k)
        common, names = int(counts.argmax()), book[column].codes
        rows.append(
            {
                "meaning": str(book[column]),
                "column": column,
                "role": ", ".join(r for r, own in among.items() if column in own) or "feature",
                "k": k,
                "codes in use": int((counts > 0).sum()),
                "most common": names[common] if names else str(common),
                "its share": counts.max() / counts.sum(),
            }
        )
    return pd.DataFrame(rows)


def base_rates(data: Dataset, by: str, book: Mapping[str, Meaning]) -> pd.DataFrame:
    """Share of target 1 in each group of ``by``, named, with n and Wilson's 95% interval."""
    validate.choice("by", by, data.task.domain.columns)
    rows, names = [], book[by].codes
    for code, group in data.frame.groupby(by)[data.task.target]:
        low, high = wilson(group.sum(), len(group))
        name = names[code] if names else "not documented"
        rows.append((name, code, len(group), group.mean(), low, high))
    return pd.DataFrame(rows, columns=["group", "code", "n", "rate", "low", "high"])


def repetition(data: Dataset) -> dict[str, float]:
    """Shares of rows that repeat an earlier row, and that are the only ones of their kind
    (features and target).
    """
    frame = data.frame
    return {
        "n": len(frame),
        "duplicates": float(frame.duplicated().mean()),
        "unique": float((~frame.duplicated(keep=False)).mean()),
    }


def cleaning(steps: Sequence[Step], raw: pd.DataFrame | None = None) -> pd.DataFrame:
    """One row a step: what it does, the rows that must be there after it, and, of a raw file,
    those that are.
    """
    texts, rows = [step.text for step in steps], [step.rows for step in steps]
    # NaN where nobody has said
    frame = pd.DataFrame({"step": texts, "rows after it": pd.Series(rows, dtype=float)})
    if raw is not None:
        frame["counted now"] = [len(table) for _, table in follow(steps, raw, check_rows=False)]
    return frame


def agreement(steps: Sequence[Step], raw: pd.DataFrame | None, data: Dataset) -> str:
    """In a sentence, whether the steps make the table ``data`` of the raw file; None for
    ``raw``: it is not here.
    """
    if raw is None:
        return "The raw file is not here, so the steps were not run in this build."
    try:
        made = clean(steps, raw)
    except ValueError as error:
        return f"Run now from the raw file, the steps do not hold: {error}."
    if data.is_replica:
        return (
            "Run now from the raw file: the row counts hold. The published table to compare with is"
            " not here."
        )
    same = list(made) == list(data.frame) and np.array_equal(made, data.frame)
    differs = "it differs from the published table."
    verdict = "equal to the published table, cell for cell." if same else differs
    return f"Run now from the raw file: {verdict}"
