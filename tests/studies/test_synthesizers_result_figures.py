"""Figures of the synthesizer rerun: drawn from made-up scores, each with an alternative text
that has its numbers.
"""

from __future__ import annotations

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from lib.plotting.tallies import tallies
from lib.studies.synthesizers.figures.results import (
    COLOURS,
    against_epsilon,
    front,
    groups_by_size,
    two_protocols,
)

EPSILONS = (0.01, 1.0, 5.0)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def cells() -> pd.DataFrame:
    rows = [
        {
            "dataset": "nist",
            "synthesizer": s,
            "by": by,
            "epsilon": e,
            "small": "keep",
            "run": run,
            "parity": 1 / (1 + e) + 0.01 * run,
        }
        for s, by, e, run in product(("MST", "AIM", "GEM"), COLOURS, EPSILONS, range(3))
    ]
    rows += [
        {
            "dataset": "nist",
            "synthesizer": "bootstrap",
            "by": "vanilla",
            "epsilon": np.inf,
            "small": "keep",
            "run": r,
            "parity": 0.02,
        }
        for r in range(3)
    ]
    return pd.DataFrame(rows)


def test_a_panel_a_synthesizer_with_baselines_across(cells):
    fig, alt = against_epsilon(cells, "parity", "parity error", floors=("bootstrap",))
    assert [ax.get_title(loc="left") or ax.get_title() for ax in fig.axes] == ["MST", "AIM", "GEM"]
    assert all(len(ax.containers) == len(COLOURS) for ax in fig.axes)
    assert all(any(np.allclose(line.get_ydata(), 0.02) for line in ax.lines) for ax in fig.axes)
    assert "AIM by sex from 1 to 0.177" in alt


def test_shares_keep_their_range(cells):
    wild = cells.assign(parity=np.where(cells["run"] == 0, 0.0, 0.99))
    fig, _ = against_epsilon(wild, "parity", "share", floors=(), share=True)
    ends = np.concatenate(
        [
            np.asarray(s)[:, 1]
            for ax in fig.axes
            for c in ax.containers
            for s in c[2][0].get_segments()
        ]
    )
    assert ends.min() >= 0
    assert ends.max() <= 1 + 1e-12
    assert fig.axes[0].get_ylim() == (0, 1)


def test_the_front_joins_what_nothing_beats():
    frame = pd.DataFrame(
        [
            ("MST", "vanilla", 1.0, 1.0, 3.0),
            ("AIM", "SEX", 1.0, 2.0, 1.0),
            ("GEM", "RAC1P", 1.0, 2.5, 3.5),
        ],
        columns=["synthesizer", "by", "epsilon", "x", "y"],
    )
    fig, alt = front(frame, "x", "y", "x", "y")
    assert fig.axes[0].lines[0].get_xdata().tolist() == [1.0, 2.0]
    assert "MST plain, AIM by sex." in alt


def test_groups_protocols_and_tallies(cells):
    groups = pd.DataFrame({"by": "vanilla", "people": [100, 10], "mean": [0.2, 0.9]})
    groups = groups.assign(low=groups["mean"] - 0.1, high=groups["mean"] + 0.1)
    assert (
        "plain: 0.20 for the largest group, 0.90 for the smallest"
        in groups_by_size(groups, {"vanilla": "plain"}, "people", "error")[1]
    )
    fig, alt = two_protocols({"seen": cells, "held-out": cells}, "parity", "parity", "MST")
    assert len(fig.axes) == 2
    assert "held-out, by sex × race" in alt
    fig, alt = tallies({"A": {"reproduced": 3, "not run": 1}, "B": {"not reproduced": 2}})
    assert "A: 3 reproduced, 1 not run; B: 2 not reproduced" in alt
    assert sum(p.get_width() for p in fig.axes[0].patches) == 6
