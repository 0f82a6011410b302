"""Rosters, the course's seed, and what may be in a key."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from course.assignment import read_all
from course.variants import course_seed, draw, key_of, read_roster
from lib.paths import ROOT

A1 = read_all()[0]


def roster(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "roster.csv"
    path.write_bytes(text.encode(encoding))
    return path


def test_a_roster_is_read_as_it_is_written(tmp_path):
    text = 'ID, Name ,mail\n007,Ada,x\n s-2 ,Zoë Ó Súilleabháin,\n\n0e1,"Li, Wei",\n'
    for encoding in ("utf-8", "utf-8-sig"):
        read = read_roster(roster(tmp_path, text, encoding))
        assert read["id"].tolist() == ["007", "s-2", "0e1"]
        assert read["name"].tolist() == ["Ada", "Zoë Ó Súilleabháin", "Li, Wei"]
    assert read_roster(roster(tmp_path, "id\nNA\n"))["id"].tolist() == ["NA"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be a CSV file"),
        ("id,name\n", "at least one student"),
        ("student,name\n1,Ada\n", "must be with id"),
        ("id\n1\n1\n", "got twice 1"),
        ("id\nada\nAda\n", "got twice Ada"),
        ("id,name\n,Ada\n", "an id must be letters"),
        ("id\n../ada\n", "an id must be letters"),
        ("id\na b\n", "an id must be letters"),
        ("id\n.hidden\n", "an id must be letters"),
        ("id\nстудент\n", "an id must be letters"),
        ("id\n" + "a" * 65 + "\n", "an id must be letters"),
        ("id,name\n1,=1+1\n", "a name must be printable"),
        ("id,name\n1,Ada\x07\n", "a name must be printable"),
    ],
)
def test_a_roster_with_odd_entries_is_refused(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read_roster(roster(tmp_path, text))


def test_a_roster_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "roster.csv").write_bytes(b"id\n\xff\xfe\x00\n")
    with pytest.raises(ValueError, match="must be a CSV file in UTF-8"):
        read_roster(tmp_path / "roster.csv")


@pytest.mark.parametrize("secret", ["", "short", "eleven char"])
def test_a_seed_that_can_be_guessed_is_refused_and_not_printed(secret):
    with pytest.raises(ValueError, match="at least 12 characters") as error:
        course_seed(secret)
    assert not secret or secret not in str(error.value)


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
    assert key_of(A1, numpy) | {} == space | {"needed": 3, "errors": {"a": 0.5}}
    for bad in (float("nan"), object(), {"a": np.inf}):
        with pytest.raises(ValueError, match="the key of errors must be finite numbers"):
            key_of(A1, space | {"errors": bad})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,name,id\n1,Ada,2\n", r"the header 'id' must be there once, got 2"),
        ("id,name\n1,Ada,x\n", r"each row must be of 2 cells, as the header, got \['1'"),
        ("id,name\n1\n", r"each row must be of 2 cells"),
        ("id,name\n1,A\0da\n", r"must be a CSV file in UTF-8, got what is none"),
        ('id,name\n1,"Ada\n', r"must be a CSV file in UTF-8, got what is none"),
    ],
)
def test_a_roster_whose_cells_would_shift_is_refused_by_name(tmp_path, text, message):
    """A longer row moved all ids by a column; of two columns of ids the first was taken."""
    with pytest.raises(ValueError, match=rf"roster\.csv.*{message}"):
        read_roster(roster(tmp_path, text))


def test_without_a_terminal_the_seed_is_asked_for_in_a_sentence(tmp_path):
    """It ended in a traceback, or waited for a password on a pipe."""
    path = roster(tmp_path, "id,name\ns1,Ada\n")
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
