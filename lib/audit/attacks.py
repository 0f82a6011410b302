"""Attacks on the people behind a release and, as a control, on people left out, by group.

Four attackers, of whom three are Giomi et al.'s (2023, "A unified framework for quantifying privacy
risk in synthetic data", their package is Anonymeter):

- *inference*: knows a person's record but for the sensitive answer, and takes that of the nearest
  released row;
- *linkability*: knows half of the columns from one source and half from another, and links the two
  where one released row is the nearest to both;
- *singling out*: finds three values that one released row has alone, and hopes that one person
  has them alone;
- *tracing*: names those of whose pairs of values the release has more (Homer et al. 2008; what a
  synthesizer that keeps marginals cannot hide).

Near is in Gower's distance: a number differs by its share of the range, a category by one. People
left out are like those inside in all but being inside, so the difference is the release's doing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import norm

from lib.audit.reading import TARGET
from lib.audit.release import Release
from lib.audit.request import Request
from lib.audit.table import Table, in_order, released_groups
from lib.coherence.naming import tracer_score
from lib.rng import stream

ATTACKED = 500  # people of a group on each side, and released rows of a group
_CELLS = 2e9  # people times released rows times columns
_BLOCK = 2**22  # distances that are held at a time
WIDTH = 3  # columns in which a row is alone
_SETS = 50  # of columns, drawn of all


@dataclass(frozen=True)
class Attacks:
    """How often each attack is right.

    Parameters
    ----------
    rows : DataFrame
        ``group, attack, tried, inside`` (share of these that is right), ``tried_out, outside``, and
        the ``excess`` of inside over outside with its interval ``low, high``.
    level : float
        Of all intervals together.
    """

    rows: pd.DataFrame
    level: float

    @property
    def words(self) -> str:
        """Who is hit, or what is ruled out."""
        rows, hit = self.rows, self.rows[self.rows["low"] > 0]
        largest = rows[rows["group"] == rows.loc[rows["tried"].idxmax(), "group"]]
        if hit.empty:
            said = (
                f"Attacks: in none of {len(rows)} pairs of attack and group are people inside hit"
                " more often than people left out, beyond chance. For the largest group, an"
                f" excess of more than {largest['high'].max():.0%} is ruled out."
            )
        else:
            worst = hit.loc[hit["excess"].idxmax()]
            said = (
                f"Attacks: in {len(hit)} of {len(rows)} pairs of attack and group people inside are"
                f" hit more often than people left out, beyond chance. Most: {worst.attack} in"
                f" {worst.group}, right for {worst.inside:.0%} of the people inside and"
                f" {worst.outside:.0%} of the others."
            )
        return said + f" Intervals hold together with {self.level:.0%} confidence."

    @property
    def table(self) -> pd.DataFrame:
        """One row a group for a person: each attack's shares, and the interval of the excess."""
        rows = self.rows
        said = [
            f"{_percent(r.inside)} : {_percent(r.outside)}"
            f" [{100 * r.low:+.1f}, {100 * r.high:+.1f}]"
            for r in rows.itertuples()
        ]
        wide = rows.assign(said=said).pivot(index="group", columns="attack", values="said")
        shown = wide[list(dict.fromkeys(rows["attack"]))].rename_axis(columns=None).fillna("–")
        return in_order(shown.reset_index())


class Hits(NamedTuple):
    """Who was guessed rightly, their weights, and their clusters; each of shape (m,)."""

    right: np.ndarray
    weight: np.ndarray
    unit: np.ndarray

    @property
    def share(self) -> tuple[float, float]:
        """The weighted share that is right, and of how many people of equal weight it would be
        as uncertain, if the members of a cluster are right or wrong together (Kish 1965).
        """
        mass = np.bincount(np.unique(self.unit, return_inverse=True)[1], self.weight)
        return float(np.average(self.right, weights=self.weight)), mass.sum() ** 2 / (mass @ mass)

    def wilson(self, level: float) -> tuple[float, float, float]:
        """The share with Wilson's interval."""
        share, n = self.share
        z2 = norm.ppf((1 + level) / 2) ** 2
        half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n**2)))
        low, high = ((share + z2 / (2 * n) + s * half) / (1 + z2 / n) for s in (-1, 1))
        return share, low, high


def attacks(request: Request, table: Table, release: Release, inside: np.ndarray) -> Attacks | None:
    """Attack the people ``inside``, a mask of the table's rows, shape (n,), and the others.

    Groups of fewer than :data:`~lib.audit.request.LEAST_SHOWN` people on a side are left out
    unless small groups are to be shown; None if no group is left. Shares of people have the weights
    of the table, and intervals take the members of a cluster as right or wrong together.
    """
    rng, lens, sides = stream(request.seed, "audit attacks"), list(table.lens), (inside, ~inside)
    least = max(1, request.least_shown)
    enough = {
        name: who
        for name, who in table.members.items()
        if min((who & side).sum() for side in sides) >= least
    }
    if not enough:
        return None
    work = 2 * len(enough) * len(release.table) * max(1, len(lens))
    most = int(np.clip(_CELLS / work, least, ATTACKED))
    targets = {
        name: [_some(who & side, most, rng) for side in sides] for name, who in enough.items()
    }
    weight = table.weight
    asked = np.unique(np.concatenate([own for people in targets.values() for own in people]))
    right = _right(table.frame, release.table, lens, asked)
    named = tracer_score(release.table[table.frame.columns], table.frame)
    theirs = released_groups(request, table, release.raw)
    # as many on each side, or it would be easier to be alone on one
    few = min(side.sum() for side in sides)
    equal = [table.frame[lens].iloc[_some(side, few, rng)] for side in sides]
    tried, alone = singled_out(equal, release.table[lens], rng)
    hits: dict[tuple[str, str], list[Hits]] = {}
    unit = np.arange(len(named)) if table.design.cluster is None else table.design.cluster
    for group, people in targets.items():
        right["tracing"] = named > np.median(named[np.concatenate(people)])
        for attack, which in right.items():
            hits[group, attack] = [Hits(which[own], weight[own], unit[own]) for own in people]
        drawn = _some(theirs[group] & tried, most, rng)
        if drawn.size >= least:
            own = [Hits(of, np.ones(drawn.size), drawn) for of in alone[drawn].T]
            hits[group, "singling out"] = own
    each = 1 - request.false_alarm / len(hits)
    found = [(*names, *_compared(one, other, each)) for names, (one, other) in hits.items()]
    columns = ["group", "attack", "tried", "inside", "tried_out", "outside"]
    frame = pd.DataFrame(found, columns=[*columns, "excess", "low", "high"])
    return Attacks(frame, 1 - request.false_alarm)


