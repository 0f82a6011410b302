"""Cells across the papers: releases are what they say, a cell reruns alone, the clear half is
told and strangers are not.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pandas as pd
import pytest

from lib.datasets import load
from lib.dp import zcdp_rho
from studies.cross_paper import cells as across
from studies.cross_paper.releases import decoded, release_of

SMALL = 1200  # people


@pytest.fixture(scope="module")
def data():
    return load("nist", "replica")


@pytest.fixture(scope="module")
def table(data):
    frame = data.frame[list(across.COLUMNS)].iloc[:SMALL].reset_index(drop=True)
    return frame, data.task.domain.project(across.COLUMNS)


def _record(kind, **cell) -> dict:
    return across.run_cell(across.Cell(kind=kind, n=SMALL, **cell), load("nist", "replica"))


_known = cache(_record)  # of which each is run once


def _everyone(kind, **cell) -> pd.DataFrame:
    """The scores of everyone by reader."""
    rows = pd.DataFrame(_known(kind, **cell)["scores"])
    return rows[rows["group"] == "everyone"].set_index("reader")


def test_a_cell_alone_is_the_same_to_the_last_bit():
    linked, fresh = {"kind": "OUE linked", "epsilon": 1.0}, {"kind": "fresh", "run": 0}
    for cell in ({"kind": "MST", "by": "SEX", "epsilon": 1.0}, linked, fresh):
        first, again = _known(**cell), _record(**cell)
        assert list(first) == list(again)
        np.testing.assert_equal(first | {"fit_s": 0}, again | {"fit_s": 0})


def test_the_half_in_the_clear_is_told_and_a_fresh_half_is_not():
    clear = _everyone("clear")
    assert clear["distance"]["lookup"] > 0.5
    assert clear["distance"]["tracer"] > 0.5
    assert clear["error_in"].max() < 1e-12 < clear["error_out"].min()
    linked = _everyone("GRR linked", epsilon=0.1)  # these readers do not look at the target
    assert (linked["distance"] == clear["distance"])[["lookup", "tracer"]].all()
    fresh = pd.concat([_everyone("fresh", run=run) for run in range(4)])
    for reader in across.READERS:
        own = fresh.loc[reader]
        assert (own["distance"] > own["null_95"]).sum() <= 3, reader  # four: a chance of 6e-6
        assert own["distance"].mean() < 0.2


def _released(table, kind, size=SMALL, **cell) -> tuple[pd.DataFrame, float]:
    """The release of the first ``size`` people, and what it spent."""
    frame, domain = table
    return release_of(across.Cell(kind=kind, **cell), frame.iloc[:size], frame, domain)


def test_whole_rows_at_a_huge_budget_are_the_rows(table):
    frame, domain = table
    whole, _ = _released(table, "GRR whole", epsilon=400.0)
    assert whole.equals(frame)
    noisy, _ = _released(table, "GRR whole", epsilon=1.0)
    assert (noisy != frame).any().all()
    linked, _ = _released(table, "OUE linked", epsilon=1.0)
    assert linked[list(across.LENS)].equals(frame[list(across.LENS)])
    assert (linked[across.TARGET] != frame[across.TARGET]).any()
    for release in (whole, noisy, linked):
        domain.check(release)


def test_reports_are_decoded_to_a_value_they_support(rng):
    bits = rng.integers(0, 2, (4000, 5)).astype(np.uint8)
    bits[:1000] = 0
    values = decoded(bits, rng)
    assert bits[1000:][bits[1000:].any(axis=1)].shape[0] > 2500
    some = bits.any(axis=1)
    assert (bits[some, values[some]] == 1).all()
    shares = np.bincount(values[:1000], minlength=5) / 1000
    assert np.abs(shares - 0.2).max() < 5 * math.sqrt(0.16 / 1000)


def test_synthetic_releases_spend_their_budget_and_others_have_none(table):
    frame, domain = table
    assert _released(table, "clear", 600)[0].equals(frame.iloc[:600])
    assert len(_released(table, "fresh", 600)[0]) == SMALL // 2
    nobody, rho = _released(table, "nobody", 600)
    assert math.isnan(rho)
    release, rho = _released(table, "MST", by="SEX", epsilon=1.0)
    assert rho == pytest.approx(zcdp_rho(1.0, 1e-9))
    assert release.shape == frame.shape
    for made in (nobody, release):
        domain.check(made)
