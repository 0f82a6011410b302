"""The few numbers that the runs of a page are about, beside what they are without privacy: a table
on the page, and that of a rerun with several values (:mod:`press.rerun`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lib import validate
from lib.pages.chapter import show, table_html
from lib.typeset import value_text

if TYPE_CHECKING:
    import pandas as pd

KIND = "application/vnd.companion.headline+json"  # of the output that carries the numbers
Ends = tuple[float, float, float]  # a mean and its interval; NaN bounds for a single run


def in_words(ends: Ends) -> str:
    """A mean with its interval, where it has one.

    Examples
    --------
    >>> in_words((0.5, 0.4, 0.6)), in_words((0.5, float("nan"), float("nan")))
    ('0.5 [0.4, 0.6]', '0.5')
    """
    mean, low, high = map(value_text, ends)
    return mean if ends[1] != ends[1] else f"{mean} [{low}, {high}]"


def headline(runs: pd.DataFrame, without: pd.DataFrame) -> None:
    """Display the mean and the 95% interval (Student's t over runs) of each column.

    Parameters
    ----------
    runs : pandas.DataFrame
        One row for each run of the page, one column for each metric.
    without : pandas.DataFrame
        The same columns without privacy.

    Raises
    ------
    ValueError
        If a column of ``runs`` is not in ``without``.
    """
    import pandas as pd

    from lib.stats.summary import mean_interval

    for name in runs:
        validate.choice("metric", name, list(without))
    body = {
        str(name): [mean_interval(frame[name].to_numpy()) for frame in (runs, without)]
        for name in runs
    }
    shown = pd.DataFrame(
        [(name, *map(in_words, both)) for name, both in body.items()],
        columns=["metric", f"here ({len(runs)} runs)", f"without privacy ({len(without)} runs)"],
    )
    html = table_html(shown, "Means with 95% intervals.")
    show({KIND: body, "text/html": html, "text/plain": shown.to_string()})
