"""The paper's bounds: arithmetic, preconditions, and simulations that they must survive."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lib.coherence.bounds.max_information import (
    mcdiarmid,
    pure_dp,
    pure_dp_tightened,
)
from lib.coherence.bounds.paper import size, theorem7_terms, theorem8_terms
from lib.coherence.bounds.tightened import (
    half_sample_distance,
    tightened_size,
)
from studies.coherence.single_column import (
    column_distances,
    theorem9_repaired_size,
)
from studies.coherence.steps import (
    claim2_probability,
    claim2_size,
)
from tests.conftest import as_often

E30 = math.exp(-30)


def test_theorem7_by_hand():
    """alpha .2, beta e^-30, |C| 100, n 5e6, epsilon .01: the row of Table 1 in the text."""
    log = math.log(400) + 30
    zeta = 0.01**2 * 5e6 / 4 + 0.01 * math.sqrt(5e6 * log) / 2
    want = 33.2 * (zeta + math.log(1600) + 30) / 0.04
    terms = theorem7_terms(alpha=0.2, beta=E30, epsilon=0.01, n=5e6, collection=100)
    assert size(terms) == pytest.approx(want, rel=1e-12)
    assert size(terms) < 250_000
    assert max(terms, key=terms.get) == "information / alpha^2"
    assert terms["union over thresholds"] == pytest.approx(144 * math.log(30) / 0.04)


@given(
    alpha=st.floats(0.05, 2),
    beta=st.floats(1e-9, 1),
    epsilon=st.floats(1e-4, 0.5),
    n=st.floats(1e3, 1e7),
    collection=st.integers(1, 1000),
)
@settings(max_examples=150)
def test_sizes_move_the_right_way_and_ours_is_never_the_larger(alpha, beta, epsilon, n, collection):
    known = {"alpha": alpha, "beta": beta, "epsilon": epsilon, "n": n, "collection": collection}
    more = {"alpha": min(2, alpha * 1.1), "beta": min(1, beta * 2), "epsilon": epsilon / 2}
    more |= {"n": n / 2, "collection": max(1, collection // 2)}
    for rule in (
        lambda **k: size(theorem7_terms(**k)),
        lambda **k: size(theorem8_terms(**k)),
        tightened_size,
    ):
        base = rule(**known)
        for name, value in more.items():
            assert rule(**known | {name: value}) <= base * (1 + 1e-9), name
    assert tightened_size(**known) < size(theorem7_terms(**known))
    asked = {"epsilon": epsilon, "n": n, "eta": beta / 2}
    assert pure_dp_tightened(**asked) <= pure_dp(**asked)


def test_the_general_mcdiarmid_is_twice_the_printed_case():
    ours, printed = (mcdiarmid(n=10_000, m=5_000, reading=r) for r in ("tight", "paper"))
    assert ours == pytest.approx(2 * printed, rel=1e-3)
    # few of many: as if independent
    assert mcdiarmid(n=1e9, m=100) == pytest.approx(2 / 100, rel=1e-2)


def _w1_of_halves(
    values: np.ndarray, others: int, size: int, rng: np.random.Generator
) -> np.ndarray:
    """W1 between a group's predictions in two halves of a data set with ``others`` more people."""
    out = np.empty(size)
    for i in range(size):
        half = rng.permutation(values.size + others)[: (values.size + others) // 2]
        inside = np.zeros(values.size + others, dtype=bool)
        inside[half] = True
        mine = inside[: values.size]
        a, b = values[mine], values[~mine]
        out[i] = stats.wasserstein_distance(a, b) if a.size and b.size else 2.0
    return out


@pytest.mark.parametrize("kind", ["signs", "uniform", "rare"])
def test_claim2_with_the_factor_of_its_proof_and_ours_survive_simulation(kind, rng):
    """The share beyond the bound against the stated probability, by an exact binomial test."""
    members, mu = 300, 1e-4
    values = {
        "signs": np.repeat([-1.0, 1.0], 150),
        "uniform": np.linspace(-1, 1, 300),
        "rare": np.repeat([-1.0, 1.0], [20, 280]),
    }[kind]
    found = _w1_of_halves(values, 500, 800, rng)
    alpha = max(math.sqrt(4.15 * math.log(4 / mu) / members), 8.3 * math.log(4 / mu) / members)
    assert claim2_size(alpha, mu) <= members * (1 + 1e-9)
    factor, probability = claim2_probability(members, mu)
    assert factor == 2
    ours = half_sample_distance(members, math.log(0.05))
    assert as_often(found > factor * alpha, probability, side="greater")
    assert as_often(found > ours, 0.05, side="greater")


@pytest.mark.parametrize(
    ("ones", "members", "n"), [(500, 1000, 4000), (50, 1000, 1000), (400, 800, 20_000)]
)
def test_the_columns_distances_stay_below_the_repaired_theorem_9(ones, members, n, rng):
    beta = 0.05
    found = column_distances(ones, members, n, size=4000, rng=rng)
    alpha = half_sample_distance(members, math.log(beta))
    repaired = theorem9_repaired_size(alpha=alpha, beta=beta, collection=1)
    assert repaired == pytest.approx(members, rel=1e-6)
    assert as_often(found > alpha, beta, side="greater")
