"""Scores of one release: its error in each group, and how the classifier trained on it treats those left out."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from lib.coherence.collection import EVERYONE, groups
from lib.datasets import Domain
from lib.synth.workload import all_kway, cell_codes, total_variation

__all__ = ["ABSENT", "RACES", "SEXES", "WITH", "collection", "group_errors", "group_rates"]

WITH = "with the difficulty"
SEXES = ("women", "men")  # by code
RACES = ("White", "Black", "American Indian", "Alaska Native", "tribe not given", "Asian", "Pacific Islander", "other",
         "two or more")  # fmt: skip
ABSENT = 2.0  # error of a group of which the release has no row: the largest there is


def collection(frame: pd.DataFrame, target: str) -> dict[str, np.ndarray]:
    """Everyone, those with the difficulty, sex, race, and crossings; the same names for a data set and for a release."""
    names = {"sex": np.array(SEXES)[frame["SEX"]], "race": np.array(RACES)[frame["RAC1P"]],
             "difficulty": np.array(["without", "with"])[frame[target]]}  # fmt: skip
    found = groups(pd.DataFrame(names), ["sex", "race"], [("sex", "race"), ("difficulty", "sex")], everyone=False)
    masks = {EVERYONE: np.ones(len(frame), dtype=bool), WITH: (frame[target] == 1).to_numpy()}
    return masks | {" & ".join(part.split(" = ")[1] for part in name.split(" & ")): who for name, who in found.items()}


def group_errors(half: pd.DataFrame, release: pd.DataFrame, masks: Mapping[str, np.ndarray],
                 released: Mapping[str, np.ndarray], domain: Domain, k: int = 3) -> dict[str, float]:  # fmt: skip
    """All-k-way workload error (Definition 14) of the release's rows of each group, against the group's rows in ``half``.

    Between 0 and 2; NaN for a group without rows in ``half``, :data:`ABSENT`
    for one without rows in the release.
    """
    workload = list(all_kway(domain, k))
    # the number of each row's cell, once for all groups
    codes = [
        (cell_codes(half, domain, s), cell_codes(release, domain, s), math.prod(domain[c] for c in s)) for s in workload
    ]
    found = {}
    for name, who in masks.items():
        theirs = released.get(name, np.zeros(len(release), dtype=bool))
        if who.any() and theirs.any():
            found[name] = float(np.mean([total_variation(a[who], b[theirs], cells) for a, b, cells in codes]))
        else:
            found[name] = ABSENT if who.any() else np.nan
    return found


def group_rates(told: np.ndarray, truth: np.ndarray, masks: Mapping[str, np.ndarray]) -> dict[str, float]:
    """``acc|<group>``, ``rate|<group>`` (share told 1), ``tpr|<group>``, ``fpr|<group>``; NaN where nobody is meant.

    Parameters
    ----------
    told, truth : bool arrays of shape (n,)
    masks : mapping of names to bool arrays of shape (n,)
    """
    rates = {}
    for name, who in masks.items():
        parts = {
            "acc": (told == truth, who),
            "rate": (told, who),
            "tpr": (told, who & truth),
            "fpr": (told, who & ~truth),
        }
        rates |= {f"{k}|{name}": float(v[m].mean()) if m.any() else np.nan for k, (v, m) in parts.items()}
    return rates
