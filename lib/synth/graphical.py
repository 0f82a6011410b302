"""Graphical models over declared columns: mirror descent, marginals, rows.

Private-PGM (McKenna, Sheldon and Miklau 2019) looks for the distribution of
maximum entropy whose marginals fit the noisy ones best. It factorises over the
junction tree of the measured marginals,

    p(x) = prod_C mu_C(x_C) / prod_S mu_S(x_S),

over cliques ``C`` and separators ``S``, so a table over a handful of columns at
a time is all that is ever held. Mirror descent moves the log-potentials
``theta`` against the gradient of the loss in the marginals (their Algorithm 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

import numpy as np

from lib.synth.junction import Clique, Tree, calibrate
from lib.synth.products import cells_at

# noisy counts, flat in C order, and their sigma: one, or one per cell
Measured = tuple[Clique, np.ndarray, float | np.ndarray]


@dataclass(frozen=True)
class Target:
    """All measurements of one marginal as one.

    Up to a constant, their loss is ``sum weight (p - shares)^2 / 2``. ``weight`` is one number, or
    one for each cell.
    """

    clique: Clique
    shares: np.ndarray
    weight: float | np.ndarray


def targets(sizes: tuple[int, ...], measured: Sequence[Measured], total: float) -> list[Target]:
    """Combine measurements ``(clique, noisy counts, sigma)`` of a marginal by inverse variance.

    Weights are scaled so that the largest is 1: descent then has a step of order one whatever the
    noise.
    """
    sums: dict[Clique, list] = {}
    for clique, noisy, sigma in measured:
        order, shape = np.argsort(clique, kind="stable"), [sizes[i] for i in clique]
        table, precision = noisy.reshape(shape).transpose(order), np.divide(1, np.square(sigma))
        if np.ndim(precision):
            precision = precision.reshape(shape).transpose(order)
        entry = sums.setdefault(tuple(sorted(clique)), [0.0, 0.0])
        entry[0] = entry[0] + table * precision
        entry[1] = entry[1] + precision
    top = max(float(np.max(weight)) for _, weight in sums.values())
    return [
        Target(clique, table / weight / total, weight / top)
        for clique, (table, weight) in sums.items()
    ]


def descend(
    tree: Tree, goals: Sequence[Target], potentials: Sequence[np.ndarray], iterations: int
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Mirror descent with an Armijo rule: potentials (one per goal), and beliefs.

    Stops early when 20 steps together lower the loss by less than a part 1e-7.
    """
    homes = [tree.home(g.clique) for g in goals]
    out = [tree.axes(tree.cliques[h], g.clique) for g, h in zip(goals, homes, strict=True)]
    into = [tree.spread(g.clique, tree.cliques[h]) for g, h in zip(goals, homes, strict=True)]

    def evaluate(potentials):
        """Loss, its gradient in the marginals, the marginals, and the beliefs."""
        theta = [np.zeros(tree.shape(clique)) for clique in tree.cliques]
        for h, shape, potential in zip(homes, into, potentials, strict=True):
            theta[h] += potential.reshape(shape)
        beliefs = calibrate(tree, theta)
        shares = [
            beliefs[h].sum(axis=a) if a else beliefs[h] for h, a in zip(homes, out, strict=True)
        ]
        gaps = [s - g.shares for s, g in zip(shares, goals, strict=True)]
        pulls = [g.weight * gap for g, gap in zip(goals, gaps, strict=True)]
        loss = sum(float(np.vdot(pull, gap)) for pull, gap in zip(pulls, gaps, strict=True)) / 2
        return loss, pulls, shares, beliefs

    loss, gradient, shares, beliefs = evaluate(potentials)
    step, losses = 1.0, [loss]
    for done in range(iterations):
        moved = [t - step * g for t, g in zip(potentials, gradient, strict=True)]
        new = evaluate(moved)
        changes = zip(gradient, shares, new[2], strict=True)
        promised = sum(float(np.vdot(g, old - other)) for g, old, other in changes)
        if loss - new[0] >= promised / 2:
            potentials, (loss, gradient, shares, beliefs) = moved, new
            step *= 1.25
        else:
            step *= 0.5
        losses.append(loss)
        if done >= 40 and losses[-21] - loss <= 1e-7 * losses[-21]:
            break
    return list(potentials), beliefs


