"""What is audited: each mechanism with few steps, its promise, and tiny neighbouring tables.

A privacy guarantee holds for the worst pair of tables, and tiny tables are where a row weighs most.
The small ones have ten rows or fewer in columns of two, three and four codes. One person alone has
code 1 in column ``a``: a group of one appears or vanishes. Others are random, or have more than a
thousand rows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from lib import validate
from lib.domain import Domain
from lib.dp import RELATIONS, Gaussian, PrivacyAccountant, noisy
from lib.means.grouped import Interval
from lib.means.stratified import strat_coinpress, strat_laplace
from lib.synth import AIM, GEM, MST, Stratified
from lib.synth.base import MARGINAL, Synthesizer
from studies.privacy_audit.empirical_delta import Promise
from studies.privacy_audit.replay import Fit

ADD_OR_REMOVE, REPLACE, WITHIN = RELATIONS
BUDGET = 0.5  # rho; a Gaussian measurement of everything then has its sensitivity as deviation
DELTA = 0.01  # where epsilons are compared
ROUNDS = 4  # of GEM
FEW_STEPS: dict[str, Any] = {
    "rounds": ROUNDS,
    "steps": 1,
    "hidden": (4,),
    "inputs": 2,
    "batch": 4,
}  # of GEM
DOMAIN = Domain.of({"a": 2, "b": 4, "c": 3})
# ten people: the codes of columns a, b and c of each
_ROWS = tuple(tuple(map(int, codes)) for codes in "000 000 001 010 012 031 000 010 001 121".split())

Pairs = dict[str, tuple[str, Any, Any]]
"""By name: how two tables are neighbours, the table that is fitted, and the other."""


@dataclass(frozen=True)
class Case:
    """One mechanism to audit.

    Attributes
    ----------
    title : str
    fit : callable
        ``fit(table, rng)``: what it releases.
    promise : Promise
    relation : str
        The neighbours that the promise is for.
    pairs : dict
        As :data:`Pairs`. For a pair of another relation the case promises nothing; then the price
        that the fit's own accountant states is tested.
    """

    title: str
    fit: Fit
    promise: Promise
    relation: str
    pairs: Pairs

    def asked(self, pair: str) -> tuple[Any, Any, Promise | None, str]:
        """The two tables, the promise for them and their relation, as ``audit`` takes them."""
        relation, *tables = self.pairs[validate.choice("pair", pair, self.pairs)]
        return (*tables, self.promise if relation == self.relation else None, relation)


def _table(*rows: tuple[int, ...]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=DOMAIN.columns, dtype=np.int16)


def _random_rows(number: int, seed: int) -> list[tuple[int, ...]]:
    """Rows of codes with unequal shares, different ones in each column."""
    rng = np.random.default_rng(seed)
    shares = [rng.dirichlet(np.full(size, 0.7)) for size in DOMAIN.sizes]
    columns = [rng.choice(len(share), number, p=share) for share in shares]
    return [tuple(map(int, row)) for row in np.transpose(columns)]


_RANDOM, _LARGE = _random_rows(14, 1), [(0, 0, 0)] * 1100 + _random_rows(200, 3)


def _row_pairs() -> Pairs:
    """One row more or less: of few, of many, of many alike, and the only one of its kind. Then one
    person has other values, in another group or in the same.
    """
    whole, without, others = _table(*_ROWS), _table(*_ROWS[1:]), _random_rows(30, 2)
    alike, alone = _ROWS[:1] * 60, _table(*_ROWS[:-1])
    return {
        "the only one of a group leaves": (ADD_OR_REMOVE, whole, alone),
        "one of many alike leaves": (ADD_OR_REMOVE, _table(*alike), _table(*alike[1:])),
        "the only one of all leaves": (ADD_OR_REMOVE, _table((1, 3, 2)), _table()),
        "the only one of a group joins": (ADD_OR_REMOVE, alone, whole),
        "one of many leaves": (ADD_OR_REMOVE, whole, without),
        "one of many joins": (ADD_OR_REMOVE, without, whole),
        "random table 1": (ADD_OR_REMOVE, _table(*_RANDOM), _table(*_RANDOM[1:])),
        "random table 2": (ADD_OR_REMOVE, _table(*others[1:]), _table(*others)),
        "a large table": (ADD_OR_REMOVE, _table(*_LARGE), _table(*_LARGE[1:])),
        "one of many goes to another group": (REPLACE, whole, _table((1, 2, 1), *_ROWS[1:])),
        "one of many stays in a group": (WITHIN, whole, _table((0, 2, 1), *_ROWS[1:])),
    }


def _counted_pairs() -> Pairs:
    """One person has other values and stays in the group ``a``, goes to another, or leaves."""
    rows = _row_pairs()
    _, whole, one_of_many = rows["one of many stays in a group"]
    random = _table((_RANDOM[0][0], 3, 2), *_RANDOM[1:])
    return {
        "the only one of a group changes": (WITHIN, whole, _table(*_ROWS[:-1], (1, 0, 0))),
        "one of many changes": (WITHIN, whole, one_of_many),
        "one of many changes back": (WITHIN, one_of_many, whole),
        "random table 1": (WITHIN, _table(*_RANDOM), random),
        "a large table": (WITHIN, _table(*_LARGE), _table((0, 3, 2), *_LARGE[1:])),
        **{n: rows[n] for n in ("one of many goes to another group", "one of many leaves")},
    }


def synthesizer_case(title: str, synthesizer: Synthesizer) -> Case:
    """A synthesizer under one row more or less, with :data:`BUDGET` promised and spent."""
    return Case(
        title,
        lambda table, rng: synthesizer.fit(table, DOMAIN, rho=BUDGET, rng=rng),
        Promise(rho=BUDGET),
        ADD_OR_REMOVE,
        _row_pairs(),
    )


def _counted_case(synthesizer: Synthesizer) -> Case:
    """Exact group sizes: the promise is for a person who stays in the group.

    Its price is the accountant's for that.
    """
    plain = synthesizer_case("Stratified MST, sizes counted exactly", synthesizer)
    model = plain.fit(_table(*_ROWS), np.random.default_rng(0))
    promise = Promise(rho=model.accountant.price(WITHIN))
    return replace(plain, promise=promise, relation=WITHIN, pairs=_counted_pairs())


class Values(NamedTuple):
    """Values and the group of each, as the means take them."""

    values: np.ndarray
    groups: np.ndarray

    def moved(self, place: int, end: float) -> Values:
        """The same with another value at ``place``."""
        return self._replace(
            values=np.where(np.arange(self.values.size) == place, end, self.values)
        )


def _mean_pairs() -> Pairs:
    """One value moves: from end to end, from one end to the middle, of a few values and of many.
    Then one goes to another group, or away.
    """
    values = np.array([0.0, 0.2, 0.9, 0.4, 0.7, 0.1, 0.5, 0.3])
    groups = np.array([0, 0, 0, 0, 0, 1, 1, 2])
    tiny, rng = Values(values, groups), np.random.default_rng(4)
    large = Values(rng.normal(0.5, 0.5, 1200), np.sort(rng.integers(0, 3, 1200)))
    alone, many = tiny.moved(7, -50.0), tiny.moved(2, -50.0)
    return {
        "the only one of a group changes": (WITHIN, alone, tiny.moved(7, 50.0)),
        "one of many changes": (WITHIN, many, tiny.moved(2, 50.0)),
        "one of many changes back": (WITHIN, tiny.moved(2, 50.0), many),
        "one of many comes in": (WITHIN, many, tiny),
        "the only one of a group goes out": (WITHIN, tiny, tiny.moved(7, 50.0)),
        "a large table": (WITHIN, large, large.moved(0, 40.0)),
        "one of many goes to another group": (
            REPLACE,
            tiny,
            Values(values, np.array([1, *groups[1:]])),
        ),
        "one of many leaves": (ADD_OR_REMOVE, tiny, Values(values[1:], groups[1:])),
    }


INTERVAL = Interval(low=-1.0, high=2.0, sigma=0.5)


def coinpress(table: Values, rng: np.random.Generator) -> object:
    """COINPRESS on three groups."""
    return strat_coinpress(*table, 3, INTERVAL, rho=BUDGET, rng=rng)


def clipped_laplace(table: Values, rng: np.random.Generator) -> object:
    """Clipped means of three groups with Laplace noise."""
    return strat_laplace(*table, 3, low=0.0, high=1.0, epsilon=1.0, rng=rng)


def counts_and_means(table: Values, rng: np.random.Generator) -> object:
    """COINPRESS, whose price is within groups, then two counts, whose price is for one row more or
    fewer: all on one accountant, until nothing is left.
    """
    account = PrivacyAccountant(BUDGET)
    common: dict[str, Any] = {"rng": rng, "accountant": account, "by": ("group",)}
    means = strat_coinpress(*table, 3, INTERVAL, rho=BUDGET / 4, **common)
    counts, found = np.bincount(table.values > 0.5, minlength=2), []
    for share in (0.25, 0.5):  # of what is left; a value that changes moves both counts
        law = Gaussian(sensitivity=1.0, rho=share * account.left)
        found.append(noisy(law, counts, rng, "low and high values", account, MARGINAL))
    return SimpleNamespace(accountant=account, means=means, counts=found)


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
    gem_cell = GEM(**FEW_STEPS, degree=2, variant="cell") if small else GEM.published(shrink=8)
    strata = Stratified(inner=mst, by=("a",))
    projected = replace(strata, weights="projected", small="merge", threshold=0.2)
    sizes: dict[tuple[int, ...], float] = {(0,): 9, (1,): 1}
    synthesizers = {
        "mst": ("MST", mst),
        "mst_unmerged": ("MST without merging", replace(mst, compress=False)),
        "aim": ("AIM", aim),
        "gem": ("GEM, whole marginals", gem),
        "gem_cell": ("GEM, single cells", gem_cell),
        "stratified_declared": ("Stratified MST, sizes declared", replace(strata, sizes=sizes)),
        "stratified_noisy": ("Stratified MST, noisy sizes", replace(strata, weights="noisy")),
        "stratified_projected": ("Stratified MST, projected sizes", projected),
        "stratified_shared": (
            "Stratified MST, own or shared models",
            Stratified(inner=mst, by=("a",), threshold="break-even"),
        ),
    }
    means = {
        "laplace": ("Clipped Laplace mean", clipped_laplace, Promise(epsilon=1.0)),
        "coinpress": ("COINPRESS", coinpress, Promise(rho=BUDGET)),
        "two_relations": ("COINPRESS, then counts", counts_and_means, Promise(rho=BUDGET)),
    }
    return {
        **{name: synthesizer_case(*case) for name, case in synthesizers.items()},
        "stratified_counted": _counted_case(strata),
        **{name: Case(*case, WITHIN, _mean_pairs()) for name, case in means.items()},
    }
