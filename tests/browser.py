"""A headless Chromium for tests and benchmarks that open pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@contextmanager
def headless_chromium() -> Iterator:
    """The browser; the test is skipped where there is none."""
    if CHROMIUM is None:
        pytest.skip(
            "no Chromium on this machine (apt install chromium): pages are not opened in a browser"
        )
    api = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: `make test` installs it"
    )
    with api.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()
