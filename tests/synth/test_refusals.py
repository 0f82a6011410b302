"""What the synthesizers refuse by name, before they look at a row or spend anything."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from lib.domain import Domain
from lib.rng import stream
from lib.synth import AIM, GEM, MST, Stratified, all_kway, workload_error
from lib.synth.group_sizes import size_items
from lib.synth.workload import counts
from tests.synth.conftest import DOMAIN, people
from tests.synth.test_limits import QUICK

MASKED = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])


def by(*columns, inner=None, **more):
    return Stratified(inner=inner or MST(), by=columns, **more)


def fitted(synthesizer, **changed):
    good = {"data": people(20), "domain": DOMAIN, "budget": 0.2, "rng": stream(1, "bad")}
    return synthesizer.fit(**good | changed)


def error(synthetic=None, workload=None):
    real = people(20)
    workload = all_kway(DOMAIN) if workload is None else workload
    return workload_error(real, real if synthetic is None else synthetic, DOMAIN, workload)


# fmt: off
REFUSED = [
    # it was counted in the cell of 0
    (lambda: counts(pd.DataFrame({"a": [0.5, 1.0]}), Domain.of({"a": 2}), ("a",)), "^a must be whole numbers"),
    (lambda: AIM(alpha=1.0), r"alpha must be .*, got 1.0"),
    (lambda: AIM(max_megabytes=0), r"max_megabytes must be .*, got 0"),
    (lambda: AIM(focus="t"), r"focus must be .*, got 't'"),
    (lambda: AIM(focus_weight=0), r"focus_weight must be .*, got 0"),
    (lambda: AIM(memory=-1), r"memory must be .*, got -1"),
    (lambda: GEM(variant="best"), r"variant must be .*, got 'best'"),
    (lambda: GEM(rounds=0), r"rounds must be .*, got 0"),
    (lambda: GEM(training="published"), r"training must be .*, got 'published'"),
    (lambda: GEM(hidden=5), r"hidden must be .*, got 5"),
    (lambda: GEM(memory=0), r"memory must be .*, got 0"),
    (lambda: GEM.published(shrink=0), r"shrink must be .*, got 0"),
    (lambda: MST(iterations=0), r"iterations must be .*, got 0"),
    (lambda: MST(parts=(1, 1)), r"parts must be .* got \(1, 1\)"),
    (lambda: MST(parts=(1, 0, 1)), r"parts must be .*, got 0"),
    (lambda: MST(parts=None), r"parts must be .*, got None"),
    (lambda: Stratified(inner="mst", by=("a",)), r"inner must be .*, got 'mst'"),
    (lambda: Stratified(inner=MST(), by=5), r"by must be .*, got 5"),
    (lambda: by(), "by must be"),
    (lambda: by("a", small="hide"), r"small must be .*, got 'hide'"),
    (lambda: by("a", weights="exact"), r"weights must be .*, got 'exact'"),
    (lambda: by("a", weights="noisy", sizes={0: 1, 1: 1}), "weights must be 'public' with sizes, got 'noisy'"),
    # a share that buys no noise
    *((lambda make=m, share=s: make(share), f"^{name}") for s in (1e-300, 5e-324, 1e-10, 1 - 1e-12) for m, name in (
        (lambda s: GEM(alpha=s), "alpha"), (lambda s: GEM(count_share=s), "count_share"), (lambda s: AIM(alpha=s), "alpha"),
        (lambda s: MST(parts=(min(s, 1 - s), 1.0, 1.0)), "parts"), (lambda s: by("a", count_share=s), "count_share"))),
    *((lambda s=s, c=c: fitted(s, **c), words) for s in QUICK for c, words in [
        ({"budget": 1e-320}, r"budget must be .*, got 1e-320"),
        ({"budget": 1e21}, r"budget must be .*, got 1e\+21"),
        ({"budget": 0.0}, r"budget must be .*, got 0.0"),
        ({"budget": math.nan}, r"budget must be .*, got nan"),
        ({"rng": 5}, r"rng must be .*, got 5"),
        ({"data": people(20).assign(a=9)}, "a"),
        ({"data": people(20).assign(extra=1)}, "columns")]),
    (lambda: fitted(by("z")), "by must be one of .*, got 'z'"),
    (lambda: fitted(by("a", "b", "c", "d")), "by must leave at least one column to fit"),
    (lambda: fitted(by("a", "a")), "by must be"),
    (lambda: fitted(by("a"), data=people(0)), "data must have rows in at least one group"),
    *((lambda s=s: fitted(by("b", sizes=s)), words) for s, words in [  # three groups
        ({(0,): 1}, r"sizes must have .* got none for \(1,\)"),
        ({(0,): 1, (1,): 1, (2,): 1, (3,): 1}, r"sizes must have .* got one for \(3,\)"),
        ({(0,): -1, (1,): 1, (2,): 1}, r"size of \(0,\) must be .*, got -1"),
        ({(0,): math.nan, (1,): 1, (2,): 1}, "nan"),
        (np.zeros(3), "sizes must have rows in at least one group"),
        (np.ones((3, 2)), r"sizes must have 1 codes for a group, got \(0, 0\)"),
        (7, "sizes must be .* got 7"),
        ({0.5: 1}, "sizes must be"),
        ({(0,): "many", (1,): 1, (2,): 1}, "'many'")]),
    (lambda: size_items(MASKED, 1), "mask"),
    (lambda: error(synthetic=people(20).iloc[:0]), "synthetic must have at least 1 row"),
    (lambda: error(synthetic=people(20).assign(a=7)), "a"),
    (lambda: error(workload={}), "workload must have at least one marginal"),
    (lambda: error(workload={("a",): -1.0}), "weight of .* must be a number >= 0, got -1.0"),
    (lambda: error(workload={("a",): "1"}), "^weight of .* must"),
    (lambda: error(workload=[("a",)]), "^workload must"),
    (lambda: all_kway({"a": 2}, 1), "^domain must"),
    (lambda: all_kway(DOMAIN, 5), r"k must be .*, got 5"),
    (lambda: all_kway(Domain.of({"x": 2}), 0), r"k must be .*, got 0"),
]
# fmt: on


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_it_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()
