"""Our MST and AIM beside those of OpenDP and dpmm, on the same tables at the same ``rho`` (`make
reference`).

``python -m benchmarks.reference plan`` writes the tables for the other
environments (which run ``reference_fit.py``), ``... score`` fits ours, scores
every run on all three-way marginals and writes ``data/results/synth_reference.parquet``.
A table is held whole by the synthesizers and scored against itself, as the
others' papers do. AIM gets five columns, which keeps all of it under an hour.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass, replace
from importlib.metadata import version
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from lib.domain import Domain
from lib.dp import epsilon_of, rho_in_floats
from lib.paths import RESULTS, ROOT
from lib.rng import stream
from lib.runner.cell import KeyedCell
from lib.runner.store import Store
from lib.runner.sweep import run_sweep
from lib.stats.summary import summarise
from lib.synth import AIM, MST, Synthesizer, all_kway, workload_error
from studies.synthesizers.cells import DELTA, SYNTHESIZERS
from studies.synthesizers.tables import Table, table_of

FOLDER, RESULT = ROOT / "_build" / "reference", RESULTS / "synth_reference.parquet"
VERSION, SEED, RUNS, EPSILONS = "1", 20261121, 5, (0.1, 1.0)
PEERS = {"opendp": ("round", "sample"), "dpmm": ("round",)}
COLUMNS = {"MST": None, "AIM": ("SEX", "RAC1P", "AGE", "EDU", "HIGH_INCOME")}
# OpenDP splits MST's budget otherwise, merges no codes, and its descent ends early, which is a
# shrinkage of its own
LIKE_OPENDP = MST(parts=(10, 1, 9), compress=False, iterations=100)
OURS: dict[tuple[str, str], Synthesizer] = {
    ("MST", "round"): SYNTHESIZERS["MST"],
    ("AIM", "round"): SYNTHESIZERS["AIM"],
    ("MST", "like OpenDP"): LIKE_OPENDP,
}


@dataclass(frozen=True, kw_only=True)
class Fit(KeyedCell, kind="Fit"):
    """One fit of ``synthesizer`` by ``library``; ``method``: how its rows are drawn, or which of
    :data:`OURS` it is.
    """

    library: str
    method: str
    synthesizer: str
    epsilon: float
    run: int
    seed: int = SEED


def table_for(synthesizer: str) -> Table:
    """The NIST extract, or those of its columns on which ``synthesizer`` is compared."""
    table = table_of("nist")
    if table.source == "replica":
        raise ValueError(
            "dataset='nist': the comparison needs the real data; set COMPANION_DATA or go online"
        )
    columns = COLUMNS[synthesizer]
    if columns is None:
        return table
    return replace(
        table,
        frame=table.frame[list(columns)],
        domain=Domain.of({c: table.domain[c] for c in columns}),
    )


def plan(folder: Path = FOLDER) -> None:
    """Write the tables, their domains and the budgets."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = {name: table_for(name) for name in COLUMNS}
    for name, table in tables.items():
        np.save(folder / f"table_{name}.npy", table.frame.to_numpy())
    rho = {str(e): rho_in_floats(e, DELTA) for e in EPSILONS}
    facts = {
        "sizes": {name: dict(table.domain) for name, table in tables.items()},
        "rho": rho,
        "delta": DELTA,
        "runs": RUNS,
        "max_megabytes": AIM().max_megabytes,
        "tight_epsilon": {e: epsilon_of(r, DELTA) for e, r in rho.items()},
    }
    (folder / "plan.json").write_text(json.dumps(facts), encoding="utf-8")


def _rows(cell: Fit, table: Table) -> tuple[pd.DataFrame, dict]:
    """The synthetic rows of ``cell``, fitted here if they are ours, and what is on record about
    the fit.
    """
    if cell.library == "ours":
        rng, start = (
            stream(cell.seed, "reference", cell.synthesizer, cell.epsilon, cell.run),
            time.perf_counter(),
        )
        model = OURS[cell.synthesizer, cell.method].fit(
            table.frame, table.domain, rho=rho_in_floats(cell.epsilon, DELTA), rng=rng
        )
        rows = model.sample(len(table.frame), rng)
        packages = " ".join(f"{p}={version(p)}" for p in ("numpy", "mbi", "jax"))
        return rows, {"fit_s": time.perf_counter() - start, "fitted_with": packages}
    at = FOLDER / f"{cell.library}_{cell.synthesizer}_{cell.epsilon}_{cell.run}"
    facts = json.loads(Path(f"{at}.json").read_text(encoding="utf-8"))
    codes = np.load(f"{at}.npz")[cell.method]
    packages = " ".join(f"{p}={v}" for p, v in facts["versions"].items())
    return pd.DataFrame(codes, columns=list(table.domain.columns)), {
        "fit_s": facts["wall_s"],
        "fitted_with": packages,
    }


def run_fit(cell: Fit, table: Table | None = None) -> dict:
    """Error on all three-way marginals (Definition 14), seconds, and packages of the fit."""
    table = table or table_for(cell.synthesizer)
    rows, facts = _rows(cell, table)
    error = workload_error(table.frame, rows, table.domain, all_kway(table.domain, 3))
    return {"error": error, "rows": len(rows), "data_sha256": table.sha256} | facts


def score_all() -> pd.DataFrame:
    """Those of the others whose rows are in the folder, and ours at the same settings."""
    cells = []
    for name, epsilon in product(("MST", "AIM"), EPSILONS):
        theirs = [
            Fit(library=library, method=method, synthesizer=name, epsilon=epsilon, run=run)
            for library, methods in PEERS.items()
            for run in range(RUNS)
            if (FOLDER / f"{library}_{name}_{epsilon}_{run}.json").exists()
            for method in methods
        ]
        ours = [
            Fit(library="ours", method=method, synthesizer=name, epsilon=epsilon, run=run)
            for synthesizer, method in OURS
            if synthesizer == name
            for run in range(RUNS)
        ]
        cells += [*theirs, *ours] if theirs else []
    return run_sweep(cells, run_fit, Store(RESULT, version=VERSION))


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean error with its 95% t interval over runs, and the median time, by synthesizer,
    epsilon, library and method.
    """
    by = ["synthesizer", "epsilon", "library", "method"]
    seconds = frame.groupby(by)["fit_s"].median().rename("seconds")
    return summarise(frame, by, "error").rename(columns={"mean": "error"}).join(seconds, on=by)


if __name__ == "__main__":
    {"plan": plan, "score": score_all}[sys.argv[1]]()
