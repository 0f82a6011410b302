"""A table of noisy counts: an epsilon-DP release simple enough for the best possible attack.

Replacing one record moves the counts by 2 in L1 (the paper's neighbours differ
in one entry), so Laplace noise of scale ``2 / epsilon`` on each count is
epsilon-DP. Three learners read the release:

- ``informed`` knows the whole data set and not the split. It says +1 in cells
  of which the release reports more than half. The definition allows it: it
  quantifies over all learners for every data set.
- ``counts`` knows the release alone: +1 where a count is at least one half.
- ``forest`` draws rows from the counts and learns the target from them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib import validate
from lib.coherence.learners import BATTERY, Constant, Predict

ATTACKERS = ("informed", "counts", "forest")


@dataclass(frozen=True, kw_only=True)
class Histogram:
    """Counts of the cells of some columns, with Laplace noise.

    Parameters
    ----------
    columns, sizes : tuples
        Names and declared numbers of codes ``0 .. size-1``.
    epsilon : float
        Of the release, for replacing one record; infinity publishes exact counts.

    Examples
    --------
    >>> table = Histogram(columns=("a",), sizes=(3,), epsilon=math.inf)
    >>> table.counts(pd.DataFrame({"a": [0, 2, 2]})).tolist()
    [1, 0, 2]
    """

    columns: tuple[str, ...]
    sizes: tuple[int, ...]
    epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", validate.names("columns", self.columns))
        validate.sequence("sizes", self.sizes)
        validate.positive("epsilon", self.epsilon, infinite=True)
        what = f"one for each of the columns {self.columns!r}"
        validate.require(len(self.sizes) == len(self.columns) > 0, "sizes", what, self.sizes)
        for name, size in zip(self.columns, self.sizes, strict=True):
            validate.integer(f"size of {name}", size, low=1)

    @property
    def cells(self) -> int:
        """Number of cells of the table of counts."""
        return math.prod(self.sizes)

    def cell(self, records: pd.DataFrame) -> np.ndarray:
        """The cell of each record, shape (n,)."""
        validate.table("records", records)
        codes = [
            validate.codes(c, records[validate.choice("records", c, records.columns)].to_numpy(), k)
            for c, k in zip(self.columns, self.sizes, strict=True)
        ]
        return np.ravel_multi_index(codes, self.sizes)

    def counts(self, records: pd.DataFrame) -> np.ndarray:
        """Exact counts, shape (cells,)."""
        return np.bincount(self.cell(records), minlength=self.cells)

    def release(self, records: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
        """Noisy counts, shape (cells,)."""
        validate.generator("rng", rng)
        exact = self.counts(records).astype(float)
        if math.isinf(self.epsilon):
            return exact
        return exact + rng.laplace(0.0, 2 / self.epsilon, exact.size)

    def rows(self, noisy: np.ndarray, n: int, rng: np.random.Generator) -> pd.DataFrame:
        """``n`` rows drawn from the positive part of the counts, or evenly if there is none."""
        validate.integer("n", n, low=0)
        validate.generator("rng", rng)
        noisy = validate.finite("noisy", noisy)
        validate.require(noisy.shape == (self.cells,), "noisy", f"{self.cells} counts", noisy.shape)
        weight = np.clip(noisy, 0, None)
        share = weight / weight.sum() if weight.sum() > 0 else np.full(self.cells, 1 / self.cells)
        drawn = np.unravel_index(rng.choice(self.cells, size=n, p=share), self.sizes)
        return pd.DataFrame(dict(zip(self.columns, drawn, strict=True)))


@dataclass(frozen=True)
class Attacker:
    """A curator and a learner in one: publishes the histogram of the half, then attacks it.

    Parameters
    ----------
    population : int array of shape (cells,)
        Counts of the whole data set, for ``"informed"``.
    """

    histogram: Histogram
    kind: str
    population: np.ndarray | None = None

    def __post_init__(self) -> None:
        validate.instance("histogram", self.histogram, Histogram)
        validate.choice("kind", self.kind, ATTACKERS)
        known, asked = self.population, (self.histogram.cells,)
        shape = None if known is None else validate.finite("population", known).shape
        fits = self.kind != "informed" or shape == asked
        what = f"counts for the informed attacker, of shape {asked}"
        validate.require(fits, "population", what, shape)

    def __call__(
        self, half: pd.DataFrame, target: str, lens: tuple[str, ...], rng: np.random.Generator
    ) -> Predict:
        noisy = self.histogram.release(half, rng)
        if self.kind == "forest":
            table = self.histogram.rows(noisy, len(half), rng)
            seen = tuple(c for c in self.histogram.columns if c != target and c in lens)
            learner = BATTERY["forest"] if seen else Constant()
            return learner(table, target, seen, rng)
        threshold = np.asarray(self.population) / 2 if self.kind == "informed" else 0.5
        says = np.where(noisy > threshold, 1.0, np.where(noisy == threshold, 0.0, -1.0))
        return lambda records: says[self.histogram.cell(records)]
