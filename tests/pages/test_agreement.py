"""Numbers computed again beside stored ones: a stated tolerance decides, not equality of bits."""

import math

import numpy as np
import pandas as pd
import pytest

from lib.pages.agreement import matches_stored


@pytest.mark.parametrize(
    ("now", "then", "kind", "same"),
    [
        (0.25, np.nextafter(0.25, 1), "arithmetic", True),
        (0.25, 0.25 + 1e-8, "arithmetic", False),
        (0.25, 0.262, "training", True),
        (0.25, 0.263, "training", False),
        (0.25, math.nan, "training", False),
    ],
)
def test_a_number_agrees_within_the_tolerance_of_its_kind(now, then, kind, same):
    found, stored = pd.Series({("a", "DI"): now, ("b", "DI"): 1.0}), pd.Series({("a", "DI"): then})
    if same:
        assert matches_stored(found, stored, kind) == 1
    else:
        with pytest.raises(AssertionError, match=r"\('a', 'DI'\) must agree"):
            matches_stored(found, stored, kind)
    assert matches_stored(found, stored[:0], kind) == 0
