"""Scores of the synthesizers' figures, by hand: parity errors, gaps, the groups that count,
differences, the front.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from studies.synthesizers import summary

ONES = [f"{column} = {code}" for column in ("SEX", "RAC1P") for code in (0, 1)]
NAMES = [*ONES, *(f"SEX = {sex} & RAC1P = {race}" for sex in (0, 1) for race in (0, 1))]
PEOPLE = (600, 400, 999, 1, 600, 0, 399, 1)


def cell(by="vanilla", run=0, shift=0.0) -> pd.DataFrame:
    """The scores of a cell, the same on seen and on held-out rows; one group has nobody."""
    own = {"cell": f"{by} {run}", "dataset": "nist", "synthesizer": "MST", "by": by}
    own |= {"epsilon": 1.0, "small": "keep", "run": run, "rows": 1000}
    whole = {"group": "everyone", "people": 1000, "acc": 0.8, "error": 0.4, "means": 0.2 + shift}
    groups = pd.DataFrame({"group": NAMES, "people": PEOPLE})
    values = pd.Series(0.1 * np.arange(1, len(NAMES) + 1) + shift).where(groups["people"] > 0)
    groups = groups.assign(**dict.fromkeys(("error", "means", "rate", "fnr"), values))
    rows = pd.concat([pd.DataFrame([whole]), groups])
    return pd.concat([rows.assign(**own, seen=seen) for seen in (False, True)], ignore_index=True)


def test_scores_by_hand():
    frame = cell()
    row = summary.scored(frame).iloc[0]  # groups with rows: .5, .7, .8 of the crossing
    assert row[["groups", "parity_error", "parity_means"]].tolist() == pytest.approx(
        [3, 0.4 / 3 + 2.0, 0.2 / 3 + 2.0]
    )
    apart = row[["disparity", "parity_ratio", "fnr_gap"]].tolist()
    assert apart == pytest.approx([0.8, 0.5 / 0.8, 0.3])
    # one person of a thousand does not count: "at most" is left out
    large = summary.scored(frame, least=0.001).iloc[0]
    assert (large.groups, large.parity_error) == (2, pytest.approx(0.4 / 2 + 1.2))
    assert summary.scored(frame, "SEX").iloc[0].parity_error == pytest.approx(0.4 / 2 + 0.3)


def test_a_group_without_a_score_is_no_group():
    frame = cell()
    frame.loc[frame["group"] == NAMES[-1], "rate"] = np.nan
    assert summary.scored(frame).iloc[0].parity_ratio == pytest.approx(0.5 / 0.7)
    table = summary.group_table(frame, "rate")
    assert table.loc["vanilla 0"].isna().tolist() == [False, False, True]  # nobody: no column
    with pytest.raises(ValueError, match=r"score must be .*, got 'nonsense'"):
        summary.group_table(frame, "nonsense")


def test_seen_rows_are_another_score():
    frame = cell()
    whole = frame["seen"] & (frame["group"] == "everyone")
    frame.loc[whole, ["error", "acc"]] = 0.0, 0.9
    assert summary.scored(frame, seen=True).iloc[0].acc == 0.9
    assert summary.scored(frame, seen=True).iloc[0].parity_error == pytest.approx(2.0)
    assert summary.scored(frame).iloc[0].acc == 0.8


def test_differences_are_paired_on_the_run():
    noise = np.random.default_rng(0).normal(0, 5, 5)
    shifts = ((by, run, shift) for run in range(5) for by, shift in (("vanilla", 0), ("SEX", 0.25)))
    scores = summary.scored(
        pd.concat(cell(by, run, noise[run] + shift) for by, run, shift in shifts)
    )
    [found] = summary.against_vanilla(scores, "disparity").to_dict("records")
    assert found["mean"] == pytest.approx(0.25)
    assert found["high"] - found["low"] < 1e-9  # what is common to a run drops out
    assert found["plain"] == pytest.approx(0.8 + noise.mean())
    assert summary.averaged(scores, "disparity")["runs"].tolist() == [5, 5]


def test_the_front_is_what_nothing_dominates():
    points = pd.DataFrame({"x": [1.0, 2.0, 3.0, 2.0, 1.0], "y": [3.0, 2.0, 1.0, 3.0, 3.0]})
    # equal points stay together
    assert summary.pareto(points, "x", "y").tolist() == [True, True, True, False, True]


def test_the_interval_of_a_score_does_not_end_below_zero():
    """That of a difference may."""
    frame = pd.DataFrame({"cell": ["a"] * 3, "error": [0.0, 0.0, 0.3]})
    assert summary.averaged(frame, "error", ["cell"])["low"].tolist() == [0.0]
    assert summary.averaged(frame, "error", ["cell"], floor=-np.inf)["low"].iloc[0] < 0


def test_gains_shares_and_ratios_by_hand():
    """Stratifying by sex and race adds .25 to the error of every group."""
    rows = [cell(by, 0, 0.25 if by != "vanilla" else 0.0) for by in ("vanilla", "SEX_RAC1P")]
    frame = pd.concat(rows, ignore_index=True)
    gains = summary.gains_of_groups(frame).set_index("group")
    assert gains["gain"].to_numpy() == pytest.approx([-0.25] * 3)  # nobody is in the fourth
    assert gains["people"].tolist() == [600, 399, 1]
    ratio = summary.against_vanilla(summary.scored(frame), "disparity", ratio=True)
    assert ratio["mean"].tolist() == pytest.approx([1.05 / 0.8])
    share = summary.shares_better(frame, ["parity_error", "acc"]).set_index(["protocol", "metric"])
    assert (share["all"] == 0).all()
    assert len(share) == 4


def test_a_gain_of_last_bits_is_none():
    """On the stored tables a group has equal errors, which another processor may order."""
    rows = [cell(by, 0, 1e-13 if by == "vanilla" else 0.0) for by in ("vanilla", "SEX_RAC1P")]
    assert (summary.gains_of_groups(pd.concat(rows, ignore_index=True))["gain"] == 0).all()


def test_three_rules_for_small_groups_by_hand():
    frame = cell("SEX_RAC1P")
    frame = pd.concat([frame.assign(small=rule, share=0.1) for rule in ("keep", "drop")])
    rules, small = summary.small_group_rules(frame.assign(cell=frame["cell"] + frame["small"]))
    assert small == ["SEX = 1 & RAC1P = 1"]
    assert rules["small"].tolist() == ["drop", "keep"]
    for column, value in {
        "small groups": 0.8,
        "the others": 0.6,
        "everybody": 0.4,
        "drawn": 1,
    }.items():
        assert rules[column].tolist() == pytest.approx([value] * 2), column
