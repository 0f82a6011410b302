"""The ledger reads well or says what is wrong, measures on known tables, and its stored verdicts
follow.
"""

from __future__ import annotations

import math
import re
import sys
from itertools import product

import numpy as np
import pandas as pd
import pytest
import yaml

from lib.ldp import PROTOCOLS
from lib.ledger.claim import COMPANION, Claim, read_claims
from lib.ledger.judge import (
    Measurer,
    evaluate,
    question,
    read_evidence,
    rows_by_paper,
    summary,
    tallied,
)
from lib.ledger.rules import Evidence, judge
from lib.paths import RESULTS
from lib.rng import stream
from lib.runner.store import read_rows
from studies.ldp_fairness import evidence as ldp_evidence
from studies.ldp_fairness.claims import ranks as ldp_ranks
from studies.ldp_fairness.claims import results as ldp
from studies.verdicts import command, words
from studies.verdicts.stored import differences, drift, stored_verdicts, write_evidence

ROW = {"id": "a", "paper": "ldp", "place": "p", "statement": "s", "why": "w"}
ROW |= {"measure": "ratio", "arguments": {"epsilon": 0.25}}
ROW |= {"rule": "near", "tolerance": {"target": 1.3, "tolerance": 0.05}}


@pytest.fixture(scope="module")
def judged():
    """The whole ledger, from stored evidence where the stored results are those that it is of."""
    return evaluate()


def _read(tmp_path, *rows, **more):
    path = tmp_path / "claims.yml"
    path.write_text(yaml.safe_dump(list(rows)), encoding="utf-8")
    return read_claims(path, **more)


WITHOUT = {key: value for key, value in ROW.items() if key != "statement"}
PART = ROW | {"id": "b", "part_of": "a"}
# fmt: off
WRONG = [
    *(([ROW | change], message) for change, message in (
        ({"paper": "gdp"}, r"paper must be .*, got 'gdp'"), ({"measure": "guess"}, r"measure of a must be .*, got 'guess'"),
        ({"rule": "close"}, r"rule of a must be .*, got 'close'"), ({"why": ""}, "why of a must be the reason for the rule"),
        ({"verdict": "reproduced"}, "a measured row's verdict is computed"), ({"note": "x"}, "field 'note'"),
        ({"set": "later"}, "set must be before or after, got 'later'"),
        ({"measure": "", "verdict": "reproduced"}, r"verdict of a must be .*, got 'reproduced'"),
        ({"paper": "companion"}, r"about of a must be .*, got ''"), ({"about": "ldp"}, "about of a must be left out"))),
    ([WITHOUT], "'a': .*statement"), ([ROW, ROW], "id='a' stands 2 times"),
    ([PART, ROW], "part_of of b must be the row before it"),
    ([ROW, PART | {"paper": "coherence"}], "paper of b must be that of a"),
    (None, "must hold a list, got None"), ([1], "must be a list of claims, got 1"),
]
# fmt: on


