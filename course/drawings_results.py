"""Drawings of stored results, with their intervals."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from course.canvas import Drawn, stacked, words
from lib.datasets import TASKS
from lib.fairness import FAIR
from lib.ldp import SPLITS, make, split_budget
from lib.ledger.judge import evaluate, summary
from lib.plotting.lines import spread
from lib.plotting.style import BLUE, GREEN, GREY, OLIVE, ORANGE, RED, REFERENCE
from lib.runner import results, scores
from lib.stats.summary import mean_interval
from studies.data.facts import attribute_counts
from studies.ldp_fairness.information import mutual_information
from studies.ldp_fairness.names import ATTRIBUTES
from studies.ldp_fairness.summary import paired, pooled, tally
from studies.private_means.census import NAMES
from studies.synthesizers.summary import (
    PROTOCOLS,
    against_vanilla,
    main_fits,
    scored,
    stored_tables,
)


def _stored(by: str, where: str) -> pd.DataFrame:
    """Stored scores of New York by sex and race at rho 0.5, 50 runs, in the order of ``by``."""
    told = "mechanism == 'coinpress' and budget == .5 and crossing == 'SEX_RAC1P'"
    return scores("means_newyork").query(f"{told} and {where}").set_index(by)


def _beside(ax: Axes, rows: pd.DataFrame, order: dict[str, str]) -> str:
    """Means with 95% intervals of both methods at each place of ``order``; and in words."""
    said = []
    for shift, name, label, colour, mark in (
        (-0.12, "COINPRESS", "everybody's mean", GREY, "s"),
        (0.12, "StratCOINPRESS", "a mean of its own", BLUE, "o"),
    ):
        own = rows[rows["method"] == name].loc[[*order]]
        look = {"color": colour, "markersize": 9, "elinewidth": 1.6, "label": label}
        ax.errorbar(np.arange(len(own)) + shift, own["mean"], spread(own), fmt=mark, **look)
        said.append(f"{label} {', '.join(own['mean'].map('{:.2g}'.format))}")
    ax.set_xticks(range(len(order)), [text.replace(" ", "\n", 1) for text in order.values()])
    ax.set(yscale="log", xlim=(-0.5, len(order) - 0.5))
    ax.yaxis.set_major_formatter("{x:g}")
    return "; ".join(said)


def left_out() -> Drawn:
    """Parity errors with the smallest groups left out, and with all of them."""
    fig, axes = plt.subplots(2, 1, sharex=True, sharey=True)
    said = []
    for ax, setting, title in (
        (axes[0], "published", "groups under 0.1% left out"),
        (axes[1], "all strata", "all groups"),
    ):
        rows = _stored("variable", f"metric == 'parity' and setting == '{setting}'")
        said.append(f"{title}: {_beside(ax, rows, NAMES)}")
        ax.set_title(title)
    axes[0].legend(loc="upper left")
    fig.supylabel("parity error (log scale)")
    return fig, f"Parity errors of {', '.join(NAMES.values())}. {'. '.join(said)}."


def bias() -> Drawn:
    """Errors of mean schooling with and without noise, and with the right spread."""
    fig, ax = plt.subplots()
    rows = _stored("setting", "variable == 'SCHL' and metric in ('error', 'clean')")
    rows.index = rows.index.where(rows["metric"] == "error", "silent " + rows.index)
    order = {"published": "as published", "silent published": "without noise"}
    said = _beside(ax, rows, order | {"scaled, all strata": "right spread"})
    ax.legend()
    ax.set_ylabel("error of everybody's mean (log scale)")
    return fig, (
        "Relative errors of mean schooling, for a spread of 1 with noise, a spread of 1 without "
        f"any, and the right spread with noise: {said}."
    )


def pays() -> Drawn:
    """In how many settings models of groups clearly lower the parity error."""
    names = {"acs_coverage": "Texas", "newyork": "New York,\nstand-in", "nist": "national"}
    found = []
    for table, stored in stored_tables().items():
        fits = main_fits(scored(stored, **PROTOCOLS["published"]))
        own = against_vanilla(fits, "parity_error")
        sign = np.select([own["high"] < 0, own["low"] > 0], ["lower", "higher"], "too close")
        found.append(own.assign(table=names[table], sign=sign))
    every = pd.concat(found)
    count = pd.concat(pd.crosstab(every[by], every["sign"]) for by in ("table", "synthesizer"))
    order = [*names.values(), "MST", "GEM", "AIM"]
    return _settings(count.loc[order, ["lower", "too close", "higher"]])


def _settings(table: pd.DataFrame) -> Drawn:
    """Bars of settings that come out well, too close or badly; each row has as many."""
    (of,) = set(table.sum(axis=1))
    return stacked(table, (GREEN, GREY, RED), f"settings, of {of:.0f}")


def bits() -> Drawn:
    """Bits that a report of GRR tells of each attribute of Adult, by the split of a budget of 4."""
    columns = TASKS["adult"].sensitive
    counts = [np.array(attribute_counts("adult")[c]) for c in columns]
    told = {
        split: [
            mutual_information(make("GRR", k=len(n), epsilon=float(e)), n)
            for n, e in zip(counts, split_budget(4.0, [*map(len, counts)], split), strict=True)
        ]
        for split in SPLITS
    }
    table = pd.DataFrame(told, [ATTRIBUTES[c] for c in columns]).T
    return stacked(table, (RED, ORANGE, GREEN, BLUE), "bits told", "{:.3g}")


def fairer() -> Drawn:
    """Settings that are clearly fairer or less fair on ACSCoverage, by metric."""
    rows = results("ldp_main").query("dataset == 'acs_coverage'")
    counts = {m: tally(paired(rows, m, fair=fair), better=-1).sum() for m, fair in FAIR.items()}
    table = pd.DataFrame(counts).T[["better", "unclear", "worse"]].astype(int)
    table.columns = ["fairer", "too close", "less fair"]
    return _settings(table)


def minor() -> Drawn:
    """Losses with their intervals, sorted, and the margin of what is called minor."""
    fig, axes = plt.subplots(1, 2, sharey=True)
    said, main = [], results("ldp_main")
    for ax, data, title in zip(
        axes, ("lsac", "acs_coverage"), ("LSAC", "ACSCoverage"), strict=True
    ):
        rows, by = main[main["dataset"] == data], ["split", "epsilon"]
        every = [pooled(rows, m, by) for m in ("acc", "f1", "auc", "recall", "balanced_accuracy")]
        own = pd.concat(every).sort_values("mean", kind="stable")
        for clear, colour in ((True, GREEN), (False, RED)):
            at = np.flatnonzero((own["low"] > -0.02) == clear)
            ax.vlines(at, own["low"].iloc[at], own["high"].iloc[at], color=colour)
        ax.axhline(-0.02, **REFERENCE)
        ax.set(title=title, xticks=[])
        said.append(f"{title}: {(own['low'] > -0.02).mean():.0%} lie above it")
    axes[0].set(ylabel="change, 95% interval", xlabel=f"{len(own)} losses, sorted")
    return fig, f"Intervals of losses, sorted, and a dashed margin at -0.02. {'; '.join(said)}."


def baseline() -> Drawn:
    """Accuracies of private models of law students, beside the guess that everybody passes."""
    fig, ax = plt.subplots()
    rows = results("ldp_main").query("dataset == 'lsac'")
    apart = 100 * (rows["acc"] - rows["majority_accuracy"])
    private = apart[rows["protocol"] != "NonDP"]
    ax.hist(private, 40, facecolor=(BLUE, 0.35), edgecolor=BLUE)
    ax.axvline(0, **REFERENCE)
    ax.axvspan(*mean_interval(apart.drop(private.index))[1:], color=RED)
    ax.set(xlabel="accuracy minus that of the guess, points", ylabel="private trainings")
    ax.set(xlim=(-5, 1), ylim=(0, 250))
    style = {"transform": ax.get_xaxis_transform(), "ha": "right"}
    words(ax, -0.05, 0.95, "everybody\npasses", **style | {"ha": "left"})
    words(ax, -0.7, 0.95, "without privacy", color=RED, **style)
    return fig, (
        f"Histogram of {len(private)} private trainings: {(private < 0).mean():.1%} of them lie "
        "left of the dashed line at zero, the guess that everybody passes. So does the 95% "
        "interval of the mean without privacy."
    )


def verdicts() -> Drawn:
    """Verdicts on the claims of the LDP paper."""
    count = summary([row for row in evaluate() if row.claim.paper == "ldp"])
    table = pd.DataFrame({"LDP paper": count}).T.loc[:, lambda t: t.iloc[0] > 0]
    return stacked(table, (GREEN, BLUE, OLIVE, RED, GREY), "claims")
