"""The groups of the chapter across the papers, by names of their own."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib.groups import EVERYONE, group_values, groups
from studies.synthesizers.tables import WORDS

WITH = "with the difficulty"
SEXES, RACES = WORDS["nist"]["SEX"], WORDS["nist"]["RAC1P"]


def collection(frame: pd.DataFrame, target: str) -> dict[str, np.ndarray]:
    """Everyone, those with the difficulty, sex, race, and crossings; the same names for a data
    set and for a release.
    """
    names = pd.DataFrame(
        {
            "sex": np.array(SEXES)[frame["SEX"]],
            "race": np.array(RACES)[frame["RAC1P"]],
            "difficulty": np.array(["without", "with"])[frame[target]],
        }
    )
    found = groups(names, ["sex", "race"], [("sex", "race"), ("difficulty", "sex")], everyone=False)
    masks = {EVERYONE: np.ones(len(frame), dtype=bool), WITH: (frame[target] == 1).to_numpy()}
    return masks | {" & ".join(group_values(name).values()): who for name, who in found.items()}
