"""A certified epsilon for each group: what the names taken from releases prove about a curator.

Names are taken from each release of a random half (:mod:`lib.coherence.naming`). The first half is
a pilot: it chooses score and cut for each group, and counts no more. The other halves test. A
finished release has one half only; then few cuts are tried, and each pays for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from lib.audit.release import Curator
from lib.audit.request import Request
from lib.audit.table import Table, first_half
from lib.coherence.naming import Cut, cuts, membership_scores, promise
from lib.dp.certificate import Guesses, ceiling, epsilon_limit, smallest_leak

_FEW = (0.25, 0.05, 0.01)  # the shares that a finished release is tried with

# everybody's scores, and who was inside; NaN in no score
Half = tuple[dict[str, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Certificate:
    """Lower limits of epsilon, together true with probability ``level`` at least.

    Parameters
    ----------
    groups : DataFrame
        ``group, people, ceiling, smallest leak, epsilon, score, share named``: the highest limit
        within reach, the log odds ratio that is found with probability .8, and the limit that was
        found (0 says nothing), with the score and the share of people who were named as inside.
    level : float
    delta : float
        Of the claim that is tested: (epsilon, delta)-DP for replacing one person.
    splits : int
        Halves that tested.
    """

    groups: pd.DataFrame
    level: float
    delta: float
    splits: int


def reach(request: Request, table: Table) -> pd.DataFrame:
    """What a certificate can come to, known before it is made: one row a group."""
    sizes = {name: int(who.sum()) for name, who in table.members.items()}
    limits = pd.DataFrame(sizes.items(), columns=["group", "people"])
    splits, level = max(1, request.releases - 1), _level(request, table)
    for name, limit in (("ceiling", ceiling), ("smallest leak", smallest_leak)):
        limits[name] = [limit(n, splits=splits, level=level) for n in sizes.values()]
    return limits


def in_words(limits: pd.DataFrame) -> str:
    """What can be certified, and what will be found, as lines for a terminal."""
    rounded = {name: limits[name].map("{:.2f}".format) for name in ("ceiling", "smallest leak")}
    return (
        "Before it runs: the highest epsilon that can be certified, and the log odds ratio of right"
        " names that is found with probability 0.8.\n"
        + limits.assign(**rounded).to_string(index=False)
    )


def certify(
    request: Request, table: Table, curator: Curator | None, limits: pd.DataFrame
) -> Certificate:
    """Take names from the release of each half, and test (see the module); ``limits`` are of
    :func:`reach`.
    """
    pilot, *others = _halves(request, table, curator)
    tests, level, delta = others or [pilot], _level(request, table), request.certify_delta
    possible = list(cuts([*pilot[0]], fixed=delta > 0))
    rows = []
    for name, who in table.members.items():
        if others:
            worth = [promise(_guesses(cut, pilot, who)) for cut in possible]
            tried = [possible[int(np.argmax(worth))]]
        else:
            tried = [cut for cut in possible if cut.inside in _FEW and cut.outside is None]
        share = 1 - (1 - level) / len(tried)  # of the false alarms, for each cut that is tried
        found = {}
        for cut in tried:
            guesses = [_guesses(cut, half, who) for half in tests]
            found[cut] = epsilon_limit(guesses, level=share, delta=delta)
        best = max(found, key=found.__getitem__)
        rows.append((name, found[best], best.score, best.inside))
    columns = ["group", "epsilon", "score", "share named"]
    groups = limits.merge(pd.DataFrame(rows, columns=columns), on="group")
    return Certificate(groups, 1 - request.false_alarm, delta, len(tests))


def _level(request: Request, table: Table) -> float:
    """The level of each group, so that all limits hold together."""
    return 1 - request.false_alarm / len(table.members)


def _halves(request: Request, table: Table, curator: Curator | None) -> Iterator[Half]:
    """The halves of the audit, so that a curator's releases of them are made once."""
    if table.release is not None:
        yield membership_scores(table.release.table, table.frame), table.inside
        return
    for i in range(request.splits):
        half, inside, rng = first_half(request, table, i)
        release = half if curator is None else curator(half, rng)
        yield membership_scores(release, table.frame), inside


def _guesses(cut: Cut, half: Half, who: np.ndarray) -> Guesses:
    """What the names of a group come to."""
    scores, inside = half
    return cut.guesses(scores[cut.score][who], inside[who])
