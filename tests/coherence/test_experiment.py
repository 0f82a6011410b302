"""DemCoh on tables where the answer is known: lookups, constants, the two-member category."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.linear_model import LogisticRegression

from lib.coherence.experiment import (
    Result,
    Setup,
    as_predictions,
    demcoh,
    halves,
    predict_halves,
)
from lib.coherence.learners import After, Constant, Estimator, Lookup
from lib.groups import EVERYONE, groups
from lib.rng import stream
from lib.stats.summary import clopper_pearson
from tests.conftest import FALSE_ALARM, as_often


def _table(n: int = 400, unique: bool = True) -> pd.DataFrame:
    rng = stream(3, "coherence table", n)
    x = np.arange(n) if unique else rng.integers(0, 3, n)
    y = (rng.random(n) < 0.3).astype(int)
    return pd.DataFrame(
        {"x": x, "sex": rng.integers(0, 2, n), "job": rng.choice(["a", "b", "c"], n), "y": y}
    )


SETUP = Setup(target="y", lens=("x", "sex", "job"))


def _run(frame, learner, setup=SETUP, splits=6, **options):
    options |= {"splits": splits, "seed": 1, "progress": False}
    return demcoh(frame, groups(frame, ["sex"]), learner, setup, **options)


def test_halves_are_disjoint_equal_and_random(rng):
    a, b = halves(11, rng)
    assert len(a) == len(b) == 5
    assert not set(a) & set(b)
    counts = np.zeros(4)
    for _ in range(6000):
        counts[halves(4, rng)[0]] += 1
    assert stats.chisquare(counts).pvalue > FALSE_ALARM


def test_a_table_with_a_shuffled_index_has_the_same_answer(rng):
    frame = _table(100, unique=False)
    shuffled = frame.set_axis(rng.permutation(100))
    one, other = (_run(t, Lookup(), splits=2).rows for t in (frame, shuffled))
    pd.testing.assert_frame_equal(one, other)
    halves_of = [predict_halves(t, Lookup(), SETUP, stream(1, "h")) for t in (frame, shuffled)]
    for x, y in zip(*halves_of, strict=True):
        np.testing.assert_array_equal(x, y)


def test_a_lookup_of_unique_records_is_as_incoherent_as_can_be():
    result = _run(_table(), Lookup())
    assert (result.rows["distance"] == 2).all()
    assert result.beta(1.99)[0] == 1
    assert (result.rows["p"] <= 1 / 21 + 1e-12).all()


def test_a_constant_predictor_is_coherent():
    result = _run(_table(), Constant(0.3))
    assert (result.rows["distance"] == 0).all()
    assert result.beta(0.0) == (0.0, *clopper_pearson(0, 6))


def test_a_learner_of_a_strong_signal_is_coherent_about_a_common_one():
    """Three values of x give little to memorise: the excess over the null is about zero."""
    frame = _table(4000, unique=False)
    result = _run(frame, Estimator(LogisticRegression(), one_hot=True), splits=20)
    row = result.summary().set_index("group").loc[EVERYONE]
    assert abs(row["excess"]) < 0.01


def test_the_two_member_category_of_section_4_2():
    """Two people, -1 and 1: parted with probability (n/2)/(n-1), then 2 apart; else no distance."""
    n, splits = 4, 600  # independent draws would part half of the pairs, not two in three
    frame = pd.DataFrame({"x": np.arange(n), "y": [0, 1] * (n // 2)})
    pair = {"pair": frame["x"].to_numpy() < 2}

    def learner(half, target, lens, rng):
        return lambda records: np.where(records["x"] == 0, -1.0, 1.0)

    setup = Setup(target="y", lens=("x",), null_draws=1)
    rows = demcoh(frame, pair, learner, setup, splits=splits, seed=2, progress=False).rows
    parted = rows["distance"].notna()
    assert (rows.loc[parted, "distance"] == 2).all()
    assert as_often(parted, (n / 2) / (n - 1))


def test_a_curator_stands_between_the_half_and_the_learner():
    """Whoever publishes nothing of the half cannot be looked up."""
    frame = _table()
    seen = []

    def curator(half, rng):
        seen.append(len(half))
        return half.assign(x=-1)

    result = _run(frame, After(curator, Lookup()), splits=3)
    assert (result.rows["distance"] == 0).all()
    assert seen == [200, 200, 200]


def test_last_bits_make_no_hard_label_and_no_hit():
    """An even vote may come out as 1e-17, and a distance of exactly alpha a bit above it."""
    hard = Setup(target="y", lens=("x",), labels="hard")
    assert as_predictions([0.1 + 0.2 - 0.3, 0.3 - 0.2 - 0.1], 2, hard).tolist() == [-1.0, -1.0]
    rows = pd.DataFrame({"group": "all", "split": [0, 1], "distance": [0.1 + 0.2, 0.4]})
    assert Result(rows).beta(0.3)[0] == 0.5


def test_splits_without_a_distance_are_neither_hits_nor_misses():
    """Nine splits of which three have a distance once counted as nine."""
    distance = [2.0, 0.1, 2.0, *[np.nan] * 6]
    one = pd.DataFrame({"group": "pair", "split": range(9), "n": 2, "distance": distance})
    never = one.assign(group="alone", n=1, distance=np.nan)
    result = Result(pd.concat([one, never], ignore_index=True).assign(null=0.0))
    assert result.beta(1.0, "pair") == result.beta(1.0) == (2 / 3, *clopper_pearson(2, 3))
    assert np.isnan(result.beta(1.0, "alone")).all()
    alone = result.summary().set_index("group").loc["alone"]
    assert alone["splits"] == 0
    assert alone[["distance", "low", "high"]].isna().all()
