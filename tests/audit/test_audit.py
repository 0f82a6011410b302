"""Audits with a known answer: planted leaks are found, harmless releases are flagged no more
often than stated.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from lib.audit.report import (
    alpha_table,
    beta_table,
    coherence,
    dependence,
    epsilon_table,
    group_table,
    paragraphs,
    report_html,
    report_json,
    verdicts,
)
from lib.audit.request import command_words
from lib.audit.run import Request, run_audit
from lib.audit.theorems import epsilons
from lib.audit.verdicts import (
    MET,
    NOT_MET,
    ONE_SPLIT,
    UNDECIDED,
    coherence_verdicts,
    overall,
    splits_needed,
)
from lib.cli import main
from lib.coherence.distances import split_distance
from lib.coherence.experiment import Result
from lib.coherence.guarantee import MODES, Setting, required_size
from lib.groups import bands_in_order
from lib.rng import stream
from tests.conftest import FALSE_ALARM

LOOSE = {"gamma": 40, "alphas": (0.2, 1.0), "splits": 4, "learners": ("lookup",)}


def _people(n: int, key: object = 0) -> pd.DataFrame:
    """Ages, sex and a place; the sensitive value hangs on the age only."""
    rng = stream(5, "audit people", n, key)
    age = rng.integers(18, 90, n)
    return pd.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["f", "m"], n),
            "place": rng.integers(0, 30, n),
            "ill": np.where(rng.random(n) < 0.1 + 0.3 * (age > 60), "yes", "no"),
        }
    )


def _shuffled(people: pd.DataFrame, n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Rows of which each column is drawn by itself from a fixed list, so that nobody is in them."""
    return pd.DataFrame({name: rng.choice(sorted(people[name].unique()), n) for name in people})


@pytest.fixture
def files(tmp_path):
    """``inside.csv`` and ``outside.csv``: a random half each; ``leak.csv``: the first in the
    clear; ``harmless.csv``.
    """
    people, rng = _people(600), stream(5, "audit harmless")
    parts = {
        "people": people,
        "inside": people[:300],
        "outside": people[300:],
        "leak": people[:300],
        "harmless": _shuffled(_people(300, "others"), 300, rng),
    }
    for name, part in parts.items():
        part.to_csv(tmp_path / f"{name}.csv", index=False)
    return tmp_path


def _release(files, name: str, **options) -> Request:
    return Request(
        file=files / "inside.csv",
        sensitive="ill",
        groups=("sex",),
        release=files / f"{name}.csv",
        holdout=files / "outside.csv",
        **(LOOSE | options),
    )


def test_a_leaky_release_is_flagged_in_every_group_and_a_harmless_one_in_none(files):
    leak = run_audit(
        _release(files, "leak", false_alarm=0.01, learners=("lookup", "forest")), progress=False
    )
    assert leak.verdicts.query("learner == 'lookup'")["flagged"].all()
    assert leak.verdicts.query("learner == 'forest' and group == 'ill = yes'")["flagged"].all()
    harmless = run_audit(_release(files, "harmless", false_alarm=0.01), progress=False)
    assert not harmless.verdicts["flagged"].any()
    assert (leak.inside, leak.n, leak.release_rows) == (300, 600, 300)


@pytest.mark.thorough("long statistics")
def test_a_harmless_release_is_flagged_as_often_as_stated(tmp_path, monkeypatch):
    """40 audits at rate 0.2; the count is a binomial's at most, and this quantile is exceeded
    once in a million.
    """
    monkeypatch.setattr("lib.audit.run.epsilons", lambda *_: None)  # nothing asks the theorems
    rate, found, times = 0.2, 0, 40
    for i in range(times):
        people, rng = _people(120, i), stream(5, "audit size", i)
        people[:60].to_csv(tmp_path / "inside.csv", index=False)
        people[60:].to_csv(tmp_path / "outside.csv", index=False)
        _shuffled(people, 200, rng).to_csv(tmp_path / "harmless.csv", index=False)
        lens = {"lens": ("age", "sex"), "gamma": 20, "splits": 2, "false_alarm": rate, "seed": i}
        found += len(run_audit(_release(tmp_path, "harmless", **lens), progress=False).flagged) > 0
    assert found <= stats.binom.isf(FALSE_ALARM, times, rate)


def test_the_clear_half_of_unique_records_is_flagged_and_a_constant_lens_tells_nothing(tmp_path):
    people = _people(400).assign(tag=stream(5, "tags").permutation(400))
    people.to_csv(tmp_path / "people.csv", index=False)
    ask = {"file": tmp_path / "people.csv", "sensitive": "ill", "groups": ("sex",)}
    audit = run_audit(Request(**ask, lens=("tag",), **LOOSE), progress=False)
    assert audit.verdicts["flagged"].all()
    assert (audit.results["lookup"].rows["distance"] == 2).all()
    coarse = run_audit(Request(**ask, lens=("sex",), **LOOSE), progress=False)
    assert not coarse.verdicts["flagged"].any()


