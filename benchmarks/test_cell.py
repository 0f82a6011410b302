"""One cell of the grid, split into build, fit and predict (the split is in the record, printed
as extra info).
"""

from __future__ import annotations

import pytest

from studies.ldp_fairness.cells import Cell, run_cell


@pytest.mark.parametrize("dataset", ["lsac", "adult", "acs_coverage"])
@pytest.mark.parametrize("protocol", ["GRR", "OUE"])
@pytest.mark.benchmark(group="one cell")
def test_cell(benchmark, dataset, protocol):
    cell = Cell(dataset=dataset, protocol=protocol, split="uniform", epsilon=1.0, run=0)
    record = benchmark.pedantic(run_cell, args=(cell,), rounds=1, warmup_rounds=0)
    benchmark.extra_info |= {
        part: round(record[part], 3) for part in ("build_s", "fit_s", "predict_s")
    }
