"""MST, AIM, GEM and their stratified forms: budgets, the noiseless limit, streams, edges."""

from __future__ import annotations

import io
import math
from contextlib import redirect_stdout

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from lib.domain import Domain
from lib.rng import stream
from lib.synth import AIM, GEM, MST, Stratified, aim, all_kway, mst, workload_error
from lib.synth.aim import expected_noise, quality_scores
from lib.synth.base import Measurement, estimated_total
from lib.synth.gem import published_spending
from lib.synth.marginal_model import estimate
from lib.synth.mst import Compression, pair_scores
from lib.synth.workload import counts
from tests.conftest import as_often
from tests.programs import python
from tests.synth.conftest import DOMAIN, check, people

QUICK = {
    "mst": MST(),
    "mst, uneven": MST(parts=(10, 1, 9), compress=False),
    "aim": AIM(rounds_per_column=4),
    "gem": GEM(rounds=6, steps=20, batch=32),
    "gem cells": GEM.published(shrink=32, rounds=8, steps=5),
    "gem cells, squares": GEM(variant="cell", alpha=0.67, rounds=8, steps=5, batch=16),
    "mst_a": Stratified(inner=MST(), by=("a",)),
    "aim_a_d": Stratified(inner=AIM(rounds_per_column=2), by=("a", "d"), weights="noisy"),
}


@pytest.mark.parametrize("name", QUICK)
def test_a_fit_spends_its_budget_and_its_marginals_agree_with_its_rows(name, table):
    model = QUICK[name].fit(table, DOMAIN, rho=0.05, rng=stream(1, "fit", name))
    assert model.accountant.budget == 0.05
    check(model, ("a",), ("b", "c"), ("c", "a"), ("a", "b", "d"))
    assert model.total == pytest.approx(len(table), rel=0.2)


@pytest.mark.parametrize("name", QUICK)
def test_equal_streams_give_equal_models_and_others_do_not(name, table):
    small = table.iloc[:300]
    one, two, other = (
        QUICK[name].fit(small, DOMAIN, rho=0.05, rng=stream(s, "again")) for s in (1, 1, 2)
    )
    assert (one.marginal(("b", "c")) == two.marginal(("b", "c"))).all()
    assert (one.marginal(("b", "c")) != other.marginal(("b", "c"))).any()


@pytest.mark.thorough("a second process")
def test_the_same_in_another_process_with_another_hash_seed(table):
    code = (
        "from lib.rng import stream; from lib.synth import AIM, MST; from tests.synth.conftest"
        " import DOMAIN, people\nfor s in (MST(), AIM(rounds_per_column=2)):\n   "
        " print([float(x).hex() for x in s.fit(people(300), DOMAIN, rho=0.05, rng=stream(4,"
        " 'p')).marginal(('b', 'c')).ravel()])"
    )
    seed = str(hash("a string, whose hash is another in each process") % 2**32)
    told = python("-c", code, PYTHONHASHSEED=seed).stdout
    with redirect_stdout(io.StringIO()) as here:
        exec(code, {})
    assert told == here.getvalue()
    assert told.count("0x") == 24


@pytest.mark.parametrize("name", ["mst", "aim"])
def test_rows_do_not_hang_on_the_last_bits_of_what_was_measured(name, table, monkeypatch):
    """Another processor rounds by less; where noise drowns the rows, nothing is promised."""
    module = {"mst": mst, "aim": aim}[name]
    plain, jitter = module.measure, stream(0, "jitter")

    def shaken(*arguments):
        m = plain(*arguments)
        factors = 1 + 1e-12 * jitter.standard_normal(m.noisy.shape)
        return Measurement(m.columns, m.noisy * factors, m.sigma)

    def fit():
        model = QUICK[name].fit(table, DOMAIN, rho=0.5, rng=stream(7, "bits"))
        return model.marginal(("b", "c")), model.sample(2000, stream(8, "bits"))

    shares, rows = fit()
    monkeypatch.setattr(module, "measure", shaken)
    other_shares, other_rows = fit()
    assert 0 < np.abs(shares - other_shares).max() < 1e-8
    assert rows.equals(other_rows)


