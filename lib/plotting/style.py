"""The palette, markers, and names in words; a study chooses the colours of its figures."""

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
BOUND_NAMES = {
    "theorem8": "Theorem 8",
    "theorem7": "Theorem 7",
    "tightened": "tightened (ours)",
    "within": "within the group (ours)",
    "insufficient": "not enough (membership bits)",
}
