"""Measures for the coherence paper's experiments: its table, Section 5, real releases.

Those for its theorems are in :mod:`lib.studies.coherence.claims.theory`; ``MEASURES`` has both.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from lib.coherence.bounds.within_group import insufficient_epsilon
from lib.coherence.experiment import clopper_pearson
from lib.coherence.solver import Setting, solve
from lib.datasets import load_raw
from lib.datasets.section5 import TARGET, load_section5
from lib.groups import EVERYONE
from lib.ledger.rules import Evidence, p_positive
from lib.runner import NoResults, results
from lib.stats.summary import mean_interval, widening
from lib.studies.coherence import noisy_counts as coherence_dp
from lib.studies.coherence.claims import theory as coherence_theory
from lib.studies.coherence.section5 import WITH, per_group

__all__ = ["MEASURES", "GROUPS", "guarantee_misses"]

GROUPS = {"everyone": EVERYONE, "with": WITH}
NOTHING = Evidence(math.nan, detail="no stored results")
REPLICA = Evidence(math.nan, data="replica", detail="only the replica is here")


@cache
def _rows() -> pd.DataFrame:
    try:
        return per_group(results("coherence_section5"))
    except NoResults:
        return pd.DataFrame()


def _of(group: str, variant: str = "published", **cell: object) -> pd.DataFrame:
    """One row per split of a setting, the published forest unless ``cell`` says otherwise.

    ``cell`` picks learner, labels and sample.
    """
    rows = _rows()
    if rows.empty:
        return rows
    wanted = {
        "variant": variant,
        "learner": "forest",
        "labels": "hard",
        "sample": 0,
        "group": GROUPS[group],
    } | cell
    keep = np.logical_and.reduce(
        [(rows[name] == value).to_numpy() for name, value in wanted.items()]
    )
    return rows[keep].set_index("split").sort_index()


def _mean(
    x: pd.Series, detail: str = "", reference: float = math.nan, floor: float = -math.inf
) -> Evidence:
    """Mean over splits, with the interval for overlapping halves.

    Both halves of a split are as large, so a test row goes with every training row.
    """
    x = x.dropna().to_numpy(dtype=float)
    if x.size < 2:
        return NOTHING
    mean, low, high = mean_interval(x, floor=floor)
    overlap = (*mean_interval(x, floor=floor, ratio=1.0)[1:], p_positive(x, widening(x.size, 1.0)))
    return Evidence(
        mean, low, high, x.size, "real data", p_positive(x), detail, reference, overlap=overlap
    )


def _share(hits: pd.Series, detail: str) -> Evidence:
    """Share of splits with its Clopper-Pearson interval."""
    low, high = clopper_pearson(int(hits.sum()), hits.size)
    return Evidence(float(hits.mean()), low, high, hits.size, "real data", detail=detail)


def section5_distance(group: str, **cell: Any) -> Evidence:
    """Mean W1 of a group over the splits of a variant."""
    part = _of(group, **cell)
    if part.empty:
        return NOTHING
    return _mean(
        part["distance"],
        f"sampling alone makes {part['null'].mean():.3f}",
        reference=part["null"].mean(),
        floor=0.0,
    )


def section5_gap() -> Evidence:
    """W1 of the subgroup minus W1 of everyone, in the same splits."""
    inner, outer = _of("with"), _of("everyone")
    return NOTHING if inner.empty else _mean(inner["distance"] - outer["distance"])


def section5_unnoticed(group: str = "everyone") -> Evidence:
    """Share of splits whose distance lies within the 95% band of reshuffled membership.

    There is then nothing to be noticed.

    The coding of the published script widens that band, so the words say what
    it is with the third class put at 0, where Definition 2 allows it.
    """
    part, repaired = _of(group), _of(group, "N in the middle")
    if part.empty:
        return NOTHING
    words = _beside_chance(part)
    if not repaired.empty:
        words += (
            f"; with predictions in [-1, 1], {_hidden(repaired).mean():.0%} of the splits and"
            f" {_beside_chance(repaired)}"
        )
    return _share(_hidden(part), words)


def _hidden(part: pd.DataFrame) -> pd.Series:
    return part["distance"] <= part["null_95"]


def _beside_chance(part: pd.DataFrame) -> str:
    mean, null = part["distance"].mean(), part["null"].mean()
    return f"mean distance {mean:.3f}, {mean / null:.0f} times the null of {null:.4f}"


def section5_shift() -> Evidence:
    """Mean prediction of the subgroup left out minus that of the subgroup in the release.

    +1 is "no difficulty" in the published coding.
    """
    part = _of("with")
    return NOTHING if part.empty else _mean(part["mean_b"] - part["mean_a"])


def section5_left_out_cleared() -> Evidence:
    """Share of the subgroup left out that is predicted +1, averaged over splits.

    Two classes occur there.
    """
    part = _of("with")
    return NOTHING if part.empty else _mean((1 + part["mean_b"]) / 2)


def table_fact(fact: str, value: float) -> Evidence:
    """Whether a count of the raw table is as printed.

    Its records, those with the difficulty, its features, or its areas.
    """
    section5 = load_section5()
    if section5.data.is_replica:
        return REPLICA
    frame = section5.frame
    if fact in ("features", "areas"):
        raw, _ = load_raw(section5.data.task.file, section5.data.source)
        found = len(raw.columns) if fact == "features" else raw["PUMA"].nunique()
    else:
        found = {"records": len(frame), "with": int((frame[TARGET] == 1).sum())}[fact]
    return Evidence(float(found == value), data="real data", detail=f"{found:,}")


def share_with() -> Evidence:
    """Share of the records with the difficulty."""
    section5 = load_section5()
    return (
        REPLICA
        if section5.data.is_replica
        else Evidence(float((section5.frame[TARGET] == 1).mean()), data="real data")
    )


def few_unique() -> Evidence:
    """Whether at most half of the people are the only ones with their eight attributes."""
    section5 = load_section5()
    if section5.data.is_replica:
        return REPLICA
    alone = float((~section5.frame[list(section5.lens)].duplicated(keep=False)).mean())
    return Evidence(float(alone <= 0.5), data="real data", detail=f"{alone:.0%} are unique")


def guarantee_misses(mode: str, beta: float = 0.05) -> pd.DataFrame:
    """How often some group of a real release is farther apart than ``mode`` guarantees.

    The guarantee is for all groups at once.

    Returns
    -------
    DataFrame
        One row a release, reader, epsilon and size constraint ``gamma`` for
        which the guarantee says something: its ``alpha``, ``misses`` among
        ``splits``, and the largest ``distance`` of a group of gamma or more.
    """
    rows = coherence_dp.per_group(results("coherence_dp"))
    people, found = _people(rows), []
    for epsilon, at in rows[np.isfinite(rows["epsilon"])].groupby("epsilon"):
        if epsilon > 1 and mode.startswith("theorem"):
            continue  # the paper's theorems are stated up to 1
        for gamma in sorted(at["n"].unique()):
            s = Setting(
                beta=beta,
                collection=len(coherence_dp.GROUPS),
                n=people,
                gamma=gamma,
                epsilon=epsilon,
                mode=mode,
            )
            alpha = solve(s).value
            if alpha is None:
                continue
            worst = at[at["n"] >= gamma].groupby(["release", "reader", "split"])["distance"].max()
            for (release, reader), d in worst.groupby(["release", "reader"]):
                found.append(
                    {
                        "release": release,
                        "reader": reader,
                        "epsilon": epsilon,
                        "gamma": gamma,
                        "alpha": alpha,
                        "misses": int((d > alpha).sum()),
                        "splits": d.size,
                        "distance": float(d.max()),
                    }
                )
    columns = ["release", "reader", "epsilon", "gamma", "alpha", "misses", "splits", "distance"]
    return pd.DataFrame(found, columns=columns)


def dp_bound_holds(mode: str = "theorem7", beta: float = 0.05) -> Evidence:
    """Whether no release is known for which the guarantee fails.

    Measured releases, and randomised response on membership.

    Against noisy tables of counts, some group may exceed the guaranteed alpha
    in at most ``beta`` of the splits. And the epsilon that the guarantee allows
    must stay below the one at which an epsilon-DP release is known to exceed
    alpha on average, whatever the sizes (:func:`insufficient_epsilon`).
    """
    try:
        found = guarantee_misses(mode, beta)
    except NoResults:
        return NOTHING
    if found.empty:
        return Evidence(math.nan, detail="the guarantee says nothing at any epsilon that was run")
    share = found["misses"] / found["splits"]
    ends = [
        f"{clopper_pearson(hits, n)[1]:.3f} of {n}"
        for n, hits in found.groupby("splits")["misses"].max().items()
    ]
    allowed = max(
        (
            solve(
                Setting(alpha=alpha, beta=beta, gamma=part * n, collection=1, n=n, mode=mode)
            ).value
            or 0.0
        )
        / insufficient_epsilon(alpha)
        for alpha in (0.01, 0.1, 0.5, 1.0, 1.9)
        for n in (1e4, 1e6, 1e9)
        for part in (0.01, 0.1, 1.0)
    )
    words = (
        f"largest share {share.max():.3f} over {len(found)} cases, beta {beta:g}; 95% intervals up"
        f" to {', '.join(ends)} splits"
    )
    words += f"; allows at most {allowed:.0%} of the epsilon at which a known release fails"
    holds = share.max() <= beta and allowed < 1
    return Evidence(float(holds), runs=int(found["splits"].max()), data="real data", detail=words)


def clear_counts_coherent(alpha: float = 0.2) -> Evidence:
    """Share of splits in which exact counts of the coarse table keep groups within ``alpha``.

    All groups, read by the informed attacker.
    """
    try:
        rows = coherence_dp.per_group(results("coherence_dp"))
    except NoResults:
        return NOTHING
    part = rows[
        (rows["release"] == "coarse") & np.isinf(rows["epsilon"]) & (rows["reader"] == "informed")
    ]
    worst = part.groupby("split")["distance"].max()
    return _share(worst <= alpha, f"largest {worst.max():.3f}")


def _people(rows: pd.DataFrame) -> float:
    return rows.loc[rows["group"] == EVERYONE, "n"].max()


MEASURES: dict[str, Callable[..., Evidence]] = coherence_theory.MEASURES | {
    f.__name__: f
    for f in (
        section5_distance,
        section5_gap,
        section5_unnoticed,
        section5_shift,
        section5_left_out_cleared,
        table_fact,
        share_with,
        few_unique,
        dp_bound_holds,
        clear_counts_coherent,
    )
}
