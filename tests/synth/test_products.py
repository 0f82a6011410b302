"""Marginals of mixtures of products, and the gradient, against brute force and jax."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from lib.rng import stream
from lib.synth.junction import load_jax
from lib.synth.products import product_marginal, squared_error

SHAPES = [(4,), (3, 4), (2, 3, 4), (2, 3, 2, 2)]


def _parts(shape, components=5):
    raw = [stream(1, "parts", k, i).random((components, k)) for i, k in enumerate(shape)]
    return [part / part.sum(axis=1, keepdims=True) for part in raw]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_marginal_is_the_mean_over_components(shape):
    parts = _parts(shape)
    table = product_marginal(parts)
    assert table.shape == shape
    for cell in product(*map(range, shape)):
        by_hand = np.mean(
            [np.prod([part[b, t] for part, t in zip(parts, cell, strict=True)]) for b in range(5)]
        )
        assert table[cell] == pytest.approx(by_hand, rel=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_gradient_is_that_of_automatic_differentiation(shape):
    jax = load_jax()
    parts, goal = _parts(shape), stream(2, "goal").random(int(np.prod(shape)))
    letters = "uvwx"[: len(shape)]

    def error(parts):
        table = jax.numpy.einsum(",".join(f"b{i}" for i in letters) + "->" + letters, *parts) / 5
        return ((table.ravel() - goal) ** 2).sum()

    value, gradient = jax.value_and_grad(error)(parts)
    found, ours = squared_error(parts, goal)
    assert found == pytest.approx(float(value), rel=1e-12)
    for a, b in zip(ours, gradient, strict=True):
        assert a == pytest.approx(np.asarray(b), rel=1e-10, abs=1e-12)
