"""Several tests at once: Holm's procedure, one implementation for hypotheses, audits and the
ledger.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lib import validate


def holm(p: Sequence[float] | np.ndarray) -> np.ndarray:
    """Holm's adjusted p-values, shape (m,); a NaN stays one and still counts as a member of the
    family.
    """
    p = validate.vector("p", p)
    order = np.argsort(np.where(np.isnan(p), np.inf, p), kind="stable")
    scaled = p[order] * (p.size - np.arange(p.size))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(
        1, np.maximum.accumulate(np.where(np.isnan(scaled), -np.inf, scaled))
    )
    return np.where(np.isnan(p), np.nan, adjusted)
