"""Each assignment: right answers in any form pass the hidden tests, planted wrong ones do not."""

from __future__ import annotations

import ast
import json
import math
import re
import shutil
import subprocess
from contextlib import chdir, suppress
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest

from course import keys
from course.keys import SOURCES, agrees, hidden, literal, passes, write
from lib.files import read_yaml
from lib.paths import ROOT
from press.toc import read_notebook

NAMES = sorted(path.stem for path in SOURCES.glob("a*.yml"))
SEEDS = ("spring of 2026", "autumn of 2027", "a third class")
OTTER = ROOT / ".venv-course" / "bin" / "otter"
every_assignment = pytest.mark.parametrize("name", NAMES)


def info(name: str) -> dict[str, Any]:
    return read_yaml(SOURCES / f"{name}.yml", dict)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Folder of an assignment for a seed, variables of its solution, hidden tests with their tasks."""

    @cache
    def make(name: str, seed: str) -> tuple[Path, dict[str, Any], list[tuple[str, str]]]:
        folder = tmp_path_factory.mktemp(name)
        space = write(name, seed, folder)
        notebook = read_notebook(folder / f"{name}.ipynb")
        return folder, space, [(task, cell.source) for task, cell in hidden(notebook)]

    return make


def rounded(answer: Any) -> Any:
    if isinstance(answer, dict):
        return {key: rounded(value) for key, value in answer.items()}
    if isinstance(answer, list):
        return tuple(map(rounded, answer))
    return float(f"{answer:.3g}") if isinstance(answer, float) else answer


def of_libraries(answer: Any) -> Any:
    whole = isinstance(answer, int | np.integer)
    if isinstance(answer, dict | list):
        return pd.Series(answer)
    return float(answer) if whole else np.array(answer)


@pytest.mark.parametrize("seed", SEEDS)
@every_assignment
def test_right_answers_in_any_form_pass_and_planted_mistakes_do_not(made, name, seed):
    _, space, tests = made(name, seed)
    wrong = info(name)["wrong"]
    assert {task for task, _ in tests} == {*wrong}
    for task, test in tests:
        answers = re.findall(r"assert agrees\((\w+),", test)
        forms = [lambda a: a, of_libraries] + [rounded] * ("digits=" not in test)
        for form in forms:
            assert passes(test, space | {answer: form(space[answer]) for answer in answers}), test
        assert not passes(test, {})
        assert not passes(test, dict.fromkeys(answers, ...))
        assert len(wrong[task]) >= 3
        for planted in wrong[task]:
            tried = dict(space)
            exec(planted["code"], tried)
            assert not passes(test, tried), planted["mistake"]


@every_assignment
def test_keys_and_tables_differ_by_seed_and_are_the_same_again(made, name, tmp_path):
    folders, _, tests = zip(*(made(name, seed) for seed in SEEDS), strict=True)
    for several in zip(*tests, strict=True):
        assert len(set(several)) > 1, several[0][0]
    tables = [(folder / f"{name}.csv").read_bytes() for folder in folders]
    assert len(set(tables)) == len(SEEDS)
    write(name, SEEDS[0], tmp_path)
    assert (tmp_path / f"{name}.csv").read_bytes() == tables[0]
    again = read_notebook(tmp_path / f"{name}.ipynb")
    assert [(task, cell.source) for task, cell in hidden(again)] == tests[0]
    assert "make_table" not in (tmp_path / f"{name}.ipynb").read_text("utf-8")


@every_assignment
def test_what_students_get_passes_no_hidden_test(made, name):
    """As otter leaves it: a solution without its mark would be theirs."""
    folder, _, tests = made(name, SEEDS[0])
    space: dict[str, Any] = {}
    cells = [c for c in read_notebook(folder / f"{name}.ipynb").cells if c.cell_type == "code"]
    for cell in [cell for cell in cells if "def test_" not in cell.source]:
        source = re.sub("(?ms)^# BEGIN SOLUTION.*?^# END SOLUTION$", "", cell.source)
        with chdir(folder), suppress(Exception):  # what works on a missing answer
            exec(re.sub("(?m)= .* # SOLUTION$", "= ...", source), space)
    assert "table" in space
    assert [task for task, test in tests if passes(test, space)] == []


RIGHT = {"a": [0.67849, 12], "b": "late"}


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ({"a": [0.678, 12], "b": "late"}, True),
        ({"a": np.array([0.67849, 12.0]), "b": np.str_("late")}, True),
        *(({"a": a, "b": "late"}, False) for a in ([0.68, 12], [0.678, 13], [0.678, True])),
        *(({"a": a, "b": "late"}, False) for a in ([0.678], [], [0.678, 12, 1], ["0.678", 12])),
        *(({"a": [math.nan, 12]} | more, False) for more in ({}, {"b": "late"})),
        *(({"a": [0.678, 12]} | more, False) for more in ({}, {"b": "Late"}, {"b": 1})),
        ({"a": [0.678, 12], "b": "late", "c": 1}, False),
        *((nothing, False) for nothing in ({}, [], None, "late")),
    ],
)
def test_an_answer_has_the_form_of_the_key_and_three_digits(answer, right):
    """``shares = []`` earned full marks once, and a rounded answer none."""
    assert agrees(answer, RIGHT) is right


def test_digits_and_shares_that_a_task_names_are_marked():
    assert agrees(11.845, 11.844949854, digits=5)
    assert not agrees(11.845, 11.844949854, digits=7)
    assert agrees(0.069, 0.0636, within=0.1)


def test_what_cannot_be_a_key_and_a_seed_that_makes_a_mistake_right_are_refused(
    tmp_path, monkeypatch
):
    for bad in (math.nan, object(), {"a": np.inf}):
        with pytest.raises((ValueError, AttributeError)):
            literal(bad)
    shutil.copytree(SOURCES, tmp_path / "sources")
    source = tmp_path / "sources" / "a1.yml"
    source.write_text(source.read_text("utf-8").replace("posterior = keep", "pass"), "utf-8")
    monkeypatch.setattr(keys, "SOURCES", tmp_path / "sources")
    with pytest.raises(ValueError, match=r"seed must be another, .*a1, q2: ignores the prior"):
        write("a1", SEEDS[0], tmp_path / "out")
    assert not (tmp_path / "out" / "a1.ipynb").exists()


def secrets(name: str, tests: list[tuple[str, str]]) -> set[str]:
    """What only the teacher has: lines of solutions and of tests, mistakes, samples, keys."""
    source = (SOURCES / f"{name}.md").read_text("utf-8")
    found = [line.removesuffix("# SOLUTION") for line in source.splitlines() if "# SOL" in line]
    for block in re.findall(r"# BEGIN SOLUTION NO PROMPT\n(.*?)# END", source, re.S):
        found += block.splitlines()
    for _, test in tests:
        found += [ast.unparse(ast.parse(test)), *re.findall(r"\d\.\d{6}", test)]
    for planted in info(name)["wrong"].values():
        found += [words for one in planted for words in one.values()]
    for rubric in info(name)["rubric"].values():
        found += [one["for"] for one in rubric["criteria"]] + [s["text"] for s in rubric["samples"]]
    return {words.strip() for words in found if len(words.strip()) >= 8}


@pytest.mark.thorough("otter-grader")
@pytest.mark.skipif(not OTTER.exists(), reason="otter-grader is not here: make .venv-course/.made")
def test_otter_makes_the_students_notebook_and_marks_it(made, tmp_path):
    folder, _, tests = made("a1", SEEDS[0])
    subprocess.run([OTTER, "assign", folder / "a1.ipynb", tmp_path], check=True, timeout=600)
    assert {path.name for path in (tmp_path / "student").iterdir()} == {"a1.ipynb", "a1.csv"}
    student = json.loads((tmp_path / "student" / "a1.ipynb").read_text("utf-8"))
    text = json.dumps(student, ensure_ascii=False).encode().decode("unicode_escape", "replace")
    assert [words for words in secrets("a1", tests) if words in text] == []
    assert "The form is right. Marking will" in text
    solved = tmp_path / "autograder" / "a1.ipynb"
    assert sum(words in solved.read_text("utf-8") for words in secrets("a1", tests)) > 3
    wrong = nbformat.read(solved, as_version=4)
    wrong.cells.append(nbformat.v4.new_code_cell("keep = 1 - keep; estimate = 0.5"))
    nbformat.write(wrong, tmp_path / "wrong.ipynb")
    (archive,) = (tmp_path / "autograder").glob("*.zip")
    points = []
    for notebook in (solved, tmp_path / "wrong.ipynb", tmp_path / "student" / "a1.ipynb"):
        command = [OTTER, "run", "-a", archive, "-o", tmp_path, notebook]
        subprocess.run(command, check=True, timeout=600)
        results = json.loads((tmp_path / "results.json").read_text("utf-8"))
        points.append(sum(test.get("score", 0) for test in results["tests"]))
    assert points == [16, 12, 0]
