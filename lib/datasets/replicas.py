"""The embedded replicas: differentially private synthetic tables with the schema of the real ones.

Select, measure, generate, after the MST mechanism (McKenna et al. 2021), with
zCDP for replacing one record, so that the number of rows is public:

1. measure every one-way marginal (a third of ``rho``);
2. pick a spanning tree over the attributes by the exponential mechanism, each
   edge by how far the pair is from what the one-way marginals say (a third);
3. measure the tree's pairs, and, declared beforehand, every attribute's pair
   with the target and with the protected attribute (a third);
4. fit a graphical model to the noisy marginals and draw as many rows.

``python -m lib.datasets.replicas [NAME ...]`` makes them. The noise comes from the operating
system's entropy and is not kept: whoever has its seed, and every row but one,
could try each value of the last row until the replica comes out.
"""

from __future__ import annotations

import argparse
import json
import math
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import combinations
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd

from lib import validate
from lib.datasets.cache import sha256_of
from lib.datasets.domain import Domain
from lib.datasets.load import load
from lib.datasets.registry import TASKS, Task
from lib.paths import REPLICAS

__all__ = ["Budget", "Ledger", "Recipe", "rho_of", "synthesise", "make", "metadata"]

EPSILON, DELTA = 3.0, 1e-9
ITERATIONS = 1500


def rho_of(epsilon: float, delta: float) -> float:
    """The ``rho`` whose zCDP implies (epsilon, delta)-DP by ``epsilon = rho + 2 sqrt(rho log(1/delta))``."""
    validate.epsilon(epsilon)
    log = math.log(1 / validate.fraction("delta", delta))
    return (math.sqrt(log + epsilon) - math.sqrt(log)) ** 2


class Ledger:
    """What has been spent of a zCDP budget; refuses to overspend."""

    def __init__(self, rho: float) -> None:
        self.rho = validate.positive("rho", rho)
        self.entries: list[tuple[str, float]] = []

    @property
    def spent(self) -> float:
        return math.fsum(rho for _, rho in self.entries)

    def spend(self, what: str, rho: float) -> float:
        """Note ``rho`` for ``what`` and return it."""
        if self.spent + rho > self.rho * (1 + 1e-12):
            raise ValueError(
                f"rho={rho!r} for {what!r} is not allowed: {self.rho - self.spent!r} of {self.rho!r} is left"
            )
        self.entries.append((what, rho))
        return rho


@dataclass(frozen=True)
class Budget:
    """Shares of ``rho``: one-way marginals, selection, pairs."""

    one_way: float = 1 / 3
    select: float = 1 / 3
    pairs: float = 1 / 3


@dataclass(frozen=True)
class Recipe:
    """A finished synthesis: the table, the tree's edges, the ledger."""

    frame: pd.DataFrame
    edges: tuple[tuple[str, str], ...]
    ledger: Ledger


def _counts(frame: pd.DataFrame, domain: Domain, columns: tuple[str, ...]) -> np.ndarray:
    shape = [domain[c] for c in columns]
    flat = np.ravel_multi_index([frame[c].to_numpy() for c in columns], shape)
    return np.bincount(flat, minlength=math.prod(shape)).astype(float)


@dataclass(frozen=True)
class _Measured:
    columns: tuple[str, ...]
    noisy: np.ndarray
    sigma: float


def _measure(frame, domain, cliques, rho, ledger, rng) -> list[_Measured]:
    """Gaussian noise on each marginal; replacing a record moves a histogram by sqrt(2) in L2."""
    measured = []
    for columns in cliques:
        sigma = 1 / math.sqrt(ledger.spend("measure " + ",".join(columns), rho / len(cliques)))
        counts = _counts(frame, domain, columns)
        measured.append(_Measured(columns, counts + rng.normal(0, sigma, counts.size), sigma))
    return measured


def _select_tree(frame, domain, columns, one_way, rho, ledger, rng) -> list[tuple[str, str]]:
    """A spanning tree over ``columns``, edge by edge by the exponential mechanism.

    Score of a pair: L1 distance between its counts and the product of the noisy
    one-way marginals; replacing a record moves it by at most 2.
    """
    n = len(frame)
    shares = {}
    for m in one_way:
        positive = np.clip(m.noisy, 0, None)
        shares[m.columns[0]] = positive / positive.sum()
    score = {
        (a, b): np.abs(_counts(frame, domain, (a, b)) - n * np.outer(shares[a], shares[b]).ravel()).sum()
        for a, b in combinations(columns, 2)
    }
    forest = nx.Graph()
    forest.add_nodes_from(columns)
    edges: list[tuple[str, str]] = []
    for _ in range(len(columns) - 1):
        epsilon = math.sqrt(8 * ledger.spend("select an edge", rho / (len(columns) - 1)))
        open_pairs = [pair for pair in score if not nx.has_path(forest, *pair)]
        logits = np.array([epsilon * score[pair] / (2 * 2) for pair in open_pairs])
        weights = np.exp(logits - logits.max())
        edge = open_pairs[rng.choice(len(open_pairs), p=weights / weights.sum())]
        forest.add_edge(*edge)
        edges.append(edge)
    return edges