@pytest.mark.parametrize(
    "options", [{"release": "leak.csv", "holdout": "outside.csv"}, {"splits": 2}]
)
def test_a_rate_that_would_take_for_ever_is_refused(files, options):
    paths = {
        name: files / value if isinstance(value, str) else value for name, value in options.items()
    }
    ask = {"file": files / "inside.csv", "sensitive": "ill"} | LOOSE | paths
    with pytest.raises(
        ValueError,
        match=r"false_alarm must be so large that 3 tests take .* got 1e-13, which takes [\d,]+",
    ):
        run_audit(Request(**ask, false_alarm=1e-13), progress=False)


def test_a_release_audit_is_the_same_whatever_the_workers(files):
    one, two = (
        run_audit(_release(files, "leak", workers=workers), progress=False) for workers in (1, 2)
    )
    pd.testing.assert_frame_equal(one.verdicts, two.verdicts)


def test_few_splits_are_made_up_for_by_more_reshufflings(tmp_path):
    _people(400).assign(tag=range(400)).to_csv(tmp_path / "people.csv", index=False)
    audit = run_audit(
        Request(
            file=tmp_path / "people.csv",
            sensitive="ill",
            groups=("sex",),
            lens=("tag",),
            **(LOOSE | {"splits": 2}),
        ),
        progress=False,
    )
    assert audit.verdicts["flagged"].all()


def test_members_marked_in_the_file_are_the_same_experiment_as_a_holdout(files):
    people = pd.read_csv(files / "people.csv").assign(used=["in"] * 300 + ["out"] * 300)
    people.to_csv(files / "marked.csv", index=False)
    marked = Request(
        file=files / "marked.csv",
        sensitive="ill",
        groups=("sex",),
        release=files / "leak.csv",
        members=("used", "in"),
        **LOOSE,
    )
    one, two = run_audit(marked, progress=False), run_audit(_release(files, "leak"), progress=False)
    pd.testing.assert_frame_equal(one.verdicts, two.verdicts)


def test_a_curator_is_rerun_on_each_half(files):
    copy = (
        f'{sys.executable} -c "import shutil, sys; shutil.copy(*sys.argv[1:])" {{half}} {{release}}'
    )
    ask = {"file": files / "people.csv", "sensitive": "ill", "groups": ("sex",)}
    through = run_audit(Request(**ask, curator=copy, **LOOSE), progress=False)
    clear = run_audit(Request(**ask, **LOOSE), progress=False)
    found = (audit.results["lookup"].rows["distance"] for audit in (through, clear))
    assert np.array_equal(*found)
    blank = (
        f'{sys.executable} -c "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"'
        f" {files / 'harmless.csv'} {{release}} {{half}}"
    )
    assert (
        not run_audit(Request(**ask, curator=blank, **LOOSE), progress=False)
        .verdicts["flagged"]
        .any()
    )


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (
            "no-such-program-anywhere {half} {release}",
            "curator must be a command that can be started",
        ),
        (
            f'{sys.executable} -c "raise SystemExit(3)" {{half}} {{release}}',
            "curator must make a release, got exit status 3 and none",
        ),
    ],
)
def test_a_curator_that_fails_is_told(files, command, words):
    with pytest.raises(ValueError, match=words):
        run_audit(
            Request(file=files / "people.csv", sensitive="ill", curator=command, **LOOSE),
            progress=False,
        )


# --- two verdicts
# -------------------------------------------------------------------------------------------------------


def test_a_small_distance_is_flagged_as_dependence_and_not_as_more_than_alpha(tmp_path):
    """One person in twenty can be looked up, so W1 is about 0.1 in every split: certain, and
    below alpha = 0.2.
    """
    people = _people(800)
    people["tag"] = np.where(np.arange(800) % 20 == 0, np.arange(800).astype(str), "same")
    people.to_csv(tmp_path / "people.csv", index=False)
    ask = {
        "file": tmp_path / "people.csv",
        "sensitive": "ill",
        "lens": ("tag",),
        "alphas": (0.01, 0.2),
    }
    audit = run_audit(Request(**LOOSE | ask | {"gamma": 500, "splits": 20}), progress=False)
    distance = audit.results["lookup"].summary().set_index("group").loc["everyone", "distance"]
    assert 0.06 < distance < 0.14
    assert dependence(audit).startswith("Dependence: not independent. In 2 of 2 groups")
    (_, low, said_low), (_, high, said_high) = coherence(audit)
    assert (low, high) == (NOT_MET, UNDECIDED)
    assert (
        "more than 0.01 apart in 20 of 20 splits (share 1.00, 95% interval 0.83 to 1.00)"
        in said_low
    )
    assert (
        "more than 0.2 apart in 0 of 20 splits (share 0.00, 95% interval 0.00 to 0.17)" in said_high
    )
    assert "72 such splits" in said_high
    record = json.loads(report_json(audit))
    assert record["dependence"]["verdict"] == "not independent"
    assert [found["verdict"] for found in record["coherence"]["verdicts"]] == [NOT_MET, UNDECIDED]
    assert all(words in unescape(report_html(audit)) for words in verdicts(audit))