@dataclass(frozen=True)
class GraphicalModel:
    """A calibrated tree: beliefs ``mu_C`` that agree on their separators, and potentials.

    There is a potential for each measured marginal.
    """

    tree: Tree
    beliefs: tuple[np.ndarray, ...]
    potentials: dict[Clique, np.ndarray]

    def _nodes(self) -> Iterator[tuple[Clique, Clique, np.ndarray]]:
        return zip(self.tree.cliques, self.tree.separators, self.beliefs, strict=True)

    def marginal(self, columns: Clique) -> np.ndarray:
        """Shares on ``columns``, one axis each in this order."""
        return next(self.marginals([columns]))

    def marginals(self, wanted: Iterable[Clique]) -> Iterator[np.ndarray]:
        """The :meth:`marginal` of each; what several need is computed once.

        A clique at which the paths to three columns part makes them independent of each other. So
        a few small tables, of one column given a separator, serve all marginals of three.
        """
        cliques, gates = self.tree.cliques, self.tree.gates
        smallest_first = sorted(range(len(cliques)), key=lambda c: self.beliefs[c].size)

        @cache
        def own(c: int, axes: Clique) -> np.ndarray:
            return self.beliefs[c].sum(axis=self.tree.axes(cliques[c], axes))

        @cache
        def given(c: int, separator: Clique, columns: Clique) -> np.ndarray:
            """Shares on ``columns``, the last axes, given the ``separator`` of clique ``c``."""
            table = joint(c, separator, columns)
            below = table.sum(axis=tuple(range(len(separator), table.ndim)), keepdims=True)
            return np.divide(table, below, out=np.zeros_like(table), where=below > 0)

        def joint(c: int, kept: Clique, columns: Clique) -> np.ndarray:
            """Shares on ``kept``, columns of clique ``c``, and any other ``columns``."""
            inside = {*kept, *columns} & {*cliques[c]}
            beyond: dict[int, Clique] = {}
            for i in columns:
                if i not in inside:
                    beyond[gates[c][i]] = (*beyond.get(gates[c][i], ()), i)
            shared = {g: tuple(i for i in cliques[c] if i in cliques[g]) for g in beyond}
            axes = tuple(i for i in cliques[c] if any(i in x for x in (inside, *shared.values())))
            table = own(c, axes)
            for g, part in beyond.items():
                separator = shared.pop(g)
                needed = {*inside, *columns, *chain(*shared.values())}
                left = (*(i for i in axes if i in needed), *part)
                factors = (table, axes), (given(g, separator, part), (*separator, *part))
                table, axes = _product(factors, left), left
            return table.transpose([axes.index(i) for i in (*kept, *columns)])

        for columns in wanted:
            home = self.tree.home(columns)
            parting = smallest_first if home is None else [home]
            c = max(parting, key=lambda c: len({gates[c][i] for i in columns}))
            yield joint(c, (), columns)

    def sample(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """``n`` rows of codes, shape (n, columns).

        Clique by clique: among the rows that agree on the separator, the new
        columns' cells come in their exact shares up to rounding, and in an
        order shuffled within these rows, so that nothing but the separator
        ties them to what was drawn before.
        """
        rows = np.zeros((n, len(self.tree.sizes)), dtype=np.int64, order="F")
        for clique, separator, belief in self._nodes():
            fresh = tuple(i for i in clique if i not in separator)
            shape = self.tree.shape(separator)
            table = belief.transpose([clique.index(i) for i in separator + fresh])
            table = table.reshape(math.prod(shape), -1)
            empty = np.zeros(n, dtype=np.int64)
            group: Any = np.ravel_multi_index(rows[:, separator].T, shape) if separator else empty
            cells = _rounded_draws(table, group, rng)
            for i, codes in zip(
                fresh, np.unravel_index(cells, self.tree.shape(fresh)), strict=True
            ):
                rows[:, i] = codes
        return rows


def _product(factors: Sequence[tuple[np.ndarray, Clique]], kept: Clique) -> np.ndarray:
    """The product of tables over the columns of their axes, summed over all columns but ``kept``.

    NumPy has 52 labels for axes, so each product numbers its own.
    """
    label = {i: at for at, i in enumerate(dict.fromkeys(i for _, axes in factors for i in axes))}
    operands: list[Any] = []
    for table, axes in factors:
        operands += [table, [label[i] for i in axes]]
    return np.einsum(*operands, [label[i] for i in kept])


def _rounded_draws(table: np.ndarray, group: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """For each row a cell of its group's line in ``table``.

    One uniform number per stratum; strata are shuffled within the group.
    """
    lines = table.sum(axis=1, keepdims=True)
    shares = np.where(lines > 0, table / np.where(lines > 0, lines, 1), 1 / table.shape[1])
    size = np.bincount(group, minlength=len(table))
    order = _shuffled(group, len(table), rng)
    strata = np.arange(len(group)) - np.repeat(np.cumsum(size) - size, size)
    ordered = np.repeat(np.arange(len(table)), size)
    cells = np.empty(len(group), dtype=np.intp)
    # in this order the positions ascend, which makes looking them up faster
    position = (strata + rng.random(len(group))[order]) / size[ordered]
    cells[order] = cells_at(shares, ordered, position)
    return cells


def _shuffled(group: np.ndarray, groups: int, rng: np.random.Generator) -> np.ndarray:
    """The places of the rows, group by group, in a random order within each group.

    It is the order of a ``lexsort`` by group and a uniform number. Both fit into one integer, since
    the number is a multiple of 2^-53, and one integer is sorted several times as fast. Two rows
    with equal integers, or too many groups, are left to the ``lexsort``.
    """
    uniform = rng.random(len(group))
    if groups <= 2**11:
        key = (group.astype(np.uint64) << np.uint64(53)) | (uniform * 2.0**53).astype(np.uint64)
        order = np.argsort(key)
        ascending = key[order]
        if (ascending[1:] != ascending[:-1]).all():
            return order
    return np.lexsort((uniform, group))


def fit_model(
    sizes: tuple[int, ...],
    measured: Sequence[Measured],
    total: float,
    *,
    start: GraphicalModel | None = None,
    iterations: int = 500,
) -> GraphicalModel:
    """The model whose marginals are nearest to the measured ones, weighted by their precision.

    Parameters
    ----------
    sizes : tuple of int
        Of the columns 0, 1, ...
    measured : sequence of (clique, noisy counts flat in C order, sigma or a sigma for each cell)
    total : float
        Number of rows by which counts become shares.
    start : GraphicalModel, optional
        Potentials to begin with: those of a model over fewer measurements.

    Examples
    --------
    >>> counts = [((0,), np.array([30.0, 10.0]), 1.0), ((1,), np.array([20.0, 20.0]), 1.0)]
    >>> fit_model((2, 2), counts, 40.0).marginal((0, 1)).round(3).tolist()
    [[0.375, 0.375], [0.125, 0.125]]
    """
    tree = Tree.covering(sizes, [clique for clique, _, _ in measured])
    goals = targets(sizes, measured, total)
    known = start.potentials if start is not None else {}
    first = [known.get(g.clique, np.zeros(tree.shape(g.clique))) for g in goals]
    potentials, beliefs = descend(tree, goals, first, iterations)
    named = {g.clique: potential for g, potential in zip(goals, potentials, strict=True)}
    return GraphicalModel(tree, tuple(beliefs), named)
