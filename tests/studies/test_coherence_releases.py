"""The noisy table of counts: exact at infinite epsilon, private at every other, and its readers."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pandas as pd
from scipy import stats

from lib.coherence.experiment import Setup, demcoh
from lib.groups import EVERYONE
from lib.rng import stream
from studies.coherence.releases import Attacker, Histogram
from tests.conftest import FALSE_ALARM

SETUP = Setup(target="b", lens=("a", "b"), null_draws=1)
ALL = {EVERYONE: np.ones(600, dtype=bool)}


def _table(n=600):
    rng = stream(4, "release table")
    return pd.DataFrame({"a": rng.integers(0, 3, n), "b": rng.integers(0, 2, n)})


def _histogram(epsilon=1.0):
    return Histogram(columns=("a", "b"), sizes=(3, 2), epsilon=epsilon)


def test_exact_counts_at_infinite_epsilon(rng):
    frame, h = _table(), _histogram(math.inf)
    assert h.release(frame, rng).tolist() == frame.groupby(["a", "b"]).size().tolist()
    assert h.cells == 6


def test_noise_has_the_scale_that_replacing_a_record_asks_for(rng):
    frame, h = _table(), _histogram(0.5)
    noise = np.concatenate([h.release(frame, rng) - h.counts(frame) for _ in range(2000)])
    assert stats.kstest(noise, stats.laplace(scale=4).cdf).pvalue > FALSE_ALARM
    changed = frame.copy()
    changed.iloc[0] = [2 - changed["a"].iloc[0], 1 - changed["b"].iloc[0]]
    moved = np.abs(h.counts(frame) - h.counts(changed)).sum()
    # 2 x epsilon / 2: the log-likelihoods of any report differ by at most epsilon
    assert moved <= 2


def test_rows_follow_the_counts(rng):
    frame, h = _table(), _histogram(math.inf)
    drawn = h.rows(h.counts(frame).astype(float), 30_000, rng)
    expected = h.counts(frame) / len(frame) * 30_000
    assert stats.chisquare(h.counts(drawn), expected).pvalue > FALSE_ALARM
    assert len(h.rows(np.full(6, -1.0), 10, rng)) == 10


def test_the_informed_reader_is_right_about_exact_counts():
    """Of cells of two people it knows those whose people were both drawn, or both left."""
    frame = pd.DataFrame({"a": np.repeat(np.arange(300), 2), "b": 0})
    h = Histogram(columns=("a", "b"), sizes=(300, 2), epsilon=math.inf)
    frame["b"] = (np.arange(600) % 7 == 0).astype(int)
    informed = Attacker(h, "informed", h.counts(frame))
    quiet = Attacker(dataclasses.replace(h, epsilon=0.01), "informed", h.counts(frame))
    far, near = (
        demcoh(frame, ALL, reader, SETUP, splits=3, seed=1, progress=False).rows["distance"]
        for reader in (informed, quiet)
    )
    assert near.max() < 0.4 < 0.8 < far.min()
