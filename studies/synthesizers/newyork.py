"""New York's tables for the synthesizers: the paper's own, and 20,000 people of it.

The paper's table is ACSEmployment 2018 without RELP, CIT, MIG, DEAR, DEYE, NATIVITY and ANC, of
everybody; it has to be fetched from the Census Bureau. The 20,000 are adults of 17 to 89 years.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib.datasets import load
from lib.domain import Domain
from studies.data import bureau
from studies.data.newyork import FIRST_2018

# column -> (number of codes, offset added to the raw code); a raw NaN is -1 in folktables and
# becomes 0 where it occurs
_CODES = {
    "MAR": (5, -1),
    "SEX": (2, -1),
    "DIS": (2, -1),
    "ESP": (9, 0),
    "MIL": (5, 0),
    "DREM": (3, 0),
    "RAC1P": (9, -1),
}
EMPLOYMENT_DOMAIN = Domain.of(
    {"AGEP": 5, "SCHL": 5} | {c: k for c, (k, _) in _CODES.items()} | {"EMPLOYED": 2}
)


@dataclass(frozen=True)
class Table:
    """Rows of codes, their declared domain, the target, and where they are from."""

    frame: pd.DataFrame
    domain: Domain
    target: str
    source: str
    sha256: str


def encode_employment(features: pd.DataFrame, target: pd.Series) -> pd.DataFrame:
    """Codes from 0 of the paper's ten columns; AGEP (0 to 99) and SCHL (0, not asked, to 24) in
    five bins of equal width.
    """
    frame = {"AGEP": features["AGEP"].to_numpy().astype(int) * 5 // 100}
    frame["SCHL"] = features["SCHL"].clip(lower=0).to_numpy().astype(int) * 5 // 25
    for column, (_, offset) in _CODES.items():
        frame[column] = features[column].clip(lower=0).to_numpy().astype(int) + offset
    return pd.DataFrame(frame).assign(EMPLOYED=target.to_numpy().astype(int)).astype(np.int16)


def employment(source: str) -> Table:
    """The paper's table through folktables, whatever ``source`` is: downloaded and checked where
    it is not there; fails with the reason where it cannot be had.
    """
    # folktables takes a second to import and is rarely needed
    from studies.data.acs import load_acs

    bureau.fetch()
    table = load_acs("NY", 2018, "employment")
    frame = encode_employment(table.features, table.target)
    EMPLOYMENT_DOMAIN.check(frame)
    return Table(frame, EMPLOYMENT_DOMAIN, "EMPLOYED", "download", table.sha256)


def sample(source: str) -> Table:
    """The same ten columns of the data set ``newyork2018``."""
    data = load("newyork2018", source)
    values = data.frame + FIRST_2018
    frame = encode_employment(values, values["ESR"])
    return Table(frame, EMPLOYMENT_DOMAIN, "EMPLOYED", data.source, data.sha256)
