"""Anonymeter's attacks and SDMetrics' errors on the files of ``benchmarks.attack_peers``: ``python
attack_peers_fit.py FOLDER``.

Runs in an environment of its own and uses nothing of ``lib``: Anonymeter wants an older NumPy.
Linkability gets the halves of the columns that ours takes, singling out three columns.
"""

from __future__ import annotations

import json
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator
from sdmetrics.column_pairs import ContingencySimilarity
from sdmetrics.single_column import TVComplement

NUMBERS, SECRET, ATTACKED = ("age", "hours-per-week"), "income", 2000


def measured(inside: pd.DataFrame, outside: pd.DataFrame, made: pd.DataFrame) -> dict[str, dict]:
    """By measure, ``theirs`` and, of an attack, the rates that it is the excess of."""
    lens = [name for name in inside if name != SECRET]
    categories = [name for name in inside if name not in NUMBERS]
    ranked = sorted(lens, key=lambda name: -pd.concat([inside, outside])[name].nunique())
    both = {"ori": inside, "syn": made, "control": outside, "n_attacks": ATTACKED}
    halves = ranked[::2], ranked[1::2]
    evaluators = {
        "inference": InferenceEvaluator(**both, aux_cols=lens, secret=SECRET, regression=False),
        "linkability": LinkabilityEvaluator(**both, aux_cols=halves, n_neighbors=1),
        "singling out": SinglingOutEvaluator(**both | {"n_attacks": 500}, n_cols=3, seed=1),
    }
    found = {}
    for name, evaluator in evaluators.items():
        evaluator.evaluate(**({"mode": "multivariate"} if name == "singling out" else {}))
        result = evaluator.results()
        sizes = result.n_attacks_ori, result.n_attacks_control
        rates = result.n_success / sizes[0], result.n_control / sizes[1]
        risk = evaluator.risk()
        found[name] = {"theirs": rates[0] - rates[1]}
        found[name] |= {"their inside": rates[0], "their outside": rates[1], "tried": sizes[0]}
        found[name] |= {"their risk": risk.value, "risk low": risk.ci[0], "risk high": risk.ci[1]}
    ones = [1 - TVComplement.compute(inside[c], made[c]) for c in categories]
    twos = [
        1 - ContingencySimilarity.compute(inside[list(c)], made[list(c)])
        for c in combinations(categories, 2)
    ]
    means = {f"counts {k + 1}": {"theirs": float(np.mean(v))} for k, v in enumerate((ones, twos))}
    return found | means


def main(folder: Path) -> None:
    people = pd.read_csv(folder / "people.csv")
    codes = {name: str for name in people if name not in (*NUMBERS, "used")}
    people = people.astype(codes)
    inside, outside = (people[people["used"] == s].drop(columns="used") for s in ("in", "out"))
    found = {}
    for name in ("good", "leaky", "useless"):
        made = pd.read_csv(folder / f"{name}.csv").astype(codes)
        found[name] = measured(inside, outside, made)
    (folder / "peers.json").write_text(json.dumps(found, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
