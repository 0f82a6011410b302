"""Stratified means of census variables (Figs 2, 8), and sweeps of their budgets.

A cell holds all its runs. Its streams are keyed by data, variable, crossing
and run, not by setting or budget, so settings are compared on the same splits
and the same draws of noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from lib import validate
from lib.datasets import load, load_raw
from lib.datasets.cache import Unavailable
from lib.datasets.memory import cached_by_data_location
from lib.datasets.newyork import ATTRIBUTES, VARIABLES, load_newyork
from lib.dp import PrivacyAccountant
from lib.fairness.parity import parity_error, stratum_errors
from lib.means.grouped import Interval, coinpress, group_order, laplace_means, recombine
from lib.means.stratified import SPLIT
from lib.rng import stream
from lib.runner.cell import KeyedCell, set_normalised
from lib.stats.summary import mean_interval

__all__ = [
    "VERSION",
    "METHODS",
    "METRICS",
    "SETTINGS",
    "TABLES",
    "CROSSINGS",
    "RHOS",
    "EPSILONS",
    "CensusCell",
    "Table",
    "Setting",
    "table_of",
    "strata",
    "budgets",
    "census_grid",
    "budget_grid",
    "census_runs",
    "interval_of",
    "oracles",
    "run_census",
    "run_ledger",
]

VERSION = "1"
SEED = 20240212
METHODS = ("COINPRESS", "StratCOINPRESS", "PubStratCOINPRESS")
METRICS = ("error", "parity", "parity_average", "parity_published", "worst")
RHO = 0.5
RUNS = 50
BOUNDS = {
    "SCHL": (12.0, 12.0),
    "WKHP": (40.0, 80.0),
    "JWMNP": (30.0, 100.0),
    "PINCP": (40_000.0, 1e6),
}
TABLES = {"newyork": tuple(VARIABLES), "acs_coverage": ("SCHL",), "nist": ("PINCP",)}
RHOS = (0.005, 0.02, 0.05, 0.1, 0.5, 1.0, 2.0, 5.0)
EPSILONS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a setting changes: the spread, the share held out, and the smallest stratum.

    Sigma is the variable's spread or 1.

    The variable's spread comes from an oracle: it is the whole table's, and no budget pays for it
    (:func:`oracles`).
    """

    scaled: bool = False
    holdout: float = 0.5
    least: float = 0.001


SETTINGS: dict[str, Setting] = {
    "published": Setting(),
    "scaled": Setting(scaled=True),
    "all strata": Setting(least=0.0),
    "small hold-out": Setting(holdout=0.01),
    "scaled, all strata": Setting(scaled=True, least=0.0),
}


def _crossings(attributes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        "_".join(c)
        for size in range(1, len(attributes) + 1)
        for c in combinations(attributes, size)
    )


