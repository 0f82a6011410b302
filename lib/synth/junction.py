"""Junction trees of marginals, and their calibration: beliefs that agree on what they share."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lib.synth.adapter import Clique, junction_tree


@dataclass(frozen=True)
class Tree:
    """A junction tree: ``cliques`` with parents before children.

    ``parents[c]`` is the place of the parent of clique ``c``, -1 for the first.
    """

    sizes: tuple[int, ...]
    cliques: tuple[Clique, ...]
    parents: tuple[int, ...]

    @classmethod
    def covering(cls, sizes: tuple[int, ...], cliques: Sequence[Clique]) -> Tree:
        """The junction tree of ``cliques`` over columns of these sizes."""
        return cls(sizes, *junction_tree(sizes, tuple(sorted({tuple(sorted(c)) for c in cliques}))))

    def shape(self, clique: Clique) -> tuple[int, ...]:
        """The sizes of the columns of ``clique``."""
        return tuple(self.sizes[i] for i in clique)

    def axes(self, clique: Clique, kept: Clique) -> tuple[int, ...]:
        """The axes of ``clique`` that are not in ``kept``."""
        return tuple(a for a, i in enumerate(clique) if i not in kept)

    def spread(self, kept: Clique, clique: Clique) -> tuple[int, ...]:
        """The shape that lets a table on ``kept`` (ascending) broadcast over ``clique``."""
        return tuple(self.sizes[i] if i in kept else 1 for i in clique)

    def home(self, columns: Clique) -> int | None:
        """The smallest clique that holds ``columns``."""
        at = [c for c, clique in enumerate(self.cliques) if set(columns) <= set(clique)]
        return min(at, key=lambda c: math.prod(self.shape(self.cliques[c])), default=None)

    @cached_property
    def separators(self) -> tuple[Clique, ...]:
        """What a clique shares with its parent; empty for the first."""
        return tuple(
            () if p < 0 else tuple(sorted(set(clique) & set(self.cliques[p])))
            for clique, p in zip(self.cliques, self.parents, strict=True)
        )

    @cached_property
    def routes(self) -> tuple[tuple, ...]:
        """Per child: its place, its parent's, the axes to sum out in each, the shapes to add in."""
        return tuple(
            (
                c,
                p,
                *(self.axes(self.cliques[i], s) for i in (c, p)),
                *(self.spread(s, self.cliques[i]) for i in (c, p)),
            )
            for c, (p, s) in enumerate(zip(self.parents, self.separators, strict=True))
            if p >= 0
        )


def _log_sum(table: np.ndarray, axes: tuple[int, ...]) -> np.ndarray:
    if not axes:
        return table
    top = table.max(axis=axes, keepdims=True)
    return np.log(np.exp(table - top).sum(axis=axes, keepdims=True)) + top


def calibrate(tree: Tree, theta: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Beliefs ``mu_C`` (each sums to one) of the potentials ``theta``, by two passes over a tree.

    Examples
    --------
    >>> tree = Tree.covering((2,), [(0,)])
    >>> calibrate(tree, [np.log([1.0, 3.0])])[0].round(2).tolist()
    [0.25, 0.75]
    """
    log = [t.copy() for t in theta]
    sent = {}
    for child, parent, out, _, _, into in reversed(tree.routes):
        sent[child] = _log_sum(log[child], out)
        log[parent] += sent[child].reshape(into)
    for child, parent, _, out, into, _ in tree.routes:
        log[child] += _log_sum(log[parent], out).reshape(into) - sent[child].reshape(into)
    shares = [np.exp(table - table.max()) for table in log]
    return [table / table.sum() for table in shares]
