"""Local hashing (BLH, OLH): hash the value into [g], then randomised response on the hash.

A report is a hash function, named by a 64-bit seed, and a perturbed hash; it
supports every value that the function sends there.

The protocols are analysed with a hash function drawn from all functions ``[k]
-> [g]``. Then, given a report, the values other than the user's own are in its
support independently with probability ``1/g``: a support set has the law of a
unary encoding with ``p = Pr[keep]`` and ``q = 1/g``. :meth:`privatise_support`
draws from that law directly, at the cost of the random bits, and the tests hold
the seeded hash against it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lib import validate
from lib.ldp.base import Protocol, snap
from lib.ldp.grr import randomised_response
from lib.ldp.unary import perturbed_bits

_BLOCK = 1 << 16  # entries of (users x values) hashed at a time
_RANGE_MAX = 1 << 61  # hashes are 64-bit words; from epsilon = 42.3 on, e^eps + 1 no longer fits


def _mix(x: np.ndarray) -> np.ndarray:
    """The finaliser of SplitMix64, a bijection of 64-bit words that mixes all bits, in place."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        x ^= x >> np.uint64(shift)
        x *= np.uint64(factor)
    return x


def hash_values(seeds: np.ndarray, values: np.ndarray, g: int) -> np.ndarray:
    """``H_seed(value)`` in ``0..g-1``, as int64.

    Parameters
    ----------
    seeds : array of uint64, any shape
        Each names a hash function.
    values : array of whole numbers in ``0 .. 2**63 - 1``
        Of a shape that broadcasts with that of ``seeds``.
    g : int
        Size of the range, from 1 up to 2**63.

    Raises
    ------
    ValueError
        For another type, an entry out of range, or shapes that do not broadcast.
    """
    seeds, values = np.asarray(seeds), np.asarray(values)
    validate.require(seeds.dtype == np.uint64, "seeds", "of dtype uint64", seeds.dtype)
    validate.codes("values", values.reshape(-1), 1 << 63)
    validate.integer("g", g, low=1, high=1 << 63)
    validate.broadcastable("values", values.shape, seeds.shape, "seeds")
    return _hashes(seeds, values, g)


def _hashes(seeds: np.ndarray, values: np.ndarray, g: int) -> np.ndarray:
    """:func:`hash_values` of what is checked already."""
    values = values.astype(np.uint64)
    words = _mix(seeds + (values + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15))
    words ^= seeds
    words = _mix(words)
    words %= np.uint64(g)
    return words.view(np.int64)


@dataclass(frozen=True)
class HashReports:
    """Reports of n users: ``seeds`` name their hash functions, ``hashes`` are what they sent."""

    seeds: np.ndarray
    hashes: np.ndarray

    def __len__(self) -> int:
        return self.hashes.size


