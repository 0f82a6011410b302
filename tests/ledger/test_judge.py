"""The ledger reads well or says what is wrong, measures on known tables, and its stored verdicts
follow.
"""

from __future__ import annotations

import math
import sys
from itertools import product

import numpy as np
import pandas as pd
import pytest
import yaml

from lib.ldp import PROTOCOLS
from lib.ledger.claim import Claim, read_claims
from lib.ledger.evidence import question, read_evidence
from lib.ledger.judge import apart, evaluate
from lib.ledger.rules import Evidence, judge
from lib.rng import stream
from studies.ldp_fairness import evidence as ldp_evidence
from studies.ldp_fairness.claims import ranks as ldp_ranks
from studies.ldp_fairness.claims import results as ldp
from studies.verdicts import command, words
from studies.verdicts.cards import facets
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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"paper": "gdp"}, r"paper must be .*, got 'gdp'"),
        ({"measure": "guess"}, r"measure of a must be .*, got 'guess'"),
        ({"measure": "lib.paths:ROOT"}, "must be a function that a study exports"),
        ({"rule": "close"}, r"rule of a must be .*, got 'close'"),
        ({"verdict": "reproduced"}, "a measured row's verdict is computed"),
        ({"why": ""}, "why of a must be the reason for the rule"),
        ({"note": "x"}, "field 'note'"),
        ({"set": "later"}, "set must be before or after, got 'later'"),
        ({"measure": "", "verdict": "reproduced"}, r"verdict of a must be .*, got 'reproduced'"),
        ({"paper": "companion"}, r"about of a must be .*, got ''"),
        ({"about": "ldp"}, "about of a must be left out"),
    ],
)
def test_a_wrong_row_is_named(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        evaluate(_read(tmp_path, ROW | change))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("null", "must hold a list, got None"),
        ("", "must hold a list"),
        ("[1]", "must be a list of claims, got 1"),
        ("a: [", "must be YAML in UTF-8, got an error"),
    ],
)
def test_a_file_that_holds_no_claims_is_named(tmp_path, text, message):
    (tmp_path / "claims.yml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"claims\.yml {message}"):
        read_claims(tmp_path / "claims.yml")
    for read in (stored_verdicts, read_evidence) if text in ("", "null") else ():
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


PART = ROW | {"id": "b", "part_of": "a"}


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{k: v for k, v in ROW.items() if k != "statement"}], "'a': .*statement"),
        ([ROW, ROW], r"claims\.yml: id='a' stands 2 times"),
        ([PART, ROW], r"claims\.yml: part_of of b must be the row before it"),
        ([ROW, PART | {"paper": "coherence"}], r"claims\.yml: paper of b must be that of a"),
    ],
)
def test_rows_that_do_not_fit_their_file_are_named(tmp_path, rows, message):
    with pytest.raises(ValueError, match=message):
        _read(tmp_path, *rows)


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


def test_a_verdict_that_does_not_follow_is_found_and_fails_the_check(monkeypatch, capsys, judged):
    forged = {row.claim.id: row.verdict for row in judged} | {"ldp-ratio-025": "not reproduced"}
    assert [d.split(":")[0] for d in drift(judged, forged)] == ["ldp-ratio-025"]
    monkeypatch.setattr(command, "evaluate", lambda **_: judged)
    monkeypatch.setattr(command, "OTHER_GRIDS", ())
    monkeypatch.setattr(command, "stored_verdicts", lambda: forged)
    assert command.main(check=True) == 1
    assert "no longer follow" in capsys.readouterr().out


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


def test_measures_on_a_grid_made_by_hand(grid):
    plain = grid[grid["protocol"] == "NonDP"]["DI"].mean()
    assert ldp.nondp("adult", "DI").value == pytest.approx(plain)
    lift = ldp.change("adult", "DI", split="uniform")
    assert lift.value == pytest.approx(0.05, abs=2e-3)
    assert lift.low <= lift.value <= lift.high
    assert lift.runs == 6
    assert lift.p < 1e-6
    assert ldp.change("adult", "DI", distance=True, sign=-1).value == pytest.approx(0.065, abs=2e-3)
    assert ldp.change("adult", "DI", sign=-1).p > 0.99
    assert ldp.level("adult", "DI", 1.0).reference == pytest.approx(ldp.nondp("adult", "DI").value)
    assert ldp.split_gain("adult", ["DI"]).value == pytest.approx(0.03, abs=2e-3)
    assert ldp.split_gain("adult", ["DI"], distance=True).value == pytest.approx(0.03, abs=2e-3)
    assert ldp.share_improved("adult", ["DI", "SPD"]).value == 0.5
    assert ldp_ranks.placed("adult", "BLH", ["acc"], "first").value == 0


