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

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from lib.audit.marginals import WIDTHS, Codes, Side
from lib.audit.reading import TARGET
from lib.audit.release import Curator, Release
from lib.audit.request import LEAST_SHOWN, Request
from lib.audit.schema import Column, as_floats, typed_column
from lib.audit.table import Table, first_half, in_order, released_groups, weights_of
from lib.coherence.learners import BATTERY
from lib.groups import EVERYONE
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
        if self.fresh == self.fresh:
            words.append(f"People who were left out have {self.fresh:.0%}.")
        if len(ranked):
            least = ranked.iloc[0]
            words.append(f"Least is left in {least['group']}: {least['left']:.0%}.")
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
        words.append(self.weighted)
        if self.releases > 1:
            words.append(f"This is the first of {self.releases} releases.")
        return " ".join(filter(None, words))

    @property
    def table(self) -> pd.DataFrame:
        """One row a group for a person: people, released rows, errors, what is left, both AUCs."""
        names = {"people": "people behind it", "rows": "released rows"}
        names |= {f"tv{k}": f"{k} column{'s' * (k > 1)}" for k in WIDTHS}
        names |= {"auc": "AUC from the release", "auc_real": "AUC from the people"}
        return in_order(self.groups).rename(columns=names)

    @property
    def means_table(self) -> pd.DataFrame:
        """One row a number and group for a person: both means, and whether the interval holds."""
        names = {
            "people": "mean of the people",
            "mean": "mean of the release",
            "low": "95% low",
            "high": "95% high",
            "holds": "in the interval",
        }
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
        few = table.inside.sum() < request.least_shown
        return None if few else (table.release, table.inside)
    if curator is None:
        return None
    half, inside, rng = first_half(request, table, 0)
    few = inside.sum() < request.least_shown
    return None if few else (curator.release(half, rng), inside)


def utility(request: Request, table: Table, release: Release, inside: np.ndarray) -> Utility:
    """What ``release`` keeps of the people ``inside``, a mask of the table's rows, shape (n,)."""
    rng = stream(request.seed, "audit utility")
    compared, of = _compared(request, table, rng)
    pool, rows, weight = table.raw, release.raw, table.weight
    absent = tuple(column.name for column in compared if column.name not in rows)
    even = {name: _evenly(pool[name], len(rows), rng) for name in pool}
    noise = pd.DataFrame(even, index=rows.index)
    ours = {
        name: who[inside]
        for name, who in table.members.items()
        if (who & inside).sum() >= request.least_shown
    }
    theirs = released_groups(request, table, rows)
    ones, column, weighted = np.ones(len(rows)), request.weights, ""
    made = weights_of(rows, column, "the release") if column in rows else ones
    if column is not None:
        weighted = f"Counts, means and AUCs are weighted by {column}, "
        weighted += (
            "on both sides."
            if column in rows
            else "which the release does not have: its rows count once each."
        )
    behind, codes = Side(pool[inside], ours, weight[inside]), Codes(compared, pool)
    errors = codes.errors(behind, Side(rows.assign(**noise[list(absent)]), theirs, made))
    worst = codes.errors(behind, Side(noise, released_groups(request, table, noise), ones))
    aucs = _aucs(request, table, release, inside, weight[~inside])
    sizes = {name: (int(who.sum()), int(theirs[name].sum())) for name, who in ours.items()}
    groups = pd.DataFrame.from_dict(sizes, "index", columns=["people", "rows"])
    groups = groups.join(errors).assign(left=_left(errors, worst), **aucs)
    fresh = np.nan
    if (~inside).sum() >= LEAST_SHOWN:
        out = Side(pool[~inside], {EVERYONE: np.ones((~inside).sum(), dtype=bool)}, weight[~inside])
        apart = codes.errors(behind._replace(groups={EVERYONE: ours[EVERYONE]}), out)
        fresh = float(_left(apart, worst)[EVERYONE])
    return Utility(
        groups=groups.rename_axis("group").reset_index(),
        means=_means(compared, behind, Side(rows, theirs, made), request.least_shown),
        columns=tuple(column.name for column in compared),
        absent=absent,
        of=of,
        fresh=fresh,
        hidden=len(table.members) - len(ours),
        releases=request.releases,
        weighted=weighted,
    )


def _compared(request: Request, table: Table, rng: np.random.Generator) -> tuple[list[Column], int]:
    """The sensitive column and others of the file, whatever the lens; and how many there are."""
    own = table.schema.sensitive
    others = [
        typed_column(table.raw[name], request.columns.get(name), name in request.lens)
        for name in table.raw.columns.drop([own, *request.special.values()])
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
    out, found = table.frame[~inside], {}
    for name, rows in (("auc", release.table), ("auc_real", table.frame[inside])):
        rng = stream(request.seed, "audit utility learner")
        h = BATTERY[LEARNER](rows, TARGET, table.lens, rng)(out[list(table.lens)])
        aucs = {}
        for group, who in table.members.items():
            y, own, w = (v[who[~inside]] for v in (out[TARGET].to_numpy(), h, weight))
            # of one person with an answer, the AUC would be that person's rank
            if LEAST_SHOWN <= y.sum() <= y.size - LEAST_SHOWN:
                aucs[group] = roc_auc_score(y, own, sample_weight=w)
        found[name] = pd.Series(aucs, dtype=float)
    return found


def _means(compared: list[Column], people: Side, released: Side, least: int) -> pd.DataFrame:
    """Means of numbers in groups with ``least`` known values, of people and of rows."""
    found = []
    for column in compared:
        if column.kind != "number" or column.name not in released.rows:
            continue
        cells = [(side, as_floats(side.rows[column.name])) for side in (people, released)]
        for name in people.groups:
            own, made = (_known(*side.of(name, values.to_numpy())) for side, values in cells)
            if min(own[0].size, made[0].size) >= max(least, 1):
                mean, *_ = _weighted_mean(*own)
                ends = _weighted_mean(*made)
                found.append((column.name, name, mean, *ends, ends[1] <= mean <= ends[2]))
    columns = ["column", "group", "people", "mean", "low", "high", "holds"]
    return pd.DataFrame(found, columns=columns)


def _known(values: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    finite = np.isfinite(values)
    return values[finite], weight[finite]


def _weighted_mean(values: np.ndarray, weight: np.ndarray) -> tuple[float, float, float]:
    """The weighted mean and its 95% t interval, by linearisation."""
    mean = np.average(values, weights=weight)
    return mean_interval(mean + weight / weight.mean() * (values - mean))


def records(frame: pd.DataFrame) -> list[dict]:
    """The rows in the types of JSON, NaN as null."""
    return frame.astype(object).where(frame.notna(), None).to_dict("records")
