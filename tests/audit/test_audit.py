"""Audits with a known answer: planted leaks are found, harmless releases are flagged no more
often than stated.
"""

from __future__ import annotations

import json
import re
import shlex
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from lib import programs
from lib.audit import report
from lib.audit.exposure import (
    MET,
    NOT_MET,
    ONE_SPLIT,
    UNDECIDED,
    Bounded,
    coherence_verdicts,
    in_numbers,
    overall,
    splits_needed,
)
from lib.audit.request import Request, command_words
from lib.audit.theorems import epsilons
from lib.cli import main
from lib.coherence.distances import split_distance
from lib.coherence.experiment import Result
from lib.coherence.learners import BATTERY
from lib.rng import stream
from tests.audit.asking import COPY, LOOSE, audited, curator_of, people, shuffled, write_halves
from tests.conftest import FALSE_ALARM

LONG = pytest.mark.thorough("long statistics")

ASK = {"sensitive": "ill", "groups": ("sex",)} | LOOSE


def _clear(**options):
    return audited(**ASK | {"file": Path("people.csv")} | options)


def _release(name: str = "leak", **options):
    halves = {"file": Path("inside.csv"), "holdout": Path("outside.csv")}
    return audited(**ASK | halves | {"release": Path(f"{name}.csv")} | options)


def test_a_leaky_release_is_flagged_in_every_group_and_a_harmless_one_in_none(files):
    leak = _release(false_alarm=0.01, learners=("lookup", "forest"))
    assert leak.verdicts.query("learner == 'lookup'")["flagged"].all()
    assert leak.verdicts.query("learner == 'forest' and group == 'ill = yes'")["flagged"].all()
    assert not _release("harmless", false_alarm=0.01).verdicts["flagged"].any()
    assert (leak.table.inside.sum(), len(leak.table.frame)) == (300, 600)


@LONG
def test_a_harmless_release_is_flagged_as_often_as_stated(files, monkeypatch):
    """40 audits at rate 0.2; the count is a binomial's at most, and this quantile is exceeded
    once in a million.
    """
    monkeypatch.setattr("lib.audit.run.epsilons", lambda *_: None)  # nothing asks the theorems
    rate, found, times = 0.2, 0, 40
    for i in range(times):
        table, rng = write_halves(files, 120, i), stream(5, "audit size", i)
        shuffled(table, 200, rng).to_csv("harmless.csv", index=False)
        lens = {"lens": ("age", "sex"), "gamma": 20, "splits": 2, "false_alarm": rate, "seed": i}
        found += len(_release("harmless", **lens).flagged) > 0
    assert found <= stats.binom.isf(FALSE_ALARM, times, rate)


def test_the_clear_half_of_unique_records_is_flagged_and_a_constant_lens_tells_nothing(files):
    """Few splits are made up for by more reshufflings."""
    people(400).assign(tag=stream(5, "tags").permutation(400)).to_csv("people.csv", index=False)
    for splits in (2, 4):
        audit = _clear(lens=("tag",), splits=splits, false_alarm=0.01)
        assert audit.verdicts["flagged"].all()
        assert (audit.results["lookup"].rows["distance"] == 2).all()
    assert not _clear(lens=("sex",)).verdicts["flagged"].any()


@LONG
@pytest.mark.parametrize("ask", [_clear, _release])
def test_the_same_request_gives_the_same_report_whatever_the_workers(files, ask):
    one, two, other = (ask(**more) for more in ({}, {"workers": 2}, {"seed": 1}))
    assert report.report_html(one) == report.report_html(two)
    rows = [audit.results["lookup"].rows for audit in (one, other)]
    assert not rows[0].equals(rows[1])
    if ask is _clear:  # other halves, and not other reshufflings alone
        assert not rows[0]["distance"].equals(rows[1]["distance"])


