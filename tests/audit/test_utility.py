"""What a release keeps of the table, in a report of one and in a table of several."""

from __future__ import annotations

import builtins
import json
import os
import stat
import sys
from html import unescape

import numpy as np
import pandas as pd
import pytest

from lib.audit.reading import read_file
from lib.audit.report import report_html, report_json, verdicts
from lib.audit.request import Request
from lib.audit.run import run_audit
from lib.audit.several import overview, overview_html, overview_json, run_audits
from lib.cli import main
from lib.domain import Domain
from lib.groups import EVERYONE
from lib.rng import stream
from lib.stats.holm import holm
from lib.synth import MST

ASK = {
    "sensitive": "ill",
    "groups": ("sex", "age"),
    "bands": {"age": (30, 45)},
    "members": ("used", "in"),
    "learners": ("lookup",),
    "splits": 2,
    "gamma": 20,
    "alphas": (0.4,),
}
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


def _request(folder, release: str, **options) -> Request:
    named = {"file": folder / "people.csv", "release": folder / release}
    return Request(**named | ASK | options)


def _left(folder, release: str | pd.DataFrame, **options):
    if isinstance(release, pd.DataFrame):
        release.to_csv(folder / "other.csv", index=False)
        release = "other.csv"
    return run_audit(_request(folder, release, **options), progress=False)


@pytest.fixture(scope="module")
def several(folder):
    names = ("copies", "mst", "columns", "noise")
    requests = [_request(folder, f"{name}.csv") for name in names]
    return dict(zip(names, run_audits(requests, progress=False), strict=True))


def test_noise_copies_and_a_synthesizer_are_told_apart(several, unpainted):
    left = {
        name: audit.utility.groups.set_index("group")["left"] for name, audit in several.items()
    }
    assert (left["copies"] == 1).all()
    assert (left["copies"] > left["mst"]).all()
    assert (left["mst"] > left["noise"]).all()
    assert left["noise"][EVERYONE] < 0.05 < 0.2 < left["columns"][EVERYONE] < left["mst"][EVERYONE]
    aucs = {name: audit.utility.everyone["auc"] for name, audit in several.items()}
    assert aucs["copies"] == several["mst"].utility.everyone["auc_real"] > 0.8
    assert aucs["mst"] > 0.7 > 0.65 > max(aucs["columns"], aucs["noise"])
    assert several["copies"].utility.means["holds"].all()
    share = f"{left['noise'][EVERYONE]:.0%}"
    assert several["noise"].utility.words.startswith(f"Utility: {share} of the table's information")
    for audit in several.values():
        words, page = audit.utility.words, report_html(audit)
        assert words in verdicts(audit)
        assert words in unescape(page)
        assert json.loads(report_json(audit))["utility"]["words"] == words
    assert several["noise"].flagged.empty


def test_errors_and_means_by_hand(folder, several):
    people, made = (pd.read_csv(folder / f"{name}.csv") for name in ("people", "mst"))
    pairs = [("sex", "job"), ("sex", "ill"), ("job", "ill")]
    sides = [frame[frame["sex"] == "m"] for frame in (people[people["used"] == "in"], made)]

    def distance(columns):
        one, other = (side[list(columns)].value_counts(normalize=True) for side in sides)
        return one.sub(other, fill_value=0).abs().sum() / 2

    audit = _left(
        folder, made.drop(columns="age"), columns={"age": "ignore"}, groups=("sex",), bands={}
    )
    row = audit.utility.groups.set_index("group").loc["sex = m"]
    assert row["tv2"] == pytest.approx(np.mean([distance(pair) for pair in pairs]))
    means = several["mst"].utility.means.set_index(["column", "group"])
    mean = means.loc[("age", "sex = m")]
    assert mean["people"] == pytest.approx(sides[0]["age"].mean())
    assert mean["mean"] == pytest.approx(sides[1]["age"].mean())
    half = 1.96 * sides[1]["age"].sem()
    assert mean["high"] - mean["mean"] == pytest.approx(half, rel=0.02)


