"""The trainings of the LDP paper that its authors stored, as counts in each group."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np
import pandas as pd

from lib.ledger.authors import Repository, Table

_DATASETS = {"ACSCoverage": "acs_coverage", "LSAC": "lsac", "adult": "adult"}
_COUNTS = ["people_1", "people_0", "positive_1", "positive_0"]  # of a test set, by its run
_KEYS = ["sensitive", "dataset", "protocol", "split", "epsilon", "run"]
_HITS = ["tp_1", "fp_1", "tp_0", "fp_0"]


def _read(path: str, body: bytes) -> pd.DataFrame:
    """The runs of one stored file, with the setting that its path names."""
    _, dataset, protocol, *folder, name = path.split("/")
    rows = pd.read_csv(io.BytesIO(body)).rename(columns={"seed": "run"})
    private = bool(folder)
    return rows.assign(
        sensitive="random" if name.startswith("Appendix") else "table2",
        dataset=_DATASETS[dataset],
        protocol={"non_private": "NonDP", "SUE": "RAPPOR"}.get(protocol, protocol),
        split=folder[0].replace("_", "-") if private else "none",
        epsilon=float(name.removesuffix(".csv").split("eps_")[1]) if private else np.nan,
    )


def _make(files: Mapping[str, bytes]) -> pd.DataFrame:
    """A row a training: true and false positives in each group, and the test set's counts.

    The files have rates of the groups and counts of everybody. The counts of the groups follow, and
    give every stored rate back; a ``ValueError`` if they do not.
    """
    rows = pd.concat([_read(*file) for file in files.items()], ignore_index=True)
    rates = [f"{name}_a_{g}" for name in ("SP", "EO", "OA") for g in "10"]
    rows[rates] = rows[rates].where(rows[rates] <= 1, rows[rates] / 1000)  # see TABLE.about
    tn, fp, fn, tp = np.array(rows["cm"].str.findall(r"\d+").tolist(), dtype=int).T
    total, hits, positive = tn + fp + fn + tp, tp + fp, tp + fn
    same = [rows["dataset"], rows["run"]]

    def sizes(of: np.ndarray, found: np.ndarray, rate: str) -> np.ndarray:
        """People of group 1 among ``of``, of whom ``found`` are counted at the stored rates: the
        same for every training on a split.
        """
        one, zero = rows[f"{rate}_a_1"], rows[f"{rate}_a_0"]
        each = ((found - of * zero) / (one - zero)).where(one != zero)
        return each.groupby(same).transform("median").round().astype(int).to_numpy()

    people_1, positive_1 = sizes(total, hits, "SP"), sizes(positive, tp, "EO")
    rows["people_1"], rows["people_0"] = people_1, total - people_1
    rows["positive_1"], rows["positive_0"] = positive_1, positive - positive_1
    for g in "10":
        said = rows[f"people_{g}"] * rows[f"SP_a_{g}"], rows[f"positive_{g}"] * rows[f"EO_a_{g}"]
        rows[f"tp_{g}"] = said[1].round().astype(int)
        rows[f"fp_{g}"] = said[0].round().astype(int) - rows[f"tp_{g}"]
    found = scores(rows[[*_KEYS, *_HITS, *_COUNTS]])
    for ours, theirs in _STORED.items():
        if not np.allclose(found[ours], rows[theirs], rtol=0, atol=1e-12):
            raise ValueError(f"files must hold rates that fit their counts, got another {theirs}")
    return rows[[*_KEYS, *_HITS, *_COUNTS]].sort_values(_KEYS, kind="stable")


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
    return counts[_KEYS].assign(
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


_STORED = {  # our names, and those of the files
    **{name: name for name in ("acc", "f1", "recall", "DI", "SPD", "EOD", "OAD")},
    "balanced_accuracy": "auc",
    "acc_1": "OA_a_1",
    "acc_0": "OA_a_0",
}
TABLE = Table(
    name="ldp",
    packed=True,
    repository=Repository(
        "hharcolezi/ldp-fairness-impact", "512752136637f8478b37acaaaf9d87f06685270c"
    ),
    wanted=lambda path: (
        path.startswith("results/") and path.endswith(".csv") and "_BO_" not in path
    ),
    make=_make,
    about={
        "title": "LDP and fairness: every training",
        "what": "A row for each stored training of Figs 2 to 13: counts of the test set, from which"
        " every stored metric follows to 1e-12 (checked when the table is made).",
        "columns": "sensitive: table2 for the main experiments, random for Appendix A. tp_g, fp_g:"
        " true and false positives in group g of the protected attribute; people_g, positive_g:"
        " its rows, and those with a positive label. The AUC of the files is that of hard labels,"
        " the balanced accuracy. SUE is the protocol that this book calls RAPPOR.",
        "runs": "Twenty of each setting, seeds 0 to 19, which name the split; so settings are"
        " compared run by run. Appendix A is compared with the same trainings without privacy.",
        "missing": "None.",
        "damaged": "In 35 places, 29 rows, a rate of three decimals has lost its point (0.314"
        " stands as 314). It is read in thousandths, which the row's other numbers confirm.",
        "ties": "A setting whose mean equals the baseline's exactly counts as no better and no"
        " worse, as in our rerun.",
    },
)


def main() -> pd.DataFrame:
    """The stored trainings of the main experiments, with our names of metrics."""
    return _trainings("table2")


def appendix() -> pd.DataFrame:
    """Those of Appendix A, with the baselines of the main experiments."""
    return _trainings("random")


def _trainings(sensitive: str) -> pd.DataFrame:
    rows = TABLE.read()
    kept = (rows["sensitive"] == sensitive) | (rows["protocol"] == "NonDP")
    return scores(rows[kept].reset_index(drop=True))