def _distances(*columns: list[float]) -> SimpleNamespace:
    rows = pd.DataFrame(
        [
            {"split": i, "group": f"g{j}", "n": 9, "distance": d, "null": 0.1}
            for j, column in enumerate(columns)
            for i, d in enumerate(column)
        ]
    )
    return Result(rows)


def test_the_verdict_on_alpha_weighs_the_share_of_splits_against_beta(files):
    ask = Request(
        file=files / "people.csv",
        sensitive="ill",
        alphas=(0.3,),
        beta=0.05,
        learners=("lookup", "forest"),
    )
    clean, often = (
        _distances([0.1] * 90, [0.2] * 90),
        _distances([0.1] * 90, [0.4] * 20 + [0.2] * 70),
    )
    once = _distances([0.4] + [0.1] * 89, [0.2] * 90)
    for second, words in ((clean, MET), (often, NOT_MET), (once, UNDECIDED)):
        found = coherence_verdicts(ask, {"lookup": clean, "forest": second})
        assert overall(found["verdict"]) == words
        assert found["verdict"].tolist() == [MET, words]
        assert found["exceeding"].tolist() == [0, {MET: 0, NOT_MET: 20, UNDECIDED: 1}[words]]
    alone = coherence_verdicts(ask, {"lookup": often}).iloc[0]
    low, high = stats.binomtest(20, 90).proportion_ci(method="exact")
    assert (alone.low, alone.high) == pytest.approx((low, high))
    assert (alone.group, alone.share) == ("g1", 20 / 90)
    for learners in (1, 2):  # the number that the report names does decide, and one fewer does not
        n = splits_needed(0.05, learners)
        assert 1 - (0.025 / learners) ** (1 / n) <= 0.05 < 1 - (0.025 / learners) ** (1 / (n - 1))


def test_a_finished_release_has_no_share_of_splits(files):
    audit = run_audit(_release(files, "leak"), progress=False)
    assert set(audit.coherence["verdict"]) == {ONE_SPLIT}
    assert "no share of splits can be compared with beta" in coherence(audit)[0][2]
    assert "is more than 0.2 apart" in coherence(audit)[0][2]
    ((verdict, words),) = paragraphs(audit)  # a box for each alpha said the same four times
    assert verdict == ONE_SPLIT
    distance = audit.coherence["distance"].max()
    assert all(f"{a:g}" in words.split(") is ")[1] for a in audit.request.alphas)
    assert ("not more than" in words) == any(a >= distance for a in audit.request.alphas)
    assert json.loads(report_json(audit))["coherence"]["learners"][0]["share"] is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"release": "leak.csv"}, "A release of everybody leaves nobody to compare with"),
        ({"release": "leak.csv", "holdout": "outside.csv", "members": ("sex", "f")}, "one of them"),
        ({"holdout": "outside.csv"}, "release must be given, as holdout is, got None"),
        ({"curator": "cp {half}"}, "curator must be a command with {half} and {release}"),
        (
            {"release": "leak.csv", "holdout": "outside.csv", "curator": "{half} {release}"},
            "a curator is rerun",
        ),
        (
            {"learners": ("oracle",)},
            "learner must be one of 'forest', 'forest, leaves of 20', 'boosting', 'logistic', 'lookup', got ",
        ),
        ({"alphas": (3.0,)}, "alpha must be a number >= 1e-06 and <= 2, got 3.0"),
        ({"splits": 1}, "splits must be an integer >= 2, got 1"),
        ({"learners": ()}, "at least one of each"),
        (
            {"columns": {"age": "text"}},
            "kind of age must be one of 'category', 'number', 'ignore', got 'text'",
        ),
        ({"alphas": (1e-9,)}, "alpha must be a number >= 1e-06 and <= 2, got 1e-09"),
        ({"alphas": (1e-170,)}, "<= 2, got 1e-170"),
        (
            {"bands": {"age": (30, 40)}},
            "bands must be of a column in groups or crossings, got 'age'",
        ),
        (
            {"groups": ("age",), "bands": {"age": (30, float("nan"))}},
            "bands of 'age' must be finite numbers",
        ),
        (
            {"release": "leak.csv", "members": ("ill", "yes")},
            "members must be another column than the sensitive one, got 'ill'",
        ),
        (
            {"curator": "cp '{half} {release}"},
            "curator must be a command with closed quotes (No closing quotation)",
        ),
        (
            {"file": "three.csv", "gamma": 1},
            "three.csv must be of at least 4 people with a value of 'ill', got 3",
        ),
        (
            {"release": "leak.csv", "holdout": "one.csv", "gamma": 1},
            "at least 2 people with a value of 'ill' inside and 2 left out, got 300 and 1",
        ),
        ({"beta": 1e-305}, "beta must be at least 1e-300, got 1e-305"),
        ({"beta": 0}, "beta must be a number in (0, 1), got 0"),
        ({"labels": "soft"}, "labels must be one of 'confidence', 'hard', got 'soft'"),
        ({"gamma": 10_000}, "gamma must be at most 300, the size of the largest group, got 10000"),
        ({"groups": ("race",)}, "column must be one of 'age', 'sex', 'place', 'ill', got 'race'"),
        (
            {"lens": ("age", "race")},
            "column must be one of 'age', 'sex', 'place', 'ill', got 'race'",
        ),
        (
            {"release": "leak.csv", "holdout": "inside.csv"},
            "inside.csv must hold people who were left out, got the rows of inside.csv",
        ),
        (
            {"release": "leak.csv", "members": ("sex", "x")},
            "members value must be one of 'f', 'm', got 'x'",
        ),
        (
            {"release": "no_target.csv", "holdout": "outside.csv"},
            "sensitive column of no_target.csv must be one of 'age', 'sex', 'place', got 'ill'",
        ),
        (
            {"release": "leak.csv", "holdout": "no_target.csv"},
            "must have the columns of inside.csv, got another 'ill'",
        ),
        (
            {"release": "other_values.csv", "holdout": "outside.csv"},
            "column 'age' must hold numbers, got 'old'",
        ),
    ],
)
def test_questions_that_are_refused(files, options, words):
    people = pd.read_csv(files / "inside.csv")
    people.drop(columns="ill").to_csv(files / "no_target.csv", index=False)
    people.assign(age="old").to_csv(files / "other_values.csv", index=False)
    people.drop_duplicates("ill").head(1).to_csv(files / "one.csv", index=False)
    pd.concat([people.drop_duplicates("ill"), people.head(1)]).to_csv(
        files / "three.csv", index=False
    )
    paths = {k: files / v if k in ("file", "release", "holdout") else v for k, v in options.items()}
    with pytest.raises(ValueError) as error:
        run_audit(
            Request(
                **(
                    {"file": files / "inside.csv", "sensitive": "ill", "groups": ("sex",)}
                    | LOOSE
                    | paths
                )
            ),
            progress=False,
        )
    assert words in str(error.value)


