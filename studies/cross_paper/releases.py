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

import numpy as np
import pandas as pd

from lib import validate
from lib.coherence.experiment import halves
from lib.domain import Domain
from lib.dp import rho_in_floats
from lib.ldp import make, split_budget
from lib.synth import Synthesizer
from studies.synthesizers import cells as synth
from studies.synthesizers.settings import DELTA, MAIN
from studies.synthesizers.tables import BY as BY

WEIGHTS = ("public", "noisy")
SYNTHESIZERS: dict[str, Synthesizer] = {name: synth.SYNTHESIZERS[name] for name in MAIN}
LDP = ("GRR linked", "OUE linked", "GRR whole", "OUE whole")
WITHOUT_EPSILON = ("clear", "fresh", "nobody")
KINDS = (*WITHOUT_EPSILON, *SYNTHESIZERS, *LDP)


def plain_release(
    kind: str,
    inside: pd.DataFrame,
    everyone: pd.DataFrame,
    domain: Domain,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """The releases without a budget: the half, another half of ``everyone``, or nobody."""
    validate.choice("kind", kind, WITHOUT_EPSILON)
    if kind == "clear":
        return inside
    if kind == "fresh":
        return everyone.iloc[halves(len(everyone), rng)[0]].reset_index(drop=True)
    return pd.DataFrame({c: rng.integers(0, k, len(inside)) for c, k in domain}).astype(np.int16)


def synthetic_release(
    kind: str,
    by: str,
    weights: str,
    epsilon: float,
    inside: pd.DataFrame,
    domain: Domain,
    rng: np.random.Generator,
) -> tuple[pd.DataFrame, float]:
    """As many rows as ``inside`` has, and the rho that was spent.

    (epsilon, :data:`DELTA`)-DP, add or remove one row, but for what is taken as
    public: the number of rows, and with ``weights="public"`` the size of each
    group (see :class:`~lib.synth.stratified.Stratified` for what is then promised). Groups of
    any size are kept.
    """
    inner = SYNTHESIZERS[validate.choice("kind", kind, SYNTHESIZERS)]
    synthesizer = synth.stratified(inner, by, weights=weights)
    fitted = synthesizer.fit(inside, domain, rho_in_floats(epsilon, DELTA), rng)
    return fitted.sample(len(inside), rng), fitted.accountant.spent


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


def ldp_release(
    kind: str,
    epsilon: float,
    inside: pd.DataFrame,
    domain: Domain,
    sensitive: str,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Reports of each person of ``inside``, decoded, in the person's own row: replacing a value
    costs at most epsilon.
    """
    protocol, scope = validate.choice("kind", kind, LDP).split()
    columns = domain.columns if scope == "whole" else (sensitive,)
    budgets = split_budget(epsilon, [domain[c] for c in columns], "uniform")
    reports = {}
    for column, budget in zip(columns, budgets, strict=True):
        mechanism = make(protocol, k=domain[column], epsilon=float(budget))
        reports[column] = decoded(mechanism.privatise_support(inside[column].to_numpy(), rng), rng)
    return inside.assign(**reports)
