"""The results file of a test, and what every sweep here leaves out: workers and the bar."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "grid.parquet"
