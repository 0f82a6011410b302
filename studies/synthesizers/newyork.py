"""New York's tables for the synthesizers: the paper's own, through folktables, and one made of the
stand-in.

The paper's table (ACSEmployment 2018 without RELP, CIT, MIG, DEAR, DEYE,
NATIVITY and ANC) has to be downloaded. The stand-in has other columns: in it
the sizes of the groups and who worked, by sex, disability, nativity, race and
age, are the published ones, and schooling and income follow an assumed law
inside each of these cells. What a rerun on it says about groups' sizes and
employment is New York's; about other relations it says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib.datasets import load_raw
from lib.datasets.cache import locate
from lib.domain import Domain
from studies.data import bureau
from studies.data.newyork import load_newyork

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


_STAND_IN = Domain.of(
    {"SEX": 2, "RAC1P": 9, "AGEP": 5, "DIS": 2, "NATIVITY": 2, "SCHL": 6, "PINCP": 6, "WORKED": 2}
)


@dataclass(frozen=True)
class Table:
    """Rows of codes, their declared domain, the target, and where they are from."""

    frame: pd.DataFrame
    domain: Domain
    target: str
    source: str
    sha256: str


def stand_in(source: str) -> Table:
    """Eight columns of the stand-in, whatever ``source`` is; target ``WORKED``: in the past
    year.
    """
    york = load_newyork()
    raw = york.frame
    schooling = 1 + (raw["SCHL"] - 1) * 5 // 24
    edges = (-np.inf, 10_000, 25_000, 50_000, 100_000, np.inf)
    income = 1 + pd.cut(raw["PINCP"], edges, right=False, labels=False)
    codes = raw.assign(
        **(raw[["SEX", "RAC1P", "DIS", "NATIVITY"]] - 1),
        SCHL=schooling.fillna(0),
        PINCP=income.fillna(0),
        WORKED=raw["WKHP"].notna(),
    )[list(_STAND_IN.columns)].astype(np.int16)
    return Table(codes, _STAND_IN, "WORKED", york.source, york.sha256)


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


SAMPLE = "ny2018_acsemployment_sample_20000.csv"


def sample(source: str) -> Table:
    """The same ten columns of 20,000 people of the paper's table, aged 17 to 89, whom another
    project published; they have no replica.
    """
    raw, origin = load_raw(SAMPLE, source)
    people = raw.astype(int)
    frame = encode_employment(people, people["ESR"])
    EMPLOYMENT_DOMAIN.check(frame)
    return Table(frame, EMPLOYMENT_DOMAIN, "EMPLOYED", origin, locate(SAMPLE, source).sha256)
