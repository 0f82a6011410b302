"""Our attacks and errors of counts beside the stored numbers of Anonymeter and SDMetrics."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from benchmarks.attack_peers import PEOPLE, RESULT, ours, plan
from lib.datasets import load
from tests.conftest import FALSE_ALARM

pytestmark = pytest.mark.thorough("people, releases and attacks as `make peers` makes them")


@pytest.fixture(scope="module")
def rows(tmp_path_factory) -> pd.DataFrame:
    if load("adult").is_replica:
        pytest.skip("the comparison needs the real data")
    folder = tmp_path_factory.mktemp("peers")
    plan(folder)
    found = pd.DataFrame(ours(folder)).set_index(["release", "measure"])
    theirs = pd.read_csv(RESULT).set_index(["release", "measure"])
    return theirs.drop(columns=found.columns).join(found)


def test_errors_of_counts_are_sdmetrics(rows):
    counts = rows[rows.index.get_level_values("measure").str.startswith("counts")]
    assert len(counts) == 6
    assert counts["ours"].to_numpy() == pytest.approx(counts["theirs"].to_numpy(), abs=1e-6)


@pytest.mark.parametrize("measure", ["inference", "linkability"])
def test_rates_of_attacks_are_anonymeters(rows, measure):
    """Theirs are of everybody, ours of 500 on a side; ties of rows alike are broken otherwise."""
    for release in ("good", "leaky", "useless"):
        row = rows.loc[(release, measure)]
        for side in ("inside", "outside"):
            tried, rate = row["tried"], row[f"their {side}"]
            assert tried == PEOPLE
            spread = np.sqrt((rate + 0.01) * (1 - rate) * (1 / row["attacked"] - 1 / PEOPLE))
            far = abs(row[side] - rate) / spread
            assert 2 * norm.sf(far) > FALSE_ALARM, (release, side)


def test_what_leaks_is_told_from_what_does_not(rows):
    """At the same rows, both find linkability in the leaky release alone."""
    link = rows.xs("linkability", level="measure")
    assert (link["risk low"] > 0).to_dict() == {"good": False, "leaky": True, "useless": False}
    assert link["ours"].idxmax() == "leaky"
