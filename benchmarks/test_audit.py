"""The audit of a long table and of a wide one: CPU time and memory."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.fresh import in_fresh_process, peak_megabytes
from lib.audit.report import report_html
from lib.audit.request import Request
from lib.audit.run import run_audit
from lib.rng import stream

SHAPES = {"long": (1_000_000, 20), "release": (1_000_000, 20), "wide": (200, 3000)}


def write_people(name: str, file: Path) -> None:
    """Codes, in the long table also numbers and sexes, and a sensitive value; all independent."""
    (n, columns), rng = SHAPES[name], stream(1, "benchmark audit", name)
    if name == "wide":
        table = {f"code {i}": rng.integers(0, 30, n) for i in range(columns - 1)}
    else:
        table = {f"code {i}": rng.integers(0, 8, n) for i in range(columns - 6)}
        table |= {f"number {i}": rng.normal(50, 10, n).round(1) for i in range(4)}
        table["sex"] = rng.choice(["f", "m"], n)
    table["ill"] = np.where(rng.random(n) < 0.3, "yes", "no")
    pd.DataFrame(table).to_csv(file, index=False)


def audit_once(name: str, file: Path) -> dict[str, float]:
    """CPU seconds of one audit with its report in this (fresh) process, and its peak memory; of a
    release with the default learners, else with a lookup and two splits.
    """
    groups = ("sex",) * (name != "wide")
    more: dict[str, Any] = {"learners": ("lookup",), "splits": 2}
    if name == "release":
        people = pd.read_csv(file).assign(inside=lambda table: table.index % 2)
        people.to_csv(file, index=False)
        release = file.with_name("release.csv")
        people[people["inside"] == 1].drop(columns="inside").to_csv(release, index=False)
        more = {"release": release, "members": ("inside", "1"), "workers": 1}
    request = Request(file=file, sensitive="ill", groups=groups, gamma=20, **more)
    before, start = peak_megabytes(), time.process_time()
    report_html(run_audit(request, progress=False))
    return {"cpu_s": time.process_time() - start, "before_mb": before, "peak_mb": peak_megabytes()}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.benchmark(group="an audit of 1,000,000 x 20, or of 200 x 3,000")
def test_audit(benchmark, name, tmp_path):
    """One round, by the clock of the child, which has imported everything before."""
    file = tmp_path / "people.csv"
    write_people(name, file)
    found = benchmark.pedantic(
        in_fresh_process, args=(audit_once, name, file), rounds=1, warmup_rounds=0
    )
    assert found["peak_mb"] >= found["before_mb"] > 0
    benchmark.extra_info |= found
