"""The guides as written: the cells of a page, in order, in a folder of their own; and with a
fault put in, they fail.
"""

from __future__ import annotations

import importlib
import os
import sys

import matplotlib.pyplot as plt
import pytest
from IPython.core.interactiveshell import InteractiveShell

from lib.paths import CHAPTERS
from press.pairs import notebook_of

GUIDES = CHAPTERS / "guides"
AGAIN = pytest.mark.thorough("guides again")  # `make test` has its commands: test_guide_commands
# of which the cells are run here, too: with faults put in
RUN_HERE = ("protocol", "synthesizer", "dataset", "metric", "claim", "paper")


@pytest.fixture
def run_page(tmp_path, monkeypatch):
    """Execute a page's cells in this process, with one text put for another if asked; its names
    are returned.
    """
    modules, path, shell = set(sys.modules), list(sys.path), InteractiveShell()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # where the pages make their folders
    for name in ("COMPANION_DATA", "COMPANION_CACHE"):  # put back afterwards what a page sets
        monkeypatch.setenv(name, os.environ.get(name, ""))
    monkeypatch.delenv("COMPANION_DATA")

    def run(name: str, old: str = "", new: str = "") -> dict:
        notebook = notebook_of(GUIDES / f"{name}.md")
        cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        if old and sum(old in source for source in cells) != 1:  # AssertionErrors are expected
            raise LookupError(f"{name} must have {old!r} in one cell")
        for source in cells:
            result = shell.run_cell(source.replace(old, new) if old else source, silent=False)
            result.raise_error()
        return shell.user_ns

    with plt.rc_context():  # a page sets its style
        yield run
    os.chdir(tmp_path)
    shell.user_ns["project"].cleanup()  # a notebook's end does it; this process goes on
    sys.path[:] = path
    for module in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[module], "__file__", "")):
            del sys.modules[module]
    importlib.invalidate_caches()


def test_protocol(run_page):
    names = run_page("protocol")
    assert set(names["records"].protocol) == {"NonDP", "hadamard_response:HR"}


def test_synthesizer(run_page):
    names = run_page("synthesizer")
    assert len(names["records"]) == 16  # two tables, plain and by sex, two budgets, two runs
    plain, by_sex = (names["scores"][name][names["with_sex"]] for name in ("plain", "by SEX"))
    assert by_sex.mean() < plain.mean()


def test_dataset(run_page):
    names = run_page("dataset")
    assert len(names["records"]) == 2 * (1 + 2 * 2)
    assert set(names["records"].data_source) == {"local"}
    assert names["guess"] == names["lines"][17]  # what the checksum gave away


def test_metric(run_page):
    assert run_page("metric")["records"]["CAL"].notna().all()


def test_claim(run_page):
    assert run_page("claim")["row"].verdict in ("reproduced", "not reproduced")


FAULTS = [  # a guide, a text of its cells, and what is wrong
    ("protocol", "1 / (1 + math.exp(-self.epsilon))", "1 / (1 + math.exp(-2 * self.epsilon))"),
    # half of it is left over
    ("synthesizer", "each = budget / len(domain)", "each = budget / len(domain) / 2"),
    ("synthesizer", "np.maximum(noisy, 0)", "np.maximum(noisy, 0) + 9"),
    ("dataset", '"sex": (kept["sex"] == "m")', '"sex": (kept["sex"] == "f")'),
    ("dataset", '"west": 2}', '"west": 1}'),
    ("dataset", 'sum(",," in line for line in lines)}', "0}"),
    ("metric", '(rates["fpr_1"] - rates["fpr_0"])', '(rates["fpr_0"] - rates["fpr_1"])'),
    ("metric", "parts[1].mean() - parts[0].mean()", "parts[0].mean()"),
    ("claim", "decrease = -sign *", "decrease = -1 *"),  # the measure has no sign
    pytest.param("paper", "rng))[1]", "rng))[0]", marks=AGAIN),  # the share of no
    ("paper", '"studies.coin_survey.cells:GRID"', '"studies.coin_survey.cells:GRIDS"'),
]
OTHER_ERRORS = {"dataset": ValueError, "paper": RuntimeError}  # than those of a guide's own checks


@pytest.mark.parametrize(("guide", "old", "new"), FAULTS)
def test_a_fault_is_caught(run_page, guide, old, new):
    with pytest.raises((AssertionError, OTHER_ERRORS.get(guide, AssertionError))):
        run_page(guide, old, new)


@AGAIN
def test_paper(run_page):
    """As printed: the grid runs, both claims are judged, the chapter is executed; and by hand one
    folder, one claims file, one chapter and two lines are touched.
    """
    names = run_page("paper")
    folders = {"studies/coin_survey", "data/claims", "chapters/coins"}
    assert {file.rpartition("/")[0] for file in names["new"]} == folders
    assert sorted(set(names["touched"]) - set(names["new"])) == ["_toc.yml", "studies/__init__.py"]
    for file in ("_toc.yml", "studies/__init__.py"):
        lines = [len(text[file].splitlines()) for text in (names["before"], names["after"])]
        assert lines[1] == lines[0] + 1
    assert "data/results/coin_survey.parquet" in names["after"]
    assert len(names["shown"]) == 3  # badges, figure, table of the claims


def test_no_guide_is_run_nowhere():
    assert {f"test_{name}" for name in RUN_HERE} <= set(globals())
