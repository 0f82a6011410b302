"""A lower confidence bound on epsilon from reports alone, without the source of a protocol."""

from __future__ import annotations

import math

import numpy as np

from lib import validate
from lib.ldp.sampling import as_bits


def audited_epsilon(bits_a: np.ndarray, bits_b: np.ndarray, level: float = 1e-6) -> float:
    """The largest ratio that the samples prove, over the events "the support set is S".

    The reports are split: every second one says which set, and in which direction, looks most
    telling; the others, which have not been looked at, bound the ratio of that one event. So
    nothing has to be corrected for how many sets there are, or were seen.

    Parameters
    ----------
    bits_a, bits_b : uint8 arrays, shape (n, k)
        Support sets of reports of two values, n each; k up to 62.
    level : float
        Probability of a bound above the true epsilon, at most: two Clopper-Pearson limits, each at
        half of it.

    Returns
    -------
    float
        A bound in nats, at least 0; 0 for fewer than two reports of each value.

    Raises
    ------
    ValueError
        If ``level`` is not in (0, 1), the shapes differ or are no (n, k) with k
        up to 62, there is no report, or an entry is no bit.

    Examples
    --------
    >>> from lib.ldp import GRR
    >>> rng, protocol = np.random.default_rng(0), GRR(k=2, epsilon=1.0)
    >>> samples = [protocol.privatise_support(np.full(10_000, v), rng) for v in (0, 1)]
    >>> 0.8 < audited_epsilon(*samples) <= 1.0
    True
    """
    from scipy import special

    level = validate.fraction("level", level)
    samples = [as_bits("bits_a", bits_a), as_bits("bits_b", bits_b)]
    n, k = samples[0].shape
    validate.require(n > 0 and k <= 62, "bits_a", "of shape (n, k), n >= 1 and k <= 62", (n, k))
    same = samples[1].shape == (n, k)
    validate.require(same, "bits_b", f"of the shape {(n, k)} of bits_a", samples[1].shape)
    place = np.int64(1) << np.arange(k)
    words = [bits.astype(np.int64) @ place for bits in samples]
    keys, codes = np.unique(np.concatenate([w[::2] for w in words]), return_inverse=True)
    seen = np.array([np.bincount(part, minlength=keys.size) for part in np.split(codes, 2)])
    first, rest = len(words[0][::2]), len(words[0][1::2])
    if rest == 0:
        return 0.0
    # at this point the level only says how wide an interval has to be for a set to look telling
    least = np.where(
        seen > 0, special.betaincinv(np.maximum(seen, 1), first - seen + 1, level), 0.0
    )
    most = special.betainccinv(seen + 1, np.maximum(first - seen, 1), level)
    direction, chosen = np.unravel_index(np.argmax(least / most[::-1]), seen.shape)
    hits, misses = (int((words[i][1::2] == keys[chosen]).sum()) for i in (direction, 1 - direction))
    if hits == 0:
        return 0.0
    low = special.betaincinv(hits, rest - hits + 1, level / 2)
    high = special.betainccinv(misses + 1, rest - misses, level / 2) if misses < rest else 1.0
    return max(0.0, math.log(low / high))
