"""The two parts of the suite: ``make test``, and what ``make test-all`` adds.

A test marked ``thorough("what it is")`` is in the second; browsers are recognised by their
fixture. Either command says at its end how many tests the other part has.
"""

from __future__ import annotations

from collections import Counter

import pytest

FIXTURES = {"chromium": "browsers"}  # a test that uses one is thorough, and what it is
_OTHERS = "others"
_RUN, _LEFT = pytest.StashKey[Counter](), pytest.StashKey[Counter]()


def is_quick(config: pytest.Config) -> bool:
    """Whether thorough tests are left out."""
    return "not thorough" in config.option.markexpr


def what(item: pytest.Item) -> str | None:
    """What a thorough test is; None for one of ``make test``."""
    if mark := item.get_closest_marker("thorough"):
        return mark.args[0]
    if item.get_closest_marker("browser"):
        return FIXTURES["chromium"]
    used = set(getattr(item, "fixturenames", ()))
    return next((said for name, said in FIXTURES.items() if name in used), None)


@pytest.hookimpl(tryfirst=True)  # before pytest looks at the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if (said := what(item)) and not item.get_closest_marker("thorough"):
            item.add_marker(pytest.mark.thorough(said))


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count what the marks leave to the other part, or to nobody."""
    for item in items:
        if not {"slow", "compare"} & {mark.name for mark in item.iter_markers()}:
            item.config.stash.setdefault(_LEFT, Counter())[what(item) or _OTHERS] += 1


def pytest_collection_finish(session: pytest.Session) -> None:
    """Count what is run."""
    session.config.stash[_RUN] = Counter(what(item) or _OTHERS for item in session.items)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker hands its counts on."""
    if hasattr(session.config, "workeroutput"):
        counts = (session.config.stash.get(key, Counter()) for key in (_RUN, _LEFT))
        session.config.workeroutput["parts"] = [dict(count) for count in counts]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    """Every worker has collected the same: the last one's counts are those of the run."""
    if hasattr(node, "workeroutput"):
        for key, count in zip((_RUN, _LEFT), node.workeroutput["parts"], strict=True):
            node.config.stash[key] = Counter(count)


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    if not config.option.keyword:
        for line in lines(config.stash.get(_RUN, Counter()), config.stash.get(_LEFT, Counter())):
            terminalreporter.write_line(line)


def lines(run: Counter, left: Counter) -> list[str]:
    """What each command has, where this run was one of the two."""
    if run[_OTHERS] == run.total() > 0 and left.total() > left[_OTHERS] == 0:
        return [f"make test: {run.total():,} tests", f"make test-all also has: {_list(left)}"]
    if run[_OTHERS] == 0 < run.total() and left[_OTHERS] == left.total() > 0:
        return [f"make test-all: {_list(run)}", f"make test has the other {left.total():,} tests"]
    return []


def _list(count: Counter) -> str:
    return ", ".join(f"{said} ({number:,})" for said, number in count.most_common())
