"""Write the draft of a schema for a CSV: which columns there are, and what each may hold.

A draft is read off the data, so it is NOT private: replace its values and ranges by what anybody
could know (a questionnaire, a code book, a law) before you spend a budget on it.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

import numpy as np
import pandas as pd

from lib import validate
from lib.files import printable, write_whole
from lib.table.coding import IGNORE, entry_text
from lib.table.columns import Column, read_column
from lib.table.reading import read_file

BINS = 20  # of a number in a draft
WARNING = (
    "The values and ranges below were read off the data. They are NOT private: a largest income is"
    " somebody's.\nReplace each by what is known without the data, before you fit anything.\nNo"
    " budget pays for what a schema reveals."
)
_HEAD = """\

A column is one of
  {values: [f, m], missing: true, other: another}  # codes for a gap and for all other values
  {low: 0, high: 100, bins: 20, whole: true, clip: true, missing: true}  # evenly drawn in a bin
  ignore  # no part of the release
Values that are not stated are refused, without 'other' or 'clip'; gaps are, without 'missing'.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """The table, and where the draft goes."""
    parser.description = __doc__
    parser.add_argument(
        "file", type=Path, help="CSV (UTF-8, a header and one row a person) or .parquet"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="YML", help="a new file")


def run(args: Namespace) -> int:
    """Write the draft, readable by its owner alone, and warn."""
    validate.require(not args.out.exists(), "out", "a file that is not there yet", str(args.out))
    write_whole(args.out, draft(read_file(args.file)), private=True)
    print(f"{WARNING}\n\nThe draft: {args.out}")
    return 0


def draft(raw: pd.DataFrame) -> str:
    """A schema in YAML, by one rule of what is a number and what an identifier.

    Parameters
    ----------
    raw : DataFrame
        From :func:`lib.table.reading.read_file`.

    Examples
    --------
    >>> draft(pd.DataFrame({"sex": ["f", "m"] * 3})).splitlines()[-2:]
    ['sex:', '  values: [f, m]']
    """
    lines = [*(f"# {line}".rstrip() for line in (WARNING + _HEAD).splitlines()), ""]
    for name in raw:
        column = read_column(raw[name])
        text = entry_text(name, _entry(column))
        lines += [f"# {printable(column.why)}", text.rstrip()]
    return "\n".join(lines) + "\n"


def _entry(column: Column) -> dict | str:
    """The parameters of a column as read, or that it is not coded."""
    if column.kind == IGNORE:
        return IGNORE
    gaps = {"missing": True} if column.missing else {}
    if column.kind == "category":
        numbers = pd.to_numeric(column.values, errors="coerce")  # whole ones stay exact
        order = np.lexsort((column.values, numbers))
        return {"values": column.values[order].tolist(), **gaps}
    low, high = float(column.values.min()), float(column.values.max())
    whole = bool((column.values % 1 == 0).all()) and max(abs(low), abs(high)) < 2**53
    entry = {"low": low, "high": high, "bins": BINS}
    if whole:
        low, high = int(low), int(high)
        entry = {"low": low, "high": high, "bins": min(BINS, high - low + 1), "whole": True}
    return {**entry, "clip": True, **gaps}
