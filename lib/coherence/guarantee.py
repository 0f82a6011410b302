"""A coherence guarantee: six parameters, four theorems, and whether one holds.

A guarantee *holds* when the group is at least as large as the theorem's size
constraint and, for Theorem 8, delta is at most what the theorem allows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass

from lib import validate
from lib.coherence.bounds.paper import size, theorem7_terms, theorem8_delta, theorem8_terms
from lib.coherence.bounds.tightened import tightened_size
from lib.coherence.bounds.within_group import within_size

UNKNOWNS = ("alpha", "beta", "gamma", "collection", "n", "epsilon")
WHOLE = ("gamma", "n", "collection")
# what may be given and what is searched: wide enough for every use, and no step of the arithmetic
# leaves the floats
RANGES = {
    "alpha": (1e-60, 2.0),
    "beta": (1e-300, 1.0),
    "gamma": (1.0, 1e60),
    "collection": (1.0, 1e15),
    "n": (4.0, 1e60),
    "epsilon": (1e-100, validate.EPSILON_MAX),
}
LEAST_DELTA = 1e-300
_ROOM = 1 + 1e-12  # the tolerance of theorem8_terms when it compares delta


@dataclass(frozen=True)
class _Theorem:
    """The largest epsilon that a theorem covers, the parameters that it uses, and its terms."""

    largest_epsilon: float
    parameters: tuple[str, ...]
    terms: Callable[..., dict[str, float]]


_SIX = ("alpha", "beta", "n", "epsilon", "collection")
THEOREMS = {
    "theorem7": _Theorem(1.0, _SIX, theorem7_terms),
    "theorem8": _Theorem(0.5, (*_SIX, "delta"), theorem8_terms),
    "tightened": _Theorem(
        validate.EPSILON_MAX, _SIX, lambda **known: {"tightened": tightened_size(**known)}
    ),
    "within": _Theorem(
        validate.EPSILON_MAX,
        ("alpha", "beta", "epsilon", "collection"),
        lambda **known: {"within": within_size(**known)},
    ),
}
MODES = tuple(THEOREMS)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a curator knows; exactly one of the six is None, the one to be found.

    Parameters
    ----------
    alpha : float
        W1 distance in (0, 2] not to be exceeded.
    beta : float
        Probability in (0, 1] of exceeding it.
    gamma : float
        Members of the smallest group; or its ``fraction`` of ``n``.
    collection : int
        ``|C|``, the number of groups.
    n : int
        People in the data set (the curator sees half).
    epsilon : float
        Of the release. An epsilon beyond what the theorem covers (1 for Theorem 7, 1/2 for Theorem
        8) has no solution.
    delta : float
        Theorem 8 only: of the release. 0 means that the solution names the largest delta that the
        theorem allows.
    fraction : float, optional
        In (0, 1]: the smallest group as a share of ``n``, instead of ``gamma``.
    mode : {"theorem7", "theorem8", "tightened", "within"}
        The paper's two theorems; ours, for the whole half; ours, group by group, where ``n`` plays
        no part.

    Raises
    ------
    ValueError
        Unless one of the six is missing and every other is a number in its range.

    Examples
    --------
    >>> Setting(alpha=0.2, beta=0.05, fraction=0.05, collection=100, n=5_000_000).unknown
    'epsilon'
    """

    alpha: float | None = None
    beta: float | None = None
    gamma: float | None = None
    collection: int | None = None
    n: float | None = None
    epsilon: float | None = None
    delta: float = 0.0
    fraction: float | None = None
    mode: str = "theorem7"

    def __post_init__(self) -> None:
        validate.choice("mode", self.mode, MODES)
        share = self.fraction
        if share is not None and (
            validate.positive("fraction", share) > 1 or self.gamma is not None
        ):
            raise ValueError(
                f"fraction must be in (0, 1] and stand alone, without gamma, got {share!r}"
            )
        self._require_delta()
        missing = self._missing()
        if len(missing) != 1:
            raise ValueError(
                f"exactly one of {', '.join(UNKNOWNS)} must be missing, got {len(missing)}:"
                f" {missing!r}"
            )
        for name, (low, high) in RANGES.items():
            value = getattr(self, name)
            if value is not None and not low <= validate.positive(name, value) <= high:
                raise ValueError(f"{name} must be a number from {low:g} to {high:g}, got {value!r}")
        if self.collection is not None and self.collection != math.floor(self.collection):
            raise ValueError(
                f"collection must be a whole number of groups, got {self.collection!r}"
            )
        if self.gamma is not None and self.n is not None and self.gamma > self.n:
            raise ValueError(
                f"gamma must be at most n={self.n!r}, the number of people, got {self.gamma!r}"
            )

    def _require_delta(self) -> None:
        if validate.as_float(self.delta) == 0:
            return
        validate.fraction("delta", self.delta)
        if self.mode != "theorem8":
            raise ValueError(f"delta must be 0 unless mode is 'theorem8', got {self.delta!r}")
        if self.delta < LEAST_DELTA:
            raise ValueError(f"delta must be 0 or at least {LEAST_DELTA:g}, got {self.delta!r}")

    def _missing(self) -> list[str]:
        return [
            name
            for name in UNKNOWNS
            if getattr(self, name) is None and not (name == "gamma" and self.fraction is not None)
        ]

    @property
    def unknown(self) -> str:
        """The name of the parameter to be found."""
        return self._missing()[0]

    @property
    def members(self) -> float:
        """Size of the smallest group."""
        return self.gamma if self.fraction is None else self.fraction * self.n

    @property
    def largest_epsilon(self) -> float:
        """The largest epsilon that the theorem of this mode covers."""
        return THEOREMS[self.mode].largest_epsilon

    def change(self, **values: float | None) -> Setting:
        """A copy with some fields changed; unchecked, since a complete setting has no unknown."""
        full = copy(self)
        for name, value in values.items():
            object.__setattr__(full, name, value)
        return full


