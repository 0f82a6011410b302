"""Run the tests that the page of faults names: ``make faults``."""

from __future__ import annotations

import re
import sys

import pytest

from lib.paths import CHAPTERS, ROOT

PAGE = CHAPTERS / "guides" / "faults.md"


def named_tests() -> list[str]:
    """The tests of the page, in its order; the tree for students lacks those of the course."""
    text = PAGE.read_text(encoding="utf-8")
    names = re.findall(r"^tests/[\w/]+\.py::\w+$", text, re.MULTILINE)
    return [name for name in names if (ROOT / name.partition("::")[0]).exists()]


if __name__ == "__main__":
    options = ["-v", "-m", "not slow and not compare", "--rootdir", str(ROOT)]
    sys.exit(pytest.main([*options, "-p", "no:cacheprovider", *named_tests()]))
