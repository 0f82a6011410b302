"""What the package refuses by name: questions, tables, releases, and numbers outside a theorem."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from lib.coherence.bounds import max_information as info
from lib.coherence.bounds import paper, tightened, within_group
from lib.coherence.combination import combined_p
from lib.coherence.distances import reshuffling_p, split_distance
from lib.coherence.experiment import Setup, compare, demcoh
from lib.coherence.guarantee import Setting, holds
from lib.coherence.learners import After, Constant, Estimator, Lookup
from lib.coherence.tracing import Tracer
from lib.rng import stream
from studies.coherence import exact_information as exact
from studies.coherence import single_column, steps
from studies.coherence.releases import Attacker, Histogram

NAN, INF = math.nan, math.inf
ACS = {"beta": math.exp(-30), "collection": 100, "n": 5e6}
KNOWN = {"alpha": 0.5, "beta": 0.1, "n": 1e6, "collection": 10}
PEOPLE = pd.DataFrame({"x": np.arange(50), "job": list("ab") * 25, "y": [0, 1, 1, 0, 0] * 10})
FOREST, LOGISTIC = RandomForestClassifier(n_estimators=2), LogisticRegression()
QUIET = Constant(0.3)


def asked(alpha=0.2, gamma: float | None = 1000, **more):
    return Setting(**ACS | {"alpha": alpha, "gamma": gamma} | more)


def run(frame=PEOPLE, learner=QUIET, target="y", lens=("x", "job"), **more):
    setup, members = Setup(target=target, lens=lens, **more), {"all": np.ones(50, dtype=bool)}
    return demcoh(frame, members, learner, setup, splits=1, seed=1, progress=False)


def learnt(learner, frame=PEOPLE):
    return learner(frame, "y", ("x", "job"), stream(0, "refused"))


def histogram(**changed):
    return Histogram(**{"columns": ("a", "b"), "sizes": (3, 2), "epsilon": 1.0} | changed)


# fmt: off
REFUSED = [
    (lambda: demcoh(PEOPLE.to_numpy(), {}, QUIET, Setup(target="y", lens=("x",)), splits=1, seed=1), r"frame must be a pandas\.DataFrame"),
    (lambda: run(learner="forest"), "learner must be a function, got 'forest'"),
    (lambda: Setup(target="y", lens="xy"), "lens must be a list or a tuple, got 'xy'"),
    (lambda: reshuffling_p(np.arange(4.0), np.arange(4) > 1, draws=9, enough=2, rng=5), r"rng must be .*, got 5"),
    (lambda: paper.theorem8_delta(epsilon="0.1", beta=0.1, n=10, collection=1), "epsilon must be a number >= 1e-100 .* for theorem8_delta, got '0.1'"),
    (lambda: within_group.within_distance(True, epsilon=0.1, log_p=-1.0), "members must be a number .*, got True"),
    (lambda: tightened.tightened_size(**KNOWN | {"collection": 1.0}, epsilon=0.1), r"collection must be an integer .*, got 1\.0"),
    (lambda: asked(gamma=None), r"exactly one of .* must be missing, got 2: \['gamma', 'epsilon'\]"),
    (lambda: asked(epsilon=0.1), "exactly one of .* must be missing, got 0"),
    (lambda: asked(mode="theorem9"), r"mode must be .*, got 'theorem9'"),
    (lambda: asked(fraction=0.5), r"fraction must be in \(0, 1\] and stand alone, .* got 0\.5"),
    (lambda: asked(fraction="all"), r"fraction must be .*, got 'all'"),
    (lambda: asked(delta=0.1), r"delta must be 0 unless mode is 'theorem8', got 0\.1"),
    (lambda: asked(delta=1e-301, mode="theorem8"), "delta must be 0 or at least 1e-300, got 1e-301"),
    (lambda: asked(delta=NAN, mode="theorem8"), r"delta must be .*, got nan"),
    (lambda: asked(collection=2.9), r"collection must be a whole number of groups, got 2\.9"),
    (lambda: asked(gamma=6e6), "gamma must be at most n=5000000.0, the number of people, got 6000000.0"),
    (lambda: asked(n=-5), r"n must be .*, got -5"),
    (lambda: asked(n=INF), r"n must be .*, got inf"),
    (lambda: asked(gamma=3, n=3), "n must be a number from 4"),
    (lambda: asked(alpha=2.1), "alpha must be .* to 2, got 2.1"),
    (lambda: asked(alpha=NAN), r"alpha must be .*, got nan"),
    (lambda: asked(alpha=True), r"alpha must be .*, got True"),
    (lambda: asked(alpha=1e-200, gamma=9), "alpha must be"),
    (lambda: asked(alpha=None, epsilon=1000.0), "epsilon must be a number from 1e-100 to 600, got 1000"),
    (lambda: holds(asked()), r"must be known, got \['epsilon'\] missing"),
    (lambda: paper.theorem7_terms(**KNOWN, epsilon=1.5), r"epsilon must be .*, got 1\.5"),
    (lambda: paper.theorem8_terms(**KNOWN, epsilon=0.7), r"epsilon must be .* <= 0.5 for theorem8_terms, got 0.7"),
    (lambda: paper.theorem8_terms(**KNOWN, epsilon=0.1, delta=0.1), r"Theorem 8 at this epsilon and n, got 0\.1"),
    (lambda: paper.theorem3_terms(alpha=2.5, beta=0.1, zeta=1, collection=1), r"alpha must be .* <= 2 for theorem3_terms, got 2.5"),
    (lambda: steps.claim2_size(1.0, 0.1), r"alpha must be .* for claim2_size, got 1.0"),
    (lambda: steps.hush_scovel(1.5, b=10, a=5, s=5), r"distance must be .* >= 2 .* for hush_scovel, got 1.5"),
    (lambda: steps.approximate_dp(epsilon=0.1, delta=1e-9, n=100, t=1, delta_hat=0.1), r"delta_hat must be .*, got 0\.1"),
    (lambda: steps.approximate_dp(epsilon=0.1, delta=0.2, n=100, t=1, delta_hat=0.001), r"delta must be .*, got 0\.2"),
    (lambda: info.corollary(epsilon=0.1, delta=0.001, n=100, eta=0.1), r"delta must be .* for Corollary 2, got 0\.001"),
    (lambda: info.mcdiarmid(n=10, m=3, reading="paper"), "printed case"),
    (lambda: info.pure_dp(epsilon=0.1, n=100, eta=2), r"eta must be .*, got 2"),
    (lambda: tightened.description_length_size(alpha=0.1, beta=0.1, n=100, collection=1, counts=0), r"counts must be .*, got 0"),
    (lambda: single_column.column_distances(5, 3, 10, size=1, rng=stream(0)), "ones must be an integer >= 0 and <= 3, got 5"),
    (lambda: within_group.insufficient_epsilon(2.1), r"alpha must be .*, got 2.1"),
    (lambda: within_group.within_distance(100, epsilon=-1, log_p=-1.0), r"epsilon must be .*, got -1"),
    (lambda: exact.membership_bits(n=7, epsilon=1.0), r"n must be .*, got 7"),
    (lambda: exact.max_information(np.ones(1), np.ones(1), 1.0), r"eta must be .*, got 1\.0"),
    (lambda: exact.distinct_log_probability(draws=6, universe=5), "draws"),
    *((lambda split=s: combined_p([split]), "without NaN") for s in ([NAN, 1.0], [])),
    (lambda: split_distance(np.zeros(2), np.array([True, False]), "hellinger"), r"distance must be .*, got 'hellinger'"),
    (lambda: split_distance(np.zeros(2), np.zeros(3, dtype=bool)), r"inside must be of shape \(\.\.\., 2\), for each of values, got \(3,\)"),
    (lambda: run(target="z"), r"column must be .*, got 'z'"),
    (lambda: run(target="job"), "target 'job' must hold 0 and 1"),
    (lambda: run(PEOPLE.assign(x=PEOPLE["x"].where(PEOPLE["x"] > 0))), "column 'x' must have no missing values, got 1"),
    (lambda: run(gamma=51), "gamma must be at most 50, the members of the largest group, got 51"),
    (lambda: run().beta(1.0, "x"), r"group must be one of .*all.*, got 'x'"),
    (lambda: run(learner=lambda *_: lambda records: np.full(len(records), -10.0)), r"predictions must be in \[-1, 1\] \(Definition 2\), got -10\.0"),
    (lambda: run(learner=lambda *_: lambda records: np.zeros(3)), "shape"),
    (lambda: Setup(target="y", lens=()), r"lens must be .*, got \(\)"),
    (lambda: Setup(target="y", lens=("x",), labels="soft"), r"labels must be .*, got 'soft'"),
    *((lambda each=e: learnt(After(lambda half, rng: half[:0], each)), r"the release must have at least one row .* got 0 rows") for e in (Estimator(FOREST), Lookup())),
    *((lambda each=e: learnt(After(lambda half, rng: half.drop(columns="job"), each)), r"columns .*'job'.* got .*\['x', 'y'\]") for e in (Estimator(FOREST), Lookup())),
    (lambda: learnt(Estimator(LOGISTIC, one_hot=True), PEOPLE.assign(y=2)), r"target 'y' of the release must hold 0 and 1, got .*2"),
    (lambda: Estimator(RandomForestClassifier), "model must be an instance with fit and predict"),
    (lambda: Estimator(3), r"model must be .* got 3"),
    (lambda: histogram(epsilon=0), r"epsilon must be .*, got 0"),
    (lambda: histogram(columns=("a",)), "sizes must be"),
    (lambda: histogram().counts(pd.DataFrame({"a": [7], "b": [0]})), r"a must be .*, got 7 "),
    (lambda: Attacker(histogram(), "guess"), r"kind must be .*, got 'guess'"),
    (lambda: Attacker(histogram(), "informed"), "population must be counts for the informed attacker"),
    (lambda: Tracer(PEOPLE, k=0), r"k must be .*, got 0"),
    (lambda: Tracer(PEOPLE.iloc[:0]), "population must have at least 1 row"),
    (lambda: learnt(Tracer(PEOPLE))(PEOPLE.assign(x=99)), "records must be members of the population"),
    (lambda: learnt(Tracer(PEOPLE), PEOPLE[["x"]]), "columns"),
]
# fmt: on


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_it_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()


NULLS = Setup(target="y", lens=("a", "b"), null_draws=2)
H, WHO = np.array([0.9, -0.2, 0.4, 0.1]), np.array([True, False, True, False])


@pytest.mark.parametrize("numbers", [np.array([1, 0, 1, 0]), [1, 0, 1, 0], pd.Series([1, 0, 1, 0])])
def test_numbers_are_no_mask(numbers):
    """Taken for rows, they compared the first two people."""
    everyone = {"everyone": np.ones(4, dtype=bool)}
    for call in (
        lambda: compare(H, numbers, everyone, NULLS, stream(0, "mask")),
        lambda: split_distance(H, numbers),
        lambda: reshuffling_p(H, numbers, draws=9, enough=2, rng=stream(0, "mask")),
    ):
        with pytest.raises(ValueError, match=r"^inside must be an array of True and False, got"):
            call()
    with pytest.raises(ValueError, match=r"^members of 'some' must be an array of True and False"):
        compare(H, WHO, {"some": numbers}, NULLS, stream(0, "mask"))
    found = compare(list(H), pd.Series(WHO, index=[3, 2, 1, 0]), everyone, NULLS, stream(0, "mask"))
    assert found["mean_a"].tolist() == [pytest.approx(0.65)]
