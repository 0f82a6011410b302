"""Mixtures of product distributions: their marginals, and the gradient of the error of one.

Component ``b`` of an even mixture of ``B`` gives column ``i`` the shares
``P_b[i, .]``; columns are independent within a component, so

    p(t) = (1/B) sum_b prod_i P_b[i, t_i].

The gradient is written out rather than left to automatic differentiation,
which would compile again for every shape of marginal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def _joint(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Each component's joint distribution of the columns ``parts``, shape (B, cells)."""
    joint = parts[0]
    for part in parts[1:]:
        joint = (joint[:, :, None] * part[:, None, :]).reshape(len(part), -1)
    return joint


def product_marginal(parts: Sequence[np.ndarray]) -> np.ndarray:
    """``p(t)``, one axis a part; ``parts[i]`` has shape (B, codes of column i).

    Examples
    --------
    >>> product_marginal([np.array([[1.0, 0], [0, 1]]), np.array([[1.0, 0], [0.5, 0.5]])]).tolist()
    [[0.5, 0.0], [0.25, 0.25]]
    """
    if len(parts) == 1:
        return parts[0].mean(axis=0)
    table = _joint(parts[:-1]).T @ parts[-1] / len(parts[0])
    return table.reshape([part.shape[1] for part in parts])


def cells_at(shares: np.ndarray, component: np.ndarray, position: np.ndarray) -> np.ndarray:
    """The cell in which each ``position`` in [0, 1) lies, in the line ``component`` of ``shares``.

    Examples
    --------
    >>> shares = np.array([[0.5, 0.5], [0.1, 0.9]])
    >>> cells_at(shares, np.array([0, 1]), np.array([0.3, 0.3])).tolist()
    [0, 1]
    """
    size, ends = shares.shape[1], np.cumsum(shares, axis=1)
    ends = ends / ends[:, -1:] + np.arange(len(shares))[:, None]
    cells = np.searchsorted(ends.ravel(), component + position, side="right") - component * size
    return np.clip(cells, 0, size - 1)


def squared_error(parts: Sequence[np.ndarray], goal: np.ndarray) -> tuple[float, list[np.ndarray]]:
    """``sum_t (p(t) - goal(t))^2`` and its gradient in each part, shaped like the parts.

    Parameters
    ----------
    parts : one (B, codes) array a column
    goal : ndarray, flat in C order
    """
    if len(parts) == 1:
        gap = parts[0].mean(axis=0) - goal
        return float(gap @ gap), [np.broadcast_to(2 / len(parts[0]) * gap, parts[0].shape)]
    *first, last = parts
    joint = _joint(first)
    gap = joint.T @ last / len(last) - goal.reshape(-1, last.shape[1])
    pull = gap * (2 / len(last))
    above = (last @ pull.T).reshape(len(last), *(part.shape[1] for part in first))
    gradients = [_without(above, first, i) for i in range(len(first))]
    return float(np.vdot(gap, gap)), [*gradients, joint @ pull]


def _without(table: np.ndarray, parts: Sequence[np.ndarray], kept: int) -> np.ndarray:
    """Sum of ``table`` (B, one axis a part) against every part but ``kept``, shape (B, codes)."""
    operands: list[Any] = [table, list(range(len(parts) + 1))]
    for i, part in enumerate(parts):
        if i != kept:
            operands += [part, [0, i + 1]]
    return np.einsum(*operands, [0, kept + 1], optimize=len(parts) > 2)
