"""Independent Bernoulli bits at about one random byte each.

A byte ``u`` decides almost every bit: ``u < floor(256 p)`` is a one, ``u >
floor(256 p)`` a zero. The one value in 256 that ties is settled by a 53-bit
uniform against the remainder, so the probability is exact to 2**-61.
"""

from __future__ import annotations

import numpy as np

from lib import validate

# bytes compared at a time: they stay in the cache, and only the result is as large as the result
_BLOCK = 1 << 17


def bernoulli(shape: tuple[int, ...], p: float, rng: np.random.Generator) -> np.ndarray:
    """Bits that are one with probability ``p``, independent, uint8 of ``shape``."""
    if p >= 1.0:
        return np.ones(shape, dtype=np.uint8)
    cut = int(256 * p)
    bits = np.empty(int(np.prod(shape)), dtype=np.uint8)
    ties = []
    for start in range(0, bits.size, _BLOCK):
        part = bits[start : start + _BLOCK]
        byte = np.frombuffer(rng.bytes(part.size), dtype=np.uint8)
        np.less(byte, cut, out=part.view(bool))
        ties.append(np.flatnonzero(byte == cut) + start)
    if ties:  # after all bytes: the stream is the same whatever the size of a block
        tied = np.concatenate(ties)
        bits[tied] = rng.random(tied.size) < 256 * p - cut
    return bits.reshape(shape)


def indicators(values: np.ndarray, k: int) -> np.ndarray:
    """Row ``i`` has its one at ``values[i]``, uint8 of shape (n, k); the values are not checked."""
    bits = np.zeros((values.size, k), dtype=np.uint8)
    bits.reshape(-1)[np.arange(values.size) * k + values] = 1
    return bits


def as_bits(name: str, values: object, k: int | None = None) -> np.ndarray:
    """``values`` as a uint8 array of 0 and 1, of shape (n, k), any k if none is given."""
    found = validate.array(name, values)
    fits = found.ndim == 2 and k in (None, found.shape[1])
    validate.require(fits, name, f"of shape (n, {'k' if k is None else k})", found.shape)
    # one pass over bytes; anything else is compared before it is cast, since NaN has no byte
    right = found <= 1 if found.dtype == np.uint8 else np.isin(found, (0, 1))
    if not right.all():
        raise validate.refusal(name, "bits, 0 or 1", found[~right].tolist()[0])
    return found.astype(np.uint8, copy=False)
