"""Names taken from a release: what the tracer makes of a release that kept one pair of columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from lib.coherence.naming import membership_scores
from lib.rng import stream


def _people(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Six columns of which each leans on the one before."""
    columns = [rng.integers(0, 12, n)]
    for _ in range(5):
        follows = rng.random(n) < 0.6
        columns.append(np.where(follows, columns[-1], rng.integers(0, 12, n)))
    return pd.DataFrame({f"c{i}": column for i, column in enumerate(columns)})


def _traced(release: pd.DataFrame, people: pd.DataFrame) -> np.ndarray:
    return membership_scores(release, people)["tracer"]


def test_a_pair_that_was_kept_weighs_more_than_those_that_were_not():
    """A release with the exact rows of one pair, its other columns drawn alone: 14 of 15 pairs
    are far from everybody, and say nothing about who was inside.
    """
    areas = []
    for run in range(5):
        rng = stream(1, "kept pair", run)
        people = _people(2000, rng)
        inside = rng.permutation(2000) < 1000
        alone = people[inside].apply(lambda column, rng=rng: rng.permutation(column))
        release = alone.assign(**people.loc[inside, ["c0", "c1"]])
        pair = ["c0", "c1"]
        best = roc_auc_score(inside, _traced(release[pair], people[pair]))
        areas.append((roc_auc_score(inside, _traced(release, people)), best))
    found, best = np.mean(areas, axis=0)
    assert found > 0.5 + 0.8 * (best - 0.5)


def test_scores_do_not_hang_on_the_order_of_columns_or_rows():
    rng = stream(2, "order")
    people, release = _people(300, rng), _people(150, rng)
    turned = _traced(release[::-1], people[people.columns[::-1]])
    assert _traced(release, people).tolist() == turned.tolist()
