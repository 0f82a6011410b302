"""The homogeneous encoding: one indicator column a value, whatever the protocol (Section 4, Fig.
1).

A true value is one-hot encoded (OHE), a support set becomes its indicator
vector (IVE). All columns are bits, so the design matrix is uint8, or CSR where
it is mostly zeros; LightGBM's predictions are the same for either.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy import sparse

from lib import validate
from lib.datasets import Domain
from lib.ldp.base import Protocol
from lib.ldp.bernoulli import indicators
from lib.ldp.budget import split_budget
from lib.ldp.registry import make

__all__ = ["one_hot", "sanitise", "design_matrix"]

_BLOCK = 1 << 20  # bits whose places are looked up at a time
_DRAWN = 1 << 26  # bits drawn at a time where only their ones are kept


def one_hot(values: np.ndarray, k: int) -> np.ndarray:
    """Indicator vectors of ``values`` in ``0 .. k-1`` (n,), uint8 of shape (n, k).

    Raises
    ------
    ValueError
        If an entry is no whole number in ``0 .. k-1``.
    """
    return indicators(validate.codes("values", values, k), k)


def sanitise(
    frame: pd.DataFrame,
    domain: Domain,
    sensitive: Sequence[str],
    *,
    protocol: str,
    split: str,
    epsilon: float,
    rng: np.random.Generator,
    form: str = "dense",
) -> dict[str, np.ndarray | sparse.csr_array]:
    """Indicator vectors of the sensitive attributes after an epsilon-LDP report of each user.

    Parameters
    ----------
    frame : DataFrame of codes, shape (n, d)
    domain : Domain
        Declares the size of each sensitive attribute; it may have others.
    sensitive : sequence of str
        The attributes ``A_s``; each is reported by itself, with its share of
        ``epsilon`` under ``split``, in this order from ``rng``.
    protocol : str
        As in :func:`lib.ldp.make`.
    split : {"uniform", "k-based"}
    epsilon : float
        The budget of a user's whole report.
    form : {"dense", "csr"}
        CSR is for large domains: users are drawn some at a time, so that no array of
        ``n * k_j`` bits is needed. Beyond 2**26 bits those are other draws from
        ``rng`` than the dense ones, of the same law.

    Returns
    -------
    dict
        Attribute to uint8 array, or CSR array of uint8, of shape (n, k_j).

    Raises
    ------
    ValueError
        If ``sensitive`` is no sequence, is empty, repeats an attribute or names
        one that is not in ``domain``, not in ``frame`` or has one value only;
        if ``frame`` is none or an entry of a column is no code of it; if
        ``protocol``, ``split`` or ``form`` is not known; if ``epsilon`` or a share of it
        is out of a protocol's range; if ``rng`` is no generator.
    """
    validate.generator("rng", rng)
    validate.choice("form", form, ("dense", "csr"))
    _check_frame(frame)
    sensitive = validate.sequence("sensitive", sensitive)
    if len(sensitive) == 0:
        raise ValueError("sensitive is empty; at least one attribute is needed")
    for column in sensitive:
        validate.choice("sensitive", column, domain.columns)
    if len(set(sensitive)) != len(sensitive):
        raise ValueError(
            f"sensitive={tuple(sensitive)!r} repeats an attribute; each is reported once"
        )
    sizes = {column: domain[column] for column in sensitive}
    if constant := [column for column, k in sizes.items() if k < 2]:
        raise ValueError(
            f"sensitive holds {constant[0]!r}, which is constant (sizes=1); attributes of two"
            " values or more are allowed"
        )
    budgets = split_budget(epsilon, list(sizes.values()), split, attributes=sensitive).tolist()
    protocols = [
        make(protocol, k=k, epsilon=eps) for k, eps in zip(sizes.values(), budgets, strict=True)
    ]
    codes = {column: _codes(frame, column, k) for column, k in sizes.items()}
    draw = _bits if form == "dense" else _sparse_bits
    return {
        column: draw(mechanism, codes[column], rng)
        for column, mechanism in zip(sensitive, protocols, strict=True)
    }


def _bits(mechanism: Protocol, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return mechanism.privatise_support(values, rng)


def _sparse_bits(
    mechanism: Protocol, values: np.ndarray, rng: np.random.Generator
) -> sparse.csr_array:
    step = max(1, _DRAWN // mechanism.k)
    starts = range(0, max(1, values.size), step)
    parts = [
        sparse.csr_array(mechanism.privatise_support(values[s : s + step], rng)) for s in starts
    ]
    return sparse.vstack(parts, format="csr")


def design_matrix(
    frame: pd.DataFrame,
    domain: Domain,
    sanitised: Mapping[str, np.ndarray | sparse.csr_array] | None = None,
    *,
    form: str = "dense",
) -> np.ndarray | sparse.csr_array:
    """Indicator columns of every attribute of ``domain``, in its order, shape (n, sum of sizes).

    Parameters
    ----------
    frame : DataFrame of codes, shape (n, d)
    domain : Domain
        The attributes that are encoded and their sizes.
    sanitised : mapping, optional
        Attribute to uint8 array of bits, dense or CSR, shape (n, k_j), as
        from :func:`sanitise`; the other attributes are one-hot encoded.
    form : {"dense", "csr"}
        uint8, or CSR in float32 (as LightGBM wants), which takes eight bytes for each one.

    Raises
    ------
    ValueError
        If a column of ``domain`` is missing or holds what is no code of it, if
        sanitised bits have another shape or type, entries beside 0 and 1 or
        belong to no attribute of ``domain``, or if ``form`` is not known.
    """
    validate.choice("form", form, ("dense", "csr"))
    _check_frame(frame)
    if not isinstance(sanitised, Mapping | None):
        raise ValueError(
            f"sanitised has type {type(sanitised).__name__}; a mapping of attributes to bits is"
            " allowed"
        )
    sanitised = {c: _array(f"sanitised[{c!r}]", bits) for c, bits in (sanitised or {}).items()}
    for column, bits in sanitised.items():
        if bits.shape != (len(frame), domain[column]):
            raise ValueError(
                f"sanitised[{column!r}] has shape {bits.shape}; {(len(frame), domain[column])} is"
                " allowed"
            )
        if bits.dtype != np.uint8:
            raise ValueError(f"sanitised[{column!r}] has dtype {bits.dtype}; uint8 is allowed")
        entries = bits.data if sparse.issparse(bits) else bits
        if entries.max(initial=0) > 1:
            raise ValueError(f"sanitised[{column!r}] holds {int(entries.max())}; bits are allowed")
    # a block is an attribute's bits (n, k) or, where it is as it was, its codes (n,)
    blocks = [
        sanitised[column] if column in sanitised else _codes(frame, column, size)
        for column, size in domain
    ]
    starts = np.cumsum([0, *domain.sizes])
    return (_dense if form == "dense" else _csr)(blocks, starts, len(frame))


def _check_frame(frame: pd.DataFrame) -> None:
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(f"frame has type {type(frame).__name__}; a pandas.DataFrame is allowed")


def _array(name: str, bits: object) -> np.ndarray | sparse.csr_array:
    if not sparse.issparse(bits):
        return validate.array(name, bits)
    bits = sparse.csr_array(bits, copy=True)
    bits.sum_duplicates()
    bits.eliminate_zeros()
    return bits


def _codes(frame: pd.DataFrame, column: str, k: int) -> np.ndarray:
    if column not in frame.columns:
        raise ValueError(
            f"frame has columns {list(frame.columns)}; one called {column!r} is needed"
        )
    return validate.codes(column, frame[column].to_numpy(), k)


def _dense(blocks: Sequence[np.ndarray], starts: np.ndarray, n: int) -> np.ndarray:
    matrix = np.zeros((n, starts[-1]), dtype=np.uint8)
    rows = np.arange(n)
    for block, start in zip(blocks, starts, strict=False):
        if block.ndim == 1:
            matrix[rows, start + block] = 1
        else:
            matrix[:, start : start + block.shape[1]] = (
                block.toarray() if sparse.issparse(block) else block
            )
    return matrix


def _csr(blocks: Sequence[np.ndarray], starts: np.ndarray, n: int) -> sparse.csr_array:
    """Written one after another into the places of the ones: never a dense float."""
    per_row = np.zeros(n, dtype=np.int64)
    for block in blocks:
        per_row += 1 if block.ndim == 1 else block.sum(axis=1, dtype=np.int64)  # dense or not
    ends = np.concatenate([[0], per_row.cumsum()])
    index = np.int32 if max(ends[-1], starts[-1]) < 2**31 else np.int64
    columns, free = np.empty(ends[-1], dtype=index), ends[:-1].copy()
    for block, start in zip(blocks, starts, strict=False):
        if block.ndim == 1:
            columns[free] = start + block
            free += 1
            continue
        if sparse.issparse(block):
            count = np.diff(block.indptr)
            rank = np.arange(block.nnz) - np.repeat(block.indptr[:-1], count)
            columns[np.repeat(free, count) + rank] = start + block.indices
            free += count
            continue
        step = max(1, _BLOCK // block.shape[1])
        for first in range(0, n, step):
            row, column = np.nonzero(block[first : first + step])
            count = np.bincount(row, minlength=min(step, n - first))
            rank = (
                np.arange(row.size) - (count.cumsum() - count)[row]
            )  # of a one among those of its row
            columns[free[first + row] + rank] = start + column
            free[first : first + step] += count
    ones = np.ones(columns.size, dtype=np.float32)
    return sparse.csr_array((ones, columns, ends.astype(index)), shape=(n, int(starts[-1])))
