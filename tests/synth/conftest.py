"""Small tables with a dependence to find, and what every fit must do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lib.domain import Domain
from lib.rng import stream
from lib.synth import Fitted

DOMAIN = Domain.of({"a": 2, "b": 3, "c": 4, "d": 2})


def people(n: int, key: object = 0) -> pd.DataFrame:
    """``b`` hangs on ``a``, ``c`` on ``b``; ``d`` on nothing."""
    rng = stream(11, "synth people", n, key)
    a = rng.integers(0, 2, n)
    b = np.where(rng.random(n) < 0.8, a, 2)
    c = np.where(rng.random(n) < 0.7, b, 3)
    return pd.DataFrame({"a": a, "b": b, "c": c, "d": (rng.random(n) < 0.3).astype(int)}).astype(
        np.int16
    )


@pytest.fixture(scope="session")
def table() -> pd.DataFrame:
    return people(2000)


@pytest.fixture
def domain() -> Domain:
    return DOMAIN


def check(model: Fitted, *marginals: tuple[str, ...]) -> None:
    """A fit spends its budget and gives rows, and marginals that agree with them."""
    assert model.accountant.spent == pytest.approx(model.accountant.budget, rel=1e-12)
    rows = model.domain.check(model.sample(20_000, stream(1, "rows")))
    for columns in marginals:
        p = model.marginal(columns)
        assert p.shape == tuple(model.domain[c] for c in columns)
        assert p.sum() == pytest.approx(1.0)
        assert p.min() >= -1e-12
        cells = np.ravel_multi_index(rows[list(columns)].to_numpy().T, p.shape)
        assert np.abs(np.bincount(cells, minlength=p.size) / 20_000 - p.ravel()).sum() < 0.05
