"""Which mechanism suffers most in session three's first live run: its page's own cells, over seeds.

``python -m course.suffers`` runs them on the replica and on the real table, and stores the errors.
"""

from __future__ import annotations

import os
from typing import Any

import pandas as pd

from course.sessions import COURSE, sessions
from lib.files import write_whole
from lib.stats.summary import mean_interval
from press.rerun import chapter, requested
from press.toc import read_notebook, tags

STORED = COURSE / "suffers.csv"
SEEDS = range(1, 41)
MECHANISMS = ["MST", "AIM", "GEM"]
_BESIDE = {"remove-input", "hide-input", "live", "solution"}  # cells that only print or draw


def one_run(*, live: bool, **parameters) -> dict[str, Any]:
    """The mean error of each mechanism on the page, as in the book or as the ``live`` run changes
    it, and which table it was.
    """
    name, *words = sessions()[2].live[0]["run"].split()
    page = chapter(name)
    space: dict[str, Any] = {}
    for cell in read_notebook(page.notebook).cells:
        if cell.cell_type == "code" and not tags(cell) & _BESIDE and "errors" not in space:
            exec(cell.source, space)
            if "parameters" in tags(cell):
                space |= parameters | (requested(page, words)[0] if live else {})
    errors = {name: space["errors"][name].mean() for name in MECHANISMS}
    return {"data": space["own"].source, "live": live} | errors


def in_words(runs: pd.DataFrame) -> dict[str, list[str]]:
    """By table and mechanism, the rise of the error and its factor, paired by seed: means with 95%
    intervals, as the plan prints them.
    """
    wide = {live: own.set_index(["data", "seed"])[MECHANISMS] for live, own in runs.groupby("live")}
    changes = wide[True] - wide[False], wide[True] / wide[False]
    return {
        f"{table}, {name}": [
            "{:.2f} ({:.2f} to {:.2f})".format(*mean_interval(change.loc[table, name]))
            for change in changes
        ]
        for table in runs["data"].unique()
        for name in MECHANISMS
    }


def main() -> None:
    """Run every seed on both tables, as in the book and live, and store the errors."""
    os.environ.setdefault("COMPANION_OFFLINE", "1")  # a local table is read, not downloaded
    runs = [
        {"seed": seed} | one_run(live=live, seed=seed, source=source)
        for source in ("replica", "local")
        for seed in SEEDS
        for live in (False, True)
    ]
    write_whole(STORED, pd.DataFrame(runs).to_csv(index=False, float_format="%.6f"))
    for place, words in in_words(pd.read_csv(STORED)).items():
        print(place, *words, sep=": ")


if __name__ == "__main__":
    main()
