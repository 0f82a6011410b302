"""Gaps of the audited people: which texts they are, where, how many, and in which groups."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from lib.audit.report import group_table, report_json, verdicts
from lib.audit.request import Request
from lib.audit.run import run_audit
from lib.rng import stream
from tests.audit.asking import audited


def people(n: int = 400) -> pd.DataFrame:
    rng = stream(6, "gaps")
    age = rng.integers(18, 90, n).astype(str)
    race = rng.choice(["NA", "W", "?"], n)
    age[(race == "W") & (rng.random(n) < 0.2)] = "NA"
    return pd.DataFrame(
        {"age": age, "race": race, "ill": np.where(rng.random(n) < 0.4, "yes", "no")}
    )


@pytest.fixture
def ask(tmp_path):
    people().to_csv(tmp_path / "p.csv", index=False)
    return {"file": tmp_path / "p.csv", "sensitive": "ill", "groups": ("race",), "gamma": 20,
            "splits": 2, "learners": ("lookup",)}  # fmt: skip


def test_a_race_called_na_is_a_group_and_gaps_above_one_percent_are_warned_of(ask, unpainted):
    audit, table = audited(**ask), people()
    for race in ("NA", "W", "?"):
        assert audit.members[f"race = {race}"].sum() == (table["race"] == race).sum()
    gap = (table["age"] == "NA") & (table["race"] == "W")
    first = verdicts(audit)[0]
    assert (
        f"Warning: Read as gaps, of {gap.sum()} of 400 people ({gap.mean():.1%}): age: NA ({gap.sum()})."
        in first
    )
    share = gap.sum() / (table["race"] == "W").sum()
    assert f"The group with most is race = W, {share:.1%}" in first
    rows = group_table(audit, "lookup").set_index("group")["gaps"]
    assert rows["race = W"] == share
    assert rows["race = NA"] == 0
    record = json.loads(report_json(audit))
    assert record["gaps"]["groups"]["race = W"] == share
    assert record["gaps"]["words"] in record["dependence"]["words"]
    columns = {row["column"]: row for row in record["columns"]}
    assert (columns["age"]["read as"], columns["age"]["missing"]) == ("number", gap.sum())
    assert (columns["race"]["read as"], columns["race"]["missing"]) == ("category", 0)


def test_stated_gaps_are_gaps_everywhere_and_none_are_none(ask):
    audit = audited(**ask, gaps=("?", "NA"))
    assert "race = ?" not in audit.members
    assert "race = NA" not in audit.members
    none = audited(**ask, gaps=(), columns={"age": "text"})
    assert verdicts(none)[-1] == "No cell was read as a gap."


def test_two_spellings_of_a_diagnosis_are_two_groups(ask):
    codes = np.resize(["250.0", "250.00", "1E50"], 400)
    people().assign(dx=codes).to_csv(ask["file"], index=False)
    audit = audited(**ask | {"groups": ("dx",)})
    sizes = {name: who.sum() for name, who in audit.members.items() if name.startswith("dx")}
    assert sizes == {"dx = 250.0": 134, "dx = 250.00": 133, "dx = 1E50": 133}


def test_groups_by_a_date_are_years_and_other_spellings_of_a_holdout_are_no_difference(
    ask, tmp_path
):
    days = pd.Series(pd.Timestamp("2022-01-01") + pd.to_timedelta(np.arange(400) * 2, "D"))
    table = people().assign(day=days.dt.strftime("%Y%m%d"), code=np.resize(["1", "2"], 400))
    table[:200].to_csv(tmp_path / "in.csv", index=False)
    table[200:].assign(code=table["code"][200:].astype(float)).to_csv(
        tmp_path / "out.csv", index=False
    )
    files = {
        "file": tmp_path / "in.csv",
        "release": tmp_path / "in.csv",
        "holdout": tmp_path / "out.csv",
    }
    audit = audited(**ask | files | {"groups": ("day", "code")})
    assert {"day = 2022", "day = 2023"} <= set(audit.members)
    assert {name for name in audit.members if name.startswith("code")} == {"code = 1", "code = 2"}


def test_an_audit_that_takes_long_says_so_before_it_starts(ask, monkeypatch):
    said = []
    monkeypatch.setattr("lib.audit.run.expose", lambda *_: pytest.fail("started"))
    monkeypatch.setattr("lib.audit.run.CELLS", 400 * 3 * 2 / 600)
    with pytest.raises(pytest.fail.Exception, match="started"):
        run_audit(Request(**ask), progress=False, say=said.append)
    assert "400 people, 3 columns and 2 splits take about 10 minutes" in said[0]


@pytest.mark.parametrize(("rows", "judged"), [(10, False), (100, True)])
def test_a_release_of_a_few_rows_cannot_be_judged(ask, tmp_path, rows, judged):
    table = people()
    for name, part in (("in", table[:200]), ("out", table[200:]), ("made", table[:rows])):
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    files = {"file": "in.csv", "holdout": "out.csv", "release": "made.csv"}
    audit = audited(**ask | {name: tmp_path / file for name, file in files.items()})
    said = "a release of 10 rows cannot be judged" in " ".join(audit.warnings)
    assert said != judged
