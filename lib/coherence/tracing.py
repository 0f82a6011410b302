"""The tracer, an attacker that knows the data set and finds whose rare marginals are repeated.

A lookup finds records that a release repeats. A private synthesizer repeats
none, but its low-order marginals may still lean towards the half that it was
fitted to. The tracer adds these leanings up over all pairs of columns (the
statistic of Homer et al. 2008, "Resolving individuals contributing trace
amounts of DNA", with pairs of columns in the place of alleles). The definition
of coherence quantifies over all learners for each data set, so one that knows
the data set, and not the split, is allowed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np
import pandas as pd

from lib import validate
from lib.coherence.learners import Predict, check_release


@dataclass(frozen=True)
class Tracer:
    """Predicts +1 for people whose marginals are more frequent in the release, else -1.

    More frequent than in the data set, on the whole. With ``r_S`` and ``x_S`` the shares of a
    person's cell of the marginal ``S`` in the release and in the data set, the score is the mean
    over ``S`` of ``r_S / x_S - 1``; a score of 0 is answered by 0.

    Parameters
    ----------
    population : DataFrame
        The whole data set, both halves.
    k : int
        Columns per marginal, among those of the lens (all of them, if there are fewer).

    Examples
    --------
    >>> people = pd.DataFrame({"a": [0, 0, 1, 1]})
    >>> predict = Tracer(people, k=1)(people[:2], "y", ("a",), np.random.default_rng(0))
    >>> predict(people).tolist()
    [1.0, 1.0, -1.0, -1.0]
    """

    population: pd.DataFrame = field(repr=False)
    k: int = 2

    def __post_init__(self) -> None:
        validate.integer("k", self.k, low=1)
        if validate.table("population", self.population).empty:
            raise ValueError("population must have at least 1 row, got none")

    def __call__(
        self, half: pd.DataFrame, target: str, lens: tuple[str, ...], rng: np.random.Generator
    ) -> Predict:
        check_release(half, lens)
        marginals = list(combinations(lens, min(self.k, len(lens))))
        ratios = [self._ratio(half, list(s)) for s in marginals]

        def predict(records: pd.DataFrame) -> np.ndarray:
            score = np.zeros(len(records))
            for columns, ratio in zip(marginals, ratios, strict=True):
                rows = pd.MultiIndex.from_frame(records[[*columns]])
                score += ratio.reindex(rows).to_numpy() - 1
            if np.isnan(score).any():
                raise ValueError(
                    "records must be members of the population, got somebody who is not in it"
                )
            return np.sign(np.where(np.abs(score) < 1e-9, 0.0, score))

        return predict

    def _ratio(self, half: pd.DataFrame, columns: list[str]) -> pd.Series:
        """Share in the release over share in the data set, of each cell that the data set fills."""
        there = self.population.value_counts(columns)
        here = half.value_counts(columns).reindex(there.index, fill_value=0)
        return (here / len(half)) / (there / len(self.population))
