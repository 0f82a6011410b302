"""Distances between the predictions on the two halves of a group.

Sorted once, a group's predictions give the distance of *any* split of it by
two cumulative sums, so that a permutation null costs little more than the
distance itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from lib import validate
from lib.groups import mask

TIE = 1e-12  # numbers closer than this are equal: distances, and the predictions they compare
_AT_ONCE = 2_000_000  # memberships reshuffled together
_CACHED = 1 << 18  # so many stay in the cache


@dataclass(frozen=True, eq=False)
class Design:
    """How people were drawn: clusters that are inside or outside as wholes, and weights.

    Parameters
    ----------
    cluster : int array of shape (n,), optional
        0, 1, ... for the cluster of each person; without it everybody is one.
    weight : float array of shape (n,), optional
        Positive weights of a distance; without it all count alike.
    counted : bool
        Whether people of equal values and weights are counted when membership is reshuffled: as
        exact, from other draws, and quick where few differ. Clusters are not counted.

    Examples
    --------
    >>> Design(cluster=np.array([0, 0, 1, 2])).of(np.array([True, False, False, True])).cluster
    array([0, 1])
    """

    cluster: np.ndarray | None = None
    weight: np.ndarray | None = None
    counted: bool = False

    def __post_init__(self) -> None:
        if self.cluster is not None:
            found = validate.codes("cluster", self.cluster, 2**31 - 1)
            object.__setattr__(self, "cluster", found)
        if self.weight is not None:
            weight = validate.finite("weight", self.weight)
            good = weight.ndim == 1 and bool((weight > 0).all())
            validate.require(good, "weight", "numbers > 0, of one dimension", weight)
            object.__setattr__(self, "weight", weight)

    def of(self, who: np.ndarray) -> Design:
        """The design of some of the people; their clusters get numbers from 0."""
        return Design(
            None if self.cluster is None else np.unique(self.cluster[who], return_inverse=True)[1],
            None if self.weight is None else self.weight[who],
            self.counted,
        )

    def units(self, inside: np.ndarray) -> int:
        """How many people, or clusters, are inside."""
        return int(inside.sum() if self.cluster is None else np.unique(self.cluster[inside]).size)

    def mean(self, values: np.ndarray, who: np.ndarray) -> float:
        """The mean of some of the values, weighted."""
        weights = None if self.weight is None else self.weight[who]
        return float(np.average(values[who], weights=weights))


PLAIN = Design()  # people who were drawn one by one, and count alike


def wasserstein1(a: np.ndarray, b: np.ndarray) -> float:
    """1-Wasserstein distance of two empirical distributions on the line (Definition 5).

    Parameters
    ----------
    a, b : float arrays of shape (n_a,), (n_b,), at least one value each

    Examples
    --------
    >>> wasserstein1(np.array([0.0, 1.0]), np.array([0.0, 0.0]))
    0.5
    """
    a, b = validate.vector("a", a), validate.vector("b", b)
    values = np.concatenate([a, b])
    return float(split_distance(values, np.arange(values.size) < a.size))


def split_distance(
    values: np.ndarray,
    inside: np.ndarray,
    distance: str = "wasserstein",
    *,
    weight: np.ndarray | None = None,
) -> np.ndarray:
    """Distance between ``values[inside]`` and ``values[~inside]``.

    Parameters
    ----------
    values : float array of shape (n,)
    inside : bool array of shape (n,) or (draws, n)
    distance : {"wasserstein", "total variation"}
    weight : float array of shape (n,), optional
        Positive; a person of weight 2 counts as two.

    Returns
    -------
    float array of shape () or (draws,); NaN where a side is empty

    Examples
    --------
    >>> float(split_distance(np.array([0.0, 1.0, 0.0]), np.array([True, True, False])))
    0.5
    """
    rule = DISTANCES[validate.choice("distance", distance, DISTANCES)]
    values = validate.vector("values", values)
    inside = mask("inside", inside, values.size, "values", rows=True)
    # equal values move nothing, in whatever order; sums of weights are rounded in theirs
    order = np.argsort(values, kind=None if weight is None else "stable")
    if weight is not None:
        weight = np.asarray(Design(weight=weight).weight)
        validate.require(weight.size == values.size, "weight", "one for each value", weight.size)
        weight = weight[order]
    return _of_sorted(values[order], inside[..., order], rule, weight)


def _of_sorted(
    values: np.ndarray,
    inside: np.ndarray,
    rule: Callable[[np.ndarray, np.ndarray], np.ndarray],
    weight: np.ndarray | None = None,
) -> np.ndarray:
    """The distance for values in increasing order."""
    if values.size == 0:
        return np.full(inside.shape[:-1], np.nan)
    if weight is None:
        seen_a, seen = inside.cumsum(axis=-1), np.arange(1, values.size + 1)
    else:
        seen_a, seen = (inside * weight).cumsum(axis=-1), weight.cumsum()
    n_a = seen_a[..., -1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        # whole numbers up to here: a gap of 1 is exactly 1
        gap = seen_a / n_a - (seen - seen_a) / (seen[-1] - n_a)
    empty = np.asarray(~inside.any(axis=-1) | inside.all(axis=-1))
    return np.where(empty, np.nan, rule(values, np.where(empty[..., None], 0.0, gap)))


def shuffled_distances(
    values: np.ndarray, n_a: int, *, draws: int, rng: np.random.Generator, design: Design = PLAIN
) -> np.ndarray:
    """Distances when membership is reshuffled: what sampling alone makes in a group of this size.

    ``n_a`` people are inside, or clusters, if the ``design`` has any: these are reshuffled whole.

    Returns
    -------
    float array of shape (draws,)

    Examples
    --------
    >>> values, rng = np.array([0.0, 0.0, 1.0, 1.0]), np.random.default_rng(0)
    >>> shuffled_distances(values, 2, draws=4, rng=rng).tolist()
    [0.0, 1.0, 0.0, 0.0]
    """
    draws = validate.integer("draws", draws, low=1)
    n_a = validate.integer("n_a", n_a, low=0)
    validate.generator("rng", rng)
    values = validate.vector("values", values)
    if design.counted and design.cluster is None:
        return _counted_distances(values, n_a, draws, rng, design.weight)
    order, found = np.argsort(values, kind="stable"), []
    units = order if design.cluster is None else design.cluster[order]
    count = values.size if design.cluster is None else int(units.max(initial=-1)) + 1
    weight = None if design.weight is None else design.weight[order]
    rows = max(1, _AT_ONCE // max(1, values.size))  # all draws at once could fill the memory
    for first in range(0, draws, rows):
        inside = np.tile(np.arange(count) < n_a, (min(rows, draws - first), 1))
        inside = rng.permuted(inside, axis=1)[:, units]
        found.append(_of_sorted(values[order], inside, _transport, weight))
    return np.concatenate(found)


def reshuffling_p(
    values: np.ndarray,
    inside: np.ndarray,
    *,
    draws: int,
    enough: int,
    rng: np.random.Generator,
    design: Design = PLAIN,
) -> float:
    """p-value of the distance when membership is reshuffled at most ``draws`` times.

    NaN where a side is empty. It stops at the reshuffling ``j`` that is the ``enough``-th to be at
    least as far apart, with ``p = enough / j``; else ``p = (1 + K) / (1 + draws)`` where ``K``
    counts the reshufflings at least as far apart. Both are valid at every level, and a group in
    which there is nothing takes few reshufflings.

    References
    ----------
    Besag and Clifford (1991), Sequential Monte Carlo p-values, Biometrika 78(2).

    Examples
    --------
    >>> values, inside = np.arange(20.0), np.arange(20) < 10
    >>> reshuffling_p(values, inside, draws=99, enough=5, rng=np.random.default_rng(0))
    0.01
    """
    draws = validate.integer("draws", draws, low=1)
    enough = validate.integer("enough", enough, low=1)
    validate.generator("rng", rng)
    values = validate.vector("values", values)
    inside = mask("inside", inside, values.size, "values")
    found, n_a = float(split_distance(values, inside, weight=design.weight)), design.units(inside)
    if np.isnan(found):
        return np.nan
    plain = design.cluster is None and design.weight is None and not design.counted
    draw = _chosen_distances if plain else partial(shuffled_distances, design=design)
    hits, done, piece = 0, 0, 10 * enough
    while done < draws:
        more = min(piece, draws - done)
        null = draw(values, n_a, draws=more, rng=rng)
        seen = hits + np.cumsum(null >= found - TIE)
        if seen[-1] >= enough:
            return enough / (done + 1 + int(np.argmax(seen >= enough)))
        hits, done, piece = int(seen[-1]), done + null.size, 2 * piece
    return (1 + hits) / (1 + draws)


def _chosen_distances(
    values: np.ndarray, n_a: int, *, draws: int, rng: np.random.Generator
) -> np.ndarray:
    """Distances with the distribution of :func:`shuffled_distances`, from other draws.

    Inside are the people with the ``n_a`` least of uniform numbers, of which two of a million are
    equal with probability 1e-4.
    """
    values, n = np.sort(values), values.size
    even, weight = np.arange(1, n) * (n_a / n), np.diff(values) * (n / (n_a * (n - n_a)))
    found, rows = [], max(1, _CACHED // n)
    for first in range(0, draws, rows):
        keys = rng.random((min(rows, draws - first), n))
        inside = keys <= np.partition(keys, n_a - 1, axis=1)[:, n_a - 1 : n_a]
        gap = inside[:, :-1].cumsum(axis=1, dtype=np.int32) - even
        found.append(np.abs(gap, out=gap) @ weight)
    return np.concatenate(found)


def _counted_distances(
    values: np.ndarray, n_a: int, draws: int, rng: np.random.Generator, weight: np.ndarray | None
) -> np.ndarray:
    """Distances with the distribution of :func:`shuffled_distances`."""
    weight = np.ones(values.size) if weight is None else weight
    values, of_value = np.unique(values, return_inverse=True)
    weight, of_weight = np.unique(weight, return_inverse=True)
    kinds, people = np.unique(of_value * weight.size + of_weight, return_counts=True)
    values, weight, found = values[kinds // weight.size], weight[kinds % weight.size], []
    rows = max(1, _AT_ONCE // max(1, kinds.size))
    for first in range(0, draws, rows):
        size = min(rows, draws - first)
        taken = rng.multivariate_hypergeometric(people, n_a, size, method="marginals")
        seen_a, seen = (taken * weight).cumsum(axis=-1), (people * weight).cumsum()
        n = seen_a[:, -1:]
        found.append(_transport(values, seen_a / n - (seen - seen_a) / (seen[-1] - n)))
    return np.concatenate(found)


def _transport(values: np.ndarray, gap: np.ndarray) -> np.ndarray:
    return (np.abs(gap[..., :-1]) * np.diff(values)).sum(axis=-1)


def _total_variation(values: np.ndarray, gap: np.ndarray) -> np.ndarray:
    after = gap[..., np.append(np.diff(values) > TIE, True)]  # all equal values taken in
    return np.abs(np.diff(after, axis=-1, prepend=0.0)).sum(axis=-1) / 2


# each rule takes the sorted values and the gap between the two CDFs after each of them
DISTANCES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "wasserstein": _transport,
    "total variation": _total_variation,
}
