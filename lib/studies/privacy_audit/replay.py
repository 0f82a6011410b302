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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass

import numpy as np

from lib.dp import Exponential, Gaussian, Laplace, PrivacyAccountant
from lib.dp.accountant import Entry
from lib.dp.looks import observed

__all__ = ["Look", "Replay", "difference", "replay"]

Mechanism = Gaussian | Laplace | Exponential
Fit = Callable[[object, np.random.Generator], object]


@dataclass(frozen=True)
class Look:
    """One draw: its accountant entry, its law, what it hides (values or scores), and its answer
    (values or an index).
    """

    entry: Entry
    mechanism: Mechanism
    exact: np.ndarray
    answer: np.ndarray | int

    @property
    def log_density(self) -> float:
        """``ln`` of the density (of the probability, for a selection) of the answer."""
        if isinstance(self.mechanism, Exponential):
            return float(self.mechanism.log_probabilities(self.exact)[self.answer])
        return float(np.sum(self.mechanism.log_density(self.answer - self.exact)))

    def price(self, twin: Look) -> float:
        """What this look costs between the two tables at hand, from the law alone: ``rho``, or
        ``epsilon`` for Laplace noise.

        A selection has bounded range: ``r^2 / 8`` for a loss whose values span ``r``.
        """
        moved = self.exact - twin.exact
        if isinstance(self.mechanism, Gaussian):
            return float(np.sum(np.square(moved / self.mechanism.sigma))) / 2
        if isinstance(self.mechanism, Laplace):
            return float(np.sum(np.abs(moved / self.mechanism.scale)))
        twice = 1 if self.mechanism.monotone else 2
        return float(
            (np.ptp(moved) * self.mechanism.epsilon / (twice * self.mechanism.sensitivity)) ** 2 / 8
        )


class _Uncovered(Exception):
    """The neighbour's fit takes another course although all answers so far were equal."""


@dataclass
class _Recorder:
    """Notes every look and leaves its answer as drawn."""

    looks: list[Look] = field(default_factory=list)

    def look(
        self, entry: Entry, mechanism: Mechanism, exact: np.ndarray, draw: Callable
    ) -> np.ndarray | int:
        answer = draw()
        self.looks.append(Look(entry, mechanism, np.array(exact), answer))
        return answer


@dataclass
class _Forcer:
    """Gives the answers of a recorded fit, and notes the laws they have on this table."""

    recorded: list[Look]
    looks: list[Look] = field(default_factory=list)

    def look(
        self, entry: Entry, mechanism: Mechanism, exact: np.ndarray, draw: Callable
    ) -> np.ndarray | int:
        draw()  # The generator stays in step with the recorded fit.
        if len(self.looks) == len(self.recorded):
            raise _Uncovered(f"one more look: {entry.what}")
        twin = self.recorded[len(self.looks)]
        if (entry.what, type(mechanism), np.shape(exact)) != (
            twin.entry.what,
            type(twin.mechanism),
            twin.exact.shape,
        ):
            raise _Uncovered(f"another look: {entry.what} instead of {twin.entry.what}")
        self.looks.append(Look(entry, mechanism, np.array(exact), twin.answer))
        return twin.answer


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
    """

    looks: list[Look]
    twins: list[Look]
    released: object
    uncovered: str

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
    """
    recorder = _Recorder()
    released = _outcome(fit, table, generator(), recorder)
    forcer = _Forcer(recorder.looks)
    try:
        twin = _outcome(fit, neighbour, generator(), forcer)
    except _Uncovered as other:
        return Replay(recorder.looks[: len(forcer.looks)], forcer.looks, released, str(other))
    if len(forcer.looks) < len(recorder.looks):
        missing = recorder.looks[len(forcer.looks)].entry.what
        return Replay(
            recorder.looks[: len(forcer.looks)],
            forcer.looks,
            released,
            f"one look fewer: {missing}",
        )
    return Replay(recorder.looks, forcer.looks, released, difference(released, twin))


def _outcome(
    fit: Fit, table: object, rng: np.random.Generator, observer: _Recorder | _Forcer
) -> object:
    with observed(observer):
        try:
            return fit(table, rng)
        except ValueError as error:  # Everybody sees that a fit was refused, and why.
            return str(error)


def difference(one: object, other: object, where: str = "released") -> str:
    """Where two released objects differ, as a path of fields; empty if they are equal to the
    last bit.
    """
    if type(one) is not type(other):
        return where
    if isinstance(one, np.ndarray):
        same = one.shape == other.shape and np.array_equal(
            one, other, equal_nan=one.dtype.kind == "f"
        )
        return "" if same else where
    if isinstance(one, Mapping):
        if list(one) != list(other):
            return f"{where} (keys)"
        pairs = [(f"{where}[{key!r}]", one[key], other[key]) for key in one]
    elif isinstance(one, list | tuple):
        if len(one) != len(other):
            return f"{where} (number)"
        pairs = [(f"{where}[{i}]", a, b) for i, (a, b) in enumerate(zip(one, other, strict=True))]
    elif is_dataclass(one):
        pairs = [
            (f"{where}.{f.name}", getattr(one, f.name), getattr(other, f.name)) for f in fields(one)
        ]
    elif isinstance(one, PrivacyAccountant):
        pairs = [(f"{where}.{name}", value, vars(other)[name]) for name, value in vars(one).items()]
    else:
        same = one == other or (isinstance(one, float) and math.isnan(one) and math.isnan(other))
        return "" if same else where
    return next((found for name, a, b in pairs if (found := difference(a, b, name))), "")
