"""Write the draft of a schema for a table: which columns there are, and what each may hold.

A draft is read off the data, so it is NOT private: replace its values and ranges by what anybody
could know (a questionnaire, a code book, a law) before you spend a budget on it.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lib import validate
from lib.cli import pair
from lib.files import ONE_A_PERSON, printable, write_whole
from lib.table.columns import KINDS, Column, decisions, in_lines, read_column
from lib.table.kinds import Category, Coded, Date, Number
from lib.table.reading import read_file
from lib.table.schema import IGNORE, schema_text

BINS = 20  # of a number in a draft; a number of more than such a share of people is a spike
WARNING = (
    "The values, ranges, edges and spikes below were read off the data. They are NOT private: a"
    " largest income is somebody's.\nReplace each by what is known without the data, before you fit"
    " anything.\nNo budget pays for what a schema reveals."
)
_HEAD = """\

A column is one of
  {values: [f, m], missing: true, gaps: ['?'], other: another}  # codes for a gap, for all others
  {low: 0, high: 100, bins: 20, whole: true, clip: true, missing: true}  # evenly drawn in a bin
  {low: 0, high: 900000, edges: [10000, 50000], spikes: [0]}  # bins by edges, point masses
  {first: 2024-01-01, last: 2024-12-31, by: month, format: '%d.%m.%Y'}  # days that exist
  ignore  # no part of the release
Values that are not stated are refused, without 'other' or 'clip'; gaps are, without 'missing'.
"""


def add_arguments(parser: ArgumentParser) -> None:
    """The table, and where the draft goes."""
    parser.description = __doc__
    option = parser.add_argument
    option("file", type=Path, help=ONE_A_PERSON)
    option("--out", type=Path, required=True, metavar="YML", help="a new file")
    option(
        "--columns", nargs="+", default=[], metavar="COL=TYPE", help="text, number, date or ignore"
    )
    option("--gaps", nargs="+", metavar="TEXT", help="else NA and the like among numbers")
    option("--encoding", metavar="NAME", help="of a CSV that is not UTF-8, such as cp1252")


def run(args: Namespace) -> int:
    """Write the draft, readable by its owner alone, say how each column was read, and warn."""
    validate.require(not args.out.exists(), "out", "a file that is not there yet", str(args.out))
    raw, kinds = read_file(args.file, encoding=args.encoding), {}
    for word in args.columns:
        name, kind = pair("columns", word)
        validate.choice("column", name, raw.columns)
        kinds[name] = validate.choice(f"kind of {name}", kind, KINDS)
    columns = [read_column(raw[name], kinds.get(name), gaps=args.gaps) for name in raw]
    write_whole(args.out, draft(raw, columns), private=True)
    kept = [column.texts(raw).isna() for column in columns if column.kind != IGNORE]
    gaps = np.any([np.zeros(len(raw), dtype=bool), *kept], axis=0)
    print(*raw.attrs["notes"], in_lines(decisions(columns)), sep="\n")
    share = f"{gaps.sum():,} of {len(raw):,} ({gaps.mean():.1%})"
    print(f"People with a gap in a column that is not ignored: {share}.")
    print(f"\n{WARNING}\n\nThe draft: {args.out}")
    return 0


def draft(raw: pd.DataFrame, columns: Sequence[Column] | None = None) -> str:
    """A schema in YAML, by one rule of what is a number and what an identifier.

    Parameters
    ----------
    raw : DataFrame
        From :func:`lib.table.reading.read_file`.
    columns : sequence of Column, optional
        How its columns are read, if otherwise than by the rule.

    Examples
    --------
    >>> draft(pd.DataFrame({"sex": ["f", "m"] * 3})).splitlines()[-2:]
    ['sex:', '  values: [f, m]']
    """
    lines = [*(f"# {line}".rstrip() for line in (WARNING + _HEAD).splitlines()), ""]
    for column in [read_column(raw[name]) for name in raw] if columns is None else columns:
        try:
            text = schema_text({column.name: _entry(column, raw)})
        except ValueError as error:
            raise ValueError(f"column {column.name!r}: {error} (--columns may say other)") from None
        lines += [f"# {printable(column.why)}", text.rstrip()]
    return "\n".join(lines) + "\n"


def _entry(column: Column, raw: pd.DataFrame) -> Coded | str:
    """What a column as read may hold, or that it is not coded."""
    if column.kind == IGNORE:
        return IGNORE
    missing, gaps = column.missing > 0, column.gap_texts
    if column.kind == "category":
        numbers = pd.to_numeric(column.values, errors="coerce")  # whole ones stay exact
        values = column.values[np.lexsort((column.values, numbers))]
        if values.str.fullmatch(r"0|-?[1-9]\d{0,14}").all():
            values = [*map(int, values)]
        return Category(values=tuple(values), missing=missing, gaps=gaps if missing else ())
    if column.kind == "date":
        first, last = min(column.values), max(column.values)
        spans = {"day": 73, "month": 5 * 365, "quarter": 15 * 365, "year": np.inf}
        return Date(
            first=str(np.datetime64(int(first), "D")),
            last=str(np.datetime64(int(last), "D")),
            by=next(by for by, span in spans.items() if last - first < span),
            format=column.form,
            clip=True,
            missing=missing,
            gaps=gaps,
        )
    return _number(column, raw, clip=True, missing=missing, gaps=gaps, decimal=column.decimal)


def _number(column: Column, raw: pd.DataFrame, **more: Any) -> Number:
    """Spikes, bins by quantiles of all other numbers, and the column's own digits."""
    numbers, texts = column.cells(raw, "the file").dropna(), column.texts(raw).astype(object)
    low, high = numbers.min(), numbers.max()
    whole = bool((numbers % 1 == 0).all()) and max(abs(low), abs(high)) < 2**53
    if whole and high - low < 2 * BINS:
        return Number(low=low, high=high, bins=int(high - low) + 1, whole=True, **more)
    shares = numbers.value_counts(normalize=True)
    spikes = sorted(shares.index[shares >= 1 / BINS])
    others = numbers[~numbers.isin(spikes)]
    if others.nunique() < 2:
        others, spikes = numbers, []
    low, high = others.min(), others.max()
    edges = others.quantile(np.arange(1, BINS) / BINS, interpolation="higher").unique()
    edges = edges[(low < edges) & (edges < high)]
    more |= {"edges": tuple(edges)} if len(edges) else {"bins": 1}
    digits = int(texts.str.extract(r"[.,](\d*)$", expand=False).str.len().fillna(0).max())
    plain = digits <= 6 and max(abs(low), abs(high)) * 10**digits < 2**53
    if not whole and plain and not texts.str.contains("[eE]").any():
        more["digits"] = digits
    return Number(low=low, high=high, spikes=tuple(spikes), whole=whole, **more)
