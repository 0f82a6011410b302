"""What protocols draw: independent bits, and uniform random subsets, one for each user.

*Bits*, at about one random byte each. A byte ``u`` decides almost every bit: ``u < floor(256 p)``
is a one, ``u > floor(256 p)`` a zero. The one value in 256 that ties is settled by a 53-bit uniform
against the remainder, so the probability is exact to 2**-61.

*Subsets* of ``0..m-1``, as rows of bits or of members, in two ways to the same law. Floyd's
algorithm adds one element at a time and is the quicker one for small subsets. For larger ones the
domain is cut into words of 16 elements: how many of a user's elements fall into a word is
hypergeometric, and given that number every pattern of the word is as likely as any other, so a
table of patterns by their number of ones is all that is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

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
    # bytes need no copy; anything else is compared before it is cast, since NaN has no byte
    if found.dtype != np.uint8 or found.max(initial=0) > 1:
        right = np.isin(found, (0, 1))
        if not right.all():
            raise validate.refusal(name, "bits, 0 or 1", found[~right].tolist()[0])
    return found.astype(np.uint8, copy=False)


_WORD = 16
_WIDEST = (
    512  # the tables of a word grow with m; beyond this Floyd's steps are cheaper than making them
)
_TIE = 255
_FEW = 32  # so many members are compared one by one; more are looked up in a table of bits
_ROWS = 1 << 20  # bits that are unpacked at a time
_TOGETHER = 2000  # rows that take Floyd's steps together


def random_subsets(
    n: int, m: int, sizes: np.ndarray, rng: np.random.Generator, *, columns: int = 0
) -> np.ndarray:
    """For each of n users a uniform subset of ``0..m-1`` of the size asked for.

    Parameters
    ----------
    sizes : int array of shape (n,)
        Between 0 and m.
    columns : int
        Width of the result if larger than m; what is beyond column m is 0.

    Returns
    -------
    uint8 array of shape (n, max(m, columns)), contiguous
    """
    width = max(m, columns)
    if _is_small(m, sizes):
        return _floyd(n, m, sizes, rng, width)
    return _unpack(_words(n, m, sizes, rng), width)


def random_members(
    n: int, m: int, sizes: np.ndarray, rng: np.random.Generator, *, columns: int = 0
) -> np.ndarray:
    """The subsets of :func:`random_subsets` from the same stream, without its n by m bits.

    Parameters
    ----------
    sizes : int array of shape (n,)
        Between 0 and m.
    columns : int
        Width of the result if larger than the largest size.

    Returns
    -------
    array of shape (n, max(largest size, columns)), of the least unsigned type that holds m
        The members stand to the right, in no particular order; a place that is
        not taken, on the left, holds m.
    """
    members = np.full((n, max(int(sizes.max(initial=0)), columns)), m, dtype=np.min_scalar_type(m))
    if _is_small(m, sizes):
        return _floyd_members(members, m, sizes, rng)
    words, places = _words(n, m, sizes, rng), np.arange(members.shape[1])
    step = max(1, _ROWS // m)
    for start in range(0, n, step):
        part = slice(start, start + step)
        _, chosen = np.nonzero(_unpack(words[part], m))
        members[part][places >= places.size - sizes[part, None]] = chosen
    return members


def _is_small(m: int, sizes: np.ndarray) -> bool:
    return m > _WIDEST or sizes.max(initial=0) <= 2 * -(-m // _WORD)


def _floyd(n: int, m: int, sizes: np.ndarray, rng: np.random.Generator, width: int) -> np.ndarray:
    """Floyd's algorithm for all users: draw ``t`` in ``0..j``; add it, or ``j`` if it is in.

    No earlier step can have added ``j``, so its column is written, not looked up.
    """
    member = np.zeros((n, width), dtype=bool)
    flat, rows = member.reshape(-1), np.arange(n) * width
    fewest = int(sizes.min(initial=m))
    for back in range(int(sizes.max(initial=0)), 0, -1):
        who = slice(None) if back <= fewest else np.flatnonzero(sizes >= back)
        j, active = m - back, rows[who]
        at = active + rng.integers(0, j + 1, size=active.size, dtype=np.uint32).astype(np.intp)
        member[who, j] = flat.take(at)
        flat[at] = True
    return member.view(np.uint8)


def _floyd_members(
    members: np.ndarray, m: int, sizes: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """:func:`_floyd` draw by draw, but step ``j`` writes its element into a column of its own.

    All draws are made first, and then a few rows at a time take all steps: their tables of bits
    stay in the cache.
    """
    n, width = members.shape
    most, fewest = int(sizes.max(initial=0)), int(sizes.min(initial=m))
    for high in range(most, 0, -_FEW):  # so many columns are written together
        drawn = np.full((min(high, _FEW), n), m, dtype=members.dtype)
        for column, back in zip(drawn, range(high, 0, -1), strict=False):
            who = slice(None) if back <= fewest else np.flatnonzero(sizes >= back)
            column[who] = rng.integers(0, m - back + 1, size=column[who].size, dtype=np.uint32)
        members[:, width - high : width - high + len(drawn)] = drawn.T
    for start in range(0, n, _TOGETHER):
        part, size = members[start : start + _TOGETHER], sizes[start : start + _TOGETHER]
        table = np.zeros((len(part), -(-m // 8)), dtype=np.uint8) if most > _FEW else None
        everyone = np.arange(len(part))
        for back in range(most, 0, -1):
            who = everyone if back <= fewest else np.flatnonzero(size >= back)
            j, column = m - back, width - back
            t = part[who, column]
            if table is None:
                is_in = (part[who, :column] == t[:, None]).any(axis=1)
                part[who, column] = np.where(is_in, j, t)
            else:
                part[who, column] = _add(table, who, t, j)
    return members


def _add(table: np.ndarray, rows: np.ndarray, t: np.ndarray, j: int) -> np.ndarray:
    """Floyd's step on a table of bits, eight to a byte: what each row got, ``t`` or ``j``."""
    flat, first = table.reshape(-1), rows * table.shape[1]
    is_in = flat.take(first + (t >> 3).astype(np.intp)) >> (t & 7).astype(np.uint8) & 1
    added = np.where(is_in, j, t)
    flat[first + (added >> 3)] |= np.left_shift(1, added & 7).astype(np.uint8)
    return added


