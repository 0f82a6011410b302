"""A lower confidence bound on epsilon from reports alone: what an auditor can find without the source."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from lib import validate

__all__ = ["audited_epsilon"]


def audited_epsilon(bits_a: np.ndarray, bits_b: np.ndarray, level: float = 1e-6) -> float:
    """The largest ratio that the samples prove, over the events "the support set is S".

    Parameters
    ----------
    bits_a, bits_b : uint8 arrays, shape (n, k)
        Support sets of reports of two values, n each; k up to 62.
    level : float
        Probability of a bound above the true epsilon, at most: Clopper-Pearson
        intervals, Bonferroni over the sets seen and both directions.

    Returns
    -------
    float
        A bound in nats, at least 0.

    Raises
    ------
    ValueError
        If ``level`` is not in (0, 1), the shapes differ or are no (n, k) with k
        up to 62, there is no report, or an entry is no bit.
    """
    validate.fraction("level", level)
    bits_a, bits_b = np.asarray(bits_a), np.asarray(bits_b)
    if bits_a.shape != bits_b.shape or bits_a.ndim != 2 or bits_a.shape[1] > 62:
        raise ValueError(f"bits have shapes {bits_a.shape} and {bits_b.shape}; the same (n, k) with k <= 62 is allowed")
    if len(bits_a) == 0:
        raise ValueError("bits_a and bits_b are empty; at least one report of each value is needed")
    for name, bits in (("bits_a", bits_a), ("bits_b", bits_b)):
        if not np.isin(bits, (0, 1)).all():
            raise ValueError(f"{name} has dtype {bits.dtype} or entries beside 0 and 1; bits are allowed")
    n, place = len(bits_a), np.int64(1) << np.arange(bits_a.shape[1])
    words = [bits.astype(np.int64) @ place for bits in (bits_a, bits_b)]
    keys, codes = np.unique(np.concatenate(words), return_inverse=True)
    a, b = (np.bincount(part, minlength=keys.size) for part in np.split(codes, 2))
    each, best = level / (4 * keys.size), 0.0
    for hits, misses in ((a, b), (b, a)):
        low = np.where(hits > 0, stats.beta.ppf(each, np.maximum(hits, 1), n - hits + 1), 0.0)
        high = stats.beta.isf(each, misses + 1, np.maximum(n - misses, 1))
        ratio = np.max(low / high)
        best = max(best, math.log(ratio) if ratio > 0 else 0.0)
    return best
