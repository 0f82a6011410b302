"""The tables of the synthesizer rerun: eight to ten columns of codes, who is in which group, a
target, seen and held-out rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from lib import validate
from lib.datasets import load, task
from lib.datasets.cache import origin as origin
from lib.domain import Domain
from lib.files import read_yaml
from lib.groups import EVERYONE, group_name, group_values
from lib.paths import DATA
from lib.rng import stream
from studies.data.memory import cached_by_data_location
from studies.synthesizers.newyork import EMPLOYMENT_DOMAIN, employment, sample
from studies.synthesizers.newyork import Table as Table

LEVELS = {"SEX": ("SEX",), "RAC1P": ("RAC1P",), "SEX_RAC1P": ("SEX", "RAC1P")}
BY = ("vanilla", *LEVELS)

_ABOUT: dict[str, dict] = read_yaml(DATA / "synthesizer_tables.yml", dict)
TITLES = {name: about["title"] for name, about in _ABOUT.items()}
WORDS = {  # by code
    name: {column: tuple(words) for column, words in about["words"].items()}
    for name, about in _ABOUT.items()
}
# what the declared domain of a table took from its own rows: no budget pays for it
ORACLES = {name: about["oracle"] for name, about in _ABOUT.items() if "oracle" in about}


def ten_columns(dataset: str) -> Domain:
    """The declared domain of one of :data:`TABLES`, without a look at its rows."""
    if "newyork" in dataset or dataset == "ny_employment":
        return EMPLOYMENT_DOMAIN
    about, domain = _ABOUT[dataset], task(dataset).domain
    sizes = {c: domain[c] for c in about["columns"]} | dict.fromkeys(about["binned"], 5)
    return Domain.of(sizes | {about["target"]: 2})


def _from_codes(dataset: str, source: str) -> Table:
    """The ten columns of a data set; bins are made of the domain that the task declares (see
    :data:`ORACLES`).
    """
    about, data = _ABOUT[dataset], load(dataset, source)
    [(column, codes)] = about["made_of"].items()
    frame = data.frame[about["columns"]].copy()
    for binned in about["binned"]:
        frame[binned] = frame[binned].to_numpy() * 5 // data.task.domain[binned]
    frame[about["target"]] = data.frame[column].isin(codes).to_numpy()
    domain = ten_columns(dataset)
    return Table(frame.astype(np.int16), domain, about["target"], data.source, data.sha256)


TABLES: dict[str, Callable[[str], Table]] = {
    **{name: partial(_from_codes, name) for name in ("nist", "acs_coverage")},
    "ny_employment": employment,
    "newyork2018": sample,
}
STORED = ("nist", "acs_coverage", "newyork2018")  # with results in the repository


def group_words(dataset: str, group: str) -> str:
    """A group's name in words: ``"SEX = 0 & RAC1P = 2"`` of the NIST extract is ``"women, American
    Indian"``.
    """
    words = WORDS[validate.choice("dataset", dataset, WORDS)]
    return ", ".join(words[column][int(code)] for column, code in group_values(group).items())


@cached_by_data_location(2)
def table_of(dataset: str, source: str = "auto") -> Table:
    """One of :data:`TABLES`. ``ny_employment`` is the paper's own and has to be fetched from the
    Census Bureau; ``newyork2018`` are 20,000 people of it.
    """
    return TABLES[validate.choice("dataset", dataset, TABLES)](source)


def split(table: Table, run: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows that synthesizers see, and a fifth that none does; the same for every synthesizer and
    budget.
    """
    rows = stream(seed, "synth split", run).permutation(len(table.frame))
    held, seen = np.split(rows, [round(0.2 * len(rows))])
    return tuple(table.frame.iloc[part].reset_index(drop=True) for part in (seen, held))


def groups_of(frame: pd.DataFrame, domain: Domain) -> dict[str, np.ndarray]:
    """Everyone, and each sex, race and crossing of both of the declared domain, empty ones too:
    name to members (:mod:`lib.groups`).
    """
    columns = {c: frame[c].to_numpy() for c in ("SEX", "RAC1P")}
    masks = {EVERYONE: np.ones(len(frame), dtype=bool)}
    for level in LEVELS.values():
        for codes in product(*(range(domain[c]) for c in level)):
            values = dict(zip(level, codes, strict=True))
            masks[group_name(values)] = np.all([columns[c] == k for c, k in values.items()], axis=0)
    return masks
