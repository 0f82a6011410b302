"""Splitting one budget among several attributes (Section 4).

By sequential composition (Proposition 2) the attributes' budgets may add up to
``epsilon``. ``uniform`` gives each the same; ``k-based``, the paper's proposal,
gives in proportion to the domain size.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lib import validate

SPLITS: tuple[str, ...] = ("uniform", "k-based")


def split_budget(
    epsilon: float, sizes: Sequence[int], split: str, *, attributes: Sequence[str] | None = None
) -> np.ndarray:
    """Budget of each attribute, shape (d_s,); the entries sum to ``epsilon``.

    Parameters
    ----------
    epsilon : float
        The budget of a user's whole report, from 1e-9 up to 600 (``validate.EPSILON_MIN`` and
        ``EPSILON_MAX``).
    sizes : sequence of int
        Domain sizes ``k_j``, each at least 2.
    split : {"uniform", "k-based"}
        ``epsilon / d_s`` each, or ``epsilon k_j / sum_i k_i``.
    attributes : sequence of str, shape (d_s,), optional
        Their names, for the message about a share that is too small.

    Raises
    ------
    ValueError
        If ``epsilon`` or the share of an attribute is out of range, ``sizes`` is no sequence, is
        empty or has an entry that is no whole number from 2 on, or ``split`` is not known.

    Examples
    --------
    >>> split_budget(1.0, [2, 8], "k-based").tolist()
    [0.2, 0.8]
    """
    epsilon = validate.budget("epsilon", epsilon)
    sizes = validate.sequence("sizes", sizes)
    validate.require(len(sizes) > 0, "sizes", "one or more", sizes)
    k = np.array(
        [validate.integer("sizes", size, low=2, high=validate.INTEGER_MAX) for size in sizes],
        dtype=float,
    )
    uniform = validate.choice("split", split, SPLITS) == "uniform"
    if attributes is not None:
        attributes = validate.sequence("attributes", attributes)
        named = len(attributes) == len(sizes) and all(isinstance(a, str) for a in attributes)
        validate.require(named, "attributes", f"{len(sizes)} names, one for each size", attributes)
    shares = np.full(k.size, epsilon / k.size) if uniform else epsilon * k / k.sum()
    least = int(shares.argmin())  # no share is larger than epsilon, which is in range
    if shares[least] < validate.EPSILON_MIN:
        whose = f"attribute {least}" if attributes is None else repr(attributes[least])
        raise ValueError(
            f"epsilon must be larger, got {epsilon!r}: the {split} split leaves {whose} (of"
            f" {sizes[least]} values) {shares[least]:.3g} of it, less than"
            f" {validate.EPSILON_MIN:g}"
        )
    return shares
