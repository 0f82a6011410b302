"""The synthesizers on ten columns of the NIST extract, time and memory; our mirror descent
beside the library's own.
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest

from benchmarks.fresh import in_fresh_process, peak_megabytes
from benchmarks.mbi_descent import reference_marginals
from lib.domain import Domain
from lib.dp import zcdp_rho
from lib.rng import stream
from lib.synth import AIM
from lib.synth.base import Synthesizer
from lib.synth.graphical import fit_model
from lib.synth.junction import load_jax
from lib.synth.marginal_model import positions
from studies.synthesizers.cells import DELTA, SYNTHESIZERS
from studies.synthesizers.tables import table_of

EPSILON, STEPS = 1.0, 1000
DESCENTS = ("ours", "library_compiled_before", "library_with_its_compilation")


Task = tuple[pd.DataFrame, Domain, float, Synthesizer]


def _nist(name: str) -> Task:
    table = table_of("nist")
    return table.frame, table.domain, zcdp_rho(EPSILON, DELTA), SYNTHESIZERS[name]


def _wide(columns: int) -> Task:
    """20,000 rows; each column of 5 codes repeats an earlier one with probability .6."""
    rng, domain = stream(1, "benchmark wide"), Domain.of({f"c{i}": 5 for i in range(columns)})
    x = rng.integers(0, 5, (20_000, columns))
    for i in range(1, columns):
        x[:, i] = np.where(rng.random(len(x)) < 0.6, x[:, rng.integers(0, i)], x[:, i])
    return pd.DataFrame(x, columns=domain.columns), domain, 0.1, AIM()


def fit_once(name: str) -> dict[str, float]:
    """Fit in this (fresh) process: seconds of the fit and of drawing the rows, peak memory
    before and after.
    """
    columns = int(name) if name.isdigit() else 0
    frame, domain, rho, synthesizer = _wide(columns) if columns else _nist(name)
    load_jax()
    import mbi  # noqa: F401 - the first fit would pay for it

    before, rng, start = peak_megabytes(), stream(1, "benchmark synth", name), time.perf_counter()
    model = synthesizer.fit(frame, domain, rho=rho, rng=rng)
    fitted = time.perf_counter()
    model.sample(len(frame), rng)
    return {
        "fit_s": fitted - start,
        "sample_s": time.perf_counter() - fitted,
        "before_mb": before,
        "peak_mb": peak_megabytes(),
    }


@pytest.mark.parametrize("name", ["MST", "AIM", "GEM", "20", "30"])
@pytest.mark.benchmark(group="a fit at epsilon 1 on NIST, or AIM at rho .1 on so many columns")
def test_fit(benchmark, name):
    """Pedantic, one round: the clock that counts is inside of the child, which has imported
    everything before.
    """
    found = benchmark.pedantic(in_fresh_process, args=(fit_once, name), rounds=1, warmup_rounds=0)
    assert found["peak_mb"] >= found["before_mb"] > 0
    benchmark.extra_info |= found


@pytest.fixture(scope="module")
def measurements():
    """What AIM measured at epsilon 1: (sizes, [(clique, noisy, sigma)], total)."""
    table = table_of("nist")
    model = SYNTHESIZERS["AIM"].fit(
        table.frame,
        table.domain,
        rho=zcdp_rho(EPSILON, DELTA),
        rng=stream(1, "benchmark synth", "AIM"),
    )
    measured = [
        (positions(table.domain, m.columns), m.noisy, float(m.sigma)) for m in model.measurements
    ]
    return table.domain.sizes, measured, model.total


def _ours(sizes, measured, total) -> list[np.ndarray]:
    model = fit_model(sizes, measured, total, iterations=STEPS)
    return [model.marginal(clique) for clique, _, _ in measured]


def _theirs(sizes, measured, total) -> list[np.ndarray]:
    return reference_marginals(
        sizes, measured, total, [clique for clique, _, _ in measured], iterations=STEPS
    )


@pytest.mark.parametrize("whose", DESCENTS)
@pytest.mark.benchmark(group="mirror descent, 1,000 steps on what AIM measured at epsilon 1")
def test_descent(benchmark, measurements, whose):
    """A compiled step of the library is dropped from memory where its compilation is to be
    timed.
    """

    def setup() -> None:
        if whose == "library_with_its_compilation":
            load_jax().clear_caches()

    run = _ours if whose == "ours" else _theirs
    warm = 1 if whose == "library_compiled_before" else 0
    found = benchmark.pedantic(run, args=measurements, setup=setup, rounds=3, warmup_rounds=warm)
    gaps = [
        np.abs(a.ravel() - b.ravel()).sum()
        for a, b in zip(found, _ours(*measurements), strict=True)
    ]
    assert max(gaps) < 0.02  # of a total of 1: the two stop at slightly different points
