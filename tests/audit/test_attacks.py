"""Attacks on people inside and left out: shares by hand, intervals, false alarms, the report."""

from __future__ import annotations

import json
from html import unescape

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from lib.audit.attacks import Hits, _compared, attacks, nearest, singled_out
from lib.audit.report import report_html, report_json, verdicts
from lib.audit.request import Request
from lib.audit.table import read_table
from lib.groups import EVERYONE
from lib.rng import stream
from tests.audit.asking import audited
from tests.conftest import FALSE_ALARM

ASK = {"sensitive": "ill", "groups": ("sex",), "members": ("used", "in")}
ASK |= {"learners": ("lookup",), "splits": 2, "gamma": 20, "alphas": (0.4,)}


def _people(n: int, *key: object) -> pd.DataFrame:
    """Half are inside; pay and height single everybody out."""
    rng = stream(3, "attacks", n, *key)
    sex, ill = rng.choice(["f", "m"], n), rng.choice(["no", "yes"], n, p=[0.7, 0.3])
    pay, height = rng.normal(30, 9, n).round(6), rng.normal(170, 9, n).round(6)
    used = rng.permutation(np.repeat(["in", "out"], n // 2))
    return pd.DataFrame({"sex": sex, "pay": pay, "height": height, "ill": ill, "used": used})


def _asked(folder, people: pd.DataFrame, release: pd.DataFrame | None = None, **options) -> dict:
    """Of ``release``, or of the people inside."""
    release = people[people["used"] == "in"] if release is None else release
    people.to_csv(folder / "people.csv", index=False)
    release.drop(columns="used", errors="ignore").to_csv(folder / "made.csv", index=False)
    return {"file": folder / "people.csv", "release": folder / "made.csv"} | ASK | options


def _rows(asked: dict) -> pd.DataFrame:
    table = read_table(request := Request(**asked))
    found = attacks(request, table, table.release, table.inside)
    return found.rows.set_index(["group", "attack"])


def test_a_release_of_the_people_is_hit_by_every_attack_and_the_report_says_it(tmp_path, unpainted):
    audit = audited(**_asked(tmp_path, _people(600)))
    rows = audit.attacks.rows.set_index(["group", "attack"])
    for attack in ("inference", "linkability", "singling out"):
        assert rows.loc[(EVERYONE, attack), "inside"] == 1
        assert rows.loc[(EVERYONE, attack), "low"] > 0
    assert rows.loc[(EVERYONE, "tracing"), "excess"] > 0
    words = audit.attacks.words
    assert "right for 100% of the people inside" in words
    assert words in verdicts(audit)
    assert "if households were inside or left out as wholes, give --cluster" in verdicts(audit)[0]
    assert words in unescape(report_html(audit))
    assert "What attackers would get" in report_html(audit)
    assert json.loads(report_json(audit))["attacks"]["words"] == words


def test_inference_and_linkability_by_hand(tmp_path):
    people, release = _people(120), _people(50, "other")
    rows = _rows(_asked(tmp_path, people, release))
    inside = people[people["used"] == "in"]
    numbers = ["pay", "height"]
    spread = np.ptp(pd.concat([people, release])[numbers].to_numpy(), axis=0)
    right = 0
    for _, one in inside.iterrows():
        far = (release["sex"] != one["sex"]) * 1.0
        far += ((release[numbers] - one[numbers]).abs() / spread).sum(axis=1)
        right += release.loc[far.astype(float).idxmin(), "ill"] == one["ill"]
    assert rows.loc[(EVERYONE, "inference"), "inside"] == pytest.approx(right / len(inside))


def test_values_of_one_row_alone_by_hand():
    """In every pair of columns, as a loop over rows and people finds it."""
    rng = stream(2, "alone")
    inside, outside, made = (
        pd.DataFrame(rng.integers(0, 4, (30, 2)), columns=["a", "b"]) for _ in range(3)
    )
    tried, hits = singled_out([inside, outside], made, rng)
    for i, row in enumerate(made.itertuples(index=False)):
        alike = [
            (side.to_numpy() == np.array(row)).all(axis=1).sum() for side in (made, inside, outside)
        ]
        assert tried[i] == (alike[0] == 1)
        assert hits[i].tolist() == [tried[i] and n == 1 for n in alike[1:]]
    assert tried.any()


def test_the_interval_is_newcombes():
    """His example (1998, Table II, a): 56 of 70 against 48 of 80, method 10."""
    found = _compared(_hits(56, 14), _hits(48, 32), 0.95)
    assert [round(x, 4) for x in found[-3:]] == [0.2, 0.0524, 0.3339]


def _hits(right: int, wrong: int, *, house: int = 1, weight: float = 1.0) -> Hits:
    """Households of a size whose members are right or wrong together."""
    hits = np.repeat([True, False], [house * right, house * wrong])
    return Hits(hits, np.full(hits.size, weight), np.repeat(np.arange(right + wrong), house))


def test_a_household_that_is_right_together_counts_once():
    found = _compared(_hits(56, 14, house=3), _hits(48, 32, house=2), 0.95)
    assert found[-3:] == pytest.approx(_compared(_hits(56, 14), _hits(48, 32), 0.95)[-3:])


def test_a_weight_counts_as_so_many_and_not_as_so_much_evidence():
    one = _hits(56, 14, weight=3.0)
    assert one.share == pytest.approx((0.8, 70))
    two = Hits(one.right, np.where(one.right, 2.0, 1.0), one.unit)
    assert two.share == pytest.approx((112 / 126, 126**2 / (4 * 56 + 14)))


@pytest.mark.thorough("long statistics")
@pytest.mark.parametrize("told", [True, False])
def test_households_are_rarely_said_to_be_hit_if_they_are_told(tmp_path, told):
    """Households of six alike, none of whom is in the release; one by one they are flagged more
    often than they may be.
    """
    found = []
    for i in range(60):
        rng, people = stream(4, "households", i), _people(100, "households", i)
        people = people.loc[np.repeat(np.arange(100), 6)].assign(house=np.repeat(range(100), 6))
        release = _people(300, "others", i)
        how = {"cluster": "house"} if told else {"columns": {"house": "ignore"}}
        asked = _asked(tmp_path, people.sample(frac=1, random_state=rng), release, **how)
        found.append((_rows(asked)["low"] > 0).any())
    assert (binom.sf(sum(found) - 1, len(found), 0.05) > FALSE_ALARM) == told


@pytest.mark.thorough("long statistics")
def test_a_release_of_other_people_is_rarely_said_to_be_hit(tmp_path):
    """Whoever is inside, so that 5% of audits may find something, whatever the groups."""
    found = []
    for i in range(60):
        people, release = _people(200, i), _people(100, "others", i)
        found.append((_rows(_asked(tmp_path, people, release))["low"] > 0).any())
    assert binom.sf(sum(found) - 1, len(found), 0.05) > FALSE_ALARM


def test_ties_go_to_the_first_row_and_a_constant_column_counts_for_nothing():
    people = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"], "c": [7.0, 7.0]})
    rows = pd.DataFrame({"a": [1.5, 1.5, 1.5], "b": ["y", "x", "x"], "c": [7.0, 7.0, 7.0]})
    assert nearest(people, rows).tolist() == [1, 0]


def test_a_lens_of_one_column_has_nothing_to_link(tmp_path):
    asked = _asked(tmp_path, _people(100), lens=("pay",))
    assert set(_rows(asked).reset_index()["attack"]) == {"inference", "tracing", "singling out"}


def test_small_groups_are_not_shown(tmp_path):
    people = _people(200)
    out = people.index[people["used"] == "out"]
    people.loc[out[:-4], "sex"] = "f"
    for shown in (False, True):
        rows = _rows(_asked(tmp_path, people, show_small=shown))
        assert ("sex = m" in rows.index.get_level_values("group")) == shown
