"""Junction trees from ``mbi``, the library of Private-PGM's authors.

No other module imports that library. Two things come from it: junction trees and the size of a
model. (Tests also ask its own mirror descent for a second opinion on ours.) Columns go in as
numbers, because the library iterates over sets of names and the hash of a string changes from
process to process. Its arithmetic is set to 64 bits, its on-disk compilation cache is off (in a
sweep it costs more than it saves), and its Adam state and its draws from NumPy's global generator
are not used.

Why not its estimator: every set of cliques is compiled again, which
takes some six times as long as the descent itself on a table of ten columns,
and AIM changes the set in every round. (The descent itself, once compiled, is
a third faster than ours.) ``benchmarks/test_synth.py`` times both.
"""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

Clique = tuple[int, ...]


@cache
def load_jax():
    """``jax`` with 64-bit floats and without the compilation cache on disk."""
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_enable_compilation_cache", False)
    return jax


@cache
def load_mbi():
    """``mbi``, with the settings of :func:`load_jax`."""
    load_jax()
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
    """AIM's JT-SIZE: what the junction tree's tables take at 8 bytes a cell, in 2^20 bytes."""
    nodes, _ = junction_tree(sizes, cliques)
    return sum(float(np.prod([sizes[i] for i in node], dtype=float)) for node in nodes) * 8 / 2**20
