"""What an audit could have found: the reported share against a simulation, and the words."""

from __future__ import annotations

import json
import math
from html import unescape

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from lib.audit.power import Rule, least_share
from lib.audit.report import group_table, report_html, report_json, verdicts
from lib.audit.request import Request
from lib.audit.run import run_audit
from lib.audit.several import in_words, overview_html, run_audits
from lib.coherence import distances
from lib.coherence.combination import combined_p
from lib.coherence.distances import PLAIN, Design
from lib.rng import stream

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
        (RELEASE, Design(weight=1 + np.arange(N) % 3)),
        (RELEASE, Design(cluster=np.arange(N) // 2)),
    ],
    ids=["release", "splits", "weights", "households"],
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


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A file of 400 people, half of them inside; their copies, and noise."""
    folder, rng = tmp_path_factory.mktemp("power"), stream(5, "audit power")
    number, town = rng.permutation(400) / 7, rng.choice(["big", "small"], 400, p=[0.95, 0.05])
    people = pd.DataFrame({"number": number, "town": town, "ill": rng.choice(["yes", "no"], 400)})
    people["used"] = np.repeat(["in", "out"], 200)
    people.to_csv(folder / "people.csv", index=False)
    people[188:212].to_csv(folder / "few.csv", index=False)
    inside = people[people["used"] == "in"].drop(columns="used")
    inside.to_csv(folder / "copies.csv", index=False)
    inside[inside["town"] == "big"].to_csv(folder / "big.csv", index=False)
    inside.apply(lambda cells: rng.permutation(cells)).to_csv(folder / "noise.csv", index=False)
    return folder


def _ask(folder, release: str | None, people: str = "people.csv", **options) -> Request:
    given = {"sensitive": "ill", "groups": ("town",), "columns": {"number": "number"}}
    given |= {"learners": ("lookup",), "splits": 3, "gamma": 10, "seed": 1}
    if release:
        given |= {"release": folder / release, "members": ("used", "in")}
    else:
        given |= {"lens": ("number", "town")}
    return Request(file=folder / people, **given | options)


def _first(page: str) -> str:
    """The page from its first paragraph on."""
    page = unescape(page)
    return page[page.index("<p") :].split(">", 1)[1]


OUTCOMES = {
    "all flagged": ("copies.csv", {}),
    "some flagged": ("big.csv", {}),
    "none, some too small": ("noise.csv", {"lens": ("town",)}),
    "none": ("noise.csv", {"lens": ("town",), "gamma": 100}),
    "all too small": ("noise.csv", {"lens": ("town",), "people": "few.csv", "false_alarm": 1e-4}),
    "in the clear": (None, {}),
    "in the clear, few": (None, {"people": "few.csv", "splits": 2}),
}


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_first_paragraph_of_no_outcome_lacks_what_could_be_found_and_what_is_next(
    outcome, folder, unpainted
):
    release, options = OUTCOMES[outcome]
    audit = run_audit(_ask(folder, release, **options), progress=False)
    first = verdicts(audit)[0]
    assert _first(report_html(audit)).startswith(first)
    record = json.loads(report_json(audit))["dependence"]
    assert record["words"] == first
    assert first.startswith(f"Dependence: {'none found' if audit.flagged.empty else 'not indep'}")
    open_ = {g: s for g, s in audit.shares.items() if g not in set(audit.flagged["group"])}
    known = sorted((s, g) for g, s in (open_ or audit.shares).items() if s == s)
    assert "with 80% power" in first
    if outcome.startswith("none"):
        assert known
    elif outcome == "all too small":
        assert not known
    assert (0 < audit.flagged["group"].nunique() < len(audit.shares)) == (outcome == "some flagged")
    assert first.count("Next: ") == 1
    for share, group in (known[0], known[-1]) if known else ():
        assert f"in the group {group}, if" in first or f"In {group} it takes" in first
        assert f"{math.ceil(1000 * share - 1e-9) / 10:g}%" in first
    assert ("not even all" in first) == any(map(math.isnan, open_.values()))
    rows = group_table(audit, "lookup").set_index("group")["found from"].to_dict()
    assert rows == pytest.approx(dict(audit.shares), nan_ok=True)
    assert record["found_from"] == {g: s if s == s else None for g, s in audit.shares.items()}


def test_a_table_of_several_says_it_of_all(folder, unpainted):
    releases = ("copies.csv", "noise.csv")
    audits = run_audits([_ask(folder, name) for name in releases], progress=False)
    words = in_words(audits)
    assert "with 80% power" in words
    assert "Next: " in words
    assert _first(overview_html(audits, ["a.html", "b.html"])).startswith(words)
