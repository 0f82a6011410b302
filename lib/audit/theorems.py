"""What the theorems ask for: which epsilon they accept for an audit's groups, and from which size.

The theorems are about a curator who sees half of ``n`` people. Of a finished release the people
inside are that half, so ``n`` is twice them.
"""

from __future__ import annotations

import math
from dataclasses import replace

import pandas as pd

from lib.audit.request import Request
from lib.audit.table import Table
from lib.coherence.guarantee import MODES, Setting, holds, required_size
from lib.coherence.solver import solve


def epsilons(request: Request, table: Table) -> pd.DataFrame:
    """For each alpha, the largest epsilon that a bound accepts, and what would make it useful.

    Returns
    -------
    DataFrame
        ``alpha, epsilon`` (for the smallest group; NaN if no bound accepts any), ``mode`` (the
        bound), ``needed`` (people from which on a group can be promised alpha with epsilon = alpha
        / 2, by the bound within groups), ``large`` (groups of the table that have them), ``people``
        (a table of the same shares in which all have them), ``smallest, n, words``.
    """
    scale = 1 if request.release is None else 2
    n = 2 * (int(table.inside.sum()) * scale // 2)
    sizes = [int((who & table.inside).sum()) * scale for who in table.members.values()]
    # of an odd number of people one is in neither half, so a group of everyone has n members, too
    least = max(1, min(n, *sizes))
    rows = []
    for alpha in request.alphas:
        known = Setting(
            alpha=alpha,
            beta=request.beta,
            n=n,
            mode="within",
            gamma=least,
            collection=len(sizes),
        )
        bounds = (replace(known, mode=mode) for mode in MODES)
        # to solve takes long where there is nothing to find
        solved = {s.mode: solve(s).value for s in bounds if holds(s, epsilon=1e-12)}
        mode = max(solved, key=lambda name: solved[name] or 0, default=None)
        epsilon = None if mode is None else solved[mode]
        needed = math.ceil(required_size(replace(known, gamma=None, epsilon=alpha / 2))[0])
        large, people = sum(size >= needed for size in sizes), -(-needed * n // least)
        words = _in_words(epsilon, alpha, least)
        rows.append((alpha, epsilon, mode, needed, large, people, least, n, words))
    columns = ["alpha", "epsilon", "mode", "needed", "large", "people", "smallest", "n", "words"]
    return pd.DataFrame(rows, columns=columns).astype({"epsilon": float})


def _in_words(epsilon: float | None, alpha: float, least: int) -> str:
    if alpha >= 2:
        return "says nothing: no distance exceeds 2"
    if epsilon is None:
        return "none, however large the noise"
    noise = f"one Laplace count at this epsilon has noise of scale {1 / epsilon:,.3g}"
    return noise if 1 / epsilon < least else f"hardly usable: {noise}"
