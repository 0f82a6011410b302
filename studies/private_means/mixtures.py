"""Stratified means of Gaussian mixtures (Figs 3, 6, 7): the population's error.

With noise really drawn, and without.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lib import validate
from lib.means.grouped import Interval, coinpress, recombine
from lib.rng import stream
from lib.runner.cell import COUNT, ONE_OR_MORE, SEVERAL, KeyedCell, set_checked
from studies.private_means.census import RHO, RUNS, SEED, budgets
from studies.private_means.scores import METHODS, Runs, scores_of


@dataclass(frozen=True, kw_only=True)
class MixtureCell(KeyedCell, kind="mixture means"):
    """All runs of one Gaussian mixture: n private rows, k strata, Dirichlet parameter alpha.

    ``spreads="one"``: every stratum has spread 1, as the published script drew
    them; ``"uniform"``: spreads from U(0.1, 2), as the paper's appendix says.
    COINPRESS takes the largest possible spread as known, which it is here because
    the data are generated. On people's data it would be an oracle's, not charged.
    """

    n: int
    k: int
    alpha: float
    spreads: str = "one"
    rho: float = RHO
    runs: int = RUNS
    seed: int = SEED
    dataset: str = "mixture"

    def __post_init__(self) -> None:
        set_checked(self, n=SEVERAL, k=ONE_OR_MORE, alpha=validate.positive)
        set_checked(self, rho=validate.positive, runs=SEVERAL, seed=COUNT)
        set_checked(self, spreads=("one", "uniform"), dataset=("mixture",))


def mixture_grid(runs: int = RUNS) -> Iterator[MixtureCell]:
    """Fig. 6's grid: k in {3, 6, 12}, six alphas, n from 1,000 to 10,000 and beyond.

    Figs 3 and 7 are slices of it.
    """
    for k in (3, 6, 12, 24, 48):
        for alpha in (0.3, 0.5, 0.7, 1.0, 3.0, 10.0):
            for n in (1000, 2000, 4000, 5000, 6000, 8000, 10_000, 30_000):
                if k <= 12 or (alpha == 1.0 and n == 10_000):
                    yield MixtureCell(n=n, k=k, alpha=alpha, runs=runs)
                if k <= 12 and alpha == 1.0:
                    yield MixtureCell(n=n, k=k, alpha=alpha, spreads="uniform", runs=runs)


def mixture_runs(cell: MixtureCell) -> Runs:
    """Absolute error of the population's mean in every run, with noise and without.

    A run draws weights from the Dirichlet law, group means from N(0, 1), rows,
    and as many public rows for the weights of PubStratCOINPRESS as there are
    private ones. The metric ``exact`` recombines the groups' *exact* means, as the published
    script did, ``printed`` divides by k once more; ``spread`` is that of the private rows.
    """
    rng = stream(cell.seed, "mixture", cell.n, cell.k, cell.alpha, cell.spreads)
    weights = rng.dirichlet(np.full(cell.k, cell.alpha), size=cell.runs)
    sizes, public = (rng.multinomial(cell.n, weights) for _ in range(2))
    means = rng.standard_normal((cell.runs, cell.k))
    wide = cell.spreads == "uniform"
    spreads = rng.uniform(0.1, 2.0, means.shape) if wide else np.ones(means.shape)
    flat = sizes.ravel()
    x = np.repeat(means.ravel(), flat)
    x += np.repeat(spreads.ravel(), flat) * rng.standard_normal(cell.runs * cell.n)
    prior = Interval(low=-3.0, high=3.0, sigma=2.0 if wide else 1.0)
    plain = coinpress(x, np.full(cell.runs, cell.n), prior, budgets(cell.rho), rng)
    groups = coinpress(x, flat, prior, budgets(cell.rho), rng).reshape(sizes.shape)
    own = np.zeros(flat.size)
    own[flat > 0] = np.add.reduceat(x, (np.cumsum(flat) - flat)[flat > 0].astype(np.intp))
    sums = own.reshape(sizes.shape)
    truth, exact = sums.sum(axis=1) / cell.n, sums / np.maximum(sizes, 1)
    first, stratified, weighted = METHODS
    answers = {
        ("error", first): plain,
        ("error", stratified): recombine(groups, sizes),
        ("error", weighted): recombine(groups, public),
        ("exact", stratified): recombine(exact, sizes),
        ("exact", weighted): recombine(exact, public),
        ("printed", stratified): recombine(groups, sizes, printed=True),
    }
    errors = {key: np.abs(found - truth) for key, found in answers.items()}
    return errors | {("spread", ""): np.array([r.std() for r in x.reshape(cell.runs, -1)])}


def run_mixture(cell: MixtureCell) -> dict:
    """Record of a cell: the scores of :func:`mixture_runs`."""
    return {"scores": scores_of(mixture_runs(cell)), "data_source": "generated"}
