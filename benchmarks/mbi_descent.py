"""The mirror descent of ``mbi`` itself, which ours is measured beside."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lib.synth.junction import load_mbi


def reference_marginals(
    sizes: tuple[int, ...],
    measured: Sequence[tuple[tuple[int, ...], np.ndarray, float | np.ndarray]],
    total: float,
    queries: Sequence[tuple[int, ...]],
    iterations: int = 1000,
) -> list[np.ndarray]:
    """The library's own mirror descent on the same measurements: shares on each of ``queries``.

    A sigma for each cell goes in as a query that divides the cell by it; such a
    query is new in every call, and the library compiles again for it.
    """
    mbi = load_mbi()
    losses = [
        (
            mbi.LinearMeasurement(noisy, clique, float(sigma))
            if np.ndim(sigma) == 0
            else mbi.LinearMeasurement(
                noisy / sigma, clique, 1.0, lambda factor, sigma=sigma: factor.datavector() / sigma
            )
        )
        for clique, noisy, sigma in measured
    ]
    model = mbi.estimation.MirrorDescent().estimate(
        mbi.Domain(tuple(range(len(sizes))), tuple(sizes)),
        losses,
        known_total=total,
        iters=iterations,
    )
    return [np.asarray(model.project(q).datavector(flatten=False)) / total for q in queries]