def _unpack(words: np.ndarray, width: int) -> np.ndarray:
    return np.unpackbits(words.view(np.uint8), axis=1, count=width, bitorder="little")


def _words(n: int, m: int, sizes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Indicator vectors 16 bits to a word, shape (n, m / 16 rounded up)."""
    left = sizes.astype(np.intp)
    words = np.empty((n, -(-m // _WORD)), dtype="<u2")
    for i, start in enumerate(range(0, m, _WORD)):
        size = min(_WORD, m - start)
        last = start + size == m
        ones = left if last else _share(m - start, int(sizes.max())).draw(left, rng)
        patterns, first, count = _patterns(size)
        words[:, i] = patterns.take(
            first.take(ones) + (rng.random(n) * count.take(ones)).astype(np.intp)
        )
        left = left - ones
    return words


@lru_cache
def _patterns(size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Patterns of ``size`` bits by number of ones; where each number begins; how many it has."""
    ones = np.bitwise_count(np.arange(2**size, dtype=np.uint32))
    count = np.bincount(ones, minlength=size + 1)
    return (
        np.argsort(ones, kind="stable").astype("<u2"),
        np.concatenate([[0], count[:-1].cumsum()]),
        count,
    )


@dataclass(frozen=True)
class _Share:
    """How many of ``r`` elements fall into the first word: a table that one byte usually decides.

    ``guide[r, b]`` is the number for every ``u`` in ``[b, b+1) / 256``, or a tie that a 53-bit
    uniform settles.
    """

    cumulative: np.ndarray
    guide: np.ndarray

    def draw(self, r: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        byte = np.frombuffer(rng.bytes(r.size), dtype=np.uint8)
        ones = self.guide.reshape(-1).take(r * 256 + byte).astype(np.intp)
        ties = np.flatnonzero(ones == _TIE)
        u = (byte[ties] + rng.random(ties.size)) / 256
        ones[ties] = (self.cumulative.take(r[ties], axis=0) <= u[:, None]).sum(axis=1)
        return ones


@lru_cache(maxsize=1024)
def _share(population: int, largest: int) -> _Share:
    cumulative = np.array([_law(population, r) for r in range(min(largest, population) + 1)])
    edges = np.arange(257) / 256
    # at the left end of each byte's interval
    number = (cumulative[:, None, :] <= edges[:-1, None]).sum(axis=2)
    right = (cumulative[:, None, :] < edges[1:, None]).sum(axis=2)  # and just before its right end
    return _Share(cumulative, np.where(number == right, number, _TIE).astype(np.uint8))


def _law(population: int, r: int) -> list[float]:
    """Hypergeometric distribution function of the first word at 0, ..., 15, rounded rightly.

    It is the quotient of whole numbers. A last bit would matter: where the law meets the end of a
    byte's interval, it decides how much of the stream is drawn.
    """
    ways = (
        math.comb(_WORD, x) * math.comb(population - _WORD, r - x) if x <= r else 0
        for x in range(_WORD)
    )
    total = math.comb(population, r)
    return [part / total for part in accumulate(ways)]
