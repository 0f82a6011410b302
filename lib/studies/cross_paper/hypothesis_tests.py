"""The stated hypotheses put to the test: t over runs, Holm over the family, verdicts in words.

Runs differ in the split and in the noise; the data set is the same in all of
them. Intervals and p-values are about splits and noise, then, and say nothing
about other data sets.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pandas as pd
from scipy import stats

from lib import validate
from lib.stats.holm import holm
from lib.stats.summary import mean_interval
from lib.studies.cross_paper.hypotheses import CONTROLS, HYPOTHESES, Hypothesis
from lib.studies.cross_paper.statistics import STATISTICS

__all__ = ["p_value", "tested", "evaluate", "controls", "sentence", "found"]

_OPPOSITE = {"greater": "less", "less": "greater"}


def p_value(values: np.ndarray, reference: float, direction: str) -> float:
    """Student's t of the mean of ``values``, shape (n,), against ``reference``; NaN for fewer than
    two values.

    Values that are all the same have no spread to judge by: 0 if they lie on the stated side, else
    1.
    """
    x = np.asarray(values, dtype=float)
    x = x[~np.isnan(x)]
    validate.choice("direction", direction, ("greater", "less", "two-sided"))
    if x.size < 2:
        return math.nan
    if np.ptp(x) < 1e-15:
        gap = x[0] - reference
        right = {"greater": gap > 1e-12, "less": gap < -1e-12, "two-sided": abs(gap) > 1e-12}
        return 0.0 if right[direction] else 1.0
    return float(stats.ttest_1samp(x, reference, alternative=direction).pvalue)


def tested(hypothesis: Hypothesis, rows: pd.DataFrame) -> dict:
    """Estimate, 95% interval and p-value of the component that decides, and the p-value of the
    opposite.

    All components must be on the stated side, so the one with the largest p
    decides; for the opposite, one that is clearly on the other side is enough,
    paid for by Bonferroni. Two-sided statements of several components (the
    controls) are about all of them at once: the smallest p times their number.
    """
    table = STATISTICS[hypothesis.statistic](rows)
    side, values = hypothesis.direction, {c: table[c].dropna().to_numpy() for c in table}
    p = {c: p_value(x, hypothesis.reference, side) for c, x in values.items()}
    nothing = {
        "id": hypothesis.id,
        "estimate": math.nan,
        "low": math.nan,
        "high": math.nan,
        "runs": 0,
        "p": math.nan,
        "p_opposite": math.nan,
        "decided_by": "",
        "components": len(p),
    }
    if not p or any(math.isnan(v) for v in p.values()):
        return nothing
    if side == "two-sided":
        worst = min(p, key=p.__getitem__)
        own, other = min(1.0, len(p) * p[worst]), math.nan
    else:
        worst = max(
            p,
            key=lambda c: (
                p[c],
                (values[c].mean() - hypothesis.reference) * (1 if side == "less" else -1),
            ),
        )
        own = p[worst]
        other = min(
            1.0,
            len(p)
            * min(p_value(x, hypothesis.reference, _OPPOSITE[side]) for x in values.values()),
        )
    mean, low, high = mean_interval(values[worst])
    return nothing | {
        "estimate": mean,
        "low": low,
        "high": high,
        "runs": values[worst].size,
        "p": own,
        "p_opposite": other,
        "decided_by": worst if len(p) > 1 else "",
    }


def _verdict(row: pd.Series, h: Hypothesis) -> str:
    if math.isnan(row["adjusted"]):
        return "not run"
    if row["adjusted"] <= h.alpha:
        return (
            "supported"
            if h.direction != "two-sided"
            else f"found, {'above' if row['estimate'] > h.reference else 'below'}"
        )
    return (
        "contradicted"
        if row["adjusted_opposite"] <= h.alpha
        else "nothing found"
        if h.reference == 0
        else "not supported"
    )


def evaluate(rows: pd.DataFrame, hypotheses: Iterable[Hypothesis] = HYPOTHESES) -> pd.DataFrame:
    """One row a hypothesis: ``id, part, statement, estimate, low, high, runs, p, adjusted,
    verdict`` and so on.

    ``adjusted`` is Holm's over the family given. ``contradicted`` means that
    the opposite is significant, over the family of opposites.
    """
    hypotheses = list(hypotheses)
    table = pd.DataFrame([tested(h, rows) for h in hypotheses])
    table["adjusted"], table["adjusted_opposite"] = holm(table["p"]), holm(table["p_opposite"])
    table.insert(1, "part", [h.part for h in hypotheses])
    table.insert(2, "statement", [h.statement for h in hypotheses])
    table["reference"] = [h.reference for h in hypotheses]
    table["verdict"] = [
        _verdict(row, h) for (_, row), h in zip(table.iterrows(), hypotheses, strict=True)
    ]
    return table


def controls(rows: pd.DataFrame) -> pd.DataFrame:
    """As :func:`evaluate`, for the controls: the first must be supported, the others find
    nothing.
    """
    return evaluate(rows, CONTROLS)


def sentence(row: pd.Series) -> str:
    """A row of :func:`evaluate` in words, with the estimate, its interval and the adjusted
    p-value.
    """
    if row["verdict"] == "not run":
        return f"{row['statement']} *Not run.*"
    where = f" ({row['decided_by']})" if row["decided_by"] else ""
    opposite = row["verdict"] == "contradicted"
    value = row["adjusted_opposite" if opposite else "adjusted"]
    p = ("of the opposite " if opposite else "") + (
        "below 0.001" if value < 0.001 else f"{value:.3f}"
    )
    against = f", against {row['reference']:g}" if row["reference"] else ""
    return (
        f"{row['statement']} **{row['verdict'].capitalize()}**: {row['estimate']:.3f}{where}, 95%"
        f" interval {row['low']:.3f} to {row['high']:.3f} over {row['runs']} runs{against};"
        f" adjusted p {p}."
    )


def found(rows: pd.DataFrame | None = None) -> list[str]:
    """One sentence a hypothesis, in their order, from the stored results (or ``rows``); empty if
    there are none.
    """
    if rows is None:
        from lib.runner import NoResults, results
        from lib.studies.cross_paper.cells import per_group

        try:
            rows = per_group(results("across_nist"))
        except NoResults:
            return []
    return [sentence(row) for _, row in evaluate(rows).iterrows()]