# --- releases that are spelt otherwise than the file
# ---------------------------------------------------------------


@pytest.fixture
def coded(tmp_path):
    """``coded.csv``: codes with gaps, ZIP codes and an answer of 0 and 1, 300 marked as in;
    returns the table.
    """
    people, rng = _people(600, "coded"), stream(5, "audit coded")
    people["ill"] = (people["ill"] == "yes").astype(int)
    people["edu"] = pd.array(rng.integers(0, 15, 600), dtype="Int64")
    people.loc[rng.random(600) < 0.02, "edu"] = pd.NA
    people["zip"] = [f"{k:05d}" for k in rng.integers(0, 3000, 600)]
    people["used"] = ["in"] * 300 + ["out"] * 300
    people.to_csv(tmp_path / "coded.csv", index=False)
    return people


def _leak(folder, release: pd.DataFrame, **options):
    release.to_csv(folder / "spelt.csv", index=False)
    ask = {
        "groups": ("sex",),
        "lens": ("age", "edu", "zip"),
        "learners": ("lookup", "forest"),
        "splits": 2,
    }
    return run_audit(
        Request(
            file=folder / "coded.csv",
            sensitive="ill",
            members=("used", "in"),
            release=folder / "spelt.csv",
            **(LOOSE | ask | options),
        ),
        progress=False,
    )


def test_a_leak_is_flagged_however_its_numbers_are_spelt(coded, tmp_path):
    half = coded[coded["used"] == "in"]
    plain = _leak(tmp_path, half)
    assert plain.verdicts.query("learner == 'lookup'")["flagged"].all()
    floats = half.assign(
        ill=half["ill"].astype(float), edu=half["edu"].astype(float), age=half["age"].astype(float)
    )
    assert "1.0" in floats.head().to_csv()
    audit = _leak(tmp_path, floats)
    pd.testing.assert_frame_equal(audit.verdicts, plain.verdicts)
    assert audit.warnings == ()


