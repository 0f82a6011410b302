"""``python -m lib verify``: stored cells drawn at random, run again and compared: how many of them
may be wrong?

A cell is drawn with a probability in proportion to the claims that rest on its grid, so the bound
is on the wrong *weight*. How many are drawn is fixed by the stored times before the first runs: to
stop when the time is over would favour cells that are quick.
"""

from __future__ import annotations

import json
import platform
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import pandas as pd
from tqdm import tqdm

from lib import validate
from lib.datasets import TASKS
from lib.datasets.cache import Unavailable, locate
from lib.files import write_whole
from lib.ledger.claim import read_claims
from lib.programs import end_with_parent
from lib.rng import stream
from lib.runner.agreement import TOLERANCES, differing
from lib.runner.cell import cell_key
from lib.runner.provenance import provenance
from lib.runner.records import plain
from lib.runner.registry import GRIDS, NoResults, grid_of, studies
from lib.runner.store import Store
from lib.stats.summary import clopper_pearson
from studies.verdicts.robustness import grid_of as claim_grid

EQUAL, WITHIN, OTHER, MISSING = "equal", "within tolerance", "different", "data missing"
LEVEL = 0.95


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """What a verification found.

    Parameters
    ----------
    cells : DataFrame
        One row a cell that was drawn: ``study, grid, cell, times, outcome, field, tolerance`` with
        ``times`` it was drawn, the ``outcome`` and the first field that differs.
    stored : DataFrame
        One row a grid: ``study, grid, cells, weight``.
    missing : tuple of str
        Data sets that are not here, so that their cells were not drawn.
    minutes, seed
        As asked for.
    """

    cells: pd.DataFrame
    stored: pd.DataFrame
    missing: tuple[str, ...]
    minutes: float
    seed: int

    def bounds(self) -> pd.DataFrame:
        """At most which share is wrong, of each study and in all, each with 95% confidence.

        Returns
        -------
        DataFrame
            ``study, cells, drawn, equal, within tolerance, different, wrong at most``.
        """
        rows = []
        for name, own in (*self.cells.groupby("study", sort=False), ("all", self.cells)):
            found = own.groupby("outcome")["times"].sum()
            counts = [int(found.get(outcome, 0)) for outcome in (EQUAL, WITHIN, OTHER)]
            stored = self.stored[(self.stored["study"] == name) | (name == "all")]
            row = [name, int(stored["cells"].sum()), sum(counts), *counts]
            rows.append((*row, wrong_at_most(counts[2], sum(counts))))
        columns = ["study", "cells", "drawn", EQUAL, WITHIN, OTHER, "wrong at most"]
        return pd.DataFrame(rows, columns=columns)


def wrong_at_most(wrong: int, drawn: int) -> float:
    """The upper 95% confidence limit of a share of which ``wrong`` of ``drawn`` were seen (exact).

    Examples
    --------
    >>> round(wrong_at_most(0, 109), 4)
    0.0271
    """
    return 1.0 if drawn == 0 else clopper_pearson(wrong, drawn, level=2 * LEVEL - 1)[1]


