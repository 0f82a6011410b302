"""The guides as written: the cells of a page, in order, in a folder of their own; and with a fault put in, they fail."""

from __future__ import annotations

import importlib
import os
import sys

import pytest
from IPython.core.interactiveshell import InteractiveShell

from lib.book.pairs import notebook_of
from lib.paths import CHAPTERS

GUIDES = CHAPTERS / "guides"


@pytest.fixture
def run_page(tmp_path, monkeypatch, on_replicas):
    """Execute a page's cells in this process, with one text put for another if asked; its names are returned."""
    modules, path, shell = set(sys.modules), list(sys.path), InteractiveShell()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))  # where the pages make their folders
    for name in ("COMPANION_DATA", "COMPANION_CACHE"):  # put back afterwards what a page sets
        monkeypatch.setenv(name, os.environ.get(name, ""))
    monkeypatch.delenv("COMPANION_DATA")

    def run(name: str, old: str = "", new: str = "") -> dict:
        cells = [c.source for c in notebook_of(GUIDES / f"{name}.md").cells if c.cell_type == "code"]
        assert not old or sum(old in source for source in cells) == 1, old
        for source in cells:
            result = shell.run_cell(source.replace(old, new) if old else source, silent=False)
            result.raise_error()
        return shell.user_ns

    yield run
    sys.path[:] = path
    for module in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[module], "__file__", "")):
            del sys.modules[module]
    importlib.invalidate_caches()


def test_protocol(run_page):
    names = run_page("protocol")
    assert set(names["records"].protocol) == {"NonDP", "GRR", "hadamard_response:HR"}


def test_protocol_with_twice_the_budget_is_caught(run_page):
    with pytest.raises(AssertionError):
        run_page("protocol", "1 / (1 + math.exp(-self.epsilon))", "1 / (1 + math.exp(-2 * self.epsilon))")


def test_synthesizer(run_page):
    names = run_page("synthesizer")
    assert len(names["records"]) == 8
    assert names["scores"]["by SEX"][names["with_sex"]].mean() < names["scores"]["plain"][names["with_sex"]].mean()


@pytest.mark.parametrize(("old", "new"), [
    ("budget / len(domain), ledger, rng) for", "budget / len(domain) / 2, ledger, rng) for"),  # half of it is left over
    ("np.maximum(noisy, 0)", "np.maximum(noisy, 0) + 9"),
])  # fmt: skip
def test_synthesizer_with_a_fault_is_caught(run_page, old, new):
    with pytest.raises(AssertionError):
        run_page("synthesizer", old, new)
