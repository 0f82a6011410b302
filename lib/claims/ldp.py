"""Measures for the claims of the LDP paper: from the stored grids, or exact. Each returns an :class:`Evidence`.

An average over protocols, splits or budgets is taken inside each run first;
the interval and the test are over runs, which are independent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pandas as pd
from scipy import stats

from lib.claims.rules import Evidence
from lib.datasets import TASKS
from lib.experiments import results
from lib.experiments.ldp_fairness import EPSILONS
from lib.experiments.summary import differences, mean_interval
from lib.ldp import PROTOCOLS, SPLITS, make, split_budget
from lib.ldp.histogram import optimal_theta
from lib.ldp.unary import all_subsets

__all__ = ["MEASURES"]

DISTANCE: dict[str, Callable[[float], float]] = {
    "DI": lambda x: abs(1 - x), "SPD": abs, "EOD": abs, "OAD": abs,
}  # fmt: skip
FAIRNESS = tuple(DISTANCE)
UTILITY = ("acc", "f1", "auc", "recall")
DATA = ("adult", "acs_coverage", "lsac")
NOTHING = Evidence(math.nan, detail="no stored results")


@cache
def _grid(name: str) -> pd.DataFrame:
    try:
        return results(name)
    except ValueError:
        return pd.DataFrame(columns=["dataset", "protocol", "split", "epsilon", "run"])


def _rows(grid: str = "ldp_main", dataset: str | Sequence[str] = DATA, protocol=PROTOCOLS, split=None, epsilon=None):
    """Cells that fit, with the baselines of their data sets; arguments may be one value or several."""
    frame = _grid(grid)
    keep = frame["dataset"].isin(np.atleast_1d(dataset)) & frame["protocol"].isin([*np.atleast_1d(protocol), "NonDP"])
    if split is not None:
        keep &= frame["split"].isin([*np.atleast_1d(split), "none"])
    if epsilon is not None:
        keep &= frame["epsilon"].isin(np.atleast_1d(epsilon)) | frame["epsilon"].isna()
    return frame[keep]


def _evidence(per_run: pd.Series, *, detail: str = "", reference: float = math.nan, sign: int = 1) -> Evidence:
    """Mean over runs with its t interval and the one-sided p-value of being above zero."""
    x = sign * per_run.dropna().to_numpy(dtype=float)
    if x.size == 0:
        return NOTHING
    if x.size == 1:
        return Evidence(float(x[0]), runs=1, data="real data", detail=detail, reference=reference)
    mean, low, high = mean_interval(x)
    # runs that all say exactly the same leave a t-test nothing to divide by; their signs are still a test
    p = (
        float(stats.ttest_1samp(x, 0.0, alternative="greater").pvalue)
        if x.std() > 0
        else 0.5**x.size
        if x[0] > 0
        else 1.0
    )
    return Evidence(mean, low, high, x.size, "real data", p, detail, reference)


def _whole_runs(long: pd.DataFrame) -> pd.DataFrame:
    """Runs that have all of the cells asked for."""
    size = long.groupby("run")["run"].transform("size")
    return long[size == size.max()] if len(long) else long


def nondp(dataset: str, metric: str) -> Evidence:
    """The metric of the baseline."""
    frame = _rows(dataset=dataset)
    return _evidence(frame[frame["protocol"] == "NonDP"].set_index("run").get(metric, pd.Series(dtype=float)))


def level(dataset: str, metric: str, epsilon: float) -> Evidence:
    """The metric under LDP at one budget, averaged over protocols and splits; the reference is NonDP."""
    frame = _rows(dataset=dataset, epsilon=epsilon)
    ldp = _whole_runs(frame[frame["protocol"] != "NonDP"])
    if ldp.empty:
        return NOTHING
    return _evidence(ldp.groupby("run")[metric].mean(), reference=nondp(dataset, metric).value)


def change(dataset, metric: str, *, split=None, epsilon=None, protocol=PROTOCOLS, distance: bool = False, sign: int = 1,
           grid: str = "ldp_main") -> Evidence:  # fmt: skip
    """Paired change against NonDP, averaged over the cells asked for; of the distance from fairness if ``distance``."""
    frame = _rows(grid, dataset, protocol, split, epsilon)
    if frame.empty:
        return NOTHING
    long = _whole_runs(differences(frame, metric, DISTANCE[metric] if distance else None))
    return _evidence(long.groupby("run")["difference"].mean(), sign=sign)


def share_improved(
    dataset, metrics: Sequence[str] = FAIRNESS, *, split=None, epsilon=None, grid: str = "ldp_main"
) -> Evidence:
    """Share of cells (metric, protocol, split, budget) whose mean paired distance from fairness falls."""
    frame = _rows(grid, dataset, split=split, epsilon=epsilon)
    if frame.empty:
        return NOTHING
    by = ["dataset", "protocol", "split", "epsilon"]
    better = [differences(frame, m, DISTANCE[m]).groupby(by)["difference"].mean() < 0 for m in metrics]
    runs = int(frame["run"].nunique())
    cells = sum(map(len, better))
    return Evidence(float(np.concatenate(better).mean()), runs=runs, data="real data", detail=f"{cells} cells")


def largest_change(
    dataset, metrics: Sequence[str] = UTILITY, *, split=None, epsilon=None, grid: str = "ldp_main"
) -> Evidence:
    """The largest of the metrics' mean changes in size, with its interval: "all metrics" stands or falls with it."""
    found = [(m, change(dataset, m, split=split, epsilon=epsilon, grid=grid)) for m in metrics]
    if any(math.isnan(e.value) for _, e in found):
        return NOTHING
    metric, worst = max(found, key=lambda pair: abs(pair[1].value))
    return Evidence(worst.value, worst.low, worst.high, worst.runs, worst.data, detail=f"largest in {metric}")


