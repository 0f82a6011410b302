"""The tables of the study: ten columns or fewer, groups of three kinds, rows seen and held out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from lib import validate
from lib.datasets import load, task
from lib.domain import Domain
from lib.rng import stream
from studies.data.memory import cached_by_data_location
from studies.synthesizers.newyork import Table
from studies.synthesizers.tables import TABLES as TEN_COLUMNS
from studies.synthesizers.tables import table_of, ten_columns

BINS = 5


@dataclass(frozen=True, kw_only=True)
class Setting:
    """A data set, how many rows a model sees, and the columns that each kind of group is made of.

    A data set that the study of synthesizers has not is taken without the columns ``without``, the
    columns ``binned`` in five bins of equal width.
    """

    title: str
    dataset: str
    seen: int
    by: Mapping[str, tuple[str, ...]]
    binned: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


def _groups(sex: str, race: str, disability: str = "") -> dict[str, tuple[str, ...]]:
    by: dict[str, tuple[str, ...]] = {"sex and race": (sex, race), "race": (race,)}
    return by | ({"disability": (disability,)} if disability else {})


_ACS = _groups("SEX", "RAC1P", "DIS")
_BINNED = ("AGEP", "SCHL", "WKHP", "JWMNP", "PINCP")
_NEWYORK = Setting(
    title="New York 2024", dataset="newyork2024", seen=25_000, by=_ACS, binned=_BINNED
)
SETTINGS = {
    "nist": Setting(
        title="national sample 2019",
        dataset="nist",
        seen=12_950,
        by=_groups("SEX", "RAC1P", "DPHY"),
    ),
    "texas": Setting(title="Texas 2018", dataset="acs_coverage", seen=25_000, by=_ACS),
    "newyork2018": Setting(title="New York 2018", dataset="newyork2018", seen=10_000, by=_ACS),
    "newyork2024": _NEWYORK,
    "newyork2024_large": replace(_NEWYORK, title="New York 2024, 100,000 seen", seen=100_000),
    "lsac": Setting(
        title="law students",
        dataset="lsac",
        seen=10_200,
        by=_groups("gender", "race1"),
        binned=("lsat",),
    ),
    "adult": Setting(
        title="Adult",
        dataset="adult",
        seen=22_900,
        by=_groups("gender", "race"),
        binned=("age", "hours-per-week"),
        without=("native-country",),
    ),
}


def domain_of(name: str) -> Domain:
    """The declared domain of a setting, without a look at its rows."""
    setting = SETTINGS[validate.choice("table", name, SETTINGS)]
    if setting.dataset in TEN_COLUMNS:
        return ten_columns(setting.dataset)
    domain = task(setting.dataset).domain
    kept = [c for c in domain.columns if c not in setting.without]
    return Domain.of({c: BINS if c in setting.binned else domain[c] for c in kept})


@cached_by_data_location(2)
def people_of(name: str) -> Table:
    """The rows, in codes, of a setting."""
    domain, setting = domain_of(name), SETTINGS[name]
    if setting.dataset in TEN_COLUMNS:
        return table_of(setting.dataset)
    data = load(setting.dataset)
    frame = data.frame[list(domain.columns)].copy()
    for column in setting.binned:
        frame[column] = frame[column].to_numpy(np.int64) * BINS // data.task.domain[column]
    return Table(frame.astype(np.int16), domain, data.task.target, data.source, data.sha256)


def split(table: Table, name: str, run: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The rows that the models of a run see (of a small replica half), and all others; the same for
    every model.
    """
    order = stream(seed, "pooling split", name, run).permutation(len(table.frame))
    seen, held = np.split(order, [min(SETTINGS[name].seen, len(order) // 2)])
    return tuple(table.frame.iloc[part].reset_index(drop=True) for part in (seen, held))
