"""What a release keeps of the table behind it, group by group: counts, means, and what is learnt.

A release of pure noise harms nobody and helps nobody, so the audit says both. Three measures:

- *Counts* of one to three columns: the total variation distance of the release from the people
  behind it. A number is cut at its deciles, a category keeps its twenty commonest values. Beside it
  stands the distance of as many rows whose values are drawn evenly from those of the file, and the
  share of that distance that the release does not have is what is *left*: 1 for the people
  themselves, 0 for even draws. A column that a release does not have counts as drawn evenly.
- *Means* of numbers: does the 95% interval that the released rows give hold the people's mean?
- *Learning*: the AUC, on people left out, of a learner trained on the release, and on the people.

Where people have weights, counts, means and AUCs have them, too, and so have released rows with
that column. Learners do not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from lib.audit.marginals import WIDTHS, Codes, Weights
from lib.audit.reading import TARGET
from lib.audit.release import Curator, Release
from lib.audit.request import LEAST_SHOWN, Request
from lib.audit.schema import Column, as_floats, typed_column
from lib.audit.table import Table, released_groups, weights_of
from lib.coherence.experiment import halves
from lib.coherence.learners import BATTERY
from lib.groups import EVERYONE, bands_in_order
from lib.rng import stream
from lib.stats.summary import mean_interval

MOST_COLUMNS = 8  # compared; of more, so many are drawn, always with the sensitive one
LEARNER = "forest, leaves of 20"


@dataclass(frozen=True, kw_only=True)
class Utility:
    """What a release keeps.

    Parameters
    ----------
    groups : DataFrame
        ``group, people, rows`` (released ones), ``tv1, tv2, tv3`` (mean total variation of counts
        of so many columns, 0 to 1), ``left``, ``auc`` and ``auc_real``; NaN where there is none.
    means : DataFrame
        ``column, group, people`` (their mean), ``mean, low, high`` (of released rows), ``holds``.
    columns, absent : tuple of str
        Those compared, and those among them that the release does not have.
    of : int
        Columns of the file that could be compared.
    fresh : float
        What is left in the people left out, as if they were a release; NaN for a few people.
    hidden : int
        Groups with too few people behind the release to be shown.
    releases : int
        Those of which this is the first.
    weighted : str
        What is weighted by which column, in words; empty without weights.
    """

    groups: pd.DataFrame
    means: pd.DataFrame
    columns: tuple[str, ...]
    absent: tuple[str, ...]
    of: int
    fresh: float
    hidden: int
    releases: int
    weighted: str

    @property
    def everyone(self) -> pd.Series:
        """The row of everybody."""
        return self.groups.set_index("group").loc[EVERYONE]

    @property
    def words(self) -> str:
        """The answer, how much of the information is left, and what it was asked of."""
        known = self.groups.dropna(subset="left")
        own, ranked = self.everyone, known.sort_values("left", kind="stable")
        words = [
            f"Utility: {own['left']:.0%} of the table's information in counts of one to three"
            " columns is left, where even draws of values have 0% and the people themselves 100%."
        ]
        words += [f"People who were left out have {x:.0%}." for x in [self.fresh] if x == x]
        words += [f"Least is left in {r.group}: {r.left:.0%}." for r in ranked[:1].itertuples()]
        if own["auc"] == own["auc"]:
            words.append(
                f"A learner of the release ranks people left out with an AUC of {own['auc']:.2f},"
                f" a learner of the people with {own['auc_real']:.2f} (0.5 is guessing)."
            )
        if len(self.means):
            words.append(
                f"{self.means['holds'].sum()} of {len(self.means)} means of numbers lie in the 95%"
                " interval that the released rows give."
            )
        if self.absent:
            lacking = ", ".join(self.absent)
            words.append(f"Columns that the release does not have count as even draws: {lacking}.")
        if self.of > len(self.columns):
            words.append(f"{len(self.columns)} of {self.of} columns are compared, drawn by chance.")
        words += [self.weighted] if self.weighted else []
        words += [f"This is the first of {self.releases} releases."] * (self.releases > 1)
        return " ".join(words)

    @property
    def table(self) -> pd.DataFrame:
        """One row a group for a person: people, released rows, errors, what is left, both AUCs."""
        names = {"people": "people behind it", "rows": "released rows"}
        names |= {f"tv{k}": f"{k} column{'s' * (k > 1)}" for k in WIDTHS}
        names |= {"auc": "AUC from the release", "auc_real": "AUC from the people"}
        rows = self.groups.set_index("group")
        return rows.loc[bands_in_order(rows.index)].reset_index().rename(columns=names)

    @property
    def means_table(self) -> pd.DataFrame:
        """One row a number and group for a person: both means, and whether the interval holds."""
        names = {"people": "mean of the people", "mean": "mean of the release"}
        names |= {"low": "95% low", "high": "95% high", "holds": "in the interval"}
        rows = self.means.assign(holds=np.where(self.means["holds"], "yes", "no"))
        return rows.rename(columns=names)

    @property
    def record(self) -> dict[str, object]:
        """All of it for JSON, NaN as null."""
        found = {"words": self.words} | vars(self) | {"groups": records(self.groups)}
        fresh = self.fresh if self.fresh == self.fresh else None
        return found | {"means": records(self.means), "fresh": fresh}


def first_release(
    request: Request, table: Table, curator: Curator | None
) -> tuple[Release, np.ndarray] | None:
    """The finished release or a curator's first, and who is inside.

    None in the clear, and for fewer than :data:`LEAST_SHOWN` people inside without ``show_small``.
    """
    if table.release is not None:
        few = table.inside.sum() < LEAST_SHOWN and not request.show_small
        return None if few else (table.release, table.inside)
    if curator is None:
        return None
    rng, n = stream(request.seed, "demcoh", 0), len(table.frame)
    half, _ = halves(n, rng, table.design.cluster)
    return curator.release(table.frame.iloc[half], rng), np.isin(np.arange(n), half)


def utility(request: Request, table: Table, release: Release, inside: np.ndarray) -> Utility:
    """What ``release`` keeps of the people ``inside``, a mask of the table's rows, shape (n,)."""
    rng = stream(request.seed, "audit utility")
    compared, of = _compared(request, table, rng)
    pool, rows, behind = table.raw, release.raw, table.raw[inside]
    absent = tuple(column.name for column in compared if column.name not in rows)
    even = {name: _evenly(pool[name], len(rows), rng) for name in pool}
    noise = pd.DataFrame(even, index=rows.index)
    filled = rows.assign(**noise[list(absent)])
    least = 0 if request.show_small else LEAST_SHOWN
    ours = {
        name: who[inside] for name, who in table.members.items() if (who & inside).sum() >= least
    }
    theirs = released_groups(request, table, rows)
    codes, column = Codes(compared, pool), request.weights
    weight, made = (np.ones(len(frame)) for frame in (pool, rows))
    weighted = ""
    if column is not None and table.design.weight is not None:
        weight, weighted = table.design.weight, f"Counts, means and AUCs are weighted by {column}"
        if column in rows:
            made, weighted = weights_of(rows, column, "the release"), f"{weighted}, on both sides."
        else:
            weighted += ", which the release does not have: its rows count once each."
    own = weight[inside]
    errors = codes.errors(behind, filled, ours, theirs, (own, made))
    even_groups = released_groups(request, table, noise)
    worst = codes.errors(behind, noise, ours, even_groups, (own, np.ones(len(noise))))
    aucs = _aucs(request, table, release, inside, weight[~inside])
    groups = errors.assign(left=_left(errors, worst), **aucs)
    groups.insert(0, "people", pd.Series({name: int(who.sum()) for name, who in ours.items()}))
    groups.insert(1, "rows", pd.Series({name: int(theirs[name].sum()) for name in ours}))
    fresh = np.nan
    if (~inside).sum() >= LEAST_SHOWN:
        ones, others = ({EVERYONE: np.ones(n, dtype=bool)} for n in (inside.sum(), (~inside).sum()))
        sides = own, weight[~inside]
        apart = codes.errors(behind, pool[~inside], ones, others, sides)
        fresh = float(_left(apart, worst)[EVERYONE])
    return Utility(
        groups=groups.rename_axis("group").reset_index(),
        means=_means(compared, (behind, rows), (ours, theirs), (own, made), least),
        columns=tuple(column.name for column in compared),
        absent=absent,
        of=of,
        fresh=fresh,
        hidden=len(table.members) - len(ours),
        releases=1 if request.mode == "release" else request.splits,
        weighted=weighted,
    )