def inventory(grids: Iterable[str] | None = None) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Every stored cell that can be run here, and the data sets that are missing.

    Returns
    -------
    DataFrame
        ``study, grid, cell, seconds, weight``; the weights add up to 1.
    """
    wanted = GRIDS if grids is None else [validate.choice("grid", name, GRIDS) for name in grids]
    claims, parts, missing = _claims_on(), [], set()
    here = {name: _is_here(name) for name in TASKS}
    for study in studies():
        for name in (name for name in study.grids if name in wanted):
            cells = {cell_key(cell): cell for cell in GRIDS[name].cells("paper")}
            frame = _stored(name)
            frame = frame[frame["cell"].isin(cells)]
            data = frame["cell"].map(lambda key, of=cells: getattr(of[key], "dataset", ""))
            usable = data.map(lambda one: here.get(one, True))
            missing.update(data[~usable])
            one = pd.DataFrame({"cell": frame["cell"], "seconds": frame["wall_s"]})[usable]
            weight = (1 + claims[name]) / max(1, len(frame))
            parts.append(one.assign(study=study.title, grid=name, weight=weight))
    cells = pd.concat(parts, ignore_index=True)
    if cells.empty:
        raise NoResults(f"no cell of {', '.join(wanted)} can be run again here")
    return cells.assign(weight=cells["weight"] / cells["weight"].sum()), tuple(sorted(missing))


def _is_here(name: str) -> bool:
    """Whether the real table of a task can be had; its file is found and hashed, and not read."""
    try:
        return bool(locate(TASKS[name].of_file))
    except Unavailable:
        return False


def _claims_on() -> Counter:
    """How many claims rest on each grid; one that names none counts for all of its study."""
    counts: Counter = Counter()
    of_measure = {m: study for study in studies() for m in study.measures}
    for claim in read_claims():
        if claim.measure:
            named, study = claim_grid(claim), of_measure.get(claim.measured_by().__module__)
            counts.update([named] if named in GRIDS else list(study.grids) if study else [])
    return counts


def _stored(name: str) -> pd.DataFrame:
    frame = Store(GRIDS[name].path("paper"), version="", mix_versions=True).frame()
    return frame if len(frame) else pd.DataFrame({"cell": [], "wall_s": []})


def verify(
    *,
    minutes: float,
    seed: int,
    grids: Iterable[str] | None = None,
    workers: int = 1,
    progress: bool = True,
) -> Certificate:
    """Draw cells with a seed of your own, run them again, and compare.

    Parameters
    ----------
    minutes : float
        About how long it may take here, if this machine is as fast as the one that stored.
    seed : int
        Nobody else knows it before, so nobody can have mended just these cells.
    grids : iterable of str, optional
        Only these; all, if not given.

    Raises
    ------
    ValueError
        For a bad argument, or where nothing can be run.
    """
    validate.positive("minutes", minutes)
    validate.integer("seed", seed, low=0)
    validate.integer("workers", workers, low=1)
    cells, missing = inventory(grids)
    mean = float(cells["weight"] @ cells["seconds"])
    number = max(1, int(60 * minutes * workers / mean))
    times = stream(seed, "verify").multinomial(number, cells["weight"])
    drawn = cells[times > 0].assign(times=times[times > 0])
    jobs = list(_jobs(drawn))
    parallel = joblib.Parallel(
        n_jobs=workers, return_as="generator", batch_size=1, initializer=end_with_parent
    )
    bar = tqdm(parallel(jobs), total=len(jobs), disable=not progress, unit="cell", desc="verify")
    found = pd.DataFrame(list(bar), columns=["outcome", "field", "tolerance"], index=drawn.index)
    stored = cells.groupby(["study", "grid"], sort=False).agg(
        cells=("cell", "size"), weight=("weight", "sum")
    )
    return Certificate(
        cells=drawn.drop(columns=["seconds", "weight"]).join(found),
        stored=stored.reset_index(),
        missing=missing,
        minutes=minutes,
        seed=seed,
    )


def _jobs(drawn: pd.DataFrame) -> Iterator[tuple]:
    """What compares each cell, in the order of ``drawn``, whose grids are read once."""
    for name, rows in drawn.groupby("grid", sort=False):
        cells = {cell_key(cell): cell for cell in GRIDS[name].cells("paper")}
        stored = _stored(name).set_index("cell", drop=False)
        for key in rows["cell"]:
            yield joblib.delayed(_check)(name, cells[key], stored.loc[key].to_dict())


def _check(grid: str, cell: Any, stored: Mapping[str, Any]) -> tuple[str, str, float]:
    """Run one cell and compare: outcome, the first field that differs, and the tolerance."""
    own = grid_of(grid)
    found = plain(own.run(cell), f"cell {stored['cell']}")
    tolerance = TOLERANCES[own.agrees(cell)]
    if found.get("data_source") == "replica":
        return MISSING, "", tolerance
    then = {name: stored.get(name) for name in found}
    if differing(found, then, 0.0) is None:
        return EQUAL, "", tolerance
    field = differing(found, then, tolerance)
    return (WITHIN, "", tolerance) if field is None else (OTHER, field, tolerance)


def in_words(found: Certificate) -> str:
    """The certificate as Markdown."""
    bounds = found.bounds()
    rows = ["| study | stored | drawn | equal | within tolerance | different | wrong at most |"]
    rows += ["|---|---:|---:|---:|---:|---:|---:|"]
    for name, *counts, most in bounds.itertuples(index=False):
        rows.append(f"| {name} | {' | '.join(f'{n:,}' for n in counts)} | {most:.1%} |")
    wrong = found.cells[found.cells["outcome"] == OTHER]
    lines = [
        "# Certificate",
        "",
        f"With {LEVEL:.0%} confidence at most {bounds['wrong at most'].iloc[-1]:.1%} of the stored"
        " cells are wrong, each weighed by the claims that rest on its grid.",
        "",
        f"{len(found.cells):,} cells were drawn with seed {found.seed}, {found.minutes:g} minutes"
        f" by their stored times, and run again at commit {provenance()['commit']} on"
        f" {platform.machine()}, Python {platform.python_version()}. *Equal* is to the last bit;"
        " *within tolerance* by the rule that the grid states for other processors.",
        "",
        *rows,
        "",
        f"Data that were not here: {', '.join(found.missing) or 'none'}.",
    ]
    lines += [f"Different: {row.grid}, cell {row.cell}, {row.field}." for row in wrong.itertuples()]
    return "\n".join(lines) + "\n"


def as_json(found: Certificate) -> str:
    """The certificate for a program."""
    record: dict[str, Any] = {
        "level": LEVEL,
        "seed": found.seed,
        "minutes": found.minutes,
        "commit": provenance()["commit"],
        "missing": found.missing,
        "bounds": found.bounds().to_dict("records"),
        "cells": found.cells.to_dict("records"),
    }
    return json.dumps(record, indent=1, allow_nan=False) + "\n"


def add_arguments(parser: ArgumentParser) -> None:
    """How long, with which seed, and where the certificate goes."""
    option = parser.add_argument
    option("--minutes", type=float, default=10.0, help="by the stored times (default 10)")
    option("--seed", type=int, required=True, help="your own: it decides which cells are drawn")
    option("--grid", nargs="+", dest="grids", metavar="NAME", help="only these grids")
    option("--workers", type=int, default=1, help="processes (default 1)")
    option("--out", type=Path, default=Path("certificate.md"), help="and the same as .json")
    option("--quiet", action="store_true", help="no progress bar")


def run(args: Namespace) -> int:
    """Print the certificate and write it; 3 if a cell was different."""
    found = verify(
        minutes=args.minutes,
        seed=args.seed,
        grids=args.grids,
        workers=args.workers,
        progress=not args.quiet,
    )
    words, record = in_words(found), args.out.with_suffix(".json")
    write_whole(args.out, words)
    write_whole(record, as_json(found))
    print(words, f"Written: {args.out} and {record.name}", sep="\n")
    return 3 if (found.cells["outcome"] == OTHER).any() else 0
