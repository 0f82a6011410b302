"""The audit of a long table and of a wide one: CPU time and memory."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.fresh import in_fresh_process, peak_megabytes
from lib.audit.report import report_html
from lib.audit.request import Request
from lib.audit.run import run_audit
from lib.rng import stream

SHAPES = {"long": (1_000_000, 20), "wide": (200, 3000)}


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
    """CPU seconds of one audit with its report in this (fresh) process, and its peak memory."""
    groups = ("sex",) if name == "long" else ()
    request = Request(
        file=file, sensitive="ill", groups=groups, gamma=20, learners=("lookup",), splits=2
    )
    before, start = peak_megabytes(), time.process_time()
    report_html(run_audit(request, progress=False))
    return {"cpu_s": time.process_time() - start, "before_mb": before, "peak_mb": peak_megabytes()}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.benchmark(group="one audit in a process of its own")
def test_audit(benchmark, name, tmp_path):
    """One round, by the clock of the child, which has imported everything before."""
    file = tmp_path / "people.csv"
    write_people(name, file)
    found = benchmark.pedantic(
        in_fresh_process, args=(audit_once, name, file), rounds=1, warmup_rounds=0
    )
    assert found["peak_mb"] >= found["before_mb"] > 0
    benchmark.extra_info |= {what: round(value, 3) for what, value in found.items()}
    benchmark.extra_info |= dict(zip(("rows", "columns"), SHAPES[name], strict=True))
