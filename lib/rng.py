"""Random streams keyed by what they are for.

A stochastic function of this package takes ``rng: np.random.Generator``. The
generator of one cell of a sweep comes from the cell's own parameters through
:func:`stream`, so that the cell reruns alone, bit for bit, whatever ran before
it and however many workers there were. There is no global seed anywhere.
"""

from __future__ import annotations

import hashlib
import math
from numbers import Integral, Real

import numpy as np

from lib import validate


def _canonical(part: object) -> str:
    """A spelling of ``part`` that does not depend on its Python or NumPy type."""
    if isinstance(part, bool | np.bool_):
        return f"b:{bool(part)}"
    if isinstance(part, Integral):
        return f"i:{int(part)}"
    if isinstance(part, Real):
        return f"f:{float(part).hex()}"
    if isinstance(part, str):
        return "s:" + part.replace("\\", r"\\").replace(",", r"\,")  # a comma separates parts
    if isinstance(part, tuple | list):
        return "t:(" + ",".join(_canonical(p) for p in part) + ")"
    raise validate.refusal("parts of the key", "str, int, float, bool or tuples of these", part)


def seed_sequence(seed: int, *key: object) -> np.random.SeedSequence:
    """The child of ``SeedSequence(seed)`` that belongs to ``key``.

    ``SeedSequence.spawn`` numbers its children in the order of the calls; here
    the place in the spawn key is a hash of ``key`` (128 bits), so that the
    order does not matter.

    Parameters
    ----------
    seed : int
        Master seed, at least 0.
    *key : str, int, float, bool or tuple of these
        What the stream is for, e.g. ``("adult", "grr", "uniform", 1.0, run)``.
        ``1`` and ``1.0`` are different keys.

    Raises
    ------
    ValueError
        If ``seed`` is negative or no integer, or a key part has another type.
    """
    validate.integer("seed", seed, low=0, high=math.inf)
    digest = hashlib.blake2b(_canonical(key).encode(), digest_size=16).digest()
    words = np.frombuffer(digest, dtype="<u4")
    return np.random.SeedSequence(int(seed), spawn_key=tuple(int(w) for w in words))


def stream(seed: int, *key: object) -> np.random.Generator:
    """A generator for ``key``; see :func:`seed_sequence` for the arguments."""
    return np.random.default_rng(seed_sequence(seed, *key))
