"""Audit a whole fit against what it declares: five checks on many replays between two tables.

The two tables are neighbours.

``law``
    Each answer follows the law that its look states (Kolmogorov-Smirnov tests of what must be
    uniform).
``price``
    No look costs more between the two tables than its accountant entry says.
``budget``
    The entries of the looks that move between the two tables add up to no more than the promise,
    nor does the accountant.
``beside``
    With equal answers the two fits release the same, to the last bit.
``loss``
    The empirical delta(epsilon) of the exact privacy losses is nowhere above the declared one.

``price``, ``budget`` and ``beside`` are arithmetic: they raise no false alarm. If a run passes all
three, its looks are covered by the promise for this pair of tables. ``law`` and ``loss`` are
statistical tests.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import stats

from lib.dp import Exponential, Gaussian
from lib.dp.empirical_delta import Promise, certified_epsilon, proves_violation
from lib.rng import stream
from lib.studies.privacy_audit.replay import Fit, Look, Replay, replay

CHECKS = ("law", "price", "budget", "beside", "loss")
_ROUNDING = 1 + 1e-9
_INSIDE = (1e-15, 1 - 1e-15)  # ranks that round to 0 or 1 would be infinite quantiles
_PREFIXES = tuple(2**j for j in range(4, 20))


@dataclass(frozen=True)
class Audit:
    """What the replays of one fit between two tables prove.

    Attributes
    ----------
    promise : Promise
    losses : array, shape (runs,)
        Exact privacy losses in nats.
    price : float
        The largest price of a run's looks between the two tables, in the unit of the promise.
    alarms : dict
        The checks that failed, with what was found first.
    """

    promise: Promise
    losses: np.ndarray
    price: float
    alarms: dict[str, str]

    def certified(self, delta: float, level: float) -> float:
        """The epsilon that the losses rule out at ``delta``, with error probability ``level``."""
        return certified_epsilon(self.losses, self.promise, delta, level)


def audit(
    fit: Fit,
    table: object,
    neighbour: object,
    promise: Promise,
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
    promise : Promise
        What is declared for this relation.
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

    >>> from lib.dp import noisy
    >>> count = lambda x, rng: noisy(Gaussian(sensitivity=1.0, rho=0.5), x, rng, "people")
    >>> audit(count, 3.0, 5.0, Promise(rho=0.5), "add or remove", runs=3).alarms
    {'price': 'people: 2, charged 0.5'}
    """
    losses, prices, looks = np.empty(runs), np.empty(runs), []
    alarms: dict = {}
    for run in range(runs):
        one = replay(fit, table, neighbour, partial(stream, seed, "privacy audit", run))
        price = [a.price(b) for a, b in zip(one.looks, one.twins, strict=True)]
        losses[run], prices[run] = one.loss, math.fsum(price)
        looks += one.looks
        for check, words in _faults(one, price, promise, relation):
            alarms.setdefault(check, words)
    if words := follows_law(looks, np.random.default_rng(seed), level / 2):
        alarms["law"] = words
    if proves_violation(losses, promise, delta, level / 2):
        alarms["loss"] = "delta is above the declared one"
    alarms = {check: alarms[check] for check in CHECKS if check in alarms}
    return Audit(promise, losses, float(prices.max()), alarms)


def _faults(
    one: Replay, prices: list[float], promise: Promise, relation: str
) -> Iterable[tuple[str, str]]:
    """What arithmetic finds in one replay: the check that fails, and where."""
    charges = [look.entry.prices[relation] for look in one.looks]
    for look, price, charge in zip(one.looks, prices, charges, strict=True):
        if price > charge * _ROUNDING:
            yield "price", f"{look.entry.what}: {price:.3g}, charged {charge:.3g}"
    most = promise.rho if promise.epsilon is None else promise.epsilon
    moved = math.fsum(charge for price, charge in zip(prices, charges, strict=True) if price > 0)
    accountant = getattr(one.released, "accountant", None)
    spent = max(moved, accountant.price(relation) if accountant else 0.0)
    if spent > most * _ROUNDING:
        yield "budget", f"{spent:.3g} is spent of {most:.3g}"
    if one.uncovered:
        yield "beside", one.uncovered


def ranks(look: Look, rng: np.random.Generator) -> np.ndarray:
    """Numbers that are uniform on [0, 1] and independent if the look's answer follows its law.

    Noise: the distribution function at each value. A selection: the probability of all likelier
    options, and a random part (by ``rng``) of that of the chosen one.
    """
    law = look.mechanism
    if isinstance(law, Exponential):
        odds = np.exp(law.log_probabilities(look.exact))
        own = odds[look.answer]
        likelier = odds[(odds > own) | ((odds == own) & (np.arange(odds.size) < look.answer))].sum()
        return np.array([min(1.0, likelier + rng.random() * own)])
    family, scale = (
        (stats.norm, law.sigma) if isinstance(law, Gaussian) else (stats.laplace, law.scale)
    )
    return np.clip(family.cdf(np.ravel(look.answer - look.exact) / np.ravel(scale)), *_INSIDE)


def follows_law(looks: Sequence[Look], rng: np.random.Generator, level: float) -> str:
    """Which of four streams of ranks is not uniform; empty if none is shown to be.

    Wrong with probability at most ``level``. The streams are those of every noisy value; of the
    difference of every two values that follow each other; of the difference of the sums of two
    looks that do; and of every selection. The differences show noise that is used twice. How many
    looks there are may depend on their answers. So a stream is tested at numbers of draws fixed
    beforehand.
    """
    found: dict[bool, list] = {True: [], False: []}  # of selections, and of noise
    for look in looks:
        found[isinstance(look.mechanism, Exponential)].append(ranks(look, rng))
    noise = [stats.norm.ppf(values) for values in found[False]]
    each = np.concatenate([*noise, []])
    sums = np.array([z.sum() / math.sqrt(z.size) for z in noise])
    streams = {
        "noise": stats.norm.cdf(each),
        "noise of two values": _difference_ranks(each),
        "noise of two looks": _difference_ranks(sums),
        "selections": np.concatenate([*found[True], []]),
    }
    share = level / (len(streams) * len(_PREFIXES))
    for name, values in streams.items():
        for n in (n for n in _PREFIXES if n <= values.size):
            if (p := stats.kstest(values[:n], "uniform", method="exact").pvalue) <= share:
                return f"{name}: p = {p:.1g} after {n} draws"
    return ""


def _difference_ranks(z: np.ndarray) -> np.ndarray:
    """Ranks of the first normal value less the second, the third less the fourth, and so on."""
    pairs = z[: z.size // 2 * 2].reshape(-1, 2)
    return stats.norm.cdf((pairs[:, 0] - pairs[:, 1]) / math.sqrt(2))
