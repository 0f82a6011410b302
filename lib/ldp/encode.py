"""The homogeneous encoding: one indicator column a value, whatever the protocol (Section 4, Fig. 1).

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
from lib.ldp.bits import indicators
from lib.ldp.budget import split_budget
from lib.ldp.registry import make

__all__ = ["one_hot", "sanitise", "design_matrix"]


def one_hot(values: np.ndarray, k: int) -> np.ndarray:
    """Indicator vectors of ``values`` in ``0 .. k-1``, uint8 of shape (n, k)."""
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
) -> dict[str, np.ndarray]:
    """Indicator vectors of the sensitive attributes after an epsilon-LDP report of each user.

    Parameters
    ----------
    frame : DataFrame of codes, shape (n, d)
    sensitive : sequence of str
        The attributes ``A_s``; each is reported by itself, with its share of
        ``epsilon`` under ``split``, in this order from ``rng``.

    Returns
    -------
    dict
        Attribute to uint8 array of shape (n, k_j).
    """  # fmt: skip
    if len(set(sensitive)) != len(sensitive):
        raise ValueError(f"sensitive={tuple(sensitive)!r} repeats an attribute; each is reported once")
    sizes = [domain[column] for column in sensitive]
    budgets = split_budget(epsilon, sizes, split)
    protocols = [make(protocol, k=k, epsilon=eps) for k, eps in zip(sizes, budgets, strict=True)]
    return {
        column: mechanism.privatise_support(frame[column].to_numpy(), rng)
        for column, mechanism in zip(sensitive, protocols, strict=True)
    }


def design_matrix(
    frame: pd.DataFrame, domain: Domain, sanitised: Mapping[str, np.ndarray] | None = None, *, form: str = "dense"
) -> np.ndarray | sparse.csr_array:
    """Indicator columns of every attribute of ``domain``, in its order, shape (n, sum of sizes).

    Attributes in ``sanitised`` take those bits, the others are one-hot encoded.
    ``form`` is ``"dense"`` (uint8) or ``"csr"`` (float32, as LightGBM wants).
    """
    validate.choice("form", form, ("dense", "csr"))
    sanitised = sanitised or {}
    for column, bits in sanitised.items():
        if bits.shape != (len(frame), domain[column]):
            raise ValueError(f"sanitised[{column!r}] has shape {bits.shape}; {(len(frame), domain[column])} is allowed")
        if bits.dtype != np.uint8:
            raise ValueError(f"sanitised[{column!r}] has dtype {bits.dtype}; uint8 is allowed")
    blocks = [
        sanitised[column] if column in sanitised else one_hot(frame[column].to_numpy(), size) for column, size in domain
    ]
    matrix = np.hstack(blocks)
    return matrix if form == "dense" else sparse.csr_array(matrix.astype(np.float32))
