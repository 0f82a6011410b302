"""Who was in a release? Scores of everybody, and names taken from the top of a score.

A certificate (:mod:`lib.dp.certificate`) needs people who are named as inside and as outside. A
score is any function of the release and of everybody's records; the higher, the more the release
looks as if the person were in it.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from lib import validate
from lib.dp.certificate import Guesses

_PAIRS = 4e9  # records of people times rows of a release times values, for `nearest`
_BLOCK = 2**26  # entries of one block of its product
SCORES = ("rare", "surprising", "nearest", "tracer")


def membership_scores(release: pd.DataFrame, population: pd.DataFrame) -> dict[str, np.ndarray]:
    """Scores of everybody in ``population``, shape (n,) each, from a release with its columns.

    Returns
    -------
    dict
        ``rare``: the number of released rows equal to the person's record, divided by the number
        of people with this record. ``surprising``: if such a row was released, the sum of
        ``-log2`` of the shares of its values; else 0. ``nearest``: this sum over the values that
        one released row has in common with the person, at most; left out where people times rows
        are too many. ``tracer``: how much more frequent the person's pairs of values are in the
        release, as in :class:`~lib.coherence.learners.Tracer`. But a pair of columns weighs by the
        inverse square of the mean of ``(here - there)^2 / there`` over its cells, with ``here``
        the count in the release, scaled to everybody, and ``there`` the count among everybody. The
        mean is about 1 for a random half, so what the release did not keep counts little.

    Examples
    --------
    >>> people = pd.DataFrame({"age": [20, 30, 40, 40], "sex": list("fmfm")})
    >>> membership_scores(people[:1], people)["rare"].tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    codes, n = _codes(release, population), len(population)
    records, row, people, rows = _records(codes, n)
    copies = rows[row[:n]]
    surprise = np.stack([_surprise(column, people) for column in records.T], axis=1)
    alike = np.where(rows > 0, surprise.sum(axis=1), 0.0)
    scores = {"rare": copies / people[row[:n]], "surprising": alike[row[:n]]}
    if _few(codes, people, rows):
        scores["nearest"] = _nearest(records, surprise, rows > 0)[row[:n]]
    return scores | {"tracer": _tracer(codes[:n], codes[n:])}


def _records(codes: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Distinct records, which one each row is, and how many of the first n and of the others."""
    records, row = np.unique(codes, axis=0, return_inverse=True)
    row = row.ravel()
    people, rows = (np.bincount(part, minlength=len(records)) for part in (row[:n], row[n:]))
    return records, row, people, rows


def _few(codes: np.ndarray, people: np.ndarray, rows: np.ndarray) -> bool:
    """Whether the nearest record of each can be found within :data:`_PAIRS` comparisons."""
    values = int(sum(codes.max(axis=0) + 1))
    return bool((people > 0).sum() * (rows > 0).sum() * values <= _PAIRS)


def _codes(release: pd.DataFrame, population: pd.DataFrame) -> np.ndarray:
    """Codes of all values, those of the population first, shape (n + rows, columns)."""
    validate.table("release", release)
    columns = list(validate.table("population", population).columns)
    for name in columns:
        validate.choice("column of the release", name, release.columns)
    validate.require(len(release) > 0, "release", "of at least 1 row", "none")
    people = f"{len(population)} of {len(columns)}"
    validate.require(population.size > 0, "population", "of at least 1 row and column", people)
    both = pd.concat([population, release[columns]], ignore_index=True)
    return np.stack([pd.factorize(both[c], use_na_sentinel=False)[0] for c in columns], axis=1)


def _surprise(column: np.ndarray, people: np.ndarray) -> np.ndarray:
    """The surprise of each record's value of a column, ``-log2`` of its share of the people.

    In whole eighths of a bit, so that sums are exact; a value that nobody has counts as if one
    person had it.
    """
    share = np.bincount(column, people) / people.sum()
    return np.round(-8 * np.log2(np.maximum(share, 1 / people.sum())))[column]


def _nearest(records: np.ndarray, surprise: np.ndarray, released: np.ndarray) -> np.ndarray:
    """For each record, the largest surprise that it shares with one that was released."""
    shared = np.hstack(
        [
            np.eye(column.max() + 1, dtype=np.float32)[column] * own[:, None].astype(np.float32)
            for column, own in zip(records.T, surprise.T, strict=True)
        ]
    )
    rows = (shared[released] > 0).astype(np.float32).T
    step = max(1, _BLOCK // rows.shape[1])
    blocks = (shared[i : i + step] @ rows for i in range(0, len(shared), step))
    return np.concatenate([block.max(axis=1) for block in blocks]).astype(float)


def _tracer(population: np.ndarray, release: np.ndarray) -> np.ndarray:
    score, weights = np.zeros(len(population)), 0.0
    columns = range(population.shape[1])
    for pair in combinations(columns, min(2, len(columns))):
        widths = 1 + np.maximum(population[:, pair].max(axis=0), release[:, pair].max(axis=0))
        cells = [np.ravel_multi_index(part[:, pair].T, widths) for part in (population, release)]
        there, here = (np.bincount(cell, minlength=int(widths.prod())) for cell in cells)
        excess, filled = here * (len(population) / len(release)) - there, there > 0
        weight = max(1.0, float(np.mean(excess[filled] ** 2 / there[filled]))) ** -2
        score += weight * (excess / np.maximum(there, 1))[cells[0]]
        weights += weight
    return np.round(score / weights, 9)  # equal sums in another order stay equal


def named_of(share: float, people: int) -> int:
    """How many people of a group are named for this share, if nobody ties."""
    return max(1, round(share * people))


def guesses(score: np.ndarray, inside: np.ndarray, share: float, *, fixed: bool = False) -> Guesses:
    """How many of the people with the highest scores were inside.

    ``score`` and ``inside`` have shape (m,).

    This ``share`` is named as inside, with all whose score ties with the last of them, and all
    others as outside. ``fixed`` names exactly the share, and the first of those that tie.

    Examples
    --------
    >>> guesses(np.array([3.0, 2, 1, 0]), np.array([True, False, True, False]), 0.25)
    Guesses(named=1, hits=1, people=4, inside=2)
    """
    most = named_of(validate.fraction("share", share), score.size)
    if fixed:
        top = np.zeros(score.size, dtype=bool)
        top[np.argsort(-score, kind="stable")[:most]] = True
    else:
        top = score >= np.partition(score, -most)[-most]
    return Guesses(
        named=int(top.sum()),
        hits=int(inside[top].sum()),
        people=score.size,
        inside=int(inside.sum()),
    )
