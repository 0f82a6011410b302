"""How small a fault an audit still sees: the limit for noise, for selections and for the loss.

The looks of many replays are kept: what each moves between the two tables in units of its noise,
and the odds of each selection on both. A replicate draws all answers again, with less noise than
stated, with sharper selections, or at a multiple of the budget, and the limit is found by halving.
What a fit looks at next stays as it was.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import stats

from lib.dp import Exponential, Gaussian
from lib.rng import stream
from lib.runner.cell import COUNT, ONE_OR_MORE, KeyedCell, set_checked
from studies.privacy_audit.cases import DELTA, Case, case, cases
from studies.privacy_audit.cells import FAST, LEVEL, SEED
from studies.privacy_audit.empirical_delta import proves_violation
from studies.privacy_audit.law import Draw, Draws, Selection, laplace_scores, off_law
from studies.privacy_audit.replay import Look, log_odds, scale_of
from studies.privacy_audit.sides import two_sides

VERSION = "1"
FAULTS = {"noise": (0.1, 1.0), "selections": (64.0, 1.0), "loss": (128.0, 1.0)}
"""What is changed: the factor that nothing could miss, and the one that is no fault.

``noise``: of the deviation. ``selections``: of the epsilon at which they are drawn. ``loss``: of
the budget that is spent, rho or epsilon.
"""
_HALVINGS = 9


@dataclass(frozen=True, kw_only=True)
class PowerCell(KeyedCell, kind="privacy power"):
    """The limits of one mechanism's audit between two tables, ``replicates`` times."""

    mechanism: str
    pair: str
    runs: int
    replicates: int = 20
    seed: int = SEED
    dataset: str = "tiny tables"

    def __post_init__(self) -> None:
        set_checked(self, mechanism=cases(), dataset=("tiny tables",), seed=COUNT)
        set_checked(self, runs=ONE_OR_MORE, replicates=ONE_OR_MORE)


def power_grid(profile: str = "paper") -> Iterator[PowerCell]:
    """Every mechanism on a pair of tables of which :func:`privacy_grid` has the same runs."""
    for name, mechanism in cases().items():
        if profile == "paper" or name in FAST:
            runs, place = (2000, 0) if name in FAST else (600, int(name == "gem_cell"))
            yield PowerCell(mechanism=name, pair=[*mechanism.pairs][place], runs=runs)


@dataclass(frozen=True)
class Kept:
    """What is kept of a look: logits on both tables, or what moves in units of the noise."""

    here: np.ndarray
    there: np.ndarray
    kind: type

    @classmethod
    def of(cls, look: Look, twin: Look) -> Kept:
        unit = scale_of(look.mechanism)
        return cls(np.ravel(look.exact / unit), np.ravel(twin.exact / unit), type(look.mechanism))


Drawn = list[tuple[Kept, np.ndarray]]  # of one run; a uniform number, or normal ones for noise


def _picked(odds: np.ndarray, uniform: np.ndarray) -> int:
    ends = np.cumsum(np.exp(odds))
    return min(int((ends <= uniform[0] * ends[-1]).sum()), odds.size - 1)


def _draws(runs: list[Drawn], noise: float, sharpness: float, rng: np.random.Generator) -> Draws:
    """Scores of noise that is ``noise`` times the stated, and selections at a multiple of
    epsilon.
    """
    found = []
    for run in runs:
        one: list[Draw] = []
        for kept, random in run:
            if kept.kind is Exponential:
                answer = _picked(log_odds(kept.here, sharpness), random)
                one.append(Selection.of(log_odds(kept.here, 1.0), answer, rng))
            elif kept.kind is Gaussian:
                one.append(noise * random)
            else:
                one.append(laplace_scores(noise * _laplace(random)))
        found.append(one)
    return Draws(found)


def _laplace(z: np.ndarray) -> np.ndarray:
    """Normal scores as Laplace noise of scale 1."""
    return -np.sign(z) * (math.log(2) + stats.norm.logsf(np.abs(z)))


def _loss(run: Drawn, factor: float) -> float:
    """The privacy loss of a run at ``factor`` times its budget."""
    root, total = math.sqrt(factor), 0.0
    for kept, random in run:
        moved = kept.here - kept.there
        if kept.kind is Exponential:
            here, there = log_odds(kept.here, root), log_odds(kept.there, root)
            answer = _picked(here, random)
            total += here[answer] - there[answer]
        elif kept.kind is Gaussian:
            total += float(np.sum(factor * moved**2 / 2 + root * moved * random))
        else:
            noise = _laplace(random)
            total += float(np.sum(np.abs(noise + factor * moved) - np.abs(noise)))
    return total


def _sees(fault: str, runs: list[Drawn], mechanism: Case, seed: int) -> Callable[[float], bool]:
    """Whether the audit of :mod:`checks` raises an alarm at a factor."""
    if fault == "loss":
        return lambda factor: proves_violation(
            np.array([_loss(run, factor) for run in runs]), mechanism.promise, DELTA, LEVEL / 2
        )

    def off(factor: float) -> bool:
        noise, sharpness = (factor, 1.0) if fault == "noise" else (1.0, factor)
        return bool(off_law(_draws(runs, noise, sharpness, np.random.default_rng(seed)), LEVEL / 2))

    return off


def limit(sees: Callable[[float], bool], certain: float, none: float) -> float | None:
    """The factor nearest to ``none`` that is seen, by halving on a logarithmic scale.

    None if not even ``certain`` is seen.

    >>> round(limit(lambda factor: factor <= 0.5, 0.1, 1.0), 2)
    0.5
    """
    if not sees(certain):
        return None
    for _ in range(_HALVINGS):
        middle = math.sqrt(certain * none)
        certain, none = (middle, none) if sees(middle) else (certain, middle)
    return certain


def run_power(cell: PowerCell) -> dict:
    """``scores``: the limit of each fault in each replicate."""
    mechanism, kept = case(cell.mechanism), []
    with two_sides(mechanism.fit, *mechanism.pairs[cell.pair]) as one_run:
        for run in range(cell.runs):
            one = one_run(partial(stream, cell.seed, "privacy audit", run))
            kept.append([Kept.of(*looks) for looks in zip(one.looks, one.twins, strict=True)])
    scores = []
    for replicate in range(cell.replicates):
        rng = stream(cell.seed, "privacy power", cell.mechanism, replicate)
        runs = [[(k, _random(k, rng)) for k in run] for run in kept]
        for fault, ends in FAULTS.items():
            found = limit(_sees(fault, runs, mechanism, replicate), *ends)
            scores.append({"what": fault, "replicate": replicate, "factor": found})
    return {"level": LEVEL, "data_source": "generated", "scores": scores}


def _random(kept: Kept, rng: np.random.Generator) -> np.ndarray:
    return rng.random(1) if kept.kind is Exponential else rng.standard_normal(kept.here.size)
