"""What is published about the half: synthetic rows, randomised reports, the rows themselves, or
nothing about them.

Every release is a table of codes with the columns of the data set, so that the
same learners read all of them.

- ``clear``: the half itself
- ``fresh``: another random half of the data set, drawn without a look at this one (the null)
- ``nobody``: rows drawn uniformly from the declared domain
- ``MST`` and so on: as many synthetic rows as the half has, (epsilon, delta)-DP, stratified or not
- ``GRR linked``: everybody's own rows in the clear, the sensitive attribute replaced by its report
- ``GRR whole``: everybody's whole row as reports, the budget split evenly over the columns

Linked collection is what the paper on LDP studies: only the sensitive
attribute is randomised, and everything else about the person stands beside
the report. It is epsilon-LDP for that attribute and for nothing else, so
membership is in the clear. The whole row is epsilon-LDP, hence epsilon-DP, for
the person. A report of OUE is decoded to a value that it supports, drawn at
random (to any value, if it supports none); decoding is post-processing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib import validate
from lib.coherence.experiment import halves
from lib.domain import Domain
from lib.dp import rho_in_floats
from lib.ldp import make, split_budget
from lib.rng import stream
from lib.runner.cell import BUDGET, COUNT, KeyedCell, set_checked
from studies.synthesizers import cells as synth
from studies.synthesizers.settings import DELTA, MAIN
from studies.synthesizers.tables import BY as BY

SEED = 20261121
TARGET = "DREM"
WEIGHTS = ("public", "noisy")
SYNTHESIZERS = {name: synth.SYNTHESIZERS[name] for name in MAIN}
LDP = ("GRR linked", "OUE linked", "GRR whole", "OUE whole")
WITHOUT_EPSILON = ("clear", "fresh", "nobody")
KINDS = (*WITHOUT_EPSILON, *SYNTHESIZERS, *LDP)


@dataclass(frozen=True, kw_only=True)
class Cell(KeyedCell, kind="cross paper"):
    """One release in one split; ``n`` people drawn at random (0: all). ``by`` and ``weights``
    are for synthesizers only.
    """

    kind: str
    by: str = "vanilla"
    weights: str = "public"
    epsilon: float = math.inf
    run: int = 0
    n: int = 0
    dataset: str = "nist"
    seed: int = SEED

    def __post_init__(self) -> None:
        set_checked(self, kind=KINDS, by=BY, weights=WEIGHTS, dataset=("nist",))
        set_checked(self, run=COUNT, n=COUNT, epsilon=BUDGET, seed=COUNT)
        if (self.kind in WITHOUT_EPSILON) != math.isinf(self.epsilon):
            raise ValueError(
                f"epsilon must be infinite for {', '.join(WITHOUT_EPSILON)} and finite for the"
                f" others, got {self.epsilon!r} for kind={self.kind!r}"
            )
        plain, made = self.by == "vanilla", self.kind in SYNTHESIZERS
        validate.require(plain or made, "by", f"'vanilla' for kind={self.kind!r}", self.by)
        public = not plain or self.weights == "public"
        validate.require(public, "weights", "'public' for by='vanilla'", self.weights)


def decoded(bits: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One supported value of each report, uniformly; of all values where none is supported.

    Parameters
    ----------
    bits : array of 0 and 1, shape (n, k)

    Returns
    -------
    int16 array of shape (n,)
    """
    bits = np.where(bits.any(axis=1, keepdims=True), bits, 1)
    return np.argmax(bits * (1 - rng.random(bits.shape)), axis=1).astype(np.int16)


def release_of(
    cell: Cell, inside: pd.DataFrame, everyone: pd.DataFrame, domain: Domain
) -> tuple[pd.DataFrame, float]:
    """The table that the cell publishes about ``inside``, and the rho it spent (NaN unless it is a
    synthesizer's).

    A synthesizer draws as many rows as ``inside`` has. It is (epsilon, :data:`DELTA`)-DP, add or
    remove one row, but for what is taken as public: the number of rows, and with
    ``weights="public"`` the size of each group (see :class:`~lib.synth.stratified.Stratified` for
    what is then promised). Groups of any size are kept. Reports are decoded, in the person's own
    row: replacing a value costs at most epsilon.
    """
    setting = cell.kind, cell.by, cell.weights, cell.epsilon
    rng = stream(cell.seed, "across release", *setting, cell.run, cell.n)
    if cell.kind == "clear":
        return inside, math.nan
    if cell.kind == "fresh":
        return everyone.iloc[halves(len(everyone), rng)[0]].reset_index(drop=True), math.nan
    if cell.kind == "nobody":
        drawn = {c: rng.integers(0, k, len(inside)) for c, k in domain}
        return pd.DataFrame(drawn).astype(np.int16), math.nan
    if cell.kind in SYNTHESIZERS:
        inner = synth.stratified(SYNTHESIZERS[cell.kind], cell.by, weights=cell.weights)
        fitted = inner.fit(inside, domain, rho=rho_in_floats(cell.epsilon, DELTA), rng=rng)
        return fitted.sample(len(inside), rng), fitted.accountant.spent
    protocol, scope = cell.kind.split()
    columns = domain.columns if scope == "whole" else (TARGET,)
    budgets = split_budget(cell.epsilon, [domain[c] for c in columns], "uniform")
    reports = {}
    for column, budget in zip(columns, budgets, strict=True):
        mechanism = make(protocol, k=domain[column], epsilon=float(budget))
        reports[column] = decoded(mechanism.privatise_support(inside[column].to_numpy(), rng), rng)
    return inside.assign(**reports), math.nan
