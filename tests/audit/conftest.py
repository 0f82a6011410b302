"""Reports of which only the words are read."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure


@pytest.fixture
def unpainted(monkeypatch) -> None:
    """Figures are made, with their alternative texts, and not turned into pixels."""
    monkeypatch.setattr(Figure, "savefig", lambda self, file, **_: file.write(b"a picture"))