def test_members_marked_in_the_file_are_the_same_experiment_as_a_holdout(files):
    used = np.repeat(["in", "out"], 300)
    pd.read_csv("people.csv").assign(used=used).to_csv("people.csv", index=False)
    marked, known = _clear(release=Path("leak.csv"), members=("used", "in")), _release()
    pd.testing.assert_frame_equal(marked.verdicts, known.verdicts)


def test_a_curator_is_rerun_on_each_half(files):
    found = [a.results["lookup"].rows["distance"] for a in (_clear(curator=COPY), _clear())]
    assert np.array_equal(*found)
    code = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"
    blank = curator_of("-c", code, files / "harmless.csv", then="{release} {half}")
    assert not _clear(curator=blank).verdicts["flagged"].any()


@LONG
@pytest.mark.parametrize("weights", [None, "w"])
def test_a_large_table_is_audited_by_bounded_learners_to_the_same_end(files, monkeypatch, weights):
    """As if 100 people were many: predictions are rounded, and equal people are counted."""
    for name in ("inside", "outside"):
        table = pd.read_csv(f"{name}.csv")
        table.assign(w=1 + table["place"] / 7).to_csv(f"{name}.csv", index=False)
    ask = {"weights": weights, "learners": ("lookup", "forest"), "false_alarm": 0.01}
    small = _release(**ask)
    monkeypatch.setattr("lib.audit.table.PEOPLE", 100)
    monkeypatch.setattr("lib.audit.exposure.LARGE", 100)
    leak, harmless = (_release(name, **ask) for name in ("leak", "harmless"))
    assert leak.table.design.counted
    assert leak.flagged["group"].nunique() == small.flagged["group"].nunique() == 5
    assert harmless.flagged.empty
    one, other = (a.results["lookup"].summary()["distance"] for a in (small, leak))
    assert np.allclose(one, other, atol=0.03)


def test_a_forest_on_a_huge_release_has_as_many_trees_as_asked(monkeypatch, rng):
    """Of leaves with one value each: then confidences are multiples of a fifth."""
    monkeypatch.setattr("lib.audit.exposure.LARGE", 50)
    monkeypatch.setattr("lib.audit.exposure.HUGE", 100)
    half = pd.DataFrame({"x": rng.random(120), "y": np.arange(120) % 2})
    for rows, few in ((101, True), (100, False)):
        said = Bounded(BATTERY["forest"], 10)(half[:rows], "y", ("x",), rng)(half)
        assert np.allclose(said * 5, np.round(said * 5), atol=1e-9) == few


@pytest.mark.parametrize("name", BATTERY)
def test_learners_say_the_same_of_numbered_categories(name, rng):
    """Texts that sort otherwise than they came, gaps, and values that one side lacks."""
    half, others = (
        pd.DataFrame({"a": rng.choice(texts, 200), "x": rng.random(200)}).astype({"a": "category"})
        for texts in (["b", "é", "10", "9"], ["Z", "b", "9", None])
    )
    half["y"] = rng.integers(0, 2, 200)
    numbered = in_numbers(half, others)
    said = [
        BATTERY[name](release, "y", ("a", "x"), np.random.default_rng(1))(people)
        for release, people in ((half, others), numbered)
    ]
    assert np.array_equal(*said)
    assert numbered[0]["a"].cat.categories.tolist() == [0, 1, 2, 3, 4]


# --- two verdicts


