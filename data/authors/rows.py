"""The rows of each table, from the files of the authors' repositories."""

from __future__ import annotations

import io
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import numpy as np
import pandas as pd

from data.authors.unpickle import read_pickle
from studies.ldp_fairness.authors import KEYS, scores
from studies.private_means.parity import parity_error, stratum_errors
from studies.private_means.scores import METHODS
from studies.synthesizers.settings import MAIN
from studies.synthesizers.tables import BY

Files = Mapping[str, bytes]  # of the wanted files, by their paths

# --- LDP and fairness: the trainings as counts in each group

_DATASETS = {"ACSCoverage": "acs_coverage", "LSAC": "lsac", "adult": "adult"}
_COUNTS = ["people_1", "people_0", "positive_1", "positive_0"]  # of a test set, by its run
_HITS = ["tp_1", "fp_1", "tp_0", "fp_0"]
_STORED = {  # our names, and those of the files
    **{name: name for name in ("acc", "f1", "recall", "DI", "SPD", "EOD", "OAD")},
    "balanced_accuracy": "auc",
    "acc_1": "OA_a_1",
    "acc_0": "OA_a_0",
}


def _is_training(path: str) -> bool:
    return path.startswith("results/") and path.endswith(".csv") and "_BO_" not in path


def _read_trainings(path: str, body: bytes) -> pd.DataFrame:
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


def ldp(files: Files) -> pd.DataFrame:
    """A row a training: true and false positives in each group, and the test set's counts.

    The files have rates of the groups and counts of everybody. The counts of the groups follow, and
    give every stored rate back; a ``ValueError`` if they do not.
    """
    rows = pd.concat([_read_trainings(*file) for file in files.items()], ignore_index=True)
    rates = [f"{name}_a_{g}" for name in ("SP", "EO", "OA") for g in "10"]
    rows[rates] = rows[rates].where(rows[rates] <= 1, rows[rates] / 1000)  # "damaged" in ldp.yml
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
    counts = rows[[*KEYS, *_HITS, *_COUNTS]]
    found = scores(counts)
    for ours, theirs in _STORED.items():
        if not np.allclose(found[ours], rows[theirs], rtol=0, atol=1e-12):
            raise ValueError(f"files must hold rates that fit their counts, got another {theirs}")
    return counts.sort_values(KEYS, kind="stable")


# --- private means

_OUTLIERS = 5  # group errors that Fig. 2 leaves out, of all crossings with as many strata
_MEANS, _MIXTURES = "stratified_data_means.db", "results_df.pkl"
_METHODS = dict(zip(("Coinpress", "StratCoinpress", "StratCoinpressPublic"), METHODS, strict=True))


def census_means(files: Files) -> pd.DataFrame:
    """A row a variable, crossing and method: errors of its one stored run."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / _MEANS
        place.write_bytes(files[_MEANS])
        with closing(sqlite3.connect(f"{place.as_uri()}?mode=ro", uri=True)) as connection:
            rows = pd.read_sql_query("SELECT * FROM means", connection)
    found, errors = [], defaultdict(list)
    for (crossing, variable), own in rows.groupby(["combination", "column_name"], sort=False):
        value = own.pivot(index="stratum_id", columns="method", values="mean_value")
        sizes = own.drop_duplicates("stratum_id").set_index("stratum_id")
        whole, groups = value.loc["overall"], value.drop(index="overall")
        sizes = sizes.loc[groups.index]
        truth, estimate = groups["standard"].to_numpy(), groups["coinpress"].to_numpy()
        plain = whole["coinpress"]
        answers = (
            (plain, np.full_like(truth, plain)),
            *(
                (np.average(estimate, weights=sizes[weights]), estimate)
                for weights in ("exact_data_size", "public_data_size")
            ),
        )
        losing = np.abs(estimate - truth) > np.abs(plain - truth)
        people = sizes["exact_data_size"].to_numpy()
        for method, (everyone, own_means) in zip(METHODS, answers, strict=True):
            errors[variable, len(groups), method].extend(np.abs(own_means - truth))
            found.append(
                {
                    "variable": variable,
                    "crossing": "_".join(crossing.strip("()").replace("'", "").split()),
                    "strata": len(groups),
                    "method": method,
                    "error": float(stratum_errors(whole["standard"], everyone)),
                    "parity": float(parity_error(truth, own_means, whole["standard"], everyone)),
                    "losing": float((losing @ people) / people.sum())
                    if own_means is estimate
                    else 0.0,
                }
            )
    drawn = {key: sum(sorted(own)[:-_OUTLIERS]) for key, own in errors.items()}
    keys = zip(
        *(pd.DataFrame(found)[name] for name in ("variable", "strata", "method")), strict=True
    )
    return pd.DataFrame(found).assign(drawn=[drawn[key] for key in keys]).round(12)


def mixtures(files: Files) -> pd.DataFrame:
    """A row a setting and method: mean and spread over runs of the population's error."""
    rows = read_pickle(_MIXTURES, files[_MIXTURES])
    rows = rows.assign(method=rows["method"].map(_METHODS), n=rows["n"] // 2)
    keys = ["n", "k", "alpha", "method"]
    return rows[[*keys, "error", "std"]].sort_values(keys[:-1], kind="stable").round(12)


# --- synthesizers

_SCORED = ("gem_mst_performance.pkl", "aim_performance.pkl")  # that the figures are drawn from
_SCORES = {
    "acc": "Accuracy",
    "parity_means": "['SEX', 'RAC1P']_parity_error",
    "disparity": "['SEX', 'RAC1P']_max_disparity",
    "parity_ratio": "Demographic_parity_ratio",
    "fnr_gap": "FNR_difference",
}


def synthesizers(files: Files) -> pd.DataFrame:
    """A row a stored run: synthesizer, stratification, budget, and the scores of the crossing."""
    frame = pd.concat([read_pickle(name, files[name]) for name in _SCORED], ignore_index=True)
    parts = frame["Synthesizer"].str.extract(r"^(\w+?)Synthesizer_(\w+)$")
    found = frame[list(_SCORES.values())].set_axis(list(_SCORES), axis=1)
    found["parity_means"] = [np.nansum(errors) for errors in found["parity_means"]]
    found["disparity"] = [largest for largest, _ in found["disparity"]]
    keys = parts.set_axis(["synthesizer", "by"], axis=1).assign(epsilon=frame["Epsilon"])
    keys["run"] = keys.groupby(list(keys)).cumcount()
    found = pd.concat([keys, found.astype(float).round(9)], axis=1)
    for column, order in (("synthesizer", MAIN), ("by", BY)):
        found[column] = pd.Categorical(found[column], order)
    return found.sort_values(["synthesizer", "by", "epsilon", "run"])


# which files of its repository a table is made of, and how
TABLES: dict[str, tuple[Callable[[str], bool], Callable[[Files], pd.DataFrame]]] = {
    "synthesizers": (_SCORED.__contains__, synthesizers),
    "census_means": (_MEANS.__eq__, census_means),
    "mixtures": (_MIXTURES.__eq__, mixtures),
    "ldp": (_is_training, ldp),
}
