"""Workloads of marginals, and how far a synthetic table is from a real one on them.

A marginal (Definition 13) counts the rows in each cell of the crossing of a few
columns. Three columns of twenty codes have 8,000 cells and a table of a
thousand rows fills at most a thousand of them, so the counts are kept as the
codes that occur and how often; the error over all three-way marginals is then
linear in the rows, whatever the sizes of the columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from lib import validate
from lib.domain import Domain
from lib.groups import masks

Columns = tuple[str, ...]
Workload = Mapping[Columns, float]
ABSENT = 2.0  # error of a group of which no synthetic row exists: the largest there is


def all_kway(domain: Domain, k: int = 3) -> dict[Columns, float]:
    """Every marginal of ``k`` columns of ``domain``, each with weight ``c_i = 1``.

    Examples
    --------
    >>> all_kway(Domain.of({"a": 2, "b": 3, "c": 2}), 2)
    {('a', 'b'): 1.0, ('a', 'c'): 1.0, ('b', 'c'): 1.0}
    """
    validate.integer("k", k, low=1, high=len(validate.instance("domain", domain, Domain)))
    return dict.fromkeys(combinations(domain.columns, k), 1.0)


def downward_closure(workload: Workload) -> tuple[Columns, ...]:
    """Every non-empty subset of a marginal in ``workload``, small ones first.

    The order of equally small ones is that of the columns in the workload, so it does not depend on
    the hash of a string.

    Examples
    --------
    >>> downward_closure({("a", "b"): 1.0, ("c",): 1.0})
    (('a',), ('b',), ('c',), ('a', 'b'))
    """
    columns = list(dict.fromkeys(c for s in workload for c in s))
    place = {column: i for i, column in enumerate(columns)}
    new = subsets = {tuple(sorted(map(place.__getitem__, s))) for s in workload if s}
    while new := {r for s in new for r in combinations(s, len(s) - 1) if r} - subsets:
        subsets = subsets | new
    ordered = sorted(sorted(subsets), key=len)
    return tuple(tuple(map(columns.__getitem__, r)) for r in ordered)


def megabytes(domain: Domain, marginals: Iterable[Sequence[str]]) -> float:
    """What ``marginals`` take in full, at 8 bytes a cell, in 2^20 bytes."""
    return sum(_cells(domain, validate.sequence("marginals", s)) for s in marginals) * 8 / 2**20


def _cells(domain: Domain, columns: Sequence[str]) -> int:
    return math.prod(domain[c] for c in columns)


def cell_codes(frame: pd.DataFrame, domain: Domain, columns: Sequence[str]) -> np.ndarray:
    """The number of each row's cell in the marginal on ``columns`` (C order), shape (n,)."""
    validate.table("frame", frame)
    columns = validate.names("columns", columns)
    validate.require(len(columns) > 0, "columns", "one or more", columns)
    shape = [domain[validate.choice("columns of frame", c, frame.columns)] for c in columns]
    codes = [validate.codes(c, frame[c], k) for c, k in zip(columns, shape, strict=True)]
    return np.ravel_multi_index(codes, shape)


def counts(frame: pd.DataFrame, domain: Domain, columns: Sequence[str]) -> np.ndarray:
    """The marginal ``M_S(D)`` of Definition 13 in full, shape ``(prod of sizes,)``.

    Examples
    --------
    >>> people, domain = pd.DataFrame({"a": [0, 1, 1], "b": [0, 0, 1]}), Domain.of({"a": 2, "b": 2})
    >>> counts(people, domain, ("a", "b")).tolist()
    [1.0, 0.0, 1.0, 1.0]
    """
    codes = cell_codes(frame, domain, columns)
    return np.bincount(codes, minlength=_cells(domain, columns)).astype(float)


def total_variation(real: np.ndarray, synthetic: np.ndarray, cells: int) -> float:
    """``||M(D) - M(D^)||_1 / |D|`` from the cell numbers of the rows of both.

    Rows of the synthetic table weigh ``|D| / |D^|`` each; with as many rows as
    the real one this is Definition 14's term. Twice the total variation
    distance, hence between 0 and 2.
    """
    validate.integer("cells", cells, low=1)
    real, synthetic = (
        validate.codes(name, found, cells)
        for name, found in (("real", real), ("synthetic", synthetic))
    )
    sizes = (real.size, synthetic.size)
    validate.require(min(sizes) > 0, "real and synthetic", "one row or more each", sizes)
    if cells <= 4 * sum(sizes):
        ours, theirs = (np.bincount(x, minlength=cells) / x.size for x in (real, synthetic))
        return float(np.abs(ours - theirs).sum())
    codes, place = np.unique(np.concatenate([real, synthetic]), return_inverse=True)
    weights = np.repeat([1 / real.size, -1 / synthetic.size], sizes)
    return float(np.abs(np.bincount(place, weights, minlength=len(codes))).sum())


