"""The trainings of the LDP paper that its authors stored, as counts in each group."""

from __future__ import annotations

import pandas as pd

from lib.ledger.authors import read_table

KEYS = ["sensitive", "dataset", "protocol", "split", "epsilon", "run"]  # of a training


def scores(counts: pd.DataFrame) -> pd.DataFrame:
    """The metrics of :func:`lib.fairness.metrics.evaluate` from counts, one row a training."""
    both = (counts[[f"{n}_0", f"{n}_1"]].to_numpy().T for n in ("tp", "fp", "people", "positive"))
    tp, fp, people, positive = both
    right = people - positive - fp + tp
    rate, tpr, acc = (tp + fp) / people, tp / positive, right / people
    n, p, hits, false = (of.sum(axis=0) for of in (people, positive, tp, fp))
    recall = hits / p
    return counts[KEYS].assign(
        acc=right.sum(axis=0) / n,
        f1=2 * hits / (hits + false + p),
        recall=recall,
        balanced_accuracy=(recall + 1 - false / (n - p)) / 2,
        DI=rate[0] / rate[1],
        SPD=rate[1] - rate[0],
        EOD=tpr[1] - tpr[0],
        OAD=acc[1] - acc[0],
        acc_1=acc[1],
        acc_0=acc[0],
    )


def trainings(sensitive: str) -> pd.DataFrame:
    """The stored trainings with our names of metrics: of the main experiments (``"table2"``), or
    of Appendix A (``"random"``) with their baselines.
    """
    rows = read_table("ldp")
    kept = (rows["sensitive"] == sensitive) | (rows["protocol"] == "NonDP")
    return scores(rows[kept].reset_index(drop=True))
