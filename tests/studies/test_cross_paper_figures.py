"""A scatter across the papers says the rank correlation of its points."""

from __future__ import annotations

import pandas as pd

from studies.cross_paper import figures as across


def test_scatter_gives_the_rank_correlation():
    table = pd.DataFrame({"x": [1.0, 2, 3], "y": [3.0, 2, 1], "epsilon": [0.1, 1, 1]})
    _, alt = across.scatter(table, "x", "y", {"x": "a", "y": "b"})
    assert "up: b, from 1.00 to 3.00. The rank correlation over all points is -1.00" in alt
