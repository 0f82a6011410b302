"""Stratified means of census variables (Figs 2, 8), and sweeps of their budgets.

A cell holds all its runs. Its streams are keyed by data, variable, crossing
and run, not by setting or budget, so settings are compared on the same splits
and the same draws of noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from lib import validate
from lib.datasets import load, load_raw
from lib.datasets.cache import Unavailable
from lib.datasets.codebook import codebook
from lib.dp import PrivacyAccountant
from lib.means.grouped import Interval, coinpress, group_order, laplace_means, recombine
from lib.means.stratified import SPLIT
from lib.rng import stream
from lib.runner.cell import COUNT, SEVERAL, KeyedCell, set_checked
from studies.data import bureau, newyork
from studies.data.memory import cached_by_data_location
from studies.data.newyork_aggregates import ATTRIBUTES, VARIABLES
from studies.private_means.parity import parity_error, stratum_errors
from studies.private_means.scores import METHODS, Runs, scores_of

VERSION = "1"
SEED = 20240212
RHO = 0.5
RUNS = 50
BOUNDS = {
    "SCHL": (12.0, 12.0),
    "WKHP": (40.0, 80.0),
    "JWMNP": (30.0, 100.0),
    "PINCP": (40_000.0, 1e6),
}
NAMES = {
    "SCHL": "schooling",
    "WKHP": "hours of work",
    "JWMNP": "minutes to work",
    "PINCP": "income",
}
# New York six years after the paper's table, that table (from the Census Bureau), and two others
TABLES = {
    "newyork2024": tuple(VARIABLES),
    "newyork_census": tuple(VARIABLES),
    "acs_coverage": ("SCHL",),
    "nist": ("PINCP",),
}


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a setting changes: the spread, the share held out, and the smallest stratum.

    ``scaled``: COINPRESS's sigma is the variable's standard deviation, else 1. The deviation is
    read off the private table (an *oracle*), and no budget pays for it (:func:`oracles`).
    """

    scaled: bool = False
    holdout: float = 0.5
    least: float = 0.001


SETTINGS = {
    "published": Setting(),
    "scaled": Setting(scaled=True),
    "all strata": Setting(least=0.0),
    "small hold-out": Setting(holdout=0.01),
    "scaled, all strata": Setting(scaled=True, least=0.0),
}


_ALL = ["_".join(c) for k in range(len(ATTRIBUTES)) for c in combinations(ATTRIBUTES, k + 1)]
CROSSINGS = dict.fromkeys(TABLES, (*_ALL,)) | {
    "nist": tuple(name for name in _ALL if "NATIVITY" not in name)
}


@dataclass(frozen=True, kw_only=True)
class CensusCell(KeyedCell, kind="census means"):
    """All runs of one variable, crossing, setting and budget.

    ``mechanism="laplace"`` spends epsilon, else rho.
    """

    dataset: str
    variable: str
    crossing: str
    setting: str = "published"
    mechanism: str = "coinpress"
    budget: float = RHO
    runs: int = RUNS
    seed: int = SEED

    def __post_init__(self) -> None:
        set_checked(self, dataset=TABLES, mechanism=("coinpress", "laplace"), setting=SETTINGS)
        set_checked(self, variable=TABLES[self.dataset], crossing=CROSSINGS[self.dataset])
        set_checked(self, budget=validate.positive, runs=SEVERAL, seed=COUNT)


@dataclass(frozen=True)
class Table:
    """People with the attributes to cross and the variables to average, and where they are from."""

    frame: pd.DataFrame
    sha256: str
    source: str


