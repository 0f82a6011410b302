"""The embedded replicas: differentially private synthetic tables with the schema of the real ones.

Made by AIM, as the book has it, under zCDP for adding or removing one row. The
number of rows is therefore not taken for known: a replica has as many rows as
the fit estimates, from what its ledger has paid for.

``python -m lib.experiments.replicas [NAME ...]`` makes them. The noise comes
from the operating system's entropy and is not kept: whoever has its seed, and
every row but one, could try each value of the last row until the replica comes
out.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

from lib.datasets import TASKS, Task, load
from lib.datasets.cache import sha256_of
from lib.dp import epsilon_of, rho_of
from lib.paths import REPLICAS
from lib.synth import AIM
from lib.synth.marginal_model import MarginalModel

__all__ = ["EPSILON", "DELTA", "MAKER", "synthesise", "make", "metadata"]

EPSILON, DELTA = 3.0, 1e-9
MAKER = AIM()


def synthesise(frame: pd.DataFrame, task: Task, *, rho: float, rng: np.random.Generator,
               maker: AIM = MAKER) -> tuple[pd.DataFrame, MarginalModel]:  # fmt: skip
    """A synthetic table under ``rho``-zCDP (add or remove one row), and the model that it was drawn from.

    Parameters
    ----------
    frame : DataFrame of codes, columns as ``task.domain``
    rho : float
        Spent to the last; the ledger of the model itemises it.
    rng : np.random.Generator
        Noise, selection, and the rows drawn from the fitted model. The
        guarantee holds towards those who do not know its state.
    maker : AIM

    Returns
    -------
    rows : DataFrame of codes (int16)
        As many as the model estimates there are, rounded.
    model : MarginalModel
        Over the columns that have more than one code: the others have nothing to be drawn.
    """
    varied = task.domain.project([c for c, k in task.domain if k > 1])
    fitted = maker.fit(frame[list(varied.columns)], varied, rho, rng)
    rows = fitted.sample(round(fitted.total), rng)
    return rows.reindex(columns=list(task.domain.columns), fill_value=0).astype(np.int16), fitted


def make(name: str, *, folder: Path = REPLICAS, epsilon: float = EPSILON, delta: float = DELTA,
         maker: AIM = MAKER) -> dict:  # fmt: skip
    """Make the replica of ``name`` from the real data, write it and its metadata, return the metadata."""
    data = load(name)
    if data.is_replica:
        raise ValueError(
            f"dataset={name!r}: the real data are needed to make a replica; set COMPANION_DATA or go online"
        )
    rho = rho_of(epsilon, delta)
    # no stream of a published seed here: it would give the noise away
    rows, fitted = synthesise(data.frame, data.task, rho=rho, rng=np.random.default_rng(), maker=maker)
    sizes = dict(data.task.domain)
    small = rows.astype({c: np.uint8 if sizes[c] <= 256 else np.uint16 for c in sizes})
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.parquet"
    small.to_parquet(path, index=False, compression="zstd", compression_level=19)
    facts = {
        "rows": len(small), "bytes": path.stat().st_size, "sha256": sha256_of(path), "source_sha256": data.sha256,
        "epsilon": epsilon, "delta": delta, "rho": rho, "rho_spent": fitted.ledger.spent,
        # who replaces a row removes one and adds one: twice the distance, four times the rho at most
        "epsilon_replace": epsilon_of(4 * rho, delta, conversion="standard"),
        "adjacency": "add or remove one row", "noise": "entropy of the operating system, not kept",
        "synthesizer": asdict(maker), "rounds": [list(r.selected) for r in fitted.rounds],
        "versions": {p: version(p) for p in ("mbi", "jax", "numpy", "pandas")},
    }  # fmt: skip
    index = folder / "replicas.json"
    known = json.loads(index.read_text()) if index.exists() else {}
    index.write_text(json.dumps(known | {name: facts}, indent=1, sort_keys=True) + "\n")
    return facts


def metadata(folder: Path = REPLICAS) -> dict[str, dict]:
    """What is on record about each replica."""
    return json.loads((folder / "replicas.json").read_text())


def main() -> None:
    """Make the replicas that are named on the command line."""
    parser = argparse.ArgumentParser(description="Make the embedded replicas from the real data.")
    parser.add_argument("names", nargs="*", help=f"which ones; all of {', '.join(TASKS)} if none is named")
    for name in parser.parse_args().names or TASKS:
        facts = make(name)
        print(
            f"{name}: {facts['rows']:,} rows, {facts['bytes'] / 1e6:.2f} MB, rho {facts['rho_spent']:.4f}", flush=True
        )


if __name__ == "__main__":
    main()
