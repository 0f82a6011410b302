"""Perturb and encode Adult's sensitive attributes: ours, the peer's per-user clients, the random
bytes alone. And what grows: a thousand values.
"""

from __future__ import annotations

import pytest

from lib.ldp import PROTOCOLS, make, split_budget
from lib.rng import stream
from tests.compare.peers import peer_support

EPSILON = 2.0


@pytest.mark.parametrize("whose", ["ours", "multi-freq-ldpy", "random bytes"])
@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.benchmark(group="perturb and encode 36,679 x 4 of Adult (k = 2, 5, 41, 74)")
def test_perturb(benchmark, attributes, name, whose):
    """multi-freq-ldpy takes one user at a time; the least of several rounds as ours, or a busy
    machine would flatter us.
    """
    budgets = split_budget(EPSILON, [k for _, k in attributes], "uniform")
    jobs = [(v, make(name, k=k, epsilon=e)) for (v, k), e in zip(attributes, budgets, strict=True)]
    rng, rounds = stream(1, "benchmark", name), 20
    run = lambda: [m.privatise_support(v, rng) for v, m in jobs]  # noqa: E731
    if whose == "random bytes":
        run = lambda: [rng.bytes(len(v) * m.k) for v, m in jobs]  # noqa: E731
    if whose == "multi-freq-ldpy":
        pytest.importorskip("multi_freq_ldpy")
        # numba compiles here, outside the clock
        peer_support(name, attributes[0][0][:10], attributes[0][1], 1.0)
        run = lambda: [peer_support(name, v, m.k, m.epsilon) for v, m in jobs]  # noqa: E731
        rounds = 3 if name in ("BLH", "OLH") else 10  # the hashes take seconds
    found = benchmark.pedantic(run, rounds=rounds, warmup_rounds=1)
    if whose != "random bytes":
        assert [bits.shape for bits in found] == [(len(v), m.k) for v, m in jobs]


@pytest.mark.parametrize("whose", ["ours", "random bytes"])
@pytest.mark.parametrize("name", ["OLH", "OUE", "SS"])
@pytest.mark.benchmark(group="reports of 200,000 people on 1,000 values, and counts")
def test_many_values(benchmark, name, whose):
    """The deployable way: reports first, supports counted from them."""
    rng, m = stream(1, "benchmark native", name), make(name, k=1000, epsilon=1.0)
    values = rng.integers(0, m.k, 200_000)
    runs = {
        "ours": lambda: m.support_counts(m.privatise(values, rng)),
        "random bytes": lambda: rng.bytes(values.size * m.k),
    }
    assert len(benchmark.pedantic(runs[whose], rounds=2)) >= m.k