def test_mst_without_noise_finds_the_maximum_spanning_tree_and_meets_its_pairs(table):
    model = MST().fit(table, DOMAIN, rho=1e9, rng=stream(2, "mst"))
    ones = tuple(Measurement((c,), counts(table, DOMAIN, (c,)), 1.0) for c in DOMAIN.columns)
    scores = pair_scores(table, DOMAIN, ones)
    graph = nx.Graph()
    graph.add_weighted_edges_from((a, b, w) for (a, b), w in scores.items())
    best = nx.maximum_spanning_tree(graph).size(weight="weight")
    assert sum(scores[edge] for edge in model.edges) == pytest.approx(best, rel=1e-6)
    for edge in model.edges:
        found = model.marginal(edge).ravel() * len(table)
        assert found == pytest.approx(counts(table, DOMAIN, edge), abs=2)
    p = counts(table, DOMAIN, ("a",)) / len(table)
    q = counts(table, DOMAIN, ("d",)) / len(table)
    by_hand = np.abs(counts(table, DOMAIN, ("a", "d")) - len(table) * np.outer(p, q).ravel()).sum()
    assert scores["a", "d"] == pytest.approx(by_hand, abs=0.5)


def test_aim_without_noise_meets_the_whole_workload(table):
    model = AIM(rounds_per_column=8, last_iterations=4000).fit(
        table, DOMAIN, rho=1e9, rng=stream(2, "aim")
    )
    rows = model.sample(len(table), stream(2, "aim rows"))
    assert workload_error(table, rows, DOMAIN, all_kway(DOMAIN)) < 0.03
    assert any(len(r.selected) > 1 for r in model.rounds)


LEARNERS = [
    GEM(rounds=12, steps=60, batch=32),
    GEM(variant="cell", alpha=0.67, rounds=30, steps=20, batch=32),
]


@pytest.mark.parametrize("gem", LEARNERS, ids=lambda gem: gem.variant)
def test_gem_learns_more_than_independence(table, gem):
    """On the pair that depends most, with a large budget."""
    model = gem.fit(table, DOMAIN, rho=10.0, rng=stream(2, "gem"))
    independent = np.outer(model.marginal(("b",)), model.marginal(("c",)))
    truth = counts(table, DOMAIN, ("b", "c")).reshape(3, 4) / len(table)
    ours, theirs = (np.abs(p - truth).sum() for p in (model.marginal(("b", "c")), independent))
    assert ours < 0.5 * theirs


def test_aims_scores_by_hand(table):
    ones = [Measurement((c,), counts(table, DOMAIN, (c,)), 1.0) for c in DOMAIN.columns]
    model, total = estimate(DOMAIN, ones, iterations=500)
    weights, sigma = {("a", "b"): 3.0, ("d",): 1.0}, 7.0
    exact = {r: counts(table, DOMAIN, r) for r in weights}
    scores = quality_scores(exact, list(weights), weights, DOMAIN, model, total, sigma)
    a, b = (counts(table, DOMAIN, (c,)) for c in "ab")
    gap = np.abs(exact["a", "b"] - np.outer(a, b).ravel() / len(table)).sum()
    by_hand = 3 * (gap - math.sqrt(2 / math.pi) * sigma * 6)
    assert scores[0] == pytest.approx(by_hand, rel=1e-3)
    assert scores[1] == pytest.approx(-expected_noise(sigma, 2), abs=1.0)


def test_the_number_of_rows_is_weighted_by_precision():
    ms = [
        Measurement(("a",), np.array([60.0, 40.0]), 1.0),
        Measurement(("b",), np.array([10.0, 10.0, 10.0]), 1e6),
    ]
    assert estimated_total(ms) == pytest.approx(100.0)
    assert estimated_total([Measurement(("a",), np.array([-5.0, -7.0]), 1.0)]) == 1.0


