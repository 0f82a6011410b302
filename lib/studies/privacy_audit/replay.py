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
from typing import Any

import numpy as np

from lib.dp import Exponential, Gaussian, Laplace, PrivacyAccountant
from lib.dp.entries import Entry
from lib.dp.looks import observed

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
            return float(self.mechanism.log_probabilities(self.exact)[self.answer])
        return float(np.sum(self.mechanism.log_density(self.answer - self.exact)))

    def price(self, twin: Look) -> float:
        """What this look costs between the two tables: ``rho``, or ``epsilon`` for Laplace noise.

        It follows from the law alone. A selection has bounded range: ``r^2 / 8`` for a loss whose
        values span ``r``.
        """
        moved, law = self.exact - twin.exact, self.mechanism
        if isinstance(law, Gaussian):
            return float(np.sum(np.square(moved / law.sigma))) / 2
        if isinstance(law, Laplace):
            return float(np.sum(np.abs(moved / law.scale)))
        return float((np.ptp(moved) * law.epsilon / (2 * law.sensitivity)) ** 2 / 8)


class _Uncovered(Exception):
    """The neighbour's fit takes another course although all answers so far were equal."""


@dataclass
class _Observer:
    """Notes every look, and gives the answers of ``recorded`` looks if there are some."""

    recorded: list[Look] | None = None
    looks: list[Look] = field(default_factory=list)

    def look(
        self, entry: Entry, mechanism: Mechanism, exact: np.ndarray, draw: Callable
    ) -> np.ndarray | int:
        answer = draw()  # Also where another is given: the generator stays in step.
        if self.recorded is not None:
            answer = self._recorded_answer(entry, mechanism, exact)
        self.looks.append(Look(entry, mechanism, np.array(exact), answer))
        return answer

    def _recorded_answer(
        self, entry: Entry, mechanism: Mechanism, exact: np.ndarray
    ) -> np.ndarray | int:
        if len(self.looks) == len(self.recorded):
            raise _Uncovered(f"one more look: {entry.what}")
        twin = self.recorded[len(self.looks)]
        kind = (twin.entry.what, type(twin.mechanism), twin.exact.shape)
        if (entry.what, type(mechanism), np.shape(exact)) != kind:
            raise _Uncovered(f"another look: {entry.what} instead of {twin.entry.what}")
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

    Examples
    --------
    >>> from lib.dp import noisy
    >>> count = lambda x, rng: noisy(Gaussian(sensitivity=1.0, rho=0.5), x, rng, "people")
    >>> replay(count, 3.0, 3.0, lambda: np.random.default_rng(0)).loss
    0.0
    """
    first = _Observer()
    released = _outcome(fit, table, generator(), first)
    second = _Observer(first.looks)
    try:
        twin = _outcome(fit, neighbour, generator(), second)
    except _Uncovered as course:
        uncovered = str(course)
    else:
        missing = first.looks[len(second.looks) :]
        fewer = f"one look fewer: {missing[0].entry.what}" if missing else ""
        uncovered = fewer or difference(released, twin)
    return Replay(first.looks[: len(second.looks)], second.looks, released, uncovered)


def _outcome(fit: Fit, table: object, rng: np.random.Generator, observer: _Observer) -> object:
    with observed(observer):
        try:
            return fit(table, rng)
        except ValueError as error:  # Everybody sees that a fit was refused, and why.
            return str(error)


def difference(one: Any, other: Any, where: str = "released") -> str:
    """Where two released objects differ, as a path of fields; empty if all bits are equal.

    Examples
    --------
    >>> difference({"a": [1, 2]}, {"a": [1, 3]})
    "released['a'][1]"
    """
    if type(one) is not type(other):
        return where
    if isinstance(one, np.ndarray):
        same = np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
        return "" if same else where
    parts, others = _parts(one), _parts(other)
    if parts is None:
        same = one == other or (isinstance(one, float) and math.isnan(one) and math.isnan(other))
        return "" if same else where
    if list(parts) != list(others):
        return f"{where} ({'keys' if isinstance(one, Mapping) else 'number'})"
    return next(
        (path for name in parts if (path := difference(parts[name], others[name], where + name))),
        "",
    )


def _parts(value: object) -> dict[str, object] | None:
    """What a released object consists of, by the end of its path; None for a plain value."""
    if isinstance(value, Mapping):
        return {f"[{key!r}]": part for key, part in value.items()}
    if isinstance(value, list | tuple):
        return {f"[{i}]": part for i, part in enumerate(value)}
    if is_dataclass(value):
        return {f".{f.name}": getattr(value, f.name) for f in fields(value)}
    if isinstance(value, PrivacyAccountant):
        return {f".{name}": part for name, part in vars(value).items()}
    return None
