"""What the pictures of the protocols say in words."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import pytest

from lib.ldp import PROTOCOLS
from lib.plots.protocols import report_channel


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 400.0])
@pytest.mark.parametrize("name", PROTOCOLS)
def test_the_ratio_that_is_told_is_finite_and_within_the_budget(name, epsilon):
    """At epsilon 400 probabilities of whole reports round to 0; the ratio used to be told as inf or nan."""
    fig, alt = report_channel(name, 4, epsilon)
    plt.close(fig)
    told = float(re.search(r"ratio inside a column is ([\d.]+)\.", alt).group(1))
    assert 0 < told <= epsilon + 1e-4
