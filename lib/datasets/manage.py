"""``python -m lib data``: list, fetch, verify."""

from __future__ import annotations

from collections.abc import Sequence

from lib import validate
from lib.datasets.cache import DataError, locate, state
from lib.datasets.cache import fetch as download
from lib.datasets.registry import FILES, File


def _chosen(names: Sequence[str]) -> list[File]:
    return [FILES[validate.choice("file", name, FILES)] for name in names] or list(FILES.values())


def list_files(names: Sequence[str] = ()) -> int:
    """Print each file with its state, size, licence, checksum and origin."""
    for file in _chosen(names):
        print(
            f"{file.name:30} {state(file):8} {file.size / 1e6:6.1f} MB  {file.rows:7,} x"
            f" {file.columns}"
        )
        print(f"    {file.licence}\n    sha256 {file.sha256}\n    {file.url}")
    return 0


def fetch(names: Sequence[str] = ()) -> int:
    """Download what is neither local nor cached; the number of failures is returned."""
    failures = 0
    for file in _chosen(names):
        try:
            found = locate(file.name) if state(file) != "altered" else download(file)
            print(f"{file.name}: {found.source}, {found.path}")
        except DataError as error:
            failures += 1
            print(f"{file.name}: {error}")
    return failures


def verify(names: Sequence[str] = ()) -> int:
    """Hash the files that are there again; the number that do not match is returned."""
    states = {file.name: state(file) for file in _chosen(names)}
    for name, found in states.items():
        print(f"{name:30} {'matches its SHA-256' if found in ('local', 'cached') else found}")
    return sum(found == "altered" for found in states.values())
