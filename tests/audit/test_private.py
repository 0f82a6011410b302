"""Nothing of the audited people stays in the temporary folder, or shows in the report by mistake."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest

from lib import programs
from lib.audit.report import report_html, report_json
from lib.cli import main
from lib.paths import ROOT
from tests.audit.asking import audited, curator_of
from tests.programs import wait

CURATOR = """
import os, sys, time
with open("{pids}", "a") as file:
    file.write(f"{{os.getpid()}} {{os.stat(sys.argv[1]).st_mode & 0o777:o}}\\n")
time.sleep({seconds})
open(sys.argv[2], "w").write(open(sys.argv[1]).read())
"""
ASK = {"sensitive": "ill", "gamma": 4, "splits": 2, "learners": ("lookup",), "alphas": (0.4,)}
AGAIN = pytest.mark.thorough("once more")
posix = pytest.mark.skipif(os.name != "posix", reason="modes and signals of POSIX")


@pytest.fixture
def people(tmp_path):
    """400 people, of whom three live in a place of their own."""
    i = np.arange(400)
    place = np.where(i < 3, "Lonelyhill", np.where(i % 2, "North", "South"))
    frame = pd.DataFrame({"age": i % 50, "place": place, "ill": np.where(i % 5, "no", "yes")})
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """An empty temporary folder, for this process and its children."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    yield folder
    monkeypatch.setattr("tempfile.tempdir", None)


def _curator(tmp_path, seconds: float) -> str:
    script, code = tmp_path / "curator.py", CURATOR.format(pids=tmp_path / "pids", seconds=seconds)
    script.write_text(code, encoding="utf-8")
    return curator_of(script)


def _gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def _files(folder) -> list[str]:
    """What is left below a folder, without the empty ones that other libraries keep."""
    return [str(path) for path in folder.rglob("*") if path.is_file()]


@posix
@pytest.mark.parametrize(
    "number", [pytest.param(signal.SIGTERM, marks=AGAIN), signal.SIGKILL], ids=lambda s: s.name
)
def test_a_stopped_audit_leaves_no_curator_and_no_table(number, people, tmp_path, temporary):
    command = [sys.executable, "-m", "lib", "audit", str(people), "--sensitive", "ill"]
    command += ["--curator", _curator(tmp_path, 300), "--quiet", "--out", str(tmp_path / "r.html")]
    (tmp_path / "bwrap").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (tmp_path / "bwrap").chmod(0o755)  # contained, it could not say who it is
    env = os.environ | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    audit = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL, env=env)
    said = tmp_path / "pids"
    assert wait(lambda: said.exists() and len(said.read_text("utf-8").split()) == 2)
    pid, mode = said.read_text("utf-8").split()
    assert mode == "600"
    for path in temporary.glob(".companion-*"):
        if path.is_dir():
            assert stat.S_IMODE(path.stat().st_mode) == 0o700
    audit.send_signal(number)
    audit.wait(10)
    assert wait(lambda: _gone(int(pid)), 5)
    tables = (".csv", ".pickle")
    if number == signal.SIGKILL:  # it could not clean up: the next audit does
        assert any(name.endswith(tables) for name in _files(temporary))
        audited(file=people, **ASK)
    assert not any(name.endswith(tables) for name in _files(temporary))


def _file_of(array) -> str:
    return str(array.filename)


def test_what_workers_share_stays_in_the_private_folder(people, temporary, monkeypatch):
    """Large tables go to workers by a file, which joblib left in /dev/shm after a kill."""

    def demcoh(*_, **__):
        shared = joblib.Parallel(n_jobs=2)([joblib.delayed(_file_of)(np.zeros(200_000))])
        raise RuntimeError(shared[0])

    monkeypatch.setattr("lib.audit.exposure.demcoh", demcoh)
    with pytest.raises(RuntimeError, match=rf"{temporary}/\.companion-\w+/"):
        audited(file=people, **ASK)


def test_a_curator_that_takes_too_long_is_ended_and_told(people, tmp_path, temporary, monkeypatch):
    monkeypatch.setattr(programs, "bubblewrap_works", lambda: False)
    with pytest.raises(ValueError, match="curator must make a release within 3 seconds"):
        audited(file=people, curator=_curator(tmp_path, 300), timeout=3, **ASK)
    lines = (tmp_path / "pids").read_text("utf-8").splitlines()
    assert all(_gone(int(line.split()[0])) for line in lines)
    assert not _files(temporary)


@posix
def test_reports_are_for_their_owner_alone(people, tmp_path):
    page, record = tmp_path / "report.html", tmp_path / "report.json"
    arguments = ["audit", str(people), "--sensitive", "ill", "--splits", "2", "--quiet"]
    assert main([*arguments, "--out", str(page), "--json", str(record)]) == 0
    for path in (page, record):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def _page(**asked) -> str:
    return report_html(audited(**ASK | asked))


def _shown(**asked) -> str:
    """What a report says, on its page and for programs."""
    audit = audited(**ASK | asked)
    return report_html(audit) + report_json(audit)


def test_groups_of_a_few_people_are_counted_and_not_named(people, unpainted):
    ask = {"file": people, "groups": ("place",)}
    for gamma in (4, 80):
        said = _shown(**ask, gamma=gamma)
        assert "Lonelyhill" not in said
        assert "1 group of fewer than 10 people, together fewer than 10 people" in said
        assert "never named here" in said
    shown = _page(**ask, show_small=True)
    assert "Lonelyhill" in shown
    assert "show_small was asked for" in shown


def test_a_sensitive_value_of_a_few_people_is_not_named(people, unpainted):
    """The rarer of two values is what is predicted: with one person, the report named it."""
    frame = pd.read_csv(people).assign(ill="none")
    frame.loc[0, "ill"] = "Lonely fever"
    frame.to_csv(people, index=False)
    for positive in (None, "Lonely fever"):
        said = _shown(file=people, positive=positive)
        assert "Lonely fever" not in said
    assert "ill = a value of fewer than 10 people" in _page(file=people)
    assert "Lonely fever" in _page(file=people, show_small=True)


def test_warnings_quote_no_value_of_a_release(people, tmp_path, unpainted):
    frame = pd.read_csv(people)
    odd = frame[:200].copy()
    odd.loc[:60, "place"] = "Hermitage"
    for name, rows in {"release": odd, "inside": frame[:200], "outside": frame[200:]}.items():
        rows.to_csv(tmp_path / f"{name}.csv", index=False)
    ask = {"file": tmp_path / "inside.csv", "holdout": tmp_path / "outside.csv"}
    ask |= {"release": tmp_path / "release.csv"}
    said = _shown(**ask)
    assert "released values of place do not occur" in said
    assert "Hermitage" not in said
    assert "Hermitage" in _page(**ask, show_small=True)


def test_text_among_numbers_is_told_and_not_made_a_category_in_silence(people, unpainted):
    odd = pd.read_csv(people, dtype=str)
    odd.loc[7, "age"], odd.loc[9, "age"] = "inf", "unknown"
    odd.to_csv(people, index=False)
    audit = audited(file=people, **ASK)
    [words] = audit.warnings
    assert "column age of people.csv is not read as numbers" in words
    assert "398 of 400 values are numbers, 2 are none" in words
    assert words in report_html(audit)
