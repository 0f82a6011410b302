"""What the synthesizers refuse by name, before they look at a row or spend anything."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest

from lib.domain import Domain
from lib.rng import stream
from lib.synth import AIM, GEM, MST, Stratified, all_kway, workload_error
from lib.synth.workload import counts
from tests.refusals import each, refused
from tests.synth.conftest import DOMAIN, people
from tests.synth.test_limits import QUICK


def by(*columns, inner=None, **more):
    return Stratified(inner=inner or MST(), by=columns, **more)


def fitted(synthesizer, **changed):
    good = {"data": people(20), "domain": DOMAIN, "rho": 0.2, "rng": stream(1, "bad")}
    return synthesizer.fit(**good | changed)


# fmt: off
REFUSED = [
    *each(AIM, {}, alpha=(1.0, 1e-300), max_megabytes=(0,), focus=("t",), focus_weight=(0,), memory=(-1,)),
    *each(GEM, {}, variant=("best",), rounds=(0,), training=("published",), hidden=(5,), memory=(0,), alpha=(1 - 1e-12,), count_share=(1e-10,)),
    *each(GEM.published, {}, shrink=(0,)),
    *each(MST, {}, iterations=(0,), parts=((1, 1), (1, 0, 1), None, (5e-324, 1.0, 1.0))),
    *each(Stratified, {"inner": MST(), "by": ("a",)}, inner=("mst",), by=(5, ()), small=("hide",), weights=("exact",), count_share=(1e-300,)),
    (lambda: by("a", weights="noisy", sizes={0: 1, 1: 1}), "weights"),
    *(one for s in QUICK for one in each(partial(fitted, s), {}, rho=(1e-320, 1e21, 0.0, math.nan), rng=(5,))),
    *((lambda s=s, t=t: fitted(s, data=t), "") for s in QUICK for t in (people(20).assign(a=9), people(20).assign(extra=1))),
    *((lambda columns=c: fitted(by(*columns)), "by") for c in ("z", "abcd", "aa")),
    (lambda: fitted(by("a"), data=people(0)), "data"),
    *((lambda s=s: fitted(by("b", sizes=s)), "size") for s in (  # three groups
        {(0,): 1}, {(0,): 1, (1,): 1, (2,): 1, (3,): 1}, {(0,): -1, (1,): 1, (2,): 1}, {(0,): math.nan, (1,): 1, (2,): 1},
        {(0,): "many", (1,): 1, (2,): 1}, {0.5: 1}, np.zeros(3), np.ones((3, 2)), 7, np.ma.array([1.0, 2.0, 3.0], mask=[0, 1, 0]))),
    (lambda: DOMAIN.check(people(2).assign(a=[np.array(0), np.array(1)])), "a"),
    # it was counted in the cell of 0
    (lambda: counts(pd.DataFrame({"a": [0.5, 1.0]}), Domain.of({"a": 2}), ("a",)), "a"),
    *each(workload_error, {"real": people(20), "synthetic": people(20), "domain": DOMAIN, "workload": all_kway(DOMAIN)},
          synthetic=(people(20).iloc[:0],), workload=({}, [("a",)])),
    *((lambda w=w: workload_error(people(20), people(20), DOMAIN, {("a",): w}), "weight of") for w in (-1.0, "1")),
    *each(all_kway, {"domain": DOMAIN, "k": 1}, domain=({"a": 2},), k=(5, 0)),
]
# fmt: on


@pytest.mark.parametrize(("call", "name"), REFUSED)
def test_it_is_refused_by_name(call, name):
    refused(call, name)


@pytest.mark.parametrize("synthesizer", [*QUICK, by("a")], ids=lambda one: one.name)
def test_a_budget_says_that_it_is_rho(synthesizer):
    """An epsilon of 1 in its place spent rho 1: (9.52, 1e-9)."""
    with pytest.raises(TypeError):
        synthesizer.fit(people(20), DOMAIN, 1.0, stream(1, "bare"))
