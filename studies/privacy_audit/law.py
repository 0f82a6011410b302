"""Whether answers follow the laws that their looks state: six tests of many runs together.

Noise becomes standard normal scores ``z``, one for each value: normal and independent of all that
came before if the law is kept, in whatever order a fit looks, and however many looks it takes.

``shape``
    Kolmogorov-Smirnov tests of the noise and of the selections, at numbers of draws fixed
    beforehand.
``scale``
    Bets on noise that is too small or too large, in all values and at each place of a fit.
``tails``
    Bets on too few or too many large values.
``sharpness``
    Bets on selections whose epsilon is another than stated.
``pairs``
    The correlation of every two places of a fit, and of every place with every place of the next
    fit.
``repeats``
    The same size of noise twice, in a fit or in two that follow each other.

A *bet* is a ratio of likelihoods, another law over the stated one. If the stated law is kept, the
chance that the product of these ratios ever passes ``1 / level`` is at most ``level`` (Ville's
inequality), and the same holds for the mean of several such products.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import stats
from scipy.special import betainc, logsumexp, ndtri

from lib.dp import Exponential, Gaussian
from studies.privacy_audit.replay import Look, scale_of

_PREFIXES = tuple(2**j for j in range(4, 20))
_PLACES = 96  # of a fit that are compared one by one; later ones are in the other tests
_SCALES = (0.25, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 1.03, 1.1, 1.25, 1.5, 2.0)
_POWERS = (0.0, 0.5, 0.8, 1.25, 1.5, 2.0, 4.0, 16.0)
_TAILS = tuple((t, k) for t in (1.5, 2.0, 2.5, 3.0, 3.5, 4.0) for k in (0.001, 0.3, 3.0))
_EACH = np.ones((_PLACES, _PLACES), dtype=bool)
_SAME = 1e-10  # how near two sizes of noise are that count as one


@dataclass(frozen=True)
class Selection:
    """Logarithms of all options' probabilities, the chosen option, and its rank in [0, 1].

    The rank is the probability of all likelier options, and a random part of the chosen one's.
    """

    log_probabilities: np.ndarray
    answer: int
    rank: float

    @classmethod
    def of(cls, log_probabilities: np.ndarray, answer: int, rng: np.random.Generator) -> Selection:
        odds = np.exp(log_probabilities)
        own = odds[answer]
        likelier = odds[(odds > own) | ((odds == own) & (np.arange(odds.size) < answer))].sum()
        return cls(log_probabilities, answer, min(1.0, likelier + rng.random() * own))


Draw = np.ndarray | Selection
"""The scores of one noisy look, shape (values,), or a selection."""


def draw_of(look: Look, rng: np.random.Generator) -> Draw:
    """What a look drew, as what its law makes uniform or normal."""
    law = look.mechanism
    if isinstance(law, Exponential):
        return Selection.of(look.log_odds, int(look.answer), rng)
    noise = np.ravel((look.answer - look.exact) / scale_of(law))
    return noise if isinstance(law, Gaussian) else laplace_scores(noise)


def laplace_scores(noise: np.ndarray) -> np.ndarray:
    """Normal scores of Laplace noise of scale 1."""
    return np.sign(noise) * stats.norm.isf(np.exp(-np.abs(noise)) / 2)


@dataclass(frozen=True)
class Draws:
    """All draws of many runs: ``runs[r]`` has those of run ``r``, in their order."""

    runs: Sequence[Sequence[Draw]]

    @cached_property
    def selections(self) -> list[Selection]:
        return [draw for run in self.runs for draw in run if isinstance(draw, Selection)]

    @cached_property
    def noise(self) -> list[np.ndarray]:
        """The scores of each run, shape (values of the run,)."""
        return [
            np.concatenate([d for d in run if not isinstance(d, Selection)] + [[]])
            for run in self.runs
        ]

    @cached_property
    def each(self) -> np.ndarray:
        """The scores of all runs, one after another."""
        return np.concatenate([*self.noise, []])

    @cached_property
    def places(self) -> np.ndarray:
        """Scores by run and place, those of selections too; NaN where a run has no such place."""
        table = np.full((len(self.runs), _PLACES), np.nan)
        for row, run in zip(table, self.runs, strict=True):
            scores = [
                [ndtri(min(max(d.rank, 1e-15), 1 - 1e-15))] if isinstance(d, Selection) else d
                for d in run
            ]
            found = np.concatenate([*scores, []])[:_PLACES]
            row[: found.size] = found
        return table


def off_law(draws: Draws, level: float) -> str:
    """Which test shows that the stated laws are not kept; empty if none does.

    Wrong with probability at most ``level``.
    """
    share = level / len(TESTS)
    for name, test in TESTS.items():
        if words := test(draws, share):
            return f"{name}: {words}"
    return ""


def _shape(draws: Draws, level: float) -> str:
    streams = {
        "noise": stats.norm.cdf(draws.each),
        "selections": np.array([s.rank for s in draws.selections]),
    }
    for name, values in streams.items():
        for n in (n for n in _PREFIXES if n <= values.size):
            p = _kolmogorov(values[:n])
            if p <= level / (len(streams) * len(_PREFIXES)):
                return f"{name}, p = {p:.1g} after {n} draws"
    return ""


def _kolmogorov(values: np.ndarray) -> float:
    """A bound on the p-value of the two-sided test that ``values`` are uniform (Massart, 1990)."""
    ordered, n = np.sort(values), values.size
    steps = np.arange(n + 1) / n
    distance = max((steps[1:] - ordered).max(), (ordered - steps[:-1]).max())
    return min(1.0, 2 * math.exp(-2 * n * distance**2))


def _fortune(log_ratios: np.ndarray, level: float) -> str:
    """What a gambler wins who shares a coin among bets: rows in order of time, a column a bet."""
    if not log_ratios.size:
        return ""
    wealth = logsumexp(np.cumsum(log_ratios, axis=0), axis=1) - math.log(log_ratios.shape[1])
    best = float(wealth.max())
    return f"odds of e^{best:.0f} against the stated law" if best >= -math.log(level) else ""


def _scale_bets(z: np.ndarray) -> np.ndarray:
    """``ln`` of the density of noise ``c`` times as large over the stated one; NaN bets nothing."""
    c = np.array(_SCALES)
    bets = -np.log(c) - np.square(z)[..., None] / 2 * (1 / np.square(c) - 1)
    return np.where(np.isnan(bets), 0.0, bets)


def _scale(draws: Draws, level: float) -> str:
    words = _fortune(_scale_bets(draws.each), level / 2)
    return words or _fortune(_scale_bets(draws.places).reshape(len(draws.runs), -1), level / 2)


def _tails(draws: Draws, level: float) -> str:
    z = np.abs(draws.each)
    columns = []
    for t, k in _TAILS:
        beyond = 2 * stats.norm.sf(t)
        columns.append(np.where(z > t, math.log(k), math.log((1 - k * beyond) / (1 - beyond))))
    return _fortune(np.array(columns).T, level)


def _sharpness(draws: Draws, level: float) -> str:
    bets = [_sharper(s) for s in draws.selections]
    return _fortune(np.array(bets).reshape(-1, len(_POWERS)), level)


def _sharper(selection: Selection) -> np.ndarray:
    """``ln`` of the answer's probability at other epsilons, over that at the stated one."""
    powers = np.array(_POWERS)
    behind = selection.log_probabilities - selection.log_probabilities.max()
    weights = np.exp(powers[:, None] * behind).sum(axis=1)
    own = selection.log_probabilities[selection.answer]
    return powers * behind[selection.answer] - np.log(weights) - own


