"""Shares of cases over runs that are drawn again."""

from __future__ import annotations

import numpy as np

from lib.rng import stream
from studies.measures import share_of_cases


def test_cases_that_all_hold_clearly_have_no_doubt():
    rng = stream(1, "clear cases")
    found = share_of_cases(5 + rng.normal(size=(40, 20)), lambda means: means > 0)
    assert (found.value, found.low, found.high, found.runs) == (1, 1, 1, 20)


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
