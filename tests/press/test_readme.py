"""The result in 30 seconds that the README promises, and the commands it names."""

from __future__ import annotations

import re
import time

from lib.paths import ROOT
from press.rerun import chapter, requested
from studies.cross_paper.headlines import errors_by_name

README = (ROOT / "README.md").read_text("utf-8")


def test_the_example_runs_in_30_seconds(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    start = time.process_time()
    exec(code, {})
    assert time.process_time() - start < 30
    assert capsys.readouterr().out.strip()


def test_its_picture_is_there_and_says_what_the_stored_results_say():
    """Drawn by ``added_by_size``, as on the home page; where this fails, save it again."""
    ((words, place),) = re.findall(r"!\[(.*?)\]\((.*?)\)", README)
    assert (ROOT / place).stat().st_size < 100_000
    extra = [errors_by_name(seen=seen)["extra"] for seen in (True, False)]
    ends = [f"{part.iloc[end]:.2f}" for part in extra for end in (0, -1)]
    assert re.findall(r"\d\.\d\d", words) == ends


def test_the_reruns_that_it_shows_are_of_parameters_that_there_are():
    for doc, *words in (c.split() for c in re.findall(r"-m lib rerun (.*)", README)):
        assert requested(chapter(doc), words)


def test_every_make_target_it_names_exists():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.MULTILINE))
    assert {"book", "test"} <= named
    assert named <= set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
