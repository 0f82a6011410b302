"""Rosters, the course's seed, and what may be in a key."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from course.assignment import read_all
from course.variants import course_seed, draw, key_of
from lib.paths import ROOT
from tests.course.test_refusals import put, roster

A1 = read_all()[0]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "with a mark in front"])
def test_a_roster_is_read_as_it_is_written(tmp_path, mark):
    text = 'ID, Name ,mail\n007,Ada,x\n s-2 ,Zoë Ó Súilleabháin,\n\n0e1,"Li, Wei",\n'
    read = roster(mark + text.encode())(tmp_path)
    assert read["id"].tolist() == ["007", "s-2", "0e1"]
    assert read["name"].tolist() == ["Ada", "Zoë Ó Súilleabháin", "Li, Wei"]
    assert roster("id\nNA\n")(tmp_path)["id"].tolist() == ["NA"]


def test_variants_of_a_large_course_are_all_different():
    """Their names, and their parameters and tables; the names do not follow from the ids."""
    seed = course_seed("a course of two hundred")
    drawn = [draw(A1, f"s{n}", seed) for n in range(60)]
    assert len({v.name for v in drawn}) == len({v.table for v in drawn}) == 60
    spread = pd.Series([v.values["epsilon"] for v in drawn])
    assert spread.nunique() > 25
    assert spread.between(0.5, 1.5).all()


def test_a_key_holds_plain_values_only():
    space = dict.fromkeys(A1.key_names(), 1.0)
    numpy = space | {"needed": np.int64(3), "errors": pd.Series({"a": np.float64(0.5)})}
    assert key_of(A1, numpy) == space | {"needed": 3, "errors": {"a": 0.5}}


def test_without_a_terminal_the_seed_is_asked_for_in_a_sentence(tmp_path):
    """It ended in a traceback, or waited for a password on a pipe."""
    path = put(tmp_path / "roster.csv", "id,name\ns1,Ada\n")
    command = [sys.executable, "-m", "lib", "course", "make", "--students", str(path)]
    kept = {k: v for k, v in os.environ.items() if k != "COURSE_SEED"}
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "out")],
        cwd=ROOT,
        env=kept | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # with it no terminal of the whole session can be opened
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 2
    assert done.stderr == (
        "error: COURSE_SEED must be set to the course's secret text where there is no terminal to"
        " ask for it, got None\n"
    )