@cached_by_data_location(4)
def table_of(dataset: str) -> Table:
    """The raw values of a data set; the incomes of the NIST excerpts are not in its replica."""
    validate.choice("dataset", dataset, TABLES)
    if dataset == "newyork_census":
        return Table(*bureau.read(), "census")
    data = load(dataset)
    if dataset == "newyork2024":
        frame = newyork.values_2024(data)
    elif dataset == "acs_coverage":  # codes are ranks: SCHL 0..23 for 1..24
        frame = data.frame.assign(SCHL=data.frame["SCHL"] + 1.0)
    else:
        if data.is_replica:
            raise Unavailable(
                "the replica of nist has deciles of income only; the raw file is needed"
            )
        raw, _ = load_raw(data.task.file, data.source)
        frame = raw[["SEX", "RAC1P", "AGEP", "DPHY", "PINCP"]].rename(columns={"DPHY": "DIS"})
        frame = frame.apply(pd.to_numeric, errors="coerce")
        frame["DIS"] = frame["DIS"].fillna(2)  # not asked under five
    frame = frame.assign(AGEP=pd.cut(frame["AGEP"], 5, labels=False))
    used = [c for c in (*ATTRIBUTES, *TABLES[dataset]) if c in frame]
    return Table(frame[used], data.sha256, data.source)


@cached_by_data_location(2)
def strata(dataset: str, variable: str, crossing: str) -> tuple[np.ndarray, np.ndarray]:
    """Answers ordered by stratum, and the strata's sizes.

    Those without an answer to ``variable`` are left out.
    """
    frame = table_of(dataset).frame
    frame = frame[frame[variable].notna()]
    groups, _ = pd.factorize(pd.MultiIndex.from_frame(frame[crossing.split("_")]), sort=True)
    order, sizes = group_order(groups, int(groups.max()) + 1)
    return frame[variable].to_numpy(dtype=float)[order], sizes


_CODES = {
    "SEX": ("men", "women"),
    "DIS": ("with a disability", "without"),
    "NATIVITY": ("native", "foreign born"),
    "RAC1P": codebook("nist")["RAC1P"].codes,
    "AGEP": [f"age band {i}" for i in range(1, 6)],
}


def stratum_names(variable: str, crossing: str) -> list[str]:
    """The strata of New York in words, in the order of :func:`strata`."""
    frame, columns = table_of("newyork2024").frame, crossing.split("_")
    found = frame.loc[frame[variable].notna(), columns].drop_duplicates()
    found = found.sort_values(columns, kind="stable")
    words = [[_CODES[c][int(value)] for value in found[c] - found[c].min()] for c in columns]
    return list(map(", ".join, zip(*words, strict=True)))


def budgets(rho: float) -> tuple[float, ...]:
    """The published split of ``rho`` over COINPRESS's two steps."""
    return tuple(share * rho for share in SPLIT)


def oracles(setting: str) -> tuple[str, ...]:
    """What a setting takes from the private table and no budget pays for, in words."""
    chosen = SETTINGS[validate.choice("setting", setting, SETTINGS)]
    spread = "the spread: each variable's own standard deviation"
    strata = "the strata: those that occur in the table, ages in five bins of the observed range"
    if chosen.least:
        strata += f", without those of at most {chosen.least:.1%} of the rows"
    return (spread, strata) if chosen.scaled else (strata,)


def run_ledger(cell: CensusCell) -> PrivacyAccountant:
    """What one run spends: an accountant after the stratified estimate.

    It notes the measurements, the exact sizes, and what no budget pays for.
    """
    unit = "epsilon" if cell.mechanism == "laplace" else "rho"
    accountant = PrivacyAccountant(cell.budget, unit=unit)
    _one_run(cell, 0, accountant)
    return accountant


def census_runs(cell: CensusCell) -> tuple[np.ndarray, Runs]:
    """The number of strata, and every metric of every method, in each run.

    The metric ``clean`` is the error of the population's mean by the same method without noise.
    """
    numbers, runs = zip(*(_one_run(cell, run) for run in range(cell.runs)), strict=True)
    return np.array(numbers), {key: np.array([run[key] for run in runs]) for key in runs[0]}