def _pairs(draws: Draws, level: float) -> str:
    places = draws.places
    within = _uncorrelated(places, places, level / 2, np.triu(_EACH, 1))
    return within or _uncorrelated(places[:-1], places[1:], level / 2, _EACH)


def _uncorrelated(one: np.ndarray, other: np.ndarray, level: float, which: np.ndarray) -> str:
    """Columns of ``other`` are drawn after those of ``one``: whatever these are, the square of the
    cosine between ``n`` of them has the law Beta(1/2, (n - 1)/2).
    """
    a, b = np.nan_to_num(one), np.nan_to_num(other)
    here, there = ~np.isnan(one) * 1.0, ~np.isnan(other) * 1.0
    n = here.T @ there
    with np.errstate(invalid="ignore", divide="ignore"):
        square = np.square(a.T @ b) / ((np.square(a).T @ there) * (here.T @ np.square(b)))
    n, square = n[which], square[which]
    p = betainc(np.maximum(n - 1, 1) / 2, 0.5, 1 - np.clip(square, 0, 1))
    p[n < 3] = 1.0
    worst = int(np.nanargmin(p))
    if p[worst] <= level / p.size:
        i, j = np.argwhere(which)[worst]
        return f"places {i} and {j}, correlation {math.sqrt(square[worst]):.2f} over {n[worst]:.0f}"
    return ""


def _repeats(draws: Draws, level: float) -> str:
    """Two sizes are within 1e-10 with probability 2e-10 / sqrt(pi) if the laws are kept."""
    found, expected, before = 0, 0.0, np.empty(0)
    for run in draws.noise:
        sizes = np.abs(run)
        found += _near(np.concatenate([before, sizes])) - _near(before)
        expected += (sizes.size * before.size + sizes.size**2 / 2) * 2 * _SAME / math.sqrt(math.pi)
        before = sizes
    chance = stats.poisson.sf(found - 1, expected) if found else 1.0
    return f"{found} values have the size of another" if chance <= level else ""


def _near(sizes: np.ndarray) -> int:
    return int((np.diff(np.sort(sizes)) < _SAME).sum())


TESTS = {
    "repeats": _repeats,
    "scale": _scale,
    "tails": _tails,
    "sharpness": _sharpness,
    "pairs": _pairs,
    "shape": _shape,
}
