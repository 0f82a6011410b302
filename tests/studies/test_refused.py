"""What the studies refuse by name, before any work."""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd
import pytest

from lib.datasets import load
from lib.stats.summary import summarise
from studies.coherence import noisy_counts, section5
from studies.cross_paper import cells as across
from studies.ldp_fairness.cells import BASELINE, Cell
from studies.ldp_fairness.figures.metrics import metric_curves
from studies.ldp_fairness.hyperparameters import hyperparameters
from studies.ldp_fairness.summary import curves, paired, tally
from studies.ldp_fairness.tuning import Trial, search
from studies.private_means.census import CensusCell
from studies.private_means.mixtures import MixtureCell
from studies.synthesizers.cells import Cell as Synth
from studies.synthesizers.summary import of_level

NAN = math.nan
FINITE = "epsilon must be finite for a synthesizer"
GRR = Cell(dataset="lsac", protocol="GRR", split="uniform", epsilon=1.0, run=0)
PLAIN = replace(GRR, protocol=BASELINE, split="none", epsilon=NAN)
TABLE = pd.DataFrame({"dataset": ["lsac"], "protocol": "NonDP", "split": "none", "epsilon": NAN})
TABLE = TABLE.assign(run=0, DI=0.5)
TALLIED = pd.DataFrame({"dataset": ["lsac"], "split": "none", "mean": 0, "low": 0, "high": 0})


def census(**changed):
    return CensusCell(**{"dataset": "newyork2024", "variable": "SCHL", "crossing": "SEX"} | changed)


def noisy(**changed):
    right = {"release": "fine", "epsilon": 1.0, "reader": "counts", "split": 0}
    return noisy_counts.Cell(**right | changed)


# fmt: off
REFUSED = [
    *((lambda field=f, value=v: replace(GRR, **{field: value}), f"{f}( must be|=)") for f, v in (
        ("dataset", "compas"), ("protocol", "DE"), ("split", "none"), ("split", "adaptive"), ("epsilon", 0.0),
        ("epsilon", NAN), ("epsilon", 1e3), ("run", 1.0), ("seed", -1), ("sensitive", "all"), ("hyperparameters", "best"))),
    # a budget that leaves an attribute too little: known with the cell, not after the baselines are trained
    *((lambda changed=c: replace(GRR, epsilon=1e-9, **changed), f"^epsilon must be larger, got 1e-09: the {words}") for c, words in (
        ({}, "uniform split leaves 'race1' .of 2 values. 2.5e-10"),
        ({"split": "k-based", "dataset": "adult"}, "k-based split leaves 'gender' .of 2 values. 1.64e-11"),
        ({"sensitive": "random"}, "uniform split leaves .*"))),
    (lambda: replace(PLAIN, split="uniform", epsilon=1.0), "split must be"),
    (lambda: replace(PLAIN, epsilon=1.0), "epsilon must be nan for NonDP"),
    (lambda: hyperparameters("best", "lsac"), r"hyperparameters must be .*, got 'best'"),
    (lambda: hyperparameters("published", "nist"), r"dataset must be .*, got 'nist'"),
    (lambda: Trial(dataset="lsac", number=0, objective="f1"), r"objective must be .*, got 'f1'"),
    (lambda: search("lsac", trials=0), r"trials must be .*, got 0"),
    (lambda: of_level(TABLE, level="AGE"), "level must be .*, got 'AGE'"),
    (lambda: of_level(TABLE, least=1.0), "least must be a share from 0 .*, got 1.0"),
    *((lambda fields=f: Synth(dataset="nist", **fields), words) for f, words in (
        ({"synthesizer": "PrivBayes"}, "synthesizer must be .*, got 'PrivBayes'"), ({"synthesizer": "MST", "by": "AGE"}, "by must be .*, got 'AGE'"),
        ({"synthesizer": "MST", "small": "hide"}, "small must be .*, got 'hide'"), ({"synthesizer": "MST", "epsilon": math.inf}, f"{FINITE}.*, got inf"),
        ({"synthesizer": "real", "epsilon": 1.0}, f"{FINITE} and infinite for a baseline, got 1.0"),
        ({"synthesizer": "real", "epsilon": math.inf, "by": "SEX"}, "by must be .vanilla. for the baseline .real., got .SEX."))),
    *((lambda fields=f: across.run_cell(across.Cell(**fields), load("nist", "replica")), words) for f, words in (
        ({"kind": "huge"}, "kind must be .*, got 'huge'"), ({"kind": "MST"}, "epsilon must be infinite for clear, fresh, nobody.*, got inf"),
        ({"kind": "clear", "run": -1}, "run must be .*, got -1"),
        ({"kind": "MST", "epsilon": 1.0, "weights": "noisy"}, "weights must be .public. for .* got .noisy."),
        ({"kind": "clear", "dataset": "adult"}, "dataset must be .*, got 'adult'"), ({"kind": "clear", "n": 999_999}, "n must be .*, got 999999"))),
    (lambda: curves(TABLE, "DIR"), r"metric must be .*, got 'DIR'"),
    (lambda: paired(TABLE, "protocol"), "^metric must be a column of numbers, got 'protocol'"),
    (lambda: summarise(TABLE, ["dataset"], "protocol"), r"^value must be a column of numbers, got 'protocol'"),
    (lambda: tally(TALLIED, better=0), r"better must be .*, got 0"),
    (lambda: metric_curves(TABLE, "lsac", ["SPD"]), r"metric must be .*, got 'SPD'"),
    (lambda: noisy(release="huge"), r"release must be .*, got 'huge'"),
    (lambda: noisy(epsilon=0), r"epsilon must be .*, got 0"),
    (lambda: section5.Cell(variant="other", split=0), r"variant must be .*, got 'other'"),
    (lambda: section5.Cell(variant="published", learner="lookup", split=0), r"learner, labels and n must be .* got \('lookup'"),
    (lambda: section5.run_cell(section5.Cell(variant="N dropped", n=30_000, split=0)), r"n must be .*, got 30000"),
    (lambda: census(dataset="ohio"), "dataset must be .*, got 'ohio'"),
    (lambda: census(dataset="nist"), "variable must be .*, got 'SCHL'"),
    (lambda: census(crossing="RAC1P_SEX"), "crossing must be .*, got 'RAC1P_SEX'"),
    (lambda: census(setting="best"), "setting must be .*, got 'best'"),
    (lambda: census(budget=0.0), "budget must be .*, got 0.0"),
    (lambda: MixtureCell(n=10, k=2, alpha=0.0), "alpha must be .*, got 0.0"),
    (lambda: MixtureCell(n=10, k=2, alpha=1.0, spreads="two"), "spreads must be .*, got 'two'"),
]
# fmt: on


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_it_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()
