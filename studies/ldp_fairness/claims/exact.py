"""Measures for the claims of the LDP paper that need no grid: arithmetic on the protocols, and
counts in the tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from typing import Any

import numpy as np

from lib.datasets import TASKS, load
from lib.datasets.codebook import codebook
from lib.ldp import PROTOCOLS, SPLITS, make, split_budget
from lib.ldp.base import Protocol
from lib.ldp.grr import GRR
from lib.ldp.histogram import optimal_theta
from lib.ldp.subset_selection import SS
from lib.ledger.rules import Evidence
from studies.ldp_fairness.cells import EPSILONS
from studies.ldp_fairness.names import title
from studies.measures import ONLY_REPLICA, fact, measures_of

DATA = ("adult", "acs_coverage", "lsac")
ROUNDING = 1e-9


def _sizes(dataset: str) -> list[int]:
    """Codes of each sensitive attribute."""
    return [TASKS[dataset].domain[c] for c in TASKS[dataset].sensitive]


def grid_reports(
    epsilons: Sequence[float] = EPSILONS,
) -> Iterator[tuple[str, str, str, int, float]]:
    """Every ``(data set, split, attribute, k, its budget)`` of the main grid, or at other
    budgets of a report.
    """
    for name, split, epsilon in product(DATA, SPLITS, epsilons):
        sizes = _sizes(name)
        budgets = split_budget(epsilon, sizes, split).tolist()
        for column, k, share in zip(TASKS[name].sensitive, sizes, budgets, strict=True):
            yield name, split, column, k, share


def _budgets() -> list[tuple[int, float]]:
    """``(k, its budget)`` of every report of the main grid."""
    return [(k, e) for *_, k, e in grid_reports()]


def single_value_probability(protocol: Protocol) -> float:
    """Probability that a report supports exactly one value, so that its sender is "in one
    category".

    The bits of a support set are independent for the unary encodings and for
    local hashing with a random function; SS and GRR report a fixed number.
    """
    if isinstance(protocol, GRR):
        return 1.0
    if isinstance(protocol, SS):
        return float(protocol.omega == 1)
    p, q, k = protocol.p_star, protocol.q_star, protocol.k
    return p * (1 - q) ** (k - 1) + (1 - p) * (k - 1) * q * (1 - q) ** (k - 2)


def table2(dataset: str, n: int, sizes: Sequence[int]) -> Evidence:
    """Whether the table has the printed number of rows and the sensitive attributes the printed
    domain sizes.
    """
    data = load(dataset)
    if data.is_replica:
        return ONLY_REPLICA
    rows, found = len(data.frame), data.frame[[*data.task.sensitive]].nunique().tolist()
    words = f"n = {rows:,}; {', '.join(map(str, found))}"
    return fact(rows == n and found == list(sizes), words, data="real data")


def attribute_counts(counts: dict[str, int]) -> Evidence:
    """Whether the analysed tables have the stated numbers of attributes."""
    found = {name: len(TASKS[name].features) for name in counts}
    words = ", ".join(f"{title(name)} {count}" for name, count in found.items())
    return fact(found == counts, words)


def levels(dataset: str, column: str, count: int) -> Evidence:
    """Whether a column takes as many values as stated."""
    data = load(dataset)
    if data.is_replica:
        return ONLY_REPLICA
    found = data.frame[column].nunique()
    return fact(found == count, f"{found} values", data="real data")


def levels_among(dataset: str, column: str, values: Sequence[float]) -> Evidence:
    """Whether a column takes no value but those that are stated."""
    data = load(dataset)
    if data.is_replica:
        return ONLY_REPLICA
    present = codebook(dataset)[column].present
    found = [present[code] for code in sorted(data.frame[column].unique())]
    return fact(set(found) <= set(values), f"{found[0]:g} to {found[-1]:g}", data="real data")


def ratio(epsilon: float) -> Evidence:
    """``e^epsilon``."""
    return Evidence(math.exp(epsilon))


def right_guess(epsilon: float) -> Evidence:
    """How often, of two equally likely records, the right one can be told after a report that
    spends ``epsilon``, at most.
    """
    return fact(1 / (1 + math.exp(-epsilon)))


def unprotected_share(epsilon: float, guess: float) -> Evidence:
    """Share of sensitive attributes (data set, split) whose part of ``epsilon`` lets somebody guess
    right with ``guess``.

    Of two values, equally likely beforehand, the better guess after a report that
    spends ``e`` is right with probability ``1 / (1 + exp(-e))`` at most.
    """
    reports = grid_reports((epsilon,))
    right = {f"{c} of {name}, {split}": 1 / (1 + math.exp(-e)) for name, split, c, _, e in reports}
    least = min(right, key=right.__getitem__)
    words = f"{len(right)} attributes and splits; least for {least}: {right[least]:.0%}"
    return fact(sum(p >= guess for p in right.values()) / len(right), words)


def private() -> Evidence:
    """Whether every protocol's exact privacy loss is at most its budget, at every attribute and
    budget of the grid.
    """
    cases = set(_budgets())
    worst = max(
        make(name, k=k, epsilon=e).privacy_loss() / e - 1 for name in PROTOCOLS for k, e in cases
    )
    return fact(worst <= ROUNDING, f"{len(PROTOCOLS)} protocols, {len(cases)} pairs (k, epsilon)")


def composes() -> Evidence:
    """Whether both splits of each data set add up to the whole budget, at every budget of the
    grid.
    """
    gaps = [
        abs(split_budget(epsilon, _sizes(name), split).sum() / epsilon - 1)
        for name, split, epsilon in product(DATA, SPLITS, EPSILONS)
    ]
    return fact(max(gaps) <= ROUNDING, f"{len(gaps)} splits")


def ss_is_grr() -> Evidence:
    """Whether the channels of SS with omega = 1 and of GRR agree for several k."""
    gaps = []
    for k in (2, 3, 5, 9):
        ss: Any = make("SS", k=k, epsilon=4.0)
        grr = make("GRR", k=k, epsilon=4.0)
        order = np.argsort(ss.subsets().argmax(axis=1), kind="stable")
        gaps.append(np.abs(ss.channel()[:, order] - grr.channel()).max())
    same = max(gaps) <= ROUNDING
    return fact(same, "equal up to rounding" if same else f"largest difference {max(gaps):.1g}")


def splits_agree(sizes: Sequence[int]) -> Evidence:
    """Whether the two splits are the same for these domain sizes."""
    gap = np.abs(split_budget(1.0, sizes, "uniform") - split_budget(1.0, sizes, "k-based")).max()
    return fact(gap <= ROUNDING, f"largest difference {gap:.2f} of epsilon")


def domains_ordered(datasets: Sequence[str]) -> Evidence:
    """Whether the domains of the sensitive attributes get smaller and differ less, from each data
    set to the next.

    By the largest domain, by its difference from the smallest, and by their ratio.
    """
    ends = [(max(_sizes(name)), min(_sizes(name))) for name in datasets]
    spreads = [(most, most - least, most / least) for most, least in ends]
    falls = all(a > b for one, two in pairwise(spreads) for a, b in zip(one, two, strict=True))
    words = (
        f"{title(name)} {low} to {high}" for name, (high, low) in zip(datasets, ends, strict=True)
    )
    return fact(falls, f"domains of {', '.join(words)} values")


def omega_optimal(ks: Sequence[int], epsilons: Sequence[float]) -> Evidence:
    """Share of (k, epsilon) where no other subset size has less variance than ``max(1,
    floor(k/(e^eps+1)))``.
    """
    hits = []
    for k, e in product(ks, epsilons):
        var, printed = _ss_variance(k, e, np.arange(1, k)), math.floor(k / (math.exp(e) + 1))
        hits.append(var[max(1, printed) - 1] <= var.min() * (1 + ROUNDING))
    return fact(np.mean(hits), f"{len(hits)} pairs (k, epsilon)")


def _ss_variance(k: int, epsilon: float, omega: np.ndarray) -> np.ndarray:
    p = omega * math.exp(epsilon) / (omega * math.exp(epsilon) + k - omega)
    q = (p * (omega - 1) + (1 - p) * omega) / (k - 1)
    return q * (1 - q) / (p - q) ** 2


def g_optimal(epsilons: Sequence[float]) -> Evidence:
    """Share of budgets where no other range of the hash has less variance than ``floor(e^eps +
    1)``.
    """
    hits = []
    for e in epsilons:
        x = math.exp(e)
        var = {
            g: (x - 1 + g) ** 2 / ((x - 1) ** 2 * (g - 1)) for g in range(2, math.ceil(2 * x) + 3)
        }
        hits.append(var[math.floor(x + 1)] <= min(var.values()) * (1 + ROUNDING))
    return fact(np.mean(hits), f"{len(hits)} budgets")


def theta_inside(epsilons: Sequence[float]) -> Evidence:
    """Whether the optimum of theta over [0, 1] lies in (0.5, 1) for every budget."""
    found = [optimal_theta(e, "published") for e in epsilons]
    low, high = min(found), max(found)
    return fact(low > 0.5 and high < 1, f"theta from {low:.3f} to {high:.3f}")


def less_variance(protocol: str, than: str) -> Evidence:
    """Share of the grid's (k, epsilon) where the variance is no larger; ``than="HE"`` sums
    unthresholded histograms.
    """
    cases = sorted(set(_budgets()))
    hits: list[Any] = []
    for k, e in cases:
        other = 8 / e**2 if than == "HE" else make(than, k=k, epsilon=e).variance(1)
        hits.append(make(protocol, k=k, epsilon=e).variance(1) <= other * (1 + ROUNDING))
    return fact(np.mean(hits), f"{len(cases)} pairs (k, epsilon)")


def _single_shares(protocols: Sequence[str]) -> dict[str, float]:
    """Share of the grid's reports that name exactly one value, by protocol."""
    cases = _budgets()
    return {
        n: float(np.mean([single_value_probability(make(n, k=k, epsilon=e)) for k, e in cases]))
        for n in protocols
    }


