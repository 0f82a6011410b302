"""Names that a data owner chose: shown as they are, and read by no parser."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pandas as pd

from lib.audit.report import report_html
from lib.cli import main
from lib.paths import ROOT
from lib.rng import stream
from tests.audit.asking import audited

NAMES = ("$10k_$20k", "$50%-$75%", "$x^2$", r"\$\frac{", "<script>alert(1)</script>", "# *a* `b`")
COLOUR, RIGHT_TO_LEFT = "\x1b[31m", "\u202e"
STRANGE = f"{COLOUR}safe\nDependence: none found.\r{RIGHT_TO_LEFT}\x9b2J"


def write_people(path, names=NAMES, sensitive="ill"):
    rng = stream(5, "foreign names")
    n = 60 * len(names)
    ill = np.where(rng.random(n) < 0.3, "yes", "no")
    frame = pd.DataFrame({"pay": rng.choice(names, n), "age": rng.integers(18, 90, n)})
    frame.assign(**{sensitive: ill}).to_csv(path, index=False)
    return path


def test_no_name_of_a_group_is_read_as_mathematics_or_markup(tmp_path):
    """Dollar signs stopped the audit, or were set as a formula."""
    ask = {"file": write_people(tmp_path / "people.csv"), "groups": ("pay",), "gamma": 20}
    page = report_html(audited(sensitive="ill", splits=2, learners=("lookup",), **ask))
    for name in ("$10k_$20k", "$50%-$75%", "&lt;script&gt;alert(1)", "# *a* `b`"):
        assert f"pay = {name}" in page
    assert "<script" not in page


def test_names_move_no_cursor_and_make_no_line_of_their_own(tmp_path, capsys):
    """In a terminal; a page may have no mark that turns the direction of writing, either."""
    path = write_people(tmp_path / "people.csv", (STRANGE, "other"), f"il{COLOUR}l")
    words = ["audit", str(path), "--sensitive", f"il{COLOUR}l", "--groups", "pay", "--quiet"]
    words += ["--learners", "lookup", "--gamma", "20", "--splits", "2", "--out", "page.html"]
    command = [sys.executable, "-m", "lib", *words]
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    # bytes, because Python would make an end of line of a \r in text
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, env=environment, check=True)
    shown = (done.stdout + done.stderr).decode()
    page = (tmp_path / "page.html").read_bytes().decode()
    assert "\\x1b[31m" in page
    for text in (shown, page):
        assert not set(text) & set("\x1b\x9b\r\u202e")
    assert sum(line.startswith("Dependence") for line in shown.splitlines()) == 1
    assert main(["audit", str(path), "--sensitive", f"{COLOUR}none\r"]) == 2
    refused = capsys.readouterr().err
    assert "none" in refused
    assert not set(refused) & set("\x1b\r")
