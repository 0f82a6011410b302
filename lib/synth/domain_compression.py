"""Merging the rare codes of a column: what MST does before it looks at pairs.

A code whose noisy count is below three standard deviations of its noise cannot
be told from an empty one. All such codes of a column become one, which shrinks
the pairs; afterwards its rows are spread evenly over them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib.domain import Domain
from lib.synth.base import Measurement


@dataclass(frozen=True)
class Compression:
    """``maps[c][code]`` is the merged code of ``code`` in column ``c``."""

    domain: Domain
    maps: dict[str, np.ndarray]

    @classmethod
    def of(
        cls, domain: Domain, measurements: tuple[Measurement, ...], threshold: float = 3.0
    ) -> Compression:
        """From noisy one-way marginals: codes below ``threshold * sigma`` share one merged code.

        It is the last one.

        Examples
        --------
        >>> noisy = Measurement(("a",), np.array([90.0, 1.0, -2.0, 40.0]), 2.0)
        >>> Compression.of(Domain.of({"a": 4}), (noisy,)).maps["a"].tolist()
        [0, 2, 2, 1]
        """
        maps = {}
        for m in measurements:
            common = m.noisy >= threshold * m.sigma
            if (~common).sum() <= 1:
                common[:] = True
            maps[m.columns[0]] = np.where(common, np.cumsum(common) - 1, common.sum())
        return cls(domain, maps)

    @property
    def merged(self) -> Domain:
        """The domain of the merged codes."""
        return Domain.of({c: int(self.maps[c].max()) + 1 for c in self.domain.columns})

    def matrix(self, column: str) -> np.ndarray:
        """Row ``m``: the share of merged code ``m`` that each original code gets."""
        to = self.maps[column]
        belongs = (to[None, :] == np.arange(to.max() + 1)[:, None]).astype(float)
        return belongs / belongs.sum(axis=1, keepdims=True)

    def shrink(self, data: pd.DataFrame) -> pd.DataFrame:
        """The rows in merged codes."""
        codes = {c: data[c].to_numpy().astype(np.intp, copy=False) for c in self.domain.columns}
        return pd.DataFrame(
            {c: self.maps[c][codes[c]] for c in self.domain.columns}, index=data.index
        )

    def merge(self, m: Measurement) -> Measurement:
        """The measurement of the merged marginal.

        A cell that sums ``k`` noisy ones has ``k`` times their variance. The fit weights it by
        that, as the published code does.
        """
        to = self.maps[m.columns[0]]
        return Measurement(m.columns, np.bincount(to, m.noisy), m.sigma * np.sqrt(np.bincount(to)))

    def expand(self, data: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        """Rows of merged codes as rows of the original ones, drawn evenly from those merged."""
        columns = {}
        for c in self.domain.columns:
            to = self.maps[c]
            order = np.argsort(to, kind="stable")
            size = np.bincount(to)
            first = np.cumsum(size) - size
            merged = data[c].to_numpy()
            columns[c] = order[
                first[merged] + np.floor(rng.random(len(data)) * size[merged]).astype(int)
            ]
        return self.domain.narrow(pd.DataFrame(columns))
