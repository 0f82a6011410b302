"""The authors' own stored results: read once with care, and judged by the rules of our rerun."""

from __future__ import annotations

import hashlib
import math
import os
import pickle
import subprocess
from pathlib import Path

import pandas as pd
import pytest
import yaml

from data.authors import make, unpickle
from lib.ledger import authors
from lib.ledger.claim import Claim
from lib.ledger.judge import evaluate
from lib.ledger.rules import Evidence
from lib.study import Study, studies
from studies.verdicts.words import authors_in_words, rerun_in_words
from tests.programs import python

TABLES = authors.tables()
CLONES = Path(os.environ.get("COMPANION_CLONES", "/nowhere"))


class Malicious:
    """A pickle that would run a program."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


@pytest.mark.parametrize(
    ("call", "named"),
    [
        ((os.system, "touch {}"), "system"),
        ((subprocess.check_call, ["touch", "{}"]), "check_call"),
        ((eval, "open('{}', 'w')"), "eval"),
        ((getattr, "{}", "upper"), "getattr"),
        ((pd.read_pickle, "{}"), "read_pickle"),
    ],
    ids=["shell", "program", "code", "attribute", "another pickle"],
)
def test_a_malicious_pickle_is_refused_and_runs_nothing(tmp_path, call, named):
    mark = tmp_path / "mark"

    def placed(words):
        return words.format(mark) if isinstance(words, str) else [w.format(mark) for w in words]

    evil = Malicious(call[0], *map(placed, call[1:]))
    hidden = pd.DataFrame({"a": [1, evil]}, dtype="O")  # in a cell of an otherwise honest table
    for content, name in ((evil, named), (hidden, "")):
        words = rf"file must be a pickled table .*{name} is not allowed"
        with pytest.raises(ValueError, match=words):
            unpickle.read_pickle("table.pkl", pickle.dumps(content))
    assert not mark.exists()


NO_TABLES = [*map(pickle.dumps, ({"a": 1}, [1, 2], "text", None)), b"\x80\x05nothing"]


@pytest.mark.parametrize("content", NO_TABLES)
def test_what_is_no_pickled_table_is_refused(content):
    with pytest.raises(ValueError, match="file must be a pickled table and nothing else"):
        unpickle.read_pickle("table.pkl", content)


@pytest.mark.parametrize(
    "program",
    [
        "import socket; socket.socket()",
        "import subprocess; subprocess.run(['true'])",
        "open('{}', 'w')",
        "import os; os.remove('{}')",
    ],
)
def test_the_process_of_a_pickle_reaches_nothing(tmp_path, program):
    """The second wall, should a constructor that is allowed do more than it should."""
    inside = program.format(tmp_path / "mark")
    code = "import socket, subprocess, os, sys\nfrom data.authors.unpickle import _refuse\n"
    code += f"sys.addaudithook(_refuse)\n{inside}\n"
    done = python("-c", code, check=False)
    assert done.returncode != 0
    assert "is not allowed" in done.stderr


@pytest.mark.parametrize("name", TABLES)
def test_each_table_says_where_it_is_from_and_is_what_it_says(name):
    said = authors.described(name)
    rows, words = make.stored(name)
    assert said["repository"].startswith("https://github.com/")
    assert len(said["commit"]) == 40
    assert said["sha256"] == hashlib.sha256(rows.encode()).hexdigest()
    assert all(len(digest) == 64 for digest in said["files"].values())
    assert {"what", "columns", "runs", "missing", "ties"} <= set(said)
    assert said == yaml.safe_load(words)
    rows = authors.read_table(name).drop(columns="epsilon", errors="ignore")
    assert not rows.isna().any(axis=None)


@pytest.mark.skipif(not CLONES.is_dir(), reason="COMPANION_CLONES names no folder of clones")
def test_the_tables_are_what_the_authors_files_give():
    assert make.main([str(CLONES), "--check"]) == 0


# --- the third column

ROW = {"paper": "stratified", "place": "-", "statement": "-", "measure": "synth_above"}
ROW |= {"rule": "at_least", "tolerance": {"threshold": 0.75}, "why": "-"}
SHARES = {"not reproduced": 0.2, "same direction": 0.6, "reproduced": 0.9}


def judged(ours="not reproduced", data="real data", **others):
    """A row whose evidence, and that of the authors and two real tables, has given verdicts."""
    places = {None: ours, "authors": "reproduced", "acs_coverage": ours, "nist": ours} | others

    def measured(claim):
        place = places[claim.arguments.get("tables")]
        value = SHARES.get(place, math.nan)
        return Evidence(value, runs=5, data=data if "tables" not in claim.arguments else "x")

    return evaluate([Claim(id="a", **ROW)], measured=measured)[0]


def test_the_authors_results_are_judged_by_the_same_rule():
    row = judged(authors="same direction")
    assert (row.verdict, row.authors.verdict) == ("not reproduced", "same direction")
    assert row.authors.claim.tolerance == row.claim.tolerance
    assert authors_in_words(row) == "60% (no interval): same direction"
    assert rerun_in_words(row) == "20% (real data)"


def test_the_family_of_tests_has_the_authors_p_values_in_the_place_of_ours(monkeypatch):
    """Holm's correction: two tests, theirs at .04 and .001, ours at .001 both."""
    names = {"a": 0.04, "b": 0.001}

    def measured(claim):
        theirs = claim.arguments.get("theirs", False)
        return Evidence(1.0, runs=5, p=names[claim.id] if theirs else 0.001)

    asked = {"argument": "theirs", "values": {"": True}, "measures": ("change",)}
    study = Study("s", "ldp", authors=asked)
    every = (study, *studies())
    monkeypatch.setattr("lib.ledger.claim.studies", lambda: every)
    rule = ROW | {"paper": "ldp", "rule": "positive", "tolerance": {}, "measure": "change"}
    rows = evaluate([Claim(id=name, **rule) for name in names], measured=measured)
    assert [row.adjusted_p for row in rows] == [0.002, 0.002]
    assert [row.authors.adjusted_p for row in rows] == [0.04, 0.002]
