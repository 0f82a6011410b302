"""Measures for what the coherence paper says of curators that are not differentially private, and
of perfect generalisation.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
from scipy import special

from lib.coherence.bounds.paper import size, theorem3_terms
from lib.coherence.bounds.tightened import description_length_size
from lib.coherence.distances import split_distance
from lib.ledger.rules import Evidence
from lib.rng import stream
from studies.coherence.claims.chain import count_laws
from studies.coherence.exact_information import (
    distinct_log_probability,
    generalisation_information,
    max_information,
    noisy_count,
    perfect_generalisation,
)
from studies.coherence.single_column import column_distances
from studies.measures import fact, measures_of


def binary_universe(n: int, alpha: float) -> Evidence:
    """Whether a table of single bits in the clear keeps the worst predictor within ``alpha``.

    In all simulated halves.
    """
    largest = column_distances(n // 2, n, n, size=20_000, rng=stream(1, "binary universe", n)).max()
    return fact(largest <= alpha, f"largest of 20,000 halves {largest:.4f}")


def generalising_halves() -> Evidence:
    """Whether perfect generalisation over independent halves of a table gives bounded
    max-information, so that Theorem 3 applies.

    Exact max-information of noisy counts, against the bound of
    :func:`~studies.coherence.exact_information.generalisation_information`.
    """
    room = []
    for n, epsilon, at in product((8, 20, 60), (0.1, 0.5, 1.0, 3.0), (0.2, 0.5, 1.0, 2.0)):
        beta, _ = perfect_generalisation(n=n, ones=n // 2, epsilon=epsilon, at=at)
        eta, bound = generalisation_information(beta=beta, epsilon=at)
        if eta < 1:
            room.append(bound - max_information(*count_laws(n, epsilon), eta))
    words = f"the bound exceeds the exact max-information by {min(room):.2g} nats or more"
    return fact(min(room) >= -1e-9, f"{words}, in {len(room)} cases")


def generalising_curator(n: int) -> Evidence:
    """Whether no curator refutes that perfect generalisation implies coherence.

    The one tried publishes its input if no record occurs twice, and else nothing.

    It is (beta, 0, 0)-sample perfectly generalising over ``n`` values; on ``n``
    different records, anyone who looks them up is 2 apart on every split.
    """
    # either sample without a repetition
    log_beta = distinct_log_probability(draws=n // 2, universe=n) + math.log(2)
    inside = stream(1, "generalising curator", n).permutation(n) < n // 2
    distance = float(split_distance(np.where(inside, 1.0, -1.0), inside))
    refuted = log_beta < math.log(1e-6) and distance > 1.9
    return fact(not refuted, f"n = {n:,}: ln beta {log_beta:.0f}, W1 distance {distance:.0f}")


def subset_in_clear() -> Evidence:
    """Whether a curator may publish somebody in the clear and enforce coherence, by Theorem 3.

    In the example of Section 6.3, with the number of subsets as the number of possible reports.
    """
    n, gamma, people = 5_000_000, 250_000, 0
    while True:
        subsets = special.gammaln([n + 1, people + 2, n - people])  # of one person more
        zeta = float(subsets[0] - subsets[1] - subsets[2]) + 1e-6
        known: dict[str, Any] = {"alpha": 0.2, "beta": math.exp(-30), "collection": 100}
        if size(theorem3_terms(**known, zeta=zeta)) > gamma:
            break
        people += 1
    return fact(people >= 1, f"up to {people} of {n // 2:,} people by Theorem 3")


def coherent_without_privacy() -> Evidence:
    """Whether a count in the clear, which no epsilon bounds, enforces coherence in the example of
    Section 6.3.

    By the union bound over all counts of :func:`description_length_size`.
    """
    known: dict[str, Any] = {"alpha": 0.2, "beta": math.exp(-30), "n": 5e6, "collection": 100}
    asked, gamma = description_length_size(**known, counts=1), 250_000
    _, channel = noisy_count(n=8, ones=4, epsilon=math.inf)
    apart = not (channel[0] * channel[1]).any()  # neighbours have no report in common
    return fact(asked <= gamma and apart, f"groups of {asked:,.0f} people and more")


MEASURES = measures_of(__name__)
