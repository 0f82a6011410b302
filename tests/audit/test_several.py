"""Several releases or sensitive columns in one table, and Parquet files."""

from __future__ import annotations

import json
import os
import stat
from html import unescape

import numpy as np
import pandas as pd
import pytest

from lib.audit.report import report_json
from lib.audit.request import Request
from lib.audit.several import overview, run_audits
from lib.cli import main
from lib.rng import stream
from lib.stats.p_values import holm
from tests.audit.asking import COPY, audited
from tests.audit.asking import people as of_chance

ASK = {"sensitive": "ill", "groups": ("sex", "age"), "bands": {"age": (30, 45)}}
ASK |= {"members": ("used", "in"), "learners": ("lookup",)}
ASK |= {"splits": 2, "gamma": 20, "alphas": (0.4,)}
NAMES = ("copies", "columns", "noise")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A file of 1,600 people of whom half are inside, and three releases."""
    folder, rng = tmp_path_factory.mktemp("several"), stream(5, "releases")
    people = of_chance(1600).assign(used=np.repeat(["in", "out"], 800))
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


def test_the_command_takes_several_releases_and_sensitive_columns(folder, capsys, unpainted):
    words = "--sensitive ill --sensitive sex --groups sex --members used=in --learners lookup"
    words += " --splits 2 --gamma 20 --quiet --fail-on flagged --certify"
    files = [str(folder / name) for name in ("noise.csv", "copies.parquet")]
    out = folder / "all of it.html"
    ask = ["audit", str(folder / "people.csv"), *words.split(), "--release", *files]
    assert main([*ask, "--out", str(out), "--json", str(folder / "several.json")]) == 3
    said = "Dependence is found in 2 of 4 rows of this table: copies.parquet."
    shown = capsys.readouterr().out
    assert said in shown
    assert "epsilon is at least" in shown
    record = json.loads((folder / "several.json").read_text(encoding="utf-8"))
    found, page = record["releases"], unescape(out.read_text(encoding="utf-8"))
    assert f"over all {record['tests']} tests" in record["words"]
    assert record["words"] in page
    asked = [(one["release"], one["sensitive"]) for one in found]
    assert asked == [(name, c) for name in ("noise.csv", "copies.parquet") for c in ("ill", "sex")]
    for i in range(1, 5):
        path = folder / f"all of it-{i}.html"
        assert f'href="all%20of%20it-{i}.html"' in page
        assert "Holm" in path.read_text(encoding="utf-8")
        assert os.name != "posix" or stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_column_that_the_release_does_not_have_still_makes_groups(folder):
    pd.read_csv(folder / "copies.csv").drop(columns="sex").to_csv(folder / "few.csv", index=False)
    assert {"sex = f", "sex = m"} <= set(audited(**_given(folder, "few.csv")).members)


@pytest.mark.parametrize(("households", "gamma"), [((1,) * 18, 5), ((3, 3, 75, 4), 20)])
def test_a_curator_may_get_a_half_of_a_few_people(households, gamma, tmp_path):
    n = sum(households)
    people = of_chance(n).assign(home=np.repeat(range(len(households)), households))
    people.to_csv(tmp_path / "few.csv", index=False)
    ask = {"file": tmp_path / "few.csv", "sensitive": "ill", "cluster": "home", "gamma": gamma}
    ask |= {"splits": 2, "learners": ("lookup",), "curator": COPY}
    assert json.loads(report_json(audited(**ask)))["people"] == n


# --- Parquet