CROSSINGS: dict[str, tuple[str, ...]] = {
    "newyork": _crossings(ATTRIBUTES),
    "acs_coverage": _crossings(ATTRIBUTES),
    "nist": _crossings(tuple(a for a in ATTRIBUTES if a != "NATIVITY")),
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
        validate.choice("dataset", self.dataset, TABLES)
        validate.choice("variable", self.variable, TABLES[self.dataset])
        validate.choice("crossing", self.crossing, CROSSINGS[self.dataset])
        validate.choice("setting", self.setting, SETTINGS)
        validate.choice("mechanism", self.mechanism, ("coinpress", "laplace"))
        set_normalised(
            self,
            budget=validate.positive("budget", self.budget),
            runs=validate.integer("runs", self.runs, low=2),
            seed=validate.integer("seed", self.seed, low=0),
        )


# --- grids
# ----------------------------------------------------------------------

_FEW = ("SEX", "RAC1P", "AGEP", "SEX_RAC1P", "SEX_RAC1P_AGEP", "SEX_DIS_RAC1P_AGEP")


def census_grid(datasets: tuple[str, ...], runs: int = RUNS) -> Iterator[CensusCell]:
    """Figs 2 and 8 on every crossing, published and scaled; the other settings on six crossings."""
    for dataset in datasets:
        for variable in TABLES[dataset]:
            for name in CROSSINGS[dataset]:
                for setting in SETTINGS if name in _FEW else ("published", "scaled"):
                    yield CensusCell(
                        dataset=dataset,
                        variable=variable,
                        crossing=name,
                        setting=setting,
                        runs=runs,
                    )


def budget_grid(datasets: tuple[str, ...], runs: int = RUNS) -> Iterator[CensusCell]:
    """Sex by race at every rho (COINPRESS, published and scaled) and epsilon (Laplace)."""
    for dataset in datasets:
        for variable in TABLES[dataset]:
            common: dict[str, Any] = {
                "dataset": dataset,
                "variable": variable,
                "crossing": "SEX_RAC1P",
                "runs": runs,
            }
            for rho in RHOS:
                for setting in ("published", "scaled"):
                    if rho != RHO:  # that one is in the grid above
                        yield CensusCell(**common, setting=setting, budget=rho)
            for epsilon in EPSILONS:
                yield CensusCell(**common, mechanism="laplace", budget=epsilon)


# --- tables
# ----------------------------------------------------------------------


@dataclass(frozen=True)
class Table:
    """People with the attributes to cross and the variables to average, and where they are from."""

    frame: pd.DataFrame
    source: str
    sha256: str


@cached_by_data_location(4)
def table_of(dataset: str, source: str = "auto") -> Table:
    """The raw values of a data set; the excerpts' incomes have no replica."""
    validate.choice("dataset", dataset, TABLES)
    if dataset == "newyork":
        city = load_newyork(source)
        return Table(city.frame, city.source, city.sha256)
    data = load(dataset, source)
    if dataset == "acs_coverage":  # codes are ranks: SCHL 0..23 for 1..24
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
    return Table(frame[used], data.source, data.sha256)


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


# --- census
# ----------------------------------------------------------------------


def budgets(rho: float) -> tuple[float, ...]:
    """The published split of ``rho`` over COINPRESS's two steps."""
    return tuple(share * rho for share in SPLIT)


def oracles(setting: str) -> tuple[str, ...]:
    """What a setting takes from the private table and no budget pays for, in words."""
    chosen = SETTINGS[validate.choice("setting", setting, SETTINGS)]
    spread = ("the spread: each variable's own standard deviation",) if chosen.scaled else ()
    left_out = f", without those of at most {chosen.least:.1%} of the rows" if chosen.least else ""
    return (
        *spread,
        (
            "the strata: those that occur in the table, ages in five bins of the observed"
            f" range{left_out}"
        ),
    )


def interval_of(cell: CensusCell) -> Interval:
    """What COINPRESS takes as known in ``cell``: the published interval, and a spread.

    The spread is 1 or, from an oracle, the variable's own.
    """
    center, radius = BOUNDS[cell.variable]
    scaled = SETTINGS[cell.setting].scaled
    return Interval(
        low=center - radius,
        high=center + radius,
        sigma=VARIABLES[cell.variable].std if scaled else 1.0,
        oracle=oracles(cell.setting)[0] if scaled else "",
    )


def run_ledger(cell: CensusCell, run: int = 0) -> PrivacyAccountant:
    """What one run spends: an accountant after the stratified estimate.

    It notes the measurements, the exact sizes, and what no budget pays for.
    """
    accountant = PrivacyAccountant(
        cell.budget, unit="epsilon" if cell.mechanism == "laplace" else "rho"
    )
    _one_run(cell, *strata(cell.dataset, cell.variable, cell.crossing), run, accountant)
    return accountant


def census_runs(cell: CensusCell) -> dict[str, np.ndarray]:
    """Every metric of every method in each run, by ``<metric>|<method>``, shape (runs,).

    ``clean|<method>`` is the population error of clipping without noise.
    """
    values, sizes = strata(cell.dataset, cell.variable, cell.crossing)
    rows = [_one_run(cell, values, sizes, run) for run in range(cell.runs)]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def _one_run(
    cell: CensusCell,
    values: np.ndarray,
    sizes: np.ndarray,
    run: int,
    accountant: PrivacyAccountant | None = None,
) -> dict[str, float]:
    setting = SETTINGS[cell.setting]
    rng = stream(cell.seed, "census means", cell.dataset, cell.variable, cell.crossing, run)
    private = rng.random(values.size) >= setting.holdout
    starts = np.cumsum(sizes) - sizes
    inside = np.add.reduceat(private, starts, dtype=np.int64)
    keep = (inside > 0) & (sizes > setting.least * values.size)
    x, own = values[private], inside
    population = x.mean()
    kept = x if keep.all() else x[np.repeat(keep, own)]
    own, outside = own[keep], (sizes - inside)[keep]
    truth = np.add.reduceat(kept, np.cumsum(own) - own) / own
    if accountant is not None:
        accountant.note_exact("rows of each stratum")
        accountant.note_oracle(oracles(cell.setting)[-1])
    found = _estimates(cell, x, kept, own, rng, accountant)
    clean = _estimates(cell, x, kept, own, None)
    row: dict[str, float] = {"strata": own.size}
    for method in METHODS:
        weights = outside if method == METHODS[2] and outside.sum() else own
        whole, groups = _answer(method, found, weights)
        row |= {f"{m}|{method}": v for m, v in _metrics(truth, groups, population, whole).items()}
        row[f"clean|{method}"] = float(
            stratum_errors(population, _answer(method, clean, weights)[0])
        )
    return row


def _estimates(cell: CensusCell, x, kept, own, rng, accountant=None) -> tuple[float, np.ndarray]:
    """Private means of the population, and of every stratum, for which ``accountant`` pays."""
    prior = interval_of(cell)
    if cell.mechanism == "laplace":
        return (
            laplace_means(x, np.array([x.size]), prior.low, prior.high, cell.budget, rng)[0],
            laplace_means(kept, own, prior.low, prior.high, cell.budget, rng, accountant),
        )
    return (
        coinpress(x, np.array([x.size]), prior, budgets(cell.budget), rng)[0],
        coinpress(kept, own, prior, budgets(cell.budget), rng, accountant),
    )


def _answer(
    method: str, found: tuple[float, np.ndarray], weights: np.ndarray
) -> tuple[float, np.ndarray]:
    """The population's and the strata's estimates of a method.

    The plain one gives the same estimate to every stratum.
    """
    whole, groups = found
    if method == METHODS[0]:
        return whole, np.full(groups.size, whole)
    return float(recombine(groups, weights)), groups


def _metrics(
    truth: np.ndarray, groups: np.ndarray, population: float, whole: float
) -> dict[str, float]:
    drop = min(5, truth.size - 1)
    nonzero = truth != 0
    return {
        "error": float(stratum_errors(population, whole)),
        "parity": float(parity_error(truth[nonzero], groups[nonzero], population, whole)),
        "parity_average": float(
            parity_error(truth[nonzero], groups[nonzero], population, whole, reading="average")
        ),
        "parity_published": float(
            parity_error(truth, groups, population, whole, normalised=False, drop=drop)
        ),
        "worst": float(stratum_errors(truth[nonzero], groups[nonzero]).max()),
    }


def _summary(runs: dict[str, np.ndarray]) -> dict[str, float]:
    """Mean and 95% interval of every metric, and of the differences to plain COINPRESS."""
    flat: dict[str, float] = {}
    for name, x in runs.items():
        flat |= flat_interval(name, x)
        metric, _, method = name.partition("|")
        if method in METHODS[1:]:
            difference = x - runs[f"{metric}|{METHODS[0]}"]
            flat |= flat_interval(f"{name} - {METHODS[0]}", difference)
    return flat


def flat_interval(name: str, x: np.ndarray) -> dict[str, float]:
    """Mean and 95% interval of ``x`` as ``name``, ``name|low`` and ``name|high``."""
    return dict(zip((name, f"{name}|low", f"{name}|high"), mean_interval(x), strict=True))


def run_census(cell: CensusCell) -> dict:
    """Flat record of a cell: :func:`census_runs` summarised."""
    table = table_of(cell.dataset)
    runs = census_runs(cell)
    k = runs.pop("strata")
    return (
        {"strata": float(k.mean())}
        | _summary(runs)
        | {"data_source": table.source, "data_sha256": table.sha256}
    )