@pytest.mark.parametrize(("rows", "message"), WRONG)
def test_what_is_wrong_in_a_file_of_claims_is_named_with_the_file(tmp_path, rows, message):
    (tmp_path / "claims.yml").write_text(yaml.safe_dump(rows), encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        evaluate(read_claims(tmp_path / "claims.yml"))
    for read in (stored_verdicts, read_evidence) if rows is None else ():
        with pytest.raises(ValueError, match=r"claims\.yml must hold a mapping"):
            read(tmp_path / "claims.yml")


def test_a_file_of_claims_calls_no_function_that_nobody_exported(tmp_path, monkeypatch):
    """``measure: os:system`` with arguments was called."""
    evil = "def touch(path):\n    open(path, 'w').close()\n"
    (tmp_path / "evil.py").write_text(evil, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    for measure in ("os:system", "evil:touch", "lib.cli:main", "evil:os.system"):
        row = ROW | {"measure": measure, "arguments": {"path": str(tmp_path / "made")}}
        with pytest.raises(ValueError, match="must be a function that a study exports"):
            evaluate(_read(tmp_path, row))
    assert not (tmp_path / "made").exists()
    for named in ("evil:GRID", ["evil:GRID"], {"name": "evil:GRID"}):
        row = ROW | {"measure": "change", "arguments": {"grid": named}}
        for claim in (row, ROW | {"also": {"other": row["arguments"]}}):
            with pytest.raises(ValueError, match="must name no module but those"):
                evaluate(_read(tmp_path, claim))
    assert "evil" not in sys.modules
    [named] = _read(tmp_path, ROW | {"measure": "evil:touch"}, modules=["evil"])
    assert named.measured_by().__name__ == "touch"
    with pytest.raises(ValueError, match="measures must be a module on Python's path, got 'none'"):
        read_claims(modules=["none"])


def direction(name: str, split: str | None, **more) -> Claim:
    """A claim that something is fairer, under a split of the budget."""
    arguments = {"dataset": "adult", "metric": "DI", "split": split}
    row = {"id": name, "measure": "change", "rule": "positive", "tolerance": {}}
    return Claim(**ROW | row | {"arguments": arguments} | more)


def test_other_readings_are_judged_and_shown_beside_the_row(grid):
    """That of a direction takes the row's place in the correction."""
    [row] = evaluate([Claim(**ROW | {"also": {"a larger budget": {"epsilon": 1.0}}})])
    assert (row.verdict, row.also["a larger budget"].verdict) == ("reproduced", "not reproduced")
    assert words.in_words(row) == "1.284. A larger budget: not reproduced (2.718)"
    also = {"other": {"split": "k-based"}}
    rows = [direction("r0", "uniform", also=also), direction("r1", "k-based")]
    first, second = evaluate(rows)
    alone = evaluate([rows[1], direction("twin", "k-based")])[0]
    assert first.also["other"].evidence == second.evidence
    assert first.also["other"].adjusted_p == pytest.approx(alone.adjusted_p)


def test_stored_verdicts_follow_from_the_stored_results(judged):
    if rows := list(filter(read_rows, RESULTS.glob("*.sqlite"))):
        pytest.skip(f"{rows[0].name}: a grid is being filled; then: python -m lib claims --write")
    assert drift(judged, stored_verdicts()) == []


def test_stored_evidence_of_every_fifth_claim_is_what_is_measured_now():
    measured = Measurer(fresh=True)
    for claim in [c for c in read_claims() if c.measure][::5]:
        measured(claim)
    assert len(measured.found) > 40
    assert differences(measured.found) == []


def test_a_verdict_that_does_not_follow_is_found_and_fails_the_check(monkeypatch, capsys, judged):
    forged = {row.claim.id: row.verdict for row in judged} | {"ldp-ratio-025": "not reproduced"}
    assert [d.split(":")[0] for d in drift(judged, forged)] == ["ldp-ratio-025"]
    monkeypatch.setattr(command, "evaluate", lambda **_: judged)
    monkeypatch.setattr(command, "OTHER_GRIDS", ())
    monkeypatch.setattr(command, "stored_verdicts", lambda: forged)
    assert command.main(check=True) == 1
    assert "no longer follow" in capsys.readouterr().out


def test_measuring_the_whole_ledger_says_how_far_it_is(monkeypatch, capsys):
    """`claims --write` printed nothing for minutes."""
    two = [claim for claim in read_claims() if claim.measure][:2]
    monkeypatch.setattr(command, "evaluate", lambda measured, **_: [*map(measured, two)] and [])
    monkeypatch.setattr(command, "OTHER_GRIDS", ())
    command.main(check=True)
    assert re.search(r" 2/\d\d\d .*question", capsys.readouterr().err)
    command.main()
    assert "question" not in capsys.readouterr().err


@pytest.fixture
def grid(monkeypatch):
    """Six runs: LDP lifts DI on "adult" by 0.05, k-based by 0.08, and BLH costs accuracy."""
    rng = stream(4, "toy grid")
    cells = [("NonDP", "none"), *product(PROTOCOLS, ("uniform", "k-based"))]
    keys = [(run, *cell) for run in range(6) for cell in cells]
    frame = pd.DataFrame(keys, columns=["run", "protocol", "split"])
    base, some, more = rng.random((3, len(frame)))
    plain, lift = (
        frame["protocol"] == "NonDP",
        frame["split"].map({"uniform": 0.05, "k-based": 0.08}),
    )
    frame = frame.assign(
        epsilon=np.where(plain, math.nan, 1.0),
        DI=0.4 + 0.02 * base[frame["run"]] + (lift + 1e-3 * some).mask(plain, 0.0),
        acc=0.8 - 0.1 * (frame["protocol"] == "BLH") + 1e-3 * np.where(plain, 0.0, more),
    )
    same = {"SPD": 0.3, "EOD": 0.2, "OAD": 0.1, "f1": 0.8, "auc": 0.9, "recall": 0.8}
    frame = frame.assign(dataset="adult", balanced_accuracy=0.7, **same)
    frames = {"ldp_main": frame}
    monkeypatch.setattr(ldp_evidence, "_grid", lambda name: frames.get(name, frame.iloc[:0]))
    return frame


def plain(frame: pd.DataFrame) -> pd.Series:
    return frame["protocol"] == "NonDP"


def two_budgets(frame: pd.DataFrame) -> pd.DataFrame:
    """f1 falls under uniform up to 4, under k-based up to 1; group 1 is 0.2 worse under LDP."""
    wide = pd.concat([frame, frame[~plain(frame)].assign(epsilon=4.0)])
    fallen = ~plain(wide) & ((wide["epsilon"] == 1) | (wide["split"] == "uniform"))
    return wide.assign(f1=wide["f1"] - 0.1 * fallen, acc_0=0.7, acc_1=0.7 - 0.2 * ~plain(wide))


def useful(frame: pd.DataFrame) -> pd.DataFrame:
    names = ("acc", "f1", "auc", "balanced_accuracy", "recall")
    return frame.assign(**dict.fromkeys(names, 10 * frame["protocol"].isin(["OUE", "THE"])))


GRIDS = {
    "by hand": lambda frame: frame,
    # OAD is 0.01 without privacy; under LDP it is fair on average, but in no single run
    "noise": lambda frame: frame.assign(
        OAD=frame["run"].map(pd.Series([0.03, -0.03] * 3)).mask(plain(frame), 0.01)
    ),
    "bad scores": lambda frame: frame.assign(auc=0.9 - 0.2 * (frame["protocol"] == "OUE")),
    "useful": useful,
    "two budgets": two_budgets,
}
# fmt: off
ANSWERS = [
    ("by hand", ldp.change, ("DI",), {"split": "uniform"}, 0.05),
    ("by hand", ldp.change, ("DI",), {"distance": True, "sign": -1}, 0.065),
    ("by hand", ldp.split_gain, (["DI"],), {}, 0.03),
    ("by hand", ldp.split_gain, (["DI"],), {"distance": True}, 0.03),
    ("by hand", ldp.largest_split_gain, (["DI", "SPD"],), {"distance": True}, 0.03),
    ("by hand", ldp.share_improved, (["DI", "SPD"],), {}, 0.5),
    ("by hand", ldp.share_improved, (["DI"],), {"worse": True}, 0),
    ("by hand", ldp.small_losses, (0.02,), {}, 1 - 1 / 7 / 4),  # BLH alone loses, in one of four metrics
    ("by hand", ldp.small_losses, (0.2,), {}, 1),
    ("by hand", ldp.split_share, (), {"utility": False}, 0.25),
    *(("by hand", ldp_ranks.placed, (name, ["acc"], place), more, value) for name, place, more, value in (
        ("BLH", "first", {}, 0), ("BLH", "last", {}, 1), ("BLH", "last", {"never": True}, 0), ("GRR", "last", {"never": True}, 1))),
    ("noise", ldp.share_improved, (["OAD"],), {}, 1),
    ("noise", ldp.change, ("OAD",), {"distance": True, "sign": -1}, 0.01),
    # AUC as published, of labels, or of scores
    *(("bad scores", ldp_ranks.placed, ("OUE", ["auc"], "last"), {"auc": auc}, value) for auc, value in (("scores", 1), ("labels", 0))),
    ("bad scores", ldp.largest_change, (["auc"],), {"auc": "scores"}, -0.2 / 7),
    ("bad scores", ldp.largest_change, (["auc"],), {}, 0),
    ("bad scores", ldp.small_losses, (0.02, ["auc"]), {}, 1),
    ("bad scores", ldp.small_losses, (0.02, ["auc"]), {"auc": "scores"}, 6 / 7),
    ("useful", ldp_ranks.best_two, (["OUE", "THE"],), {}, 1),
    ("useful", ldp_ranks.best_two, (["OUE", "SS"],), {}, 0),
    ("two budgets", ldp.drops_later, (0.05, ["f1"]), {}, 1),
    ("two budgets", ldp.drops_later, (0.05, ["f1", "recall"]), {}, 0.5),
    ("two budgets", ldp.group_gap, (1,), {}, -0.2),
    ("two budgets", ldp.group_gap, (0,), {}, 0.2),
    ("two budgets", ldp.group_gap, (1,), {"private": False}, 0),
]
# fmt: on


@pytest.mark.parametrize(("of", "measure", "given", "more", "value"), ANSWERS)
def test_a_measure_on_a_grid_made_by_hand(grid, monkeypatch, of, measure, given, more, value):
    monkeypatch.setattr(ldp_evidence, "_grid", lambda name: GRIDS[of](grid))
    assert measure("adult", *given, **more).value == pytest.approx(value, abs=2e-3)


def test_a_grid_that_was_not_run_gives_no_value(grid):
    assert math.isnan(ldp.MEASURES["share_improved"]("adult", grid="ldp_appendix").value)
    assert math.isnan(ldp.MEASURES["split_share"](["adult", "lsac"]).value)
    claim = direction("a", None, arguments={"dataset": "lsac", "metric": "DI"})
    assert evaluate([claim])[0].verdict == "not run"


def test_a_measure_has_its_interval_over_runs(grid, monkeypatch):
    lift, several = (
        ldp.change("adult", "DI", split="uniform"),
        ldp.largest_change("adult", ["acc", "f1"]),
    )
    assert lift.low <= lift.value <= lift.high
    assert (lift.runs, lift.p < 1e-6) == (6, True)
    assert ldp.change("adult", "DI", sign=-1).p > 0.99
    plain_di = grid[plain(grid)]["DI"].mean()
    assert ldp.nondp("adult", "DI").value == pytest.approx(plain_di)
    assert ldp.level("adult", "DI", 1.0).reference == pytest.approx(plain_di)
    alone = ldp.change("adult", "acc")  # f1 never changes; the bounds are those of acc
    found = (several.value, several.low, several.high)
    assert found == pytest.approx((alone.value, alone.low, alone.high))
    assert judge("within", several, {"margin": 0.01}) == "not reproduced"
    assert "14 clearly above and 0 clearly below" in ldp.share_improved("adult", ["DI"]).detail
    assert "2 clearly below" in ldp.small_losses("adult", 0.02).detail
    clear = ldp_ranks.placed("adult", "BLH", ["acc"], "last")
    assert (clear.low, clear.value, clear.high) == (1, 1, 1)
    odd = grid["run"].isin([0, 1]) & grid["protocol"].isin(["OUE"])
    # last in two runs of six, a little before BLH on average
    shaky = grid.assign(acc=grid["acc"] - 0.28 * odd)
    monkeypatch.setattr(ldp_evidence, "_grid", lambda name: shaky)
    unsure = ldp_ranks.placed("adult", "BLH", ["acc"], "last")
    assert (unsure.low, unsure.value, unsure.high) == (0, 1, 1)


def test_parts_the_companions_rows_and_later_rules_are_tallied_apart():
    ours = {"id": "c", "paper": "companion", "about": "ldp"}
    changes = ({}, {"id": "p", "part_of": "a"}, {"id": "b", "set": "after"}, ours)
    rows = evaluate([Claim(**ROW | {"set": "before"} | change) for change in changes])
    assert [row.verdict for row in rows] == ["reproduced"] * 4
    assert [row.claim.id for row in tallied(rows)] == ["a", "b", "c"]
    parts = {key: [row.claim.id for row in part] for key, part in rows_by_paper(rows).items()}
    assert parts == {("ldp", False): ["a"], ("ldp", True): ["b"], ("companion", False): ["c"]}
    assert sum(summary(rows[:2]).values()) == 1
    assert [row.claim.seen for row in rows] == [False, False, True, False]


def test_differences_of_last_bits_are_no_gain():
    bits = 1e-12 * stream(6, "bits").uniform(-1, 1, (40, 20))
    for same in (np.zeros((40, 20)), np.full((40, 20), -0.01)):
        found = ldp_evidence.share_above(pd.DataFrame(same + bits))
        assert (found.low, found.value, found.high) == (0, 0, 0)
        assert found.detail == ldp_evidence.share_above(pd.DataFrame(same)).detail


def test_directions_are_tested_together(grid):
    """Holm over the ledger: a p-value of one row grows with the number of rows that are tested."""
    rows = [direction(f"r{i}", split) for i, split in enumerate(("uniform", "k-based", None))]
    alone, together = evaluate(rows[:1])[0], evaluate(rows)
    assert alone.adjusted_p == pytest.approx(alone.evidence.p)
    assert all(row.adjusted_p >= row.evidence.p for row in together)
    clearest = min(together, key=lambda row: row.evidence.p)
    assert clearest.adjusted_p == pytest.approx(3 * clearest.evidence.p)
    assert {row.verdict for row in together} == {"reproduced"}
    # a page of one row: the same verdict
    assert repr(evaluate(rows, shown=lambda claim: claim.id == "r1")) == repr(together[1:2])


def test_verdicts_are_written_as_they_follow_and_stale_ones_go(tmp_path, judged):
    path = tmp_path / "verdicts.yml"
    path.write_text("ldp-gone: reproduced\nldp-table2-adult: reproduced\n", encoding="utf-8")
    assert "no such claim" in drift(judged, stored_verdicts(path))[-1]
    command.write_verdicts(judged, path)
    assert drift(judged, stored_verdicts(path)) == []
    # a replica cannot say otherwise
    assert stored_verdicts(path)["ldp-table2-adult"] == "reproduced"


def test_a_file_is_judged_alone_and_not_stored(tmp_path, capsys):
    """As the guide for a paper does before its rows are part of the ledger."""
    _read(tmp_path, ROW | {"id": "mine"})
    path = tmp_path / "claims.yml"
    assert command.main(file=path) == 0
    assert "REPRODUCED      mine" in capsys.readouterr().out
    with pytest.raises(ValueError, match="file must be left out with check and write, got"):
        command.main(file=path, write=True)


def test_changed_results_are_measured_again(tmp_path, monkeypatch):
    """Stored evidence is of the results that were there when it was measured."""
    claim = next(c for c in read_claims() if c.id == "ldp-ratio-025")
    assert evaluate([claim])[0].evidence.stored
    (tmp_path / "ldp_main.parquet").write_bytes(b"other results")
    monkeypatch.setattr("lib.ledger.judge.RESULTS", tmp_path)
    assert not evaluate([claim])[0].evidence.stored


def test_evidence_that_is_not_what_the_results_say_is_found(tmp_path):
    path, there = tmp_path / "evidence.yml", Evidence(1.0, low=0.5, overlap=(0.1, 0.2, 0.3))
    [said] = differences({"a {}": there}, path)
    now = "{'value': 1.0, 'low': 0.5, 'overlap': [0.1, 0.2, 0.3]}"
    assert said == f"a {{}}: stored evidence none, measured now {now}"
    measured = {"a {}": there, "b {}": Evidence(math.nan, detail="no results")}
    write_evidence(measured, path)
    assert differences(measured, path) == []
    [said] = differences({"a {}": Evidence(1.0, low=0.5, overlap=(0.1, 0.2, 0.4))}, path)
    assert said.startswith("a {}: ")
    write_evidence({"a {}": Evidence(2.0, data="replica")}, path)
    assert set(read_evidence(path)[1]) == {"a {}"}
    assert read_evidence(path)[1]["a {}"].value == 1.0
    path.write_text(path.read_text("utf-8").replace("results: ", "results: 0"), "utf-8")
    assert differences({"a {}": there}, path) == [
        f"{path}: of other results than those stored; claims --write"
    ]


def test_stored_evidence_of_another_question_is_not_taken():
    row = next(c for c in read_claims() if c.id == "ldp-table2-lsac")
    other = Claim(**{**vars(row), "arguments": row.arguments | {"n": 5}})
    assert question(other) != question(row)
    assert evaluate([other])[0].verdict == "not run"


def test_statements_of_our_own_stand_under_the_companions_name():
    """They stood under the title of its first study, *Who gets a model of their own*."""
    assert words.paper_in_words(COMPANION) == "Companion"