def test_a_small_distance_is_flagged_as_dependence_and_not_as_more_than_alpha(files):
    """One person in twenty can be looked up, so W1 is about 0.1 in every split: certain, and
    below alpha = 0.2.
    """
    i = np.arange(800)
    tag = np.where(i % 20 == 0, i.astype(str), "same")
    people(800).assign(tag=tag).to_csv("people.csv", index=False)
    audit = _clear(groups=(), lens=("tag",), alphas=(0.01, 0.2), gamma=500, splits=20)
    distance = audit.results["lookup"].summary().set_index("group").loc["everyone", "distance"]
    assert 0.06 < distance < 0.14
    assert report.dependence(audit).startswith("Dependence: not independent. In 2 of 2 groups")
    (_, low, said_low), (_, high, said_high) = report.coherence(audit)
    assert (low, high) == (NOT_MET, UNDECIDED)
    assert "20 of 20 splits (share 1.00, 95% interval 0.83 to 1.00)" in said_low
    assert "0 of 20 splits (share 0.00, 95% interval 0.00 to 0.17)" in said_high
    assert "72 such splits" in said_high
    record = json.loads(report.report_json(audit))
    assert record["dependence"]["verdict"] == "not independent"
    assert [found["verdict"] for found in record["coherence"]["verdicts"]] == [NOT_MET, UNDECIDED]
    assert all(words in unescape(report.report_html(audit)) for words in report.verdicts(audit))


def _distances(*columns: list[float]) -> Result:
    rows = [
        {"split": i, "group": f"g{j}", "n": 9, "distance": d, "null": 0.1}
        for j, column in enumerate(columns)
        for i, d in enumerate(column)
    ]
    return Result(pd.DataFrame(rows))


def test_the_verdict_on_alpha_weighs_the_share_of_splits_against_beta(files):
    ask = Request(file=Path("people.csv"), sensitive="ill", alphas=(0.3,), beta=0.05)
    clean = _distances([0.1] * 90, [0.2] * 90)
    often = _distances([0.1] * 90, [0.4] * 20 + [0.2] * 70)
    once = _distances([0.4] + [0.1] * 89, [0.2] * 90)
    for second, words, exceeding in ((clean, MET, 0), (often, NOT_MET, 20), (once, UNDECIDED, 1)):
        found = coherence_verdicts(ask, {"lookup": clean, "forest": second})
        assert overall(found["verdict"]) == words
        assert found["verdict"].tolist() == [MET, words]
        assert found["exceeding"].tolist() == [0, exceeding]
    alone = coherence_verdicts(ask, {"lookup": often}).iloc[0]
    low, high = stats.binomtest(20, 90).proportion_ci(method="exact")
    assert (alone.low, alone.high) == pytest.approx((low, high))
    assert (alone.group, alone.share) == ("g1", 20 / 90)
    for learners in (1, 2):  # the number that the report names does decide, and one fewer does not
        n = splits_needed(0.05, learners)
        assert 1 - (0.025 / learners) ** (1 / n) <= 0.05 < 1 - (0.025 / learners) ** (1 / (n - 1))


def test_a_finished_release_has_no_share_of_splits(files):
    audit = _release()
    assert set(audit.coherence["verdict"]) == {ONE_SPLIT}
    assert "no share of splits can be compared with beta" in report.coherence(audit)[0][2]
    assert "is more than 0.2 apart" in report.coherence(audit)[0][2]
    assert len(report.paragraphs(audit)) == 1
    assert json.loads(report.report_json(audit))["coherence"]["learners"][0]["share"] is None


# --- releases that are spelt otherwise than the file


@pytest.fixture
def coded(tmp_path, monkeypatch):
    """``coded.csv``: codes with gaps, ZIP codes and an answer of 0 and 1, 300 marked as in;
    returns the table.
    """
    monkeypatch.chdir(tmp_path)
    table, rng = people(600, "coded"), stream(5, "audit coded")
    table["ill"] = (table["ill"] == "yes").astype(int)
    table["edu"] = pd.array(rng.integers(0, 15, 600), dtype="Int64")
    table.loc[rng.random(600) < 0.02, "edu"] = pd.NA
    table["zip"] = [f"{k:05d}" for k in rng.integers(0, 3000, 600)]
    table["used"] = np.repeat(["in", "out"], 300)
    table.to_csv("coded.csv", index=False)
    return table


def _leak(release: pd.DataFrame, **options):
    release.to_csv("spelt.csv", index=False)
    ask = {"lens": ("age", "edu", "zip"), "splits": 2, "members": ("used", "in")}
    ask |= {"file": Path("coded.csv"), "release": Path("spelt.csv")}
    return audited(**ASK | ask | options)


