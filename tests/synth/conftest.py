"""Small tables with a dependence to find."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lib.domain import Domain
from lib.rng import stream

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