def _compared(request: Request, table: Table, rng: np.random.Generator) -> tuple[list[Column], int]:
    """The sensitive column and others of the file, whatever the lens; and how many there are."""
    special = {request.cluster, request.weights, request.members and request.members[0]}
    own, kinds = table.schema.sensitive, request.columns
    others = [
        typed_column(table.raw[name], kinds.get(name), name in request.lens)
        for name in table.raw
        if name not in {*special, own}
    ]
    usable = [column for column in others if column.kind != "ignore"]
    drawn = rng.permutation(len(usable))[: MOST_COLUMNS - 1]
    chosen = [usable[i] for i in sorted(drawn)]
    return [typed_column(table.raw[own], "category"), *chosen], 1 + len(usable)


def _evenly(values: pd.Series, n: int, rng: np.random.Generator) -> np.ndarray:
    """``n`` draws from the different values of a column."""
    known = values.dropna().unique().astype(object)
    return rng.choice(known if len(known) else np.array([None]), n)


def _left(errors: pd.DataFrame, worst: pd.DataFrame) -> pd.Series:
    """The share of the distance of even draws that the release does not have, 0 to 1."""
    least, most = errors.mean(axis=1), worst.mean(axis=1)
    return (1 - least / most.where(most > 0)).clip(lower=0)


