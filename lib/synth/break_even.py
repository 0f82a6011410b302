"""How many people a group needs for a model of its own, known before anybody looks at the data.

A model of everybody says something wrong about a group that differs from everybody; a model of the
group's own is right but for its noise, which does not shrink with the group. The two are even where
the noise is as large as the difference. Noise of scale ``sigma`` on each of ``K`` cells moves the
shares of ``n`` people by ``sqrt(2 / pi) sigma K / n`` in L1, on average, and at a distance of 1/4
between the group's pairs of columns and everybody's it is even with that at

    n* = 4 sqrt(2 / pi) sigma K.

The quarter is a rule of thumb, and so are pairs for a workload of three columns; the rest follows
(:doc:`proofs </chapters/synth/proofs>`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from lib import validate
from lib.domain import Domain
from lib.synth.base import BUDGET_MAX, BUDGET_MIN, Synthesizer, gaussian_scale
from lib.synth.mst import MST

DISTANCE = 1 / 4


def break_even(
    domain: Domain, *, by: Sequence[str], rho: float, mechanism: Synthesizer | None = None
) -> float:
    """People from whom on a group of ``by`` is taken to gain from a model of its own.

    ``sigma`` is the noise of a pair of columns in a stratum's MST, and ``K`` the mean number of
    cells of a pair of the columns that are not in ``by``.

    Parameters
    ----------
    domain : Domain
        Of the whole table.
    by : sequence of str
        Columns whose crossings are the groups.
    rho : float
        zCDP, what each model may spend.
    mechanism : Synthesizer, optional
        MST with its own ``parts``. For every other one the number is that of :class:`MST`: the
        noise of AIM depends on what it chooses, and GEM's rounds measure about as exactly.

    Raises
    ------
    ValueError
        If ``by`` names no column of ``domain``, or leaves none; for a ``rho`` that no fit takes.

    Examples
    --------
    >>> domain = Domain.of({"sex": 2} | dict.fromkeys("abcdefgh", 4))
    >>> [round(break_even(domain, by=("sex",), rho=rho)) for rho in (0.01, 0.1)]
    [1655, 523]
    """
    validate.instance("domain", domain, Domain)
    by = validate.names("by", by)
    for column in by:
        validate.choice("by", column, domain.columns)
    rho = validate.budget("rho", rho, low=BUDGET_MIN, high=BUDGET_MAX)
    sizes = [domain[c] for c in domain.columns if c not in by]
    validate.require(len(sizes) > 0, "by", "columns that leave at least one other", by)
    if len(sizes) == 1:  # MST spends all on the only column
        cells, sigma = float(sizes[0]), gaussian_scale(rho)
    else:
        parts = mechanism.parts if isinstance(mechanism, MST) else MST.parts
        cells = float(np.mean([a * b for a, b in combinations(sizes, 2)]))
        sigma = gaussian_scale(rho * parts[2] / sum(parts) / (len(sizes) - 1))
    return math.sqrt(2 / math.pi) * sigma * cells / DISTANCE
