"""A number about a group by both yardsticks: rows that a model saw, and people held out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lib.stats.summary import interval_words

if TYPE_CHECKING:
    import pandas as pd


def sign(row: pd.Series) -> int:
    """1 or -1 where the whole interval of a row (``mean``, ``low``, ``high``) is on that side of 0,
    else 0.
    """
    return int(row["low"] > 0) - int(row["high"] < 0)


def by_both(
    name: str, seen: pd.Series, held: pd.Series, *, differs: bool = False
) -> dict[str, str]:
    """Both numbers in words, as ``seen_NAME`` and ``held_NAME``, for a sentence that says what is
    so by both yardsticks.

    Parameters
    ----------
    name : str
    seen, held : Series
        ``mean``, ``low`` and ``high`` on the rows that the model saw and on people held out.
    differs : bool
        Whether the sentence says that the two disagree: that they have other signs, or that only
        one of them is clear of 0.

    Raises
    ------
    AssertionError
        If the two disagree and the sentence does not say so, or the other way round.

    Examples
    --------
    >>> import pandas as pd
    >>> seen = pd.Series({"mean": 0.79, "low": 0.6, "high": 0.97})
    >>> by_both("AIM", seen, seen / 4)
    {'seen_AIM': '+0.79 [+0.60, +0.97]', 'held_AIM': '+0.20 [+0.15, +0.24]'}
    """
    words = {
        f"{which}_{name}": interval_words(row, "+.2f").replace("-", "−")
        for which, row in (("seen", seen), ("held", held))
    }
    if (sign(seen) != sign(held)) != differs:
        says = "must not say" if differs else "must say"
        raise AssertionError(
            f"the sentence about {name} {says} that the two yardsticks disagree: {words}"
        )
    return words
