"""Several releases or sensitive columns in one table, and Parquet files."""

from __future__ import annotations

import builtins
import json
import os
import stat
from html import unescape

import numpy as np
import pandas as pd
import pytest

from lib.audit.report import report_json, verdicts
from lib.audit.request import Request
from lib.audit.several import overview, overview_html, overview_json, run_audits
from lib.cli import main
from lib.rng import stream
from lib.stats.holm import holm
from tests.audit.asking import COPY, audited

ASK = {"sensitive": "ill", "groups": ("sex", "age"), "bands": {"age": (30, 45)}}
ASK |= {"members": ("used", "in"), "learners": ("lookup",)}
ASK |= {"splits": 2, "gamma": 20, "alphas": (0.4,)}
NAMES = ("copies", "columns", "noise")


def _people(n: int) -> pd.DataFrame:
    """Age and sex decide on illness, the age on the job."""
    rng = stream(5, "audit several", n)
    age, sex = rng.integers(20, 60, n), rng.choice(["f", "m"], n, p=[0.7, 0.3])
    ill = rng.random(n) < np.where((age > 45) & (sex == "f"), 0.8, 0.1)
    job = np.where(rng.random(n) < 0.8, np.array(list("abcd"))[(age - 20) // 10], "a")
    frame = pd.DataFrame({"age": age, "sex": sex, "job": job, "ill": np.where(ill, "yes", "no")})
    return frame.assign(used=np.repeat(["in", "out"], n // 2))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A file of 1,600 people of whom half are inside, and three releases."""
    folder, people, rng = tmp_path_factory.mktemp("several"), _people(1600), stream(5, "releases")
    inside = people[people["used"] == "in"].drop(columns="used")
    frames = {
        "people": people,
        "copies": inside,
        "columns": inside.apply(lambda cells: rng.permutation(cells.to_numpy())),
        "noise": inside.apply(lambda cells: rng.choice(sorted(cells.unique()), len(inside))),
    }
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
        frame.to_parquet(folder / f"{name}.parquet", index=False)
    return folder


def _given(folder, release: str, **options) -> dict:
    return ASK | {"file": folder / "people.csv", "release": folder / release} | options


@pytest.fixture(scope="module")
def several(folder):
    requests = [Request(**_given(folder, f"{name}.csv")) for name in NAMES]
    return dict(zip(NAMES, run_audits(requests, progress=False), strict=True))


def test_one_correction_goes_over_all_tests(several):
    verdicts = pd.concat([audit.verdicts for audit in several.values()])
    assert verdicts["adjusted"].to_numpy() == pytest.approx(holm(verdicts["p"]))
    assert {audit.tests for audit in several.values()} == {len(verdicts)}
    assert len(several["copies"].flagged)  # enough reshufflings for the tests of all
    assert several["noise"].flagged.empty
    rows = overview([*several.values()]).set_index("release")
    assert rows.loc["noise.csv", "groups flagged"] == f"0 of {len(several['noise'].members)}"
    smallest = verdicts["adjusted"].to_numpy().reshape(len(several), -1).min(axis=1)
    assert rows["smallest adjusted p"].tolist() == smallest.tolist()


def test_a_table_of_several_links_to_the_report_of_each(several):
    audits = [*several.values()]
    page = overview_html(audits, [f"all of it-{i}.html" for i in range(3)])
    assert 'href="all%20of%20it-2.html"' in page
    assert page.count("<h1>") == 1
    record = json.loads(overview_json(audits))
    assert len(record["releases"]) == 3
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


def test_a_finished_release_says_that_people_are_taken_as_independent(several):
    said = "if households were inside or left out as wholes, give --cluster"
    assert said in verdicts(several["copies"])[0]


def test_a_column_that_the_release_does_not_have_still_makes_groups(folder):
    pd.read_csv(folder / "copies.csv").drop(columns="sex").to_csv(folder / "few.csv", index=False)
    assert {"sex = f", "sex = m"} <= set(audited(**_given(folder, "few.csv")).members)


@pytest.mark.parametrize(("households", "gamma"), [((1,) * 18, 5), ((3, 3, 75, 4), 20)])
def test_a_curator_may_get_a_half_of_a_few_people(households, gamma, tmp_path):
    n = sum(households)
    people = _people(2 * n)[:n].drop(columns="used")
    people = people.assign(home=np.repeat(range(len(households)), households))
    people.to_csv(tmp_path / "few.csv", index=False)
    ask = {"file": tmp_path / "few.csv", "sensitive": "ill", "cluster": "home", "gamma": gamma}
    ask |= {"splits": 2, "learners": ("lookup",), "curator": COPY}
    assert json.loads(report_json(audited(**ask)))["people"] == n


# --- Parquet


def test_parquet_is_read_as_the_same_csv(folder):
    one = audited(**_given(folder, "columns.parquet", file=folder / "people.parquet"))
    two = audited(**_given(folder, "columns.csv"))
    pd.testing.assert_frame_equal(one.verdicts, two.verdicts)


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
