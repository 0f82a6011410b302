"""The tables of the synthesizer rerun: eight to ten columns of codes, who is in which group, a
target, seen and held-out rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np
import pandas as pd

from lib import validate
from lib.datasets import load
from lib.datasets.memory import cached_by_data_location
from lib.domain import Domain
from lib.groups import EVERYONE, group_name, group_values
from lib.rng import stream
from lib.studies.synthesizers.newyork import employment, stand_in

__all__ = [
    "TABLES",
    "TITLES",
    "WORDS",
    "BY",
    "LEVELS",
    "ORACLES",
    "Recipe",
    "Table",
    "group_words",
    "origin",
    "table_of",
    "split",
    "groups_of",
]

LEVELS = {"SEX": ("SEX",), "RAC1P": ("RAC1P",), "SEX_RAC1P": ("SEX", "RAC1P")}
BY = ("vanilla", *LEVELS)
HELD_OUT = 0.2


@dataclass(frozen=True)
class Recipe:
    """Columns to keep, those to bin into five (by equal width, as the paper), and the binary
    target that is derived.
    """

    columns: tuple[str, ...]
    binned: tuple[str, ...]
    target: str
    derive: Callable[[pd.DataFrame], pd.Series]


_RECIPES: dict[str, Recipe] = {
    # ESR: 1, 2 civilian and 4, 5 armed forces, employed
    "acs_coverage": Recipe(
        ("AGEP", "SCHL", "MAR", "SEX", "DIS", "ESP", "MIL", "NATIVITY", "RAC1P"),
        ("AGEP", "SCHL"),
        "EMPLOYED",
        lambda f: f["ESR"].isin((1, 2, 4, 5)).astype(np.int16),
    ),
    "nist": Recipe(
        ("PUMA", "SEX", "AGE", "RAC1P", "HISP", "MSP", "EDU", "INDP_CAT", "DPHY"),
        (),
        "HIGH_INCOME",
        lambda f: (f["PINCP_DECILE"] >= 6).astype(np.int16),  # code 0 is: not asked
    ),
}


@dataclass(frozen=True)
class Table:
    """Rows of codes, their declared domain, the target, and where they are from."""

    frame: pd.DataFrame
    domain: Domain
    target: str
    source: str
    sha256: str


def _from_codes(dataset: str, source: str) -> tuple[pd.DataFrame, Domain, str, str, str]:
    """The ten columns of a data set; bins are made of the domain that the task declares (see
    :data:`ORACLES`).
    """
    recipe, data = _RECIPES[dataset], load(dataset, source)
    frame, sizes = (
        data.frame[list(recipe.columns)].copy(),
        {c: data.task.domain[c] for c in recipe.columns},
    )
    for column in recipe.binned:
        frame[column] = (frame[column].to_numpy() * 5 // sizes[column]).astype(np.int16)
        sizes[column] = 5
    frame[recipe.target] = recipe.derive(data.frame).to_numpy()
    return (
        frame.astype(np.int16),
        Domain.of(sizes | {recipe.target: 2}),
        recipe.target,
        data.source,
        data.sha256,
    )


TABLES: dict[str, Callable[[str], tuple[pd.DataFrame, Domain, str, str, str]]] = {
    "nist": partial(_from_codes, "nist"),
    "acs_coverage": partial(_from_codes, "acs_coverage"),
    "newyork": stand_in,
    "ny_employment": employment,
}


TITLES = {
    "nist": "NIST extract, national 2019",
    "acs_coverage": "ACS public coverage, Texas 2018",
    "newyork": "New York 2018, stand-in",
    "ny_employment": "New York 2018, employment",
}

ORACLES = {  # what the declared domain of a table took from its own rows: no budget pays for it
    "acs_coverage": (
        "the codes of ages and schooling are ranks of the values that occur, binned by rank"
    ),
    "nist": "the target is made of deciles of income, which are cut at observed incomes",
    "newyork": "ages are in five bins of the observed range",
}

RACES = (
    "White",
    "Black",
    "American Indian",
    "Alaska Native",
    "tribe not given",
    "Asian",
    "Pacific Islander",
    "other",
    "two or more",
)
WORDS: dict[str, dict[str, tuple[str, ...]]] = {  # by code
    "nist": {"SEX": ("women", "men"), "RAC1P": RACES},
    "acs_coverage": {
        "SEX": ("women", "men"),
        "RAC1P": ("race code 0", "race code 1"),
    },  # not documented
    "newyork": {"SEX": ("men", "women"), "RAC1P": RACES},
    "ny_employment": {"SEX": ("men", "women"), "RAC1P": RACES},
}


def group_words(dataset: str, group: str) -> str:
    """A group's name in words: ``"SEX = 0 & RAC1P = 2"`` of the NIST extract is ``"women, American
    Indian"``.
    """
    words = WORDS[validate.choice("dataset", dataset, WORDS)]
    return ", ".join(words[column][int(code)] for column, code in group_values(group).items())


def origin(sources: Iterable[str]) -> str:
    """What rows are, from their ``source``: "real data", "stand-in" or "replica", the least real
    that is among them.
    """
    found = set(sources)
    real = {"local", "cache", "download", "census"}
    return (
        "real data" if found <= real else "stand-in" if found <= real | {"stand-in"} else "replica"
    )


@cached_by_data_location(2)
def table_of(dataset: str, source: str = "auto") -> Table:
    """One of :data:`TABLES`. ``ny_employment`` is the paper's own and needs a network;
    ``newyork`` its stand-in.
    """
    return Table(*TABLES[validate.choice("dataset", dataset, TABLES)](source))


def split(table: Table, run: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rows that synthesizers see, and a fifth that none does; the same for every synthesizer and
    budget.
    """
    rows = stream(seed, "synth split", run).permutation(len(table.frame))
    cut = round(HELD_OUT * len(rows))
    return table.frame.iloc[rows[cut:]].reset_index(drop=True), table.frame.iloc[
        rows[:cut]
    ].reset_index(drop=True)


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
