"""What came first, rule or results: on a history made for it, and on our own."""

from __future__ import annotations

import os
import subprocess

import pytest
import yaml

from lib.ledger import evaluate, history
from lib.ledger.cards import behind
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
        names = {
            f"GIT_{who}_{what}": "x"
            for who in ("AUTHOR", "COMMITTER")
            for what in ("NAME", "EMAIL")
        }
        subprocess.run(["git", *words], cwd=self.root, check=True, env=os.environ | dates | names)

    def commit(self, **files):
        """Write each file (``claims``, ``moved``, ``verdicts``, or the name of a grid), and commit."""
        paths = {
            "claims": "data/claims.yml",
            "moved": "data/claims/x.yml",
            "verdicts": "data/verdicts.yml",
        }
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
    said = history.of_claims({row["id"]: (row, grids) for row in rows}, made.root)
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


def test_a_rule_in_the_commit_of_its_results_is_not_shown_to_be_older(made, monkeypatch):
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


def test_a_row_that_said_itself_that_results_were_known_stays_marked(made, monkeypatch):
    made.commit(claims=[ROW | {"seen": True}])
    made.commit(claims=[ROW], g="1")
    assert first(monkeypatch, made, ROW) == {"a": False}


def test_a_claim_of_ones_own_is_marked():
    claim = Claim(**ROW, paper="ldp", place="p", statement="s", why="w")
    assert claim.seen


def test_a_folder_without_history_is_not_whole(tmp_path, made):
    assert history.whole(made.root)
    assert not history.whole(tmp_path / "none")


def test_the_stored_dates_are_those_of_the_commits():
    if not history.whole():
        pytest.skip("the history is not here, or cut off")
    if history._git("status", "--porcelain", "--", *history._CLAIMS, "data/rules.yml"):
        pytest.skip("rules are being changed")
    assert history.of_claims(behind(evaluate())) == history.stored(), (
        "store the dates with: python -m lib claims --history"
    )
    assert set(history.stored()) == {claim.id for claim in read_claims()}
