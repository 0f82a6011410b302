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
from typing import NamedTuple

import numpy as np
from scipy import stats
from scipy.special import betainc, log_softmax, logsumexp, ndtri

from lib.dp import Exponential, Gaussian
from studies.privacy_audit.replay import Look, scale_of

_PREFIXES = tuple(2**j for j in range(4, 20))
_PLACES = 96  # of a fit that are compared one by one; later ones are in the other tests
_SCALES = np.array([0.25, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 1.03, 1.1, 1.25, 1.5, 2])
_POWERS = np.array([0, 0.5, 0.8, 1.25, 1.5, 2, 4, 16])
_CUTS, _TIMES = (a.ravel() for a in np.meshgrid(np.arange(3, 9) / 2, [0.001, 0.3, 3.0]))
_SAME = 1e-10  # how near two sizes of noise are that count as one


class Selection(NamedTuple):
    """The rank of the chosen option in [0, 1], uniform if the law is kept, and the bets on other
    epsilons.

    The rank is the probability of all likelier options, and a random part of the chosen one's. A
    bet is ``ln`` of the chosen option's probability if epsilon is ``_POWERS`` times as large, over
    that at the stated one.
    """

    rank: float
    bets: np.ndarray

    @classmethod
    def of(cls, log_probabilities: np.ndarray, answer: int, rng: np.random.Generator) -> Selection:
        odds = np.exp(log_probabilities)
        first = (odds > odds[answer]) | ((odds == odds[answer]) & (np.arange(odds.size) < answer))
        rank = odds[first].sum() + rng.random() * odds[answer]
        other = log_softmax(_POWERS[:, None] * log_probabilities, axis=1)[:, answer]
        return cls(min(1.0, rank), other - log_probabilities[answer])


Draw = np.ndarray | Selection
"""The scores of one noisy look, shape (values,), or a selection."""


def draw_of(look: Look, rng: np.random.Generator) -> Draw:
    """What a look drew, as what its law makes uniform or normal."""
    law = look.mechanism
    if isinstance(law, Exponential):
        return Selection.of(look.log_odds, int(look.answer), rng)
    noise = np.ravel((look.answer - look.exact) / scale_of(law))
    if isinstance(law, Gaussian):
        return noise
    return np.sign(noise) * stats.norm.isf(np.exp(-np.abs(noise)) / 2)


class Draws:
    """All draws of many runs.

    Attributes
    ----------
    noise : list of arrays
        The scores of each run, in the order of its looks.
    each : array
        The same, one run after another.
    selections : list of Selection
        Of all runs.
    places : array, shape (runs, places)
        Scores by run and place, those of selections too; NaN where a run has no such place.
    """

    def __init__(self, runs: Sequence[Sequence[Draw]]) -> None:
        none = np.empty(0)
        self.selections = [draw for run in runs for draw in run if isinstance(draw, Selection)]
        self.noise = [
            np.concatenate([none, *(d for d in run if not isinstance(d, Selection))])
            for run in runs
        ]
        self.each = np.concatenate([none, *self.noise])
        self.places = np.full((len(runs), _PLACES), np.nan)
        for row, run in zip(self.places, runs, strict=True):
            scores = [_normal(d.rank) if isinstance(d, Selection) else d for d in run]
            found = np.concatenate([none, *scores])[:_PLACES]
            row[: found.size] = found


def _normal(rank: float) -> np.ndarray:
    return ndtri(np.clip([rank], 1e-15, 1 - 1e-15))


def off_law(draws: Draws, level: float) -> str:
    """Which test shows that the stated laws are not kept; empty if none does.

    Wrong with probability at most ``level``.
    """
    for name, test in TESTS.items():
        if words := test(draws, level / len(TESTS)):
            return f"{name}: {words}"
    return ""


def _shape(draws: Draws, level: float) -> str:
    ranks = np.array([s.rank for s in draws.selections])
    streams = {"noise": stats.norm.cdf(draws.each), "selections": ranks}
    for name, values in streams.items():
        for n in (n for n in _PREFIXES if n <= values.size):
            p = stats.kstest(values[:n], "uniform").pvalue
            if p <= level / (len(streams) * len(_PREFIXES)):
                return f"{name}, p = {p:.1g} after {n} draws"
    return ""


def _fortune(log_ratios: np.ndarray, level: float) -> str:
    """What a gambler wins who shares a coin among bets: rows in order of time, a column a bet."""
    if not log_ratios.size:
        return ""
    wealth = logsumexp(np.cumsum(log_ratios, axis=0), axis=1) - math.log(log_ratios.shape[1])
    best = float(wealth.max())
    return f"odds of e^{best:.0f} against the stated law" if best >= -math.log(level) else ""


def _scale_bets(z: np.ndarray) -> np.ndarray:
    """``ln`` of the density of noise ``c`` times as large over the stated one; NaN bets nothing."""
    bets = -np.log(_SCALES) - np.square(z)[..., None] / 2 * (1 / np.square(_SCALES) - 1)
    return np.where(np.isnan(bets), 0.0, bets)


def _scale(draws: Draws, level: float) -> str:
    words = _fortune(_scale_bets(draws.each), level / 2)
    return words or _fortune(_scale_bets(draws.places).reshape(len(draws.places), -1), level / 2)


def _tails(draws: Draws, level: float) -> str:
    """Bets that values beyond a cut are so many times as frequent."""
    beyond = 2 * stats.norm.sf(_CUTS)
    within = np.log((1 - _TIMES * beyond) / (1 - beyond))
    return _fortune(np.where(np.abs(draws.each)[:, None] > _CUTS, np.log(_TIMES), within), level)


def _sharpness(draws: Draws, level: float) -> str:
    return _fortune(np.array([s.bets for s in draws.selections]), level)


def _pairs(draws: Draws, level: float) -> str:
    every = np.ones((_PLACES, _PLACES), dtype=bool)
    places = draws.places
    within = _uncorrelated(places, places, level / 2, np.triu(every, 1))
    return within or _uncorrelated(places[:-1], places[1:], level / 2, every)


def _uncorrelated(one: np.ndarray, other: np.ndarray, level: float, which: np.ndarray) -> str:
    """Columns of ``other`` are drawn after those of ``one``: whatever these are, the square of the
    cosine between ``n`` of them has the law Beta(1/2, (n - 1)/2).
    """
    a, b = np.nan_to_num(one), np.nan_to_num(other)
    here, there = ~np.isnan(one) * 1.0, ~np.isnan(other) * 1.0
    n = here.T @ there
    with np.errstate(invalid="ignore", divide="ignore"):
        square = np.square(a.T @ b) / ((np.square(a).T @ there) * (here.T @ np.square(b)))
        p = betainc(np.maximum(n - 1, 1) / 2, 0.5, 1 - np.clip(square, 0, 1))
    p = np.where(which & (n >= 3), p, 1.0)
    i, j = np.unravel_index(np.nanargmin(p), p.shape)
    if p[i, j] <= level / which.sum():
        return f"places {i} and {j}, correlation {math.sqrt(square[i, j]):.2f} over {n[i, j]:.0f}"
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
