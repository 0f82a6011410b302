"""What explorers look up of the LDP study (:mod:`press.explorer_data`)."""

from __future__ import annotations

from typing import Any

import pandas as pd

from lib.ledger.claim import read_claims
from lib.runner.registry import results
from lib.stats.summary import summarise
from studies.ldp_fairness.names import GROUPS, TITLES
from studies.ldp_fairness.summary import baseline, curves

RATES = [f"{rate}_{group}" for rate in ("tpr", "fpr", "positive_rate", "acc") for group in (0, 1)]
METRICS = ("DI", "SPD", "EOD", "OAD", "acc", "f1", "auc", "recall", "tpr_0", "tpr_1")


def _ends(frame: pd.DataFrame) -> list[list[float]]:
    """Mean and ends of the interval of each row."""
    return frame[["mean", "low", "high"]].to_numpy().tolist()


def group_rates() -> dict[str, Any]:
    """The rates of the groups, without noise and with it, averaged over protocols and splits run by
    run, of each data set.
    """
    frame = results("ldp_main")
    noisy = frame[frame["protocol"] != "NonDP"]
    per_run = noisy.groupby(["dataset", "epsilon", "run"])[RATES].mean().reset_index()
    found = {}
    for dataset, part in per_run.groupby("dataset"):
        plain = frame[(frame["dataset"] == dataset) & (frame["protocol"] == "NonDP")]
        found[dataset] = {
            "title": TITLES[dataset],
            "groups": GROUPS[dataset],
            "epsilons": sorted(part["epsilon"].unique().tolist()),
            "with": {c: _ends(summarise(part, ["epsilon"], c, floor=0.0)) for c in RATES},
            "without": {c: _ends(summarise(plain, ["dataset"], c, floor=0.0))[0] for c in RATES},
        }
    return found


def main_results() -> dict[str, Any]:
    """Means and intervals of each metric for each data set, protocol and split; the values that the
    paper prints; and those without noise.
    """
    frame = results("ldp_main")
    cells: dict[str, Any] = {}
    for metric in METRICS:
        for where, part in curves(frame, metric).groupby(["dataset", "protocol", "split"]):
            ordered = part.sort_values("epsilon", kind="stable")
            cells.setdefault("/".join(where), {})[metric] = _ends(ordered)
        for dataset, part in baseline(frame, metric).groupby("dataset"):
            cells.setdefault(f"{dataset}/NonDP", {})[metric] = _ends(part)
    printed = [
        {
            "id": claim.id,
            "statement": claim.statement,
            **{name: claim.arguments.get(name) for name in ("dataset", "metric", "epsilon")},
            **claim.tolerance,
        }
        for claim in read_claims()
        if claim.paper == "ldp" and claim.measure in ("nondp", "level")
    ]
    return {
        "epsilons": sorted(frame["epsilon"].dropna().unique().tolist()),
        "titles": {name: [title, *GROUPS[name]] for name, title in TITLES.items()},
        "cells": cells,
        "printed": printed,
    }
