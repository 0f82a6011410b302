"""Measures of the synthesizers' claims on made-up cells in which the answer is known."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest

from studies.synthesizers import claims as synth
from studies.synthesizers import evidence as synth_evidence
from studies.synthesizers.settings import AS_SPENT

EPSILONS = (0.01, 0.1, 1.0, 5.0)
GROUPS = ("SEX = 0 & RAC1P = 0", "SEX = 1 & RAC1P = 0")


def grid(error, accuracy=lambda name, by, epsilon: 0.7) -> pd.DataFrame:
    """Scores in which each group's error and means are ``error(name, by, epsilon)``, with a
    little noise by run.
    """
    settings = product(("MST", "AIM", "GEM"), ("vanilla", "SEX_RAC1P"), EPSILONS, range(5))
    rows = []
    for *which, run in settings:
        rows += _rows(*which, run, error(*which), accuracy(*which))
    rows += [row for run in range(5) for row in _rows("real", "vanilla", np.inf, run, 0.0, 0.8)]
    return pd.DataFrame(rows)


def plain(own: float, other: float):
    """``own`` for fits that are not stratified, ``other`` for those that are."""
    return lambda name, by, epsilon: own if by == "vanilla" else other


def _rows(name, by, epsilon, run, error, accuracy) -> list[dict]:
    own = {"dataset": "ny_employment", "synthesizer": name, "by": by, "epsilon": epsilon}
    own |= {"small": "keep", "run": run, "rows": 100, "data_source": "local"}
    own["cell"] = f"{name} {by} {epsilon} {run}"
    whole = {"group": "everyone", "people": 100, "acc": accuracy + run / 1e4}
    whole |= {"error": error + run / 1e4, "means": error + run / 1e4}
    each = {"people": 50} | dict.fromkeys(("error", "means", "rate", "fnr"), error)
    groups = [whole, *({"group": group} | each for group in GROUPS)]
    return [own | {"seen": seen} | row for seen in (False, True) for row in groups]


@pytest.fixture
def stored(monkeypatch):
    """Stores frames by the name of their data set; :func:`grid` makes cells of the paper's own
    table.
    """

    def give(*frames):
        tables = {frame["dataset"].iloc[0]: frame for frame in frames}
        monkeypatch.setattr(synth_evidence, "_stored", lambda: tables)
        synth_evidence._scored.cache_clear()

    yield give
    synth_evidence._scored.cache_clear()


def test_the_published_slip_is_another_gem(stored):
    frame = grid(lambda name, by, epsilon: {"GEM": 0.3}.get(name, 0.2))
    better = {"synthesizer": "GEM", "metrics": ["parity_error"], "epsilons": [0.01, 5]}
    stored(frame)
    assert synth.synth_best(**better).value == 0
    assert math.isnan(synth.synth_best(**better, as_spent=True).value)
    slip = []
    for by, epsilon, run in product(("vanilla", "SEX_RAC1P"), EPSILONS, range(5)):
        slip += _rows(AS_SPENT, by, epsilon, run, 0.1 if by == "SEX_RAC1P" else 0.15, 0.7)
    stored(pd.concat([frame, pd.DataFrame(slip)], ignore_index=True))
    assert synth.synth_best(**better).value == 0
    assert synth.synth_best(**better, as_spent=True).value == 1
    which = {"metric": "parity_error", "synthesizers": ["GEM"], "epsilons": [0.01, 5]}
    assert synth.synth_stratified_better(**which, as_spent=True).value == 1


def test_scores_that_differ_by_last_bits_are_no_gain(stored):
    by_runs = grid(lambda name, by, epsilon: 0.2)
    own = (by_runs["by"] != "vanilla") & (by_runs["group"] == "everyone")
    by_runs.loc[own, "acc"] *= 1 + 1e-12
    stored(by_runs)
    which = {"metric": "acc", "synthesizers": ["MST", "AIM"], "epsilons": [0.01, 5]}
    found = synth.synth_stratified_better(**which)
    assert (found.value, found.high) == (0, 0)
    assert synth.synth_cost(margin=0.0, **which).value == 1


ACCURACY = {"GEM": 0.8, "AIM": 0.7, "MST": 0.75}
ALL, THREE, MEANS = {"epsilons": [0.01, 5]}, {"synthesizers": list(ACCURACY)}, "parity_means"
BEST = {"synthesizer": "GEM", "metrics": ["parity_error"]}
OF_AIM = {"metric": "parity_error", "synthesizers": ["AIM"]}
CELLS = {  # the errors, and the accuracies
    "fall": (lambda *cell: 1 / (1 + cell[-1]), lambda *cell: 0.7 + cell[-1] / 100),
    "rise": (lambda *cell: cell[-1], lambda *cell: 0.7 - cell[-1] / 100),
    "stratified is better": (plain(0.5, 0.1), plain(0.7, 0.65)),
    "and at large budgets worse": (
        lambda name, by, epsilon: 0.1 if (by == "vanilla") == (epsilon >= 1) else 0.5,
    ),
    "GEM is best below 5": (
        lambda name, by, epsilon: {"GEM": 0.1}.get(name, 0.2 if epsilon < 5 else 0.05),
    ),
    "GEM is near the real rows": (plain(0.1, 0.1), lambda name, *_: 0.79 if name == "GEM" else 0.7),
    "AIM improves": (lambda name, by, epsilon: 1 / epsilon if name == "AIM" else 1.0,),
    "a large budget costs accuracy": (
        plain(0.5, 0.1),
        lambda name, by, epsilon: ACCURACY[name] - 0.1 * (by != "vanilla" and epsilon > 1),
    ),
}
ANSWERS = [
    ("fall", "improves_with_budget", {"metric": "parity_error"}, 1),
    ("fall", "improves_with_budget", {"metric": "acc"}, 1),
    ("rise", "improves_with_budget", {"metric": "parity_error"}, 0),
    ("rise", "improves_with_budget", {"metric": "acc", "stratified_only": True}, 0),
    ("and at large budgets worse", "improves_with_budget", {"metric": "parity_error"}, 0.5),
    (
        "and at large budgets worse",
        "improves_with_budget",
        {"metric": "parity_error", "stratified_only": True},
        0,
    ),
    ("stratified is better", "stratified_better", {"metric": MEANS, **THREE, **ALL}, 1),
    ("stratified is better", "stratified_better", {"metric": MEANS, **THREE, "worse": True}, 0),
    ("stratified is better", "stratified_better", {"metric": "acc", **THREE, **ALL}, 0),
    ("stratified is better", "cost", {"metric": "acc", **THREE, **ALL, "margin": 0.02}, 0),
    ("stratified is better", "cost", {"metric": "acc", **THREE, **ALL, "margin": 0.06}, 1),
    ("stratified is better", "ratio", {"metric": MEANS, "synthesizers": ["GEM"], "factor": 4.9}, 1),
    ("stratified is better", "ratio", {"metric": MEANS, "synthesizers": ["GEM"], "factor": 5.1}, 0),
    ("and at large budgets worse", "stratified_better", OF_AIM | {"epsilons": [0.01, 0.1]}, 1),
    (
        "and at large budgets worse",
        "stratified_better",
        OF_AIM | {"epsilons": [1, 5], "worse": 1},
        1,
    ),
    ("GEM is best below 5", "best", BEST | {"epsilons": [0.01, 1]}, 1),
    ("GEM is best below 5", "best", BEST | {"epsilons": [5, 5]}, 0),
    ("GEM is best below 5", "best", BEST | ALL | {"stratified_only": False}, 0.75),
    (
        "GEM is near the real rows",
        "near_real",
        {"synthesizers": ["GEM", "AIM"], "epsilon": 5.0, "margin": 0.02},
        0.5,
    ),
    ("AIM improves", "groups_improve", {"synthesizer": "AIM"}, 1),
    ("AIM improves", "groups_improve", {"synthesizer": "GEM"}, 0),
    ("a large budget costs accuracy", "above", {"synthesizers": ["GEM"], "than": "AIM"}, 1),
    ("a large budget costs accuracy", "above", {"synthesizers": ["GEM", "AIM"], "than": "MST"}, 0),
    # of four budgets only the largest
    ("a large budget costs accuracy", "traded_off", {"metric": MEANS, "against": ["acc"]}, 0.25),
]


@pytest.mark.parametrize(("cells", "measure", "arguments", "value"), ANSWERS)
def test_a_measure_of_cells_in_which_the_answer_is_known(stored, cells, measure, arguments, value):
    stored(grid(*CELLS[cells]))
    own = {"metric": "acc"} if measure == "above" else {}
    assert getattr(synth, f"synth_{measure}")(**own, **arguments).value == value


def test_one_table_off_the_target_decides(stored):
    near, far = (grid(lambda name, by, epsilon: 0.1) for _ in range(2))
    far.loc[far["synthesizer"] == "real", "acc"] = 0.67
    stored(near, far.assign(dataset="acs_coverage"))
    assert synth.synth_real_accuracy(0.8).value == pytest.approx(0.8002)
    both = synth.synth_real_accuracy(0.8, ["ny_employment", "acs_coverage"])
    assert both.value == pytest.approx(0.67)


def test_new_yorks_claims_are_judged_on_new_yorks_table(stored):
    """Texas says the opposite; only its own rows hear it."""
    ask = {"metric": "parity_means", "synthesizers": ["GEM"], "epsilons": [0.01, 5]}
    better, worse = grid(plain(0.5, 0.1)), grid(plain(0.1, 0.5))
    stored(better, worse.assign(dataset="acs_coverage"))
    assert synth.synth_stratified_better(**ask).value == 1
    assert synth.synth_stratified_better(**ask, tables="acs_coverage").value == 0


def test_worse_by_chance_is_not_surely_worse(stored):
    """Stratified is worse on average at every budget, but only at 5 beyond what the runs vary."""
    ask = {"metric": "parity_error", "synthesizers": ["AIM"]}
    frame = grid(plain(0.1, 0.2))
    loud = (frame["by"] == "SEX_RAC1P") & (frame["epsilon"] < 5) & frame["seen"]
    swing = frame.loc[loud, "run"].map({0: 1.0, 1: -0.9, 2: 1.0, 3: -0.9, 4: -0.1})
    frame.loc[loud, "error"] += swing
    stored(frame)
    assert synth.synth_stratified_better(**ask, epsilons=[0.01, 5], worse=True).value == 1
    assert synth.synth_surely_worse(**ask, epsilons=[5, 5]).value == 1
    assert synth.synth_surely_worse(**ask, epsilons=[0.01, 1]).value == 0
    stored(grid(lambda name, by, epsilon: 0.2))
    assert synth.synth_surely_worse(**ask, epsilons=[0.01, 5]).value == 0


def test_a_case_that_the_runs_do_not_decide_leaves_the_share_open(stored):
    """Stratifying betters one budget in every run, and another in three runs of five."""
    frame = grid(lambda name, by, epsilon: 0.5 - 0.1 * (by != "vanilla"))
    near = (frame["by"] != "vanilla") & (frame["epsilon"] == EPSILONS[0])
    frame.loc[near, "error"] = 0.5 + np.where(frame.loc[near, "run"] < 3, -0.02, 0.02)
    stored(frame)
    which = {"metric": "parity_error", "synthesizers": ["MST"]}
    found = synth.synth_stratified_better(**which, epsilons=list(EPSILONS[:2]))
    assert (found.value, found.low, found.high) == (1.0, 0.5, 1.0)
    found = synth.synth_stratified_better(**which, epsilons=list(EPSILONS[1:]))
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)