def test_noise_around_the_fair_value_is_no_unfairness(grid, monkeypatch):
    """OAD is 0.01 without privacy; under LDP it is fair on average, but in no single run."""
    noise = grid["run"].map(pd.Series([0.03, -0.03] * 3))
    moved = grid.assign(OAD=noise.mask(grid["protocol"] == "NonDP", 0.01))
    monkeypatch.setattr(ldp_evidence, "_grid", lambda name: moved)
    assert ldp.share_improved("adult", ["OAD"]).value == 1
    assert ldp.change("adult", "OAD", distance=True, sign=-1).value == pytest.approx(0.01)


def test_a_grid_that_was_not_run_gives_no_value(grid):
    assert math.isnan(ldp.MEASURES["share_improved"]("adult", grid="ldp_appendix").value)
    claim = direction("a", None, arguments={"dataset": "lsac", "metric": "DI"})
    assert evaluate([claim])[0].verdict == "not run"


def test_shares_count_cells_and_say_which_are_clear(grid):
    assert ldp.share_improved("adult", ["DI"]).low == 1
    assert "14 clearly above and 0 clearly below" in ldp.share_improved("adult", ["DI"]).detail
    assert ldp.share_improved("adult", ["DI"], worse=True).value == 0
    assert ldp.share_improved("adult", ["DI"], by=["dataset", "split"]).detail.startswith("2 cells")
    losses = ldp.small_losses("adult", 0.02)
    # BLH alone loses, and only in one of four metrics
    assert losses.value == pytest.approx(1 - 1 / 7 / 4)
    assert "2 clearly below" in losses.detail
    assert ldp.small_losses("adult", 0.2).value == 1
    assert ldp.split_share("adult", utility=False).value == 0.25
    assert "7 clearly above" in ldp.split_share("adult", utility=False).detail


def test_the_interval_of_a_share_widens_with_the_noise_between_runs():
    rng = stream(5, "shares")
    clear = pd.DataFrame(0.1 + 0.001 * rng.normal(size=(40, 8)))
    vague = pd.DataFrame(0.01 + rng.normal(size=(40, 8)))
    assert ldp_evidence.share_above(clear).low == ldp_evidence.share_above(clear).high == 1
    noisy = ldp_evidence.share_above(vague)
    assert noisy.low < noisy.value < noisy.high
    assert "0 clearly above and 0 clearly below" in noisy.detail
    assert math.isnan(ldp_evidence.share_above(vague.iloc[:, :1]).low)
    # above zero unless neither of the first two runs is drawn, which happens to (3/4)^8 = 10% of
    # the resamples
    rare = ldp_evidence.share_above(pd.DataFrame([[10.0, 10.0, *[-1.0] * 6]]))
    assert (rare.low, rare.value, rare.high) == (0, 1, 1)


def test_differences_of_last_bits_are_no_gain():
    bits = 1e-12 * stream(6, "bits").uniform(-1, 1, (40, 20))
    for same in (np.zeros((40, 20)), np.full((40, 20), -0.01)):
        found = ldp_evidence.share_above(pd.DataFrame(same + bits))
        assert (found.low, found.value, found.high) == (0, 0, 0)
        assert found.detail == ldp_evidence.share_above(pd.DataFrame(same)).detail


def test_the_bounds_of_several_metrics_enclose_each(grid):
    several, alone = ldp.largest_change("adult", ["acc", "f1"]), ldp.change("adult", "acc")
    # f1 never changes; the bounds are those of acc, and all of them lie beyond any margin of .01
    found = (several.value, several.low, several.high)
    assert found == pytest.approx((alone.value, alone.low, alone.high))
    assert "acc" in several.detail
    assert judge("within", several, {"margin": 0.01}) == "not reproduced"
    gains = ldp.largest_split_gain("adult", ["DI", "SPD"], distance=True)
    assert gains.value == pytest.approx(0.03, abs=2e-3)
    alone = ldp.split_gain("adult", ["DI"], distance=True)  # SPD is the same
    assert (gains.low, gains.high) == (alone.low, alone.high)


def test_the_best_two_are_found(grid, monkeypatch):
    # BLH alone loses utility, and nothing else: last by utility, level with the others by fairness
    words = ldp_ranks.best_two("adult", ["GRR", "SS"]).detail.removeprefix("Adult: ")
    found = words.split(";")[0].split(", ")
    assert "BLH" not in found
    assert ldp_ranks.best_two("adult", found).value == 1
    assert ldp_ranks.best_two("adult", ["BLH", found[0]]).value == 0
    useful = grid["acc"] + 10 * grid["protocol"].isin(["OUE", "THE"])
    names = ("acc", "f1", "auc", "balanced_accuracy", "recall")
    raised = grid.assign(**dict.fromkeys(names, useful))
    monkeypatch.setattr(ldp_evidence, "_grid", lambda name: raised)
    useful_two = ldp_ranks.best_two("adult", ["OUE", "THE"])
    assert useful_two.value == 1
    assert useful_two.detail.endswith("by utility alone in 1 of 1, by fairness alone in 0 of 1")


