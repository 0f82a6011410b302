"""MST: one-way marginals, a private maximum spanning tree, and the pairs that form it.

McKenna, Miklau and Sheldon (2021). Won the 2018 NIST competition. A third of the budget goes to
each of (OpenDP's version gives them 50%, 5% and 45%, and merges nothing)

1. measuring every one-way marginal, and merging codes that drown in the noise;
2. choosing ``d - 1`` pairs that form a tree, one at a time by the exponential
   mechanism; a pair's score is the L1 distance between its counts and what the
   one-way marginals say, and only pairs that join two parts are open;
3. measuring these pairs.

The graphical model over the tree is then fitted to all of it.

A code whose noisy count is below three standard deviations of its noise cannot be told from an
empty one. All such codes of a column become one, which shrinks the pairs; afterwards its rows are
spread evenly over them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from lib import validate
from lib.domain import Domain
from lib.dp import PrivacyAccountant
from lib.extras import needs
from lib.synth.base import Fitted, Measurement, Synthesizer, measure, open_accountant, select, share
from lib.synth.marginal_model import MarginalModel, estimate, positions
from lib.synth.workload import counts


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


@dataclass(frozen=True)
class MSTModel(Fitted):
    """A tree over merged codes, seen from the original ones.

    ``edges`` are the chosen pairs in the order of their choice.
    """

    domain: Domain
    accountant: PrivacyAccountant
    total: float
    inner: MarginalModel
    compression: Compression
    edges: tuple[tuple[str, str], ...]

    def marginal(self, columns: Sequence[str]) -> np.ndarray:
        """Shares of the cells of ``columns``; a merged code's share is divided among its codes."""
        table = self.inner.marginal(columns)
        for axis, column in enumerate(columns):
            table = np.moveaxis(
                np.tensordot(table, self.compression.matrix(column), axes=(axis, 0)), -1, axis
            )
        return table

    def sample(self, n: int, rng: np.random.Generator) -> pd.DataFrame:
        """``n`` rows; a merged code becomes one of its codes at random."""
        return self.compression.expand(self.inner.sample(n, rng), rng)


@dataclass(frozen=True, kw_only=True)
class MST(Synthesizer):
    """Parameters of MST.

    Parameters
    ----------
    parts : tuple of three floats
        How the budget is split between one-way marginals, the choice of pairs, and pairs. Even, as
        published.
    compress : bool
        Merge codes below three standard deviations, as published.
    iterations : int
        Of mirror descent, at most.

    Examples
    --------
    >>> domain = Domain.of({"a": 2, "b": 2})
    >>> people = pd.DataFrame({"a": [0, 1] * 50, "b": [0, 1] * 50})
    >>> model = MST(iterations=50).fit(people, domain, rho=1.0, rng=np.random.default_rng(0))
    >>> model.edges, model.accountant.spent, len(model.sample(7, np.random.default_rng(1)))
    ((('a', 'b'),), 1.0, 7)
    """

    parts: tuple[float, float, float] = (1, 1, 1)
    compress: bool = True
    iterations: int = 1000
    name: str = "mst"

    def __post_init__(self) -> None:
        parts = [
            validate.positive("parts", part) for part in validate.sequence("parts", self.parts)
        ]
        validate.require(len(parts) == 3, "parts", "three numbers", self.parts)
        for part in parts:
            share("parts over their sum", part / sum(parts))
        object.__setattr__(self, "parts", tuple(parts))
        validate.boolean("compress", self.compress)
        validate.integer("iterations", self.iterations, low=1)

    def fit(
        self, data: pd.DataFrame, domain: Domain, *, rho: float, rng: np.random.Generator
    ) -> MSTModel:
        """As :meth:`Synthesizer.fit`: single columns, a tree of pairs chosen one by one, pairs."""
        accountant = open_accountant(data, domain, rho, rng)
        budget = accountant.budget
        parts = self.parts if len(domain) > 1 else (1, 0, 0)
        first, choice, second = (budget * part / sum(parts) for part in parts)
        ones = tuple(
            measure(data, domain, (c,), first / len(domain), accountant, rng)
            for c in domain.columns
        )
        compression = Compression.of(domain, ones, 3.0 if self.compress else -np.inf)
        merged, small = compression.merged, compression.shrink(data)
        ones = tuple(compression.merge(m) for m in ones)
        edges = spanning_tree(small, merged, ones, choice, accountant, rng, self.iterations)
        pairs = tuple(
            measure(small, merged, edge, second / len(edges), accountant, rng) for edge in edges
        )
        model, total = estimate(merged, [*ones, *pairs], iterations=self.iterations)
        inner = MarginalModel(merged, accountant, total, model, (*ones, *pairs))
        return MSTModel(domain, accountant, total, inner, compression, edges)


def pair_scores(
    data: pd.DataFrame, domain: Domain, ones: tuple[Measurement, ...], iterations: int = 1000
) -> dict[tuple[str, str], float]:
    """How far each pair's counts are from independence, in L1: ``||M(D) - n p_a p_b||_1``.

    ``p`` and ``n`` are estimated from the one-way marginals. One row more or less moves a score by
    at most 1.
    """
    model, total = estimate(domain, ones, iterations=iterations)
    scores = {}
    for pair in combinations(domain.columns, 2):
        independent = total * model.marginal(positions(domain, pair)).ravel()
        scores[pair] = float(np.abs(counts(data, domain, pair) - independent).sum())
    return scores


def spanning_tree(
    data: pd.DataFrame,
    domain: Domain,
    ones: tuple[Measurement, ...],
    rho: float,
    accountant: PrivacyAccountant,
    rng: np.random.Generator,
    iterations: int,
) -> tuple[tuple[str, str], ...]:
    """The edges of a tree over the columns, in the order in which they were chosen.

    Kruskal's algorithm, with a noisy choice of the best edge.
    """
    with needs("synth"):
        from networkx.utils import UnionFind
    scores = pair_scores(data, domain, ones, iterations)
    parts = UnionFind(domain.columns)
    edges: list[tuple[str, str]] = []
    for _ in range(len(domain) - 1):
        open_pairs = [(a, b) for a, b in scores if parts[a] != parts[b]]
        values = np.array([scores[pair] for pair in open_pairs])
        edge = open_pairs[select(values, rho / (len(domain) - 1), 1.0, accountant, rng)]
        parts.union(*edge)
        edges.append(edge)
    return tuple(edges)
