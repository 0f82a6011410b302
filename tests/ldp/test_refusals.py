"""What the local protocols refuse before any work: each by name, with what is allowed.

``test_battery.py`` has what every protocol refuses.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from lib.domain import Domain
from lib.ldp import (
    OLH,
    OUE,
    SS,
    THE,
    audited_epsilon,
    design_matrix,
    make,
    sanitise,
    split_budget,
)
from lib.ldp.local_hashing import HashReports
from lib.rng import stream
from studies.ldp_fairness.information import mutual_information
from tests.refusals import each, refused

NAN = math.nan
DOMAIN = Domain.of({"a": 3, "b": 2, "c": 4})
FRAME = pd.DataFrame({"a": [0, 1, 2, 1], "b": [1, 1, 0, 0], "c": [3, 0, 2, 1]})
GRR = make("GRR", k=3, epsilon=1.0)
HASHES, FIVE = np.zeros(5, dtype=int), np.arange(5, dtype=np.uint64)


def encoded(**changed):
    good = {"frame": FRAME, "domain": DOMAIN, "sensitive": ["b", "a"], "protocol": "GRR"}
    good |= {"split": "uniform", "epsilon": 1.0, "rng": stream(1, "x")}
    return sanitise(**good | changed)


# fmt: off
AT_4 = {"k": 4, "epsilon": 1.0}
REFUSED = [
    (lambda: make("DE", **AT_4), "protocol"),
    *((lambda name=name, more=more: make(name, **AT_4, **more), "options of") for name, more in (
        ("GRR", {"g_rule": "floor"}), ("SS", {"theta_range": "paper"}), ("lib.ldp.histogram:THE", {"g": 2}))),
    *((lambda m=m, more=more: m(**AT_4, **more), next(iter(more))) for m, more in (
        (OLH, {"g_rule": "up"}), (SS, {"omega_rule": "ceil"}), (THE, {"theta_range": "wide"}))),
    # too many reports to list
    *((lambda m=m: m(k=60, epsilon=50.0).channel(), "") for m in (OLH, OUE)),
    (lambda: OLH(**AT_4).channel(np.full(4, 99)), "hashes"),
    *each(audited_epsilon, {"bits_a": np.zeros((2, 3)), "bits_b": np.zeros((2, 3))},
          bits_a=(np.zeros((0, 3)), np.zeros((2, 63))), bits_b=(np.zeros((3, 3)), np.full((2, 3), 0.5)), level=(0,)),
    *each(split_budget, {"epsilon": 1.0, "sizes": [2, 3, 1000], "split": "k-based"},
          epsilon=(0, 9e-10, 601, 1e308, 1e-323), sizes=([], [1], "23"), split=("adaptive",)),
    *each(encoded, {}, domain=({"b": 3},), sensitive=((), ("a", "a"), "ab", [["b"]], ("z",)), protocol=(np.array(["GRR", "SS"]),),
          frame=(FRAME.to_dict("list"), FRAME.drop(columns="b")), form=("sparse",), epsilon=(1e-17,), rng=(np.random.default_rng,)),
    (lambda: encoded(domain=Domain.of({"a": 1, "b": 2})), "sizes of sensitive"),
    *((lambda f=f, x=x: design_matrix(FRAME.assign(b=x), DOMAIN, form=f), "b") for f in ("dense", "csr") for x in (2, NAN)),
    *((lambda bits=bits: design_matrix(FRAME, DOMAIN, {"c": bits}), "sanitised") for bits in (
        np.ones((4, 3), np.uint8), np.full((4, 4), 0.5), np.full((4, 4), 3, np.uint8), [[1], [1, 0]],
        sparse.csr_array(np.full((4, 4), 2, np.uint8)), sparse.csr_array(np.ones((4, 4))), sparse.csr_array(np.ones((3, 4), np.uint8)))),
    *((lambda c=c: mutual_information(GRR, np.array(c)), "counts") for c in ([1, 2], [-1, 2, 3], [0, 0, 0], [0.5, 1, 2], [1 << 39, 1, 0])),
    # what are no reports of hashes, or of subsets
    *((lambda read=read, s=s, h=h: getattr(OLH(**AT_4), read)(HashReports(s, h)), "")
      for read in ("support", "support_counts", "n_reports", "estimate") for s, h in (
        (FIVE[:1], HASHES), (FIVE.astype(np.int64), HASHES), (FIVE, HASHES + 99), (FIVE, HASHES + 0.5), (FIVE, HASHES[:, None]))),
    *((lambda read=read, r=r: getattr(SS(k=10, epsilon=1.0), read)(np.array(r)), "")
      for read in ("support", "support_counts", "estimate") for r in ([[1] * 10] * 3, [[0, 1], [4, 4]], [[0, 10]], [[0, 0.5]])),
]
# fmt: on


@pytest.mark.parametrize(("call", "name"), REFUSED)
def test_it_is_refused_by_name(call, name):
    refused(call, name)


def test_more_values_than_32_bits_hold_are_reckoned_with_but_not_drawn_from():
    mechanism, values = SS(k=5 * 10**9, epsilon=30.0), np.array([0, 1])
    assert math.isfinite(mechanism.variance(10))
    for draw in (mechanism.privatise, mechanism.privatise_support):
        with pytest.raises(ValueError, match=r"^k must be at most 4294967297 .*, got 5000000000"):
            draw(values, stream(1, "x"))
    most = SS(k=2**32 + 1, epsilon=20.0)  # eight members a report
    reports = most.privatise(np.array([2**32, 0, 7] * 50), stream(1, "x"))
    assert reports.shape == (150, most.omega)
    assert int(reports.max()) < most.k


class Anything(THE):
    """A protocol that passes on what it is given."""

    def __init__(self, **options) -> None:
        super().__init__(**options)


def test_options_reach_a_protocol_of_ones_own():
    made = make(f"{__name__}:Anything", k=4, epsilon=1.0, theta_range="published")
    assert made.theta == THE(k=4, epsilon=1.0, theta_range="published").theta
