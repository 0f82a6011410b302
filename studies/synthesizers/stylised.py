"""The stylised example of the paper's Appendix C: two groups, three pairs of bits, and a single
measurement for each fit.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from lib.domain import Domain
from lib.synth.base import Measurement
from lib.synth.graphical import GraphicalModel
from lib.synth.marginal_model import estimate
from lib.synth.mst import pair_scores
from lib.synth.workload import counts

PAIRS = (("p", "p'"), ("q", "q'"), ("r", "r'"))
BITS = Domain.of({column: 2 for pair in PAIRS for column in pair})


def two_bits(n: int, strengths: Mapping[str, float], rng: np.random.Generator) -> pd.DataFrame:
    """``n`` people with three pairs of bits; the second bit of a pair repeats the first with
    probability ``strengths[first]``, and is a fair coin otherwise.
    """
    columns = {}
    for first, second in PAIRS:
        columns[first] = rng.integers(0, 2, n)
        repeats = rng.random(n) < strengths[first]
        columns[second] = np.where(repeats, columns[first], rng.integers(0, 2, n))
    return pd.DataFrame(columns)


def best_pair(people: pd.DataFrame) -> tuple[tuple[str, str], GraphicalModel]:
    """The pair farthest from independence, and the model that knows it and all single columns,
    without noise.
    """
    ones = tuple(Measurement((c,), counts(people, BITS, (c,)), 1.0) for c in BITS.columns)
    scores = pair_scores(people, BITS, ones)
    chosen = max(scores, key=scores.__getitem__)
    known = Measurement(chosen, counts(people, BITS, chosen), 1.0)
    return chosen, estimate(BITS, [*ones, known], iterations=500)[0]


def pair_errors(people: pd.DataFrame, *models: GraphicalModel) -> dict[str, float]:
    """L1 error of each pair's shares among ``people``, of the even mixture of ``models``."""
    errors = {}
    for pair in PAIRS:
        places = tuple(BITS.columns.index(column) for column in pair)
        shares = np.mean([model.marginal(places).ravel() for model in models], axis=0)
        truth = counts(people, BITS, pair) / len(people)
        errors[", ".join(pair)] = float(np.abs(shares - truth).sum())
    return errors
