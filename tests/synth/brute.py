"""Distributions over all cells of a small domain: the reference of the graphical model's tests."""

from __future__ import annotations

import numpy as np

from lib.synth.junction import Tree


def joint(tree: Tree, theta) -> np.ndarray:
    """The normalised product of the potentials over every cell, one axis a column."""
    log = np.zeros(tree.sizes)
    for clique, table in zip(tree.cliques, theta, strict=True):
        log = log + np.reshape(
            table, [tree.sizes[i] if i in clique else 1 for i in range(len(tree.sizes))]
        )
    p = np.exp(log - log.max())
    return p / p.sum()


def marginal(p: np.ndarray, columns: tuple[int, ...]) -> np.ndarray:
    """Shares on ``columns``, one axis each in this order."""
    kept = sorted(columns)
    table = p.sum(axis=tuple(i for i in range(p.ndim) if i not in columns))
    return table.transpose([kept.index(i) for i in columns])