def test_compression_merges_what_drowns_and_spreads_it_evenly():
    domain = Domain.of({"x": 5})
    m = Measurement(("x",), np.array([100.0, 1.0, 50.0, -2.0, 2.9]), 1.0)
    c = Compression.of(domain, (m,), 3.0)
    assert c.maps["x"].tolist() == [0, 2, 1, 2, 2]
    assert c.merge(m).noisy == pytest.approx([100.0, 50.0, 1.9])
    assert c.merge(m).sigma == pytest.approx([1.0, 1.0, 3**0.5])  # a sum of three
    assert c.matrix("x")[2] == pytest.approx([0, 1 / 3, 0, 1 / 3, 1 / 3])
    back = c.expand(pd.DataFrame({"x": np.full(3000, 2, dtype=np.int16)}), stream(0, "expand"))["x"]
    assert all(as_often(back == k, 1 / 3) for k in (1, 3, 4))
    lone = Compression.of(domain, (Measurement(("x",), np.array([9.0, 9, 9, 9, 0]), 1.0),), 3.0)
    assert lone.merged.sizes == (5,)  # a single rare code is not worth a merger


def test_published_training_does_not_fail_where_little_noise_is_left():
    """With Adam's moments carried from round to round, fits of this table end at errors of up to 2,
    of 2 at most. The largest error is log-normal here, as of 40 fits, and 0.5 is 6.7 sigma away.
    """
    table, gem = people(2000), GEM.published(shrink=16, rounds=25)
    rho = published_spending(5.0, rounds=25)["rho"]

    for i in range(3):
        model = gem.fit(table, DOMAIN, rho=rho, rng=stream(i, "little noise"))
        gaps = [
            np.abs(model.marginal(c).ravel() - counts(table, DOMAIN, c) / 2000).sum()
            for c in all_kway(DOMAIN, 3)
        ]
        assert max(gaps) < 0.5
        # a round ends when no cell is far off
        assert min(len(r.losses) for r in model.rounds) < gem.steps


EDGES = {
    "empty": (DOMAIN, people(0)),
    "one row": (DOMAIN, people(1)),
    "one column": (Domain.of({"x": 3}), pd.DataFrame({"x": np.array([0, 1, 1], dtype=np.int16)})),
    "constant columns, and codes that never occur": (
        Domain.of({"x": 9, "y": 1, "z": 1}),
        pd.DataFrame({"x": [0, 0, 1, 8], "y": [0] * 4, "z": [0] * 4}, dtype=np.int16),
    ),
}


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("name", ["mst", "aim", "gem", "gem cells"])
def test_poor_data_gives_a_model_all_the_same(name, edge):
    domain, data = EDGES[edge]
    model = QUICK[name].fit(data, domain, rho=0.1, rng=stream(3, name, edge))
    rows = model.sample(7, stream(3, "rows"))
    domain.check(rows)
    assert len(rows) == 7
    assert model.accountant.spent == pytest.approx(0.1, rel=1e-12)


def test_gem_at_the_published_spending_has_the_published_noise(table):
    """With ``alpha = 0.67``: noise of 1 / (0.33 eps) rows, cells drawn by exp(0.67 eps rows)."""
    epsilon = 0.5
    gem = GEM.published(shrink=64, rounds=3, steps=1, count_share=0.5)
    budget = 2 * published_spending(epsilon, rounds=3)["rho"]
    model = gem.fit(table, DOMAIN, rho=budget, rng=stream(0, "spent"))
    assert [r.sigma for r in model.rounds] == pytest.approx([1 / (0.33 * epsilon)] * 3, rel=1e-9)
    selections = [e.cost for e in model.accountant.entries if e.kind == "selection"]
    assert selections == pytest.approx([(0.67 * epsilon) ** 2 / 2] * 3, rel=1e-9)
