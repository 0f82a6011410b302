"""Reports of which only the words are read, and files to ask audits of."""

from __future__ import annotations

import pytest
from matplotlib.figure import Figure

from tests.audit.asking import write_halves


@pytest.fixture
def unpainted(monkeypatch) -> None:
    """Figures are made, with their alternative texts, and not turned into pixels."""
    monkeypatch.setattr(Figure, "savefig", lambda self, file, **_: file.write(b"a picture"))


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The folder of :func:`~tests.audit.asking.write_halves`, where the test is."""
    write_halves(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
