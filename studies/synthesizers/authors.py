"""The scores of New York's synthetic tables that the paper's authors stored (Figs 4, 5 and 7)."""

from __future__ import annotations

import pandas as pd

from lib.ledger.authors import AUTHORS, read_table

SCORES = ("acc", "parity_means", "disparity", "parity_ratio", "fnr_gap")  # that they stored


def cells() -> pd.DataFrame:
    """The stored runs in the columns of :func:`studies.synthesizers.summary.scored`, those of
    :data:`SCORES` alone.
    """
    return read_table("synthesizers").assign(dataset=AUTHORS, small="keep")