@contextmanager
def _numpy_seeded(seed: int):
    """mbi draws rows from NumPy's global generator: give it a seed, and give back the state it had."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002


def _generate(domain: Domain, measured: list[_Measured], n: int, seed: int, iterations: int) -> pd.DataFrame:
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_enable_compilation_cache", False)
    import mbi

    # mbi iterates over sets of names, and the hash of a string changes with the process: number the columns
    number = {c: i for i, c in enumerate(domain.columns)}
    losses = [mbi.LinearMeasurement(m.noisy, tuple(number[c] for c in m.columns), m.sigma) for m in measured]
    numbered = mbi.Domain(tuple(number.values()), domain.sizes)
    model = mbi.estimation.MirrorDescent().estimate(numbered, losses, known_total=n, iters=iterations)
    with _numpy_seeded(seed):
        rows = model.synthetic_data(n)
    table = rows.to_dict()
    # a column with one code is in no marginal; it has nothing to be drawn
    constant = {c: np.zeros(n) for c, k in domain if k == 1}
    return pd.DataFrame({c: np.asarray(constant.get(c, table.get(number[c]))).astype(np.int16) for c in number})


def synthesise(frame: pd.DataFrame, task: Task, *, rho: float, rng: np.random.Generator,
               shares: Budget | None = None, iterations: int = ITERATIONS) -> Recipe:  # fmt: skip
    """A synthetic table of ``len(frame)`` rows under ``rho``-zCDP (replace one record).

    Parameters
    ----------
    frame : DataFrame of codes, columns as ``task.domain``
    rho : float
        Spent to the last; the ledger in the result itemises it.
    rng : np.random.Generator
        Noise, selection, and the rows drawn from the fitted model. The
        guarantee holds towards those who do not know its state.
    """
    domain, shares, ledger = task.domain, shares or Budget(), Ledger(rho)
    one_way = _measure(frame, domain, [(c,) for c, k in domain if k > 1], shares.one_way * rho, ledger, rng)
    hubs = (task.target, task.protected)
    leaves = tuple(c for c, k in domain if c not in hubs and k > 1)
    edges = _select_tree(frame, domain, leaves, one_way, shares.select * rho, ledger, rng)
    declared = [(c, hub) for c in leaves for hub in hubs] + [hubs]
    pairs = _measure(frame, domain, [*edges, *declared], shares.pairs * rho, ledger, rng)
    table = _generate(domain, [*one_way, *pairs], len(frame), int(rng.integers(2**32)), iterations)
    return Recipe(table, tuple(edges), ledger)


def make(name: str, *, folder: Path = REPLICAS, epsilon: float = EPSILON, delta: float = DELTA) -> dict:
    """Make the replica of ``name`` from the real data, write it and its metadata, return the metadata."""
    data = load(name)
    if data.is_replica:
        raise ValueError(
            f"dataset={name!r}: the real data are needed to make a replica; set COMPANION_DATA or go online"
        )
    rho = rho_of(epsilon, delta)
    # no stream of a published seed here: it would give the noise away
    recipe = synthesise(data.frame, data.task, rho=rho, rng=np.random.default_rng())
    sizes = dict(data.task.domain)
    small = recipe.frame.astype({c: np.uint8 if sizes[c] <= 256 else np.uint16 for c in sizes})
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.parquet"
    small.to_parquet(path, index=False, compression="zstd", compression_level=19)
    facts = {
        "rows": len(small), "bytes": path.stat().st_size, "sha256": sha256_of(path), "source_sha256": data.sha256,
        "epsilon": epsilon, "delta": delta, "rho": rho, "rho_spent": recipe.ledger.spent,
        "adjacency": "replace one record", "noise": "entropy of the operating system, not kept",
        "shares": asdict(Budget()), "edges": [list(edge) for edge in recipe.edges],
        "declared": [data.task.target, data.task.protected],
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
    parser = argparse.ArgumentParser(description="Make the embedded replicas from the real data.")
    parser.add_argument("names", nargs="*", help=f"which ones; all of {', '.join(TASKS)} if none is named")
    for name in parser.parse_args().names or TASKS:
        facts = make(name)
        print(
            f"{name}: {facts['rows']:,} rows, {facts['bytes'] / 1e6:.2f} MB, rho {facts['rho_spent']:.4f}", flush=True
        )


if __name__ == "__main__":
    main()
