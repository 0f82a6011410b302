"""Verdicts under other tolerances and corrections, on rows made up for it."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from lib.ledger.claim import Claim
from lib.ledger.judge import Row
from lib.ledger.rules import TOO_CLOSE, Evidence, judge
from lib.stats.p_values import holm
from studies.ldp_fairness.claims import results as ldp
from studies.verdicts import robustness

STATED = {"paper": "ldp", "place": "p", "statement": "s", "why": "w"}


def row(rule, tolerance, evidence, adjusted=math.nan) -> Row:
    claim = Claim(**STATED, id="x", measure="table2", rule=rule, tolerance=tolerance)
    final = evidence if math.isnan(adjusted) else replace(evidence, p=adjusted)
    return Row(claim, evidence, judge(rule, final, tolerance), adjusted)


ROWS = [
    row("near", {"target": 1.0, "tolerance": 0.1}, Evidence(1.15, reference=0.5)),
    row("within", {"margin": 0.02}, Evidence(0.0, -0.015, 0.015)),
    row("at_least", {"threshold": 0.9}, Evidence(0.85)),
    row("true", {}, Evidence(0.0)),
]


def test_slack_is_scaled_by_the_rules_own_measure():
    same, good, bad = "same direction", "reproduced", "not reproduced"
    assert [r.verdict for r in ROWS] == robustness.with_slack(ROWS, 1.0) == [same, good, same, bad]
    assert robustness.with_slack(ROWS, 2.0) == [good, good, good, bad]
    assert robustness.with_slack(ROWS, 0.5) == [same, TOO_CLOSE, same, bad]
    assert [other for _, other in robustness.moved(ROWS, robustness.with_slack(ROWS, 0.5))] == [
        TOO_CLOSE
    ]
    with pytest.raises(ValueError, match=r"factor must be .*, got 0"):
        robustness.with_slack(ROWS, 0)


def test_corrections_are_ordered():
    p = [0.001, 0.02, 0.03, 0.2]
    rows = [row("positive", {}, Evidence(1.0, p=q), a) for q, a in zip(p, holm(p), strict=True)]
    rows += ROWS[:1]
    for correction, count in {"none": 3, "Benjamini-Hochberg": 3, "Holm": 1}.items():
        assert robustness.with_correction(rows, correction).count("reproduced") == count
    assert robustness.with_correction(rows, "Holm") == [r.verdict for r in rows]
    assert robustness.with_correction(ROWS, "none") == [r.verdict for r in ROWS]
    with pytest.raises(ValueError, match=r"correction must be .*, got 'Bonferroni'"):
        robustness.with_correction(rows, "Bonferroni")


def test_intervals_for_another_table_move_what_they_must():
    share, number = Evidence(0.9, 0.8, 0.95, runs=20), Evidence(1.0, 0.9, 1.1, runs=20)
    none, gain = Evidence(0.0, -0.01, 0.01, runs=20), Evidence(0.1, p=0.001, runs=20)
    rows = [
        row("at_least", {"threshold": 0.75}, replace(share, overlap=(0.7, 1.0, math.nan))),
        row("within", {"margin": 0.02}, replace(none, overlap=(-0.025, 0.025, math.nan))),
        row("positive", {}, replace(gain, overlap=(-0.1, 0.3, 0.2)), 0.002),
        row("positive", {}, replace(gain, overlap=(0.05, 0.15, 0.02)), 0.002),
        row("near", {"target": 1.0, "tolerance": 0.1}, replace(number, overlap=(0.5, 1.5, 0.1))),
        row("at_least", {"threshold": 0.75}, share),
    ]
    assert {r.verdict for r in rows} == {"reproduced"}
    assert robustness.for_another_table(rows) == [TOO_CLOSE] * 3 + [
        "reproduced",
        TOO_CLOSE,
        "reproduced",
    ]


def test_the_second_reading_is_wider_by_the_factor_for_overlapping_splits():
    found = ldp.change("adult", "DI", epsilon=0.25)
    low, high, p = found.overlap
    wider = math.sqrt(1 + found.runs * 0.25)
    assert (high - low) / (found.high - found.low) == pytest.approx(wider)
    assert p > found.p
    share = ldp.share_improved("adult", epsilon=0.25)
    assert share.overlap[0] <= share.low
    assert share.overlap[1] >= share.high


def test_a_p_value_of_one_may_be_above_it_by_its_last_bits():
    tested = [row("positive", {}, Evidence(1.0, p=p), 0.5) for p in (1e-6, 1 + 2**-52)]
    assert robustness.with_correction(tested, "Benjamini-Hochberg") == ["reproduced", TOO_CLOSE]
