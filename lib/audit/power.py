"""What an audit could have found: the share of a group whose copied answers it would have seen.

A release may hold some people's own answers. So a share of a group's people inside is drawn, their
predictions of the audit move to their own answers, and membership is drawn again, for people and
clusters alike. The audit's test is made of that, at the level of the first step of Holm's
correction, so that flags elsewhere can only help. A leak that predictions have already counts as
chance here, so the share of a flagged group is too large.

Predictions are put into about 12 bins, each with its mean. Draws are then multivariate
hypergeometric, and cost as much for a million people as for a hundred. Households, of more kinds,
take longer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.stats import binom, norm, rankdata

from lib import validate
from lib.coherence.distances import PLAIN, TIE, Design
from lib.groups import mask

POWER = 0.8
_BINS = 12
_SETS, _EACH = 60, 5  # of people whose answers are copied, and redrawn splits of each
_TAIL = 10  # reshufflings beyond the threshold, on which it rests
_STEPS = 1 << 13  # of the grid on which scores of splits are added


@dataclass(frozen=True)
class Rule:
    """When a group is flagged: its p-value from ``draws`` reshufflings in each of ``splits`` is at
    most ``level``; one split is the test of a finished release.
    """

    level: float
    splits: int
    draws: int


def least_share(
    h: Mapping[str, np.ndarray],
    own: np.ndarray,
    inside: np.ndarray,
    rule: Rule,
    rng: np.random.Generator,
    design: Design = PLAIN,
) -> float:
    """The least share of a group's people inside whose copied answers are found with 80% power.

    Parameters
    ----------
    h : mapping
        Learner to its predictions in [-1, 1], shape (n,); the best learner counts.
    own : array of shape (n,)
        The answers, -1 or 1.
    inside : bool array of shape (n,)

    Returns
    -------
    float in (0, 1]; NaN if not even all are enough. Of the clusters, if the design has any.

    Examples
    --------
    >>> own, rng = np.repeat([-1, 1], 100), np.random.default_rng(0)
    >>> inside, rule = rng.permutation(200) < 100, Rule(level=0.01, splits=1, draws=399)
    >>> share = least_share({"guess": rng.uniform(-1, 1, 200)}, own, inside, rule, rng)
    >>> 0.2 < share < 0.6
    True
    """
    validate.generator("rng", rng)
    own = validate.finite("own", own)
    answers = own.ndim == 1 and bool(np.isin(own, (-1, 1)).all())
    validate.require(answers, "own", "answers of -1 or 1, of one dimension", own)
    inside = mask("inside", inside, own.size, "own")
    units, best = design.units(inside), np.nan
    if inside.all() or not units:
        return best
    most = units
    for name, values in h.items():
        predictions = validate.finite(name, values)
        fits = predictions.shape == own.shape and bool((np.abs(predictions) <= 1 + TIE).all())
        validate.require(fits, name, f"{own.size} predictions in [-1, 1]", predictions)
        power = partial(_power, _kinds(predictions, own, design), units, rule, rng)
        low, high, seen = 0, most, {most: power(most)}
        if seen[most] < POWER:
            continue
        while high - low > max(1, 0.05 * high):
            middle = max(low + 1, int((max(low, 1) * high) ** 0.5))
            seen[middle] = power(middle)
            low, high = (low, middle) if seen[middle] >= POWER else (middle, high)
        most = _crossing(seen, high)
        best = most / units
    return best


def _crossing(seen: Mapping[int, float], near: int) -> int:
    """Where the power is 80%, by a line through the simulated ones: their noise is averaged."""
    counts = np.array([k for k in seen if near / 1.5 <= k <= near * 1.5])
    z = norm.ppf(np.clip([seen[k] for k in counts], 0.02, 0.98))
    if counts.size < 3:
        return near
    slope, level = np.polyfit(np.log(counts), z, 1)
    fitted = np.exp((norm.ppf(POWER) - level) / slope)
    return int(np.clip(np.ceil(fitted), 1, max(seen))) if slope > 0 else near


# how many people or clusters there are of each kind; what one of them weighs in each bin as
# predicted, and with answers copied; and the value of each bin
Kinds = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def _kinds(h: np.ndarray, own: np.ndarray, design: Design) -> Kinds:
    h = h.round(6)  # predictions that last bits alone tell apart are in one bin
    scale = (rankdata(h, "min") / h.size + (h - h.min()) / max(np.ptp(h), TIE)) / 2
    _, code = np.unique((_BINS * scale).astype(int), return_inverse=True)
    means = np.bincount(code, h) / np.bincount(code)
    values = np.concatenate([[-1.0], means, [1.0]])
    weight = np.ones(h.size) if design.weight is None else design.weight
    to = np.where(own > 0, values.size - 1, 0)
    cells, counts = np.column_stack([code + 1, to, weight]), None
    unit = design.cluster
    if unit is None:
        cells, counts = np.unique(cells, axis=0, return_counts=True)
        unit = np.arange(len(cells))
    rows = np.zeros((int(unit.max()) + 1, 2, values.size))
    for way in (0, 1):
        np.add.at(rows[:, way], (unit, cells[:, way].astype(int)), cells[:, 2])
    if counts is None:
        rows, counts = np.unique(rows, axis=0, return_counts=True)
    return counts, rows[:, 0], rows[:, 1], values


def _power(kinds: Kinds, units: int, rule: Rule, rng: np.random.Generator, copied: int) -> float:
    """The power if ``copied`` of the ``units`` inside have their answers copied."""
    counts, plain, own, values = kinds
    few = counts.size * 12 < counts.sum()
    draw = partial(rng.multivariate_hypergeometric, method="marginals" if few else "count")
    rows, place = np.unique(np.vstack([plain, own]), axis=0, return_inverse=True)
    one_split = rule.splits == 1
    reshuffled = int(_TAIL / rule.level / _SETS) + 100 if one_split else _EACH * rule.draws
    found, null = np.empty((_SETS, _EACH)), np.empty((_SETS, reshuffled))
    for i, one in enumerate(draw(counts, copied, size=_SETS)):
        rest, moved = counts - one, one @ own
        everyone = rest @ plain + moved
        others = draw(rest, units - copied, size=_EACH) @ plain
        found[i] = _distance(others + moved, everyone, values)
        colours = np.bincount(place.ravel(), np.append(rest, one)).astype(int)
        null[i] = _distance(draw(colours, units, size=reshuffled) @ rows, everyone, values)
    if one_split:  # all sets together, each in units of what chance makes of it
        scale = np.maximum(null.mean(axis=1, keepdims=True), TIE)
        pool = np.sort((null / scale).ravel())
        beyond = 1 - np.searchsorted(pool, found / scale - TIE) / pool.size
        least = int(rule.level * (1 + rule.draws) + TIE) - 1
        return float(binom.cdf(least, rule.draws, beyond).mean())
    together = np.dstack([found, null.reshape(_SETS, _EACH, rule.draws)])
    together = together.reshape(-1, 1 + rule.draws)
    # as in lib.coherence.combination: minus the logarithm of the mid-p-value
    places = rankdata(-together.round(12), axis=1) - 0.5
    scores = -np.log(places / (1 + rule.draws))
    steps = np.rint(scores * (_STEPS / rule.splits / np.log(2 + 2 * rule.draws))).astype(int)
    chance, leak = (_tails(part, rule.splits) for part in (steps.ravel(), steps[:, 0]))
    return float(leak[np.argmax(chance <= rule.level)])


def _tails(steps: np.ndarray, splits: int) -> np.ndarray:
    """The probability that a sum of ``splits`` such scores is at least 0, 1, ..."""
    law = np.bincount(steps, minlength=_STEPS + splits) / steps.size
    law = np.fft.irfft(np.fft.rfft(law, 2 * law.size) ** splits, 2 * law.size)
    return law[::-1].cumsum()[::-1]


def _distance(inside: np.ndarray, everyone: np.ndarray, values: np.ndarray) -> np.ndarray:
    """W1 of the people inside from the others, by their weights in each bin."""
    a, both = inside.cumsum(axis=-1), everyone.cumsum(axis=-1)
    b = both - a
    gap = a / a[..., -1:] - b / b[..., -1:]
    return np.abs(gap[..., :-1]) @ np.diff(values)
