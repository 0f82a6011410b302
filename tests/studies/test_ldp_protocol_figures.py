"""What the pictures of the protocols say in words."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from lib.ldp import PROTOCOLS, make
from lib.studies.ldp_fairness.figures.protocols import (
    SS_IS_GRR,
    best_map,
    least_variance,
    report_channel,
    variance_curves,
)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 400.0])
@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_ratio_that_is_told_is_finite_and_within_the_budget(name, epsilon):
    """At epsilon 400 probabilities of whole reports round to 0; the ratio used to be told as inf
    or nan.
    """
    fig, alt = report_channel(name, 4, epsilon)
    plt.close(fig)
    told = float(re.search(r"ratio inside a column is ([\d.]+)\.", alt).group(1))
    assert 0 < told <= epsilon + 1e-4


@pytest.fixture
def pairs():
    rows = []
    for k in (4, 40):
        for e in (0.5, 1.0, 5.0):
            made = {n: make(n, k=k, epsilon=e) for n in PROTOCOLS}
            rows.append(
                {"k": k, "epsilon": e, "omega": made["SS"].omega}
                | {n: m.variance(1) for n, m in made.items()}
            )
    return pd.DataFrame(rows)


def test_the_map_does_not_set_grr_above_ss_where_they_are_one(pairs):
    """Where the subset has one value, SS is GRR; the map used to give the whole tie to GRR."""
    assert least_variance(pairs).tolist() == [
        SS_IS_GRR,
        SS_IS_GRR,
        SS_IS_GRR,
        "SS",
        "SS",
        SS_IS_GRR,
    ]
    fig, alt = best_map(pairs)
    assert [t.get_text() for t in fig.legends[0].get_texts()] == ["SS", SS_IS_GRR]
    assert f"{SS_IS_GRR} at 67% of the points; SS at 33% of the points" in alt
    assert not fig.axes[0].lines  # no curve about protocols that are not on the map
    plt.close(fig)


def test_a_tie_of_grr_and_a_larger_subset_is_not_called_grr(pairs):
    tie = pairs.assign(omega=2, GRR=pairs["SS"])
    assert set(least_variance(tie)) == {"SS"}
    assert set(least_variance(tie.assign(SS=tie["SS"] * 2))) == {"GRR"}


def test_all_that_are_lowest_are_named():
    fig, alt = variance_curves(5, [1.0, 8.0])
    plt.close(fig)
    assert "at epsilon 8 GRR and SS are lowest" in alt
