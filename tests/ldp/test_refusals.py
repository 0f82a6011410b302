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
    one_hot,
    sanitise,
    split_budget,
)
from lib.ldp.grr import randomised_response
from lib.ldp.histogram import optimal_theta
from lib.ldp.local_hashing import HashReports, hash_values
from lib.rng import stream
from studies.ldp_fairness.allocation import least_variance_split, total_variance
from studies.ldp_fairness.information import entropy, mutual_information, posterior

SEEDS, NAN, INF = np.arange(3, dtype=np.uint64), math.nan, math.inf
DOMAIN = Domain.of({"a": 3, "b": 2, "c": 4})
FRAME = pd.DataFrame({"a": [0, 1, 2, 1], "b": [1, 1, 0, 0], "c": [3, 0, 2, 1]})
GRR = make("GRR", k=3, epsilon=1.0)
BY_HASHES = OLH(k=6, epsilon=1.3)
FREQUENCIES = [np.full(5, 0.2)]
HASHES, FIVE = np.zeros(5, dtype=int), np.arange(5, dtype=np.uint64)


def encoded(**changed):
    good = {"frame": FRAME, "domain": DOMAIN, "sensitive": ["b", "a"], "protocol": "GRR"}
    good |= {"split": "uniform", "epsilon": 1.0, "rng": stream(1, "x")}
    return sanitise(**good | changed)


def encoded_column(frame, sensitive, epsilon=1.0):
    narrow = Domain.of({"a": 1, "b": 2})
    return encoded(frame=pd.DataFrame(frame), domain=narrow, sensitive=sensitive, epsilon=epsilon)


def with_bits(bits, **more):
    return design_matrix(FRAME, DOMAIN, {"c": bits}, **more)