def split_gain(dataset, metrics: Sequence[str], *, epsilon=None, distance: bool = False, sign: int = 1) -> Evidence:
    """k-based minus uniform, averaged over metrics, protocols and budgets inside each run; positive is better.

    With ``distance``: how much closer to fairness k-based is. ``sign=-1`` asks for uniform minus k-based.
    """
    frame = _rows(dataset=dataset, epsilon=epsilon)
    frame = frame[frame["protocol"] != "NonDP"]
    if frame.empty:
        return NOTHING
    value = sum(-frame[m].map(DISTANCE[m]) if distance else frame[m] for m in metrics) / len(metrics)
    wide = frame.assign(value=value).pivot_table(
        index=["run", "dataset", "protocol", "epsilon"], columns="split", values="value"
    )
    wide = wide.dropna().reset_index()
    wide["gain"] = wide["k-based"] - wide["uniform"]
    return _evidence(_whole_runs(wide).groupby("run")["gain"].mean(), sign=sign)


def mean_rank(
    dataset, protocol, metrics: Sequence[str], *, distance: bool = False, against: str = "middle"
) -> Evidence:
    """By how many ranks the protocols beat the middle (4 of 7); ``against="last"``: share of data sets where worst."""
    frame = _rows(dataset=dataset)
    frame = frame[frame["protocol"] != "NonDP"]
    if frame.empty:
        return NOTHING
    value = sum(-frame[m].map(DISTANCE[m]) if distance else frame[m] for m in metrics) / len(metrics)
    table = frame.assign(value=value).groupby(["dataset", "run", "protocol"])["value"].mean()
    rank = table.groupby(["dataset", "run"]).rank(ascending=False)
    if against == "last":
        order = table.groupby(["dataset", "protocol"]).mean().groupby("dataset").idxmin().map(lambda key: key[1])
        share = float((order == protocol).mean())
        worst = ", ".join(f"{d}: {name}" for d, name in order.items())
        return Evidence(share, runs=int(frame["run"].nunique()), data="real data", detail=worst)
    mine = rank[rank.index.get_level_values("protocol").isin(np.atleast_1d(protocol))]
    return _evidence(4 - mine.groupby("run").mean())


