"""A statement of what could have been found never reads as its opposite: tables of few records."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lib.audit.power import Rule, least_share
from lib.audit.report import verdicts
from lib.rng import stream
from tests.audit.asking import COPY, audited

CLASSES, SEXES, AGES = ("1st", "2nd", "3rd", "Crew"), ("Male", "Female"), ("Child", "Adult")
# people by survival, age, sex and class: R's Titanic
DIED = (0, 0, 35, 0, 0, 0, 17, 0, 118, 154, 387, 670, 4, 13, 89, 3)
LIVED = (5, 11, 13, 0, 1, 13, 14, 0, 57, 14, 75, 192, 140, 80, 76, 20)
ASK = {"learners": ("forest", "lookup"), "splits": 3, "alphas": (0.2,)}
BLIND = "Nothing could have been found in"


def titanic() -> pd.DataFrame:
    cells = pd.MultiIndex.from_product([("No", "Yes"), AGES, SEXES, CLASSES])
    rows = cells.repeat([*DIED, *LIVED]).to_frame(index=False)
    rows.columns = ["Survived", "Age", "Sex", "Class"]
    return rows.sample(frac=1, random_state=1)


def twenties() -> pd.DataFrame:
    """Each of forty records is that of twenty people, whose answers differ."""
    rng = stream(6, "audit twins")
    record = np.repeat(np.arange(40), 20)
    frame = pd.DataFrame({"town": record // 8, "job": record % 8})
    return frame.assign(Survived=rng.choice(["No", "Yes"], 800)).sample(frac=1, random_state=1)


TABLES = {"titanic": (titanic, ("Sex", "Class")), "twenty of each": (twenties, ())}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("way", ["clear", "curator", "release"])
def test_where_everything_was_copied_and_nothing_found_no_share_would_have_been(
    table, way, tmp_path, monkeypatch
):
    """Half of R's Titanic: "a release that copied 0.6% would have been found". It copied all."""
    monkeypatch.chdir(tmp_path)
    make, groups = TABLES[table]
    people = make().reset_index(drop=True)
    people["used"] = np.where(np.arange(len(people)) % 2, "in", "out")
    people.to_csv("people.csv", index=False)
    people[people["used"] == "in"].drop(columns="used").to_csv("copies.csv", index=False)
    more = {
        "clear": {"columns": {"used": "ignore"}},
        "curator": {"columns": {"used": "ignore"}, "curator": COPY},
        "release": {"release": Path("copies.csv"), "members": ("used", "in")},
    }[way]
    ask = {"file": Path("people.csv"), "sensitive": "Survived", "groups": groups}
    audit = audited(**ask | ASK | more)
    unseen = [group for group in audit.members if group not in set(audit.flagged["group"])]
    assert len(unseen) == len(audit.members) or table != "titanic"
    assert "everyone" in unseen
    assert np.isnan([audit.shares[group] for group in unseen]).all()
    assert np.isnan(audit.least_shares["everyone"])  # for any release of this kind
    first = verdicts(audit)[0]
    assert f"{BLIND} {unseen[0]}" in first
    assert "What was learnt from may be such a release" in first
    assert "would have been found with 80% power in the group" not in first


def test_a_learner_that_cannot_know_a_copy_claims_no_share(tmp_path, monkeypatch):
    """All records differ, all were copied, and a linear model finds nobody."""
    monkeypatch.chdir(tmp_path)
    rng = stream(7, "audit twins")
    people = pd.DataFrame({"x": rng.normal(size=800), "Survived": rng.choice(["No", "Yes"], 800)})
    people.round(6).to_csv("people.csv", index=False)
    ask = {"file": Path("people.csv"), "sensitive": "Survived", "splits": 3}
    blind = audited(**ask, learners=("logistic",))
    assert blind.flagged.empty
    assert not np.isnan([*blind.least_shares.values()]).any()
    assert np.isnan([*blind.shares.values()]).all()
    assert BLIND in verdicts(blind)[0]
    seen = audited(**ask, learners=("lookup",))
    assert seen.flagged["group"].nunique() == len(seen.members)


@pytest.mark.parametrize(("alike", "found"), [(1, True), (2, True), (50, False)])
def test_people_of_one_record_are_told_the_less_the_more_they_are(alike, found):
    """Pairs are still told apart, fifty people of one record are not."""
    rng, n = stream(8, "audit twins", alike), 800
    own, inside = rng.choice([-1.0, 1.0], n), rng.permutation(n) < n // 2
    rule = Rule(level=0.01, splits=4, draws=20)
    h = {"learner": rng.uniform(-0.5, 0.5, n // alike).repeat(alike)}
    share = least_share(h, own, inside, rule, rng, record=np.arange(n) // alike)
    assert (share > 0) == found