def required_size(s: Setting) -> tuple[float, str]:
    """The size constraint of a complete setting, and the term that sets it.

    Examples
    --------
    >>> asked = Setting(alpha=0.2, beta=0.05, collection=100, n=5_000_000, epsilon=0.01)
    >>> members, term = required_size(asked)
    >>> round(members), term
    (140179, 'information / alpha^2')
    """
    theorem = THEOREMS[s.mode]
    known = {name: getattr(s, name) for name in theorem.parameters}
    terms = theorem.terms(**known | {"collection": int(s.collection)})
    return size(terms), max(terms, key=terms.__getitem__)


def holds(setting: Setting, **values: float) -> bool:
    """Whether the guarantee holds with ``values`` in place of those of ``setting``.

    All six parameters must then be known.

    Examples
    --------
    >>> asked = Setting(alpha=0.2, beta=0.05, gamma=250_000, collection=100, n=5_000_000)
    >>> holds(asked, epsilon=0.01), holds(asked, epsilon=0.1)
    (True, False)
    """
    full = setting.change(**values)
    if missing := full._missing():
        raise ValueError(f"all of {', '.join(UNKNOWNS)} must be known, got {missing!r} missing")
    return size_ratio(full) >= 1


def size_ratio(s: Setting) -> float:
    """Members per required member of a complete setting; 0 where the theorem does not apply."""
    members = s.members
    if members > s.n or s.n < RANGES["n"][0] or s.epsilon > s.largest_epsilon:
        return 0.0
    if s.delta and not allows_delta(s.delta, s.epsilon, s.beta, s.n, s.collection):
        return 0.0
    needed = required_size(s)[0]
    return members / needed if members >= needed else min(members / needed, 1 - 1e-16)


def allows_delta(delta: float, epsilon: float, beta: float, n: float, collection: int) -> bool:
    """Whether Theorem 8 allows this delta."""
    return n > 0 and delta <= _ROOM * theorem8_delta(
        epsilon=epsilon, beta=beta, n=n, collection=collection
    )
