"""Pages that hold numbers computed now against stored ones: where there is nothing to compare,
they say nothing.
"""

from __future__ import annotations

import ast
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

import lib.pages
from lib.paths import CHAPTERS
from lib.runner import results
from press.toc import page_code, read_notebook
from studies.ldp_fairness.cells import Cell

COMPARES = "matches_stored("
CELLS = {
    str(path.relative_to(CHAPTERS).with_suffix("")): cell.source
    for path in sorted(CHAPTERS.rglob("*.ipynb"))
    if COMPARES in path.read_text("utf-8")
    for cell in page_code(read_notebook(path))
    if COMPARES in cell.source
}


def test_pages_compare():
    assert {"ldp/fairness", "ldp/utility", "coherence/dp", "synth/census"} <= CELLS.keys()


@pytest.mark.parametrize("page", CELLS)
def test_a_comparison_is_told_only_under_a_condition(page):
    tree = ast.parse(CELLS[page])
    found = {
        ast.unparse(target)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and COMPARES in f"{ast.unparse(node.value)}"
        for target in node.targets
    }
    guarded = {id(n) for i in ast.walk(tree) if isinstance(i, ast.If) for n in ast.walk(i)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "print":
            names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            tells = names & found or COMPARES in ast.unparse(node)
            assert not tells or id(node) in guarded, ast.unparse(node)


@pytest.mark.parametrize("page", ["ldp/fairness", "ldp/utility"])
@pytest.mark.parametrize("case", ["real", "replica", "another epsilon"])
def test_a_page_counts_what_is_stored_and_is_silent_where_nothing_is(
    page, case, monkeypatch, capsys
):
    monkeypatch.setattr(lib.pages, "headline", lambda *_: None)
    main = results("ldp_main")
    asked: dict[str, Any] = {"dataset": "lsac", "protocol": "GRR", "split": "uniform"}
    rows = main.query(
        "dataset == 'lsac' and protocol == 'GRR' and split == 'uniform' and epsilon == 1"
    )
    rows = rows.sort_values("run").head(3)
    epsilon = 1.0 if case != "another epsilon" else 1.03
    cells = [Cell(**asked, epsilon=epsilon, run=run) for run in rows["run"]]
    here = {
        "pd": pd, "main": main, "cells": cells, "dataset": "lsac", "ran_on": lambda *_: None,
        "people": SimpleNamespace(is_replica=case == "replica"),
        "found": rows[["acc", "auc"]].reset_index(drop=True),
    }  # fmt: skip
    exec(CELLS[page], here)
    said = capsys.readouterr().out
    assert said.startswith("6 of these 6 numbers are stored") if case == "real" else said == ""