def test_what_a_round_trip_through_pandas_loses_is_refused_or_told(coded, tmp_path, unpainted):
    """Read without dtype=str, ZIP codes lose their zeros: all of these codes are unknown to the
    file.
    """
    back = pd.read_csv(tmp_path / "coded.csv").query("used == 'in'")
    with pytest.raises(
        ValueError,
        match=r"'zip' must have a value that occurs in coded\.csv, got none \(the first is '\d+'\)",
    ):
        _leak(tmp_path, back)
    some = back.assign(zip=back["zip"].where(back["age"] < 60, coded["zip"]))
    audit = _leak(tmp_path, some, learners=("lookup",))
    share = (back["age"] < 60).mean()
    assert (
        f"{share:.1%} of the released values of zip do not occur in coded.csv"
        in verdicts(audit)[-1]
    )
    assert f">{(back['age'] < 60).sum()}</td>" in report_html(audit)
    without = _leak(tmp_path, back, lens=("age", "edu"), learners=("lookup",))
    assert without.warnings == ()
    assert without.verdicts.query("learner == 'lookup' and group == 'everyone'")["flagged"].all()


def test_a_release_without_a_positive_row_is_refused_or_told(coded, tmp_path):
    half = coded[coded["used"] == "in"]
    with pytest.raises(
        ValueError, match=r"must have a row with ill = '1', got none, and values .* as '(yes|no)'"
    ):
        _leak(tmp_path, half.assign(ill=np.where(half["ill"] == 1, "yes", "no")))
    healthy = _leak(tmp_path, half[half["ill"] == 0], learners=("forest",))
    assert dependence(healthy).startswith("Dependence: none found.")
    assert "The release holds one value only of ill" in verdicts(healthy)[-1]
    odd = half.assign(ill=half["ill"].astype(str).mask(half.index == 5, "2"))
    assert (
        "0.3% of the released values of ill"
        in verdicts(_leak(tmp_path, odd, learners=("lookup",)))[-1]
    )


def test_a_curator_that_writes_floats_is_caught_like_one_that_copies(coded, tmp_path, unpainted):
    script = tmp_path / "floats.py"
    script.write_text(
        "import sys\nimport pandas as pd\ntable = pd.read_csv(sys.argv[1], dtype={'zip': str})\n"
        "table.astype({'ill': float, 'age': float}).to_csv(sys.argv[2], index=False)\n",
        encoding="utf-8",
    )
    copy = "import shutil, sys; shutil.copy(*sys.argv[1:])"
    ask = (
        {"file": tmp_path / "coded.csv", "sensitive": "ill", "columns": {"used": "ignore"}}
        | LOOSE
        | {"splits": 2}
    )
    floats = run_audit(
        Request(**ask, curator=f"{sys.executable} {script} {{half}} {{release}}"), progress=False
    )
    copied = run_audit(
        Request(**ask, curator=f'{sys.executable} -c "{copy}" {{half}} {{release}}'), progress=False
    )
    pd.testing.assert_frame_equal(floats.verdicts, copied.verdicts)
    assert floats.flagged["group"].nunique() == len(floats.members)
    assert (
        "Released values that the file does not hold, by column, all releases together"
        in report_html(floats)
    )


def test_a_holdout_that_is_spelt_otherwise_is_the_same_people(coded, tmp_path):
    halves = dict(list(coded.drop(columns="used").groupby(coded["used"])))
    halves["in"].to_csv(tmp_path / "in.csv", index=False)
    for name, out in {
        "same": halves["out"],
        "floats": halves["out"].astype({"edu": float, "ill": float}),
    }.items():
        out.to_csv(tmp_path / f"{name}.csv", index=False)
    ask = {
        "file": tmp_path / "in.csv",
        "sensitive": "ill",
        "groups": ("edu",),
        "release": tmp_path / "in.csv",
    } | LOOSE
    one, two = (
        run_audit(Request(**ask | {"gamma": 20}, holdout=tmp_path / f), progress=False)
        for f in ("same.csv", "floats.csv")
    )
    pd.testing.assert_frame_equal(one.verdicts, two.verdicts)


# --- a curator is run once a split
# ------------------------------------------------------------------------------------


@pytest.fixture
def fickle(files):
    """A curator without {seed}, which draws anew at each run and keeps a list of its runs."""
    script = files / "fickle.py"
    script.write_text(
        "import random, sys\nlines = open(sys.argv[1]).read().splitlines()\n"
        "open(sys.argv[3], 'a').write('run\\n')\nrows = random.choices(lines[1:], k=40)\n"
        "open(sys.argv[2], 'w').write('\\n'.join([lines[0], *rows]))\n",
        encoding="utf-8",
    )
    return f"{sys.executable} {script} {{half}} {{release}} {files / 'runs.txt'}"


def test_all_learners_and_figures_read_the_same_release(files, fickle):
    audit = run_audit(
        Request(
            file=files / "people.csv",
            sensitive="ill",
            curator=fickle,
            sandbox="off",  # in one it could not keep a list
            **LOOSE | {"learners": ("lookup", "forest")},
        ),
        progress=False,
    )
    assert (files / "runs.txt").read_text(encoding="utf-8").count("run") == LOOSE["splits"]
    for name, (h, inside, members) in audit.first_split.items():
        rows = audit.results[name].rows.query("split == 0").set_index("group")
        for group, who in members.items():
            assert split_distance(h[who], inside[who]) == rows.loc[group, "distance"], (name, group)