# fmt: off
REFUSED = [
    (lambda: make("DE", k=4, epsilon=1.0), r"protocol must be one of .*'GRR'.*'THE'.*, got 'DE'"),
    (lambda: make("GRR", k=4, epsilon=1.0, g_rule="floor"), "^options of GRR must be among none, got g_rule='floor'"),
    (lambda: make("SS", k=4, epsilon=1.0, theta_range="paper"), "^options of SS must be among omega_rule, got theta_range='paper'"),
    (lambda: make("OLH", k=4, epsilon=1.0, omega_rule="up"), "^options of OLH must be among g_rule, got omega_rule='up'"),
    (lambda: make("OLH", k=4, epsilon=1.0, g_rule="up"), r"^g_rule must be one of .*, got 'up'"),
    (lambda: make("lib.ldp.histogram:THE", k=4, epsilon=1.0, g=2), "^options of THE must be among theta_range, got g=2"),
    (lambda: SS(k=10, epsilon=1.0, omega_rule="ceil"), r"omega_rule must be one of .*'floor'.*, got 'ceil'"),
    (lambda: THE(k=4, epsilon=1.0).histogram(np.array([1]), np.random.default_rng), r"^rng must be"),
    (lambda: encoded(rng=np.random.default_rng), r"^rng must be"),
    *((lambda call=call, e=e: call(e), r"^epsilon must be a number >= 1e-09 and <= 600, got")
      for e in (-1.0, 0.0, NAN, INF, 1e-10, 601, "1") for call in (optimal_theta,)),
    (lambda: optimal_theta(1.0, "wide"), r"^theta_range must be one of .*, got 'wide'"),
    (lambda: hash_values(SEEDS, [-1], 3), r"^values must be whole numbers.*, got -1 "),
    (lambda: hash_values(SEEDS, [0.5], 3), r"^values must be whole numbers.*, got 0.5 "),
    (lambda: hash_values(SEEDS, [NAN], 3), r"^values must be whole numbers.*, got nan "),
    (lambda: hash_values(SEEDS, ["a"], 3), r"^values must be whole numbers.*, got 'a' "),
    (lambda: hash_values(SEEDS, [0, 1], 3), r"^values must be of a shape that broadcasts with .*seeds \(3,\).*, got \(2,\)"),
    (lambda: hash_values(SEEDS.astype(np.int64), [1], 3), r"^seeds must be of dtype uint64, got .*int64"),
    (lambda: hash_values([1, 2], [1], 3), r"^seeds must be of dtype uint64, got .*int"),
    (lambda: hash_values(SEEDS, [1], 0), r"^g must be .*, got 0$"),
    (lambda: hash_values(SEEDS, [1], 2.5), r"^g must be .*, got 2.5$"),
    (lambda: hash_values(SEEDS, [1], 2**63 + 1), r"^g must be .*, got 9"),
    *((lambda c=c: c(np.full(6, BY_HASHES.g)), "^hashes") for c in (BY_HASHES.channel, BY_HASHES.log_channel)),
    *((lambda c=c: c(np.zeros(5, dtype=int)), r"^hashes must be of shape .*, got \(5,\)") for c in (BY_HASHES.channel, BY_HASHES.log_channel)),
    (lambda: OLH(k=4, epsilon=50.0).channel(), r"g must be .*at most 1048576 .*log_channel"),
    *((lambda m=m: m(k=60, epsilon=0.5).channel(), "to list") for m in (OUE, SS)),
    *((lambda m=m: m(k=4, epsilon=1.0).support(np.zeros((3, 5))), "reports must be of shape") for m in (OUE, SS)),
    (lambda: randomised_response(np.array([4]), 4, 0.5, stream(1)), r"^values must be whole numbers.*, got 4 "),
    (lambda: randomised_response(np.array([[1]]), 4, 0.5, stream(1)), r"^values must be of one dimension, got"),
    (lambda: randomised_response(np.array([0]), 1, 0.5, stream(1)), r"^k must be .*, got 1$"),
    (lambda: randomised_response(np.array([0]), 2**64, 0.5, stream(1)), r"^k must be .*, got 18446744073709551616$"),
    (lambda: randomised_response(np.array([0]), 4, 1.5, stream(1)), r"^p must be .*, got 1.5$"),
    (lambda: randomised_response(np.array([0]), 4, NAN, stream(1)), r"^p must be .*, got nan$"),
    (lambda: randomised_response(np.array([1]), 4, 0.5, np.random.default_rng), r"^rng must be"),
    *((lambda a=a, b=b: audited_epsilon(a, b), words) for a, b, words in (
        (np.zeros((0, 3)), np.zeros((0, 3)), r"bits_a must be .*n >= 1 .*, got"),
        (np.zeros((2, 3)), np.zeros((3, 3)), r"bits_b must be of the shape .*, got"),
        (np.zeros((2, 63)), np.zeros((2, 63)), "k <= 62"),
        (np.zeros((2, 3)), np.full((2, 3), 0.5), r"bits_b must be bits, 0 or 1, got 0.5"))),
    (lambda: audited_epsilon(np.zeros((2, 3)), np.zeros((2, 3)), level=0), r"level must be .*, got 0"),
    (lambda: split_budget(0, [2], "uniform"), "epsilon"),
    (lambda: split_budget(1.0, [], "uniform"), "sizes"),
    (lambda: split_budget(1.0, [1], "uniform"), "sizes"),
    (lambda: split_budget(1.0, [2], "adaptive"), "split"),
    (lambda: split_budget(1e308, [2, 3, 1000], "k-based"), r"epsilon must be .*, got 1e.308"),
    (lambda: split_budget(1e-323, [2, 3, 1000], "k-based"), r"epsilon must be .*, got 1e-323"),
    (lambda: split_budget(9e-10, [2], "uniform"), r"epsilon must be .*, got 9e-10"),
    (lambda: split_budget(601, [2], "uniform"), r"epsilon must be .*, got 601"),
    *((lambda sizes=s: split_budget(1.0, sizes, "uniform"), r"^sizes must be a list or a tuple, got") for s in ({2: 3}, {2, 3}, "23")),
    (lambda: encoded(domain={"b": 3}), "^domain must"),
    (lambda: encoded(sensitive=("a", "a")), r"^sensitive must be .*different attributes, got \['a', 'a'\]"),
    (lambda: encoded(sensitive="ab"), r"^sensitive must be .*, got 'ab'"),
    (lambda: encoded(sensitive=[["b"]]), r"^sensitive must be one of .*, got \['b'\]"),
    (lambda: encoded(sensitive={"a": 1}), r"^sensitive must be .*, got .'a': 1."),
    (lambda: encoded(frame=FRAME.to_dict("list")), r"^frame must be a pandas.DataFrame, got .*dict"),
    (lambda: encoded(protocol=np.array(["GRR", "SS"])), r"^protocol must be"),
    (lambda: encoded(split=np.array(["uniform", "k-based"])), r"^split must be"),
    (lambda: encoded(form="sparse"), r"form must be .*, got 'sparse'"),
    (lambda: encoded_column({"a": [0], "b": [0]}, ("b", "a")), "sizes of sensitive must be 2 or more.*'a': 1"),
    (lambda: encoded_column({"b": [0, 7]}, ("b",)), r"b must be whole numbers in 0..1.*, got 7"),
    (lambda: encoded_column({"b": [0, NAN]}, ("b",)), r"b must be whole numbers.*, got nan "),
    (lambda: encoded_column({"c": [0, 1]}, ("b",)), r"frame must be a table with a column 'b', got \['c'\]"),
    (lambda: encoded_column({"b": [0, 1]}, ("z",)), r"sensitive must be one of .*, got 'z'"),
    (lambda: encoded_column({"b": [0, 1]}, ()), "sensitive"),
    (lambda: encoded_column({"b": [0, 1]}, ("b",), 1e-17), r"epsilon must be .*, got 1e-17"),
    (lambda: design_matrix(FRAME, DOMAIN, [1]), r"^sanitised must be a mapping .*, got .*list"),
    (lambda: with_bits(np.ones((4, 3), dtype=np.uint8)), r"sanitised\['c'\] must be of shape \(4, 4\), got \(4, 3\)"),
    (lambda: with_bits(np.full((4, 4), 0.5)), r"sanitised\['c'\] must be of dtype uint8, got dtype\('float64'\)"),
    (lambda: with_bits(np.ones((4, 4), dtype=np.int64)), r"^sanitised\['c'\] must be of dtype uint8, got dtype\('int64'\)"),
    (lambda: with_bits([[1], [1, 0]]), r"^sanitised\['c'\] must be an array: entries of one length, got"),
    (lambda: with_bits(sparse.csr_array(np.full((4, 4), 2, dtype=np.uint8))), r"sanitised\['c'\] must be bits"),
    (lambda: with_bits(sparse.csr_array(np.ones((4, 4)))), r"sanitised\['c'\] must be of dtype"),
    (lambda: with_bits(sparse.csr_array(np.ones((3, 4), dtype=np.uint8))), r"sanitised\['c'\] must be of shape"),
    *((lambda f=f: design_matrix(FRAME[["a", "b"]], DOMAIN, form=f), r"frame must be a table with a column 'c', got \['a', 'b'\]") for f in ("dense", "csr")),
    *((lambda f=f: design_matrix(FRAME.assign(b=2), DOMAIN, form=f), r"b must be whole numbers in 0\.\.1.*, got 2") for f in ("dense", "csr")),
    *((lambda f=f: with_bits(np.full((4, 4), 3, dtype=np.uint8), form=f), r"sanitised\['c'\] must be bits, got 3") for f in ("dense", "csr")),
    (lambda: one_hot([[1], [1, 2]], 3), r"^values must be an array: entries of one length, got"),
    (lambda: posterior(GRR, np.eye(2), np.ones(3)), r"support must be of shape \(n, 3\), got"),
    (lambda: posterior(GRR, np.full((1, 3), 0.5), np.ones(3)), "support must be bits, 0 or 1, got 0.5"),
    (lambda: posterior(GRR, np.eye(3), np.ones(2)), r"prior must be of shape \(3,\), got"),
    *((lambda p=p: posterior(GRR, np.eye(3), p), "prior must be finite numbers >= 0") for p in ([1, -1, 2], [1, INF, 2])),
    *((lambda c=c: mutual_information(GRR, np.array(c)), "counts") for c in ([1, 2], [-1, 2, 3], [0, 0, 0], [0.5, 1, 2])),
    (lambda: mutual_information(make("SS", k=1000, epsilon=0.1), np.full(1000, 100)), "counts must take at most"),
    *((lambda c=c: entropy(c), r"^counts") for c in ([], [0, 0], [-1, 2], [NAN, 1], [INF, 1], [[1, 2]], 3)),
    (lambda: least_variance_split(1.0, "GRR", FREQUENCIES, "people"), "weighting"),
    (lambda: least_variance_split(0.0, "GRR", FREQUENCIES), "epsilon"),
    (lambda: total_variance([1.0, 1.0], "GRR", FREQUENCIES), "budgets"),
]
OF_HASHES = [
    (FIVE[:1], HASHES, r"seeds of reports must be of shape \(5,\), got \(1,\)"),
    (FIVE, np.full(5, 99), r"hashes of reports must be whole numbers in 0.*, got 99"),
    (FIVE, np.full(5, -1), r"hashes of reports must be whole numbers.*, got -1"),
    (FIVE, np.full(5, 0.5), r"hashes of reports must be whole numbers.*, got 0.5"),
    (FIVE, HASHES[:, None], "hashes of reports must be of one dimension, got"),
    (FIVE.astype(np.int64), HASHES, r"seeds of reports must be of dtype uint64, .*int64"),
    (FIVE[:, None], HASHES, r"seeds of reports must be .*, got \(5, 1\)"),
    (FIVE.tolist(), HASHES, r"seeds of reports must be of dtype uint64, .*int"),
]
OF_SUBSETS = [
    (np.ones((3, 10), dtype=np.uint8), r"shape \(n, 2\), got \(3, 10\)"),
    (np.array([[0, 1], [4, 4]]), r"2 different values, got \[4, 4\]"),
    (np.array([[0, 10]]), r"reports must be whole numbers in 0..9.*, got 10"),
    (np.array([[0, -1]]), r"reports must be whole numbers.*, got -1"),
    (np.array([[0, 0.5]]), r"reports must be whole numbers.*, got 0.5"),
]
# fmt: on


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_it_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize("name", ["BLH", "OLH"])
@pytest.mark.parametrize("read", ["support", "support_counts", "n_reports", "estimate"])
@pytest.mark.parametrize(("seeds", "hashes", "words"), OF_HASHES)
def test_what_is_no_hash_report_is_refused(name, read, seeds, hashes, words):
    with pytest.raises(ValueError, match=words):
        getattr(make(name, k=4, epsilon=1.0), read)(HashReports(seeds, hashes))


