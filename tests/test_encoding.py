"""No command depends on the encoding of the machine's locale."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from lib.paths import HOUSES, ROOT

ASCII = {"PYTHONUTF8": "0", "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"}
WARN = ("-X", "warn_default_encoding", "-W", "default::EncodingWarning")
OURS = tuple(str(ROOT / house) for house in HOUSES)
CLAIMS = ("-m", "lib", "claims", "--paper", "ldp")
AUDIT = (*"-m lib audit müde.csv --sensitive müde --positive ja --groups größe".split(),)
SMALL = (*"--bands größe=170,185 --splits 2 --gamma 20 --quiet".split(),)
SWEEP = ("-c", "from lib.runner.records import provenance; print(provenance())")


def _run(words, cwd, env, *options) -> subprocess.CompletedProcess:
    """A program of this interpreter; what it prints, as bytes."""
    (cwd / "müde.csv").write_text(_people(), encoding="utf-8")
    env = {k: v for k, v in os.environ.items() if not k.startswith("LC_")} | env
    env |= {"PYTHONPATH": str(ROOT), "COMPANION_OFFLINE": "1"}
    command = [sys.executable, *options, *words]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, check=False)


def _people() -> str:
    rng = np.random.default_rng(0)
    rows = zip(rng.integers(150, 200, 200), rng.choice(["ja", "nein"], 200), strict=True)
    return "\n".join(["größe,müde", *(f"{size},{tired}" for size, tired in rows)]) + "\n"


@pytest.mark.parametrize("words", [CLAIMS, AUDIT + SMALL, SWEEP], ids=["claims", "audit", "git"])
def test_a_command_works_under_an_ascii_locale_and_opens_none_of_our_files_in_it(words, tmp_path):
    """Other packages open some of theirs so."""
    done = _run(words, tmp_path, ASCII, *WARN)
    assert done.returncode == 0, done.stderr[-500:]
    warned = [line for line in done.stderr.decode().splitlines() if "EncodingWarning" in line]
    assert [line for line in warned if line.startswith(OURS)] == []
    if words == CLAIMS:
        assert b"\\xb1" in done.stdout  # a plus or minus, spelt out
    elif words != SWEEP:
        report = (tmp_path / "coherence.html").read_text(encoding="utf-8")
        assert "<title>Demographic coherence of müde.csv</title>" in report
        assert "größe" in report
