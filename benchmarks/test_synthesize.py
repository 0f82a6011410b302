"""A release of a million rows and twenty columns by the command, with the memory that it takes."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.fresh import in_fresh_process, peak_megabytes
from lib.rng import stream

ROWS = 1_000_000
SCHEMA = "\n".join(
    [
        *(f"code {i}: {{values: [{', '.join(map(str, range(2 + i)))}]}}" for i in range(14)),
        *(f"number {i}: {{low: 0, high: 100, bins: 20, clip: true}}" for i in range(4)),
        "age: {low: 0, high: 99, bins: 20, whole: true, missing: true}",
        "sex: {values: [f, m], missing: true}",
    ]
)


def write_people(file: Path, rows: int = ROWS) -> None:
    """Codes of 2 to 15 values that depend on a hidden one, numbers, ages and sexes with gaps."""
    rng = stream(1, "benchmark synthesize")
    hidden = rng.random(rows)
    table = {
        f"code {i}": (rng.beta(2, 2, rows) * hidden**0.5 * (2 + i)).astype(int) for i in range(14)
    }
    table |= {f"number {i}": (100 * hidden + rng.normal(0, 20, rows)).round(2) for i in range(4)}
    gap = rng.random((2, rows)) < 0.05
    table["age"] = pd.array(rng.integers(0, 100, rows), dtype="Int64")
    table["age"][gap[0]] = pd.NA
    table["sex"] = np.where(gap[1], "", rng.choice(["f", "m"], rows))
    pd.DataFrame(table).to_csv(file, index=False)


def release_once(file: Path, *more: str) -> dict[str, float]:
    """Seconds of the command in this (fresh) process, by the clock and of CPU, and peak memory."""
    from lib.cli import main

    schema = file.with_suffix(".yml")
    schema.write_text(SCHEMA, encoding="utf-8")
    start, cpu = time.perf_counter(), time.process_time()
    out = file.with_name("release.csv")
    words = ["synthesize", file, "--schema", schema, "--epsilon", 1, "--out", out, *more]
    assert main([str(word) for word in words]) == 0
    clock = {"s": time.perf_counter() - start, "cpu_s": time.process_time() - cpu}
    return clock | {"peak_mb": peak_megabytes()}


@pytest.mark.parametrize("more", ["", "--by sex"])
@pytest.mark.benchmark(group="a release of a million rows and twenty columns by MST")
def test_synthesize(benchmark, more, tmp_path):
    """One round; five minutes and 4 GB are what is promised."""
    write_people(tmp_path / "people.csv")
    found = benchmark.pedantic(
        in_fresh_process, args=(release_once, tmp_path / "people.csv", *more.split()), rounds=1
    )
    assert found["cpu_s"] < 300
    assert found["peak_mb"] < 4096
    benchmark.extra_info |= found