class LocalHashing(Protocol):
    """``p = e^eps / (e^eps + g - 1)`` on the hash; ``p_star = p``, ``q_star = 1/g``.

    Hashes are drawn from ``[min(g, 2**61)]``. A ``g`` above that moves the law of
    the reports by less than 2**-60, which the probabilities, being doubles, do as
    well; a perturbed hash is then hidden among fewer, so each is likelier than
    ``q`` and the privacy loss smaller than epsilon.
    """

    g: int

    def _set(self, g: int) -> None:
        self.g, self._range = g, min(g, _RANGE_MAX)
        self.p = self.p_star = 1 / (1 + (g - 1) * math.exp(-self.epsilon))
        self.q = self.p * math.exp(-self.epsilon)
        self.not_p = (g - 1) * self.q
        self.q_star = 1 / g

    def privatise(self, values: np.ndarray, rng: np.random.Generator) -> HashReports:
        """A fresh hash function for each user, and their perturbed hash."""
        values = self._to_draw(values, rng)
        seeds = rng.integers(0, 2**64, size=values.size, dtype=np.uint64)
        hashes = _hashes(seeds, values, self._range)
        return HashReports(seeds, randomised_response(hashes, self._range, self.p, rng))

    def privatise_support(self, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Drawn directly, for hash functions drawn from all functions (see the module)."""
        return perturbed_bits(self._to_draw(values, rng), self.k, self.p_star, self.q_star, rng)

    def _blocks(self, reports: HashReports):
        """Supports of some users at a time, so that counts need no (n, k) array."""
        seeds, hashes = self._checked(reports)
        step = max(1, _BLOCK // self.k)
        for start in range(0, hashes.size, step):
            part = slice(start, start + step)
            yield (
                part,
                _hashes(seeds[part, None], np.arange(self.k), self._range) == hashes[part, None],
            )

    def _checked(self, reports: HashReports) -> tuple[np.ndarray, np.ndarray]:
        """Seeds and hashes, if they are such as :meth:`privatise` makes."""
        made = isinstance(reports, HashReports)
        validate.require(made, "reports", "HashReports", type(reports))
        hashes = validate.codes("hashes of reports", reports.hashes, self._range)
        seeds = np.asarray(reports.seeds)
        validate.require(
            seeds.dtype == np.uint64, "seeds of reports", "of dtype uint64", seeds.dtype
        )
        alike = seeds.shape == hashes.shape
        validate.require(alike, "seeds of reports", f"of shape {hashes.shape}", seeds.shape)
        return seeds, hashes

    def n_reports(self, reports: HashReports) -> int:
        """How many users reported."""
        return self._checked(reports)[0].size

    def support(self, reports: HashReports) -> np.ndarray:
        """The values that each user's hash function maps to their report, uint8 of shape (n, k)."""
        bits = np.empty((self.n_reports(reports), self.k), dtype=np.uint8)
        for part, block in self._blocks(reports):
            bits[part] = block
        return bits

    def support_counts(self, reports: HashReports) -> np.ndarray:
        """``C(v)``, the number of reports that support each value, int64 of shape (k,)."""
        return sum(
            (block.sum(axis=0) for _, block in self._blocks(reports)),
            np.zeros(self.k, dtype=np.int64),
        )

    def channel(self, hashes: np.ndarray | None = None) -> np.ndarray:
        """``Pr[z | v]`` given the hash function, shape (k, g).

        Parameters
        ----------
        hashes : array of int, shape (k,), optional
            The function as a table ``v -> H(v)``; ``v mod g`` if none is given.
            The function is public and drawn independently of ``v``, so the
            ratios of this channel are those of the whole report.

        Raises
        ------
        ValueError
            If ``g`` is above 2**20 (see :meth:`log_channel`) or ``hashes`` is no such table.
        """
        what = f"at most {1 << 20} to list the reports (see log_channel)"
        validate.require(self.g <= 1 << 20, "g", what, self.g)
        hashes = self._table(hashes)
        channel = np.full((self.k, self.g), self.q)
        channel[np.arange(self.k), hashes] = self.p
        return channel

    def log_channel(self, hashes: np.ndarray | None = None) -> np.ndarray:
        """``log Pr[z | v]`` given the hash function, for any ``g``, shape (k, at most k + 1).

        The columns are the hashes that some value has, in rising order, and
        last, if there are others, all of those in one: every value sends them
        with the same probability. ``hashes`` and errors are as in
        :meth:`channel`, without its bound on ``g``.
        """
        hashed, column = np.unique(self._table(hashes), return_inverse=True)
        channel = np.full((self.k, hashed.size + 1), math.log(self.q))
        channel[np.arange(self.k), column] = math.log(self.p)
        if hashed.size == self.g:
            return channel[:, :-1]
        channel[:, -1] += math.log(self.g - hashed.size)
        return channel

    def _table(self, hashes: np.ndarray | None) -> np.ndarray:
        if hashes is None:
            return np.arange(self.k, dtype=np.int64) % self._range
        hashes = validate.codes("hashes", hashes, self._range)
        validate.require(hashes.size == self.k, "hashes", f"of shape ({self.k},)", hashes.shape)
        return hashes

    def privacy_loss(self) -> float:
        """``log p / q``, once the hash function tells two values apart."""
        return math.log(self.p) - math.log(self.q)


class BLH(LocalHashing):
    """Binary local hashing, ``g = 2`` (Bassily & Smith 2015).

    >>> BLH(k=100, epsilon=1.0).g
    2
    """

    name = "BLH"

    def __init__(self, *, k: int, epsilon: float) -> None:
        super().__init__(k=k, epsilon=epsilon)
        self._set(2)


G_RULES = {
    "floor": lambda epsilon: math.floor(snap(math.exp(epsilon))) + 1,
    "round": lambda epsilon: round(snap(math.exp(epsilon))) + 1,
}


class OLH(LocalHashing):
    """Optimal local hashing (Wang et al. 2017).

    Parameters
    ----------
    g_rule : {"floor", "round"}
        ``floor(e^eps + 1)`` as the paper prints, or ``round(e^eps) + 1`` as the
        common implementation has it.

    Examples
    --------
    >>> OLH(k=100, epsilon=1.0).g, OLH(k=100, epsilon=1.0, g_rule="round").g
    (3, 4)
    """

    name = "OLH"

    def __init__(self, *, k: int, epsilon: float, g_rule: str = "floor") -> None:
        super().__init__(k=k, epsilon=epsilon)
        rule = G_RULES[validate.choice("g_rule", g_rule, G_RULES)]
        self._set(rule(self.epsilon))


class RoundedOLH(OLH):
    """OLH as the common implementation has it: ``g = round(e^eps) + 1``."""

    name = "OLH-rounded"

    def __init__(self, *, k: int, epsilon: float) -> None:
        super().__init__(k=k, epsilon=epsilon, g_rule="round")
