"""The scores of New York's synthetic tables that the paper's authors stored (Figs 4, 5 and 7)."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from lib.ledger.authors import AUTHORS, Repository, Table
from lib.ledger.unpickle import read_pickle
from studies.synthesizers.settings import MAIN
from studies.synthesizers.tables import BY

_FILES = ("gem_mst_performance.pkl", "aim_performance.pkl")  # those that the figures are drawn from
_SCORES = {
    "acc": "Accuracy",
    "parity_means": "['SEX', 'RAC1P']_parity_error",
    "disparity": "['SEX', 'RAC1P']_max_disparity",
    "parity_ratio": "Demographic_parity_ratio",
    "fnr_gap": "FNR_difference",
}
SCORES = tuple(_SCORES)


def _make(files: Mapping[str, bytes]) -> pd.DataFrame:
    """A row a stored run: synthesizer, stratification, budget, and the scores of the crossing."""
    frames = []
    with tempfile.TemporaryDirectory() as folder:
        for name in _FILES:
            place = Path(folder) / name
            place.write_bytes(files[name])
            frames.append(read_pickle(place))
    frame = pd.concat(frames, ignore_index=True)
    parts = frame["Synthesizer"].str.extract(r"^(\w+?)Synthesizer_(\w+)$")
    found = frame[list(_SCORES.values())].set_axis(SCORES, axis=1)
    found["parity_means"] = [np.nansum(errors) for errors in found["parity_means"]]
    found["disparity"] = [largest for largest, _ in found["disparity"]]
    keys = parts.set_axis(["synthesizer", "by"], axis=1).assign(epsilon=frame["Epsilon"])
    keys["run"] = keys.groupby(list(keys)).cumcount()
    found = pd.concat([keys, found.astype(float).round(9)], axis=1)
    for column, order in (("synthesizer", MAIN), ("by", BY)):
        found[column] = pd.Categorical(found[column], order)
    return found.sort_values(["synthesizer", "by", "epsilon", "run"])


TABLE = Table(
    name="synthesizers",
    repository=Repository("lurosenb/stratify_dp", "a4b70789442e55c0c789cb4da419f5e55c14fd64"),
    wanted=_FILES.__contains__,
    make=_make,
    about={
        "title": "synthesizers on New York: scores",
        "what": "A row for each stored run of Figs 4, 5 and 7: scores over the crossing of sex and"
        " race, as the script generate_results_from_synth_data.py computes them.",
        "columns": "acc: accuracy of the classifier on real rows. parity_means: parity error of the"
        " means, added up over the columns as the figure does. disparity: the largest relative"
        " error of one mean of one group (ours adds up a group's columns first). parity_ratio:"
        " least over largest rate. fnr_gap: largest difference of false negative rates.",
        "runs": "Five of each setting. The files do not say which seed a row is of, so run counts"
        " the rows of a setting in their stored order: two settings are compared by their means,"
        " never run by run. Three settings have fewer, since the scripts skip what raises: MST by"
        " race at 0.01 (4) and 0.05 (3), and by sex and race at 0.01 (3).",
        "missing": "A column whose relative error is 0/0 in one group, as sex and race are in the"
        " groups that they define, is NaN for all groups together and left out of the sum, as in"
        " the figure (plots_for_synths.ipynb:292). No other value is missing. A group that was"
        " never drawn has the mean of everybody in the parity error, and none in the disparity.",
        "ties": "None among means over runs.",
        "caution": "MST and GEM were scored in one call of the script and AIM in another (commits"
        " 918a4fe and a4b7078); each call keeps the groups that its own synthesizers drew.",
    },
)


def cells() -> pd.DataFrame:
    """The stored runs in the columns of :func:`studies.synthesizers.summary.scored`, those of
    :data:`SCORES` alone.
    """
    return TABLE.read().assign(dataset=AUTHORS, small="keep")
