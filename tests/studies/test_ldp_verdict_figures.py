"""The figures of the verdicts draw the numbers of the table and name them in their alternative
text.
"""

from __future__ import annotations

import math
import re

import pandas as pd
import pytest

from lib.ldp import PROTOCOLS
from lib.rng import stream
from studies.ldp_fairness.figures import verdicts


@pytest.fixture
def table() -> pd.DataFrame:
    """LDP lowers group 1's rate by 0.3 and leaves group 0; k-based gains 0.1; BLH is the least
    accurate.
    """
    rng, rows = stream(2, "plots of verdicts"), []
    for dataset in ("adult", "lsac"):
        for run in range(4):
            common = {"dataset": dataset, "run": run}
            rows.append(
                common
                | {
                    "protocol": "NonDP",
                    "split": "none",
                    "epsilon": math.nan,
                    "acc": 0.9,
                    "tpr_0": 0.4,
                    "tpr_1": 0.8,
                }
            )
            for protocol in PROTOCOLS:
                for split in ("uniform", "k-based"):
                    for epsilon in (0.25, 50.0):
                        acc = (
                            0.7
                            + 0.1 * (split == "k-based")
                            - 0.2 * (protocol == "BLH")
                            + 1e-3 * rng.random()
                        )
                        rows.append(
                            common
                            | {
                                "protocol": protocol,
                                "split": split,
                                "epsilon": epsilon,
                                "acc": acc,
                                "tpr_0": 0.4,
                                "tpr_1": 0.5 + 1e-3 * rng.random(),
                            }
                        )
    return pd.DataFrame(rows)


def test_who_moves_shows_the_change_of_each_group(table):
    fig, alt = verdicts.who_moves(table, 0.25, {"adult": ("women", "men")}, "tpr")
    assert "true positive rate of each group" in alt
    assert "women: 0.400, changes by +0.000" in alt
    assert re.search(r"men: 0\.800, changes by -0\.(299|300)", alt)
    assert {"40% → 40%", "80% → 50%"} <= {text.get_text() for text in fig.axes[0].texts}


def test_split_gains_have_the_sign_of_k_based_minus_uniform(table):
    titles = {"adult": "Adult", "lsac": "LSAC"}
    fig, alt = verdicts.split_gains(table, titles, {"utility": table["acc"]})
    assert "utility, Adult: from +0.100 to +0.100" in alt
    assert len(fig.axes) == 1
    assert {text.get_text() for text in fig.axes[0].texts} == set(titles.values())


def test_the_trade_off_ranks_one_as_the_best(table):
    titles = {"adult": "Adult", "lsac": "LSAC"}
    scores = {"utility": {"acc": table["acc"]}, "fairness": {"other": -table["acc"]}}
    fig, alt = verdicts.trade_off(table, titles, scores)
    assert re.search(r"Adult, by utility: best \w+, worst BLH", alt)
    assert "LSAC, by fairness: best BLH" in alt
    assert len(fig.axes) == 4
    assert fig.axes[0].get_xlim() == (7.5, 0.5)  # best on the right


def test_one_run_draws_points_without_intervals(table):
    one = table[table["run"] == 0]
    verdicts.who_moves(one, 0.25, {"adult": ("women", "men")}, "tpr")
    verdicts.split_gains(one, {"adult": "Adult"}, {"utility": one["acc"]})
    fig, _ = verdicts.trade_off(one, {"adult": "a", "lsac": "b"}, {"utility": {"acc": one["acc"]}})
    assert len(fig.axes[0].containers) == len(PROTOCOLS)
