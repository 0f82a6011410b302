"""Run stored cells again, drawn at random, compare, and bound the share that is wrong.

A cell is drawn, perhaps more than once, in proportion to the claims that rest on its grid, so the
bound is on a share in which a cell counts by these. Who chooses the seed after the results were
stored knows that nobody mended just these cells.
"""

from __future__ import annotations

import os
import secrets
from argparse import ArgumentParser, Namespace
from collections import Counter
from typing import Any

import joblib
import pandas as pd
from tqdm import tqdm

from lib import validate
from lib.datasets import TASKS
from lib.datasets.cache import Unavailable, locate
from lib.ledger.claim import read_claims
from lib.programs import end_with_parent
from lib.rng import stream
from lib.runner import NoResults, grid_of, grids
from lib.runner.cell import cell_key
from lib.runner.records import TOLERANCES, differing_field, plain_values
from lib.runner.store import read_records
from lib.runner.sweep import available_workers
from lib.stats.summary import clopper_pearson
from lib.study import studies
from studies.verdicts.robustness import grid_of as grid_of_claim

OUTCOMES = EQUAL, WITHIN, DIFFERENT = "equal", "within tolerance", "different"


def stored_cells() -> tuple[pd.DataFrame, list[str]]:
    """``grid, cell, record, weight`` of the stored cells that can be run here, and the data sets
    that are missing for others.
    """
    claims: Counter = Counter()
    of_measure = {measure: study for study in studies() for measure in study.measures}
    for claim in filter(lambda claim: claim.measure, read_claims()):
        study = of_measure.get(claim.measured_by().__module__)
        named = grid_of_claim(claim)  # a claim that names none rests on all of its study
        claims.update([named] if named in grids() else list(study.grids) if study else [])
    rows, missing = [], {name for name in TASKS if not _is_here(name)}
    for name, number in claims.items():
        grid = grid_of(name)
        cells = {cell_key(cell): cell for cell in grid.cells("paper")}
        frame = read_records(grid.path("paper"))
        for record in frame.to_dict("records"):
            cell = cells.get(record["cell"])
            if cell is not None and getattr(cell, "dataset", None) not in missing:
                rows.append((name, cell, record, number / len(frame)))
    if not rows:
        raise NoResults(f"nothing stored can be run again without {', '.join(sorted(missing))}")
    return pd.DataFrame(rows, columns=["grid", "cell", "record", "weight"]), sorted(missing)


def _is_here(name: str) -> bool:
    try:
        return bool(locate(TASKS[name].of_file))
    except Unavailable:
        return False


def compared(name: str, cell: Any, record: dict[str, Any]) -> tuple[str, str]:
    """Run a cell: one of :data:`OUTCOMES`, and the first field that differs by more than bits."""
    grid = grid_of(name)
    found = plain_values(grid.run(cell), f"cell {record['cell']}")
    then = {field: record.get(field) for field in found}
    if differing_field(found, then, 0.0) is None:
        return EQUAL, ""
    field = differing_field(found, then, TOLERANCES[grid.agrees(cell)])
    return (WITHIN, "") if field is None else (DIFFERENT, field)


def verify(cells: pd.DataFrame, number: int, seed: int, workers: int = 1) -> pd.DataFrame:
    """Draw ``number`` of :func:`stored_cells` and run them: ``grid, cell, times, outcome, field``,
    one row for each that was drawn, with its key and how many ``times`` it was.
    """
    validate.integer("cells", number, low=1)
    validate.integer("seed", seed, low=0)
    weight = cells["weight"] / cells["weight"].sum()
    times = stream(seed, "verify").multinomial(number, weight)
    drawn = cells.assign(times=times)[times > 0]
    parallel = joblib.Parallel(
        n_jobs=workers,
        return_as="generator",
        initializer=end_with_parent,
        initargs=(os.getpid(),),
    )
    jobs = drawn[["grid", "cell", "record"]].itertuples(index=False)
    done = parallel(joblib.delayed(compared)(*job) for job in jobs)
    found = pd.DataFrame([*tqdm(done, total=len(drawn), unit="cell")], columns=["outcome", "field"])
    key = [record["cell"] for record in drawn["record"]]
    return drawn[["grid", "times"]].reset_index(drop=True).assign(cell=key).join(found)


def wrong_at_most(wrong: int, drawn: int) -> float:
    """The upper 95% confidence limit of a share of which ``wrong`` of ``drawn`` were seen (exact).

    >>> round(wrong_at_most(0, 60), 3)
    0.049
    """
    return clopper_pearson(wrong, drawn, level=0.9)[1]


def add_arguments(parser: ArgumentParser) -> None:
    """How many cells, and with which seed."""
    parser.description = __doc__
    option = parser.add_argument
    option("--cells", type=int, default=60, help="to be drawn (default 60: a bound of 5%%)")
    option("--seed", type=int, help="decides which; else one that is printed")
    option("--workers", type=int, default=available_workers(), help="processes (%(default)s)")


def run(args: Namespace) -> int:
    """Print what was found; 1 if a cell was different."""
    cells, missing = stored_cells()
    seed = secrets.randbits(32) if args.seed is None else args.seed
    found = verify(cells, args.cells, seed, args.workers)
    table = found.pivot_table("times", "grid", "outcome", "sum", 0).reindex(columns=OUTCOMES)
    table.insert(0, "drawn", table.sum(axis=1))
    wrong = found[found["outcome"] == DIFFERENT]
    print(table.fillna(0).astype(int).reset_index().to_string(index=False))
    for row in wrong.itertuples():
        print(f"different: {row.grid}, cell {row.cell}, {row.field}")
    most = wrong_at_most(int(wrong["times"].sum()), args.cells)
    print(f"At most {most:.1%} of the stored cells are wrong (95% confidence; seed {seed}).")
    print(f"Not drawn, since their data are not here: {', '.join(missing) or 'none'}.")
    return int(len(wrong) > 0)
