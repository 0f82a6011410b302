"""Measures for the claims of the coherence paper: facts of its table, Section 5's distances, its bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd
from scipy import stats

from lib.claims.rules import Evidence
from lib.coherence.clear_column import column_distances, theorem9_size, theorem11_size
from lib.coherence.collection import EVERYONE
from lib.coherence.distances import split_distance
from lib.coherence.exact_information import distinct_log_probability
from lib.coherence.max_information import approximate_dp, corollary, largest_delta, mcdiarmid
from lib.coherence.solver import Setting, solve, table1
from lib.coherence.theorems import claim2_probability, claim2_size, hush_scovel
from lib.datasets.section5 import TARGET, load_section5
from lib.experiments import coherence_dp, results
from lib.experiments.coherence import WITH, per_group
from lib.experiments.summary import mean_interval
from lib.rng import stream

__all__ = ["MEASURES", "GROUPS", "claim2_exact"]

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


def two_members(n: int) -> Evidence:
    """Probability that two people end in different halves of ``n``."""
    return Evidence((n / 2) / (n - 1))


def table1_row(alpha: float) -> Evidence:
    """Whether a row of Table 1 satisfies Theorem 7."""
    row = next(r for r in table1() if r["alpha"] == alpha)
    return Evidence(
        float(row["holds"]), detail=f"epsilon up to {row['largest']:.4f} would; {row['slack']:.0%} to spare"
    )


def section63_example() -> Evidence:
    """Whether epsilon .01 is within Theorem 7 for alpha .2, 100 groups of 250,000 out of 5 million, beta e^-30."""
    s = solve(Setting(alpha=0.2, beta=math.exp(-30), gamma=250_000, collection=100, n=5_000_000))
    return Evidence(float(s.value >= 0.01), detail=f"the largest is {s.value:.4f}")


def moved_mass(share: float) -> Evidence:
    """W1 when ``share`` of the people move from -1 to 1."""
    values = np.concatenate([np.full(1000, -1.0), np.where(np.arange(1000) < 1000 * share, 1.0, -1.0)])
    return Evidence(float(stats.wasserstein_distance(values[:1000], values[1000:])))


def claim2_exact(m: int = 368, alpha: float = 0.5, mu: float = 1e-9) -> tuple[float, float, float]:
    """``(exact, at twice alpha, stated)``: W1 tails of two halves of m predictions +-1, half and half, and Claim 2's."""
    half, w = m // 2, np.arange(m // 2 + 1)
    law, w1 = stats.hypergeom(m, half, half).pmf(w), 2 * np.abs(2 * w - half) / half
    assert claim2_size(alpha, mu) <= m
    return float(law[w1 > alpha].sum()), float(law[w1 > 2 * alpha].sum()), claim2_probability(m, mu)[1]


def claim2_statement() -> Evidence:
    """Whether Claim 2 survives the example of :func:`claim2_exact` as it is stated."""
    exact, twice, stated = claim2_exact()
    words = f"Pr[W1 > alpha] = {exact:.1e} against at most {stated:.1e}; Pr[W1 > 2 alpha] = {twice:.1e}"
    return Evidence(float(exact <= stated), detail=words)


def theorem4_exact() -> Evidence:
    """Whether the tail bound holds against the exact law over a grid of urns."""
    cases = 0
    for b, a, s in ((100, 40, 50), (1000, 30, 500), (60, 30, 10), (5000, 2500, 2500), (200, 5, 100)):
        law = stats.hypergeom(b, a, s)
        for distance in range(2, min(a, s)):
            if law.sf(s * a / b + distance) > hush_scovel(distance, b=b, a=a, s=s):
                return Evidence(0.0, detail=f"fails at b={b}, a={a}, s={s}, distance={distance}")
            cases += 1
    return Evidence(1.0, detail=f"{cases} tails")


