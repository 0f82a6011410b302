"""The result in 30 seconds that the README promises, and the commands it names."""

from __future__ import annotations

import re
import time

import pytest

from lib.cli import main
from lib.paths import ROOT
from lib.runner import scores
from press.rerun import chapter, requested
from studies.synthesizers.figures.who_pays import group_errors

README = (ROOT / "README.md").read_text("utf-8")


def test_the_example_runs_in_30_seconds(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    start = time.process_time()
    exec(code, {})
    assert time.process_time() - start < 30
    assert capsys.readouterr().out.strip()


def test_its_picture_is_there_and_says_what_the_stored_results_say():
    """Drawn by ``error_by_size``, as on the home page; where this fails, save it again."""
    ((words, place),) = re.findall(r"!\[(.*?)\]\((.*?)\)", README)
    errors = group_errors(scores("synth_nist"), "AIM", 1.0)
    assert (ROOT / place).stat().st_size < 100_000
    assert (errors["resampled"] < errors["private"]).all()
    most, least = errors["private"].max(), errors["private"].min()
    assert re.findall(r"\d\.\d", words) == [f"{most:.1f}", f"{least:.1f}"]


def test_the_reruns_that_it_shows_are_of_parameters_that_there_are():
    for doc, *words in (c.split() for c in re.findall(r"-m lib rerun (.*)", README)):
        assert requested(chapter(doc), words)


def test_every_make_target_it_names_exists():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", README, re.MULTILINE))
    assert {"book", "test"} <= named
    assert named <= set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))


@pytest.mark.parametrize("command", ["book", "live", "offprint", "rerun", "sources"])
def test_every_command_of_the_press_explains_itself(command, capsys):
    with pytest.raises(SystemExit) as done:
        main([command, "--help"])
    assert done.value.code == 0
    assert command in capsys.readouterr().out


def test_a_wrong_number_of_workers_is_told_and_ends_with_2(capsys):
    assert main(["book", "--workers", "0"]) == 2
    assert re.search(r"workers must be .*, got 0", capsys.readouterr().err)
