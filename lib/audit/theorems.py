"""What the theorems ask for: the largest epsilon for groups of the sizes of an audit."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import pandas as pd

from lib.audit.request import Request
from lib.audit.table import Table
from lib.coherence.guarantee import MODES, Setting, required_size
from lib.coherence.solver import solve


def epsilons(request: Request, table: Table) -> pd.DataFrame:
    """For each alpha and each bound, the largest epsilon it accepts for the smallest group:
    ``alpha, mode, epsilon, needed, smallest, n, words``.

    The theorems are about a curator who sees half of ``n`` people. Of a finished release the people
    inside are that half, so ``n`` is twice them.
    """
    scale = 1 if request.release is None else 2
    n = 2 * (int(table.inside.sum()) * scale // 2)
    # of an odd number of people one is in neither half, so a group of everyone has n members, too
    least = min(n, *(int((who & table.inside).sum()) * scale for who in table.members.values()))
    rows = []
    for alpha, mode in product(request.alphas, MODES):
        setting = Setting(
            alpha=alpha,
            beta=request.beta,
            n=n,
            mode=mode,
            gamma=max(least, 1),
            collection=len(table.members),
        )
        epsilon = solve(setting).value
        needed = math.ceil(required_size(replace(setting, gamma=None, epsilon=1e-12))[0])
        words = _in_words(epsilon, alpha, least, needed)
        rows.append((alpha, mode, epsilon, needed, least, n, words))
    columns = ["alpha", "mode", "epsilon", "needed", "smallest", "n", "words"]
    return pd.DataFrame(rows, columns=columns).astype({"epsilon": float})


def _in_words(epsilon: float | None, alpha: float, least: int, needed: int) -> str:
    if alpha >= 2:
        return "says nothing: no distance exceeds 2"
    if epsilon is None:
        return (
            f"vacuous: even epsilon = 0 would need groups of {needed:,}; the smallest has {least:,}"
        )
    if 1 / epsilon >= least:
        return (
            f"hardly usable: one Laplace count has noise of scale {1 / epsilon:,.0f}, the smallest"
            f" group {least:,} people"
        )
    return f"one Laplace count at this epsilon has noise of scale {1 / epsilon:,.3g}"
