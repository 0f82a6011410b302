"""Figures draw what is in the table, say so in their alternative text, and refuse what they
cannot draw.
"""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from lib.ldp import PROTOCOLS
from lib.rng import stream
from lib.stats.summary import mean_interval
from lib.studies.ldp_fairness.figures import metrics as ldp


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture
def table() -> pd.DataFrame:
    rng, rows = stream(1, "plots"), []
    for run in range(3):
        for protocol, split, epsilon in [("NonDP", "none", math.nan)] + [
            (p, s, e) for p in PROTOCOLS for s in ("uniform", "k-based") for e in (0.5, 1.0, 50.0)
        ]:
            rates = {f"{r}_{g}": rng.random() for r in ("positive_rate", "tpr") for g in (0, 1)}
            rows.append(
                {
                    "dataset": "lsac",
                    "protocol": protocol,
                    "split": split,
                    "epsilon": epsilon,
                    "run": run,
                    "DI": 0.5 + 0.1 * rng.random(),
                    "epsilon_protected": 0.25 * epsilon,
                }
                | rates
            )
    frame = pd.DataFrame(rows)
    frame.loc[
        (frame["protocol"] == "BLH") & (frame["epsilon"] == 0.5) & (frame["split"] == "k-based"),
        "DI",
    ] = 0.9
    return frame


def test_curves_are_as_many_as_in_the_table_and_the_extreme_is_named(table):
    fig, alt = ldp.metric_curves(table, "lsac", ["DI"])
    for ax in fig.axes:
        assert len(ax.containers) == len(PROTOCOLS)
    assert "to 0.900 (BLH, k-based, epsilon 0.5)" in alt
    assert "NonDP" in alt


def test_one_run_draws_without_intervals(table):
    fig, _ = ldp.metric_curves(table[table["run"] == 0], "lsac", ["DI"])
    assert len(fig.axes[0].containers) == len(PROTOCOLS)


def test_group_rates_share_their_scale_and_stay_rates(table):
    far = table.assign(tpr_0=0.02 + 0.01 * table["tpr_0"], tpr_1=0.9 + 0.1 * table["tpr_1"])
    fig, alt = ldp.group_rates(far, "lsac", ["tpr"], "uniform")
    (low_0, high_0), (low_1, high_1) = (ax.get_ylim() for ax in fig.axes)
    assert high_0 - low_0 == pytest.approx(high_1 - low_1)
    assert high_0 < low_1  # each around its own level
    assert low_0 > -0.03
    assert high_1 < 1.03
    assert "true positive rate of group 0" in alt


def test_the_frame_holds_intervals_but_not_those_of_two_runs():
    rows = pd.DataFrame({"mean": [0.1, 0.2], "low": [0.05, 0.15], "high": [0.15, 0.25]})
    low, high = ldp._limits(rows)
    assert low < 0.05
    assert high > 0.25
    low, high = ldp._limits(rows.assign(low=-9.0, high=9.0))
    assert -0.1 < low < 0.05
    assert 0.25 < high < 0.4


def test_the_map_marks_cells_that_are_not_clear(table):
    fig, alt = ldp.difference_map(table, "lsac", "DI", label="DI minus NonDP")
    assert "in " in alt
    assert "%" in alt
    assert fig.axes[0].images[0].get_array().shape == (len(PROTOCOLS), 3)


def test_the_protected_budget_is_told(table):
    _, alt = ldp.budget_of_protected(table, "lsac", "DI")
    assert "25.0% of epsilon under the uniform split" in alt
    assert "k-based from 0.5" in alt


def _title(ax) -> str:
    """Wherever the style in force puts it: the book's is at the left."""
    return "".join(ax.get_title(where) for where in ("left", "center", "right"))


def test_each_mean_of_the_protected_budget_has_its_interval(table):
    fig, _ = ldp.budget_of_protected(table, "lsac", "DI")
    assert [_title(ax) for ax in fig.axes] == list(PROTOCOLS)
    for name, ax in zip(PROTOCOLS, fig.axes, strict=True):
        assert len(ax.containers) == 2  # one curve a split
        for split, curve in zip(("uniform", "k-based"), ax.containers, strict=True):
            line, _, (bars,) = curve.lines
            assert line.get_xdata().tolist() == [0.125, 0.25, 12.5]
            own = table[
                (table["protocol"] == name) & (table["split"] == split) & (table["epsilon"] == 1.0)
            ]["DI"]
            mean, low, high = mean_interval(own)
            assert line.get_ydata()[1] == pytest.approx(mean)
            assert bars.get_segments()[1][:, 1] == pytest.approx([low, high])


def test_the_protected_budget_of_one_run_or_of_a_protocol_of_ones_own_is_drawn(table):
    fig, _ = ldp.budget_of_protected(table[table["run"] == 0], "lsac", "DI")
    assert len(fig.axes) == len(PROTOCOLS)
    own = table[table["protocol"] == "GRR"].assign(protocol="module:Own")
    fig, _ = ldp.budget_of_protected(pd.concat([table, own]), "lsac", "DI")
    assert _title(fig.axes[-1]) == "Own"
    assert len(fig.axes) == len(PROTOCOLS) + 1


def test_what_is_not_there_is_named(table):
    with pytest.raises(ValueError, match=r"dataset.*'adult'"):
        ldp.metric_curves(table, "adult", ["DI"])
    with pytest.raises(ValueError, match=r"metric must be .*, got 'SPD'"):
        ldp.metric_curves(table, "lsac", ["SPD"])
