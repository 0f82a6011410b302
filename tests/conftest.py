"""Fixtures that several folders share."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from lib.rng import stream

# a machine that is busy with something else fails no property
settings.register_profile("suite", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--protocol",
        action="append",
        default=[],
        metavar="MODULE:CLASS",
        help="ask the LDP battery of a protocol that is not in the package, too",
    )


FALSE_ALARM = 1e-6  # of every statistical test in the suite, stated once


@pytest.fixture
def rng(request) -> np.random.Generator:
    """A stream of its own for each test, the same in every run."""
    return stream(7, request.node.nodeid)


@pytest.fixture
def on_replicas(tmp_path, monkeypatch) -> None:
    """An environment in which no real data can be had."""
    monkeypatch.delenv("COMPANION_DATA", raising=False)
    monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "no-cache"))
    monkeypatch.setenv("COMPANION_OFFLINE", "1")