def test_a_release_is_cut_into_the_bands_of_the_file(folder, several):
    """Ages that are no whole numbers make bands of other names, which are the same people."""
    made = pd.read_csv(folder / "mst.csv")
    found = _left(folder, made.assign(age=made["age"] + 0.5)).utility.groups
    assert found["rows"].tolist() == several["mst"].utility.groups["rows"].tolist()


def test_a_column_that_is_missing_counts_as_drawn_evenly(folder, several):
    copies = pd.read_csv(folder / "copies.csv")
    found = _left(folder, copies.drop(columns=["sex", "job"])).utility
    groups = found.groups.set_index("group")
    assert found.absent == ("sex", "job")
    assert "does not have count as even draws: sex, job." in found.words
    assert groups.loc["sex = f", ["rows", "left"]].tolist() == [0, 0]
    assert 0.1 < found.everyone["left"] < 0.9


def test_a_few_people_are_neither_shown_nor_averaged(folder, unpainted):
    """Of a group of 50, five are inside; of another, five rows are released."""
    people = pd.read_csv(folder / "people.csv")
    people["sex"] = people["sex"].where(~people.index.isin([*range(5), *range(1000, 1045)]), "Rare")
    people.to_csv(folder / "rare.csv", index=False)
    release = people[people["used"] == "in"].drop(columns="used")
    release = release[(release["job"] != "d") | (release.groupby("job").cumcount() < 5)]
    ask = {"groups": ("sex", "job"), "bands": {}, "file": folder / "rare.csv"}
    release.to_csv(folder / "few.csv", index=False)
    request = Request(release=folder / "few.csv", **ASK | ask)
    found = run_audit(request, progress=False)
    groups, means = found.utility.groups.set_index("group"), found.utility.means
    assert "sex = Rare" in found.members
    assert "sex = Rare" not in groups.index
    assert found.utility.hidden == 1
    assert groups.loc["job = d", "rows"] == 5
    assert "job = d" not in set(means["group"])
    assert "Groups of fewer than 10 people behind the release are left out (1)" in report_html(
        found
    )
    shown = run_audit(
        Request(release=folder / "few.csv", show_small=True, **ASK | ask), progress=False
    )
    assert {"sex = Rare", "job = d"} <= set(shown.utility.means["group"])


def test_a_mean_or_auc_of_a_few_people_is_not_given(folder, unpainted):
    """Ages of nine people are known, and three of the others are ill."""
    people = pd.read_csv(folder / "people.csv")
    people["pay"] = people["age"].where(people.index < 9)
    ill = (people["used"] == "in") | people.index.isin([1597, 1598, 1599])
    people["ill"] = people["ill"].where(ill, "no")
    people.to_csv(folder / "known.csv", index=False)
    release = people[people["used"] == "in"].drop(columns="used").assign(pay=range(800))
    release.to_csv(folder / "paid.csv", index=False)
    ask = ASK | {"file": folder / "known.csv", "release": folder / "paid.csv"}
    found = run_audit(Request(**ask, columns={"pay": "number"}), progress=False).utility
    assert "pay" in found.columns
    assert set(found.means["column"]) == {"age"}
    assert found.groups["auc"].isna().all()


def test_a_wide_table_says_which_columns_are_compared(folder):
    people = pd.read_csv(folder / "people.csv")
    for i in range(9):
        people[f"more {i}"] = stream(5, "more", i).integers(0, 3, len(people))
    people.to_csv(folder / "wide.csv", index=False)
    people[people["used"] == "in"].to_csv(folder / "wide_copies.csv", index=False)
    ask = ASK | {"file": folder / "wide.csv", "release": folder / "wide_copies.csv"}
    found = run_audit(Request(**ask), progress=False).utility
    assert (len(found.columns), found.of, found.columns[0]) == (8, 13, "ill")
    assert "8 of 13 columns are compared, drawn by chance." in found.words


def test_a_curators_first_release_is_measured_and_the_clear_half_is_not(folder):
    copy = (
        f"{sys.executable} -c 'import shutil, sys; shutil.copy(*sys.argv[1:])' {{half}} {{release}}"
    )
    ask = {name: ASK[name] for name in ("sensitive", "learners", "splits", "gamma")}
    ask |= {"file": folder / "people.csv", "columns": {"used": "ignore"}}
    found = run_audit(Request(**ask, curator=copy), progress=False).utility
    assert found.everyone["left"] == 1
    assert found.words.endswith("This is the first of 2 releases.")
    clear = run_audit(Request(**ask), progress=False)
    assert clear.utility is None
    assert json.loads(report_json(clear))["utility"] is None


