"""Adult's training attributes as the paper's experiment has them (36,679 x 4), from whatever
data are here.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import numpy as np
import pytest

from lib.datasets import load
from studies.ldp_fairness.cells import split_rows

PACKAGES = ("numpy", "scikit-learn", "lightgbm", "multi-freq-ldpy", "numba", "xxhash", "mbi", "jax")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "absent"


@pytest.hookimpl(optionalhook=True)  # the suite collects the benchmarks without the plugin
def pytest_benchmark_update_machine_info(config, machine_info):
    """What the report is stamped with beside the machine."""
    machine_info["packages"] = {package: _version(package) for package in PACKAGES}
    machine_info["adult"] = load("adult").label


@pytest.fixture(scope="session")
def adult():
    data = load("adult")
    rows, _ = split_rows(data.y, 0)
    return data.frame.iloc[rows], data.task


@pytest.fixture(scope="session")
def attributes(adult):
    """(values, k) of each sensitive attribute."""
    frame, task = adult
    return [(frame[c].to_numpy().astype(np.intp), task.domain[c]) for c in task.sensitive]
