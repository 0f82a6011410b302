"""What came first, rule or results: on a history made for it, and on our own."""

from __future__ import annotations

import os
import subprocess
from itertools import product

import pytest
import yaml

from data import make_rules
from lib.ledger import evaluate, history
from lib.ledger.claim import Claim, read_claims

ROW = {"id": "a", "measure": "change", "rule": "positive"}


class Repository:
    """A history of a file of claims, results and verdicts, one minute a commit."""

    def __init__(self, root):
        self.root, self.minute = root, 0
        self.git("init", "-q")

    def git(self, *words):
        when = f"2026-01-01T00:{self.minute:02}:00Z"
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        who = product(("AUTHOR", "COMMITTER"), ("NAME", "EMAIL"))
        names = {f"GIT_{person}_{what}": "x" for person, what in who}
        subprocess.run(["git", *words], cwd=self.root, check=True, env=os.environ | dates | names)

    def commit(self, **files):
        """Write each file (``claims``, ``moved``, ``verdicts``, or the name of a grid), and commit."""
        paths = {name: f"data/{name}.yml" for name in ("claims", "verdicts")}
        paths["moved"] = "data/claims/x.yml"
        self.minute += 1
        for name, content in files.items():
            path = self.root / paths.get(name, f"data/results/{name}.parquet")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
        self.git("add", "-A")
        self.git("commit", "-qm", "x")


@pytest.fixture
def made(tmp_path):
    return Repository(tmp_path)


def first(monkeypatch, made, *rows, grids=("g",)):
    said = make_rules.of_claims({row["id"]: (row, grids) for row in rows}, made.root)
    monkeypatch.setattr(history, "stored", lambda: said)
    return {row["id"]: history.rule_first(row["id"], history.rule_key(row)) for row in rows}


def test_a_rule_counts_from_its_present_form_on_wherever_its_file_lay(made, monkeypatch):
    early, late = ROW | {"id": "early"}, ROW | {"id": "late"}
    made.commit(claims=[early, late | {"rule": "true"}])
    made.commit(g="1")
    (made.root / "data/claims.yml").unlink()
    made.commit(moved=[early | {"why": "another reason"}, late])
    assert first(monkeypatch, made, early, late) == {"early": True, "late": False}


def test_arguments_and_tolerance_belong_to_the_rule(made, monkeypatch):
    made.commit(claims=[ROW])
    made.commit(g="1")
    assert first(monkeypatch, made, ROW) == {"a": True}
    for change in ({"arguments": {"group": 0}}, {"tolerance": {"margin": 1}}, {"measure": "b"}):
        assert first(monkeypatch, made, ROW | change) == {"a": False}  # not committed


@pytest.mark.parametrize("before", [[], [ROW | {"seen": True}]])
def test_a_rule_in_the_commit_of_its_results_is_not_shown_to_be_older(made, monkeypatch, before):
    """Nor is a row that said itself that results were known."""
    for row in before:
        made.commit(claims=[row])
    made.commit(claims=[ROW], g="1")
    assert first(monkeypatch, made, ROW) == {"a": False}


def test_what_rests_on_no_grid_is_known_from_its_first_verdict_on(made, monkeypatch):
    made.commit(claims=[ROW])
    assert first(monkeypatch, made, ROW, grids=()) == {"a": True}
    made.commit(verdicts={"a": "reproduced"})
    assert first(monkeypatch, made, ROW, grids=()) == {"a": True}
    made.commit(claims=[ROW | {"rule": "near"}])
    assert first(monkeypatch, made, ROW | {"rule": "near"}, grids=()) == {"a": False}


def test_a_result_is_known_under_another_id_and_by_its_parts(made, monkeypatch):
    made.commit(claims=[ROW])
    made.commit(verdicts={"a": "reproduced"})
    same, part = ROW | {"id": "b"}, ROW | {"id": "a", "part_of": "c"}
    whole, other = ROW | {"id": "c", "measure": "w"}, ROW | {"id": "d", "measure": "x"}
    made.commit(claims=[same, whole, part, other])
    made.commit(verdicts=dict.fromkeys("abcd", "reproduced"))
    dated = first(monkeypatch, made, same, whole, part, other, grids=())
    assert dated == {"a": True, "b": False, "c": False, "d": True}


def test_a_claim_of_ones_own_is_marked_and_a_folder_without_history_not_whole(tmp_path, made):
    assert Claim(**ROW, paper="ldp", place="p", statement="s", why="w").seen
    assert make_rules.whole(made.root)
    assert not make_rules.whole(tmp_path / "none")


def test_the_stored_dates_are_those_of_the_commits():
    if not make_rules.whole():
        pytest.skip("the history is not here, or cut off")
    if make_rules.git("status", "--porcelain", "--", *make_rules.CLAIMS, "data/rules.yml"):
        pytest.skip("rules are being changed")
    dates = make_rules.of_claims(make_rules.behind(evaluate()))
    assert dates == history.stored(), "store the dates with: python -m data.make_rules"
    assert set(history.stored()) == {claim.id for claim in read_claims()}
