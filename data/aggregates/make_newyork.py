"""Draw New York's stand-in from the published aggregates beside this file.

One row a person of the paper's Table 3. What is *published*
and met to the unit: the counts of SEX x RAC1P; and, in the 94 cells of SEX x
DIS x NATIVITY x RAC1P x AGEP (five bins) of more than 197 people, how many
answered each of four questions and the sum of their answers.

What is *assumed*: the cells that were not published follow from the published
one- and two-way tables by iterative proportional fitting, with the mean of
their age and race; who answered one question is nested in who answered a more
common one; inside a cell SCHL, WKHP and JWMNP follow a beta law on the
published range and PINCP a lognormal law, each with one dispersion for all
cells that gives the published standard deviation; attributes beyond the cell
carry no information.

``python data/aggregates/make_newyork.py`` writes the table that
:func:`studies.data.newyork.load_newyork` reads.
"""

from __future__ import annotations

import gzip
from itertools import combinations, product

import numpy as np
import pandas as pd

from lib.rng import stream
from studies.data.newyork import STAND_IN
from studies.data.newyork_aggregates import (
    ATTRIBUTES,
    GROUPS,
    ROWS,
    VARIABLES,
    crossing,
    published_cells,
)

LEVELS = ((1, 2), (1, 2), (1, 2), range(1, 10), range(5))  # the codes of each attribute
SEED = 20180101


# --- cells: published where they are, fitted where not
# ---------------------------------------------------------------


def fitted_cells() -> pd.DataFrame:
    """All 360 cells: ``people``, ``n_<variable>``, ``sum_<variable>``, ``published``; counts of
    Table 3 are exact.
    """
    every = pd.DataFrame(list(product(*LEVELS)), columns=list(ATTRIBUTES))
    known = crossing(published_cells(), *ATTRIBUTES)
    cells = every.merge(known.reset_index(), how="left", on=list(ATTRIBUTES))
    cells["published"] = cells["n_SCHL"].notna()
    cells = cells.fillna(0)
    _fit_counts(cells)
    _fit_answers(cells)
    return cells.astype({c: np.int64 for c in cells if c not in ("published",)})


def _round(x: np.ndarray, total: int) -> np.ndarray:
    """Whole numbers near ``x`` that add up to ``total`` (largest remainders)."""
    x = x * (total / x.sum()) if x.sum() > 0 else x
    whole = np.floor(x).astype(np.int64)
    whole[np.argsort(whole - x, kind="stable")[: int(total - whole.sum())]] += 1
    return whole


def _fit_counts(cells: pd.DataFrame) -> None:
    """People aged three and over of unpublished cells (proportional fitting), then the younger
    ones (Table 3).
    """
    aggregates, free = published_cells(), ~cells["published"].to_numpy()
    fit = free.astype(float)
    targets = []
    for pair in combinations(ATTRIBUTES, 2):
        left = crossing(aggregates, *pair)["n_SCHL"] - cells.groupby(list(pair))["n_SCHL"].sum()
        found, every = pd.factorize(pd.MultiIndex.from_frame(cells[list(pair)]))
        targets.append((found, left.reindex(every).to_numpy()))
    for _ in range(200):
        for index, target in targets:
            have = np.bincount(index, fit, minlength=len(target))
            with np.errstate(divide="ignore", invalid="ignore"):
                factor = np.where(
                    np.isnan(target) | (have == 0), 1.0, np.clip(target, 0, None) / have
                )
            fit = fit * factor[index]
    people = cells["n_SCHL"].to_numpy() + 0.0
    sex_race = crossing(aggregates, "SEX", "RAC1P")["n_SCHL"]
    cells["people"] = 0
    for (sex, race), total in GROUPS.items():
        own = ((cells["SEX"] == sex) & (cells["RAC1P"] == race)).to_numpy()
        older = int(sex_race.get((sex, race), round(total * VARIABLES["SCHL"].n / ROWS)))
        people[own & free] = _round(fit[own & free], max(0, older - int(people[own & ~free].sum())))
        young = own & (cells["AGEP"] == 0).to_numpy()
        cells.loc[own, "people"] = people[own].astype(np.int64)
        weight = people[young] if people[young].sum() else np.ones(young.sum())
        cells.loc[young, "people"] += _round(weight, int(total - people[own].sum()))
    cells.loc[free, "n_SCHL"] = people[free]


