"""What is audited: each mechanism as a fit with few steps, its promise, and tiny neighbouring
tables.

A privacy guarantee holds for the worst pair of tables, and tiny tables are where a row weighs most.
The tables have three columns of two or three codes. One person alone has code 1 in column ``a``: a
group of one appears or vanishes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from lib import validate
from lib.domain import Domain
from lib.dp import RELATIONS
from lib.dp.empirical_delta import Promise
from lib.means.grouped import Interval
from lib.means.stratified import strat_coinpress, strat_laplace
from lib.studies.privacy_audit.replay import Fit
from lib.synth import AIM, GEM, MST, Stratified
from lib.synth.base import Synthesizer

__all__ = [
    "BUDGET",
    "DELTA",
    "DOMAIN",
    "EPSILON",
    "ROUNDS",
    "Case",
    "cases",
    "case",
    "synthesizer_case",
]

ADD_OR_REMOVE, _, WITHIN = RELATIONS
BUDGET = (
    0.5  # rho; a Gaussian measurement of everything then has sensitivity equal to its deviation
)
EPSILON = 1.0  # of the Laplace mean
DELTA = 0.01  # where epsilons are compared
ROUNDS = 4  # of GEM
DOMAIN = Domain.of({"a": 2, "b": 3, "c": 2})
_ROWS = (
    (0, 0, 0),
    (0, 0, 0),
    (0, 0, 1),
    (0, 1, 0),
    (0, 1, 1),
    (0, 1, 1),
    (0, 0, 0),
    (0, 1, 0),
    (0, 0, 1),
    (1, 2, 1),
)


@dataclass(frozen=True)
class Case:
    """One mechanism to audit.

    Attributes
    ----------
    name, title : str
    fit : callable
        ``fit(table, rng)``: what it releases.
    promise : Promise
    relation : str
        The neighbours that the promise is for.
    pairs : dict
        Name of a pair: the table that is fitted, and its neighbour.
    """

    name: str
    title: str
    fit: Fit
    promise: Promise
    relation: str
    pairs: dict[str, tuple[object, object]]


def _table(rows: Iterable[tuple[int, ...]]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(DOMAIN.columns), dtype=np.int16)


def _row_pairs() -> dict[str, tuple[object, object]]:
    """One row more or less: the only person of a group, or one of many."""
    whole = _table(_ROWS)
    return {
        "the only one of a group leaves": (whole, _table(_ROWS[:-1])),
        "the only one of a group joins": (_table(_ROWS[:-1]), whole),
        "one of many leaves": (whole, _table(_ROWS[1:])),
    }


def _within_pairs() -> dict[str, tuple[object, object]]:
    """One person has other values and stays in the group ``a``."""
    whole = _table(_ROWS)
    return {
        "the only one of a group changes": (whole, _table((*_ROWS[:-1], (1, 0, 0)))),
        "one of many changes": (whole, _table(((0, 2, 1), *_ROWS[1:]))),
        "one of many changes back": (_table(((0, 2, 1), *_ROWS[1:])), whole),
    }


def synthesizer_case(
    name: str, title: str, synthesizer: Synthesizer, *, rho: float = BUDGET
) -> Case:
    """A synthesizer under one row more or less, with ``rho`` promised and spent."""
    return Case(
        name,
        title,
        lambda table, rng: synthesizer.fit(table, DOMAIN, rho, rng),
        Promise(rho=rho),
        ADD_OR_REMOVE,
        _row_pairs(),
    )


def _counted_case(synthesizer: Synthesizer) -> Case:
    """Exact group sizes: what is promised is for a person who stays in the group, at the
    accountant's price for that.
    """
    plain = synthesizer_case(
        "stratified_counted", "Stratified MST, sizes counted exactly", synthesizer
    )
    pairs = _within_pairs()
    table = next(iter(pairs.values()))[0]
    price = plain.fit(table, np.random.default_rng(0)).accountant.price(WITHIN)
    return replace(plain, promise=Promise(rho=price), relation=WITHIN, pairs=pairs)


_VALUES = np.array([0.0, 0.2, 0.9, 0.4, 0.7, 0.1, 0.5, 0.3])
_GROUPS = np.array([0, 0, 0, 0, 0, 1, 1, 2])


def _mean_case(
    name: str, title: str, fit: Callable, promise: Promise, low: float, high: float
) -> Case:
    """Means of three groups, one of them a single person. A value moves from one end of all
    numbers to the other.
    """

    def changed(place: int, value: float) -> np.ndarray:
        return np.where(np.arange(_VALUES.size) == place, value, _VALUES)

    pairs = {
        "the only one of a group changes": (changed(7, low), changed(7, high)),
        "one of many changes": (changed(2, low), changed(2, high)),
        "one of many changes back": (changed(2, high), changed(2, low)),
    }
    return Case(name, title, fit, promise, WITHIN, pairs)


def _coinpress(values: np.ndarray, rng: np.random.Generator) -> object:
    return strat_coinpress(
        values, _GROUPS, 3, Interval(low=-1.0, high=2.0, sigma=0.5), rho=BUDGET, rng=rng
    )


def _laplace(values: np.ndarray, rng: np.random.Generator) -> object:
    return strat_laplace(values, _GROUPS, 3, low=0.0, high=1.0, epsilon=EPSILON, rng=rng)


def cases(size: str = "small") -> dict[str, Case]:
    """All cases by name.

    Parameters
    ----------
    size : {"small", "default"}
        Few rounds and steps, so that a fit takes milliseconds; or each mechanism's own defaults.
    """
    small = validate.choice("size", size, ("small", "default")) == "small"
    mst = MST(iterations=3) if small else MST()
    aim = AIM(rounds_per_column=2, iterations=3, last_iterations=3) if small else AIM()
    few = {"rounds": ROUNDS, "steps": 1, "hidden": (4,), "inputs": 2, "batch": 4} if small else {}
    sizes = {(0,): 9, (1,): 1}
    return {
        c.name: c
        for c in (
            synthesizer_case("mst", "MST", mst),
            synthesizer_case("mst_unmerged", "MST without merging", replace(mst, compress=False)),
            synthesizer_case("aim", "AIM", aim),
            synthesizer_case("gem", "GEM, whole marginals", GEM(**few)),
            synthesizer_case(
                "gem_cell",
                "GEM, single cells",
                GEM(**few, variant="cell") if small else GEM.published(),
            ),
            synthesizer_case(
                "stratified_declared",
                "Stratified MST, sizes declared",
                Stratified(inner=mst, by=("a",), sizes=sizes),
            ),
            synthesizer_case(
                "stratified_noisy",
                "Stratified MST, noisy sizes",
                Stratified(inner=mst, by=("a",), weights="noisy"),
            ),
            synthesizer_case(
                "stratified_projected",
                "Stratified MST, projected sizes",
                Stratified(inner=mst, by=("a",), weights="projected", small="merge", threshold=0.2),
            ),
            _counted_case(Stratified(inner=mst, by=("a",))),
            _mean_case(
                "laplace", "Clipped Laplace mean", _laplace, Promise(epsilon=EPSILON), -50.0, 50.0
            ),
            _mean_case("coinpress", "COINPRESS", _coinpress, Promise(rho=BUDGET), -50.0, 50.0),
        )
    }


def case(name: str, size: str = "small") -> Case:
    """One case."""
    return cases(size)[validate.choice("mechanism", name, list(cases(size)))]