def table2(dataset: str, n: int, sizes: Sequence[int]) -> Evidence:
    """Whether the table has the printed number of rows and the sensitive attributes the printed domain sizes."""
    from lib.datasets import load

    data = load(dataset)
    if data.is_replica:
        return Evidence(math.nan, data="replica", detail="only the replica is here")
    same = len(data.frame) == n and [data.task.domain[c] for c in data.task.sensitive] == list(sizes)
    return Evidence(float(same), data="real data", detail=f"n = {len(data.frame):,}")


def ratio(epsilon: float) -> Evidence:
    """``e^epsilon``."""
    return Evidence(math.exp(epsilon))


def ss_is_grr() -> Evidence:
    """Largest difference of the channels of SS with omega = 1 and GRR over several k and epsilon is below 1e-12."""
    gaps = []
    for k in (2, 3, 5, 9):
        ss, grr = make("SS", k=k, epsilon=4.0), make("GRR", k=k, epsilon=4.0)
        gaps.append(np.abs(ss.channel()[:, np.argsort(ss.subsets().argmax(axis=1))] - grr.channel()).max())
    return Evidence(float(max(gaps) < 1e-12), detail=f"largest difference {max(gaps):.0e}")


def splits_agree(sizes: Sequence[int]) -> Evidence:
    """Whether the two splits are the same for these domain sizes."""
    gap = np.abs(split_budget(1.0, sizes, "uniform") - split_budget(1.0, sizes, "k-based")).max()
    return Evidence(float(gap < 1e-12), detail=f"largest difference {gap:.2f} of epsilon")


def omega_optimal(ks: Sequence[int], epsilons: Sequence[float]) -> Evidence:
    """Share of (k, epsilon) where no other subset size has less variance than ``max(1, floor(k/(e^eps+1)))``."""
    hits = []
    for k in ks:
        for e in epsilons:
            var = [_ss_variance(k, e, omega) for omega in range(1, k)]
            printed = max(1, math.floor(k / (math.exp(e) + 1)))
            hits.append(var[printed - 1] <= min(var) * (1 + 1e-9))
    return Evidence(float(np.mean(hits)), detail=f"{len(hits)} pairs (k, epsilon)")


def _ss_variance(k: int, epsilon: float, omega: int) -> float:
    p = omega * math.exp(epsilon) / (omega * math.exp(epsilon) + k - omega)
    q = (p * (omega - 1) + (1 - p) * omega) / (k - 1)
    return q * (1 - q) / (p - q) ** 2


def theta_inside(epsilons: Sequence[float]) -> Evidence:
    """Whether the unrestricted optimum of theta lies in (0.5, 1) for every budget."""
    found = [optimal_theta(e, "published") for e in epsilons]
    return Evidence(float(all(0.5 < t < 1 for t in found)), detail=f"theta from {min(found):.3f} to {max(found):.3f}")


def consistent_reports(protocol: str, k: int = 5, epsilon: float = 1.0) -> Evidence:
    """Whether every report that can be sent supports exactly one value, by enumeration."""
    m = make(protocol, k=k, epsilon=epsilon)
    possible = m.support(np.arange(k)) if protocol == "GRR" else m.subsets() if protocol == "SS" else all_subsets(k)
    ones = possible.sum(axis=1)
    return Evidence(float((ones == 1).all()), detail=f"{ones.min()} to {ones.max()} values in a report")


def ss_single_share() -> Evidence:
    """Share of the grid's (data set, attribute, split, epsilon) where subset selection reports a single value."""
    single = []
    for name in DATA:
        sizes = [TASKS[name].domain[c] for c in TASKS[name].sensitive]
        for split in SPLITS:
            for epsilon in EPSILONS:
                budgets = split_budget(epsilon, sizes, split)
                single += [make("SS", k=k, epsilon=e).omega == 1 for k, e in zip(sizes, budgets, strict=True)]
    return Evidence(float(np.mean(single)), detail=f"{len(single)} attribute reports of the grid")


MEASURES: dict[str, Callable[..., Evidence]] = {
    f.__name__: f
    for f in (nondp, level, change, share_improved, largest_change, split_gain, mean_rank, table2, ratio, ss_is_grr,
              splits_agree, omega_optimal, theta_inside, consistent_reports, ss_single_share)
}  # fmt: skip
