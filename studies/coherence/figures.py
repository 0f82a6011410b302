"""Figures of the study: the experiment, distances as dots, sorted predictions, named lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from lib.plotting.panels import Picture, curve, dots, ends, legend, note, panel, panels
from lib.plotting.style import BLUE, DARK, GREEN, GREY, IN, OUT, RED

# a thing has one colour on all pages of the part, and so have the two bounds in _STYLES
PEOPLE = {"everyone": DARK, "with the difficulty": GREEN}
_POINTS = 400  # of a curve: more are not seen


def diagram() -> Picture:
    """The experiment of Figure 1, from the top to the bottom."""
    boxes = {
        "X": (0.5, 3.0, "data set X"),
        "a": (0.0, 2.0, "half $X_a$"),
        "b": (1.0, 2.0, "half $X_b$\n(held back)"),
        "R": (0.0, 1.0, "release, learner\n$\\mathcal{L}(\\mathcal{A}(X_a))$"),
        "h": (1.0, 1.0, "predictor $h$"),
        "d": (0.5, 0.0, "for each group C:\n$W_1(h(X_a|_C),\\ h(X_b|_C))$"),
    }
    fig, ax = panel((4.2, 4.2), xlim=(-0.5, 1.5), ylim=(-0.4, 3.3))
    ax.axis("off")
    box = {"boxstyle": "round,pad=0.6", "facecolor": "none", "edgecolor": BLUE}
    style = {"ha": "center", "va": "center", "fontsize": 10, "parse_math": True, "bbox": box}
    texts = {name: ax.text(*place, **style) for name, place in boxes.items()}
    for start, end in ("Xa", "Xb", "aR", "Rh", "hd", "bh"):
        ends_of = {"patchA": texts[start].get_bbox_patch(), "patchB": texts[end].get_bbox_patch()}
        arrow = {"arrowstyle": "->", "color": BLUE} | ends_of
        ax.annotate("", boxes[end][:2], boxes[start][:2], arrowprops=arrow)
    return fig, (
        "Flow of the experiment: the data set X is split at random into halves a and b; a curator's"
        " release of half a goes to a learner, which makes a predictor; its predictions on the two"
        " halves are compared group by group."
    )


def distance_dots(rows: pd.DataFrame, label: str, series: str) -> Picture:
    """Mean distance with its interval, one line for each ``label``, a colour for each ``series``.

    Colours are those of :data:`PEOPLE`, dark for any other series. Grey ticks are what sampling
    alone makes, the column ``null``.
    """
    names, kinds = (list(dict.fromkeys(rows[column])) for column in (label, series))
    fig, ax = panel((4.2, 1.0 + 0.32 * len(names)), "mean W₁ distance", xlim=(-0.03, 2.05))
    dots(ax, rows, names, (label, series), {kind: PEOPLE.get(kind, DARK) for kind in kinds})
    legend(fig, ncols=3, columnspacing=1)
    top, least = (rows.loc[rows["mean"].agg(end)] for end in ("idxmax", "idxmin"))
    above = int((rows["low"] > rows["null"]).sum())
    return fig, (
        f"Mean W1 distance with its 95% interval for each {label} ({len(names)}), one colour"
        f" for each {series} ({', '.join(map(str, kinds))}), beside a tick for what sampling"
        f" alone makes. The distance is largest for {top[label]},"
        f" {top[series]} ({top['mean']:.2f}) and smallest for {least[label]},"
        f" {least[series]} ({least['mean']:.2f}); {above} of {len(rows)} intervals lie"
        " above their tick."
    )


def sorted_predictions(
    h: np.ndarray, inside: np.ndarray, group: str, *, words: tuple[str, str]
) -> Picture:
    """The sorted predictions of those inside and outside (Fig. 3); their area apart is the W1.

    Parameters
    ----------
    h, inside : arrays of shape (n,)
        The group's people.
    words : (str, str)
        What to call inside and outside.
    """
    fig, ax = panel((3.5, 2.5), "share of the group", "prediction", ylim=(-1.08, 1.08))
    said = []
    for which, name, colour, style in ((inside, words[0], IN, "-"), (~inside, words[1], OUT, "--")):
        values = np.sort(h[which])
        share = np.linspace(0, 1, min(values.size, _POINTS))
        heights = np.quantile(values, share, method="inverted_cdf")
        ax.plot(share, heights, style, color=colour, label=name)
        said.append(
            f"{name}: {values.size} people, mean {values.mean():.2f}, "
            f"{np.mean(values > 0):.0%} above zero"
        )
    fig.legend(loc="outside upper left", ncols=2, fontsize=8)
    return fig, f"Sorted predictions in the group {group}. {'; '.join(said)}."


def lines(
    rows: pd.DataFrame,
    x: str,
    y: str,
    series: str,
    *,
    labels: tuple[str, str],
    styles: Mapping[str, dict] | None = None,
    by: str | None = None,
    **settings,
) -> Picture:
    """Lines of ``y`` against ``x``, each named at its end; a panel for each value of ``by``.

    Parameters
    ----------
    rows : DataFrame
        In columns ``low`` and ``high`` the intervals, if there are any; no line where ``y`` is NaN.
    labels : (str, str)
        Of the two axes, in words with units.
    styles : mapping of str to dict
        How to draw some of the series; the others are grey.
    by : str, optional
        Column whose values have panels of their own, one below the other.
    settings
        Properties of every panel, as of :func:`lib.plotting.panels.panels`.
    """
    rows = rows.dropna(subset=[y]).astype({x: float, y: float})
    parts = dict(iter(rows.groupby(by, sort=False))) if by else {"": rows}
    shape, size = (len(parts), 1), (4.2, 0.6 + max(3.2, 2.4 * len(parts)))
    fig, grid = panels(size, shape, *labels, titles=parts, sharex=True, **settings)
    words = []
    for ax, (title, part) in zip(grid.flat, parts.items(), strict=True):
        ax.set_ylabel(labels[1])
        named = []
        for name, own in part.groupby(series, sort=False):
            style = {"color": GREY, "linewidth": 1.4} | (styles or {}).get(str(name), {})
            if "low" in own and own["low"].notna().any():
                curve(ax, own, x, y, **style)
            else:
                ax.plot(own[x], own[y], **style)
            named.append((str(name), own[x].iloc[-1], own[y].iloc[-1], style["color"]))
            start, stop = own[x].iloc[[0, -1]]
            where = f"{title}, {name}" if title else name
            words.append(f"{where}: {ends(own[y], '.3g')} from {start:.3g} to {stop:.3g}")
        _name_ends(ax, named)
    alt = f"{labels[1]} against {labels[0]}. {'; '.join(words)}."
    return fig, alt.replace("\n", " ").replace("W₁", "W1")


BOUNDS = {
    "theorem8": "Thm 8",
    "theorem7": "Thm 7",
    "tightened": "tightened",
    "within": "within the group",
    "insufficient": "a known release",
}
_STYLES = {
    BOUNDS["theorem7"]: {"color": RED},
    BOUNDS["within"]: {"color": BLUE},
    BOUNDS["insufficient"]: {"linestyle": "--"},
}


def bounds(rows: pd.DataFrame, x: str, y: str, labels: tuple[str, str], **more) -> Picture:
    """What each bound gives, as :func:`~studies.coherence.summary.promised` has it."""
    rows = rows.assign(mode=rows["mode"].replace(BOUNDS))
    return lines(rows, x, y, "mode", labels=labels, styles=_STYLES, **more)


def release(measured: pd.DataFrame, promises: pd.DataFrame, by: str | None = None) -> Picture:
    """Measured distances of a release against epsilon, beside what the bounds promise.

    Parameters
    ----------
    measured : DataFrame
        ``epsilon, mean, low, high, null``; what has no finite epsilon is left out.
    promises : DataFrame
        ``mode, epsilon, alpha``.
    """
    measured = measured[np.isfinite(measured["epsilon"])].sort_values("epsilon", kind="stable")
    chance = measured.assign(mean=measured["null"], low=np.nan, high=np.nan)
    bound = promises.assign(mean=promises["alpha"], series=promises["mode"].replace(BOUNDS))
    rows = pd.concat([measured.assign(series="measured"), chance.assign(series="by chance"), bound])
    how: dict[str, Any] = {
        "labels": ("budget ε (log scale)", "W₁ (log scale)"),
        "styles": {"measured": {"color": DARK, "marker": "o"}} | _STYLES,
    }
    return lines(rows, "epsilon", "mean", "series", by=by, log="xy", ylim=(1e-3, 5), **how)


def kept_and_given(rows: pd.DataFrame) -> Picture:
    """Releases by what they keep and reveal: ``release, group, error`` and the W1 ``given``."""
    fig, ax = panel(
        (4.2, 3.6),
        "error of counts by three columns (at most 2)",
        "W₁ of a lookup (at most 2)",
        xlim=(-0.1, 2.1),
        ylim=(-0.2, 2.1),
    )
    for group, part in rows.groupby("group", sort=False):
        ax.plot(part["error"], part["given"], "o", color=PEOPLE[group], label=group)
        for row in part.itertuples():
            place = (5, 5) if row.given > 0.05 else (5, -12)
            note(ax, row.release, (row.error, row.given), place, color=PEOPLE[group])
    legend(fig, ncols=2)
    words = [f"{r.release}, {r.group}: {r.error:.3f} and {r.given:.3f}" for r in rows.itertuples()]
    return fig, f"Error and W1 distance of each release. {'; '.join(words)}."


def right_names(right: np.ndarray, laws: Mapping[float, np.ndarray], hits: int) -> Picture:
    """Probabilities of so many ``right`` names for each epsilon, and how many were counted."""
    fig, ax = panel((4.2, 3.0), "right names", "probability")
    for (epsilon, law), colour in zip(laws.items(), (GREY, BLUE, GREEN, RED), strict=True):
        ax.plot(right, law, color=colour)
        at = (right[law.argmax()], law.max())
        note(ax, f"ε = {epsilon}", at, (0, 3), color=colour, ha="center", fontsize=9)
    ax.axvline(hits, color=DARK, linestyle="--")
    top = 1.2 * ax.get_ylim()[1]
    ax.set_ylim(top=top)
    note(ax, f"counted: {hits}", (hits, top), (-4, -12), ha="right", color=DARK)
    means = ", ".join(f"{law @ right:.0f} at epsilon {e}" for e, law in laws.items())
    return fig, f"Laws of the number of right names, with means {means}; {hits} were counted."


def _name_ends(ax: Axes, named: list[tuple[str, float, float, str]]) -> None:
    """Write each name at the end of its line: beside those farthest right, above the others.

    A name that would touch the one before moves up.
    """
    ax.figure.canvas.draw()
    points = 72 / ax.figure.dpi
    ends_at = {name: ax.transData.transform((x, y)) * points for name, x, y, _ in named}
    edge = ax.bbox.x1 * points - 30
    most = max((at[0] for at in ends_at.values() if at[0] < edge), default=edge)
    placed = {True: (np.inf, -np.inf), False: (-np.inf, -np.inf)}  # left end and height
    for name, x, y, colour in sorted(named, key=lambda end: (-end[1], end[2])):
        across, at = ends_at[name]
        above = across < most
        left, height = placed[above]
        place = max(at + 4 * above, height + 13) if across > left else at + 4 * above
        style = {"ha": "right", "va": "bottom"} if above else {"ha": "left", "va": "center"}
        offset = (0 if above else 6, place - at)
        note(ax, name, (x, y), offset, color=colour, fontsize=9, **style)
        placed[above] = (across - 5.5 * len(name) if above else left, place)
