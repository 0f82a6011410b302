"""Gaps of the audited people: which texts they are, where, how many, and in which groups."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from lib.audit.report import group_table, report_json, verdicts
from lib.audit.request import Request
from lib.audit.run import run_audit
from lib.audit.several import in_words, run_audits, warnings
from lib.audit.table import read_table
from lib.audit.words import gaps
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


def halves(folder, table: pd.DataFrame) -> dict:
    """The files of a finished release of the first half."""
    for name, part in (("in", table[:200]), ("out", table[200:]), ("made", table[:200])):
        part.to_csv(folder / f"{name}.csv", index=False)
    files = {"file": "in", "holdout": "out", "release": "made"}
    return {name: folder / f"{file}.csv" for name, file in files.items()}


def test_a_holdout_leaves_out_no_column_that_the_schema_states(ask, tmp_path):
    """None twice, and as many as whole numbers of one length have: an identifier by the rule."""
    income = 100_000 + 37 * stream(7, "incomes").permutation(400)
    files = halves(tmp_path, people().assign(income=income, row=np.arange(400)))
    yml = tmp_path / "s.yml"
    yml.write_text("income: {low: 100000, high: 120000, bins: 5, clip: true}\n", encoding="utf-8")
    clear = read_table(Request(**ask | {"file": files["file"]}, schema=yml))
    assert "income" in clear.lens
    assert read_table(Request(**ask | files, schema=yml)).lens == clear.lens
    assert "income" not in read_table(Request(**ask | files)).lens


def test_a_running_number_with_stated_gaps_is_left_out_though_a_holdout_counts_again(ask, tmp_path):
    row = [*["-"] * 120, *map(str, range(80))] * 2
    files = halves(tmp_path, people().assign(row=row))
    assert "row" not in read_table(Request(**ask | files, gaps=("-",))).lens


def test_gaps_of_the_sensitive_column_alone_are_said_as_what_they_are(ask):
    table = people().assign(age="1")
    table.loc[:39, "ill"] = ""
    table.to_csv(ask["file"], index=False)
    said = gaps(audited(**ask))
    assert "Read as gaps, of 40 of 400 people (10.0%): ill: empty (40)." in said
    assert "People without a value of ill are left out." in said
    assert "The group with most" not in said
    people().assign(ill=table["ill"]).to_csv(ask["file"], index=False)
    said = gaps(audited(**ask))
    assert "People without a value of ill are left out." in said
    assert "The group with most is race = W" in said


def test_several_audits_say_the_gaps_and_the_notes_of_each(ask):
    table = people().assign(smokes=np.resize(["y", "n", "n"], 400))
    table.loc[:39, "smokes"] = ""
    ask["file"].write_bytes(table.to_csv(index=False, sep=";").encode())
    asked = [Request(**ask | {"sensitive": name, "lens": ("age",)}) for name in ("ill", "smokes")]
    audits = run_audits(asked, progress=False)
    said = in_words(audits)
    assert gaps(audits[0]) in said
    assert gaps(audits[1]) in said
    assert gaps(audits[0]) != gaps(audits[1])
    assert warnings(audits) == ["halves in the clear: p.csv: cells are separated by semicolons."]


def test_decimal_commas_are_read_in_weights_and_bands_as_in_every_column(ask):
    rng = stream(8, "commas")
    whole = [f"{w:.1f}" for w in 1 + rng.integers(0, 60, 400) / 10]  # a number by the rule
    few = rng.choice(["0.5", "1.5", "2.5"], 400)  # codes by the rule, until bands are asked for
    texts = people().assign(w=whole, grade=few)
    told = ask | {"groups": ("grade",), "bands": {"grade": (1.0,)}, "weights": "w"}
    tables = []
    for comma in (False, True):
        both = texts.assign(**{c: texts[c].str.replace(".", ",") for c in ("w", "grade") if comma})
        both.to_csv(ask["file"], index=False, sep=";")
        tables.append(read_table(Request(**told)))
    dots, commas = tables
    assert commas.design.weight.tolist() == dots.design.weight.tolist() == [*map(float, whole)]
    assert commas.members.keys() == dots.members.keys()
    for group, who in dots.members.items():
        assert (commas.members[group] == who).all()
    yml = ask["file"].with_name("s.yml")
    yml.write_text("grade: {values: ['0,5', '1,5', '2,5']}\n", encoding="utf-8")
    stated = read_table(Request(**told, schema=yml))
    assert stated.members.keys() == dots.members.keys()
