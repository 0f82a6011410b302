"""The figures of the verdicts draw the numbers of the table and name them in their alternative
text.
"""

from __future__ import annotations

import math
import re
from itertools import product

import numpy as np
import pandas as pd
import pytest

from lib.ldp import PROTOCOLS
from lib.rng import stream
from studies.ldp_fairness.figures import verdicts


@pytest.fixture
def table() -> pd.DataFrame:
    """LDP lowers group 1's rate by 0.3 and not group 0's; k-based gains 0.1; BLH is the worst."""
    cells = [("NonDP", "none", math.nan), *product(PROTOCOLS, ("uniform", "k-based"), (0.25, 50.0))]
    keys = [(*cell, *place) for place in product(("adult", "lsac"), range(4)) for cell in cells]
    frame = pd.DataFrame(keys, columns=["protocol", "split", "epsilon", "dataset", "run"])
    plain, noise = frame["protocol"] == "NonDP", stream(2, "plots of verdicts")
    acc = 0.7 + 0.1 * (frame["split"] == "k-based") - 0.2 * (frame["protocol"] == "BLH")
    some, more = 1e-3 * noise.random((2, len(frame)))
    return frame.assign(
        acc=(acc + some).mask(plain, 0.9),
        positive_rate_0=0.4,
        positive_rate_1=np.where(plain, 0.8, 0.5 + more),
    )


def test_who_moves_shows_the_change_of_each_group(table):
    fig, alt = verdicts.who_moves(table, 0.25, {"adult": ("women", "men")})
    assert alt.startswith("positive predictions of each group")
    assert "women: 0.400, changes by +0.000" in alt
    assert re.search(r"men: 0\.800, changes by -0\.(299|300)", alt)
    assert {"40% → 40%", "80% → 50%"} <= {text.get_text() for text in fig.axes[0].texts}
