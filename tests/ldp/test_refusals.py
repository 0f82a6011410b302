"""What the local protocols refuse before any work: each by name, with what is allowed."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from lib.domain import Domain
from lib.ldp import PROTOCOLS, SS, THE, make, sanitise
from lib.ldp.grr import randomised_response
from lib.ldp.histogram import optimal_theta, threshold_variance
from lib.ldp.local_hashing import hash_values
from lib.rng import stream

NO_GENERATORS = [7, None, np.random.RandomState(1), np.random.default_rng]
SEEDS = np.arange(3, dtype=np.uint64)


@pytest.mark.parametrize("rng", NO_GENERATORS)
@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("values", [[0, 1], []])
def test_only_a_generator_draws(name, rng, values):
    mechanism = make(name, k=4, epsilon=1.0)
    for draw in (mechanism.privatise, mechanism.privatise_support):
        with pytest.raises(ValueError, match=r"^rng must be a numpy\.random\.Generator, got"):
            draw(np.array(values, dtype=int), rng)


@pytest.mark.parametrize("rng", NO_GENERATORS)
def test_only_a_generator_draws_elsewhere(rng):
    frame, domain = pd.DataFrame({"a": [0, 1]}), Domain.of({"a": 2})
    for draw in (
        lambda: sanitise(
            frame, domain, ["a"], protocol="GRR", split="uniform", epsilon=1.0, rng=rng
        ),
        lambda: THE(k=4, epsilon=1.0).histogram(np.array([1]), rng),
        lambda: randomised_response(np.array([1]), 4, 0.5, rng),
    ):
        with pytest.raises(ValueError, match=r"^rng must be"):
            draw()


@pytest.mark.parametrize("epsilon", [-1.0, 0.0, math.nan, math.inf, 1e-10, 601, "1"])
def test_the_threshold_has_the_protocols_range_of_budgets(epsilon):
    for call in (optimal_theta, lambda e: threshold_variance(0.7, e)):
        with pytest.raises(ValueError, match=r"^epsilon must be a number >= 1e-09 and <= 600, got"):
            call(epsilon)
    with pytest.raises(ValueError, match=r"^theta_range must be one of .*, got 'wide'"):
        optimal_theta(1.0, "wide")


@pytest.mark.parametrize("theta", [-0.1, 1.1, math.nan, "0.7"])
def test_a_threshold_lies_between_the_two_entries(theta):
    with pytest.raises(ValueError, match=r"^theta must be a number in \[0, 1\], got"):
        threshold_variance(theta, 1.0)


@pytest.mark.parametrize("epsilon", [1e-9, 600])
def test_the_threshold_is_found_at_the_ends(epsilon):
    assert 0.5 < optimal_theta(epsilon) < 1
    assert 0 < threshold_variance(1.0, epsilon) < math.inf
    assert 0 < threshold_variance(0.0, epsilon) < math.inf


@pytest.mark.parametrize(
    ("seeds", "values", "g", "words"),
    [
        (SEEDS, [-1], 3, r"^values must be whole numbers.*, got -1 "),
        (SEEDS, [0.5], 3, r"^values must be whole numbers.*, got 0.5 "),
        (SEEDS, [math.nan], 3, r"^values must be whole numbers.*, got nan "),
        (SEEDS, ["a"], 3, r"^values must be whole numbers.*, got 'a' "),
        (
            SEEDS,
            [0, 1],
            3,
            r"^values must be of a shape that broadcasts with .*seeds \(3,\).*, got \(2,\)",
        ),
        (SEEDS.astype(np.int64), [1], 3, r"^seeds must be of dtype uint64, got .*int64"),
        ([1, 2], [1], 3, r"^seeds must be of dtype uint64, got .*int"),
        (SEEDS, [1], 0, r"^g must be .*, got 0$"),
        (SEEDS, [1], 2.5, r"^g must be .*, got 2.5$"),
        (SEEDS, [1], 2**63 + 1, r"^g must be .*, got 9"),
    ],
)
def test_what_cannot_be_hashed_is_named(seeds, values, g, words):
    with pytest.raises(ValueError, match=words):
        hash_values(seeds, values, g)


def test_hashes_broadcast():
    table = hash_values(SEEDS[:, None], np.arange(5), 7)
    assert table.shape == (3, 5)
    assert table.dtype == np.int64
    assert table[1, 4] == hash_values(SEEDS[1:2], [4.0], 7)[0]
    assert not hash_values(SEEDS, [3], 1).any()


@pytest.mark.parametrize(
    ("values", "k", "p", "words"),
    [
        ([4], 4, 0.5, r"^values must be whole numbers.*, got 4 "),
        ([[1]], 4, 0.5, r"^values must be of one dimension, got"),
        ([0], 1, 0.5, r"^k must be .*, got 1$"),
        ([0], 2**64, 0.5, r"^k must be .*, got 18446744073709551616$"),
        ([0], 4, 1.5, r"^p must be .*, got 1.5$"),
        ([0], 4, math.nan, r"^p must be .*, got nan$"),
    ],
)
def test_randomised_response_names_what_it_refuses(values, k, p, words):
    with pytest.raises(ValueError, match=words):
        randomised_response(np.array(values), k, p, stream(1, "x"))


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


@pytest.mark.parametrize(
    ("name", "option", "words"),
    [
        ("GRR", {"g_rule": "floor"}, "^options of GRR must be among none, got g_rule='floor'"),
        (
            "SS",
            {"theta_range": "paper"},
            "^options of SS must be among omega_rule, got theta_range='paper'",
        ),
        ("OLH", {"omega_rule": "up"}, "^options of OLH must be among g_rule, got omega_rule='up'"),
        ("OLH", {"g_rule": "up"}, r"^g_rule must be one of .*, got 'up'"),
        ("lib.ldp.histogram:THE", {"g": 2}, "^options of THE must be among theta_range, got g=2"),
    ],
)
def test_an_option_of_another_protocol_is_named(name, option, words):
    with pytest.raises(ValueError, match=words):
        make(name, k=4, epsilon=1.0, **option)


class Anything(THE):
    """A protocol that passes on what it is given."""

    def __init__(self, **options) -> None:
        super().__init__(**options)


def test_options_reach_a_protocol_of_ones_own():
    made = make(f"{__name__}:Anything", k=4, epsilon=1.0, theta_range="published")
    assert made.theta == THE(k=4, epsilon=1.0, theta_range="published").theta


RAGGED, MASKED = [[1], [1, 2]], np.ma.array([0, 1, 2], mask=[0, 1, 0])


@pytest.mark.parametrize("name", PROTOCOLS)
def test_what_is_no_report_is_named(name):
    mechanism = make(name, k=4, epsilon=1.0)
    for bad in (
        None,
        5,
        np.float64(3),
        (i for i in range(3)),
        RAGGED,
        MASKED,
        "ab",
        np.ma.array(np.zeros((3, 4), int), mask=True),
    ):
        for read in (mechanism.estimate, mechanism.support, mechanism.support_counts):
            with pytest.raises(ValueError, match=r"^reports"):
                read(bad)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_rows_that_differ_and_masked_codes_are_no_values(name):
    mechanism = make(name, k=4, epsilon=1.0)
    for draw in (mechanism.privatise, mechanism.privatise_support):
        for bad, words in (
            (RAGGED, r"^values must be an array: entries of one length, got"),
            (MASKED, r"^values must have no masked entries, got 1 of them"),
        ):
            with pytest.raises(ValueError, match=words):
                draw(bad, stream(1, "x"))


@pytest.mark.parametrize("name", PROTOCOLS)
def test_numbers_that_no_float_holds_are_named(name):
    for k in (10**400, 2**63 + 1):
        with pytest.raises(
            ValueError, match=r"^k must be an integer >= 2 and <= 9223372036854775808, got"
        ):
            make(name, k=k, epsilon=1.0)
    mechanism = make(name, k=4, epsilon=1.0)
    with pytest.raises(
        ValueError, match=r"^n must be an integer >= 1 and <= 9223372036854775808, got"
    ):
        mechanism.variance(10**400)
    for frequency in (1j, "0.5", RAGGED, np.ma.array([0.5, 0.1], mask=[0, 1]), None, 1.5):
        with pytest.raises(ValueError, match=r"^frequency"):
            mechanism.variance(10, frequency)
    assert mechanism.variance(10, frequency=[0, 1]).shape == (2,)