def marginal_errors(
    real: pd.DataFrame, synthetic: pd.DataFrame, domain: Domain, workload: Workload
) -> pd.Series:
    """Per marginal of ``workload``: ``||M_S(D) - M_S(D^)||_1 / |D|``, not yet weighted.

    Parameters
    ----------
    real, synthetic : DataFrame of codes
        Both with the columns of ``domain``; any number of rows above 0.
    workload : mapping of tuples of columns to weights

    Raises
    ------
    ValueError
        For an empty table or workload, a negative weight, or codes out of ``domain``.

    Examples
    --------
    >>> real, domain = pd.DataFrame({"a": [0, 1], "b": [0, 1]}), Domain.of({"a": 2, "b": 2})
    >>> other = pd.DataFrame({"a": [0, 1], "b": [1, 1]})
    >>> marginal_errors(real, other, domain, all_kway(domain, 1)).to_dict()
    {('a',): 0.0, ('b',): 1.0}
    """
    if not validate.instance("workload", workload, Mapping):
        raise ValueError("workload must have at least one marginal, got none")
    for name, frame in (("real", real), ("synthetic", synthetic)):
        domain.check(frame, name)
        if not len(frame):
            raise ValueError(f"{name} must have at least 1 row, got none")
    for columns, weight in workload.items():
        validate.budget(f"weight of {columns}", weight, low=0, high=math.inf)
    errors = [total_variation(*cells) for cells in _both(real, synthetic, domain, workload)]
    return pd.Series(errors, index=list(workload), name="error")


def _both(
    real: pd.DataFrame, synthetic: pd.DataFrame, domain: Domain, workload: Workload
) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    """Of each marginal: the cell of every real row, of every synthetic row, and the cells."""
    for s in workload:
        yield cell_codes(real, domain, s), cell_codes(synthetic, domain, s), _cells(domain, s)


def workload_error(
    real: pd.DataFrame, synthetic: pd.DataFrame, domain: Domain, workload: Workload
) -> float:
    """Mean error of a synthetic table over the marginals of a workload (Definition 14).

    ``1/(k |D|) sum_i c_i ||M_{S_i}(D) - M_{S_i}(D^)||_1``; arguments as :func:`marginal_errors`.

    Examples
    --------
    >>> real, domain = pd.DataFrame({"a": [0, 1], "b": [0, 1]}), Domain.of({"a": 2, "b": 2})
    >>> other = pd.DataFrame({"a": [0, 1], "b": [1, 1]})
    >>> workload_error(real, other, domain, all_kway(domain, 1))
    0.5
    """
    errors = marginal_errors(real, synthetic, domain, workload)
    return float(np.mean(errors.to_numpy() * np.array(list(workload.values()), dtype=float)))


def group_errors(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    ours: Mapping[str, np.ndarray],
    theirs: Mapping[str, np.ndarray],
    domain: Domain,
    k: int = 3,
) -> dict[str, float]:
    """All-``k``-way workload error of each group: of its synthetic rows against its real ones.

    Parameters
    ----------
    real, synthetic : DataFrame of codes
    ours, theirs : mapping of names to boolean masks
        The group's rows in ``real`` and in ``synthetic``; a name that is not in ``theirs`` has no
        rows there.

    Returns
    -------
    dict
        Between 0 and 2; NaN for a group without real rows, :data:`ABSENT` for one without synthetic
        rows.
    """
    domain.check(real, "real")
    domain.check(synthetic, "synthetic")
    ours = masks("ours", ours, len(real), "the rows of real")
    theirs = masks("theirs", theirs, len(synthetic), "the rows of synthetic")
    codes = list(_both(real, synthetic, domain, all_kway(domain, k)))  # once for all groups
    errors, nobody = {}, np.zeros(len(synthetic), dtype=bool)
    for name, who in ours.items():
        there = theirs.get(name, nobody)
        errors[name] = ABSENT if who.any() else np.nan
        if who.any() and there.any():
            each = [total_variation(a[who], b[there], cells) for a, b, cells in codes]
            errors[name] = float(np.mean(each))
    return errors
