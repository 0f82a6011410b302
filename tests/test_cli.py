"""The commands: clear errors with the right status, also where a pipe is closed."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from lib.cli import main
from lib.paths import ROOT
from tests.programs import python


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "ldp"], r"grid must be one of 'ldp_main', .*, got 'ldp'"),
        (["run", "ldp_main", "--profile", "huge"], r"profile must be .*, got 'huge'"),
        (["tune", "compas"], r"dataset must be .*, got 'compas'"),
        (["data", "verify", "x.csv"], r"file must be .*, got 'x.csv'"),
        (["book", "--profile", "huge"], r"profile must be .*, got 'huge'"),
        (["claims", "--paper", "none"], r"paper must be .*, got 'none'"),
        (
            ["claims", "--id", "ldp-compose"],
            r"id must be one of 'ldp-composes'.* got 'ldp-compose'",
        ),
        (["claims", "--id", "ldp-composes", "--check"], "id must be left out with check and write"),
    ],
)
def test_wrong_input_is_named_with_status_two(arguments, message, capsys):
    assert main(arguments) == 2
    assert re.search(message, capsys.readouterr().err)


def test_what_judges_refuses_without_assertions_and_nobodys_settings_reach_it():
    hostile = {"PYTHONOPTIMIZE": "1", "PYTHONWARNINGS": "error", "PANDAS_FUTURE_INFER_STRING": "x"}
    for words in ("claims --id none", "verify --cells 0"):
        refused = python("-O", "-m", "lib", *words.split(), check=False)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr == "error: assertions must be on to judge by them, got python -O\n"
    done = python("-m", "lib", "claims", "--id", "none", check=False, **hostile)
    assert re.match(r"error: id must be one of .*\n$", done.stderr)


def test_a_closed_pipe_ends_quietly():
    """``python -m lib data list | head -1`` printed a traceback."""
    command = [sys.executable, "-u", "-m", "lib", "data", "list"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    listing = subprocess.Popen(command, cwd=ROOT, **pipes)
    listing.stdout.read(1)
    listing.stdout.close()
    assert listing.stderr.read() == ""
    listing.stderr.close()
    assert listing.wait(60) in (0, 141)
