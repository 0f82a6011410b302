"""Beliefs, marginals and rows of the graphical model against the distribution over all cells."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special, stats

from lib.rng import stream
from lib.synth.graphical import GraphicalModel, fit_model, targets
from lib.synth.junction import (
    Tree,
    calibrate,
    edges,
    junction_tree,
    megabytes_with,
    model_megabytes,
)
from tests.conftest import FALSE_ALARM
from tests.synth.brute import joint, marginal

SHAPES = {
    "chain": ((2, 3, 2, 4), ((0, 1), (1, 2), (2, 3))),
    "star": ((3, 2, 2, 2), ((0, 1), (0, 2), (0, 3))),
    "triangle and tail": ((2, 3, 2, 2), ((0, 1, 2), (2, 3))),
    "cycle": ((2, 2, 3, 2), ((0, 1), (1, 2), (2, 3), (0, 3))),
    "apart": ((2, 3, 2, 2), ((0, 1), (3,))),
    "one": ((5,), ((0,),)),
}


def _random_model(name: str, seed: int = 0) -> tuple[GraphicalModel, np.ndarray]:
    sizes, cliques = SHAPES[name]
    tree = Tree.covering(sizes, cliques)
    rng = stream(seed, "graphical", name)
    theta = [rng.normal(0, 1.5, tree.shape(c)) for c in tree.cliques]
    return GraphicalModel(tree, tuple(calibrate(tree, theta)), {}), joint(tree, theta)


@pytest.mark.parametrize("name", SHAPES)
def test_every_marginal_is_that_of_the_joint(name):
    """In the cliques and across them, in any order of the columns."""
    model, p = _random_model(name)
    for size in range(1, p.ndim + 1):
        for columns in itertools.permutations(range(p.ndim), size):
            assert model.marginal(columns) == pytest.approx(marginal(p, columns), abs=1e-12)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_the_size_of_a_model_is_that_of_the_librarys_tree(data):
    """Of any cliques, and of graphs that are trees, for which the library has an order of its own."""
    assert model_megabytes((10, 10, 10), ((0, 1), (1, 2))) == 2 * 100 * 8 / 2**20
    sizes = tuple(data.draw(st.lists(st.sampled_from((1, 2, 3, 9, 30)), min_size=1, max_size=7)))
    columns = st.integers(0, len(sizes) - 1)
    if data.draw(st.booleans()):
        cliques = tuple((data.draw(st.integers(0, i - 1)), i) for i in range(1, len(sizes)))
    else:
        clique = st.lists(columns, min_size=1, max_size=3, unique=True)
        cliques = tuple(map(tuple, data.draw(st.lists(clique, max_size=8))))
    nodes, _ = junction_tree(sizes, cliques)
    cells = sum(math.prod(sizes[i] for i in node) for node in nodes)
    assert model_megabytes(sizes, cliques) == cells * 8 / 2**20
    more = tuple(itertools.combinations(range(len(sizes)), 2))
    each = [model_megabytes(sizes, (*cliques, pair)) for pair in more]
    assert megabytes_with(sizes, edges(cliques), more).tolist() == each


@pytest.mark.parametrize("name", SHAPES)
def test_without_noise_the_measured_marginals_are_met_and_no_more_is_assumed(name):
    """Exact marginals of a joint are met, by the model of maximum entropy."""
    sizes, cliques = SHAPES[name]
    _, p = _random_model(name, seed=3)
    measured = [(c, 1000 * marginal(p, c).ravel(), 1.0) for c in cliques]
    model = fit_model(sizes, measured, 1000.0, iterations=4000)
    for c in cliques:
        assert model.marginal(c) == pytest.approx(marginal(p, c), abs=2e-4)
    # p itself factorises like that, so it is the answer
    if name in ("chain", "star", "triangle and tail"):
        everything = tuple(range(p.ndim))
        assert model.marginal(everything) == pytest.approx(p, abs=1e-3)


@pytest.mark.parametrize("even", [True, False])
def test_noisy_measurements_are_met_as_nearly_as_by_any_joint(even):
    """Their weighted squares are least, as SciPy finds over the shares of all cells."""
    sizes, cliques = SHAPES["triangle and tail"]
    _, p = _random_model("triangle and tail", seed=5)
    rng = stream(5, "noisy")
    measured = []
    for c in (*cliques, (0, 3)):
        exact = 1000 * marginal(p, c).ravel()
        sigma = 20.0 if even else 20 * np.sqrt(rng.integers(1, 9, exact.size))
        measured.append((c, exact + rng.normal(0, sigma, exact.size), sigma))
    ours = fit_model(sizes, measured, 1000.0, iterations=3000)

    def squares(logits: np.ndarray) -> float:
        shares = special.softmax(logits).reshape(sizes)
        gaps = [(1000 * marginal(shares, c).ravel() - noisy) / s for c, noisy, s in measured]
        return sum(float(gap @ gap) for gap in gaps)

    nearest = special.softmax(optimize.minimize(squares, np.zeros(p.size)).x).reshape(sizes)
    for c in cliques:
        assert ours.marginal(c) == pytest.approx(marginal(nearest, c), abs=2e-3)


def test_measurements_of_one_marginal_are_weighted_by_precision():
    a, b = np.array([100.0, 0.0]), np.array([0.0, 100.0])
    (goal,) = targets((2,), [((0,), a, 1.0), ((0,), b, 2.0)], 100.0)
    assert goal.shares == pytest.approx([0.8, 0.2])
    (goal,) = targets((2,), [((0,), a, np.array([1.0, 2.0])), ((0,), b, 1.0)], 100.0)
    assert goal.shares == pytest.approx([0.5, 0.8])
    one, turned = np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(3, 2)
    (goal,) = targets((2, 3), [((1, 0), turned.ravel(), 1.0), ((0, 1), one.ravel(), 1.0)], 1.0)
    assert goal.shares == pytest.approx((turned.T + one) / 2)


@given(st.sampled_from(sorted(SHAPES)), st.integers(0, 10_000))
@settings(max_examples=30)
def test_rows_have_the_shares_of_the_cliques_up_to_rounding(name, seed):
    model, p = _random_model(name, seed)
    n = 4000
    rows = model.sample(n, stream(seed, "rows"))
    assert rows.shape == (n, p.ndim)
    found = np.histogramdd(rows, bins=[np.arange(k + 1) for k in p.shape])[0] / n
    root = model.tree.cliques[0]
    assert np.abs(marginal(found, root) - marginal(p, root)).max() <= 1.01 / n * 2
    assert np.abs(found - p).sum() < 0.35


def test_rows_are_independent_given_the_separator():
    """A chain's ends, given its middle: no dependence (chi-square tests, 1e-6)."""
    model, _ = _random_model("chain", seed=2)
    rows = model.sample(60_000, stream(2, "independent"))
    for middle in range(3):
        part = rows[rows[:, 1] == middle]
        table = np.histogram2d(part[:, 0], part[:, 2], bins=[np.arange(3), np.arange(3)])[0]
        assert stats.chi2_contingency(table).pvalue > FALSE_ALARM
