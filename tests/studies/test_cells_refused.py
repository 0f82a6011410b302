"""Cells that no grid may hold are refused before any work, each by the field that does not fit."""

from __future__ import annotations

import math

import pytest

from lib.datasets import load
from studies.cross_paper import cells as across
from studies.synthesizers.cells import Cell

FINITE = "epsilon must be finite for a synthesizer"
REFUSED = [
    ({"synthesizer": "PrivBayes"}, r"synthesizer must be .*, got 'PrivBayes'"),
    ({"synthesizer": "MST", "by": "AGE"}, r"by must be .*, got 'AGE'"),
    ({"synthesizer": "real", "epsilon": 1.0}, f"{FINITE} and infinite for a baseline, got 1.0"),
    (
        {"synthesizer": "real", "epsilon": math.inf, "by": "SEX"},
        "by must be .vanilla. for the baseline .real., got .SEX.",
    ),
    ({"synthesizer": "MST", "epsilon": math.inf}, f"{FINITE}.*, got inf"),
    ({"synthesizer": "MST", "small": "hide"}, r"small must be .*, got 'hide'"),
    ({"kind": "huge"}, r"kind must be .*, got 'huge'"),
    ({"kind": "MST"}, "epsilon must be infinite for clear, fresh, nobody.*, got inf"),
    ({"kind": "clear", "epsilon": 1.0}, "epsilon must be infinite for .* got 1.0"),
    ({"kind": "GRR whole", "epsilon": 1.0, "by": "SEX"}, "by must be .vanilla. for .* got .SEX."),
    (
        {"kind": "MST", "epsilon": 1.0, "weights": "noisy"},
        "weights must be .public. for .* got .noisy.",
    ),
    ({"kind": "clear", "run": -1}, r"run must be .*, got -1"),
    ({"kind": "clear", "dataset": "adult"}, r"dataset must be .*, got 'adult'"),
    ({"kind": "clear", "n": 999_999}, r"n must be .*, got 999999"),
]


def build(fields):
    if "kind" in fields:
        return across.run_cell(across.Cell(**fields), load("nist", "replica"))
    return Cell(dataset="nist", **fields)


@pytest.mark.parametrize(("fields", "words"), REFUSED)
def test_a_wrong_cell_is_named(fields, words):
    with pytest.raises(ValueError, match=words):
        build(fields)
