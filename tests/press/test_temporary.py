"""What a guide puts into the temporary folder goes with its kernel, also in Jupyter."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from lib.paths import CHAPTERS, ROOT

MAKES_A_FOLDER = sorted(
    page.stem
    for page in (CHAPTERS / "guides").glob("*.md")
    if re.search(r"tempfile\.\w", page.read_text("utf-8"))
)


@pytest.mark.thorough("guides in Jupyter")
@pytest.mark.parametrize("guide", MAKES_A_FOLDER)
def test_a_guide_leaves_nothing_in_jupyter(guide, tmp_path_factory):
    """By plain papermill, which starts and ends a kernel as Jupyter does."""
    empty, out = tmp_path_factory.mktemp("t"), tmp_path_factory.mktemp("out") / "out.ipynb"
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(empty))
    page = CHAPTERS / "guides" / f"{guide}.ipynb"
    command = [sys.executable, "-m", "papermill", page, out, "--cwd", ROOT]
    subprocess.run([*map(str, command)], env=os.environ | places, check=True, capture_output=True)
    assert list(empty.rglob("*")) == []
