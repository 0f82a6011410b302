"""Figure: whom noise on the group moves, by a vote without training and as trained."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from lib.plotting.panels import Picture, epsilon_axis, legend, panels, ticks
from lib.plotting.style import BLUE, RED, REFERENCE
from studies.ldp_fairness.names import GROUPS, TITLES
from studies.ldp_fairness.votes import positive_rates

_COLOURS = (BLUE, RED)
_EPSILONS = np.geomspace(0.05, 14, 300)


def _vote(ax: Axes, dataset: str, found: pd.DataFrame, trained: pd.DataFrame) -> str:
    """Lines by the vote, points as trained with GRR, both against the group's own budget."""
    lines = np.array([positive_rates(found, epsilon) for epsilon in _EPSILONS])
    for z, colour in enumerate(_COLOURS):
        ax.plot(_EPSILONS, lines[:, z], color=colour, label=f"group {z}, by the vote")
        ax.plot(trained.index, trained[z], "o^"[z], color=colour, label=f"group {z}, trained")
    epsilon_axis(ax, trained.index)
    ticks(ax, [0.1, 0.5, 2, 10])
    ax.set(
        title=f"{TITLES[dataset]}\n0: {GROUPS[dataset][0]}\n1: {GROUPS[dataset][1]}", ylim=(0, 1)
    )
    ax.set_xlabel("ε of the group's report")
    ends = (f"{lines[0, z]:.2f} to {lines[-1, z]:.2f}" for z in (0, 1))
    return (
        f"{TITLES[dataset]}: group 0 {next(ends)}, group 1 {next(ends)} from much noise to little"
    )


def who_decides(
    found: Mapping[str, pd.DataFrame], trained: pd.DataFrame, incomes: pd.DataFrame
) -> Picture:
    """Positive rates of both groups of each data set against epsilon, and by how much noise moves
    them for each income.

    Parameters
    ----------
    found : mapping of str to DataFrame
        :func:`studies.ldp_fairness.votes.margins` by data set, three of them.
    trained : DataFrame
        Mean rates of groups 0 and 1 (columns), by data set and the budget of the group's report.
    incomes : DataFrame
        As :func:`studies.ldp_fairness.votes.by_income` returns them.
    """
    fig, axes = panels((6.8, 6.4), (2, 2), ylabel="positive predictions")
    words = [
        _vote(ax, name, found[name], trained.loc[name])
        for ax, name in zip(axes.flat, found, strict=False)
    ]
    last = axes[1, 1]
    for z, (who, colour) in enumerate(zip(("women", "men"), _COLOURS, strict=True)):
        change = incomes[f"after_{z}"] - incomes[f"before_{z}"]
        last.plot(incomes["income"] / 1000, change, "o^"[z] + "-", color=colour)
        words.append(f"{who} move by {change.min():+.2f} to {change.max():+.2f}")
    last.axhline(0, **REFERENCE)
    last.set_yticks([-0.1, -0.05, 0, 0.05, 0.1])
    last.yaxis.set_major_formatter("{x:+.2f}")
    last.set(title="New York 2024, at work\n0: women\n1: men", ylabel="moved by noise, ε = 0")
    last.set_xlabel("earns at least, thousand dollars")
    legend(fig)
    return fig, f"Shares of positive predictions. {'; '.join(words)}."
