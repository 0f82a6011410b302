"""What a curator, which may be somebody else's program, reads of the machine, and what is said."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lib import programs
from lib.audit.release import Curator
from lib.audit.report import report_html, report_json
from lib.audit.request import Request
from lib.audit.table import read_table
from lib.cli import main
from tests.audit.asking import COPY, audited, curator_of
from tests.test_programs import BOTH, contains


@pytest.fixture
def release(tmp_path):
    """Calls a curator that runs some code and then releases its half."""
    folder, people = tmp_path / "temporary", tmp_path / "data" / "people.csv"
    script = tmp_path / "a curator.py"
    for path in (folder, people.parent):
        path.mkdir()
    frame = pd.DataFrame({"age": np.arange(40) % 20, "ill": ["no", "yes"] * 20})
    frame.to_csv(people, index=False)
    (folder / "other.pickle").touch()

    def call(code: str, contained: bool, **more: object) -> pd.DataFrame:
        start = "import os, pandas, sys\nhalf = open(sys.argv[1]).read()\n"
        code = code.format(file=people, releases=folder)
        script.write_text(f"{start}{code}\nopen(sys.argv[2], 'w').write(half)\n", "utf-8")
        command = curator_of(script)
        asked = Request(file=people, sensitive="ill", gamma=10, curator=command, **more)
        table = read_table(asked)
        curator = Curator(asked, table.raw, table.schema, folder, contained)
        return curator(table.frame.iloc[:20], np.random.default_rng(1))

    return call


@contains
@pytest.mark.parametrize("path", ["{file}", "{releases}/other.pickle"])
def test_a_contained_curator_sees_neither_the_whole_file_nor_other_releases(release, path):
    with pytest.raises(ValueError, match="FileNotFoundError"):
        release(f'os.stat("{path}")', True)


@BOTH
def test_a_link_is_no_release(release, contained):
    """It would lead to the whole file, which the audit can read and the curator cannot."""
    code = 'os.symlink("{file}", sys.argv[2])\nsys.exit(0)'
    with pytest.raises(ValueError, match="got exit status 0 and none"):
        release(code, contained)


@BOTH
def test_a_curator_reads_what_it_is_given(contained, release, tmp_path):
    """Its script, which its command names; a folder beside it by ``reads``."""
    words = tmp_path / "words"
    words.mkdir()
    (words / "own.py").write_text("factor = 1", encoding="utf-8")
    code = f'sys.path.insert(0, "{words}")\nimport own'
    if contained:
        with pytest.raises(ValueError, match="No module named 'own'"):
            release(code, contained)
    release(code, contained, reads=(words,))


@BOTH
def test_the_report_says_what_the_curator_could_do(contained, tmp_path, monkeypatch, unpainted):
    monkeypatch.setattr(programs, "bubblewrap_works", lambda: contained)
    i = np.arange(60)
    frame = pd.DataFrame({"age": i % 20, "ill": np.where(i % 2, "yes", "no")})
    frame.to_csv(tmp_path / "people.csv", index=False)
    ask = {"file": tmp_path / "people.csv", "sensitive": "ill", "gamma": 10, "splits": 2}
    audit = audited(**ask, learners=("lookup",), curator=COPY, contained=contained)
    said = "contained by bubblewrap" if contained else "ran with your rights"
    assert said in report_html(audit)
    found = json.loads(report_json(audit))
    assert found["contained"] is contained
    assert said in found["containment"]
    assert audited(**ask, learners=("lookup",)).containment == ""


def test_a_curator_that_must_be_contained_and_cannot_be_does_not_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(programs, "bubblewrap_works", lambda: False)
    frame = pd.DataFrame({"age": np.arange(400) % 50, "ill": ["no", "yes"] * 200})
    frame.to_csv("people.csv", index=False)
    ran = tmp_path / "ran"
    command = curator_of("-c", f"open({str(ran)!r}, 'w')")
    words = ["audit", "people.csv", "--sensitive", "ill", "--curator", command, "--contained"]
    assert main([*words, "--quiet"]) == 1
    assert "contained must be left out where bubblewrap is not installed" in capsys.readouterr().err
    assert not ran.exists()
    with pytest.raises(ValueError, match="contained must be given with a curator"):
        Request(file=Path("people.csv"), sensitive="ill", contained=True)
