"""What a fit refuses before it looks: a domain too large; and the ends of what it takes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lib.domain import Domain
from lib.rng import stream
from lib.synth import AIM, GEM, MST, Stratified
from lib.synth.base import BUDGET_MAX, BUDGET_MIN
from lib.synth.junction import model_megabytes
from tests.conftest import peak_of
from tests.synth.conftest import DOMAIN, people

WIDE = Domain.of({f"c{i}": 60 for i in range(8)})  # 56 marginals of three columns, 1.6 MB each


def empty(domain: Domain) -> pd.DataFrame:
    return pd.DataFrame({c: np.zeros(50, dtype=np.int16) for c in domain.columns})


def test_a_marginal_larger_than_the_model_is_no_candidate():
    candidates = AIM().candidates(WIDE)
    assert {len(r) for r in candidates} == {1, 2}
    assert {len(r) for r in AIM(max_megabytes=2).candidates(WIDE)} == {1, 2, 3}
    # it could never be opened
    assert model_megabytes(WIDE.sizes, ((0, 1, 2),)) > AIM().max_megabytes
    assert len(AIM(max_megabytes=1e-9).candidates(WIDE)) == 8  # single columns always are


HUGE = Domain.of({f"c{i}": 100 for i in range(15)})  # 455 marginals of 7.6 MB


@pytest.mark.parametrize(
    ("synthesizer", "domain"),
    [
        (GEM(), HUGE),
        (GEM.published(), HUGE),
        (AIM(max_megabytes=80), HUGE),
        (GEM(degree=2), Domain.of({"a": 20_000, "b": 20_000, "c": 2})),
        # the joint of each product, not the counts
        (GEM(), Domain.of({"a": 3000, "b": 3000, "c": 1})),
        (AIM(memory=0.001), DOMAIN),
        (Stratified(inner=GEM(), by=("g",), weights="noisy"), Domain.of({"g": 2} | dict(HUGE))),
    ],
    ids=["gem", "gem cells", "aim", "pairs", "products", "small limit", "stratified"],
)
def test_a_domain_that_needs_too_much_memory_is_refused_before_anything_is_looked_at(
    synthesizer, domain, monkeypatch
):
    def no_look(*_args, **_kwargs):
        raise AssertionError("the data was looked at")

    for place in ("aim.counts", "gem.counts", "base.counts", "stratified.group_sizes"):
        monkeypatch.setattr(f"lib.synth.{place}", no_look)
    words = r"memory must be at least the [\d,]+ MB of .*, got [\d.]+ MB"

    def refused() -> None:
        with pytest.raises(ValueError, match=words):
            synthesizer.fit(empty(domain), domain, rho=1.0, rng=stream(1, "huge"))

    assert peak_of(refused) < 20 * 2**20


QUICK = [
    MST(),
    AIM(rounds_per_column=1),
    GEM(rounds=3, steps=3, batch=8, hidden=(4,)),
    GEM.published(rounds=3, steps=2, batch=8, hidden=(4,)),
    Stratified(inner=MST(), by=("a",), weights="projected"),
]
NAMES = ["mst", "aim", "gem", "gem cells", "mst_a"]


@pytest.mark.parametrize("synthesizer", QUICK, ids=NAMES)
@pytest.mark.parametrize("budget", [BUDGET_MIN, BUDGET_MAX])
def test_the_ends_of_the_budgets_work(synthesizer, budget):
    # the counts take a part, and too little is left
    if isinstance(synthesizer, Stratified) and budget == BUDGET_MIN:
        with pytest.raises(ValueError, match=r"rho=1e-25 less count_share=0.05"):
            synthesizer.fit(people(100), DOMAIN, rho=budget, rng=stream(1, "ends"))
        budget *= 1.1
    model = synthesizer.fit(people(100), DOMAIN, rho=budget, rng=stream(1, "ends"))
    DOMAIN.check(model.sample(5, stream(1, "rows")))
    p = model.marginal(("b", "c"))
    assert np.isfinite(p).all()
    assert p.sum() == pytest.approx(1.0)
