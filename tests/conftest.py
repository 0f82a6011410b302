"""Fixtures that several folders share."""

from __future__ import annotations

import os
import pickle
import sys
import tempfile
import tracemalloc
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings
from scipy import stats

from lib.datasets.cache import unregistered
from lib.rng import stream
from tests.parts import pytest_collection_modifyitems  # noqa: F401 - pytest finds it here

# A machine that is busy with something else fails no property. Everybody asks of the same examples;
# `pytest --hypothesis-profile search` looks for others.
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("search", calm)
settings.register_profile("suite", calm, derandomize=True)
settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--protocol",
        action="append",
        default=[],
        metavar="MODULE:CLASS",
        help="ask the LDP battery of a protocol that is not in the package, too",
    )


# where lib.datasets looks for real data, and where this suite keeps what was set when it began
PLACES = ("COMPANION_DATA", "COMPANION_CACHE", "COMPANION_OFFLINE")
KEPT = "COMPANION_TESTS_"


def pytest_configure(config: pytest.Config) -> None:
    """No test has real data but by the fixture ``real_data``, so all others run everywhere as they
    run in a newcomer's clone. Here and not in a fixture: that of a module would come before it.

    The module of a protocol lies where pytest is called; the program ``pytest``, other than
    ``python -m pytest``, does not look there.
    """
    if not hasattr(config, "workerinput"):  # a worker inherits what its parent has set
        for name in PLACES:
            os.environ[KEPT + name] = os.environ.pop(name, "")
        os.environ["COMPANION_CACHE"] = os.path.join(
            tempfile.gettempdir(), f"no-cache-{os.getpid()}"
        )
        os.environ["COMPANION_OFFLINE"] = "1"
    here = str(config.invocation_params.dir)
    if config.getoption("--protocol") and here not in sys.path:
        sys.path.insert(0, here)


NO_REAL_DATA = "real data are not here (COMPANION_DATA)"
FALSE_ALARM = 1e-6  # of every statistical test in the suite, stated once


def as_often(hits: np.ndarray, p: float, *, tests: int = 1, side: str = "two-sided") -> bool:
    """Whether so many of ``hits`` are true as at a probability of ``p``: an exact binomial test."""
    test = stats.binomtest(int(np.sum(hits)), np.size(hits), min(1.0, p), alternative=side)
    return test.pvalue > FALSE_ALARM / tests


def peak_of(work: Callable[[], Any]) -> int:
    """Bytes that ``work`` takes at its peak, beyond what there was; also of work that fails."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.fixture(autouse=True)
def no_figure_stays():
    """Figures that a test has drawn are closed after it."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")


@pytest.fixture
def rng(request) -> np.random.Generator:
    """A stream of its own for each test, the same in every run."""
    return stream(7, request.node.nodeid)


@pytest.fixture(scope="session")
def once(tmp_path_factory) -> Callable[[str, Callable[[], Any]], Any]:
    """What a function makes, by a name: made by the first process of the suite that asks."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # each worker has a folder below that of the suite
        folder = folder.parent

    def made(name: str, make: Callable[[], Any]) -> Any:
        file = folder / f"{name}.pickle"
        with FileLock(f"{file}.lock"):
            if not file.exists():
                file.write_bytes(pickle.dumps(make()))
        return pickle.loads(file.read_bytes())

    return made


def as_it_began(patch: pytest.MonkeyPatch, names: Iterable[str] = PLACES) -> None:
    """Set where real data are to what it was when the suite began."""
    for name in names:
        if kept := os.environ.get(KEPT + name):
            patch.setenv(name, kept)
        else:
            patch.delenv(name, raising=False)


@pytest.fixture
def real_data(monkeypatch) -> Callable[..., Path]:
    """A function that makes registered or raw files available, and returns the path of the first;
    it skips the test where one is neither in ``COMPANION_DATA`` nor in the cache. It downloads
    nothing.

    A tuple stands for one file that may have several names.
    """

    def ask(*files: str | tuple[str, ...]) -> Path:
        as_it_began(monkeypatch, PLACES[:2])
        found = [unregistered(*((names,) if isinstance(names, str) else names)) for names in files]
        if missing := [str(name) for name, path in zip(files, found, strict=True) if path is None]:
            pytest.skip(f"{NO_REAL_DATA}: {', '.join(missing)}")
        return found[0]

    return ask
