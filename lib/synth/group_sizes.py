"""How many rows each group has: counted, declared, or counted with noise.

- *Counted*: exact, read off the table. No budget covers them, nor which groups exist.
- *Declared*: given by the caller for every group, who knows them from elsewhere.
- *Noisy, cut at 0*: what stored results use. Noise below 0 is cut off and noise
  above it is not, so empty groups come out with rows and the total is too large:
  with ``k`` groups by up to ``k sigma / sqrt(2 pi)`` on average.
- *Noisy, projected*: the total is the sum of the noisy counts as they are, which
  is unbiased; the sizes are the nearest ones to them that are not negative and
  have this sum. Most empty groups come out empty.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from lib import validate
from lib.domain import Domain
from lib.synth.workload import cell_codes

__all__ = ["Sizes", "group_sizes", "size_items", "declared_sizes", "cut_at_zero", "projected"]

Sizes = Mapping[tuple[int, ...], float] | np.ndarray | Iterable[tuple[tuple[int, ...], float]]


def group_sizes(data: pd.DataFrame, domain: Domain, by: Sequence[str]) -> np.ndarray:
    """Rows in each crossing of the columns ``by`` (C order), shape ``(prod of sizes,)``."""
    cells = math.prod(domain[c] for c in by)
    return np.bincount(cell_codes(data, domain, by), minlength=cells).astype(float)


def size_items(sizes: Sizes, columns: int) -> tuple[tuple[tuple[int, ...], float], ...]:
    """``(codes, rows)`` of each group, sorted: from a mapping, or from an array with an axis for
    each of ``columns``.

    Raises
    ------
    ValueError
        For another shape, a size that is no finite number of at least 0, or if all are 0.
    """
    try:
        pairs = (
            list(np.ndenumerate(validate.array("sizes", sizes)))
            if isinstance(sizes, np.ndarray)
            else list(dict(sizes).items())
        )
        items = sorted(
            (tuple(map(operator.index, codes if isinstance(codes, tuple) else (codes,))), n)
            for codes, n in pairs
        )
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"sizes={sizes!r} is not allowed: a mapping of tuples of codes to numbers of rows is, "
            "or an array of them"
        ) from error
    for codes, n in items:
        if len(codes) != columns:
            raise ValueError(
                f"sizes has {codes} for {columns} columns of by; one code each is allowed"
            )
        if n != 0:
            validate.positive(f"size of {codes}", float(n) if isinstance(n, np.number) else n)
    if not any(n > 0 for _, n in items):
        raise ValueError(f"sizes={sizes!r} is not allowed: at least one group has rows")
    return tuple((codes, float(n)) for codes, n in items)


def declared_sizes(items: Mapping[tuple[int, ...], float], shape: Sequence[int]) -> np.ndarray:
    """:func:`size_items` as :func:`group_sizes` has them; every group of ``shape`` must be among
    them, and no other.
    """
    given, every = dict(items), list(np.ndindex(*shape))
    if missing := [codes for codes in every if codes not in given]:
        raise ValueError(
            f"sizes has nothing for the group {missing[0]}; all {len(every)} groups need a number,"
            " 0 too"
        )
    if unknown := set(given) - set(every):
        raise ValueError(
            f"sizes has the group {min(unknown)}; codes below {tuple(shape)} are allowed"
        )
    return np.array([given[codes] for codes in every])


def cut_at_zero(noisy: np.ndarray) -> np.ndarray:
    """Negative counts as 0. Biased upwards."""
    return np.clip(noisy, 0, None)


def projected(noisy: np.ndarray) -> np.ndarray:
    """The point nearest to ``noisy`` with no negative entry and the same sum (1, if that is
    less).
    """
    total = max(1.0, float(noisy.sum()))
    falling = np.sort(noisy)[::-1]
    shifts = (np.cumsum(falling) - total) / np.arange(1, noisy.size + 1)
    kept = np.flatnonzero(falling > shifts)[-1]
    found = np.clip(noisy - shifts[kept], 0, None)
    return found * (total / found.sum())
