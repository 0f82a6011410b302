"""What a search finds first: lessons, then what stands behind them, then listings of names."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("search.js")
QUERIES = {
    "who pays": "chapters/index",
    "epsilon": "chapters/foundations/",
    "Laplace": "chapters/foundations/budgets",
    "COINPRESS": "chapters/means/coinpress",
    "GRR": "chapters/ldp/protocols",
}
BEHIND = ("/evidence", "/proofs", "/errata/", "/guides/", "/data/", "/verdicts/")


@pytest.fixture(scope="module")
def found(html) -> dict[str, list[str]]:
    if not (node := shutil.which("node")):
        pytest.skip("no Node on this machine")
    done = subprocess.run(
        [node, SCRIPT, html, *QUERIES], capture_output=True, text=True, check=True
    )
    return dict(zip(QUERIES, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("query", QUERIES)
def test_lessons_come_before_what_stands_behind_them_and_modules_last(found, query):
    shelves = [
        2 if doc.startswith("chapters/reference/") else any(part in doc for part in BEHIND)
        for doc in found[query]
        if doc != "chapters/front/references"
    ]
    assert len({*shelves}) == 3
    assert shelves == sorted(shelves)
    assert any(doc.startswith(QUERIES[query]) for doc in found[query][:8]), found[query][:8]