def test_only_a_report_that_can_be_made_again_says_so(files, fickle, unpainted):
    ask = {"file": files / "people.csv", "sensitive": "ill"} | LOOSE | {"splits": 2}
    assert "The same files and options give the same report." in report_html(
        run_audit(Request(**ask), progress=False)
    )
    anew = report_html(run_audit(Request(**ask, curator=fickle, sandbox="off"), progress=False))
    assert "The same files and options give the same report" not in anew
    assert "another report" in anew
    assert "by its {seed} alone" in report_html(
        run_audit(Request(**ask, curator=fickle + " {seed}", sandbox="off"), progress=False)
    )


def test_tiny_groups_and_rows_without_an_answer_are_left_out_and_named(files, unpainted):
    people = pd.read_csv(files / "people.csv")
    people.loc[:9, "sex"] = "x"
    people.loc[590:, "ill"] = None
    people.to_csv(files / "gaps.csv", index=False)
    audit = run_audit(
        Request(file=files / "gaps.csv", sensitive="ill", groups=("sex",), **LOOSE), progress=False
    )
    assert audit.small == {"sex = x": 10}
    assert audit.dropped_rows == 10
    assert "sex = x (10)" in report_html(audit)


def test_alpha_in_people_by_hand_and_the_size_that_an_epsilon_takes(files):
    audit = run_audit(Request(file=files / "people.csv", sensitive="ill", **LOOSE), progress=False)
    everyone = alpha_table(audit).set_index("group").loc["everyone"]
    assert (everyone["people"], everyone["alpha 0.2"], everyone["alpha 1"]) == (600, 60, 300)
    small = audit.epsilons.query("alpha == 0.2").iloc[0]
    assert np.isnan(small.epsilon)
    assert small.words == "none, however large the noise"
    known = Setting(alpha=0.2, beta=0.05, collection=3, n=small.people, epsilon=0.1, mode="within")
    assert small.needed == np.ceil(required_size(known)[0])
    assert small.people == np.ceil(small.needed * 600 / small.smallest)
    # a table of that many has an answer, in one with a person less the smallest group is too small
    sizes = {name: int(who.sum()) for name, who in audit.members.items()}
    for people, found in ((small.needed, True), (small.needed - 1, False)):
        times = people / min(sizes.values())
        members = {g: np.arange(small.people) < round(n * times) for g, n in sizes.items()}
        table = SimpleNamespace(inside=np.ones(small.people, dtype=bool), members=members)
        row = epsilons(audit.request, table).query("alpha == 0.2").iloc[0]
        assert (row.epsilon >= 0.1) == found
        assert row.large == len(sizes) - (not found)


def test_the_epsilon_that_is_printed_is_accepted_by_its_bound(files):
    """Rounded to the nearest, half of the printed values would be too large."""
    table = SimpleNamespace(
        inside=np.ones(600, dtype=bool), members={"everyone": np.ones(600, dtype=bool)}
    )
    alphas = tuple(np.linspace(0.9, 1.9, 12))
    request = Request(file=files / "people.csv", sensitive="ill", alphas=alphas)
    found = epsilons(request, table)
    shown = epsilon_table(SimpleNamespace(epsilons=found))
    answered = shown[shown["largest epsilon"].notna()]
    assert len(answered) > 10
    for i in answered.index:
        row, printed = found.loc[i], float(format(shown["largest epsilon"][i], ".3g"))
        known = {
            "alpha": row.alpha,
            "beta": request.beta,
            "n": 600,
            "collection": 1,
            "mode": row["mode"],
        }
        assert (
            required_size(replace(Setting(**known, gamma=600), epsilon=printed, gamma=None))[0]
            <= 600
        )


def test_a_group_of_everyone_among_an_odd_number_is_no_larger_than_the_data(files):
    pd.read_csv(files / "people.csv").head(599).to_csv(files / "odd.csv", index=False)
    audit = run_audit(
        Request(file=files / "odd.csv", sensitive="ill", **LOOSE | {"gamma": 599}), progress=False
    )
    assert (audit.epsilons["smallest"] == audit.epsilons["n"]).all()


def test_the_same_request_gives_the_same_report_whatever_the_workers(files):
    ask = {"file": files / "people.csv", "sensitive": "ill", "groups": ("sex",)}
    one, two, other = (
        run_audit(Request(**ask, **LOOSE, **more), progress=False)
        for more in ({}, {"workers": 2}, {"seed": 1})
    )
    assert report_html(one) == report_html(two)
    rows = [audit.results["lookup"].rows["distance"] for audit in (one, other)]
    assert not rows[0].equals(rows[1])


# --- the page
# -------------------------------------------------------------------------------------------------------


