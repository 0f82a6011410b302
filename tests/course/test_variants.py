"""The course's seed, and what may be in a key."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pandas as pd

from course.assignment import read_all
from course.variants import key_of
from lib.paths import ROOT

A1 = read_all()[0]


def test_a_key_holds_plain_values_only():
    space = dict.fromkeys(A1.key_names(), 1.0)
    numpy = space | {"needed": np.int64(3), "errors": pd.Series({"a": np.float64(0.5)})}
    assert key_of(A1, numpy) == space | {"needed": 3, "errors": {"a": 0.5}}


def test_without_a_terminal_the_seed_is_asked_for_in_a_sentence(tmp_path):
    """It ended in a traceback, or waited for a password on a pipe."""
    command = [sys.executable, "-m", "lib", "course", "make"]
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
