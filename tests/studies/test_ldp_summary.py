"""The summaries of the LDP grids on tables worked by hand: pairing, distances, tallies."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from studies.ldp_fairness import summary as ldp


def _table() -> pd.DataFrame:
    rows = [("NonDP", "none", math.nan, run, 0.5 + 0.1 * run) for run in range(3)]
    rows += [("GRR", "uniform", 1.0, run, 0.7 + 0.1 * run) for run in range(4)]
    columns = ["protocol", "split", "epsilon", "run", "DI"]
    return pd.DataFrame(rows, columns=columns).assign(dataset="lsac")


def test_pairing_takes_out_what_runs_share():
    assert ldp.baseline(_table(), "DI")[["mean", "runs"]].iloc[0].tolist() == pytest.approx(
        [0.6, 3]
    )
    row = ldp.paired(_table(), "DI").iloc[0]
    assert (row["mean"], row["low"], row["high"], row["runs"]) == (pytest.approx(0.2),) * 3 + (3,)
    spread = ldp.curves(_table(), "DI").iloc[0]
    assert spread["runs"] == 4
    assert spread["high"] - spread["low"] > 0.1


def test_the_distance_from_the_fair_value_comes_before_the_difference():
    found = ldp.differences(_table(), "DI", fair=1.0)
    assert found["difference"].tolist() == pytest.approx([-0.2] * 3)


def test_the_distance_of_a_cell_is_that_of_its_mean(rng):
    """Of runs on both sides of the fair value, it is not the mean of their sizes."""
    table = _table().assign(DI=1 + rng.normal(0.01, 0.1, len(_table())))
    found, by = ldp.distance(table, "DI", 1.0).groupby(table["protocol"]).mean(), table["protocol"]
    mean = (table["DI"].groupby(by).mean() - 1).abs()
    assert found.to_dict() == pytest.approx(mean.to_dict())
    assert (found <= (table["DI"] - 1).abs().groupby(by).mean()).all()


def test_a_mean_of_last_bits_is_on_no_side():
    """Gaps of 0.1, 0.2 and -0.3 have the mean 0, and a sum of 6e-17."""
    gaps = [0.1, 0.2, -0.3]
    table = _table().iloc[3:6].assign(DI=gaps)
    assert table["DI"].mean() > 0
    assert ldp.distance(table, "DI", 0.0).tolist() == [0.0, 0.0, 0.0]
    same = pd.DataFrame({"dataset": ["adult"], "split": "uniform", "mean": 1e-17, "low": 1e-17})
    assert ldp.tally(same.assign(high=1e-17), better=1)["unclear"].tolist() == [1]
    changes = same.assign(high=1e-17, grid=["a"], metric="DI")
    assert ldp.agreement(changes) == {"same": 0, "opposite": 0, "unclear": 1}


def test_two_grids_side_by_side_agree_where_both_are_clear():
    up, down = _table(), _table().assign(DI=lambda f: f.DI.where(f.protocol == "NonDP", f.DI - 0.5))
    down.loc[down.run == 0, "DI"] += 0.001  # some spread, so that the interval is one
    changes = ldp.side_by_side({"up": up, "down": down}, {"DI": None}).set_index("grid")
    assert changes.loc["up", "mean"] == pytest.approx(0.2)
    assert changes.loc["down", "mean"] == pytest.approx(-0.3)
    assert ldp.agreement(changes.reset_index()) == {"same": 0, "opposite": 1, "unclear": 0}
    one = {"a": up, "b": up[up.run == 0]}  # one run has no interval: nothing is clear
    found = ldp.agreement(ldp.side_by_side(one, {"DI": None}))
    assert found == {"same": 0, "opposite": 0, "unclear": 1}


@pytest.mark.parametrize(
    ("better", "counts"), [(1, [[4, 2, 1, 1], [2, 0, 1, 1]]), (-1, [[4, 1, 2, 1], [2, 1, 0, 1]])]
)
def test_a_cell_is_better_or_worse_only_if_its_interval_leaves_out_zero(better, counts):
    ends = [(0.1, 0.3), (0.2, 0.5), (-0.3, -0.1), (-0.1, 0.3), (-0.4, -0.2), (math.nan, math.nan)]
    summary = pd.DataFrame(ends, columns=["low", "high"]).assign(
        mean=0.1, dataset=["adult"] * 4 + ["lsac"] * 2, split="uniform"
    )
    found = ldp.tally(summary, better=better)
    assert found["dataset"].tolist() == ["adult", "lsac"]
    assert found[["cells", "better", "worse", "unclear"]].to_numpy().tolist() == counts


def test_pooling_averages_the_cells_of_a_run_and_leaves_out_runs_that_are_not_whole():
    """Differences .1 and .3, .2 and .4, and in a run that lacks a cell 1: .2 and .3 count."""
    rows = [("NonDP", run, 0.5) for run in range(3)]
    rows += [("GRR", 0, 0.6), ("OUE", 0, 0.8), ("GRR", 1, 0.7), ("OUE", 1, 0.9), ("GRR", 2, 1.5)]
    table = pd.DataFrame(rows, columns=["protocol", "run", "DI"]).assign(
        dataset="lsac",
        split="uniform",
        epsilon=lambda f: np.where(f["protocol"] == "NonDP", math.nan, 1.0),
    )
    row = ldp.pooled(table, "DI", ["dataset"]).iloc[0]
    assert (row["mean"], row["runs"]) == (pytest.approx(0.25), 2)
    half = stats.t.ppf(0.975, 1) * 0.05  # standard error of .2 and .3
    assert (row["low"], row["high"]) == (pytest.approx(0.25 - half), pytest.approx(0.25 + half))
    by_protocol = ldp.pooled(table, "DI", ["protocol"]).set_index("protocol")
    # one cell a run is whole
    assert by_protocol["mean"].to_dict() == pytest.approx({"GRR": 1.3 / 3, "OUE": 0.35})
