"""The two parts of the suite: ``make test``, and what ``make test-all`` adds.

A test marked ``thorough("what it is")`` is in the second, and so is one that opens a browser.
"""

from __future__ import annotations

import pytest


def is_quick(config: pytest.Config) -> bool:
    """Whether thorough tests are left out."""
    return "not thorough" in config.option.markexpr


@pytest.hookimpl(tryfirst=True)  # before pytest looks at the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        browser = item.get_closest_marker("browser") or "chromium" in getattr(
            item, "fixturenames", ()
        )
        if browser and not item.get_closest_marker("thorough"):
            item.add_marker(pytest.mark.thorough("browsers"))
