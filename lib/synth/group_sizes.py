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

import operator
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from lib import validate
from lib.domain import Domain
from lib.synth.workload import counts

Sizes = Mapping[tuple[int, ...], float] | np.ndarray | Iterable[tuple[tuple[int, ...], float]]


def group_sizes(data: pd.DataFrame, domain: Domain, by: Sequence[str]) -> np.ndarray:
    """Rows in each crossing of the columns ``by`` (C order), shape ``(prod of sizes,)``.

    Examples
    --------
    >>> group_sizes(pd.DataFrame({"a": [0, 2, 2]}), Domain.of({"a": 3}), ("a",)).tolist()
    [1.0, 0.0, 2.0]
    """
    return counts(data, domain, by)


def size_items(sizes: Sizes, columns: int) -> tuple[tuple[tuple[int, ...], float], ...]:
    """``(codes, rows)`` of each group, sorted.

    ``sizes`` is a mapping, or an array with an axis for each of ``columns``.

    Raises
    ------
    ValueError
        For another shape, a size that is no finite number of at least 0, or if all are 0.

    Examples
    --------
    >>> size_items({1: 20, 0: 300}, 1)
    (((0,), 300.0), ((1,), 20.0))
    """
    try:
        pairs = (
            np.ndenumerate(validate.array("sizes", sizes))
            if isinstance(sizes, np.ndarray)
            else dict(sizes).items()
        )
        items = sorted(
            (tuple(map(operator.index, codes if isinstance(codes, tuple) else (codes,))), n)
            for codes, n in pairs
        )
    except (TypeError, ValueError) as error:
        what = "a mapping of tuples of codes to numbers of rows, or an array of them"
        raise ValueError(f"sizes must be {what}, got {sizes!r}") from error
    for codes, n in items:
        if len(codes) != columns:
            raise ValueError(f"sizes must have {columns} codes for a group, got {codes}")
        if n != 0:
            validate.positive(f"size of {codes}", n.item() if isinstance(n, np.generic) else n)
    if not any(n > 0 for _, n in items):
        raise ValueError(f"sizes must have rows in at least one group, got {sizes!r}")
    return tuple((codes, float(n)) for codes, n in items)


def declared_sizes(items: Mapping[tuple[int, ...], float], shape: Sequence[int]) -> np.ndarray:
    """:func:`size_items` in the form of :func:`group_sizes`.

    Every group of ``shape`` must be among them, and no other.
    """
    given, every = dict(items), list(np.ndindex(*shape))
    if wrong := set(given) ^ set(every):
        raise ValueError(
            f"sizes must have a number, 0 too, for each of the {len(every)} groups and no other,"
            f" got {'one' if min(wrong) in given else 'none'} for {min(wrong)}"
        )
    return np.array([given[codes] for codes in every])


def cut_at_zero(noisy: np.ndarray) -> np.ndarray:
    """Negative counts as 0. Biased upwards."""
    return np.clip(validate.finite("noisy", noisy), 0, None)


def project_sizes(noisy: np.ndarray) -> np.ndarray:
    """The point nearest to ``noisy`` with no negative entry and the same sum (1, if it is less).

    Examples
    --------
    >>> project_sizes(np.array([30.0, 2.0, -4.0])).tolist()
    [28.0, 0.0, 0.0]
    """
    noisy = validate.finite("noisy", noisy)
    validate.require(noisy.ndim == 1 and noisy.size > 0, "noisy", "of shape (n,)", noisy.shape)
    largest = float(np.abs(noisy).max())  # beyond, a row is lost to rounding
    validate.require(largest <= 1e15, "noisy", "counts of at most 1e15", largest)
    total = max(1.0, float(noisy.sum()))
    falling = np.sort(noisy)[::-1]
    shifts = (np.cumsum(falling) - total) / np.arange(1, noisy.size + 1)
    sizes = np.clip(noisy - shifts[np.flatnonzero(falling > shifts)[-1]], 0, None)
    return sizes * (total / sizes.sum())
