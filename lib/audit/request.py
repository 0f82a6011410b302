"""What is to be audited, checked before anything is read or run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lib import validate
from lib.audit.schema import KINDS
from lib.coherence.learners import BATTERY

__all__ = ["Request"]

# less than one person in a million turned; the theorems would ask for more people than there are
LEAST_ALPHA = 1e-6
LEAST_BETA = 1e-300  # the solver of the theorems has no smaller one


@dataclass(frozen=True, kw_only=True)
class Request:
    """What is to be audited; see ``python -m lib audit --help`` for the same in words.

    Parameters
    ----------
    file : Path
        The table of the people concerned.
    sensitive, positive : str
        The column that is predicted, and its value that counts as 1.
    groups, crossings : names, tuples of names
        Columns whose values (and combinations) are the sub-populations.
    bands : mapping
        Edges for a numeric group column; without, its quartiles.
    kinds : mapping
        Declared column types, see :data:`lib.audit.schema.KINDS`.
    lens : names
        What the predictor sees; by default every column that can be used.
    release, holdout, members
        A finished release; a file of people who were left out of it, or
        ``(column, value)`` of ``file`` that marks those who went into it.
    curator : str
        A command with ``{half}`` and ``{release}`` (and, if it takes one, ``{seed}``).
    learners : names
        Of :data:`lib.coherence.learners.BATTERY`.
    splits : int
        Random splits; with ``release``, trainings.
    alphas, beta, gamma : float
        Distances that should not be exceeded, the share of splits that may exceed them, least size
        of a group.
    false_alarm : float
        Probability that any group is flagged by any learner if no prediction depends on who was
        inside.
    """

    file: Path
    sensitive: str
    groups: tuple[str, ...] = ()
    positive: str | None = None
    crossings: tuple[tuple[str, ...], ...] = ()
    bands: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    lens: tuple[str, ...] = ()
    release: Path | None = None
    holdout: Path | None = None
    members: tuple[str, str] | None = None
    curator: str | None = None
    learners: tuple[str, ...] = ("forest", "lookup")
    splits: int = 20
    alphas: tuple[float, ...] = (0.1, 0.2, 0.4, 0.8)
    beta: float = 0.05
    gamma: float = 80
    labels: str = "confidence"
    false_alarm: float = 0.05
    seed: int = 0
    workers: int = 1

    def __post_init__(self) -> None:
        for name in self.learners:
            validate.choice("learner", name, BATTERY)
        for name, kind in self.kinds.items():
            validate.choice(f"kind of {name}", kind, KINDS)
        for alpha in self.alphas:
            validate.positive("alpha", alpha)
            if not LEAST_ALPHA <= alpha <= 2:
                raise ValueError(
                    f"alpha={alpha!r} is not allowed: {LEAST_ALPHA:g} to 2 is, since W1 of"
                    " predictions in [-1, 1] is at most 2"
                )
        named: dict[str, float] = {}
        for alpha in self.alphas:  # once each, as they are printed
            named.setdefault(f"{alpha:g}", alpha)
        object.__setattr__(self, "alphas", tuple(named.values()))
        object.__setattr__(self, "learners", tuple(dict.fromkeys(self.learners)))
        if not self.learners or not self.alphas:
            raise ValueError("learners or alphas are empty; at least one of each is needed")
        if validate.fraction("beta", self.beta) < LEAST_BETA:
            raise ValueError(f"beta must be at least {LEAST_BETA:g}, got {self.beta!r}")
        validate.fraction("false_alarm", self.false_alarm)
        validate.positive("gamma", self.gamma)
        validate.integer("splits", self.splits, low=2)
        validate.integer("seed", self.seed, low=0)
        validate.integer("workers", self.workers, low=1)
        self._check_bands()
        self._check_release()

    def _check_bands(self) -> None:
        cut = {*self.groups, *(name for crossing in self.crossings for name in crossing)}
        for name, edges in self.bands.items():
            if name not in cut:
                raise ValueError(
                    f"bands={name!r} is not allowed: the column is in no group; name it in groups"
                    " or crossings"
                )
            if not edges or not np.isfinite(edges).all():
                raise ValueError(f"bands of {name!r}: {edges!r} is not allowed: finite numbers are")

    def _check_release(self) -> None:
        if self.release is not None and (self.holdout is None) == (self.members is None):
            raise ValueError(
                "release: who was left out of it must be known, by holdout (a file) or members (a"
                " column and value of the file), one of them. A release of everybody leaves nobody"
                " to compare with, and a split drawn afterwards is independent of it, so it would"
                " look coherent whatever it holds; rerun the curator on random halves instead"
                " (curator)"
            )
        if self.release is None and (self.holdout is not None or self.members is not None):
            raise ValueError(
                "holdout or members is given without a release; they say who was left out of one"
            )
        if self.members is not None and self.members[0] == self.sensitive:
            raise ValueError(
                f"members={self.members[0]!r} is not allowed: it is the sensitive column; who went"
                " into the release is another"
            )
        if self.curator is not None:
            try:
                shlex.split(self.curator)
            except ValueError as error:
                raise ValueError(
                    f"curator={self.curator!r} is not allowed: {error}; a command with closed"
                    " quotes is"
                ) from None
            if self.release is not None:
                raise ValueError(
                    "curator and release are both given: a release is finished, a curator is rerun"
                )
            if not all(mark in self.curator for mark in ("{half}", "{release}")):
                raise ValueError(
                    f"curator={self.curator!r} is not allowed: it must have {{half}} and"
                    " {release}"
                )

    @property
    def mode(self) -> str:
        """``"clear"``, ``"curator"`` or ``"release"``."""
        return (
            "release"
            if self.release is not None
            else "curator"
            if self.curator is not None
            else "clear"
        )
