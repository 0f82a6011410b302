"""Stored fits of the comparison with other libraries."""

from __future__ import annotations

import pandas as pd

from benchmarks.reference import RESULT, Fit
from lib.runner.cell import cell_key


def test_a_stored_fit_of_the_comparison_keeps_its_key():
    """Its class stated no kind, so that `benchmarks/reference.sh` ended where it would have scored."""
    fit = Fit(library="ours", method="like OpenDP", synthesizer="MST", epsilon=1.0, run=1)
    assert cell_key(fit) in set(pd.read_parquet(RESULT)["cell"])
