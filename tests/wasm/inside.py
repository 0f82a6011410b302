"""What runs in Pyodide: pytest, where a test is skipped for what the platform lacks."""

from __future__ import annotations

import doctest
import platform
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext

import numpy as np
import pytest
import scipy
from tqdm import tqdm

from press.in_page import NotInThePage, Packages, _stand_in

LACKS = (NotInThePage, ""), (OSError, "support processes"), (RuntimeError, "start new thread")


def main(absent: list[str], given: list[str]) -> int:
    """The exit code of pytest with the arguments ``given``."""
    sys.meta_path.insert(0, Packages({}, absent, None, ""))
    _stand_in("filelock", FileLock=lambda *_, **__: nullcontext(), Timeout=TimeoutError)
    tqdm.monitor_interval = 0  # its monitor is a thread
    versions = f"NumPy {np.__version__}, SciPy {scipy.__version__}"
    print(f"Python {platform.python_version()}, {versions}, {platform.machine()}")
    # the descriptors of the system cannot be exchanged here, hence the way to capture
    options = ["--capture=sys", "-p", "no:cacheprovider", *given]
    return int(pytest.main(options, plugins=[sys.modules[__name__]]))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Skip a test that ended because the platform lacks something; the reason is the error's."""
    try:
        return (yield)
    except Exception as error:
        found = error.exc_info[1] if isinstance(error, doctest.UnexpectedException) else error
        if any(isinstance(found, kind) and words in str(found) for kind, words in LACKS):
            pytest.skip(str(found))
        raise


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How many tests were skipped for each reason."""
    reports = terminalreporter.stats.get("skipped", [])
    reasons = Counter(report.longrepr[2].removeprefix("Skipped: ") for report in reports)
    terminalreporter.section(f"{len(reports)} skipped on this platform")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count:5}  {reason}")
