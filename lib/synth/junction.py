"""Junction trees of marginals, and their calibration: beliefs that agree on what they share.

The trees come from ``mbi``, the library of Private-PGM's authors, which no other module imports.
(Tests also ask its own mirror descent for a second opinion on ours.) Columns go in as numbers,
because the library iterates over sets of names and the hash of a string changes from process to
process. Its arithmetic is set to 64 bits, its on-disk compilation cache is off (in a sweep it costs
more than it saves), and its Adam state and its draws from NumPy's global generator are not used.

Why not its estimator: every set of cliques is compiled again, which
takes some six times as long as the descent itself on a table of ten columns,
and AIM changes the set in every round. (The descent itself, once compiled, is
a third faster than ours.) ``benchmarks/test_synth.py`` times both.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import combinations

import numpy as np
from scipy.sparse.csgraph import connected_components

from lib.extras import needs

Clique = tuple[int, ...]


@cache
def load_jax():
    """``jax`` with 64-bit floats and without the compilation cache on disk."""
    with needs("synth"):
        import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_enable_compilation_cache", False)
    return jax


@cache
def load_mbi():
    """``mbi``, with the settings of :func:`load_jax`."""
    load_jax()
    with needs("synth"):
        import mbi

    return mbi


@lru_cache(maxsize=65536)
def junction_tree(
    sizes: tuple[int, ...], cliques: tuple[Clique, ...]
) -> tuple[tuple[Clique, ...], tuple[int, ...]]:
    """Maximal cliques of a triangulation, parents before children, and each one's parent.

    Parameters
    ----------
    sizes : tuple of int
        Of the columns 0, 1, ...
    cliques : tuple of tuples of int
        What the tree must cover; a column in none of them gets a clique of its own.

    Returns
    -------
    cliques : tuple of tuples of int, each ascending
    parents : tuple of int
        Place of the parent in ``cliques``, -1 for the first. Parts of the graph
        that do not touch hang on the first clique by an empty separator.
    """
    with needs("synth"):
        import networkx as nx

    mbi = load_mbi()
    domain = mbi.Domain(tuple(range(len(sizes))), tuple(sizes))
    tree, _ = mbi.junction_tree.make_junction_tree(domain, sorted(set(cliques)))
    order: list = []
    parents: list[int] = []
    for part in sorted(nx.connected_components(tree), key=min):
        root = min(part)
        place = {root: len(order)}
        order.append(root)
        parents.append(-1 if len(order) == 1 else 0)
        for parent, child in nx.bfs_edges(tree, root, sort_neighbors=sorted):
            place[child] = len(order)
            order.append(child)
            parents.append(place[parent])
    return tuple(tuple(sorted(clique)) for clique in order), tuple(parents)


def model_megabytes(sizes: tuple[int, ...], cliques: tuple[Clique, ...]) -> float:
    """AIM's JT-SIZE: what the junction tree's tables take at 8 bytes a cell, in 2^20 bytes.

    The tree is that of :func:`junction_tree`, but it is not built.

    Examples
    --------
    >>> model_megabytes((4, 8, 16), ((0, 1), (1, 2))) * 2**20 == 8 * (4 * 8 + 8 * 16)
    True
    """
    return float(megabytes_with(sizes, edges(cliques), ((),))[0])


def edges(cliques: Iterable[Clique]) -> frozenset[Clique]:
    """The pairs of columns that are together in a clique."""
    return frozenset(tuple(sorted(pair)) for clique in cliques for pair in combinations(clique, 2))


@lru_cache(maxsize=8)
def megabytes_with(
    sizes: tuple[int, ...], graph: frozenset[Clique], more: tuple[Clique, ...]
) -> np.ndarray:
    """:func:`model_megabytes` of the cliques with these :func:`edges`, with each of ``more``.

    AIM asks for thousands in a round, so columns are eliminated in all graphs side by side. A round
    that adds no edge asks for the same.
    """
    n, found = len(sizes), []
    rows = max(1, 2**20 // n**2)  # a graph takes n^2 bytes
    for start in range(0, max(1, len(more)), rows):
        near = np.tile(np.eye(n, dtype=bool), (len(more[start : start + rows]), 1, 1))
        for graph_of, clique in zip(near, more[start : start + rows], strict=True):
            for a, b in (*graph, *combinations(clique, 2)):
                graph_of[a, b] = graph_of[b, a] = True
        found.append(_cells(np.array(sizes, dtype=float), near))
    return np.concatenate(found) * 8 / 2**20


def _cells(sizes: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Cells of the trees of graphs, shape (graphs, n, n), in which a column is its own neighbour.

    The column with the smallest table is eliminated first, unless the graph is a tree. Floats are
    exact up to 2^53 cells.
    """
    count, n, _ = near.shape
    each, total = np.arange(count), np.zeros(count)
    few = np.flatnonzero((near.sum(axis=(1, 2)) == 3 * n - 2) & (n > 1))
    trees = [g for g in few if connected_components(near[g])[0] == 1]
    of_trees = [(sizes @ near[g] @ sizes - sizes @ sizes) / 2 for g in trees]
    cost = np.where(near, sizes, 1.0).prod(axis=2)
    rests = np.zeros((n, count, -(-n // 8)), dtype=np.uint8)  # packed bits
    for done in range(n):
        column = cost.argmin(axis=1)
        clique = near[each, column]
        # a clique within an earlier one is all that is left of one
        within = (rests[:done] == np.packbits(clique, axis=1)).all(axis=2).any(axis=0)
        total += np.where(within, 0.0, cost[each, column])
        cost[each, column], clique[each, column] = np.inf, False
        rests[done] = np.packbits(clique, axis=1)
        graph, other = clique.nonzero()
        joined = near[graph, other] | clique[graph]
        joined[np.arange(graph.size), column[graph]] = False
        near[graph, other], cost[graph, other] = joined, np.where(joined, sizes, 1.0).prod(axis=1)
    total[trees] = of_trees
    return total


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
    def gates(self) -> tuple[dict[int, int], ...]:
        """Of each clique, the next one towards each column; -1 and below for its own columns."""
        found = [{i: -1 - i for i in clique} for clique in self.cliques]
        for c in range(len(found) - 1, 0, -1):
            for i in found[c]:
                found[self.parents[c]].setdefault(i, c)
        for own, parent in zip(found, self.parents, strict=True):
            for i in range(len(self.sizes)):
                own.setdefault(i, parent)
        return tuple(found)

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
