"""P-values of means from their intervals against the t-test of the runs themselves."""

from __future__ import annotations

import math

import pandas as pd
import pytest
from scipy import stats

from lib.rng import stream
from studies.synthesizers.summary import p_of_means


def test_the_p_of_a_mean_is_that_of_its_t_test():
    x = stream(7, "t-tests").normal(0.3, 1.0, (4, 7))
    half = stats.t.isf(0.025, 6) * x.std(axis=1, ddof=1) / math.sqrt(7)
    table = pd.DataFrame({"runs": 7, "mean": x.mean(axis=1), "high": x.mean(axis=1) + half})
    assert p_of_means(table) == pytest.approx(stats.ttest_1samp(x, 0.0, axis=1).pvalue)
