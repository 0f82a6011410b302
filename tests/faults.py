"""Run the tests that the page of faults names: ``make faults``."""

from __future__ import annotations

import re
import sys

import pytest

from lib.paths import CHAPTERS, ROOT

PAGE = CHAPTERS / "guides" / "faults.md"


def named_tests() -> list[str]:
    """The tests of the page, in its order."""
    return re.findall(r"^tests/[\w/]+\.py::\w+$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


if __name__ == "__main__":
    options = ["-v", "-m", "not slow and not compare", "--rootdir", str(ROOT)]
    sys.exit(pytest.main([*options, "-p", "no:cacheprovider", *named_tests()]))
