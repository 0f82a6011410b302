"""Measures for the experiments of the coherence paper: facts of its table, Section 5's distances, real releases.

Those for its theorems are in :mod:`lib.claims.coherence_theory`; ``MEASURES`` has both.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd
from scipy import stats

from lib.claims import coherence_theory
from lib.claims.rules import Evidence
from lib.coherence.collection import EVERYONE
from lib.coherence.solver import Setting, solve
from lib.datasets.section5 import TARGET, load_section5
from lib.experiments import coherence_dp, results
from lib.experiments.coherence import WITH, per_group
from lib.experiments.summary import mean_interval

__all__ = ["MEASURES", "GROUPS"]

GROUPS = {"everyone": EVERYONE, "with": WITH}
NOTHING = Evidence(math.nan, detail="no stored results")
REPLICA = Evidence(math.nan, data="replica", detail="only the replica is here")


@cache
def _rows() -> pd.DataFrame:
    try:
        return per_group(results("coherence_section5"))
    except ValueError:
        return pd.DataFrame()


def _of(group: str, variant: str = "published", **cell: object) -> pd.DataFrame:
    """One row a split; ``cell`` picks learner, labels and sample (the published forest if not given)."""
    rows = _rows()
    if rows.empty:
        return rows
    wanted = {"variant": variant, "learner": "forest", "labels": "hard", "sample": 0, "group": GROUPS[group]} | cell
    keep = np.logical_and.reduce([(rows[name] == value).to_numpy() for name, value in wanted.items()])
    return rows[keep].set_index("split").sort_index()


def _mean(x: pd.Series, detail: str = "", reference: float = math.nan) -> Evidence:
    x = x.dropna().to_numpy(dtype=float)
    if x.size < 2:
        return NOTHING
    mean, low, high = mean_interval(x)
    p = float(stats.ttest_1samp(x, 0.0, alternative="greater").pvalue) if x.std() > 0 else float(mean <= 0)
    return Evidence(mean, low, high, x.size, "real data", p, detail, reference)


def section5_distance(group: str, **cell: object) -> Evidence:
    """Mean W1 of a group over the splits of a variant."""
    part = _of(group, **cell)
    if part.empty:
        return NOTHING
    return _mean(part["distance"], f"sampling alone makes {part['null'].mean():.3f}", reference=part["null"].mean())


def section5_gap() -> Evidence:
    """W1 of the subgroup minus W1 of everyone, in the same splits."""
    inner, outer = _of("with"), _of("everyone")
    return NOTHING if inner.empty else _mean(inner["distance"] - outer["distance"])


def section5_unnoticed(group: str = "everyone") -> Evidence:
    """Share of splits whose distance is within the 95% band of reshuffled membership: nothing to be noticed."""
    part = _of(group)
    if part.empty:
        return NOTHING
    hidden = part["distance"] <= part["null_95"]
    words = f"mean distance {part['distance'].mean():.3f}, {part['distance'].mean() / part['null'].mean():.0f} times the null"
    return Evidence(float(hidden.mean()), runs=len(part), data="real data", detail=words)


def section5_shift() -> Evidence:
    """Mean prediction of the subgroup left out minus in the release (+1 is "no difficulty" in the published coding)."""
    part = _of("with")
    return NOTHING if part.empty else _mean(part["mean_b"] - part["mean_a"])


def section5_left_out_cleared() -> Evidence:
    """Share of the subgroup left out that is predicted +1, averaged over splits (two classes occur there)."""
    part = _of("with")
    return NOTHING if part.empty else _mean((1 + part["mean_b"]) / 2)


def table_fact(fact: str, value: float) -> Evidence:
    """Whether a count of the raw table is as printed."""
    section5 = load_section5()
    if section5.data.is_replica:
        return REPLICA
    frame = section5.frame
    found = {"records": len(frame), "with": int((frame[TARGET] == 1).sum())}[fact]
    return Evidence(float(found == value), data="real data", detail=f"{found:,}")


def share_with() -> Evidence:
    """Share of the records with the difficulty."""
    section5 = load_section5()
    return (
        REPLICA if section5.data.is_replica else Evidence(float((section5.frame[TARGET] == 1).mean()), data="real data")
    )


def few_unique() -> Evidence:
    """Whether at most half of the people are the only ones with their eight attributes."""
    section5 = load_section5()
    if section5.data.is_replica:
        return REPLICA
    alone = float((~section5.frame[list(section5.lens)].duplicated(keep=False)).mean())
    return Evidence(float(alone <= 0.5), data="real data", detail=f"{alone:.0%} are unique")


def dp_bound_holds(mode: str = "theorem7", beta: float = 0.05) -> Evidence:
    """Whether, against the noisy tables of counts, no group exceeds its guaranteed alpha in more than ``beta`` of the splits.

    Over releases, readers, groups and the epsilons for which the guarantee says something.
    """
    try:
        rows = coherence_dp.per_group(results("coherence_dp"))
    except ValueError:
        return NOTHING
    worst, cases = 0.0, 0
    for (epsilon, members), part in rows[np.isfinite(rows["epsilon"])].groupby(["epsilon", "n"]):
        if epsilon > 1:
            continue
        s = Setting(
            beta=beta, collection=len(coherence_dp.GROUPS), n=_people(rows), gamma=members, epsilon=epsilon, mode=mode
        )
        alpha = solve(s).value
        if alpha is not None:
            shares = part.groupby(["release", "reader", "group"])["distance"].apply(lambda d, a=alpha: (d > a).mean())
            worst, cases = max(worst, shares.max()), cases + shares.size
    words = f"largest share {worst:.3f} over {cases} cases, beta {beta:g}"
    return Evidence(float(worst <= beta), runs=int(rows["split"].nunique()), data="real data", detail=words)


def clear_counts_coherent(alpha: float = 0.2) -> Evidence:
    """Share of splits in which exact counts of the coarse table keep every group within ``alpha``, informed reader."""
    try:
        rows = coherence_dp.per_group(results("coherence_dp"))
    except ValueError:
        return NOTHING
    part = rows[(rows["release"] == "coarse") & np.isinf(rows["epsilon"]) & (rows["reader"] == "informed")]
    worst = part.groupby("split")["distance"].max()
    return Evidence(
        float((worst <= alpha).mean()), runs=worst.size, data="real data", detail=f"largest {worst.max():.3f}"
    )


def _people(rows: pd.DataFrame) -> float:
    return rows.loc[rows["group"] == EVERYONE, "n"].max()


MEASURES: dict[str, Callable[..., Evidence]] = coherence_theory.MEASURES | {
    f.__name__: f
    for f in (
        section5_distance, section5_gap, section5_unnoticed, section5_shift, section5_left_out_cleared, table_fact,
        share_with, few_unique, dp_bound_holds, clear_counts_coherent,
    )
}  # fmt: skip
