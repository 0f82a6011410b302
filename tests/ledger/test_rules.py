"""Each rule on both sides of its verdicts."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from lib.ledger.rules import TOO_CLOSE, Evidence, judge

GOOD, SAME, BAD = "reproduced", "same direction", "not reproduced"
NAN = math.nan
NEAR, SHARE, MARGIN = {"target": 0.48, "tolerance": 0.015}, {"threshold": 0.75}, {"margin": 0.01}
MEANS = {"target": 1.0, "tolerance": 0.01, "runs": 100}


def left(value, half, before):
    return Evidence(value, value - half, value + half, runs=20, reference=before)


# fmt: off
JUDGED = [
    *(("near", Evidence(value, reference=away), NEAR, verdict) for value, away, verdict in (
        (0.47, 0.44, GOOD), (0.46, 0.44, SAME), (0.60, 0.44, SAME), (0.43, 0.44, BAD), (0.46, 0.48, BAD),
        # a number that is no change: any positive value stood on the side of a positive target, as "same direction"
        (0.60, NAN, BAD), (0.1, NAN, BAD), (0.47, NAN, GOOD))),
    *(("near", Evidence(value, low, high, runs=20, reference=0.44), NEAR, verdict) for low, value, high, verdict in (
        (0.47, 0.475, 0.48, GOOD), (0.46, 0.47, 0.48, TOO_CLOSE), (0.45, 0.455, 0.46, SAME), (0.42, 0.43, 0.435, BAD),
        (0.3, 0.48, 0.7, TOO_CLOSE))),
    *(("at_least", Evidence(share), SHARE, verdict) for share, verdict in ((0.75, GOOD), (0.6, SAME), (0.5, BAD))),
    # a share of 0.9 whose interval holds the threshold was "same direction", as one of 0.6 was
    *(("at_least", Evidence(share, low, high, runs=20), SHARE, verdict) for low, share, high, verdict in (
        (0.76, 0.9, 1.0, GOOD), (0.74, 0.9, 1.0, TOO_CLOSE), (0.5, 0.7, 0.8, TOO_CLOSE), (0.5, 0.7, 0.74, SAME),
        (0.3, 0.45, 0.6, BAD), (0.75 - 1e-12, 0.9, 1.0, GOOD))),  # the last is 3 in 4, but for its last bits
    # with ``half: 0``, any positive share was at least "same direction"
    *(("at_least", Evidence(share), {"threshold": 0.01}, verdict) for share, verdict in ((0.02, GOOD), (0.005, BAD), (0, BAD))),
    # 1.561 ± .001 passed 29% of the time if it was true; two means of 100 runs lie up to .283 + .01 apart
    *(("agrees", Evidence(value, value - 0.2, value + 0.2, runs=100, reference=away), MEANS, verdict) for value, away, verdict in (
        (1.0, 0.0, GOOD), (1.25, 0.0, GOOD), (1.31, 0.0, SAME), (0.6, 0.7, BAD), (1.0, 1.1, TOO_CLOSE))),
    *(("returns", left(value, 0.004, before), MARGIN, verdict) for value, before, verdict in (
        (0.005, 0.3, GOOD), (0.009, 0.3, TOO_CLOSE), (-0.02, 0.3, SAME), (0.4, -0.3, BAD), (0.02, NAN, BAD))),
    # a part of a large change may be left
    ("returns", left(-0.02, 0.01, -0.47), MARGIN | {"part": 0.1}, GOOD),
    ("returns", left(-0.02, 0.01, -0.47), MARGIN | {"part": 0.01}, TOO_CLOSE),
    *(("positive", Evidence(value, p=p, p_opposite=other), {}, verdict) for value, p, verdict in (
        (0.1, 0.01, GOOD), (0.1, 0.2, TOO_CLOSE), (0.1, NAN, TOO_CLOSE), (-0.1, 0.8, TOO_CLOSE), (-0.1, 0.99, BAD))
      for other in (NAN, 1 - p)),
    *(("within", Evidence(value, low, high), MARGIN, verdict) for low, value, high, verdict in (
        (-0.009, 0.0, 0.009, GOOD), (-0.02, 0.0, 0.02, TOO_CLOSE), (-0.03, -0.02, -0.005, TOO_CLOSE), (-0.03, -0.02, -0.011, BAD))),
    ("within", Evidence(0.0, runs=1), MARGIN, TOO_CLOSE),  # one run has no interval
    ("true", Evidence(1.0), {}, GOOD),
    ("true", Evidence(0.0), {}, BAD),
    ("true", Evidence(NAN), {}, "not run"),
]
# fmt: on


@pytest.mark.parametrize(("rule", "found", "tolerance", "verdict"), JUDGED)
def test_each_rule_gives_its_verdict(rule, found, tolerance, verdict):
    assert judge(rule, found, tolerance) == verdict
    if rule == "near":  # the paper's own runs are judged by their mean alone
        alone = judge(rule, Evidence(found.value, reference=found.reference), tolerance)
        assert judge(rule, replace(found, own_runs=True), tolerance) == alone


def test_exact_evidence_is_never_too_close():
    slacks = {"near": {"target": 1.0, "tolerance": 0.1}, "at_least": SHARE, "true": {}}
    for rule, slack in (slacks | {"within": MARGIN, "returns": MARGIN}).items():
        for value in (-1.0, 0.0, 0.1, 0.75, 0.9, 1.0, 1.1):
            assert judge(rule, Evidence(value), slack) != TOO_CLOSE
