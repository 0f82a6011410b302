"""The packages at the bottom import nothing that they do not need at once."""

from __future__ import annotations

import subprocess
import sys

import pytest

from lib.paths import ROOT

HEAVY = {"folktables", "jax", "lightgbm", "matplotlib", "pandas", "pooch", "requests", "sklearn"}


@pytest.mark.parametrize(
    ("package", "light"),
    [
        ("lib.ldp", {"scipy"}),
        ("lib.dp", set()),
        ("lib.fairness", {"scipy"}),
        ("lib.stats", set()),
        ("lib.domain", {"scipy"}),
    ],
)
def test_importing_a_package_loads_nothing_of_weight(package, light):
    """Nothing of HEAVY, nor what ``light`` names."""
    code = f"import sys, {package}; print(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not set(done.stdout.split()) & (HEAVY | light)
