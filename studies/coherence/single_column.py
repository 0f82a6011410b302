"""One binary column published in the clear (Section 7): Theorems 9 and 11, as proved."""

from __future__ import annotations

import math

import numpy as np

from lib import validate
from lib.coherence.bounds.ranges import in_range
from lib.coherence.bounds.tightened import half_sample_size
from lib.coherence.bounds.within_group import PEOPLE, halved_members, rate_distances


@in_range()
def theorem9_size(*, alpha: float, beta: float, n: float, collection: int) -> float:
    """Group size of Theorem 9, where the predictor sees the published column only.

    ``4 sqrt(n ln(|C|/beta)) / alpha``.

    Examples
    --------
    >>> round(theorem9_size(alpha=0.5, beta=0.05, n=10_000, collection=1))
    1385
    """
    return 4 * math.sqrt(n * math.log(collection / beta)) / alpha


@in_range()
def theorem9_repaired_size(*, alpha: float, beta: float, collection: int) -> float:
    """Group size for which W1 is at most alpha under the column's lens, whatever is published.

    Ours. The proof of Theorem 9 takes ``|N_a - N_b| = |M_a - M_b|`` (false for a
    proper subgroup, whose halves differ in size), drops a factor of 2 and
    bounds one side. With one threshold, ``W1 = |h(1) - h(0)| |N_a/V_a - N_b/V_b|
    <= 2 |F - G|``, whatever h is, and :mod:`lib.coherence.bounds.tightened` bounds
    that. It does not grow with ``n``: the report plays no part.
    """
    return half_sample_size(alpha, math.log(beta / collection))


@in_range()
def theorem11_size(*, alpha: float, beta: float, n: float, collection: int) -> float:
    """Group size of Theorem 11: the column is published shuffled, the predictor sees everything.

    ``112 sqrt(n ln(10 n |C| / beta)) / alpha``.

    Examples
    --------
    >>> round(theorem11_size(alpha=1.0, beta=0.05, n=1e6, collection=1))
    489657
    """
    return 112 * math.sqrt(n * math.log(10 * n * collection / beta)) / alpha


def column_distances(
    ones: int, members: int, n: int, *, size: int, rng: np.random.Generator
) -> np.ndarray:
    """Simulated W1 distances of a group, for the worst predictor under the column's lens.

    They are ``2 |N_a/V_a - N_b/V_b|``.

    Parameters
    ----------
    ones, members, n : int
        People of the group with a 1; in the group; in the data set (even).
    size : int
        Random halves to draw.

    Returns
    -------
    float array of shape (size,)
        2 where a half has nobody of the group.

    Examples
    --------
    >>> column_distances(50, 100, 1000, size=3, rng=np.random.default_rng(0)).round(2).tolist()
    [0.2, 0.04, 0.12]
    """
    n = validate.integer("n", n, low=1, high=PEOPLE)
    members = validate.integer("members", members, low=0, high=n)
    ones = validate.integer("ones", ones, low=0, high=members)
    validate.generator("rng", rng)
    in_a = halved_members(members, n - members, size, rng)
    mixed = 0 < ones < members
    ones_a = rng.hypergeometric(ones, members - ones, in_a) if mixed else in_a * bool(ones)
    return rate_distances(ones_a, in_a, ones - ones_a, members - in_a)
