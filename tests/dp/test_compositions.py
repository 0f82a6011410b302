"""No total is below the exact loss: looks within different groups, parts, mixed relations.

The random compositions are run on every pair of tiny tables. The exact loss is computed from the
exact answers, the noise and the probabilities, so that the test has no false alarm.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
import pytest

from lib.domain import Domain
from lib.dp import Exponential, Gaussian, Laplace, PrivacyAccountant, choose, noisy, observed
from lib.dp.entries import ADD_OR_REMOVE, REPLACE, WITHIN
from lib.rng import stream
from lib.synth import GEM, Stratified

# --- constructions

MEANS = {WITHIN: 1.0}


def test_noisy_strata_by_another_column_inside_of_counted_ones_are_priced():
    """Who keeps a and changes b moves the inner counts by two, at a promise without them."""
    gem = GEM(rounds=2, steps=2, batch=8, hidden=(4,), variant="cell")
    inner = Stratified(inner=gem, by=("b",), weights="noisy", count_share=0.9)
    table = pd.DataFrame(list(itertools.product((0, 1), repeat=3)) * 3, columns=["a", "b", "c"])
    nested = Stratified(inner=inner, by=("a",))
    model = nested.fit(table, Domain.of(dict.fromkeys("abc", 2)), rho=1.0, rng=stream(0, "nested"))
    promise = model.accountant.promise
    assert (promise.relation, promise.by) == (WITHIN, ("a",))
    assert min(promise.price, model.cost_within) >= 2 * 0.9
    with pytest.raises(ValueError, match=r"^by must be the columns that a changed row keeps"):
        model.accountant.price(WITHIN)  # of which groups?
    assert model.accountant.price(WITHIN, ["a", "b"]) < 2 * 0.9


def test_means_within_other_groups_are_refused():
    """A person who keeps the sex moves the means by race without a bound."""
    accountant = PrivacyAccountant(2.0)
    accountant.spend("means by sex", 0.5, sensitivity=MEANS, by=["sex"])
    with pytest.raises(ValueError, match=r"^sensitivity of 'means by race' must be bounded for"):
        accountant.spend("means by race", 0.5, sensitivity=MEANS, by=["race"])
    assert (accountant.spent, len(accountant.entries)) == (0.5, 1)
    both = PrivacyAccountant(2.0, relation=WITHIN, by=["sex", "race"])
    for column in both.by:
        both.spend(f"means by {column}", 0.5, sensitivity=MEANS, by=[column])
    assert both.promise == (WITHIN, 1.0, ("sex", "race"))


def test_the_budget_is_counted_under_one_relation():
    """Half for a row more or fewer and half within a group were 1.0 of 1.0, and promised 2.5."""
    first = PrivacyAccountant(1.0)
    first.spend("a count", 0.5)
    with pytest.raises(ValueError, match=r"must be bounded for 'add or remove'"):
        first.spend("a mean", 0.5, sensitivity=MEANS, by=["sex"])
    second = PrivacyAccountant(3.0)
    second.spend("a mean", 0.5, sensitivity=MEANS, by=["sex"])
    assert second.spend("a count", 0.5) == 2.0
    assert (second.spent, second.left) == (2.5, 0.5)
    assert second.promise == (WITHIN, 2.5, ("sex",))
    with pytest.raises(ValueError, match=r"must be at most the 0\.5 that is left of 3, got 2"):
        second.spend("a count", 0.5)


def test_laplace_noise_on_less_costs_more_than_the_square():
    """epsilon + exp(-epsilon) - 1 falls more slowly than epsilon^2."""
    law, accountant = Laplace(sensitivity=2.0, epsilon=4.0), PrivacyAccountant(10.0)
    noisy(law, [1.0], stream(4, "x"), "x", accountant, {ADD_OR_REMOVE: 2.0, REPLACE: 1.0})
    assert accountant.price(REPLACE) == pytest.approx(2 + math.exp(-2) - 1)


PARTS = [
    # what a part's look states, within which groups, and the whole's; then the prices of a row more or
    # fewer, of a change, of one that keeps the column of the parts, and of one that keeps another
    ({ADD_OR_REMOVE: 1.0}, (), None, [1, 4, 4, 4]),
    ({ADD_OR_REMOVE: 1.0, REPLACE: 1.0}, (), None, [1, 2, 1, 2]),  # leaves one, enters another
    ({ADD_OR_REMOVE: 1.0, REPLACE: 0.0}, (), None, [1, 2, 0, 2]),  # numbers of rows
    ({REPLACE: 1.0}, (), ("p",), [math.inf, math.inf, 1, math.inf]),
    ({WITHIN: 1.0}, ("p",), ("p",), [math.inf, math.inf, 1, math.inf]),
    ({WITHIN: 1.0}, ("q",), ("p", "q"), [math.inf] * 4),
]


@pytest.mark.parametrize(("stated", "by", "groups", "prices"), PARTS)
def test_two_parts_of_price_1(stated, by, groups, prices):
    parts = {name: PrivacyAccountant(1.0) for name in "xy"}
    for part in parts.values():
        part.spend("look", 1.0, sensitivity=stated, by=by)
    whole = PrivacyAccountant(1.0, relation=groups and WITHIN, by=groups or ())
    whole.spend_parallel("parts", parts, by=["p"])
    kept = [(ADD_OR_REMOVE, ()), (REPLACE, ()), (WITHIN, ["p"]), (WITHIN, ["q"])]
    assert [whole.price(*one) for one in kept] == prices


# --- random compositions

COLUMNS = ("a", "b")
VALUES = list(itertools.product((0, 1), repeat=len(COLUMNS)))
KEPT = [(), ("a",), ("b",), ("a", "b")]
ORDERS = (1.0001, 1.5, 2.0, 4.0, 16.0, 256.0)


def tables(n: int) -> list[tuple]:
    return list(itertools.combinations_with_replacement(VALUES, n))


def neighbours() -> list[tuple[str, tuple, tuple, tuple]]:
    """Relation, columns that are kept, and two tables, for all tables of at most three rows."""
    found: list = []
    for n, row in itertools.product(range(3), VALUES):
        for table in tables(n):
            larger = (*table, row)
            found += [(ADD_OR_REMOVE, (), table, larger), (ADD_OR_REMOVE, (), larger, table)]
            for other, kept in itertools.product(VALUES, KEPT):
                same = all(row[COLUMNS.index(c)] == other[COLUMNS.index(c)] for c in kept)
                if other != row and same:
                    relation = WITHIN if kept else REPLACE
                    found.append((relation, kept, larger, (*table, other)))
    return found


def counts(table: tuple, by: tuple) -> np.ndarray:
    shape = [2] * len(by)
    found = np.zeros(shape)
    for row in table:
        found[tuple(row[COLUMNS.index(c)] for c in by)] += 1
    return found.ravel()


def scores(table: tuple) -> np.ndarray:
    """A row more moves both by 1; a change moves them by 2, one up while the other falls."""
    return np.array([counts(table, (c,)) @ [-1.0, 1.0] for c in COLUMNS])


def draw_plan(rng, depth: int = 2) -> list:
    """A list of looks: what, of which columns, of which price; parts and choices hold lists."""
    plan: list = []
    for _ in range(rng.integers(1, 4 if depth else 2)):
        kinds = ["gaussian", "laplace", "cell", "rows", "pick", "means", "exact", "parts", "branch"]
        kind = str(rng.choice(kinds if depth else kinds[:7]))
        if depth == 1 and not plan:
            kind = str(rng.choice(["parts", "pick", "rows"]))
        by = KEPT[rng.integers(1, 4)]
        price = float(np.exp(rng.uniform(-3, 1)))
        if kind == "parts":
            named = bool(rng.integers(0, 4))
            plan.append((kind, by, named, [draw_plan(rng, depth - 1) for _ in range(2 ** len(by))]))
        elif kind == "branch":
            plan.append((kind, by, price, [draw_plan(rng, depth - 1) for _ in range(2)]))
        else:
            plan.append((kind, by, price, None))
    return plan


def run(plan, table, accountant, rng, forced: Iterator[int]) -> list:
    """Run ``plan`` through the library; the law and the exact values of each look."""
    found: list = []
    pure = accountant.unit == "epsilon"
    for kind, by, price, inside in plan:
        with observed(Forced(forced)) as looks:
            if kind == "parts":
                parts = {}
                for code, part in zip(
                    itertools.product((0, 1), repeat=len(by)), inside, strict=True
                ):
                    rows = tuple(r for r in table if tuple(r[COLUMNS.index(c)] for c in by) == code)
                    parts[str(code)] = PrivacyAccountant(1e9, unit=accountant.unit)
                    found += run(part, rows, parts[str(code)], rng, forced)
                paid = {n: a for n, a in parts.items() if a.spent > 0}
                if len(paid) < len(parts):
                    raise Refused
                accountant.spend_parallel("parts", parts, by=by if price else ())
            elif kind == "exact":
                accountant.note_exact("rows", by if price > 0.3 else ())
                found.append((None, counts(table, by if price > 0.3 else ())))
            elif kind in ("pick", "branch"):
                law = Exponential(sensitivity=1.0, epsilon=price)
                place = choose(law, scores(table), rng, "pick", accountant)
            else:
                law, exact, stated, names = measurement(kind, by, price, table, pure)
                noisy(law, exact, rng, kind, accountant, stated, by=names)
        found += looks.seen
        if kind == "branch":
            found += run(inside[place], table, accountant, rng, forced)
    return found


def measurement(kind, by, price, table, pure):
    """Law, exact values, what is stated, and the columns named."""
    l1 = kind == "laplace" or pure
    moved = 2.0 if l1 else math.sqrt(2)
    exact, stated, names = counts(table, by), {ADD_OR_REMOVE: 1.0, REPLACE: moved}, ()
    if price > 0.5:
        stated, names = stated | {WITHIN: 0.0}, by
    if kind == "cell":
        exact, stated, names = exact[0], {ADD_OR_REMOVE: 1.0, REPLACE: 1.0}, ()
    elif kind == "rows":
        exact, stated, names = len(table), {ADD_OR_REMOVE: 1.0, REPLACE: 0.0}, ()
    elif kind == "means":  # of a + b in each group: a change moves one of them by 2 / n at most
        n = counts(table, by)
        sums = np.zeros(n.size)
        for row in table:
            sums[int("".join(str(row[COLUMNS.index(c)]) for c in by), 2)] += sum(row)
        each = 2 / np.maximum(n, 1)
        law = (
            Laplace(sensitivity=each, epsilon=price)
            if l1
            else Gaussian(sensitivity=each, rho=price)
        )
        return law, sums / np.maximum(n, 1), {WITHIN: float(each.max())}, by
    law = Laplace(sensitivity=1.0, epsilon=price) if l1 else Gaussian(sensitivity=1.0, rho=price)
    return law, exact, stated, names


class Refused(Exception):
    """The plan has a part without a look, or looks that do not compose."""


class Forced:
    """Records the law and the exact values of every look. Selections answer as they are told, so
    that every branch is taken.
    """

    def __init__(self, answers: Iterator[int]) -> None:
        self.answers, self.seen = answers, []

    def look(self, entry, mechanism, exact, draw):
        drawn = draw()
        if not isinstance(mechanism, Exponential):
            self.seen.append((mechanism, np.array(exact)))
            return drawn
        answer = next(self.answers)
        self.seen.append(((mechanism, answer), np.array(exact)))
        return answer


def selections(plan) -> int:
    """Selections on the longest path."""
    found = 0
    for kind, _, _, inside in plan:
        inner = [selections(p) for p in inside or ()]
        found += (kind in ("pick", "branch")) + (
            sum(inner) if kind == "parts" else max([0, *inner])
        )
    return found


def look_loss(law, one, two, order: float) -> float:
    """``(order - 1) D_order`` of one look that is no selection, or its largest loss (infinity)."""
    gap = np.abs(np.asarray(one) - two)
    if law is None:
        return math.inf if gap.any() else 0.0
    scale = law.scale if isinstance(law, Laplace) else law.sigma
    if isinstance(law, Gaussian):
        return order * (order - 1) * float(np.square(gap / scale).sum()) / 2
    e = np.atleast_1d(gap / scale)
    if math.isinf(order):
        return float(e.sum())
    weight = order / (2 * order - 1)
    up, down = np.log(weight) + (order - 1) * e, np.log1p(-weight) - order * e
    return float(np.logaddexp(up, down).sum())


def exact_loss(paths, order: float) -> float:
    """``D_order``, by enumeration of the answers of all selections; the largest loss if infinite."""
    logs = []
    for one, two in paths:
        odds, rest = 0.0, 0.0
        for (law, x), (other, y) in zip(one, two, strict=True):
            if isinstance(law, tuple):
                p, q = (law[0].log_probabilities(v)[law[1]] for v in (x, y))
                odds += p - q if math.isinf(order) else order * p + (1 - order) * q
            else:
                same = law is None or np.array_equal(
                    *(m.scale if isinstance(m, Laplace) else m.sigma for m in (law, other))
                )
                rest += look_loss(law, x, y, order) if same else math.inf
        logs.append(odds + rest)
    if math.isinf(order) or math.isinf(max(logs)):
        return max(logs)
    return float(np.logaddexp.reduce(logs)) / (order - 1)


def compositions(count: int, unit: str, seed: int = 0) -> Iterator[tuple]:
    """Plans whose every path an accountant takes, with its totals."""
    rng, found = stream(seed, "compositions", unit), 0
    while found < count:
        plan = draw_plan(rng, 1 + found % 2)
        if selections(plan) > 4:
            continue
        found += 1
        yield plan


def check(plan, unit: str, pairs) -> int:
    """Compare every total with every exact loss; the number of comparisons that say something."""
    runs: dict = {}

    def paths(table):
        if table not in runs:
            runs[table] = []
            for answers in itertools.product((0, 1), repeat=selections(plan)):
                accountant = PrivacyAccountant(1e9, unit=unit)
                told = iter(answers)
                try:
                    looks = run(plan, table, accountant, stream(0, "noise"), told)
                except ValueError as error:
                    if "must be bounded for" not in str(error):
                        raise
                    raise Refused from error
                if not any(told):  # a shorter path is taken once: what is left over is all 0
                    runs[table].append((looks, accountant))
        return runs[table]

    told = 0
    for relation, kept, one, two in pairs:
        both = list(zip(paths(one), paths(two), strict=True))
        price = max(a.price(relation, kept) for (_, a), (_, b) in both for a in (a, b))
        if math.isinf(price):
            continue
        told += 1
        looks = [(x, y) for (x, _), (y, _) in both]
        for order in (math.inf,) if unit == "epsilon" else ORDERS:
            loss = exact_loss(looks, order) / (1 if math.isinf(order) else order)
            assert loss <= price * (1 + 1e-9) + 1e-9, (plan, relation, kept, one, two, order)
    for _, accountant in paths(tuple(VALUES[:2])):
        promise = accountant.promise
        assert promise is None or promise.price == accountant.price(promise.relation, promise.by)
        if promise and not any(math.isinf(e.prices[ADD_OR_REMOVE]) for e in accountant.entries):
            assert promise.price == pytest.approx(accountant.spent)
    return told


@pytest.mark.parametrize("unit", ["rho", "epsilon"])
def test_no_total_is_below_the_exact_loss(unit):
    told, refused = 0, 0
    every = neighbours()
    for number, plan in enumerate(compositions(60, unit)):
        own = stream(number, "pairs", unit).permutation(len(every))[:40]
        try:
            told += check(plan, unit, [every[i] for i in own])
        except Refused:
            refused += 1
    assert refused < 45
    assert told > 300