def test_what_a_round_trip_through_pandas_loses_is_refused_or_told(coded, unpainted):
    """Read without dtype=str, ZIP codes lose their zeros: all of these codes are unknown to the
    file.
    """
    back = pd.read_csv("coded.csv").query("used == 'in'")
    words = r"'zip' must have a value that occurs in coded\.csv, got none \(the first is '\d+'\)"
    with pytest.raises(ValueError, match=words):
        _leak(back)
    young = back["age"] < 60
    audit = _leak(back.assign(zip=back["zip"].where(young, coded["zip"])))
    told = f"{young.mean():.1%} of the released values of zip do not occur in coded.csv"
    assert told in report.verdicts(audit)[-1]
    assert f">{young.sum()}</td>" in report.report_html(audit)
    without = _leak(back, lens=("age", "edu"))
    assert without.warnings == ()
    assert without.verdicts.query("group == 'everyone'")["flagged"].all()


def test_a_release_without_a_positive_row_is_refused_or_told(coded):
    half = coded[coded["used"] == "in"]
    words = r"must have a row with ill = '1', got none, and values .* as '(yes|no)'"
    with pytest.raises(ValueError, match=words):
        _leak(half.assign(ill=np.where(half["ill"] == 1, "yes", "no")))
    healthy = _leak(half[half["ill"] == 0], learners=("forest",))
    assert report.dependence(healthy).startswith("Dependence: none found.")
    assert "The release holds one value only of ill" in report.verdicts(healthy)[-1]
    odd = half.assign(ill=half["ill"].astype(str).mask(half.index == 5, "2"))
    assert "0.3% of the released values of ill" in report.verdicts(_leak(odd))[-1]


# --- a curator is run once a split


@pytest.fixture
def fickle(files, monkeypatch):
    """A curator without {seed}, which draws anew at each run and keeps a list of its runs."""
    monkeypatch.setattr(programs, "bubblewrap_works", lambda: False)  # contained, it has no list
    code = (
        "import random, sys\nlines = open(sys.argv[1]).read().splitlines()\n"
        "open(sys.argv[3], 'a').write('run\\n')\nrows = random.choices(lines[1:], k=40)\n"
        "open(sys.argv[2], 'w').write('\\n'.join([lines[0], *rows]))\n"
    )
    Path("fickle.py").write_text(code, encoding="utf-8")
    return f"{curator_of('fickle.py')} {shlex.quote(str(files / 'runs.txt'))}"


def test_all_learners_and_the_power_read_the_same_release(fickle):
    audit = _clear(groups=(), curator=fickle, learners=("lookup", "forest"))
    assert Path("runs.txt").read_text(encoding="utf-8").count("run") == LOOSE["splits"]
    for name, one in audit.exposures.items():
        rows = one.result.rows.query("split == 0").set_index("group")
        for group, members in audit.members.items():
            who = members[one.rows]
            found = split_distance(one.tested[who], one.inside[who])
            assert found == rows.loc[group, "distance"], (name, group)


def test_tiny_groups_and_rows_without_an_answer_are_left_out_and_named(files, unpainted):
    table = pd.read_csv("people.csv")
    table.loc[:9, "sex"] = "x"
    table.loc[590:, "ill"] = None
    table.to_csv("people.csv", index=False)
    audit = _clear()
    assert audit.table.small == {"sex = x": 10}
    assert audit.table.dropped_rows == 10
    assert "sex = x (10)" in report.report_html(audit)


def test_the_size_that_an_epsilon_takes_by_hand(files):
    audit = _clear(groups=())
    small = audit.epsilons.query("alpha == 0.2").iloc[0]
    assert np.isnan(small.epsilon)
    assert small.words == "none, however large the noise"
    # a table of that many has an answer, in one with a person less the smallest group is too small
    sizes = {name: int(who.sum()) for name, who in audit.members.items()}
    for needed, found in ((small.needed, True), (small.needed - 1, False)):
        times = needed / min(sizes.values())
        members = {g: np.arange(small.people) < round(n * times) for g, n in sizes.items()}
        table = SimpleNamespace(inside=np.ones(small.people, dtype=bool), members=members)
        row = epsilons(audit.request, table).query("alpha == 0.2").iloc[0]
        assert (row.epsilon >= 0.1) == found
        assert row.large == len(sizes) - (not found)