class _Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def of(self, tag: str) -> list[dict]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    _people(400).assign(sex=lambda d: d["sex"].replace("m", "<b>&'m")).to_csv(
        folder / "people.csv", index=False
    )
    audit = run_audit(
        Request(
            file=folder / "people.csv",
            sensitive="ill",
            groups=("sex", "age"),
            learners=("lookup", "forest"),
            gamma=40,
            splits=3,
        ),
        progress=False,
    )
    return audit, report_html(audit)


def test_the_page_asks_nothing_from_outside(report):
    text = report[1]
    assert not re.search(r"https?:|//[a-z]", re.sub(r'"data:image/png;base64,[^"]*"', "", text))
    page = _Page(text)
    assert not {"script", "link", "iframe", "object", "form"} & {tag for tag, _ in page.tags}
    assert all(image["src"].startswith("data:image/png;base64,") for image in page.of("img"))
    assert "default-src 'none'" in text


def test_every_group_and_learner_is_named_and_escaped(report):
    audit, text = report
    assert "<b>" not in text
    assert "&lt;b&gt;&amp;" in text
    for name in audit.members:
        assert name in unescape(text)
    assert all(f"Learner: {name}" in text for name in audit.results)
    assert all(words in unescape(text) for words in verdicts(audit))


def test_the_page_can_be_read_by_everyone(report):
    page = _Page(report[1])
    assert page.of("html")[0]["lang"] == "en"
    assert "width=device-width" in page.of("meta")[1]["content"]
    assert len(page.of("h1")) == len(page.of("main")) == 1
    assert all(len(image["alt"]) > 40 for image in page.of("img"))
    assert all(cell.get("scope") in ("row", "col") for cell in page.of("th"))
    assert all(
        part["tabindex"] == "0" and part["aria-label"]
        for part in page.of("div")
        if part.get("class") == "scroll"
    )
    assert "prefers-color-scheme: dark" in report[1]
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_the_table_of_a_learner_agrees_with_its_result(report):
    audit, _ = report
    shown = group_table(audit, "lookup").set_index("group")
    summary = (
        audit.results["lookup"].summary().set_index("group").loc[bands_in_order(audit.members)]
    )
    assert (shown["W1"] == summary["distance"]).all()
    assert (shown["as if moved"] == summary["distance"] / 2 * summary["n"]).all()


# --- the command
# ----------------------------------------------------------------------------------------------------


