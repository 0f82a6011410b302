"""Perturb and encode Adult's sensitive attributes: ours, the peer's per-user clients, the random
bits alone.
"""

from __future__ import annotations

import pytest

from lib.ldp import PROTOCOLS, make, split_budget
from lib.rng import stream
from tests.compare.peers import peer_support

EPSILON = 2.0


def _budgets(attributes):
    return split_budget(EPSILON, [k for _, k in attributes], "uniform")


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.benchmark(group="perturb + encode, 36,679 x 4")
def test_ours(benchmark, attributes, name):
    rng = stream(1, "benchmark", name)
    mechanisms = [
        (v, make(name, k=k, epsilon=e))
        for (v, k), e in zip(attributes, _budgets(attributes), strict=True)
    ]
    bits = benchmark(lambda: [m.privatise_support(v, rng) for v, m in mechanisms])
    assert [b.shape for b in bits] == [(len(v), k) for v, k in attributes]


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.benchmark(group="perturb + encode, 36,679 x 4")
def test_peer(benchmark, attributes, name):
    """multi-freq-ldpy, one user at a time; the least of several rounds as ours, or a busy
    machine would flatter us.
    """
    pytest.importorskip("multi_freq_ldpy")
    # numba compiles here, outside the clock
    peer_support(name, attributes[0][0][:10], attributes[0][1], 1.0)
    benchmark.pedantic(
        lambda: [
            peer_support(name, v, k, e)
            for (v, k), e in zip(attributes, _budgets(attributes), strict=True)
        ],
        rounds=3 if name in ("BLH", "OLH") else 10,  # the hashes take seconds
    )


@pytest.mark.benchmark(group="perturb + encode, 36,679 x 4")
def test_random_bytes_alone(benchmark, attributes):
    rng = stream(1, "benchmark bytes")
    benchmark(lambda: [rng.bytes(len(v) * k) for v, k in attributes])


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.benchmark(group="reports and counts, k = 74")
def test_native_reports_and_counts(benchmark, attributes, name):
    """The deployable way: reports first, supports counted from them."""
    values, k = attributes[-1]
    mechanism, rng = make(name, k=k, epsilon=1.0), stream(1, "benchmark native", name)
    benchmark(lambda: mechanism.support_counts(mechanism.privatise(values, rng)))
