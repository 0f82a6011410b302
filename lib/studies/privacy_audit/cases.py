"""What is audited: each mechanism with few steps, its promise, and tiny neighbouring tables.

A privacy guarantee holds for the worst pair of tables, and tiny tables are where a row weighs most.
The tables have three columns of two or three codes. One person alone has code 1 in column ``a``: a
group of one appears or vanishes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

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

ADD_OR_REMOVE, _, WITHIN = RELATIONS
BUDGET = 0.5  # rho; a Gaussian measurement of everything then has its sensitivity as deviation
EPSILON = 1.0  # of the Laplace mean
DELTA = 0.01  # where epsilons are compared
ROUNDS = 4  # of GEM
FEW_STEPS: dict[str, Any] = {
    "rounds": ROUNDS,
    "steps": 1,
    "hidden": (4,),
    "inputs": 2,
    "batch": 4,
}  # of GEM
DOMAIN = Domain.of({"a": 2, "b": 3, "c": 2})
SIZES: dict[tuple[int, ...], float] = {(0,): 9, (1,): 1}  # of the groups of column a
# ten people: the codes of columns a, b and c of each
_ROWS = tuple(tuple(map(int, codes)) for codes in "000 000 001 010 011 011 000 010 001 121".split())


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
    pairs: dict[str, tuple[Any, Any]]


def _table(*rows: tuple[int, ...]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=DOMAIN.columns, dtype=np.int16)


def _row_pairs() -> dict[str, tuple[Any, Any]]:
    """One row more or less: the only person of a group, or one of many."""
    whole = _table(*_ROWS)
    return {
        "the only one of a group leaves": (whole, _table(*_ROWS[:-1])),
        "the only one of a group joins": (_table(*_ROWS[:-1]), whole),
        "one of many leaves": (whole, _table(*_ROWS[1:])),
    }


def _within_pairs() -> dict[str, tuple[Any, Any]]:
    """One person has other values and stays in the group ``a``."""
    whole, one_of_many = _table(*_ROWS), _table((0, 2, 1), *_ROWS[1:])
    return {
        "the only one of a group changes": (whole, _table(*_ROWS[:-1], (1, 0, 0))),
        "one of many changes": (whole, one_of_many),
        "one of many changes back": (one_of_many, whole),
    }


def synthesizer_case(name: str, title: str, synthesizer: Synthesizer) -> Case:
    """A synthesizer under one row more or less, with :data:`BUDGET` promised and spent."""
    return Case(
        name,
        title,
        lambda table, rng: synthesizer.fit(table, DOMAIN, BUDGET, rng),
        Promise(rho=BUDGET),
        ADD_OR_REMOVE,
        _row_pairs(),
    )


def _counted_case(synthesizer: Synthesizer) -> Case:
    """Exact group sizes: the promise is for a person who stays in the group.

    Its price is the accountant's for that.
    """
    title = "Stratified MST, sizes counted exactly"
    plain = synthesizer_case("stratified_counted", title, synthesizer)
    model = plain.fit(_table(*_ROWS), np.random.default_rng(0))
    promise = Promise(rho=model.accountant.price(WITHIN))
    return replace(plain, promise=promise, relation=WITHIN, pairs=_within_pairs())


_VALUES = np.array([0.0, 0.2, 0.9, 0.4, 0.7, 0.1, 0.5, 0.3])
_GROUPS = np.array([0, 0, 0, 0, 0, 1, 1, 2])


def _mean_case(name: str, title: str, fit: Fit, promise: Promise) -> Case:
    """Means of three groups, one of them a single person; a value moves from -50 to 50."""
    places = np.arange(_VALUES.size)
    alone, many = (
        tuple(np.where(places == place, end, _VALUES) for end in (-50.0, 50.0)) for place in (7, 2)
    )
    pairs: dict[str, Any] = {
        "the only one of a group changes": alone,
        "one of many changes": many,
        "one of many changes back": many[::-1],
    }
    return Case(name, title, fit, promise, WITHIN, pairs)


def coinpress(
    values: np.ndarray, rng: np.random.Generator, *, low: float = -1.0, high: float = 2.0
) -> object:
    """COINPRESS on three groups, from the interval ``[low, high]``."""
    interval = Interval(low=low, high=high, sigma=0.5)
    return strat_coinpress(values, _GROUPS, 3, interval, rho=BUDGET, rng=rng)


def _laplace(values: np.ndarray, rng: np.random.Generator) -> object:
    return strat_laplace(values, _GROUPS, 3, low=0.0, high=1.0, epsilon=EPSILON, rng=rng)


def cases(size: str = "small") -> dict[str, Case]:
    """All cases by name.

    Parameters
    ----------
    size : {"small", "default"}
        Few rounds and steps, so that a fit takes milliseconds; or each mechanism's own defaults.

    Examples
    --------
    >>> cases()["mst"].promise
    Promise(rho=0.5, epsilon=None)
    """
    small = validate.choice("size", size, ("small", "default")) == "small"
    mst = MST(iterations=3) if small else MST()
    aim = AIM(rounds_per_column=2, iterations=3, last_iterations=3) if small else AIM()
    gem = GEM(**FEW_STEPS) if small else GEM()
    gem_cell = GEM(**FEW_STEPS, variant="cell") if small else GEM.published(shrink=8)
    strata = Stratified(inner=mst, by=("a",))
    projected = replace(strata, weights="projected", small="merge", threshold=0.2)
    synthesizers = {
        "mst": ("MST", mst),
        "mst_unmerged": ("MST without merging", replace(mst, compress=False)),
        "aim": ("AIM", aim),
        "gem": ("GEM, whole marginals", gem),
        "gem_cell": ("GEM, single cells", gem_cell),
        "stratified_declared": ("Stratified MST, sizes declared", replace(strata, sizes=SIZES)),
        "stratified_noisy": ("Stratified MST, noisy sizes", replace(strata, weights="noisy")),
        "stratified_projected": ("Stratified MST, projected sizes", projected),
    }
    return {name: synthesizer_case(name, *case) for name, case in synthesizers.items()} | {
        "stratified_counted": _counted_case(strata),
        "laplace": _mean_case(
            "laplace", "Clipped Laplace mean", _laplace, Promise(epsilon=EPSILON)
        ),
        "coinpress": _mean_case("coinpress", "COINPRESS", coinpress, Promise(rho=BUDGET)),
    }


def case(name: str, size: str = "small") -> Case:
    """The case of one mechanism."""
    return cases(size)[validate.choice("mechanism", name, cases(size))]