def _aucs(
    request: Request, table: Table, release: Release, inside: np.ndarray, weight: np.ndarray
) -> dict[str, pd.Series]:
    """The AUC of each group's people left out, of a learner of the release and of the people."""
    out, real = table.frame[~inside], table.frame[inside]
    answers, found = out[TARGET].to_numpy(), dict[str, dict[str, float]]()
    for name, rows in (("auc", release.table), ("auc_real", real)):
        rng = stream(request.seed, "audit utility learner")
        h = BATTERY[LEARNER](rows, TARGET, table.lens, rng)(out[list(table.lens)])
        found[name] = {}
        for group, who in table.members.items():
            y, own, w = (values[who[~inside]] for values in (answers, h, weight))
            # of one person with an answer, the AUC would be that person's rank
            enough = LEAST_SHOWN <= y.sum() <= y.size - LEAST_SHOWN
            found[name][group] = roc_auc_score(y, own, sample_weight=w) if enough else np.nan
    return {name: pd.Series(values) for name, values in found.items()}


def _means(
    compared: list[Column],
    frames: tuple[pd.DataFrame, pd.DataFrame],
    groups: tuple[Mapping[str, np.ndarray], Mapping[str, np.ndarray]],
    weights: Weights,
    least: int,
) -> pd.DataFrame:
    """Means of numbers in groups with ``least`` known values, of people and of rows."""
    found = []
    for column in compared:
        if column.kind != "number" or column.name not in frames[1]:
            continue
        sides = [as_floats(frame[column.name]).to_numpy() for frame in frames]
        known = [np.isfinite(values) for values in sides]
        for name in groups[0]:
            who = [group[name] & finite for group, finite in zip(groups, known, strict=True)]
            if min(mask.sum() for mask in who) >= max(least, 1):
                people, ends = (
                    _weighted_mean(values[mask], weight[mask])
                    for values, mask, weight in zip(sides, who, weights, strict=True)
                )
                holds = ends[1] <= people[0] <= ends[2]
                found.append((column.name, name, people[0], *ends, holds))
    columns = ["column", "group", "people", "mean", "low", "high", "holds"]
    return pd.DataFrame(found, columns=columns)


def _weighted_mean(values: np.ndarray, weight: np.ndarray) -> tuple[float, float, float]:
    """The weighted mean and its 95% t interval, by linearisation."""
    mean = np.average(values, weights=weight)
    return mean_interval(mean + weight / weight.mean() * (values - mean))


def records(frame: pd.DataFrame) -> list[dict]:
    """The rows in the types of JSON, NaN as null."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")