def _listed(shares: dict[str, float]) -> str:
    return ", ".join(f"{n} {share:.0%}" for n, share in shares.items())


def single_share(protocols: Sequence[str]) -> Evidence:
    """Share of the grid's reports (data set, attribute, split, budget) that name exactly one
    value, over protocols.
    """
    each = _single_shares(protocols)
    return fact(np.mean([*each.values()]), _listed(each))


def inconsistent_share(protocols: Sequence[str]) -> Evidence:
    """Share of the grid's reports that name several values or none, of the protocol where it is
    smallest.
    """
    each = {n: 1 - share for n, share in _single_shares(protocols).items()}
    return fact(min(each.values()), _listed(each))


def correlation_left() -> Evidence:
    """Largest share of two attributes' covariance that is left between their GRR reports, over the
    grid's budgets.

    Independent reports keep ``Cov(bit_a, bit_b)`` times ``(p*_a - q*_a)(p*_b - q*_b)``. Gender and
    race of Adult, uniform split.
    """
    ks = [TASKS["adult"].domain[c] for c in ("gender", "race")]
    left = {}
    for epsilon in EPSILONS:
        share = [make("GRR", k=k, epsilon=epsilon / len(TASKS["adult"].sensitive)) for k in ks]
        left[epsilon] = math.prod(m.p_star - m.q_star for m in share)
    words = ", ".join(f"{left[e]:.1%} at epsilon {e:g}" for e in (min(left), 8.0, max(left)))
    return fact(max(left.values()), f"of the covariance is left {words}")


MEASURES = measures_of(__name__)
