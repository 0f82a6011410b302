"""What the package refuses by name: questions, tables, releases, and numbers outside a theorem."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier

from lib.coherence.bounds import max_information as info
from lib.coherence.bounds import paper, tightened, within_group
from lib.coherence.combination import combined_p
from lib.coherence.distances import reshuffling_p, split_distance
from lib.coherence.experiment import Setup, compare, demcoh
from lib.coherence.guarantee import Setting, holds
from lib.coherence.learners import After, Constant, Estimator, Lookup, Tracer
from lib.rng import stream
from tests.refusals import each, refused

NAN, INF = math.nan, math.inf
ACS = {"beta": math.exp(-30), "collection": 100, "n": 5e6}
KNOWN = {"alpha": 0.5, "beta": 0.1, "n": 1e6, "collection": 10}
PEOPLE = pd.DataFrame({"x": np.arange(50), "job": list("ab") * 25, "y": [0, 1, 1, 0, 0] * 10})
FOREST = RandomForestClassifier(n_estimators=2)
QUIET = Constant(0.3)
NULLS = Setup(target="y", lens=("a", "b"), null_draws=2)
H, WHO = np.array([0.9, -0.2, 0.4, 0.1]), np.array([True, False, True, False])


def asked(alpha=0.2, gamma: float | None = 1000, **more):
    return Setting(**ACS | {"alpha": alpha, "gamma": gamma} | more)


def run(frame=PEOPLE, learner=QUIET, target="y", lens=("x", "job"), **more):
    setup, members = Setup(target=target, lens=lens, **more), {"all": np.ones(50, dtype=bool)}
    return demcoh(frame, members, learner, setup, splits=1, seed=1, progress=False)


def learnt(learner, frame=PEOPLE):
    return learner(frame, "y", ("x", "job"), stream(0, "refused"))


def compared(inside=WHO, members=WHO):
    return compare(H, inside, {"some": members}, NULLS, stream(0, "mask"))


# fmt: off
OF_8 = KNOWN | {"epsilon": 0.1}
REFUSED = [
    # questions to the solver
    *((lambda more=m: asked(**more), name) for name, m in (
        ("exactly one", {"gamma": None}), ("exactly one", {"epsilon": 0.1}), ("n", {"gamma": 3, "n": 3}), ("alpha", {"alpha": 1e-200, "gamma": 9}),
        ("epsilon", {"alpha": None, "epsilon": 1000.0}), ("delta", {"delta": 0.1}), ("delta", {"delta": 1e-301, "mode": "theorem8"}))),
    *each(asked, {}, mode=("theorem9",), fraction=(0.5, "all"), collection=(2.9,), gamma=(6e6,), n=(-5, INF), alpha=(2.1, NAN, True)),
    (lambda: holds(asked()), ""),
    # numbers that a theorem does not cover
    *each(paper.theorem7_terms, OF_8, epsilon=(1.5,)),
    *each(paper.theorem8_terms, OF_8, epsilon=(0.7, "0.1"), delta=(0.1,)),
    *each(paper.theorem3_terms, {"beta": 0.1, "zeta": 1, "collection": 1}, alpha=(2.5,)),
    *each(tightened.tightened_size, OF_8, collection=(1.0,)),
    *each(within_group.within_distance, {"members": 100, "epsilon": 0.1, "log_p": -1.0}, members=(True,), epsilon=(-1,)),
    *each(info.corollary, {"epsilon": 0.1, "n": 100, "eta": 0.1}, delta=(0.001,)),
    *each(info.pure_dp, {"epsilon": 0.1, "n": 100}, eta=(2,)),
    # tables, learners, releases and what they predict
    *each(run, {}, learner=("forest",), lens=("xy", ()), labels=("soft",), gamma=(51,)),
    *((lambda f=f: run(f), name) for f, name in ((PEOPLE.to_numpy(), "frame"), (PEOPLE.assign(x=NAN), "column"), (PEOPLE.assign(y=2), "target"))),
    (lambda: run(target="z"), "column"),
    (lambda: run().beta(1.0, "x"), "group"),
    *((lambda h=h: run(learner=lambda *_: lambda records: h), "predictions") for h in (np.full(25, -10.0), np.zeros(3))),
    *((lambda each=e, cut=c: learnt(After(cut, each)), "") for e in (Estimator(FOREST), Lookup())
      for c in (lambda half, rng: half[:0], lambda half, rng: half.drop(columns="job"))),
    *((lambda model=m: Estimator(model), "model") for m in (RandomForestClassifier, 3)),
    (lambda: Tracer(PEOPLE, k=0), "k"),
    (lambda: Tracer(PEOPLE.iloc[:0]), "population"),
    (lambda: learnt(Tracer(PEOPLE))(PEOPLE.assign(x=[*range(49), 99])), "records"),  # one stranger
    # distances and p-values
    *((lambda split=s: combined_p([split]), "") for s in ([NAN, 1.0], [])),
    *each(split_distance, {"values": np.zeros(2), "inside": np.array([True, False])}, distance=("hellinger",), inside=(np.zeros(3, dtype=bool),)),
    # taken for rows, numbers in the place of a mask compared the first two people
    *((lambda call=call, n=n: call(n), name) for n in (np.array([1, 0, 1, 0]), [1, 0, 1, 0], pd.Series([1, 0, 1, 0])) for call, name in (
        (compared, "inside"), (lambda n: compared(members=n), "members of 'some'"), (lambda n: split_distance(H, n), "inside"))),
    (lambda: reshuffling_p(np.arange(4.0), np.arange(4) > 1, draws=9, enough=2, rng=5), "rng"),
]
# fmt: on


@pytest.mark.parametrize(("call", "name"), REFUSED)
def test_it_is_refused_by_name(call, name):
    refused(call, name)


def test_the_labels_of_a_mask_match_nothing():
    turned = pd.Series(WHO, index=[3, 2, 1, 0])
    found = compared(inside=turned, members=np.ones(4, dtype=bool))
    assert found["mean_a"].tolist() == [pytest.approx(0.65)]
