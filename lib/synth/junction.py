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
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

import numpy as np

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

    The tree is that of :func:`junction_tree`, but it is not built. AIM asks for thousands of sizes
    in a fit, and columns are eliminated here in the library's order in a tenth of its time.

    Examples
    --------
    >>> model_megabytes((4, 8, 16), ((0, 1), (1, 2))) * 2**20 == 8 * (4 * 8 + 8 * 16)
    True
    """
    near = {column: {column} for column in range(len(sizes))}
    for clique in cliques:
        for column in clique:
            near[column].update(clique)
    if _is_tree(near):
        nodes = [{a, b} for a, others in near.items() for b in others if a < b]
    else:
        nodes = _eliminate(sizes, near)
    return sum(math.prod(sizes[i] for i in node) for node in nodes) * 8 / 2**20


def _is_tree(near: dict[int, set[int]]) -> bool:
    """Whether the edges of a graph (each column with its neighbours and itself) form one tree."""
    reached, edge = {0}, {0}
    while edge := set().union(*(near[column] for column in edge)) - reached:
        reached |= edge
    edges = sum(len(others) - 1 for others in near.values()) // 2
    return edges == len(near) - 1 > 0 and len(reached) == len(near)


def _eliminate(sizes: tuple[int, ...], near: dict[int, set[int]]) -> list[set[int]]:
    """The maximal cliques that appear when the column with the smallest table is eliminated first.

    ``near`` is used up.
    """
    found: list[set[int]] = []
    while near:
        column = min(near, key=lambda c: math.prod(sizes[i] for i in near[c]))
        clique = near.pop(column)
        rest = clique - {column}
        for other in rest:
            near[other] = (near[other] | rest) - {column}
        if not any(clique <= larger for larger in found):
            found.append(clique)
    return found


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
