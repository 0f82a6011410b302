"""Drawings of the first three sessions: budgets, who adds the noise, and strata."""

from __future__ import annotations

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from scipy.stats import laplace

from course.canvas import BESIDE
from lib.plotting.style import BLUE, RED


def bells() -> tuple[Figure, str]:
    """Two laws of an answer that part as the budget grows: Laplace noise on 0 and on 1."""
    fig, axes = plt.subplots(1, 2, figsize=BESIDE, sharey=True, sharex=True)
    x = np.linspace(-4, 5, 901)
    for ax, epsilon in zip(axes, (0.5, 2.0), strict=True):
        for place, colour, label in ((0, BLUE, "without you"), (1, RED, "with you")):
            law = laplace.pdf(x, place, 1 / epsilon)
            ax.plot(x, law, color=colour, linewidth=3)
            ax.fill_between(x, law, color=colour, alpha=0.12, label=label)
        ratio = laplace.pdf(-1, 0, 1 / epsilon) / laplace.pdf(-1, 1, 1 / epsilon)
        ax.set_title(f"ε = {epsilon:g}: at most {ratio:.2g} : 1", weight="normal")
        ax.set(yticks=[], xlabel="answer that comes out")
        ax.spines["left"].set_visible(False)
    axes[0].legend(loc="upper left", handlelength=1, borderaxespad=0)
    axes[0].set_ylim(0, None)
    alt = (
        "Two bell-shaped laws of the answer, without and with one person, with Laplace noise. At "
        "epsilon 0.5 they nearly cover each other; at epsilon 2 they are narrow and part. The "
        "ratio of their heights is nowhere above e to the epsilon."
    )
    return fig, alt


DRAWINGS = {"bells": bells}
