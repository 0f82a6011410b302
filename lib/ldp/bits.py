"""Independent Bernoulli bits at about one random byte each.

A byte ``u`` decides almost every bit: ``u < floor(256 p)`` is a one, ``u >
floor(256 p)`` a zero. The one value in 256 that ties is settled by a 53-bit
uniform against the remainder, so the probability is exact to 2**-61.
"""

from __future__ import annotations

import numpy as np

__all__ = ["bernoulli", "indicators"]


def bernoulli(shape: tuple[int, ...], p: float, rng: np.random.Generator) -> np.ndarray:
    """Bits that are one with probability ``p``, independent, uint8 of ``shape``."""
    if p >= 1.0:
        return np.ones(shape, dtype=np.uint8)
    size = int(np.prod(shape))
    byte = np.frombuffer(rng.bytes(size), dtype=np.uint8)
    cut = int(256 * p)
    bits = (byte < cut).view(np.uint8)
    ties = np.flatnonzero(byte == cut)
    bits[ties] = rng.random(ties.size) < 256 * p - cut
    return bits.reshape(shape)


def indicators(values: np.ndarray, k: int) -> np.ndarray:
    """Row ``i`` has its one at ``values[i]``, uint8 of shape (n, k); the values are not checked."""
    bits = np.zeros((values.size, k), dtype=np.uint8)
    bits.reshape(-1)[np.arange(values.size) * k + values] = 1
    return bits