# --- the page


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
def painted(tmp_path_factory):
    file = tmp_path_factory.mktemp("report") / "people.csv"
    people(400).replace({"sex": {"m": "<b>&'m"}}).to_csv(file, index=False)
    ask = {"file": file, "groups": ("sex", "age"), "learners": ("lookup", "forest"), "splits": 3}
    audit = audited(**ASK | ask)
    return audit, report.report_html(audit)


def test_the_page_asks_nothing_from_outside(painted):
    text = painted[1]
    assert not re.search(r"https?:|//[a-z]", re.sub(r'"data:image/png;base64,[^"]*"', "", text))
    page = _Page(text)
    assert not {"script", "link", "iframe", "object", "form"} & {tag for tag, _ in page.tags}
    assert all(image["src"].startswith("data:image/png;base64,") for image in page.of("img"))
    assert "default-src 'none'" in text


def test_every_group_and_learner_is_named_and_escaped(painted):
    audit, text = painted
    assert "<b>" not in text
    assert "&lt;b&gt;&amp;" in text
    for name in audit.members:
        assert name in unescape(text)
    assert all(f"Learner: {name}" in text for name in audit.results)
    assert all(words in unescape(text) for words in report.verdicts(audit))


def test_the_page_can_be_read_by_everyone(painted):
    page = _Page(painted[1])
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
    assert "prefers-color-scheme: dark" in painted[1]
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert all(after - before <= 1 for before, after in pairwise(levels))


# --- the command


def test_the_command_writes_a_report_and_says_where(files, capsys):
    words = (
        "audit people.csv --sensitive ill --groups sex age --bands age=40,65 --crossings sex,age"
    )
    words += " --columns place=category --learner lookup --splits 2 --gamma 40 --alpha 0.5 --quiet"
    assert main([*words.split(), "--out", "report.html", "--json", "report.json"]) == 0
    said, record = capsys.readouterr().out, json.loads(Path("report.json").read_text("utf-8"))
    assert (files / "report.html").as_uri() in said
    assert record["dependence"]["words"] in said
    assert record["coherence"]["verdicts"][0]["words"] in said
    assert record["coherence"]["verdicts"][0]["alpha"] == 0.5
    text = Path("report.html").read_text("utf-8")
    assert "sex = f &amp; age = 40-64" in text
    assert re.search(r">place</th><td[^>]*>category</td><td[^>]*>declared<", text)


def test_a_second_report_overwrites_none(files, capsys):
    """The second of two audits took the place of the first, without a word."""
    words = "audit people.csv --sensitive ill --learners lookup --splits 2 --gamma 40 --quiet"
    before = {}
    for name in ("coherence.html", "coherence_2.html", "coherence_3.html"):
        assert main(words.split()) == 0
        assert (files / name).as_uri() in capsys.readouterr().out
        assert {path: Path(path).read_bytes() for path in before} == before
        before[name] = Path(name).read_bytes()
    assert main([*words.split(), "--out", "coherence_2.html"]) == 2
    assert {path: Path(path).read_bytes() for path in before} == before


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
    words = "--sensitive ill --groups sex --learners lookup --gamma 40 --splits 20 --quiet"
    if release is None:
        # a lookup that sees the sex only is hardly ever far off: three splits do not tell
        words = f"people.csv {words} --lens sex"
    else:
        words = f"inside.csv {words} --release {release}.csv --holdout outside.csv"
    assert main(["audit", *words.split(), *options.split()]) == status
    said = capsys.readouterr()
    assert why in said.out + said.err
