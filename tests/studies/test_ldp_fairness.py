"""The LDP grid: cells are the paper's, paired by run, and give the same numbers each time."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lib.datasets import TASKS, Dataset, Task, load
from lib.domain import Domain
from lib.runner import grid_of
from studies.ldp_fairness import cells as ldp

GRR = ldp.Cell(dataset="lsac", protocol="GRR", split="uniform", epsilon=1.0, run=0)
PLAIN = replace(GRR, protocol=ldp.BASELINE, split="none", epsilon=math.nan)
FAST = replace(GRR, hyperparameters="default")  # a tenth of the trees


def test_the_main_grid_is_the_papers():
    cells = list(ldp.main_grid())
    assert len(cells) == 3 * 20 * (7 * 2 * 9 + 1)
    assert len(set(map(repr, cells))) == len(cells)
    assert [c.run for c in cells] == sorted(c.run for c in cells)


def test_random_attributes_follow_the_appendix():
    for dataset, task in list(TASKS.items())[:3]:
        sizes = set()
        for run in range(60):
            cell = replace(PLAIN, dataset=dataset, run=run, sensitive="random")
            drawn = ldp.sensitive_attributes(cell)
            assert drawn[0] == task.protected
            assert set(drawn[1:]) <= set(task.pool)
            assert len(set(drawn)) == len(drawn)
            sizes.add(len(drawn))
        assert sizes == {2, 3, 4, 5, 6}
    assert next(iter(grid_of("ldp_appendix").cells("paper"))).sensitive == "random"


def test_cells_of_a_run_share_the_split_and_noise_has_its_own_stream():
    other = replace(GRR, protocol="OUE")
    assert GRR.noise.random() != other.noise.random()
    assert GRR.noise.random() == replace(GRR).noise.random()
    y = load("lsac").y
    one, two = ldp.split_rows(y, 3), ldp.split_rows(y, 3)
    assert (one[0] == two[0]).all()
    assert not set(one[0]) & set(one[1])


TOY_DOMAIN = Domain.of({"colour": 4, "sex": 2, "y": 2})
TOY = Task("toy", "Toy", "toy.csv", "y", "sex", ("colour", "sex"), ("colour",), TOY_DOMAIN)


@pytest.mark.parametrize(("split", "budget"), [("uniform", 1.5), ("k-based", 1.0)])
def test_a_record_on_a_table_by_hand(split, budget):
    """The protected attribute is the second of sizes 4 and 2, so epsilon 3 leaves it 1.5 or 1; a
    quarter has y = 1.
    """
    i = np.arange(400)
    frame = pd.DataFrame({"colour": i // 4 % 4, "sex": i // 16 % 2, "y": (i % 4 == 0).astype(int)})
    data = Dataset(task=TOY, frame=frame, source="local", sha256="0")
    cell = replace(FAST, dataset=f"{__name__}:TOY", split=split, epsilon=3.0)
    found = ldp.run_cell(cell, data)
    assert found["epsilon_protected"] == pytest.approx(budget)
    assert found["majority_accuracy"] == 0.75
    assert (found["d_s"], found["attributes"]) == (2, "colour,sex")
    assert found["constant_prediction"] is True  # y has nothing to do with the features
    assert found["acc"] == 0.75


def test_a_group_absent_from_the_test_split_gives_nan_and_no_error(monkeypatch):
    data = load("lsac")
    few = replace(data, frame=data.frame[data.protected == 1][:600].reset_index(drop=True))
    parts = np.arange(500), np.arange(500, 600)
    monkeypatch.setattr("studies.ldp_fairness.cells.split_rows", lambda *_: parts)
    found = ldp.run_cell(GRR, few)
    assert found["n_0"] == 0
    assert math.isnan(found["DI"])
    assert 0 <= found["acc"] <= 1
