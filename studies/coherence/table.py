"""The table of the coherence paper's Section 5: nine raw columns of the NIST excerpts, as numbers.

The published script turns ``N`` (not asked) into -10 everywhere, the target
``DREM`` included. Real bytes give that table; the replica has the analysed
columns only: their codes, no ``N`` in the target, and ``PUMA`` in place of
the raw density.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from lib.datasets.load import Dataset, load, load_raw
from lib.files import read_yaml
from studies.data.facts import FACTS
from studies.data.memory import cached_by_data_location
from studies.data.steps import keep

TARGET = "DREM"
COLUMNS = ("AGEP", "DENSITY", "SEX", "RAC1P", "HISP", "EDU", "INDP", "INDP_CAT")
NOT_ASKED = -10
_REPLICA = {
    "AGE": "AGEP",
    "PUMA": "DENSITY",
    "SEX": "SEX",
    "RAC1P": "RAC1P",
    "HISP": "HISP",
    "EDU": "EDU",
    "INDP_CAT": "INDP_CAT",
}


@dataclass(frozen=True)
class Section5:
    """The nine columns (eight and target), and the :class:`~lib.datasets.load.Dataset` that says
    where they are from.

    ``frame[TARGET]`` holds 1 (with the difficulty), 2 (without) and -10 (not asked).
    """

    frame: pd.DataFrame
    data: Dataset

    @property
    def lens(self) -> tuple[str, ...]:
        """The columns that a predictor sees: all but the target."""
        return tuple(c for c in self.frame.columns if c != TARGET)

    def asked(self) -> pd.DataFrame:
        """Without those who were not asked; the target as 1 (with) and 0 (without)."""
        kept = self.frame[self.frame[TARGET] != NOT_ASKED].reset_index(drop=True)
        return kept.assign(**{TARGET: (kept[TARGET] == 1).astype(int)})


def numbers(raw: pd.DataFrame) -> pd.DataFrame:
    """The nine columns of the raw file as numbers, ``N`` as -10: shape (27253, 9)."""
    return keep(raw, (*COLUMNS, TARGET)).replace("N", str(NOT_ASKED)).apply(pd.to_numeric)


@cached_by_data_location(1)
def load_section5(source: str = "auto") -> Section5:
    """Real rows where they can be had, else the replica's; see :func:`lib.datasets.load`."""
    data = load("nist", source)
    if not data.is_replica:
        raw, _ = load_raw(data.task.file, data.source)
        return Section5(numbers(raw), data)
    frame = data.frame[list(_REPLICA)].rename(columns=_REPLICA).astype(int)
    frame["AGEP"] = 5 + 5 * frame["AGEP"]  # the band's first year
    frame["SEX"] = 2 - frame["SEX"]  # the census codes: 1 men, 2 women
    frame["RAC1P"] = frame["RAC1P"] + 1
    return Section5(frame.assign(**{TARGET: 2 - data.frame[TARGET].astype(int)}), data)


@dataclass(frozen=True)
class Section5Facts:
    """Rows of the coherence paper's table by answer, and how many are the only ones with their
    eight attributes.

    ``unique`` counts these among all rows, ``unique_difficulty`` among the people with the
    difficulty.
    """

    sha256: str
    rows: int
    difficulty: int
    without: int
    not_asked: int
    unique: int
    unique_difficulty: int


def section5_facts() -> Section5Facts:
    """The stored facts of the table of Section 5."""
    return Section5Facts(**read_yaml(FACTS, dict)["section5"])