def _percent(share: float) -> str:
    return f"{100 * share:.1f}".removesuffix(".0")


def _some(which: np.ndarray, most: int, rng: np.random.Generator) -> np.ndarray:
    """At most so many of the rows of a mask."""
    return np.sort(rng.permutation(np.flatnonzero(which))[:most])


def _right(
    people: pd.DataFrame, rows: pd.DataFrame, lens: list[str], asked: np.ndarray
) -> dict[str, np.ndarray]:
    """For whom of those ``asked`` inference and linkability are right; for others it means nothing.

    Each of shape (n,).
    """
    found, answers = {}, rows[TARGET].to_numpy()

    def closest(columns: list[str]) -> np.ndarray:
        row = np.zeros(len(people), dtype=int)
        row[asked] = nearest(people[columns].iloc[asked], rows[columns])
        return row

    if lens:
        found["inference"] = answers[closest(lens)] == people[TARGET].to_numpy()
    if len(lens) > 1:
        # both halves get columns of many values
        ranked = sorted(lens, key=lambda name: -people[name].nunique())
        found["linkability"] = closest(ranked[::2]) == closest(ranked[1::2])
    return found


def nearest(people: pd.DataFrame, rows: pd.DataFrame) -> np.ndarray:
    """The first of the rows nearest to each of the people, shape (n,), in Gower's distance.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [20.0, 61], "sex": ["f", "m"]})
    >>> nearest(people, pd.DataFrame({"age": [25.0, 60, 40], "sex": ["m", "m", "f"]})).tolist()
    [2, 1]
    """
    both = pd.concat([people, rows[people.columns]], ignore_index=True)
    numbers = [pd.api.types.is_numeric_dtype(both[name]) for name in both]
    cells = [
        both[name] if number else pd.factorize(both[name], use_na_sentinel=False)[0]
        for name, number in zip(both, numbers, strict=True)
    ]
    codes = np.stack(cells, axis=1).astype(float)
    ranges = np.where(numbers, np.ptp(codes, axis=0), 1.0)
    ranges[ranges == 0] = 1
    own, which = np.unique(codes[: len(people)], axis=0, return_inverse=True)
    made = codes[len(people) :]
    first = np.sort(np.unique(made, axis=0, return_index=True)[1])
    step = max(1, _BLOCK // len(first))
    found = []
    for start in range(0, len(own), step):
        block = own[start : start + step]
        far = np.zeros((len(block), len(first)))
        for j, number in enumerate(numbers):
            one, other = block[:, j, None], made[first, j]
            far += np.abs(one - other) / ranges[j] if number else one != other
        found.append(np.round(far, 9).argmin(axis=1))  # ties are ties on every machine
    return first[np.concatenate(found)[which]]


def singled_out(
    sides: Sequence[pd.DataFrame], rows: pd.DataFrame, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Is what one released row alone has, in a few columns, what one person alone has?

    Returns
    -------
    tried : array of bool, shape (rows,)
        Whether some columns were found in which the row is alone; the first of a random order.
    hits : array of bool, shape (rows, sides)
        Whether exactly one person of a side has the same values there.

    Examples
    --------
    >>> people = [pd.DataFrame({"age": [20, 30, 30]}), pd.DataFrame({"age": [30, 40, 40]})]
    >>> tried, hits = singled_out(people, pd.DataFrame({"age": [20, 30, 50, 50]}), stream(1))
    >>> tried.tolist(), hits[1].tolist()
    ([True, True, False, False], [False, True])
    """
    tried, hits = np.zeros(len(rows), dtype=bool), np.zeros((len(rows), len(sides)), dtype=bool)
    both = pd.concat([*sides, rows], ignore_index=True)
    ends = np.cumsum([len(side) for side in sides])
    widths = list(combinations(rows.columns, min(WIDTH, rows.shape[1])))
    for i in rng.permutation(len(widths))[:_SETS]:
        cell = both.groupby(list(widths[i]), sort=False, dropna=False, observed=True).ngroup()
        parts = np.split(cell.to_numpy(), ends)
        counts = [np.bincount(part, minlength=cell.max() + 1)[parts[-1]] for part in parts]
        new = (counts[-1] == 1) & ~tried
        hits[new] = np.stack(counts[:-1], axis=1)[new] == 1
        tried |= new
    return tried, hits


def _compared(
    inside: Hits, outside: Hits, level: float
) -> tuple[int, float, int, float, float, float, float]:
    """Sizes, shares, and their difference with Newcombe's (1998) interval, his method 10."""
    (one, one_low, one_high), (two, two_low, two_high) = inside.wilson(level), outside.wilson(level)
    excess = one - two
    low = float(excess - np.hypot(one - one_low, two_high - two))
    high = float(excess + np.hypot(one_high - one, two - two_low))
    return inside.right.size, one, outside.right.size, two, excess, low, high
