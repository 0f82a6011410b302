"""Could it have been seen? The share of a group whose copied answers the audit would have found.

A release may hold some people's own answers. So a share of a group's people inside is drawn, and
learners then know these answers. A learner sees records and not people: everybody with the record
of a person who was copied gets the same prediction, the mean of the copied answers. Where few
records are the record of one person alone, a release may copy everything and nothing is found.

Membership is drawn again, for people and households alike, and the audit's test is applied to that,
at the level of the first step of Holm's correction, so that flags elsewhere can only help. A leak
that predictions have already counts as chance here, so the share of a flagged group is too large.

Two things are approximate, here alone and in no p-value: predictions are put into about 12 bins,
each with its mean, and the weights (or households) that chance draws into a bin are normal, with
the mean and the variance that they have. So a draw costs as much for a million weights as for one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy.special import gammaln
from scipy.stats import binom, norm, rankdata

from lib.coherence.distances import PLAIN, TIE, Design

POWER = 0.8
_BINS = 12
# sets of people whose answers are copied; a large group has fewer, because they differ less
_SETS, _LEAST_SETS, _PEOPLE = 60, 3, 250_000
_SPLITS = 300  # redrawn ones of all sets together
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
    record: np.ndarray | None = None,
    others: tuple[np.ndarray, np.ndarray] | None = None,
) -> float:
    """The least share of people inside whose copied answers are found in a group with 80% power.

    Parameters
    ----------
    h : mapping
        Learner to its predictions in [-1, 1], shape (n,); the best learner counts.
    own : array of shape (n,)
        The answers, -1 or 1.
    inside : bool array of shape (n,)
    record : int array of shape (n,), optional
        Equal for people whom learners cannot tell apart; without it all people differ.
    others : (int array, array) of shape (m,), optional
        Records and answers of people outside the group. The same share of them is copied; a
        copied answer matters where somebody in the group has the same record.

    Returns
    -------
    float in (0, 1]; NaN if copying everybody is not enough. With clusters, a share of clusters.

    Examples
    --------
    >>> own, rng = np.repeat([-1, 1], 100), np.random.default_rng(0)
    >>> inside, rule = rng.permutation(200) < 100, Rule(level=0.01, splits=1, draws=399)
    >>> share = least_share({"guess": rng.uniform(-1, 1, 200)}, own, inside, rule, rng)
    >>> 0.2 < share < 0.6
    True
    >>> sex = np.arange(200) % 2  # says nothing of the answers
    >>> least_share({"guess": own * 0.1}, own, inside, rule, rng, record=sex)
    nan
    """
    units, best = design.units(inside), np.nan
    if inside.all() or not units:
        return best
    kinds, record = np.unique(
        np.arange(own.size) if record is None else record, return_inverse=True
    )
    if others is None:
        alike = np.empty(0, dtype=int), np.empty(0)
    else:
        known = np.isin(others[0], kinds)
        alike = np.searchsorted(kinds, others[0][known]), others[1][known]
    most = units
    for predictions in h.values():
        group = _Group(*_binned(predictions), own, record, alike, design)
        power = partial(_power, group, units, rule, rng)
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
    """Where the power is 80%, by a line through the simulated powers: their noise is averaged."""
    counts = np.array([k for k in seen if near / 1.5 <= k <= near * 1.5])
    z = norm.ppf(np.clip([seen[k] for k in counts], 0.02, 0.98))
    if counts.size < 3:
        return near
    slope, level = np.polyfit(np.log(counts), z, 1)
    fitted = np.exp((norm.ppf(POWER) - level) / slope)
    return int(np.clip(np.ceil(fitted), 1, max(seen))) if slope > 0 else near


def _binned(h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The bin of each prediction, and the value of each bin; the first and last are -1 and 1."""
    h = h.round(6)  # predictions that last bits alone tell apart are in one bin
    scale = (rankdata(h, "min") / h.size + (h - h.min()) / max(np.ptp(h), TIE)) / 2
    _, code = np.unique((_BINS * scale).astype(int), return_inverse=True)
    means = np.bincount(code, h) / np.bincount(code)
    return code + 1, np.concatenate([[-1.0], means, [1.0]])


