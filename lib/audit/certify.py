"""A certified epsilon for each group: what the names taken from releases prove about a curator.

Names are taken from each release of a random half (:mod:`lib.coherence.naming`). The first half is
a pilot: it chooses score and cut for each group, and counts no more. The other halves test. A
finished release has one half only; then few cuts are tried, and each pays for all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from lib.audit.release import Curator
from lib.audit.request import Request
from lib.audit.table import Table, first_half, released_halves
from lib.coherence.naming import (
    SCORES,
    SHARES,
    Cut,
    cuts,
    membership_scores,
    promise,
    promises,
    score_names,
)
from lib.dp.certificate import (
    Guesses,
    ceiling,
    epsilon_limit,
    hits_chance,
    hits_law,
    least_hits,
    smallest_leak,
)
from lib.rng import stream

POWER = 0.8  # with which the smallest leak is found
_PILOTS = 4000  # that are simulated, to know how often one chooses the names that leak
_MOST = 60.0  # log odds: no larger ones are found where the pilot does not choose them
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
        within reach, the log odds ratio that is found with probability .8 (see :func:`reach`), and
        the limit that was found (0 says nothing), with the score and the share of people who were
        named as inside.
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
    """What a certificate can come to, known before it is made: one row a group.

    Both numbers follow the test: its delta, its halves, and the false alarms that it divides among
    groups and cuts. The *ceiling* is reached if as many names are right as the cuts allow. The
    *smallest leak* is the log odds ratio of names that one score takes, if the other scores tell
    nothing. These names are half of a group, and a pilot has to find them among all cuts; or they
    are the best share that a finished release is tried with.
    """
    level, delta, rows = _level(request, table), request.certify_delta, []
    if table.release is not None:
        scores = score_names(table.release.table, table.frame)
        level = _share(level, len(_tried(scores, delta)))
    else:  # the halves that test, which are known before a curator runs
        halves = [first_half(request, table, i)[1] for i in range(1, request.splits)]
    for name, who in table.members.items():
        people = int(who.sum())
        if table.release is not None:
            limits = _reach_of_release(people, int(table.inside[who].sum()), level, delta)
        else:
            rng = stream(request.seed, "certificate pilots", name)
            limits = (
                epsilon_limit(_all_right(who, halves, delta), level=level, delta=delta),
                _leak_after_pilot(people, len(halves), level, delta, rng),
            )
        rows.append((name, people, *limits))
    return pd.DataFrame(rows, columns=["group", "people", "ceiling", "smallest leak"])


def _all_right(who: np.ndarray, halves: Sequence[np.ndarray], delta: float) -> list[Guesses]:
    """What the names of a group come to if as many are right as can be: of half of the group, or
    without delta of all who are inside.
    """
    people = int(who.sum())
    inside = [int(half[who].sum()) for half in halves]
    named = [
        named_of(0.5, people) if delta else max(h, named_of(SHARES[-1], people)) for h in inside
    ]
    return [
        Guesses(named=r, hits=min(r, h), people=people, inside=h)
        for r, h in zip(named, inside, strict=True)
    ]


def _reach_of_release(people: int, inside: int, level: float, delta: float) -> tuple[float, float]:
    """The ceiling and the smallest leak of one finished release, at the level of each cut."""
    sizes = sorted({named_of(share, people) for share in _FEW})
    # those who tie are named, too, so the cuts can name any number from the smallest one on
    named = sizes if delta else [min(max(inside, sizes[0]), people)]
    high = max(ceiling(people, level=level, delta=delta, named=n, inside=inside) for n in named)
    leaks = (
        smallest_leak(people, level=level, power=POWER, delta=delta, named=n, inside=inside)
        for n in sizes
    )
    return high, min(leaks)


def _leak_after_pilot(
    people: int, splits: int, level: float, delta: float, rng: np.random.Generator
) -> float:
    """The smallest leak of :func:`reach` where a pilot chooses score and cut, and ``splits`` halves
    test.

    One score is high for half of the people, and these are inside with this log odds ratio. The
    other scores tell nothing, but a pilot may take one of their cuts for better.
    """
    inside, named, fixed = people // 2, named_of(0.5, people), delta > 0
    sizes = dict.fromkeys(named_of(share, people) for share in SHARES)
    # who ties is named, too: all cuts of a score of two values name the same people
    own = list(sizes) if fixed else [named]
    tables = {n: [_table(n, people, inside)] * splits for n in own}
    needed: dict[int, int | None] = {}

    def found(size: int, log_odds: float) -> float:
        """The chance that the halves find these names, once the pilot has chosen them."""
        if size not in needed:
            needed[size] = least_hits(tables[size], level=level, delta=delta)
        least = needed[size]
        if least is None:
            return 0.0
        if size == named:
            return hits_chance(tables[size], log_odds, least)
        again = np.random.default_rng(seed)
        hits = _draw(tables[named][0], log_odds, again.random((_PILOTS // 4, splits)))
        part = again.hypergeometric(hits, named - hits, size)
        return float((part.sum(axis=1) >= least).mean())

    seed = int(rng.integers(2**31))
    top = rng.hypergeometric(inside, people - inside, named, size=(len(SCORES) - 1, _PILOTS))
    noise = _best(top, people, inside, list(sizes), fixed, rng).max(axis=0)
    places = rng.random(_PILOTS)

    def power(log_odds: float) -> float:
        hits, again = _draw(tables[named][0], log_odds, places), np.random.default_rng(seed)
        worth = [promises(part, n, people, inside) for n, part in _nested(hits, named, own, again)]
        choice = np.where(np.max(worth, axis=0) > noise, np.argmax(worth, axis=0), -1)
        shares = {n: float((choice == i).mean()) for i, n in enumerate(own)}
        return sum(share * found(n, log_odds) for n, share in shares.items() if share > 0.005)

    if power(_MOST) < POWER:
        return np.inf
    if power(0.0) >= POWER:
        return 0.0
    return float(brentq(lambda x: power(x) - POWER, 0.0, _MOST, xtol=1e-3))


def named_of(share: float, people: int) -> int:
    """How many a cut of this share names in a group, if nobody ties."""
    return max(1, round(share * people))


def _table(named: int, people: int, inside: int) -> Guesses:
    least = max(0, named + inside - people)
    return Guesses(named=named, hits=least, people=people, inside=inside)


def _draw(table: Guesses, log_odds: float, places: np.ndarray) -> np.ndarray:
    """Right names at these places, in [0, 1), of their law."""
    law = hits_law(table, log_odds).cumsum()
    return table.least + np.searchsorted(law[:-1], places, side="right")


def _nested(
    hits: np.ndarray, size: int, sizes: Sequence[int], rng: np.random.Generator
) -> Iterator[tuple[int, np.ndarray]]:
    """Hits among the first of ``size`` people in random order, for each of the falling sizes."""
    for n in sizes:
        hits = rng.hypergeometric(hits, size - hits, min(n, size))
        size = min(n, size)
        yield n, hits


def _best(
    top: np.ndarray,
    people: int,
    inside: int,
    sizes: Sequence[int],
    fixed: bool,
    rng: np.random.Generator,
) -> np.ndarray:
    """The largest promise of all cuts of scores that tell nothing, from their hits in one half."""
    best, named = np.full(top.shape, -np.inf), sizes[0]
    bottom = _nested(inside - top, people - named, sizes, rng)
    for (n, hits), (m, others) in zip(_nested(top, named, sizes, rng), bottom, strict=True):
        best = np.maximum(best, promises(hits, n, people, inside))
        if not fixed:
            m = n + min(m, people - named)
            best = np.maximum(best, promises(hits, n, m, hits + others))
    return best


def in_words(limits: pd.DataFrame, request: Request) -> str:
    """What can be certified, and what will be found, as lines for a terminal."""
    rounded = {name: limits[name].map("{:.2f}".format) for name in ("ceiling", "smallest leak")}
    names = (
        f"if one score names {max(_FEW):.0%} of a group"
        if request.mode == "release"
        else "if one score is high for half of a group"
    )
    return (
        "Before it runs: the highest epsilon that can be certified, and the log odds ratio of right"
        f" names that is found with probability {POWER:g} {names} and the others tell nothing.\n"
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
    # who ties is named by place, and the file may hold the people inside first
    order = stream(request.seed, "certificate order").permutation(len(table.frame))
    rows = []
    for name, mask in table.members.items():
        who = order[mask[order]]
        if others:
            worth = [promise(_guesses(cut, pilot, who)) for cut in possible]
            tried = [possible[int(np.argmax(worth))]]
        else:
            tried = _tried([*pilot[0]], delta)
        share = _share(level, len(tried))
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


def _tried(scores: Sequence[str], delta: float) -> list[Cut]:
    """The cuts that a finished release is tried with."""
    possible = cuts([*scores], fixed=delta > 0)
    return [cut for cut in possible if cut.inside in _FEW and cut.outside is None]


def _share(level: float, tried: int) -> float:
    """The level of each of the cuts that are tried, so that all limits hold together."""
    return 1 - (1 - level) / tried


def _halves(request: Request, table: Table, curator: Curator | None) -> Iterator[Half]:
    """The halves of the audit, so that a curator's releases of them are made once."""
    for release, inside in released_halves(request, table, curator):
        yield membership_scores(release, table.frame), inside


def _guesses(cut: Cut, half: Half, who: np.ndarray) -> Guesses:
    """What the names of a group come to."""
    scores, inside = half
    return cut.guesses(scores[cut.score][who], inside[who])