def theorem12_special() -> Evidence:
    """Whether the printed exponent for halves is at most the general one for every n from 3 on that was tried."""
    sizes = [*range(4, 200, 2), 10**4, 10**6]
    ratios = [mcdiarmid(n=n, m=n / 2) / mcdiarmid(n=n, m=n / 2, reading="paper") for n in sizes]
    return Evidence(
        float(min(ratios) >= 1), detail=f"the general exponent is {min(ratios):.2f} to {max(ratios):.2f} times it"
    )


def corollary2_follows() -> Evidence:
    """Whether Theorem 15 with the proof's choices gives Corollary 2, over epsilon, n and gamma."""
    held, cases = 0, 0
    for epsilon in (1e-4, 0.001, 0.01, 0.1, 0.5):
        for n in (1, 10, 1000, 10**6):
            for eta in (1.0, 0.05, 1e-9):
                delta = largest_delta(epsilon=epsilon, n=n, eta=eta)
                t, delta_hat = math.sqrt(2 * math.log(2 / eta)), math.sqrt(epsilon * delta) / 15
                beta, bound = approximate_dp(epsilon=epsilon, delta=delta, n=n, t=t, delta_hat=delta_hat)
                held += beta <= eta and bound <= corollary(epsilon=epsilon, delta=delta, n=n, eta=eta)
                cases += 1
    return Evidence(float(held == cases), detail=f"{held} of {cases} settings")


def clear_column(theorem: int, beta: float = 0.05, draws: int = 20_000) -> Evidence:
    """Whether groups of exactly the size constraint exceed alpha in at most ``beta`` of simulated halves, in every case.

    The predictor is the worst under the column's lens; whoever sees more can
    do no better with a count alone than a fixed predictor, of which it is one.
    """
    rule, worst, cases = {9: theorem9_size, 11: theorem11_size}[theorem], 0.0, 0
    for n in (10_000, 100_000):
        for alpha in (0.5, 1.0, 1.5, 2.0):
            members = math.ceil(rule(alpha=alpha, beta=beta, n=n, collection=1))
            if members > n:
                continue
            for share in (0.5, 0.1):
                found = column_distances(round(share * members), members, n, size=draws,
                                         rng=stream(1, "clear column", theorem, n, alpha, share))  # fmt: skip
                worst, cases = max(worst, float((found > alpha).mean())), cases + 1
    if not cases:
        return Evidence(math.nan, detail="the size constraint exceeds n in every case tried")
    return Evidence(float(worst <= beta), detail=f"largest share {worst:.4f} over {cases} cases, beta {beta:g}")


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


def binary_universe(n: int, alpha: float) -> Evidence:
    """Whether publishing a table of single bits in the clear leaves the worst predictor within ``alpha`` in all draws."""
    found = column_distances(n // 2, n, n, size=20_000, rng=stream(1, "binary universe", n))
    return Evidence(float(found.max() <= alpha), detail=f"largest of 20,000 halves {found.max():.4f}")


def generalising_curator(n: int) -> Evidence:
    """Whether a curator that publishes its input if no record occurs twice, and else nothing, refutes the implication.

    It is (beta, 0, 0)-sample perfectly generalising over ``n`` values; on ``n``
    different records, whoever looks them up is 2 apart on every split.
    """
    log_beta = distinct_log_probability(draws=n // 2, universe=n) + math.log(2)  # either sample without a repetition
    people, inside = np.arange(n), stream(1, "generalising curator", n).permutation(n) < n // 2
    told = np.where(np.isin(people, people[inside]), 1.0, -1.0)
    distance = float(split_distance(told, inside))
    refuted = log_beta < math.log(1e-6) and distance > 1.9
    return Evidence(float(not refuted), detail=f"n = {n:,}: ln beta {log_beta:.0f}, W1 distance {distance:.0f}")


MEASURES: dict[str, Callable[..., Evidence]] = {
    f.__name__: f
    for f in (
        section5_distance, section5_gap, section5_unnoticed, section5_shift, section5_left_out_cleared, table_fact,
        share_with, few_unique, two_members, table1_row, section63_example, moved_mass, claim2_statement, theorem4_exact,
        theorem12_special, corollary2_follows, clear_column, binary_universe, dp_bound_holds,
        clear_counts_coherent, generalising_curator,
    )
}  # fmt: skip
