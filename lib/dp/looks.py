"""The one way from data to a random answer: the price is noted, then the noise is drawn.

Every measurement and every selection of :mod:`lib.synth` and :mod:`lib.means`
goes through :func:`noisy` or :func:`choose`. So the accountant of a fit is what the
fit did, and somebody who audits a fit can watch all of it:

>>> import numpy as np
>>> from lib.dp import Gaussian, PrivacyAccountant, noisy, observed
>>> class Watch:
...     def look(self, entry, mechanism, exact, draw):
...         print(entry.kind, entry.what, exact)
...         return draw()
>>> with observed(Watch()):
...     law, accountant = Gaussian(sensitivity=1.0, rho=0.5), PrivacyAccountant(1.0)
...     answer = noisy(law, [3.0], np.random.default_rng(0), "people", accountant)
measurement people [3.]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

import numpy as np

from lib import validate
from lib.dp.accountant import PrivacyAccountant
from lib.dp.entries import ADD_OR_REMOVE, Entry
from lib.dp.mechanisms import ROUNDING, Exponential, Laplace, Noise


class Observer(Protocol):
    """Who watches a fit."""

    def look(
        self,
        entry: Entry,
        mechanism: Noise | Exponential,
        exact: np.ndarray,
        draw: Callable[[], np.ndarray | int],
    ) -> np.ndarray | int:
        """The answer that the fit goes on with.

        Parameters
        ----------
        entry : Entry
            What was noted for it; of an accountant of its own where the caller keeps none.
        mechanism : Noise or Exponential
            The law of the answer, given ``exact``.
        exact : array
            The values before noise, or the scores. **Not private.**
        draw : callable
            Draws the answer. Anyone who gives another one calls it all the same, so that the
            stream of random numbers stays in step.
        """


_OBSERVER: ContextVar[Observer | None] = ContextVar("observer", default=None)


@contextmanager
def observed(observer: Observer) -> Iterator[Observer]:
    """Show every look inside of the ``with`` to ``observer``, except those in other processes.

    >>> from lib.dp import Laplace
    >>> class Watch:
    ...     def look(self, entry, mechanism, exact, draw):
    ...         print(entry.what, exact)
    ...         return draw()
    ...
    >>> law, rng = Laplace(sensitivity=1.0, epsilon=1.0), np.random.default_rng(0)
    >>> with observed(Watch()):
    ...     answer = noisy(law, [3.0], rng, "people")
    people [3.]
    """
    token = _OBSERVER.set(observer)
    try:
        yield observer
    finally:
        _OBSERVER.reset(token)


def noisy(
    mechanism: Noise,
    values: np.ndarray | float,
    rng: np.random.Generator,
    what: str,
    accountant: PrivacyAccountant | None = None,
    sensitivity: Mapping[str, float] | None = None,
    *,
    by: Sequence[str] = (),
) -> np.ndarray:
    """``values`` with noise, paid for.

    Parameters
    ----------
    mechanism : Noise
        :class:`~lib.dp.mechanisms.Laplace`, :class:`~lib.dp.mechanisms.Gaussian`, or one of yours.
    values : array
    rng : Generator
    what : str
        A label for the accountant.
    accountant : PrivacyAccountant, optional
        Pays; nobody does if it is not given.
    sensitivity : mapping of relations to numbers, optional
        As :func:`lib.dp.entries.prices` has it; the first must be the mechanism's own.
        If not given, the mechanism's own under ``"add or remove"``.
    by : sequence of str
        The columns of the groups, if ``sensitivity`` has one within groups.

    Returns
    -------
    array of floats

    Raises
    ------
    ValueError
        For values that are not finite, another ``rng``, a ``sensitivity`` that does not begin with
        the mechanism's, or an accountant with too little left; nothing is paid for then.

    Examples
    --------
    >>> from lib.dp import Gaussian
    >>> accountant = PrivacyAccountant(1.0)
    >>> law, rng = Gaussian(sensitivity=1.0, rho=0.5), np.random.default_rng(0)
    >>> noisy(law, [3.0], rng, "people", accountant).round(2).tolist(), accountant.left
    ([3.13], 0.5)
    """
    values = mechanism.checked(values)
    return _shown(
        mechanism,
        values,
        rng,
        lambda: mechanism.release(values, rng),
        "measurement",
        what,
        accountant,
        sensitivity,
        by,
    )


def choose(
    mechanism: Exponential,
    scores: np.ndarray,
    rng: np.random.Generator,
    what: str,
    accountant: PrivacyAccountant | None = None,
) -> int:
    """An index of ``scores`` by the exponential mechanism, paid for; parameters as :func:`noisy`.

    A row more or less moves each score by the mechanism's sensitivity at most. A
    row that changes moves them by twice that, up and down.

    >>> law, rng = Exponential(sensitivity=1.0, epsilon=9.0), np.random.default_rng(0)
    >>> choose(law, [0.0, 5.0], rng, "the larger")
    1
    """
    scores = mechanism.checked(scores)
    validate.require(scores.ndim == 1, "scores", "of one dimension", scores.shape)

    def draw() -> int:
        return int(mechanism.select(scores, rng))

    return _shown(mechanism, scores, rng, draw, "selection", what, accountant, None)


def _shown(mechanism, exact, rng, draw, kind, what, accountant, sensitivity, by=()):
    """Check everything, pay, draw, and show the look to an observer if there is one."""
    validate.generator("rng", rng)
    own = float(np.max(mechanism.sensitivity))
    sensitivity = {ADD_OR_REMOVE: own} if sensitivity is None else sensitivity
    stated = next(iter(sensitivity.values()), None)
    if stated is None or not abs(stated - own) <= ROUNDING * own:
        what_it_is = f"numbers by relation, of which the first is the mechanism's {own!r}"
        raise validate.refusal("sensitivity", what_it_is, dict(sensitivity))
    if accountant is None:  # a mechanism that has both prices is asked for its usual one
        units = ("epsilon", "rho") if isinstance(mechanism, Laplace) else ("rho", "epsilon")
        unit = next((unit for unit in units if hasattr(mechanism, unit)), "rho")
    else:
        unit = accountant.unit
    price = getattr(mechanism, unit, None)
    if price is None:
        raise ValueError(
            f"accountant must be in a unit in which a {type(mechanism).__name__} look has a price,"
            f" got one in {unit}"
        )
    accountant = PrivacyAccountant(price, unit=unit) if accountant is None else accountant
    accountant.spend(
        what,
        price,
        kind=kind,
        sensitivity=sensitivity,
        by=by,
        curve=lambda times: mechanism.price(unit, times),
    )
    observer = _OBSERVER.get()
    return (
        draw()
        if observer is None
        else observer.look(accountant.entries[-1], mechanism, exact, draw)
    )
