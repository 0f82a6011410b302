"""The exact privacy loss of a whole fit: run it on a table, then replay it on a neighbouring table.

Every draw that depends on the data goes through :mod:`lib.dp.looks`, which hands it to an observer.
Here the first observer notes each look: its law and its answer. The second forces the same answers
on a fit to the neighbour, with the same generator, and notes how likely they are there. The sum of
the differences is

    L = ln(density of all answers on the table / density of all answers on the neighbour),

the exact privacy loss of every measurement and selection together, adaptive choices included. What
reaches the model *beside* the looks shows as a difference between two fits that were given equal
answers. The loss is then infinite. That is also the loss of noise which is drawn elsewhere: what
the observer cannot see counts as no noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import log_softmax

from lib.dp import Exponential, Gaussian, Laplace
from lib.dp.entries import Entry
from lib.dp.looks import observed
from studies.privacy_audit.released import contents, first_difference

Mechanism = Gaussian | Laplace | Exponential
Fit = Callable[[Any, np.random.Generator], Any]


@dataclass(frozen=True)
class Look:
    """One draw: its accountant entry, its law, what it hides, and its answer.

    ``exact`` are values or scores, ``answer`` is values or an index.
    """

    entry: Entry
    mechanism: Mechanism
    exact: np.ndarray
    answer: np.ndarray | int

    @property
    def log_density(self) -> float:
        """``ln`` of the density (of the probability, for a selection) of the answer."""
        if isinstance(self.mechanism, Exponential):
            return float(self.log_odds[self.answer])
        return float(np.sum(self.mechanism.log_density(self.answer - self.exact)))

    @property
    def log_odds(self) -> np.ndarray:
        """``ln`` of the probabilities of all options of a selection, from its stated epsilon and
        sensitivity; the program's own formula is not asked.
        """
        return log_softmax(self.exact / scale_of(self.mechanism))

    def price(self, twin: Look) -> float:
        """What this look costs between the two tables: ``rho``, or ``epsilon`` for Laplace noise.

        It follows from the two laws alone. A selection has bounded range: ``r^2 / 8`` for a loss
        whose values span ``r``, also where its ``epsilon`` or sensitivity depends on the table.
        Noise whose scale does has no bounded price at all: far out, one law is infinitely likelier.
        """
        law, other = self.mechanism, twin.mechanism
        if isinstance(law, Exponential) and isinstance(other, Exponential):
            here, there = (m.exact / scale_of(m.mechanism) for m in (self, twin))
            return float(np.ptp(here - there) ** 2 / 8)
        scale, elsewhere = (np.broadcast_to(scale_of(m), self.exact.shape) for m in (law, other))
        if not np.array_equal(scale, elsewhere):
            return math.inf
        moved = (self.exact - twin.exact) / scale
        if isinstance(law, Gaussian):
            return float(np.sum(np.square(moved))) / 2
        return float(np.sum(np.abs(moved)))


def scale_of(law: Mechanism) -> np.ndarray:
    """The deviation of normal noise, the scale of Laplace noise, the unit of scores."""
    if isinstance(law, Gaussian):
        return np.asarray(law.sigma)
    unit = law.scale if isinstance(law, Laplace) else 2 * law.sensitivity / law.epsilon
    return np.asarray(unit)


class _Uncovered(Exception):
    """The neighbour's fit takes another course although all answers so far were equal."""


@dataclass
class Observer:
    """Notes every look, and gives the answers of ``recorded`` looks if there are some."""

    recorded: list[Look] | None = None
    looks: list[Look] = field(default_factory=list)

    def look(
        self, entry: Entry, mechanism: Any, exact: np.ndarray, draw: Callable
    ) -> np.ndarray | int:
        answer = draw()  # Also where another is given: the generator stays in step.
        if self.recorded is not None:
            if len(self.looks) == len(self.recorded):
                raise _Uncovered(f"one more look: {entry.what}")
            twin = self.recorded[len(self.looks)]
            kind = (twin.entry.what, type(twin.mechanism), twin.exact.shape)
            if (entry.what, type(mechanism), np.shape(exact)) != kind:
                raise _Uncovered(f"another look: {entry.what} instead of {twin.entry.what}")
            answer = twin.answer
        self.looks.append(Look(entry, mechanism, np.array(exact), answer))
        return answer


@dataclass(frozen=True)
class Replay:
    """A fit and its replay on the neighbour.

    Attributes
    ----------
    looks, twins : lists of Look
        Of the fit and of the replay, one to one, with equal answers.
    released : object
        What the fit returned, or the message of the ``ValueError`` that it raised.
    uncovered : str
        What differs although all answers are equal; empty if nothing does.
    refused : bool
        Whether the fit raised.
    """

    looks: list[Look]
    twins: list[Look]
    released: object
    uncovered: str
    refused: bool = False

    @property
    def prices(self) -> list[float]:
        """What each look costs between the two tables."""
        return [look.price(twin) for look, twin in zip(self.looks, self.twins, strict=True)]

    @property
    def loss(self) -> float:
        """``L`` in nats, infinite if something is uncovered."""
        if self.uncovered:
            return math.inf
        return math.fsum(
            a.log_density - b.log_density for a, b in zip(self.looks, self.twins, strict=True)
        )


def replay(
    fit: Fit, table: object, neighbour: object, generator: Callable[[], np.random.Generator]
) -> Replay:
    """Run ``fit(table, rng)``, then replay it on ``neighbour``.

    ``generator`` returns a new generator in the same state at every call.

    Examples
    --------
    >>> from lib.dp import noisy
    >>> count = lambda x, rng: noisy(Gaussian(sensitivity=1.0, rho=0.5), x, rng, "people")
    >>> replay(count, 3.0, 3.0, lambda: np.random.default_rng(0)).loss
    0.0
    """
    looks, released, refused = _observed(fit, table, generator(), Observer())
    before = contents(released)  # the second fit may change what both hold
    second = Observer(looks)
    try:
        twins, again, _ = _observed(fit, neighbour, generator(), second)
        missing = looks[len(twins) :]
        fewer = f"one look fewer: {missing[0].entry.what}" if missing else ""
        uncovered = fewer or first_difference(before, contents(again))
    except _Uncovered as course:
        uncovered = str(course)
    return Replay(looks[: len(second.looks)], second.looks, released, uncovered, refused)


def _observed(
    fit: Fit, table: object, rng: np.random.Generator, observer: Observer
) -> tuple[list[Look], object, bool]:
    """The looks of a fit, what it released, and whether it was refused."""
    with observed(observer):
        try:
            return observer.looks, fit(table, rng), False
        except ValueError as error:  # Everybody sees that a fit was refused, and why.
            return observer.looks, str(error), True
