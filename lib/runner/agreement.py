"""Records of one cell against each other, and the tolerances of what is computed again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from lib.runner.records import RESERVED, is_gap, is_list

# what another processor may change: sums in another order move a number by its last bits, while
# training moves a few predictions (LightGBM sums gradients of 32 bits in an order of its own), and
# a fit that chooses by such sums may choose otherwise, which moves a small group's scores by more
TOLERANCES = {"arithmetic": 1e-9, "training": 0.01, "choice": 0.15}


# who computed a cell, when, and from which copy of the data
_MAY_DIFFER = {*RESERVED, "data_source"} - {"cell", "version"}


def differing(
    one: Mapping[str, Any], other: Mapping[str, Any], tolerance: float = TOLERANCES["arithmetic"]
) -> str | None:
    """The first field, by its name, whose values differ; None if there is none.

    Fields of where and when a record was made are not compared, nor seconds.

    Examples
    --------
    >>> differing({"acc": 0.5, "fit_s": 2.0}, {"acc": 0.501, "fit_s": 3.0})
    'acc'
    >>> differing({"acc": 0.5}, {"acc": 0.501}, tolerance=0.01)
    """
    for name in sorted(one.keys() | other.keys()):
        compared = name not in _MAY_DIFFER and not name.endswith("_s")
        if compared and not _agree(one.get(name), other.get(name), tolerance):
            return name
    return None


def _agree(one: Any, other: Any, tolerance: float) -> bool:
    if is_list(one) and is_list(other):  # scores
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and not any(differing(*pair, tolerance) for pair in pairs)
    if is_gap(one) or is_gap(other):
        return is_gap(one) and is_gap(other)
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return repr(one) == repr(other)