# --- weights and tables of counts
# ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("both", [False, True])
def test_a_person_of_weight_three_counts_as_three(folder, both):
    """Also in the release, if it has the weights; what learners know of people has none."""
    people, copies = (pd.read_csv(folder / f"{name}.csv") for name in ("people", "mst"))
    people["w"] = 1 + people.index % 3 * (people["sex"] == "m")
    copies = copies.assign(w=2 + copies.index % 2) if both else copies
    people.to_csv(folder / "weighed.csv", index=False)
    copies.to_csv(folder / "weighed_release.csv", index=False)
    ask = {"file": folder / "weighed.csv", "release": folder / "weighed_release.csv"}
    ask |= {"columns": {"age": "ignore"}, "groups": ("sex",), "bands": {}}
    weighed, counted, plain = (
        run_audit(Request(**ASK | ask | how), progress=False).utility
        for how in ({"weights": "w"}, {"count": "w"}, {"columns": {"age": "ignore", "w": "ignore"}})
    )
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
    ask = ASK | ask | {"columns": {"age": "number"}}
    weighed, counted = (
        run_audit(Request(**ask | how), progress=False).utility
        for how in ({"weights": "w"}, {"count": "w"})
    )
    means = [one.means.query("column == 'age'")[["people", "mean"]] for one in (weighed, counted)]
    pd.testing.assert_frame_equal(*means)
    if not both:  # the same learner of the same release, and people left out in these numbers
        aucs = [one.groups.set_index("group")["auc"] for one in (weighed, counted)]
        pd.testing.assert_series_equal(*aucs)


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ([1, 2.5], "cells.csv: column 'n' must be of whole numbers >= 0, got '2.5'"),
        ([1, -1], "of whole numbers >= 0, got '-1'"),
        ([1, ""], "of whole numbers >= 0, got nan"),
        ([0, 0], "of 1 to 5,000,000 people together, got 0"),
        ([1, 10**9], "of 1 to 5,000,000 people together, got 1000000001"),
    ],
)
def test_a_count_that_is_none_is_refused(tmp_path, capsys, counts, words):
    frame = pd.DataFrame({"ill": ["no", "yes"], "n": counts})
    frame.to_csv(tmp_path / "cells.csv", index=False)
    ask = ["audit", str(tmp_path / "cells.csv"), "--sensitive", "ill", "--count", "n"]
    assert main(ask) == 2
    assert words in capsys.readouterr().err
    assert main([*ask[:-1], "m"]) == 2
    assert "count column of cells.csv must be one of 'ill', 'n'" in capsys.readouterr().err


def test_weights_of_a_release_that_are_none_are_refused_before_any_work(folder, monkeypatch):
    monkeypatch.setattr("lib.audit.run._released", lambda *_: pytest.fail("it ran"))
    people = pd.read_csv(folder / "people.csv").assign(w=1)
    people.to_csv(folder / "weighed.csv", index=False)
    with pytest.raises(ValueError, match=r"weights must be finite numbers > 0 in other.csv"):
        _left(folder, people.assign(w=0), file=folder / "weighed.csv", weights="w")


# --- Parquet
# ------------------------------------------------------------------------------------------------


def test_parquet_is_read_as_the_same_csv(folder, several):
    request = _request(folder, "mst.parquet")
    request = Request(**vars(request) | {"file": folder / "people.parquet"})
    audit, csv = (
        run_audit(request, progress=False),
        run_audit(_request(folder, "mst.csv"), progress=False),
    )
    pd.testing.assert_frame_equal(audit.verdicts, csv.verdicts)
    pd.testing.assert_frame_equal(audit.utility.groups, csv.utility.groups)


