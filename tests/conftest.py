"""Fixtures that several folders share."""

from __future__ import annotations

import numpy as np
import pytest

from lib.rng import stream

FALSE_ALARM = 1e-6  # of every statistical test in the suite, stated once


@pytest.fixture
def rng(request) -> np.random.Generator:
    """A stream of its own for each test, the same in every run."""
    return stream(7, request.node.nodeid)
