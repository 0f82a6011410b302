"""Colours, markers and names in words that mean the same in every figure."""

from __future__ import annotations

# Okabe and Ito's colours without their yellow, which is too faint on white
BLUE, RED, GREEN, PINK = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
OLIVE, DARK, ORANGE, GREY = "#8A8A2B", "#4B4B4B", "#E69F00", "#6B6B6B"
LIGHT = "#B0B0B0"  # of what stands behind
SERIES = (BLUE, RED, GREEN, PINK, OLIVE, DARK, ORANGE)  # of lines without a colour of their own
SHAPES = "osD^vPX"  # their markers
IN, OUT, NULL = RED, BLUE, GREY  # in the release, left out, what sampling alone makes
REFERENCE = {
    "color": "#222222",
    "linewidth": 1.2,
    "linestyle": (0, (4, 2)),
}  # a line to compare with


class _Styles(dict):
    """Styles by protocol, and one for any protocol of another package."""

    def __init__(self, styles, other) -> None:
        super().__init__(styles)
        self.other = other

    def __missing__(self, name: str):
        return self.other


# the markers tell the protocols apart in grey
_PROTOCOLS = ("GRR", "BLH", "OLH", "RAPPOR", "OUE", "SS", "THE")
COLOURS = _Styles(
    zip(_PROTOCOLS, (BLUE, DARK, OLIVE, RED, PINK, GREEN, ORANGE), strict=True), "#56B4E9"
)
MARKERS = _Styles(zip(_PROTOCOLS, "osD^vPX", strict=True), "*")

METRIC_NAMES = {
    "DI": "disparate impact",
    "SPD": "statistical parity difference",
    "EOD": "equal opportunity difference",
    "OAD": "overall accuracy difference",
    "acc": "accuracy",
    "f1": "F1",
    "auc": "AUC (of scores)",
    "recall": "recall",
    "balanced_accuracy": "balanced accuracy",
    "positive_rate": "positive predictions",
    "tpr": "true positive rate",
    "fpr": "false positive rate",
}
SPLIT_NAMES = {"uniform": "uniform split", "k-based": "k-based split"}
BOUND_NAMES = {
    "theorem8": "Theorem 8",
    "theorem7": "Theorem 7",
    "tightened": "tightened (ours)",
    "within": "within the group (ours)",
    "insufficient": "not enough (membership bits)",
}


def in_order(names) -> list[str]:
    """Each of ``names`` once: the package's protocols in their order, then those of others."""
    there = dict.fromkeys(names)
    return [n for n in _PROTOCOLS if n in there] + [n for n in there if n not in _PROTOCOLS]


def short_name(protocol: str) -> str:
    """Name of a protocol without the module that it comes from."""
    return protocol.rpartition(":")[2]


def offsets() -> dict[str, float]:
    """Factor on epsilon for each protocol, which sets error bars side by side; 1 for any other."""
    factors = (1.035**place for place in (-4, -3, -2, -1, 1, 2, 3))
    return _Styles(zip(_PROTOCOLS, factors, strict=True), 1.0)
