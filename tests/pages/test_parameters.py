"""Pages at the ends of their parameters, and plain papermill, which is refused a name that a page
does not declare, before any work."""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from unittest import mock

import jupytext
import matplotlib.pyplot as plt
import pytest

from lib.pages.parameters import of_papermill
from lib.paths import ROOT
from tests.press.conftest import write_notebook


def run_cells(page: str, stops_after: str, **parameters) -> dict:
    """The names after running a page's cells with other ``parameters``, up to the first that has
    ``stops_after``.
    """
    names: dict = {"__name__": "page"}
    cells = jupytext.read(ROOT / "chapters" / f"{page}.md").cells
    with (
        plt.rc_context(),
        contextlib.redirect_stdout(io.StringIO()),
        mock.patch("lib.pages.figure", lambda fig, *_, **__: plt.close(fig)),  # no pictures
    ):
        for cell in cells:
            if cell.cell_type != "code" or cell.source.startswith("%%"):  # what only a notebook can
                continue
            exec(compile(cell.source, page, "exec"), names)
            if "parameters" in cell.metadata.get("tags", []):
                assert parameters.keys() <= names.keys()
                names |= parameters
            if stops_after in cell.source:
                return names
    raise AssertionError(f"no cell of {page} has {stops_after!r}")


PROTOCOLS_PAGE = [
    *({"epsilon": epsilon} for epsilon in (0.01, 20.0, 50.0)),
    *({"epsilon": epsilon, "k": k} for epsilon, k in ((100.0, 2), (100.0, 12), (0.01, 12))),
    {"attribute": "gender"},
    {"attribute": "hours-per-week", "runs": 2},
    {"dataset": "acs_coverage", "attribute": "SEX"},
    {"dataset": "acs_coverage", "attribute": "AGEP"},
    {"dataset": "lsac", "attribute": "race1"},
    {"dataset": "lsac", "attribute": "lsat"},
]


@pytest.mark.parametrize("parameters", PROTOCOLS_PAGE, ids=str)
@pytest.mark.filterwarnings("error")
def test_protocols_runs_at_the_ends_of_its_parameters(parameters):
    """To the last cell that depends on them; the losses are exact at each end."""
    names = run_cells("ldp/protocols", "standard errors", **{"runs": 10} | parameters)
    losses = names["losses"].set_index("protocol")
    epsilon = parameters.get("epsilon", 1.0)
    exact = pytest.approx(losses["exact loss"].to_dict(), rel=1e-9, abs=1e-10)
    assert losses["enumerated"].to_dict() == exact
    assert losses["exact loss"].drop("THE").to_list() == pytest.approx([epsilon] * 6)


@pytest.mark.parametrize("dataset", ["adult", "acs_coverage", "lsac"])
@pytest.mark.parametrize("epsilon", [0.01, 20.0, 50.0, 100.0])
def test_budget_runs_at_the_ends_of_its_parameters(dataset, epsilon):
    names = run_cells("ldp/budget", "total_bits", dataset=dataset, epsilon=epsilon)
    assert (names["total_bits"] >= 0).all(axis=None)


# fmt: off
PROTOCOLS_CHECK = ("ldp/protocols", "check_parameters(attribute")
REFUSED = [
    (*PROTOCOLS_CHECK, {"epsilon": 0.009}, r"epsilon must be a number >= 0\.01 and <= 100, got 0\.009"),
    *((*PROTOCOLS_CHECK, {name: bad}, f"^{name} must be .*, got {bad}")
      for name, bad in [("epsilon", 101.0), ("epsilon", math.nan), ("k", 1), ("k", 13), ("runs", 1)]),
    (*PROTOCOLS_CHECK, {"dataset": "x"}, r"dataset must be one of .*, got 'x'"),
    (*PROTOCOLS_CHECK, {"dataset": "acs_coverage", "attribute": "ST"}, r"attribute must be one of 'AGEP'.*, got 'ST'"),
    (*PROTOCOLS_CHECK, {"dataset": "lsac"}, r"attribute must be one of .*'race1'.*, got 'age'"),
    *(("ldp/budget", "check_parameters", {"epsilon": bad}, f"^epsilon must be .*, got {bad}") for bad in (0.009, 101.0)),
    *(("guides/protocol", "check_parameters", {name: bad}, f"^{name} must be .*, got {bad}")
      for name, bad in [("epsilon", 601.0), ("epsilon", 1e-17), ("k", 401), ("k", 1), ("n", 99)]),
]
# fmt: on


@pytest.mark.parametrize(("page", "until", "parameters", "words"), REFUSED)
def test_what_the_protocols_cannot_do_is_refused_before_any_work(page, until, parameters, words):
    with pytest.raises(ValueError, match=words):
        run_cells(page, until, **parameters)


# --- plain papermill


def plain_papermill(notebook: Path, *words: str) -> subprocess.CompletedProcess:
    program = str(Path(sys.executable).with_name("papermill"))
    command = [program, str(notebook), os.devnull, "--cwd", str(ROOT), "--no-progress-bar", *words]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def page(tmp_path) -> Path:
    """A page that leaves a trace when it works."""
    path = tmp_path / "page.ipynb"
    check = "check_parameters(runs=runs, epsilon=epsilon)"
    work = f"open({str(tmp_path / 'worked')!r}, 'w').close()"
    parameters = "runs: int = 3  # splits\nepsilon: float = 1.0  # budget"
    imports = "from lib.pages.chapter import check_parameters"
    write_notebook(path, f"{imports}\n{check}", work, parameters=parameters)
    return path


REFUSAL = "ValueError: parameter must be one of {}, got 'epsilom'"
A_CHAPTER = ROOT / "chapters" / "ldp" / "fairness.ipynb"


def test_plain_papermill_is_refused_a_name_that_a_page_does_not_have(page):
    """It warned, ran the whole page, and ended with 0."""
    for notebook, names in ((page, "'runs', 'epsilon'"), (A_CHAPTER, "'profile', 'dataset'.*")):
        done = plain_papermill(notebook, "-p", "epsilom", "1", "-p", "runs", "2")
        assert done.returncode == 1
        assert re.search(REFUSAL.format(names), done.stderr)
    assert not page.with_name("worked").exists()


def test_plain_papermill_runs_with_the_names_of_the_page_and_the_builds_profile(page):
    """The build gives it to every page: one without it failed in its first cell."""
    done = plain_papermill(page, "-p", "epsilon", "0.5", "-p", "profile", "quick")
    assert done.returncode == 0, done.stderr
    assert page.with_name("worked").exists()


DECLARED = "runs: int = 3  # splits\nseed: int = 1  # master seed"


@pytest.mark.parametrize(
    "history",
    [
        [DECLARED, "check_parameters(runs=runs)"],  # Jupyter, Colab
        ["", DECLARED, "x = 1\nruns = 2", "# Parameters\nother = 1"],  # a reader's own cells
        [DECLARED, "# Parameters\nrunz = 2\nprint(runz)"],
        ["runs = 3", "# Parameters\nrunz = 2"],
        [DECLARED, "# Parameters\nruns = 5\n", "print(1)"],
        [DECLARED, "# Parameters\nrunz = 5\n", DECLARED, "# Parameters\nruns = 5\n"],  # corrected
        ["# Parameters\nrunz = 5"],
        ["not python", "# Parameters\nrunz = 5"],
        [],
    ],
)
def test_honest_use_is_not_taken_for_a_wrong_name(history):
    declared, given = of_papermill(history)
    assert set(given) <= set(declared)
