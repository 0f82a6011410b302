"""Audit a whole fit against what it declares: six checks on many replays between two tables.

The two tables are neighbours.

``law``
    Each answer follows the law that its look states, and is independent of those before
    (:mod:`studies.privacy_audit.law`).
``price``
    No look costs more between the two tables than its accountant entry says. Noise whose scale
    differs between them has no finite price.
``budget``
    The entries of the looks that move between the two tables add up to no more than the promise,
    nor does the accountant.
``beside``
    With equal answers the two fits release the same, to the last bit.
``promise``
    The fit's own accountant promises nothing for these two tables where ``beside`` differs, and no
    less than the entries of the looks that move add up to.
``loss``
    The empirical delta(epsilon) of the exact privacy losses is nowhere above the declared one.

``law`` and ``loss`` are statistical tests. The others are arithmetic: they raise no false alarm. A
run that passes all six shows nothing wrong with these two tables; it is
no proof that the promise covers them (what an audit cannot show is in the chapter on audits).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from lib import validate
from lib.dp import PrivacyAccountant
from lib.dp.entries import ADD_OR_REMOVE, RELATIONS, REPLACE, WITHIN
from lib.rng import stream
from studies.privacy_audit.empirical_delta import Promise, certified_epsilon, proves_violation
from studies.privacy_audit.law import Draws, draw_of, off_law
from studies.privacy_audit.replay import Fit, Replay, replay

CHECKS = ("law", "price", "budget", "beside", "promise", "loss")
_ROUNDING = 1 + 1e-9


@dataclass(frozen=True)
class Audit:
    """What the replays of one fit between two tables prove.

    Attributes
    ----------
    promise : Promise or None
    losses : array, shape (runs,)
        Exact privacy losses in nats.
    price : float
        The largest price of a run's looks between the two tables, in the unit of the promise.
    alarms : dict
        The checks that failed, with what was found first.
    refused : int
        Runs in which the fit raised a ``ValueError``.
    """

    promise: Promise | None
    losses: np.ndarray
    price: float
    alarms: dict[str, str]
    refused: int

    def certified(self, delta: float, level: float) -> float:
        """The epsilon that the losses rule out at ``delta``, with error probability ``level``.

        It needs a promise.
        """
        return certified_epsilon(self.losses, self.promise, delta, level)


def audit(
    fit: Fit,
    table: object,
    neighbour: object,
    promise: Promise | None,
    relation: str,
    *,
    runs: int,
    seed: int = 0,
    delta: float = 0.01,
    level: float = 1e-6,
) -> Audit:
    """Run ``fit(table, rng)`` and replay it on ``neighbour``, ``runs`` times.

    Parameters
    ----------
    fit : callable
        Returns what it releases, or raises a ``ValueError`` with a public message.
    table, neighbour : object
        Two tables that are neighbours by ``relation``, as ``fit`` takes them.
    promise : Promise or None
        What is declared for this relation; None leaves out ``budget``, ``beside`` and ``loss``, and
        asks whether the accountant of the fit promises too much.
    relation : str
        One of :data:`~lib.dp.entries.RELATIONS`.
    runs : int
    seed : int
    delta : float
        Where the grid of epsilons is anchored.
    level : float
        Probability that ``law`` or ``loss`` raises a false alarm, half of it for each.

    Examples
    --------
    A count with noise for one person, between tables that differ by two:

    >>> from lib.dp import Gaussian, noisy
    >>> count = lambda x, rng: noisy(Gaussian(sensitivity=1.0, rho=0.5), x, rng, "people")
    >>> audit(count, 3.0, 5.0, Promise(rho=0.5), "add or remove", runs=3).alarms
    {'price': 'people: 2, charged 0.5'}
    """
    validate.integer("runs", runs, low=1)
    validate.choice("relation", relation, RELATIONS)
    rng = np.random.default_rng(seed)
    losses, prices, draws, refused = [], [], [], 0
    alarms: dict[str, str] = {}
    for run in range(runs):
        one = replay(fit, table, neighbour, partial(stream, seed, "privacy audit", run))
        losses.append(one.loss)
        prices.append(math.fsum(one.prices))
        draws.append([draw_of(look, rng) for look in one.looks])
        refused += one.refused
        for check, words in _faults(one, promise, relation):
            alarms.setdefault(check, words)
    if words := off_law(Draws(draws), level / 2):
        alarms["law"] = words
    if promise and proves_violation(np.array(losses), promise, delta, level / 2):
        alarms["loss"] = "delta is above the declared one"
    alarms = {check: alarms[check] for check in CHECKS if check in alarms}
    return Audit(promise, np.array(losses), max(prices), alarms, refused)


def _faults(one: Replay, promise: Promise | None, relation: str) -> Iterator[tuple[str, str]]:
    """What arithmetic finds in one replay: the check that fails, and where."""
    moved = []  # charges of the looks that move
    for look, twin, price in zip(one.looks, one.twins, one.prices, strict=True):
        charge = min(look.entry.prices[relation], twin.entry.prices[relation])
        moved += [charge] if price > 0 else []
        if price > charge * _ROUNDING:
            yield "price", f"{look.entry.what}: {price:.3g}, charged {charge:.3g}"
    own, charged = getattr(one.released, "accountant", None), math.fsum(moved)
    if promise:
        most = promise.rho if promise.epsilon is None else promise.epsilon
        spent = max(charged, own.price(relation) if own else 0.0)
        if spent > most * _ROUNDING:
            yield "budget", f"{spent:.3g} is spent of {most:.3g}"
        if one.uncovered:
            yield "beside", one.uncovered
    seen = math.inf if one.uncovered else charged
    if own and seen > (said := _promised(own, relation)) * _ROUNDING:
        yield "promise", f"{one.uncovered or format(charged, '.3g')}, promised {said:.3g}"


def _promised(account: PrivacyAccountant, relation: str) -> float:
    """The least that an accountant promises for two tables: by its price, and by its own words.

    A promise covers all narrower relations; one row changed is one fewer, then one more. Within
    groups that it does not name, it covers every row that changes.
    """
    own, price = account.promise, account.price(relation)
    if own is None:
        return price
    widest = REPLACE if own.relation == WITHIN and not own.by else own.relation
    if RELATIONS.index(widest) > RELATIONS.index(relation):
        return price
    steps = 2 if widest == ADD_OR_REMOVE != relation else 1
    return min(price, own.price * steps ** (2 if account.unit == "rho" else 1))
