"""The chances of rules against simulations, and shares of cases over runs that are drawn again."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from lib.ledger.rules import Evidence
from lib.rng import stream
from studies.measures import DRAWS, share_of_cases, share_of_draws
from studies.verdicts.power import chances


@pytest.mark.parametrize("printed_unit", [0.3, 0.6, 1.0])
def test_the_chance_of_a_printed_mean_is_that_of_a_simulation(printed_unit):
    """Ours and the paper's are means of 25 runs of spread 1, so of standard error .2."""
    rng = stream(3, "power of near")
    slack = {"target": 0.0, "tolerance": printed_unit}

    def passes(shift: float, count: int = 4000) -> float:
        ours = rng.normal(shift, 1, (count, 25))
        paper = rng.normal(0, 0.2, count)
        half = stats.t.ppf(0.975, 24) * ours.std(axis=1, ddof=1) / 5
        return float((np.abs(ours.mean(axis=1) - paper) + half <= printed_unit).mean())

    typical = Evidence(0.0, -0.4128, 0.4128, runs=25, reference=1.0)
    right, wrong = chances("near", typical, slack)
    assert right == pytest.approx(passes(0.0), abs=0.06)
    assert wrong == pytest.approx(passes(1.0), abs=0.06)


def test_a_number_that_cannot_pass_is_seen_and_its_replacement_can():
    """1.561 with half an interval of .0053: one unit of the last decimal has no chance."""
    found = Evidence(1.56108, 1.55578, 1.56638, runs=100, reference=0.04)
    assert chances("near", found, {"target": 1.561, "tolerance": 0.001})[0] == 0
    right, wrong = chances("agrees", found, {"target": 1.561, "tolerance": 0.001, "runs": 100})
    assert right > 0.95
    assert wrong < 1e-6


@pytest.mark.parametrize(
    ("rule", "found", "tolerance"),
    [
        ("within", Evidence(0.001, -0.002, 0.004, runs=20), {"margin": 0.01}),
        ("returns", Evidence(0.001, -0.002, 0.004, runs=20, reference=0.3), {"margin": 0.01}),
        ("positive", Evidence(0.1, 0.07, 0.13, runs=20), {}),
        ("at_least", Evidence(0.99, 0.97, 1.0, runs=400), {"threshold": 0.75}),
    ],
)
def test_a_clear_row_passes_if_the_paper_is_right_and_else_fails(rule, found, tolerance):
    right, wrong = chances(rule, found, tolerance)
    assert right > 0.95
    assert wrong <= 0.05


def test_exact_evidence_always_and_never_passes():
    for rule, slack in (("true", {}), ("near", {"target": 1.0, "tolerance": 0.1})):
        assert chances(rule, Evidence(1.0), slack) == (1.0, 0.0)
    unknown = chances("near", Evidence(1.0, runs=1), {"target": 1.0, "tolerance": 0.1})
    checked = chances("true", Evidence(1.0, runs=5), {})
    assert all(map(math.isnan, (*unknown, *checked)))


def test_cases_that_all_hold_clearly_have_no_doubt():
    rng = stream(1, "clear cases")
    found = share_of_cases(5 + rng.normal(size=(40, 20)), lambda means: means > 0)
    assert (found.value, found.low, found.high, found.runs) == (1, 1, 1, 20)
    right, wrong = chances("at_least", found, {"threshold": 0.95})
    assert (right, wrong) == (1.0, 0.0)


def test_the_interval_of_a_share_is_that_of_its_runs_and_has_the_share():
    """Many cases follow one noise: the runs decide them together, so the interval is wide."""
    rng = stream(2, "one noise")
    together = np.tile(rng.normal(size=(1, 20)), (500, 1)) + 0.05
    found = share_of_cases(together, lambda means: means > 0)
    assert (found.low, found.high) == (0, 1)
    alone = share_of_cases(rng.normal(size=(500, 20)), lambda means: means > 0)
    assert alone.high - alone.low < 0.2
    assert alone.low <= alone.value <= alone.high
    assert share_of_cases(together[:, :1], lambda means: means > 0).low != 0  # one run: none


def test_parts_are_compared_run_by_run_and_gaps_are_left_out():
    rng = stream(3, "parts")
    noise = 10 * rng.normal(size=(30, 1, 20))
    pairs = noise + np.array([0.0, 1.0])[None, :, None] + 0.1 * rng.normal(size=(30, 2, 20))
    pairs[0] = np.nan  # a case without runs
    pairs[1, :, :3] = np.nan  # one that lacks some
    found = share_of_cases(pairs, lambda means: means[..., 1] > means[..., 0], ratio=0.25)
    assert (found.value, found.low) == (1, 1)
    assert found.overlap[:2] == (1, 1)


def test_the_draws_are_the_same_each_time():
    x = stream(4, "again").normal(size=(50, 5))
    one, other = (share_of_cases(x, lambda means: means > 0) for _ in range(2))
    assert one == other
    jittered = share_of_cases(x * (1 + 1e-13), lambda means: means > 0)
    assert (jittered.low, jittered.resampled) == (one.low, one.resampled)
    assert DRAWS >= 1000


def test_one_column_has_no_interval():
    assert share_of_draws(np.array([[1.0], [0.0]])) == {"value": 0.5}
