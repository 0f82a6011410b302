"""The embedded replicas: differentially private synthetic tables with the schema of the real ones.

Made by AIM, as the book has it, from rows in the codes of their codebook
(:mod:`studies.data.coding`): what a row is coded as depends on that row alone, so
that the guarantee is one for raw rows. The number of rows is not taken for known:
a replica has as many as the fit estimates from what its ledger has paid for.

``python data/replicas/make.py [NAME ...]`` makes them. The noise comes
from the operating system's entropy and is not kept: anyone who has its seed, and
every row but one, could try each value of the last row until the replica comes
out. A checksum of the source would do as well, so the record has none.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

from lib.datasets import TASKS, Unavailable, load, task
from lib.datasets.cache import sha256_of
from lib.domain import Domain
from lib.dp import epsilon_of, zcdp_rho
from lib.files import read_json
from lib.paths import REPLICAS, need_repository
from lib.synth import AIM
from lib.synth.marginal_model import MarginalModel
from studies.data.coding import code_table, coded_domain

# a new edition spends again: add its rho to "The editions before, and one total" of chapters/data/datasheets
DELTA, EDITION = 1e-9, "4"
# of the fit, which counts a row added or removed; as in the edition before
BUDGET = zcdp_rho(3.0, DELTA)
NEIGHBOURS = "replace one row"  # what every promise on record is about
# both chosen on replicas; `maker_of` adds the columns
MAKER = AIM(rounds_per_column=6, focus_weight=4.0)


def synthesise(
    frame: pd.DataFrame, domain: Domain, *, rho: float, rng: np.random.Generator, maker: AIM = MAKER
) -> tuple[pd.DataFrame, MarginalModel]:
    """A synthetic table under ``rho``-zCDP (add or remove one row), and the model behind it.

    Parameters
    ----------
    frame : DataFrame of codes, columns as ``domain``
    rho : float
        Spent to the last; the ledger of the model itemises it.
    rng : np.random.Generator
        Noise, selection, and the rows drawn from the fitted model. The
        guarantee holds towards those who do not know its state.

    Returns
    -------
    rows : DataFrame of codes (int16)
        As many as the model estimates there are, rounded.
    model : MarginalModel
        Over the columns that have more than one code: the others have nothing to be drawn.
    """
    varied = domain.project([c for c, k in domain if k > 1])
    fitted = maker.fit(frame[list(varied.columns)], varied, rho=rho, rng=rng)
    rows = fitted.sample(round(fitted.total), rng)
    return rows.reindex(columns=list(domain.columns), fill_value=0).astype(np.int16), fitted


def _source(name: str) -> tuple[pd.DataFrame, Domain, str]:
    """Codes of the real rows, their domain, and what one row is."""
    try:
        if name in TASKS:
            frame, unit = code_table(name)
            return frame, coded_domain(name), unit
        data = load(name)  # a task of your own: its `prepare` has to code each row alone
        if not data.is_replica:
            return data.frame, data.task.domain, f"one row of the table that {name} prepares"
    except Unavailable:
        pass
    raise ValueError(
        "dataset must be there with its real rows to make a replica (set COMPANION_DATA or go"
        f" online), got {name!r}"
    )


def maker_of(name: str, maker: AIM = MAKER) -> AIM:
    """``maker`` with its focus on the target and the protected attribute of the task ``name``.

    That is task metadata, no look at the rows.
    """
    return replace(maker, focus=(task(name).target, task(name).protected))


def make(
    name: str,
    *,
    folder: Path = REPLICAS,
    budget: float = BUDGET,
    delta: float = DELTA,
    maker: AIM = MAKER,
) -> dict:
    """Make the replica of ``name`` from the real data, write it and its record, return the record.

    The focus of ``maker`` is set by :func:`maker_of`. Everything in the record is
    drawn from what the fit has paid for, or does not depend on the table at all.
    """
    if folder == REPLICAS:
        need_repository("a replica that the package carries")
    frame, domain, unit = _source(name)
    maker = maker_of(name, maker)
    # no stream of a published seed here: it would give the noise away
    rows, fitted = synthesise(frame, domain, rho=budget, rng=np.random.default_rng(), maker=maker)
    small = rows.astype({c: np.min_scalar_type(k - 1) for c, k in domain})
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{task(name).name}.parquet"
    small.to_parquet(path, index=False, compression="zstd", compression_level=19)
    rho = fitted.accountant.price("replace")
    facts = {
        "edition": EDITION,
        "rows": len(small),
        "bytes": path.stat().st_size,
        "sha256": sha256_of(path),
        "unit": unit,
        "neighbours": NEIGHBOURS,
        "rho": rho,
        "delta": delta,
        "epsilon": epsilon_of(rho, delta, conversion="standard"),
        "budget": fitted.accountant.spent,
        "noise": "entropy of the operating system, not kept",
        "synthesizer": asdict(maker) | {"focus": list(maker.focus)},
        "rounds": [list(r.selected) for r in fitted.rounds],
        "versions": {p: version(p) for p in ("mbi", "jax", "numpy", "pandas")},
    }
    index = folder / "replicas.json"
    known = read_json(index, dict) if index.exists() else {}
    index.write_text(
        json.dumps(known | {path.stem: facts}, indent=1, sort_keys=True) + "\n", encoding="utf-8"
    )
    return facts


def main() -> None:
    """Make the replicas that are named on the command line."""
    parser = argparse.ArgumentParser(description="Make the embedded replicas from the real data.")
    parser.add_argument(
        "names", nargs="*", help=f"which ones; all of {', '.join(TASKS)} if none is named"
    )
    for name in parser.parse_args().names or TASKS:
        facts = make(name)
        print(
            f"{name}: {facts['rows']:,} rows, {facts['bytes'] / 1e6:.2f} MB, rho"
            f" {facts['rho']:.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
