"""Fixtures that several folders share."""

from __future__ import annotations

import numpy as np
import pytest

from lib.rng import stream


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--protocol", action="append", default=[], metavar="MODULE:CLASS",
                     help="ask the LDP battery of a protocol that is not in the package, too")  # fmt: skip


FALSE_ALARM = 1e-6  # of every statistical test in the suite, stated once


@pytest.fixture
def rng(request) -> np.random.Generator:
    """A stream of its own for each test, the same in every run."""
    return stream(7, request.node.nodeid)