@pytest.mark.parametrize("read", ["support", "support_counts", "estimate"])
@pytest.mark.parametrize(("reports", "words"), OF_SUBSETS)
def test_what_is_no_subset_is_refused(read, reports, words):
    with pytest.raises(ValueError, match=words):
        getattr(SS(k=10, epsilon=1.0), read)(reports)


def test_a_share_that_is_too_small_is_told_in_terms_of_the_budget_that_was_given():
    """It was told as ``epsilon=1.99e-12``, which nobody had given."""
    words = (
        r"^epsilon must be larger, got 1e-09: the k-based split leaves 'b' \(of 2 values\) 1\.99e-12"
        r" of it, less than 1e-09"
    )
    wide, rng = Domain.of({"c": 1002, "b": 2}), stream(1, "x")
    with pytest.raises(ValueError, match=words):
        encoded(domain=wide, sensitive=("c", "b"), split="k-based", epsilon=1e-9, rng=rng)
    assert rng.random() == stream(1, "x").random()  # nothing was drawn
    words = r"^epsilon must be larger, got 1\.5e-09.* uniform split leaves attribute 0 \(of 2 values\) 7\.5e-10"
    with pytest.raises(ValueError, match=words):
        split_budget(1.5e-9, [2, 3], "uniform")
    assert split_budget(600, [7, 11], "uniform").sum() == 600
    assert split_budget(1e-9, [7], "k-based").tolist() == [1e-9]


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
