"""Pyodide from a folder: every file is checked by its sum."""

from __future__ import annotations

import hashlib

import pytest

from lib.datasets import DataError
from press import live

FILES = {"one.whl": b"the first file", "two.zip": b"the second file"}


@pytest.fixture
def two_files(monkeypatch, site):
    """A distribution of two small files, whose release is the site."""
    sums = {name: hashlib.sha256(raw).hexdigest() for name, raw in FILES.items()}
    monkeypatch.setattr(live, "wanted", lambda: sums)
    monkeypatch.setattr(live, "pins", lambda: {"version": "1", "release": site.url("/")})


def test_a_folder_is_believed_as_far_as_the_sums_go(tmp_path, two_files):
    with pytest.raises(DataError, match="must be a file of Pyodide"):
        live.distribution(str(tmp_path))
    for name, raw in FILES.items():
        (tmp_path / name).write_bytes(raw)
    assert live.distribution(str(tmp_path)) == FILES
    (tmp_path / "two.zip").write_bytes(b"the second filE")
    with pytest.raises(DataError, match=r"two\.zip must have the SHA-256"):
        live.distribution(str(tmp_path))
