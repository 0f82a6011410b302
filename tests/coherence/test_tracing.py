"""The tracer: scores by hand; a clear half is told from the rest, strangers tell nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from lib.coherence.experiment import halves
from lib.coherence.learners import Lookup, Tracer
from tests.conftest import FALSE_ALARM

LENS = ("a", "b", "c")


def _table(rng, n=600) -> pd.DataFrame:
    return pd.DataFrame(
        {"a": rng.integers(0, 30, n), "b": rng.integers(0, 30, n), "c": rng.integers(0, 30, n)}
    )


def test_scores_by_hand():
    everyone = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 0, 0, 1]})
    predict = Tracer(everyone, k=1)(everyone.iloc[:2], "y", ("a", "b"), None)
    # a=0: share 1 against 1/2; b=0: 1 against 3/4; a=1: 0 against 1/2; b=1: 0 against 1/4
    assert predict(everyone).tolist() == [1, 1, -1, -1]
    assert Tracer(everyone, k=1)(everyone, "y", ("a", "b"), None)(everyone).tolist() == [0, 0, 0, 0]


def test_a_clear_half_is_told_and_strangers_are_not(rng):
    table = _table(rng)
    a, b = halves(len(table), rng)
    clear = Tracer(table)(table.iloc[a], "y", LENS, rng)
    assert clear(table.iloc[a]).mean() > 0.8
    assert clear(table.iloc[b]).mean() < -0.8
    other = Tracer(table)(table.iloc[halves(len(table), rng)[0]], "y", LENS, rng)
    # five standard errors
    assert abs(other(table.iloc[a]).mean() - other(table.iloc[b]).mean()) < 0.4


def test_exact_counts_of_each_column_alone_betray_the_half_to_a_tracer_and_not_to_a_lookup(rng):
    """Columns shuffled one by one hold nobody's record, and were once called coherent."""
    table = _table(rng, 2000)
    a, b = halves(len(table), rng)
    shuffled = table.iloc[a].apply(lambda column: rng.permutation(column.to_numpy()))
    tracer = Tracer(table, k=1)(shuffled, "y", LENS, rng)
    lookup = Lookup()(shuffled, "y", LENS, rng)
    inside = np.arange(len(table)) < len(a)
    both = table.iloc[np.concatenate([a, b])]
    chance = stats.fisher_exact(pd.crosstab(inside, tracer(both) > 0), "two-sided").pvalue
    assert chance < FALSE_ALARM
    assert abs(lookup(both)[inside].mean() - lookup(both)[~inside].mean()) < 0.1