@dataclass(frozen=True)
class _Group:
    """The people of a group, as one learner predicts them."""

    bins: np.ndarray
    values: np.ndarray
    own: np.ndarray
    record: np.ndarray
    others: tuple[np.ndarray, np.ndarray]
    design: Design

    @property
    def unit(self) -> np.ndarray:
        """The number of each person's cluster, whose members are inside or outside together."""
        cluster = self.design.cluster
        return np.arange(self.own.size) if cluster is None else cluster

    def known(self, copied: np.ndarray, rng: np.random.Generator) -> _Group:
        """The group once learners know the answers of those who are ``copied``, and of as large a
        share of the others.
        """
        record, own = self.others
        more = rng.choice(own.size, round(own.size * float(copied.mean())), replace=False)
        record = np.concatenate([self.record[copied], record[more]])
        own = np.concatenate([self.own[copied], own[more]])
        times = np.bincount(record, minlength=int(self.record.max()) + 1)
        mean = np.bincount(record, own, times.size) / np.maximum(times, 1)
        nearest = np.searchsorted((self.values[1:] + self.values[:-1]) / 2, mean)
        bins = np.where(times[self.record] > 0, nearest[self.record], self.bins)
        return replace(self, bins=bins)

    def mass(self, who: np.ndarray) -> np.ndarray:
        """The weight of some of the people in each bin."""
        weight = None if self.design.weight is None else self.design.weight[who]
        return np.bincount(self.bins[who], weight, self.values.size)

    def drawn(self, who: np.ndarray, units: int, size: int, rng: np.random.Generator) -> np.ndarray:
        """The weight in each bin, shape (size, bins), of ``units`` that are drawn from ``who``."""
        if self.design.cluster is not None:
            return self._households(who, units, size, rng)
        bins, weight = self.bins[who], self.design.weight
        people = np.bincount(bins, minlength=self.values.size)
        taken = rng.multivariate_hypergeometric(people, units, size, method="marginals")
        if weight is None:
            return taken
        mean, square = (
            np.bincount(bins, weight[who] ** power, people.size) / np.maximum(people, 1)
            for power in (1, 2)
        )
        spread = np.maximum(square - mean**2, 0) / np.maximum(people - 1, 1)
        noise = np.sqrt(taken * (people - taken) * spread) * rng.standard_normal(taken.shape)
        return np.maximum(taken * mean + noise, 0)

    def _households(
        self, who: np.ndarray, units: int, size: int, rng: np.random.Generator
    ) -> np.ndarray:
        _, unit = np.unique(self.unit[who], return_inverse=True)
        weight = None if self.design.weight is None else self.design.weight[who]
        there, width = int(unit.max(initial=-1)) + 1, self.values.size
        rows = np.bincount(unit * width + self.bins[who], weight, there * width)
        rows = rows.reshape(there, width)
        if units in (0, there):
            return np.tile(rows.sum(axis=0) * (units > 0), (size, 1))
        spread = np.cov(rows.T) * units * (1 - units / there)
        drawn = rng.multivariate_normal(
            units * rows.mean(axis=0), spread, size, check_valid="ignore", method="eigh"
        )
        return np.maximum(drawn, 0)


def _power(group: _Group, units: int, rule: Rule, rng: np.random.Generator, copied: int) -> float:
    """The power if ``copied`` of the ``units`` inside have their answers copied."""
    unit, one_split = group.unit, rule.splits == 1
    there, everybody = int(unit.max()) + 1, np.ones(unit.size, dtype=bool)
    ways = gammaln(there + 1) - gammaln(units + 1) - gammaln(there - units + 1)
    if rule.splits * ways < -np.log(rule.level):  # too few halves for so small a p-value
        return 0.0
    people = unit.size + group.others[0].size
    sets = int(np.clip(_PEOPLE // people, _LEAST_SETS, _SETS))
    each = _SPLITS // sets
    reshuffled = int(_TAIL / rule.level / sets) + 100 if one_split else each * rule.draws
    found, null = np.empty((sets, each)), np.empty((sets, reshuffled))
    for i in range(sets):
        one = np.zeros(there, dtype=bool)
        one[rng.choice(there, copied, replace=False)] = True
        one = one[unit]
        known = group.known(one, rng)
        everyone = known.mass(everybody)
        others = known.drawn(~one, units - copied, each, rng)
        found[i] = _distance(others + known.mass(one), everyone, group.values)
        null[i] = _distance(known.drawn(everybody, units, reshuffled, rng), everyone, group.values)
    if one_split:  # all sets together, each in units of what chance makes of it
        scale = np.maximum(null.mean(axis=1, keepdims=True), TIE)
        pool = np.sort((null / scale).ravel())
        beyond = 1 - np.searchsorted(pool, found / scale - TIE) / pool.size
        least = int(rule.level * (1 + rule.draws) + TIE) - 1
        return float(binom.cdf(least, rule.draws, beyond).mean())
    together = np.dstack([found, null.reshape(sets, each, rule.draws)])
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
    least = TIE * both[-1]
    gap = a / np.maximum(a[..., -1:], least) - b / np.maximum(b[..., -1:], least)
    return np.abs(gap[..., :-1]) @ np.diff(values)
