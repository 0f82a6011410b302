"""A certified epsilon for each group: what the names taken from releases prove about a curator.

Each score (:mod:`lib.coherence.naming`) names a few stated shares of a group, in the finished
release or in that of each random half, and all halves test together. Which way of naming is best is
not known before, so all are tried, and each pays for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from lib.audit.release import Curator
from lib.audit.request import Request
from lib.audit.table import Table, first_half, released_halves
from lib.coherence.naming import SCORES, guesses, membership_scores, named_of
from lib.dp.certificate import Guesses, epsilon_limit, smallest_leak
from lib.rng import stream

POWER = 0.8  # with which the smallest leak is found
SHARES = (0.25, 0.05, 0.01)  # of a group, that a score names


def reach(request: Request, table: Table) -> pd.DataFrame:
    """What a certificate can come to, known before it is made: one row a group.

    Returns
    -------
    DataFrame
        ``group, people, ceiling, smallest leak``. The *ceiling* is the highest limit, which is
        reached if as many names are right as can be. The *smallest leak* is the log odds ratio of
        right names that gives a limit above 0 with probability :data:`POWER`, if one score names
        the best of :data:`SHARES` and the others tell nothing. Both follow the test: its delta, its
        halves, and the false alarms that it divides among groups and ways of naming.
    """
    if table.release is not None:
        halves = [table.inside]
    else:  # known before a curator runs
        halves = [first_half(request, table, i)[1] for i in range(request.splits)]
    how: dict[str, Any] = {"level": _level(request, table), "delta": request.certify_delta}
    rows = []
    for name, who in table.members.items():
        people, inside = int(who.sum()), [int(half[who].sum()) for half in halves]
        sizes = sorted({named_of(share, people) for share in SHARES})
        best = {tuple(_all_right(n, people, inside, request)) for n in sizes}
        high = max(epsilon_limit(names, **how) for names in best)
        how_found = how | {"splits": len(halves), "inside": round(sum(inside) / len(inside))}
        leaks = (smallest_leak(people, named=n, power=POWER, **how_found) for n in sizes)
        rows.append((name, people, high, min(leaks)))
    return pd.DataFrame(rows, columns=["group", "people", "ceiling", "smallest leak"])


def _all_right(named: int, people: int, inside: list[int], request: Request) -> list[Guesses]:
    """The table of each half if as many of the names are right as can be.

    Who ties with the last one named is named, too, so that it can be all who were inside; with a
    delta, exactly so many are named.
    """
    each = [named if request.certify_delta else min(people, max(named, i)) for i in inside]
    return [
        Guesses(named=n, hits=min(n, i), people=people, inside=i)
        for n, i in zip(each, inside, strict=True)
    ]


def in_words(limits: pd.DataFrame) -> str:
    """What can be certified, and what will be found, as lines for a terminal."""
    rounded = {name: limits[name].map("{:.2f}".format) for name in ("ceiling", "smallest leak")}
    return (
        "Before it runs: the highest epsilon that can be certified, and the log odds ratio of right"
        f" names that is found with probability {POWER:g} if one score tells it of the people whom"
        " it names and the others tell nothing.\n" + limits.assign(**rounded).to_string(index=False)
    )


def certify(
    request: Request, table: Table, curator: Curator | None, limits: pd.DataFrame
) -> pd.DataFrame:
    """Lower limits of epsilon, all true together with probability ``1 - false_alarm`` at least.

    Returns
    -------
    DataFrame
        The rows of ``limits``, of :func:`reach`, with ``epsilon`` (0 says nothing), and the
        ``score`` and ``share named`` that gave it.
    """
    halves = [*_halves(request, table, curator)]
    level, delta = _level(request, table), request.certify_delta
    # who ties is named by place, and the file may hold the people inside first
    order = stream(request.seed, "certificate order").permutation(len(table.frame))
    rows = []
    for name, mask in table.members.items():
        who = order[mask[order]]
        found: dict[tuple[str, float], float] = {}
        for score in SCORES:
            if any(score not in scores for scores, _ in halves):  # it takes too long
                continue
            for share in SHARES:
                names = [
                    guesses(scores[score][who], inside[who], share, fixed=delta > 0)
                    for scores, inside in halves
                ]
                found[score, share] = epsilon_limit(names, level=level, delta=delta)
        best = max(found, key=found.__getitem__)
        rows.append((name, found[best], *best))
    columns = ["group", "epsilon", "score", "share named"]
    return limits.merge(pd.DataFrame(rows, columns=columns), on="group")


def _level(request: Request, table: Table) -> float:
    """The level of each group and way of naming, so that all limits hold together."""
    return 1 - request.false_alarm / (len(table.members) * len(SCORES) * len(SHARES))


def _halves(
    request: Request, table: Table, curator: Curator | None
) -> Iterator[tuple[dict[str, np.ndarray], np.ndarray]]:
    """Everybody's scores in each half of the audit, and who was inside."""
    for release, inside in released_halves(request, table, curator):
        yield membership_scores(release, table.frame), inside