def test_the_command_writes_a_report_and_says_where(files, capsys):
    out = files / "report.html"
    assert (
        main(
            [
                "audit",
                str(files / "people.csv"),
                "--sensitive",
                "ill",
                "--groups",
                "sex",
                "age",
                "--bands",
                "age=40,65",
                "--crossings",
                "sex,age",
                "--columns",
                "place=category",
                "--learner",
                "lookup",
                "--splits",
                "2",
                "--gamma",
                "40",
                "--alpha",
                "0.5",
                "--out",
                str(out),
                "--json",
                str(files / "report.json"),
                "--quiet",
            ]
        )
        == 0
    )
    said, record = (
        capsys.readouterr().out,
        json.loads((files / "report.json").read_text(encoding="utf-8")),
    )
    assert out.as_uri() in said
    assert record["dependence"]["words"] in said
    assert record["coherence"]["verdicts"][0]["words"] in said
    assert record["coherence"]["verdicts"][0]["alpha"] == 0.5
    text = out.read_text(encoding="utf-8")
    assert "sex = f &amp; age = 40-64" in text
    assert re.search(r">place</th><td[^>]*>category</td><td[^>]*>declared<", text)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--sensitive", "nobody"], "must be one of 'age', 'sex', 'place', 'ill', got 'nobody'"),
        (["--sensitive", "ill", "--columns", "age"], "columns must be NAME=VALUE, got 'age'"),
        (["--sensitive", "ill", "--bands", "age=old"], "bands must be a number, got 'old'"),
        (
            ["--sensitive", "ill", "--out", "report.txt"],
            "out must be a .html file in a folder that exists, and no input, got 'report.txt'",
        ),
        (
            ["--sensitive", "ill", "--release", "nowhere.csv", "--members", "sex=f"],
            "file must be one that exists, got 'nowhere.csv'",
        ),
    ],
)
def test_a_wrong_option_is_told_with_status_two(files, more, words, capsys):
    assert main(["audit", str(files / "people.csv"), *more]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("out", ["folder.html", "x" * 300 + ".html"])
def test_a_report_that_cannot_be_written_is_told_before_the_audit(files, out, capsys, monkeypatch):
    (files / "folder.html").mkdir()
    monkeypatch.setattr("lib.cli.audit.run_audits", lambda *_, **__: pytest.fail("the audit ran"))
    assert (
        main(["audit", str(files / "people.csv"), "--sensitive", "ill", "--out", str(files / out)])
        == 2
    )
    assert "out must be a file that can be written" in capsys.readouterr().err


def test_a_failing_audit_leaves_no_empty_report_and_an_old_one_as_it_was(files, capsys):
    old = files / "old.html"
    old.write_text("old", encoding="utf-8")
    for out in (old, files / "new.html"):
        assert (
            main(["audit", str(files / "people.csv"), "--sensitive", "nobody", "--out", str(out)])
            == 2
        )
    assert old.read_text(encoding="utf-8") == "old"
    assert not (files / "new.html").exists()


def test_an_error_of_the_file_system_is_a_message(files, capsys, monkeypatch):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("lib.cli.audit.run_audits", full)
    ask = ["audit", str(files / "people.csv"), "--sensitive", "ill", "--out", str(files / "r.html")]
    assert main(ask) == 1
    assert "No space left" in capsys.readouterr().err


def test_alphas_and_learners_that_are_named_twice_count_once(files):
    ask = Request(
        file=files / "people.csv",
        sensitive="ill",
        alphas=(0.2, 1.0, 0.2, 0.20000000001),
        learners=("lookup",) * 2,
    )
    assert (ask.alphas, ask.learners) == ((0.2, 1.0), ("lookup",))
    audit = run_audit(
        Request(file=files / "people.csv", sensitive="ill", **LOOSE | {"alphas": (0.2, 0.2)}),
        progress=False,
    )
    assert alpha_table(audit).columns.tolist() == ["group", "people", "alpha 0.2"]


def test_a_curator_that_speaks_another_encoding_is_told(files):
    speak = "import sys; sys.stderr.buffer.write(b'caf\\xe9 closed'); sys.exit(1)"
    with pytest.raises(
        ValueError, match=r"must make a release, got exit status 1 and none from .*: caf. closed"
    ):
        run_audit(
            Request(
                file=files / "people.csv",
                sensitive="ill",
                curator=f'{sys.executable} -c "{speak}" {{half}} {{release}}',
                **LOOSE,
            ),
            progress=False,
        )


def test_every_bound_of_the_solver_has_a_name_in_the_report():
    found = pd.DataFrame([(0.2, 1.0, mode, 1, 1, 1, "") for mode in MODES])
    found.columns = ["alpha", "epsilon", "mode", "needed", "large", "people", "words"]
    names = epsilon_table(SimpleNamespace(epsilons=found))["bound"]
    assert names.nunique() == len(MODES)
    assert "–" not in set(names)


def test_a_group_that_no_split_had_on_both_sides_has_no_share():
    share = {None: (0.5, 0.2, 0.8), "everyone": (0.5, 0.2, 0.8), "rare": (np.nan,) * 3}
    one = SimpleNamespace(beta=lambda alpha, group: share[group])
    audit = SimpleNamespace(
        results={"lookup": one},
        members={"everyone": 1, "rare": 1},
        request=SimpleNamespace(alphas=(0.2,), splits=4),
    )
    shares = beta_table(audit, "lookup").set_index("group")["alpha 0.2"]
    assert shares.to_dict() == {
        "some group": "0.50 [0.20, 0.80]",
        "everyone": "0.50 [0.20, 0.80]",
        "rare": "–",
    }


@pytest.mark.parametrize(
    ("separator", "program"), [("\\", "C:\\py\\python.exe"), ("/", "my python")]
)
def test_a_command_keeps_the_backslashes_of_paths_and_the_spaces_in_quotes(
    monkeypatch, separator, program
):
    monkeypatch.setattr("os.sep", separator)
    words = command_words(f'"{program}" -c \'print("a b")\' {{half}} {{release}}')
    assert words == [program, "-c", 'print("a b")', "{half}", "{release}"]


@pytest.mark.parametrize(
    ("release", "options", "status", "why"),
    [
        ("leak", "", 0, ""),
        ("leak", "--fail-on flagged", 3, "groups are flagged"),
        ("harmless", "--fail-on flagged --false-alarm 0.001", 0, ""),
        ("leak", "--fail-at 0.2", 3, "some group is more than 0.2 apart"),
        ("leak", "--fail-at 2", 0, ""),
        (None, "--fail-at 0.2 --splits 3", 4, "undecided"),
        ("leak", "--fail-at 0", 2, "alpha must be"),
    ],
)
def test_the_exit_status_is_what_was_asked_for(
    files, capsys, unpainted, release, options, status, why
):
    """Without a request to fail, a leak that is found is a report, and no failure."""
    words = f"--sensitive ill --groups sex --learners lookup --gamma 40 --splits 20 {options}"
    if release is None:
        # a lookup that sees the sex only is hardly ever far off: three splits do not tell
        words += f" --lens sex --out {files / 'r.html'}"
        ask = ["audit", str(files / "people.csv"), *words.split()]
    else:
        words += f" --release {files / release}.csv --holdout {files / 'outside.csv'}"
        ask = ["audit", str(files / "inside.csv"), *words.split(), "--out", str(files / "r.html")]
    assert main([*ask, "--quiet"]) == status
    said = capsys.readouterr()
    assert why in said.out + said.err
