"""What an audit could have found: the reported share against a simulation, and the words."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from lib.audit.power import Rule, least_share
from lib.audit.report import report_json, verdicts
from lib.coherence import distances
from lib.coherence.combination import combined_p
from lib.coherence.distances import PLAIN, Design
from lib.rng import stream
from tests.audit.asking import LOOSE, audited

N, RUNS = 600, 500
RELEASE, SPLITS = Rule(level=0.0125, splits=1, draws=320), Rule(level=0.0125, splits=4, draws=20)


def _people(n: int = N) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Predictions that know a little, the answers, and who is inside."""
    rng = stream(1, "audit power", n)
    own = np.where(rng.random(n) < 0.3, 1.0, -1.0)
    h = np.clip(0.3 * own + rng.normal(-0.3, 0.3, n), -1, 1)
    return h, own, np.arange(n) < n // 2


def _flagged(h, own, share, rule, design, rng) -> bool:
    """One audit of a group in which a share of people or clusters inside have answers copied."""
    cluster = np.arange(h.size) if design.cluster is None else design.cluster
    units, found = (cluster.max() + 1) // 2, []
    for _ in range(rule.splits):
        order = rng.permutation(cluster.max() + 1)
        inside = np.isin(cluster, order[:units])
        copied = np.isin(cluster, order[: round(share * units)])
        values, ways = np.where(copied, own, h), {"rng": rng, "design": design}
        if rule.splits == 1:
            p = distances.reshuffling_p(values, inside, draws=rule.draws, enough=50, **ways)
            return p <= rule.level
        null = distances.shuffled_distances(values, units, draws=rule.draws, **ways)
        found.append(
            np.append(distances.split_distance(values, inside, weight=design.weight), null)
        )
    return combined_p(found) <= rule.level


@pytest.mark.thorough("long statistics")
@pytest.mark.parametrize(
    ("rule", "design"),
    [
        (RELEASE, PLAIN),
        (SPLITS, PLAIN),
        (RELEASE, Design(weight=stream(6, "weights").lognormal(0, 0.7, N))),
        (SPLITS, Design(weight=stream(7, "weights").lognormal(0, 0.7, N))),
        (RELEASE, Design(cluster=np.arange(N) // 2)),
    ],
    ids=["release", "splits", "weights", "weights in splits", "households"],
)
def test_the_share_is_found_with_the_power_that_is_stated(rule, design):
    h, own, inside = _people()
    rng = stream(2, "audit power")
    share = least_share({"learner": h}, own, inside, rule, rng, design)
    hits = sum(_flagged(h, own, share, rule, design, rng) for _ in range(RUNS))
    assert binom.ppf(5e-7, RUNS, 0.75) <= hits <= binom.isf(5e-7, RUNS, 0.85)


def test_the_best_learner_counts_and_more_people_show_more():
    shares = {}
    for n in (100, 400, 1600):
        h, own, inside = _people(n)
        known = {"knows": own, "soft": h, "guess": np.full(n, -0.3)}
        for name, learners in ({k: {k: v} for k, v in known.items()} | {"all": known}).items():
            rng = stream(3, "audit power")
            shares[n, name] = least_share(learners, own, inside, SPLITS, rng)
    assert shares[100, "soft"] > shares[400, "soft"] > shares[1600, "soft"]
    # nothing moves where the answers are known already
    assert all(math.isnan(shares[n, "knows"]) for n in (100, 400, 1600))
    best = min(shares[1600, "soft"], shares[1600, "guess"])
    assert shares[1600, "all"] == pytest.approx(best, rel=0.1)


def test_the_record_has_all_shares_and_the_first_paragraph_the_least(files):
    ask = {"file": Path("inside.csv"), "holdout": Path("outside.csv"), "sensitive": "ill"}
    audit = audited(**LOOSE | ask | {"release": Path("harmless.csv"), "groups": ("sex",)})
    record = json.loads(report_json(audit))["dependence"]
    assert record["found_from"] == {g: s if s == s else None for g, s in audit.shares.items()}
    least = min(share for share in audit.shares.values() if share == share)
    assert f"{math.ceil(1000 * least - 1e-9) / 10:g}% " in verdicts(audit)[0]


@pytest.mark.parametrize("rule", [RELEASE, SPLITS], ids=["release", "splits"])
def test_last_bits_of_predictions_move_no_share(rule):
    """They parted equal predictions: a jitter of 1e-12 made 8.5% of a page's 8.6%."""
    h, own, inside = _people()
    h = h.round(1)
    moved = h * (1 + 1e-12 * stream(4, "audit power").standard_normal(h.size))
    shares = [
        least_share({"soft": values.clip(-1, 1)}, own, inside, rule, stream(5, "audit power"))
        for values in (h, moved)
    ]
    assert shares[0] == shares[1] < 1


def test_a_group_too_small_to_show_anything_has_no_share():
    h, own, inside = _people(12)
    for who in (inside, np.ones(12, dtype=bool), np.zeros(12, dtype=bool)):
        assert math.isnan(least_share({"a": h}, own, who, RELEASE, stream(4, "audit power")))
