"""Marks as a gradebook that a university's system imports.

Assignments have different totals (checked and written points together), and each weighs the same,
so both systems get percent: Canvas adds up points, and a total of 26 would weigh more than one of
21. A mark is empty until the written tasks have been read.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from lib.files import write_whole

_CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]


def totals(marks: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """Points of each student (rows) in each assignment (columns), and the most of each.

    Parameters
    ----------
    marks : DataFrame
        As :func:`course.mark.mark` returns it.

    Examples
    --------
    >>> row = {"id": "s1", "name": "Ada", "assignment": "a1", "points": 10.0, "of": 15.0,
    ...        "written": 4.0, "written of": 6.0}
    >>> points, most = totals(pd.DataFrame([row]))
    >>> float(points.loc[("s1", "Ada"), "a1"]), float(most["a1"])
    (14.0, 21.0)
    """
    both = marks.assign(
        points=marks["points"] + marks["written"], most=marks["of"] + marks["written of"]
    )
    points = both.pivot(index=["id", "name"], columns="assignment", values="points")
    most = both.groupby("assignment", sort=False)["most"].max()
    return points[most.index], most


def write_gradebooks(marks: pd.DataFrame, out: Path) -> list[Path]:
    """Write ``canvas.csv`` and ``moodle.csv``, whose students are known by their ``id``."""
    points, most = totals(marks)
    percent = (100 * points / most).round(2)
    rows = percent.reset_index(names=["SIS User ID", "Student"])
    possible = {"Student": "    Points Possible", **dict.fromkeys(most.index, 100)}  # for Canvas
    canvas = pd.concat([pd.DataFrame([possible]), rows]).reindex(columns=[*_CANVAS, *most.index])
    moodle = percent.add_suffix(" (percent)").reset_index(names=["ID number", "Name"])
    written = []
    for name, table in {"canvas": canvas, "moodle": moodle}.items():
        written.append(out / f"{name}.csv")
        write_whole(written[-1], table.to_csv(index=False), private=True)
    return written
