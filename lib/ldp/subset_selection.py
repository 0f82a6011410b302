"""Subset selection (SS): report omega values, the true one among them with probability p."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations

import numpy as np

from lib import validate
from lib.ldp.base import Protocol, snap
from lib.ldp.sampling import bernoulli, random_members, random_subsets

_MAX_ENUMERATED = 100_000
_K_MAX = (1 << 32) + 1  # the other k - 1 values are drawn as 32-bit words
_BLOCK = 1 << 18  # members that are checked or counted at a time

OMEGA_RULES: dict[str, Callable[[float], int]] = {"floor": math.floor, "round": round}


class SS(Protocol):
    """``p = omega e^eps / (omega e^eps + k - omega)`` (Wang et al. 2016; Ye & Barg 2018).

    A report is a subset of ``omega`` values, in rising order: nothing in it says
    which of them, if any, is the user's own.

    Parameters
    ----------
    omega_rule : {"floor", "round"}
        How ``k / (e^eps + 1)`` becomes a size: rounded down as the paper
        prints, or to the nearest as the common implementation has it. Where
        the rule says 0 (no subset to report), 1 is used: SS is then GRR.

    Examples
    --------
    >>> protocol = SS(k=10, epsilon=1.0)
    >>> protocol.omega, protocol.privatise(np.array([7]), np.random.default_rng(0)).shape
    (2, (1, 2))
    """

    name = "SS"
    not_p: float

    def __init__(self, *, k: int, epsilon: float, omega_rule: str = "floor") -> None:
        super().__init__(k=k, epsilon=epsilon)
        rule = OMEGA_RULES[validate.choice("omega_rule", omega_rule, OMEGA_RULES)]
        shrink = math.exp(-self.epsilon)
        self.omega = max(1, rule(snap(self.k * shrink / (1 + shrink))))
        omega, k = self.omega, self.k
        self.p = self.p_star = omega / (omega + (k - omega) * shrink)
        not_p = self.not_p = (k - omega) * shrink / (omega + (k - omega) * shrink)
        self.q = self.q_star = (self.p * (omega - 1) + not_p * omega) / (k - 1)
        # Pr of one given subset: with the true value in it, and without
        self._log_in = math.log(self.p) - _log_choose(k - 1, omega - 1)
        self._log_out = math.log(not_p) - _log_choose(k - 1, omega)

    def privatise(self, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The values of each reported subset, of the least unsigned type, shape (n, omega).

        The same subsets as :meth:`privatise_support` draws from the same stream.

        Raises
        ------
        ValueError
            As :meth:`Protocol.privatise`, and if ``k`` is above 2**32 + 1: so many values can be
            reckoned with, but not drawn from.
        """
        values = self._to_draw(values, rng)
        truth = bernoulli(values.shape, self.p, rng).view(bool)
        sizes = self.omega - truth.astype(np.int64)
        reports = random_members(values.size, self.k - 1, sizes, rng, columns=self.omega)
        for start in range(0, len(reports), step := max(1, _BLOCK // self.omega)):
            # value v of the others stands for the spare last one; who tells the truth has a place
            # left, the first
            block, own = reports[start : start + step], values[start : start + step, None]
            block[block == own] = self.k - 1
            np.copyto(block[:, :1], own, where=truth[start : start + step, None], casting="unsafe")
            block.sort(axis=1)
        return reports

    def _to_draw(self, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        validate.require(self.k <= _K_MAX, "k", f"at most {_K_MAX} to draw subsets", self.k)
        return super()._to_draw(values, rng)

    def privatise_support(self, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Indicator vectors of the reported subsets, uint8 of shape (n, k)."""
        values = self._to_draw(values, rng)
        truth = bernoulli(values.shape, self.p, rng)
        sizes = self.omega - truth.astype(np.int64)
        bits = random_subsets(values.size, self.k - 1, sizes, rng, columns=self.k)
        # column v stands for the user's own value: what fell there moves to the spare last column
        own = np.arange(values.size) * self.k + values
        flat = bits.reshape(-1)
        bits[:, -1] = flat.take(own)
        flat[own] = truth
        return bits

    def support(self, reports: np.ndarray) -> np.ndarray:
        """Indicator vectors of the reported subsets, uint8 of shape (n, k)."""
        bits = np.zeros((self.n_reports(reports), self.k), dtype=np.uint8)
        for start, members in self._blocks(reports):
            rows = np.arange(start, start + len(members))[:, None]
            bits.reshape(-1)[rows * self.k + members] = 1
        return bits

    def support_counts(self, reports: np.ndarray) -> np.ndarray:
        """``C(v)``, the number of reports that support each value, int64 of shape (k,)."""
        blocks = (
            np.bincount(members.reshape(-1), minlength=self.k)
            for _, members in self._blocks(reports)
        )
        return sum(blocks, np.zeros(self.k, dtype=np.int64))

    def _blocks(self, reports: np.ndarray):
        """First row and members of some users at a time, checked: counts need no (n, k) array."""
        reports = validate.array("reports", reports)
        fits = reports.ndim == 2 and reports.shape[1] == self.omega
        validate.require(fits, "reports", f"of shape (n, {self.omega})", reports.shape)
        step = max(1, _BLOCK // self.omega)
        for start in range(0, len(reports), step):
            block = reports[start : start + step]
            members = validate.codes("reports", block.reshape(-1), self.k).reshape(block.shape)
            ordered = np.sort(members, axis=1)
            if (twice := (ordered[:, 1:] == ordered[:, :-1]).any(axis=1)).any():
                row = int(np.flatnonzero(twice)[0])
                raise validate.refusal(
                    "a report", f"{self.omega} different values", members[row].tolist()
                )
            yield start, members

    def subsets(self) -> np.ndarray:
        """The possible reports as indicator vectors, in the channel's order: (C(k, omega), k).

        Raises
        ------
        ValueError
            If there are more than 100,000.
        """
        count = math.comb(self.k, self.omega)
        what = f"at most {_MAX_ENUMERATED} to list them"
        validate.require(count <= _MAX_ENUMERATED, "number of subsets", what, count)
        table = np.zeros((count, self.k), dtype=np.uint8)
        for row, chosen in enumerate(combinations(range(self.k), self.omega)):
            table[row, list(chosen)] = 1
        return table

    def channel(self) -> np.ndarray:
        """Shape (k, C(k, omega)), columns as :meth:`subsets`."""
        return np.where(self.subsets().T == 1, math.exp(self._log_in), math.exp(self._log_out))

    def log_channel(self) -> np.ndarray:
        """Shape (k, C(k, omega)), columns as :meth:`subsets`."""
        return np.where(self.subsets().T == 1, self._log_in, self._log_out)

    def privacy_loss(self) -> float:
        """The log ratio of a subset with the user's value in it to one without."""
        # not the difference of the two: logarithms of thousands would lose digits for a large k
        return math.log(self.p / self.not_p) + math.log((self.k - self.omega) / self.omega)


class RoundedSS(SS):
    """SS as commonly implemented: ``omega`` is the whole number nearest to ``k / (e^eps + 1)``."""

    name = "SS-rounded"

    def __init__(self, *, k: int, epsilon: float) -> None:
        super().__init__(k=k, epsilon=epsilon, omega_rule="round")


def _log_choose(n: int, r: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(r + 1) - math.lgamma(n - r + 1)