def test_auc_is_read_as_published_or_from_scores(grid, monkeypatch):
    assert ldp_evidence.read(("acc", "auc"), "labels") == ("acc", "balanced_accuracy")
    assert ldp_evidence.read(("acc", "auc"), "scores") == ("acc", "auc")
    with pytest.raises(ValueError, match="auc"):
        ldp_evidence.read(("auc",), "both")
    worse = grid.assign(auc=grid["auc"] - 0.2 * (grid["protocol"] == "OUE"))
    monkeypatch.setattr(ldp_evidence, "_grid", lambda name: worse)
    last = {"dataset": "adult", "metrics": ["auc"], "place": "last", "protocol": "OUE"}
    assert ldp_ranks.placed(**last, auc="scores").value == 1
    assert ldp_ranks.placed(**last, auc="labels").value == 0
    assert ldp.largest_change("adult", ["auc"], auc="scores").value == pytest.approx(-0.2 / 7)
    assert ldp.largest_change("adult", ["auc"]).value == pytest.approx(0)
    assert ldp.small_losses("adult", 0.02, ["auc"]).value == 1
    assert ldp.small_losses("adult", 0.02, ["auc"], auc="scores").value == pytest.approx(6 / 7)


def test_ranks_of_protocols_have_an_interval_over_runs(grid, monkeypatch):
    clear = ldp_ranks.placed("adult", "BLH", ["acc"], "last")
    assert (clear.low, clear.value, clear.high) == (1, 1, 1)
    assert ldp_ranks.placed("adult", "BLH", ["acc"], "last", never=True).value == 0
    assert ldp_ranks.placed("adult", "GRR", ["acc"], "last", never=True).value == 1
    odd = grid["run"].isin([0, 1]) & grid["protocol"].isin(["OUE"])
    # last in two runs of six, a little before BLH on average
    shaky = grid.assign(acc=grid["acc"] - 0.28 * odd)
    monkeypatch.setattr(ldp_evidence, "_grid", lambda name: shaky)
    unsure = ldp_ranks.placed("adult", "BLH", ["acc"], "last")
    assert (unsure.low, unsure.value, unsure.high) == (0, 1, 1)


def test_budgets_at_which_a_metric_has_fallen_and_gaps_inside_groups(grid, monkeypatch):
    wide = pd.concat([grid, grid[grid["protocol"] != "NonDP"].assign(epsilon=4.0)])
    noisy = wide["protocol"] != "NonDP"
    fallen = noisy & ((wide["epsilon"] == 1) | (wide["split"] == "uniform"))
    moved = wide.assign(f1=wide["f1"] - 0.1 * fallen, acc_0=0.7, acc_1=0.7 - 0.2 * noisy)
    monkeypatch.setattr(ldp_evidence, "_grid", lambda name: moved)
    assert ldp.drops_later("adult", 0.05, ["f1"]).value == 1  # uniform up to 4, k-based up to 1
    assert ldp.drops_later("adult", 0.05, ["f1", "recall"]).value == 0.5  # recall falls nowhere
    assert ldp.group_gap("adult", 1).value == pytest.approx(-0.2)
    assert ldp.group_gap("adult", 0).value == pytest.approx(0.2)
    assert ldp.group_gap("adult", 1, private=False).value == pytest.approx(0)


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


def test_the_companions_rows_and_later_rules_are_tallied_apart():
    ours = {"id": "c", "paper": "companion", "about": "ldp"}
    changes = ({}, {"id": "b", "set": "after"}, ours, {"id": "d", "paper": "coherence"})
    claims = [Claim(**ROW | {"set": "before"} | change) for change in changes]
    rows = evaluate(claims)
    parts = {key: [row.claim.id for row in part] for key, part in apart(rows).items()}
    of_ldp = {("ldp", False): ["a"], ("ldp", True): ["b"]}
    assert parts == of_ldp | {("coherence", False): ["d"], ("companion", False): ["c"]}
    counts = {name: sum(counts.values()) for name, counts in words.bars(rows).items()}
    heads = ("LDP and fairness", "LDP and fairness †", "Demographic coherence", "Companion")
    assert counts == dict.fromkeys(heads, 1)
    assert [row.claim.id for row in evaluate(claims, paper="ldp")] == ["a", "b", "c"]
    assert [row.claim.id for row in evaluate(claims, paper="companion")] == ["c"]
    sources = [facets(row)["source"] for row in rows][1:3]
    assert sources == [["LDP and fairness"], ["Companion, on LDP and fairness"]]
    assert words.statement_in_words(rows[2]) == "Companion: s"


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
    monkeypatch.setattr("lib.ledger.evidence.RESULTS", tmp_path)
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