def test_a_parquet_file_keeps_gaps_whole_numbers_and_truth_values(tmp_path):
    big = pd.array([2**60 + 1, None, 3], dtype="Int64")
    table = pd.DataFrame(
        {"n": big, "x": [1.5, np.nan, 2], "t": [True, None, False], "s": [" a", "NA", "b"]}
    )
    table.to_parquet(tmp_path / "t.parquet")
    found = read_file(tmp_path / "t.parquet").astype(object)
    cells = found.where(found.notna(), None).to_numpy().T.tolist()
    assert cells == [
        [str(2**60 + 1), None, "3"],
        ["1.5", None, "2.0"],
        ["True", None, "False"],
        ["a", None, "b"],
    ]


def test_a_parquet_file_that_cannot_serve_is_named(folder, tmp_path, monkeypatch, capsys):
    pd.DataFrame({"a": [[1], [2]]}).to_parquet(tmp_path / "lists.parquet")
    (tmp_path / "text.parquet").write_text("a,b\n1,2\n", encoding="utf-8")
    pd.DataFrame({"a": []}).to_parquet(tmp_path / "empty.parquet")
    for name, words in {
        "lists": "lists.parquet: column 'a' must be of one value a cell",
        "text": "text.parquet must be a Parquet file",
        "empty": "empty.parquet must be a header and at least one row",
        "none": "file must be one that exists",
    }.items():
        with pytest.raises(ValueError, match=words):
            read_file(tmp_path / f"{name}.parquet")
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
# ---------------------------------------------------------------------------------------


def test_one_correction_goes_over_all_tests(several):
    verdicts = pd.concat([audit.verdicts for audit in several.values()])
    assert verdicts["adjusted"].to_numpy() == pytest.approx(holm(verdicts["p"]))
    assert {audit.tests for audit in several.values()} == {len(verdicts)}
    assert len(several["copies"].flagged)  # enough reshufflings for the tests of all
    rows = overview([*several.values()]).set_index("release")
    assert rows.loc["noise.csv", "groups flagged"] == f"0 of {len(several['noise'].members)}"
    assert (
        rows["smallest adjusted p"].tolist()
        == verdicts.groupby(np.repeat(range(4), len(verdicts) // 4))["adjusted"].min().tolist()
    )


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
    words = "--sensitive ill --sensitive job --positive a --groups sex --members used=in"
    words = words.replace("--sensitive job --positive a", "--sensitive sex")
    words += " --learners lookup --splits 2 --gamma 20 --quiet --fail-on flagged"
    files = [str(folder / name) for name in ("noise.csv", "copies.parquet")]
    out = folder / "several.html"
    ask = ["audit", str(folder / "people.csv"), *words.split(), "--release", *files]
    assert main([*ask, "--out", str(out), "--json", str(folder / "several.json")]) == 3
    assert (
        "Dependence is found in 2 of 4 rows of this table: copies.parquet."
        in capsys.readouterr().out
    )
    found = json.loads((folder / "several.json").read_text(encoding="utf-8"))["releases"]
    asked = [(one["release"], one["sensitive"]) for one in found]
    assert asked == [(name, c) for name in ("noise.csv", "copies.parquet") for c in ("ill", "sex")]
    for i in range(1, 5):
        path = folder / f"several-{i}.html"
        assert f'href="several-{i}.html"' in out.read_text(encoding="utf-8")
        assert "Holm" in path.read_text(encoding="utf-8")
        assert os.name != "posix" or stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("releases", "words"),
    [
        ("copies.csv nowhere.csv", "file must be one that exists, got"),
        ("copies.csv copies.csv", "release must be files of different names"),
        ("copies.csv people.html.csv", "sensitive column of people.html.csv must be one of"),
    ],
)
def test_a_bad_release_among_others_is_refused_before_any_work(
    folder, releases, words, capsys, monkeypatch
):
    monkeypatch.setattr("lib.audit.several.run_audit", lambda *_, **__: pytest.fail("it ran"))
    pd.DataFrame({"age": [1, 2]}).to_csv(folder / "people.html.csv", index=False)
    files = [str(folder / name) for name in releases.split()]
    ask = ["audit", str(folder / "people.csv"), "--sensitive", "ill", "--members", "used=in"]
    assert main([*ask, "--release", *files, "--out", str(folder / "bad.html")]) == 2
    assert words in capsys.readouterr().err
    assert not [*folder.glob("bad*")]
