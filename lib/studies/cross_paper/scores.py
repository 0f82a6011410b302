"""The groups of the chapter across the papers, and how the classifier trained on a release
treats those left out.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from lib.groups import EVERYONE, groups
from lib.studies.synthesizers.tables import WORDS

__all__ = ["RACES", "SEXES", "WITH", "collection", "group_rates"]

WITH = "with the difficulty"
SEXES, RACES = WORDS["nist"]["SEX"], WORDS["nist"]["RAC1P"]


def collection(frame: pd.DataFrame, target: str) -> dict[str, np.ndarray]:
    """Everyone, those with the difficulty, sex, race, and crossings; the same names for a data
    set and for a release.
    """
    names = {
        "sex": np.array(SEXES)[frame["SEX"]],
        "race": np.array(RACES)[frame["RAC1P"]],
        "difficulty": np.array(["without", "with"])[frame[target]],
    }
    found = groups(
        pd.DataFrame(names),
        ["sex", "race"],
        [("sex", "race"), ("difficulty", "sex")],
        everyone=False,
    )
    masks = {EVERYONE: np.ones(len(frame), dtype=bool), WITH: (frame[target] == 1).to_numpy()}
    return masks | {
        " & ".join(part.split(" = ")[1] for part in name.split(" & ")): who
        for name, who in found.items()
    }


def group_rates(
    told: np.ndarray, truth: np.ndarray, masks: Mapping[str, np.ndarray]
) -> dict[str, float]:
    """``acc|<group>``, ``rate|<group>`` (share told 1), ``tpr|<group>``, ``fpr|<group>``; NaN where
    nobody is meant.

    Parameters
    ----------
    told, truth : bool arrays of shape (n,)
    masks : mapping of names to bool arrays of shape (n,)
    """
    rates: dict[str, float] = {}
    for name, who in masks.items():
        parts = {
            "acc": (told == truth, who),
            "rate": (told, who),
            "tpr": (told, who & truth),
            "fpr": (told, who & ~truth),
        }
        rates |= {
            f"{k}|{name}": float(v[m].mean()) if m.any() else np.nan for k, (v, m) in parts.items()
        }
    return rates
