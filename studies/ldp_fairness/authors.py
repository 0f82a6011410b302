"""The trainings of the LDP paper that its authors stored, as counts in each group."""

from __future__ import annotations

import pandas as pd

from lib.ledger.authors import read_table

KEYS = ["sensitive", "dataset", "protocol", "split", "epsilon", "run"]  # of a training


def scores(counts: pd.DataFrame) -> pd.DataFrame:
    """The metrics of :func:`lib.fairness.metrics.evaluate` from counts, one row a training."""
    tp, fp, people, positive = (
        {g: counts[f"{name}_{g}"] for g in "10"} for name in ("tp", "fp", "people", "positive")
    )
    right = {g: people[g] - positive[g] - fp[g] + tp[g] for g in "10"}
    rate = {g: (tp[g] + fp[g]) / people[g] for g in "10"}
    tpr = {g: tp[g] / positive[g] for g in "10"}
    acc = {g: right[g] / people[g] for g in "10"}
    n, p, hits, false = (of["1"] + of["0"] for of in (people, positive, tp, fp))
    recall = hits / p
    return counts[KEYS].assign(
        acc=(right["1"] + right["0"]) / n,
        f1=2 * hits / (hits + false + p),
        recall=recall,
        balanced_accuracy=(recall + 1 - false / (n - p)) / 2,
        DI=rate["0"] / rate["1"],
        SPD=rate["1"] - rate["0"],
        EOD=tpr["1"] - tpr["0"],
        OAD=acc["1"] - acc["0"],
        acc_1=acc["1"],
        acc_0=acc["0"],
    )


def main() -> pd.DataFrame:
    """The stored trainings of the main experiments, with our names of metrics."""
    return _trainings("table2")


def appendix() -> pd.DataFrame:
    """Those of Appendix A, with the baselines of the main experiments."""
    return _trainings("random")


def _trainings(sensitive: str) -> pd.DataFrame:
    rows = read_table("ldp")
    kept = (rows["sensitive"] == sensitive) | (rows["protocol"] == "NonDP")
    return scores(rows[kept].reset_index(drop=True))