def _fit_answers(cells: pd.DataFrame) -> None:
    """Answers and sums of unpublished cells: the rate and mean of their race and age, or age."""
    aggregates, published, free = published_cells(), cells[cells["published"]], ~cells["published"]
    people, keys = cells.loc[free, "n_SCHL"], cells.loc[free, ["RAC1P", "AGEP"]]
    for name, variable in VARIABLES.items():
        answers, rates = [f"n_{name}", f"sum_{name}"], []
        for by in (["RAC1P", "AGEP"], ["AGEP"]):
            left = crossing(aggregates, *by)[answers] - published.groupby(by)[answers].sum()
            asked = people.groupby([keys[column] for column in by]).transform("sum")
            found = keys.merge(left, how="left", left_on=by, right_index=True)[answers]
            rates.append(found.assign(asked=asked).to_numpy())
        own, by_age = rates
        fine = (own[:, 0] >= 20) & (own[:, 2] > 0)
        n, total, asked = np.where(fine, own.T, by_age.T)
        if name != "SCHL":
            cells.loc[free, f"n_{name}"] = np.rint(np.minimum(1.0, n / asked) * people)
        mean = np.clip(total / n, max(variable.low, 1), variable.high)
        cells.loc[free, f"sum_{name}"] = np.rint(cells.loc[free, f"n_{name}"] * mean)


# --- people
# ----------------------------------------------------------------------


def draw_people(cells: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """One row a person: each cell's counts and sums are met exactly."""
    rows = cells.loc[cells.index.repeat(cells["people"])]
    place = rows.groupby(level=0).cumcount().to_numpy()
    frame = rows[list(ATTRIBUTES)].reset_index(drop=True).astype(np.int8)
    for name in VARIABLES:
        answered = place < rows[f"n_{name}"].to_numpy()
        column = np.full(len(rows), np.nan)
        column[answered] = _answers(name, cells, rng)
        frame[name] = column
    return frame.iloc[rng.permutation(len(frame))].reset_index(drop=True)


def _answers(name: str, cells: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
    """Whole numbers, cell after cell, with the published spread and each cell's exact sum."""
    variable = VARIABLES[name]
    n, total = cells[f"n_{name}"].to_numpy(), cells[f"sum_{name}"].to_numpy()
    n, total = n[n > 0], total[n > 0]
    mean = np.repeat(total / n, n)
    between = np.average((total / n - total.sum() / n.sum()) ** 2, weights=n)
    within = variable.std**2 - between
    if name == "PINCP":
        shape2 = np.log1p(within / np.mean(mean**2))
        x = mean * np.exp(np.sqrt(shape2) * rng.standard_normal(mean.size) - shape2 / 2)
        low = 0
    else:
        low, width = variable.low, variable.high - variable.low
        p = (mean - low) / width
        p = np.clip(p, 1e-3, 1 - 1e-3)
        concentration = width**2 * np.mean(p * (1 - p)) / within - 1
        x = low + width * rng.beta(p * concentration, (1 - p) * concentration)
    x = np.clip(np.rint(x), low, variable.high)
    for part, goal in zip(np.split(x, np.cumsum(n)[:-1]), total, strict=True):
        _meet(part, int(goal), low, variable.high, rng)
    return x


def _meet(x: np.ndarray, goal: int, low: int, high: int, rng: np.random.Generator) -> None:
    """Move entries of ``x``, within [low, high], until they add up to ``goal``; in place."""
    while (gap := int(goal - x.sum())) != 0:
        free = np.flatnonzero(x < high if gap > 0 else x > low)
        if free.size == 0:
            raise ValueError(
                f"a sum of {goal} of {x.size} entries in [{low}, {high}] is not possible"
            )
        step = max(1, abs(gap) // free.size)
        moved = rng.permutation(free)[: max(1, abs(gap) // step)]
        x[moved] = np.clip(x[moved] + np.sign(gap) * step, low, high)


def as_file(people: pd.DataFrame) -> bytes:
    """The people as a compressed table, the same bytes each time."""
    text = people.astype("Int64").to_csv(index=False)
    return gzip.compress(text.encode(), mtime=0)


if __name__ == "__main__":
    people = draw_people(fitted_cells(), stream(SEED, "new york stand-in"))
    STAND_IN.write_bytes(as_file(people))
