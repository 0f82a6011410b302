"""What a release keeps of the table, in a report of one and in a table of several."""

from __future__ import annotations

import builtins
import json
import os
import stat
from html import unescape

import numpy as np
import pandas as pd
import pytest

from lib.audit.report import report_html, report_json, verdicts
from lib.audit.request import Request
from lib.audit.several import overview, overview_html, overview_json, run_audits
from lib.cli import main
from lib.domain import Domain
from lib.groups import EVERYONE
from lib.rng import stream
from lib.stats.holm import holm
from lib.synth import MST
from tests.audit.asking import COPY, audited

ASK = {"sensitive": "ill", "groups": ("sex", "age"), "bands": {"age": (30, 45)}}
ASK |= {"members": ("used", "in"), "learners": ("lookup",)}
ASK |= {"splits": 2, "gamma": 20, "alphas": (0.4,)}
VALUES = {"age": np.arange(20, 60), "sex": ["f", "m"], "job": list("abcd"), "ill": ["no", "yes"]}


def _people(n: int) -> pd.DataFrame:
    """Age and sex decide on illness, the age on the job."""
    rng = stream(5, "audit utility", n)
    age, sex = rng.integers(20, 60, n), rng.choice(["f", "m"], n, p=[0.7, 0.3])
    ill = rng.random(n) < np.where((age > 45) & (sex == "f"), 0.8, 0.1)
    job = np.where(rng.random(n) < 0.8, np.array(list("abcd"))[(age - 20) // 10], "a")
    frame = pd.DataFrame({"age": age, "sex": sex, "job": job, "ill": np.where(ill, "yes", "no")})
    return frame.assign(used=np.repeat(["in", "out"], n // 2))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A file of 1,600 people of whom half are inside, and four releases."""
    folder, people, rng = tmp_path_factory.mktemp("utility"), _people(1600), stream(5, "releases")
    inside = people[people["used"] == "in"].drop(columns="used")
    codes = pd.DataFrame({c: pd.Categorical(inside[c], VALUES[c]).codes for c in inside})
    domain = Domain.of({name: len(values) for name, values in VALUES.items()})
    made = MST().fit(codes.astype(int), domain, 5.0, rng).sample(len(inside), rng)
    frames = {
        "people": people,
        "copies": inside,
        "mst": pd.DataFrame({c: np.array(VALUES[c])[made[c]] for c in inside}),
        "columns": inside.apply(lambda cells: rng.permutation(cells.to_numpy())),
        "noise": pd.DataFrame({c: rng.choice(values, len(inside)) for c, values in VALUES.items()}),
    }
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
        frame.to_parquet(folder / f"{name}.parquet", index=False)
    return folder


def _given(folder, release: str, **options) -> dict:
    return ASK | {"file": folder / "people.csv", "release": folder / release} | options


def _asked(folder, frame: pd.DataFrame, release: pd.DataFrame | None = None, **options):
    """What is kept of a file of its own, by ``release`` or by a copy of the people inside."""
    frame.to_csv(folder / "asked.csv", index=False)
    if release is None:
        release = frame[frame["used"] == "in"].drop(columns="used")
    release.to_csv(folder / "made.csv", index=False)
    return audited(**_given(folder, "made.csv", file=folder / "asked.csv", **options))


@pytest.fixture(scope="module")
def several(folder):
    names = ("copies", "mst", "columns", "noise")
    requests = [Request(**_given(folder, f"{name}.csv")) for name in names]
    return dict(zip(names, run_audits(requests, progress=False), strict=True))


@pytest.fixture
def people(folder) -> pd.DataFrame:
    return pd.read_csv(folder / "people.csv")


def test_noise_copies_and_a_synthesizer_are_told_apart(several, unpainted):
    kept = {name: audit.utility for name, audit in several.items()}
    left = {name: one.groups.set_index("group")["left"] for name, one in kept.items()}
    assert (left["copies"] == 1).all()
    assert (left["copies"] > left["mst"]).all()
    assert (left["mst"] > left["noise"]).all()
    assert left["noise"][EVERYONE] < 0.05 < 0.2 < left["columns"][EVERYONE] < left["mst"][EVERYONE]
    aucs = {name: one.everyone["auc"] for name, one in kept.items()}
    assert aucs["copies"] == kept["mst"].everyone["auc_real"] > 0.8
    assert aucs["mst"] > 0.7 > 0.65 > max(aucs["columns"], aucs["noise"])
    assert kept["copies"].means["holds"].all()
    share = f"{left['noise'][EVERYONE]:.0%}"
    assert kept["noise"].words.startswith(f"Utility: {share} of the table's information")
    for audit in several.values():
        words, page = audit.utility.words, report_html(audit)
        assert words in verdicts(audit)
        assert words in unescape(page)
        assert json.loads(report_json(audit))["utility"]["words"] == words
    assert several["noise"].flagged.empty


def test_errors_and_means_by_hand(folder, people, several):
    made = pd.read_csv(folder / "mst.csv")
    pairs = [("sex", "job"), ("sex", "ill"), ("job", "ill")]
    sides = [frame[frame["sex"] == "m"] for frame in (people[people["used"] == "in"], made)]

    def distance(columns):
        one, other = (side[list(columns)].value_counts(normalize=True) for side in sides)
        return one.sub(other, fill_value=0).abs().sum() / 2

    ask = {"columns": {"age": "ignore"}, "groups": ("sex",), "bands": {}}
    audit = _asked(folder, people, made.drop(columns="age"), **ask)
    row = audit.utility.groups.set_index("group").loc["sex = m"]
    assert row["tv2"] == pytest.approx(np.mean([distance(pair) for pair in pairs]))
    means = several["mst"].utility.means.set_index(["column", "group"])
    mean = means.loc[("age", "sex = m")]
    assert mean["people"] == pytest.approx(sides[0]["age"].mean())
    assert mean["mean"] == pytest.approx(sides[1]["age"].mean())
    half = 1.96 * sides[1]["age"].sem()
    assert mean["high"] - mean["mean"] == pytest.approx(half, rel=0.02)


def test_a_release_is_cut_into_the_bands_of_the_file(folder, people, several):
    """Ages that are no whole numbers make bands of other names, which are the same people."""
    made = pd.read_csv(folder / "mst.csv")
    found = _asked(folder, people, made.assign(age=made["age"] + 0.5)).utility.groups
    assert found["rows"].tolist() == several["mst"].utility.groups["rows"].tolist()


def test_a_column_that_is_missing_counts_as_drawn_evenly(folder, people):
    copies = pd.read_csv(folder / "copies.csv")
    found = _asked(folder, people, copies.drop(columns=["sex", "job"])).utility
    groups = found.groups.set_index("group")
    assert found.absent == ("sex", "job")
    assert "does not have count as even draws: sex, job." in found.words
    assert groups.loc["sex = f", ["rows", "left"]].tolist() == [0, 0]
    assert 0.1 < found.everyone["left"] < 0.9


def test_a_few_people_are_neither_shown_nor_averaged(folder, people, unpainted):
    """Of a group of 50, five are inside; of another, five rows are released."""
    people["sex"] = people["sex"].where(~people.index.isin([*range(5), *range(1000, 1045)]), "Rare")
    release = people[people["used"] == "in"].drop(columns="used")
    release = release[(release["job"] != "d") | (release.groupby("job").cumcount() < 5)]
    ask = {"groups": ("sex", "job"), "bands": {}}
    found = _asked(folder, people, release, **ask)
    groups, means = found.utility.groups.set_index("group"), found.utility.means
    assert "sex = Rare" in found.members
    assert "sex = Rare" not in groups.index
    assert found.utility.hidden == 1
    assert groups.loc["job = d", "rows"] == 5
    assert "job = d" not in set(means["group"])
    page = report_html(found)
    assert "Groups of fewer than 10 people behind the release are left out (1)" in page
    shown = _asked(folder, people, release, show_small=True, **ask)
    assert {"sex = Rare", "job = d"} <= set(shown.utility.means["group"])


def test_a_mean_or_auc_of_a_few_people_is_not_given(folder, people):
    """Ages of nine people are known, and three of the others are ill."""
    people["pay"] = people["age"].where(people.index < 9)
    ill = (people["used"] == "in") | people.index.isin([1597, 1598, 1599])
    people["ill"] = people["ill"].where(ill, "no")
    release = people[people["used"] == "in"].drop(columns="used").assign(pay=range(800))
    found = _asked(folder, people, release, columns={"pay": "number"}).utility
    assert "pay" in found.columns
    assert set(found.means["column"]) == {"age"}
    assert found.groups["auc"].isna().all()


def test_a_wide_table_says_which_columns_are_compared(folder, people):
    for i in range(9):
        people[f"more {i}"] = stream(5, "more", i).integers(0, 3, len(people))
    found = _asked(folder, people).utility
    assert (len(found.columns), found.of, found.columns[0]) == (8, 13, "ill")
    assert "8 of 13 columns are compared, drawn by chance." in found.words


def test_a_curators_first_release_is_measured_and_the_clear_half_is_not(folder):
    ask = {name: ASK[name] for name in ("sensitive", "learners", "splits", "gamma")}
    ask |= {"file": folder / "people.csv", "columns": {"used": "ignore"}}
    found = audited(**ask, curator=COPY).utility
    assert found.everyone["left"] == 1
    assert found.words.endswith("This is the first of 2 releases.")
    clear = audited(**ask)
    assert clear.utility is None
    assert json.loads(report_json(clear))["utility"] is None


# --- weights


@pytest.mark.parametrize("both", [False, True])
def test_a_person_of_weight_three_counts_as_three(folder, people, both):
    """Also in the release, if it has the weights; what learners know of people has none."""
    copies = pd.read_csv(folder / "mst.csv")
    people["w"] = 1 + people.index % 3 * (people["sex"] == "m")
    copies = copies.assign(w=2 + copies.index % 2) if both else copies

    def kept(age: str = "ignore", w: str | None = None, **how):
        kinds = {"age": age} | ({"w": w} if w else {})
        ask = {"columns": kinds, "groups": ("sex",), "bands": {}}
        return _asked(folder, people, copies, **ask, **how).utility

    weighed, counted, plain = kept(weights="w"), kept(count="w"), kept(w="ignore")
    errors = ["tv1", "tv2", "tv3"]
    found, same, other = (
        one.groups.set_index("group")[errors] for one in (weighed, counted, plain)
    )
    pd.testing.assert_frame_equal(found, same)
    assert (found - other).abs().to_numpy().max() > 0.01
    assert weighed.fresh == pytest.approx(counted.fresh, abs=0.02)  # even draws are drawn anew
    assert weighed.groups["people"].tolist() == plain.groups["people"].tolist()
    assert counted.everyone["people"] == people.loc[people["used"] == "in", "w"].sum()
    words = "on both sides." if both else "which the release does not have: its rows count once"
    assert words in weighed.words
    numbers = kept("number", weights="w"), kept("number", count="w")
    means = [one.means.query("column == 'age'")[["people", "mean"]] for one in numbers]
    pd.testing.assert_frame_equal(*means)
    if not both:  # the same learner of the same release, and people left out in these numbers
        pd.testing.assert_series_equal(*(one.groups.set_index("group")["auc"] for one in numbers))


# --- Parquet


def test_parquet_is_read_as_the_same_csv(folder, several):
    one = audited(**_given(folder, "mst.parquet", file=folder / "people.parquet"))
    two = audited(**_given(folder, "mst.csv"))
    pd.testing.assert_frame_equal(one.verdicts, two.verdicts)
    pd.testing.assert_frame_equal(one.utility.groups, two.utility.groups)


def test_a_parquet_file_without_its_extra_says_what_installs_it(folder, monkeypatch, capsys):
    real = builtins.__import__

    def without(name, *more):
        if name.startswith("pyarrow"):
            raise ModuleNotFoundError("no pyarrow", name="pyarrow")
        return real(name, *more)

    monkeypatch.setattr(builtins, "__import__", without)
    assert main(["audit", str(folder / "people.parquet"), "--sensitive", "ill"]) == 1
    said = capsys.readouterr().err
    assert "needs pyarrow" in said
    assert "pip install" in said


# --- several releases


def test_one_correction_goes_over_all_tests(several):
    verdicts = pd.concat([audit.verdicts for audit in several.values()])
    assert verdicts["adjusted"].to_numpy() == pytest.approx(holm(verdicts["p"]))
    assert {audit.tests for audit in several.values()} == {len(verdicts)}
    assert len(several["copies"].flagged)  # enough reshufflings for the tests of all
    rows = overview([*several.values()]).set_index("release")
    assert rows.loc["noise.csv", "groups flagged"] == f"0 of {len(several['noise'].members)}"
    smallest = verdicts["adjusted"].to_numpy().reshape(4, -1).min(axis=1)
    assert rows["smallest adjusted p"].tolist() == smallest.tolist()


def test_a_table_of_several_links_to_the_report_of_each(several):
    audits = [*several.values()]
    page = overview_html(audits, [f"all of it-{i}.html" for i in range(4)])
    assert 'href="all%20of%20it-3.html"' in page
    assert page.count("<h1>") == 1
    record = json.loads(overview_json(audits))
    assert len(record["releases"]) == 4
    assert f"over all {record['tests']} tests" in record["words"]
    assert record["words"] in unescape(page)


def test_the_command_takes_several_releases_and_sensitive_columns(folder, capsys, unpainted):
    words = "--sensitive ill --sensitive sex --groups sex --members used=in --learners lookup"
    words += " --splits 2 --gamma 20 --quiet --fail-on flagged --certify"
    files = [str(folder / name) for name in ("noise.csv", "copies.parquet")]
    out = folder / "several.html"
    ask = ["audit", str(folder / "people.csv"), *words.split(), "--release", *files]
    assert main([*ask, "--out", str(out), "--json", str(folder / "several.json")]) == 3
    said = "Dependence is found in 2 of 4 rows of this table: copies.parquet."
    shown = capsys.readouterr().out
    assert said in shown
    assert "epsilon is at least" in shown
    found = json.loads((folder / "several.json").read_text(encoding="utf-8"))["releases"]
    asked = [(one["release"], one["sensitive"]) for one in found]
    assert asked == [(name, c) for name in ("noise.csv", "copies.parquet") for c in ("ill", "sex")]
    for i in range(1, 5):
        path = folder / f"several-{i}.html"
        assert f'href="several-{i}.html"' in out.read_text(encoding="utf-8")
        assert "Holm" in path.read_text(encoding="utf-8")
        assert os.name != "posix" or stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(("households", "gamma"), [((1,) * 18, 5), ((3, 3, 75, 4), 20)])
def test_of_a_first_half_of_a_few_people_no_utility_is_told(households, gamma, tmp_path):
    """It ended in a KeyError, after all runs of the curator."""
    n = sum(households)
    people = _people(2 * n)[:n].drop(columns="used")
    people = people.assign(home=np.repeat(range(len(households)), households))
    people.to_csv(tmp_path / "few.csv", index=False)
    ask = {"file": tmp_path / "few.csv", "sensitive": "ill", "cluster": "home", "gamma": gamma}
    ask |= {"splits": 2, "learners": ("lookup",), "curator": COPY}
    told = audited(**ask, seed=0)
    assert (told.utility, json.loads(report_json(told))["utility"]) == (None, None)
    assert "Utility" not in report_html(told)
