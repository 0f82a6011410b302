"""GEM's published training against formulas written out from the published code."""

from __future__ import annotations

import numpy as np
import pytest

from lib.domain import Domain
from lib.rng import stream
from lib.synth import GEM, Stratified
from lib.synth.gem import NEVER
from lib.synth.generator import kernels, published_weights
from tests.synth.conftest import DOMAIN, check, people

SIZES, HIDDEN, INPUTS, BATCH = (2, 3, 4), (8, 6), 5, 7


@pytest.fixture
def network():
    rng = stream(0, "published network")
    weights = published_weights(SIZES, HIDDEN, INPUTS, rng)
    return weights, rng.normal(size=(BATCH, INPUTS)).astype(np.float32)


def _shares(weights, z):
    """The published network by hand, in 64 bits."""
    *blocks, (w, b) = weights
    h = np.asarray(z, float)
    for a, c, scale, shift in blocks:
        own = h @ a + c
        own = (own - own.mean(0)) / np.sqrt(own.var(0) + 1e-5) * scale + shift
        h = np.hstack([np.maximum(own, 0), h])
    parts = np.split(h @ w + b, np.cumsum(SIZES)[:-1], axis=1)
    return [np.exp(p) / np.exp(p).sum(axis=1, keepdims=True) for p in parts]


def test_the_network_has_residual_blocks_with_batch_normalisation(network):
    weights, z = network
    assert [part.shape for part in weights[1]] == [(5 + 8, 6), (6,), (6,), (6,)]
    assert [part.shape for part in weights[2]] == [(5 + 8 + 6, 9), (9,)]
    weights[0][2][:], weights[0][3][:] = 1.5, -0.2
    for got, wanted in zip(kernels().shares(weights, z, SIZES), _shares(weights, z), strict=True):
        assert np.asarray(got) == pytest.approx(wanted, abs=1e-5)


def test_the_loss_is_the_two_norm_of_the_errors_over_their_number(network):
    """The mean absolute error, which it was before, differs from it."""
    weights, z = network
    cells = np.array([[0, 2, 5], [1, 3, 6], [0, 4, 8], [1, 2, 7], [0, 0, 0]])
    goals, used = np.array([0.5, 0.04, 0.3, 0.9, 0], np.float32), np.array([1, 1, 1, 1, 0])
    flat = np.hstack(_shares(weights, z))
    errors = np.abs(flat[:, cells].prod(axis=2).mean(axis=0) - goals)[:4]
    for threshold, number in ((0.0, 4), (float(np.sort(errors)[2]) - 1e-4, 2)):
        loss, largest = kernels().published_loss(
            weights, z, cells, goals, used.astype(np.float32), threshold, SIZES
        )
        far = errors[errors >= threshold]
        assert len(far) == number
        assert float(loss) == pytest.approx(np.linalg.norm(far) / number, rel=1e-4)
        assert float(largest) == pytest.approx(errors.max(), rel=1e-4)
        assert float(loss) < 0.9 * far.mean()


def test_no_cell_is_asked_twice_while_others_are_left():
    domain, rows = DOMAIN.project(DOMAIN.columns[:2]), people(50)[list(DOMAIN.columns[:2])]
    cells = int(np.prod(domain.sizes))
    gem = GEM.published(shrink=64, rounds=cells + 2, steps=1)
    for budget in (1e-6, 1.0, 1e9):  # noise alone; no noise, where all gaps but one are hopeless
        model = gem.fit(rows, domain, rho=budget, rng=stream(0, "once", budget))
        asked = [r.cell for r in model.rounds]
        assert sorted(asked[:cells]) == list(range(cells))
    assert NEVER < -1e200


@pytest.mark.thorough("long fits")
@pytest.mark.parametrize("keep", [False, True])
def test_a_stratum_keeps_its_columns_only_where_that_is_asked_for(keep):
    rows, first = people(300), DOMAIN.columns[0]
    gem = GEM.published(shrink=64, rounds=4, steps=2)
    model = Stratified(inner=gem, by=(first,), keep_columns=keep).fit(
        rows, DOMAIN, rho=1.0, rng=stream(0, "keep")
    )
    inner: Domain = model.strata[0].fitted.domain
    assert dict(inner).get(first) == (1 if keep else None)
    check(model, (first,), (first, DOMAIN.columns[1]))
