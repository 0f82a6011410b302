"""Pyodide from a folder or from its release: every file is checked by its sum."""

from __future__ import annotations

import hashlib

import pytest

from lib.datasets import DataError, Unavailable
from press import live

FILES = {"one.whl": b"the first file", "two.zip": b"the second file"}


@pytest.fixture
def two_files(monkeypatch):
    """A distribution of two small files."""
    sums = {name: hashlib.sha256(raw).hexdigest() for name, raw in FILES.items()}
    monkeypatch.setattr(live, "wanted", lambda: sums)


def test_a_folder_is_believed_as_far_as_the_sums_go(tmp_path, two_files):
    with pytest.raises(DataError, match="must be a file of Pyodide"):
        live.distribution(str(tmp_path))
    for name, raw in FILES.items():
        (tmp_path / name).write_bytes(raw)
    assert live.distribution(str(tmp_path)) == FILES
    (tmp_path / "two.zip").write_bytes(b"the second filE")
    with pytest.raises(DataError, match=r"two\.zip must have the SHA-256"):
        live.distribution(str(tmp_path))
    with pytest.raises(ValueError, match="source must be index, release or a folder"):
        live.distribution(str(tmp_path / "none"))


def test_the_release_is_downloaded_once(site, fresh_cache, two_files):
    site.pages = {f"/full/{name}": (200, {}, raw) for name, raw in FILES.items()}
    for _ in range(2):
        assert live.distribution("release", site.url("/full/")) == FILES
    assert set(site.hits.values()) == {1}


@pytest.mark.parametrize(
    ("body", "limit", "message"),
    [(b"other bytes", 100, "SHA-256"), (b"x" * 101, 100, "at most 100"), (None, 100, "404")],
)
def test_another_release_is_refused(
    site, fresh_cache, two_files, monkeypatch, body, limit, message
):
    monkeypatch.setattr(live, "LIMIT", limit)
    if body:
        site.pages = {f"/{name}": (200, {}, body) for name in FILES}
    with pytest.raises((DataError, Unavailable), match=message):
        live.distribution("release", site.url("/"))
    assert [path.name for path in fresh_cache.rglob("*") if path.is_file()] == []