def _one_run(
    cell: CensusCell, run: int, accountant: PrivacyAccountant | None = None
) -> tuple[int, dict[tuple[str, str], float]]:
    values, sizes = strata(cell.dataset, cell.variable, cell.crossing)
    setting = SETTINGS[cell.setting]
    rng = stream(cell.seed, "census means", cell.dataset, cell.variable, cell.crossing, run)
    private = rng.random(values.size) >= setting.holdout
    inside = np.add.reduceat(private, np.cumsum(sizes) - sizes, dtype=np.intp)
    keep = (inside > 0) & (sizes > setting.least * values.size)
    x, own, outside = values[private], inside[keep], (sizes - inside)[keep]
    kept = x[np.repeat(keep, inside)]
    truth, population = np.add.reduceat(kept, np.cumsum(own) - own) / own, x.mean()
    if accountant is not None:
        accountant.note_exact("rows of each stratum", cell.crossing.split("_"))
        accountant.note_oracle(oracles(cell.setting)[-1])
    weights = own, outside if outside.sum() else own
    found = _answers(cell, x, kept, weights, rng, accountant)
    clean = _answers(cell, x, kept, weights, None)
    row: dict[tuple[str, str], float] = {}
    some = truth != 0
    as_published: dict[str, Any] = {"normalised": False, "drop": min(5, own.size - 1)}
    for method, (whole, groups) in found.items():
        near, everyone = (truth[some], groups[some]), (population, whole)
        errors = {
            "error": stratum_errors(*everyone),
            "parity": parity_error(*near, *everyone),
            "parity_average": parity_error(*near, *everyone, reading="average"),
            # of this crossing alone: the figure pools all crossings with as many strata
            "parity_published": parity_error(truth, groups, *everyone, **as_published),
            "worst": stratum_errors(*near).max(),
            "clean": stratum_errors(population, clean[method][0]),
        }
        row |= {(metric, method): float(error) for metric, error in errors.items()}
    return own.size, row


def spread(dataset: str, variable: str) -> float:
    """The standard deviation of a variable: of New York in 2024 its own, else the paper's."""
    if dataset == "newyork2024":
        return float(table_of(dataset).frame[variable].std())
    return VARIABLES[variable].std


def known(dataset: str, variable: str, setting: str) -> Interval:
    """What COINPRESS takes as known: the published interval, and a spread."""
    center, radius = BOUNDS[variable]
    scaled = SETTINGS[setting].scaled
    return Interval(
        low=center - radius,
        high=center + radius,
        sigma=spread(dataset, variable) if scaled else 1.0,
        oracle=oracles(setting)[0] if scaled else "",
    )


def _answers(
    cell: CensusCell, x, kept, weights, rng, accountant=None
) -> dict[str, tuple[float, np.ndarray]]:
    """The population's and the strata's private means of each method.

    The plain method gives the same mean to every stratum. ``accountant`` pays for the strata's
    means; ``weights`` is a pair: the sizes of the strata, and their public weights.
    """
    prior, by = known(cell.dataset, cell.variable, cell.setting), cell.crossing.split("_")

    def means(values: np.ndarray, sizes: np.ndarray, payer: PrivacyAccountant | None):
        if cell.mechanism == "laplace":
            return laplace_means(values, sizes, prior.low, prior.high, cell.budget, rng, payer, by)
        return coinpress(values, sizes, prior, budgets(cell.budget), rng, payer, by)

    whole = means(x, np.array([x.size]), None)[0]
    groups = means(kept, weights[0], accountant)
    stratified = ((float(recombine(groups, own)), groups) for own in weights)
    answers = (whole, np.full(groups.size, whole)), *stratified
    return dict(zip(METHODS, answers, strict=True))


def run_census(cell: CensusCell) -> dict:
    """Record of a cell: the mean number of strata, and the scores of :func:`census_runs`."""
    table = table_of(cell.dataset)
    numbers, runs = census_runs(cell)
    return {
        "strata": float(numbers.mean()),
        "scores": scores_of(runs),
        "data_source": table.source,
        "data_sha256": table.sha256,
    }
