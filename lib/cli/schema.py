"""Write the draft of a schema for a table: which columns there are, and what each may hold.

A draft is read off the data, so it is NOT private: replace its values and ranges by what anybody
could know (a questionnaire, a code book, a law) before you spend a budget on it.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from lib import validate
from lib.files import printable, write_whole
from lib.table.columns import KINDS, Column, decisions, in_lines, read_column
from lib.table.reading import ISO, MISSING, read_file
from lib.table.schema import IGNORE, entry_text

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
    option(
        "file", type=Path, help="one row a person: CSV with a header (or .gz), .parquet or .xlsx"
    )
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
        name, _, kind = word.rpartition("=")
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
        text = entry_text(column.name, _entry(column, column.texts(raw)))
        lines += [f"# {printable(column.why)}", text.rstrip()]
    return "\n".join(lines) + "\n"


def _entry(column: Column, texts: pd.Series) -> dict | str:
    """The parameters of a column as read, or that it is not coded."""
    if column.kind == IGNORE:
        return IGNORE
    gaps: dict[str, object] = {"missing": True} if column.missing else {}
    usual = () if column.kind == "category" else MISSING
    if column.gap_texts not in ((), usual) and column.missing:
        gaps["gaps"] = [*column.gap_texts]
    if column.kind == "category":
        numbers = pd.to_numeric(column.values, errors="coerce")  # whole ones stay exact
        values = column.values[np.lexsort((column.values, numbers))]
        plain = values.str.fullmatch(r"0|-?[1-9]\d{0,14}").all()
        return {"values": [int(value) if plain else value for value in values], **gaps}
    if column.kind == "date":
        return _dates(column) | gaps
    return _number(column, texts.dropna().astype(object)) | gaps


def _dates(column: Column) -> dict[str, object]:
    first, last = (np.datetime64(int(day), "D") for day in (min(column.values), max(column.values)))
    years = (last - first).astype(int) / 365
    by = "day" if years < 0.2 else "month" if years < 5 else "quarter" if years < 15 else "year"
    written = {} if column.form == ISO else {"format": column.form}
    return {"first": str(first), "last": str(last), "by": by, **written, "clip": True}


def _number(column: Column, texts: pd.Series) -> dict[str, object]:
    """Spikes, bins by quantiles of all other numbers, and the column's own digits."""
    numbers = column.cells(texts.to_frame(), "the file")
    decimals = texts.str.extract(r"[.,](\d*)$", expand=False).str.len().fillna(0).max()
    whole = bool((numbers % 1 == 0).all()) and bool(numbers.abs().max() < 2**53)
    digits = int(decimals) if not texts.str.contains("[eE]").any() and decimals <= 6 else None
    shares = numbers.value_counts(normalize=True).sort_index()
    spikes = shares.index[shares >= 1 / BINS]
    others = numbers[~numbers.isin(spikes)]
    low, high = numbers.min(), numbers.max()
    entry: dict[str, object] = {}
    if (whole and high - low < 2 * BINS) or others.nunique() < 2:
        entry = {"low": low, "high": high, "bins": BINS}
        entry["bins"] = int(high - low) + 1 if whole and high - low < 2 * BINS else BINS
        spikes = spikes[:0]
    else:
        low, high = others.min(), others.max()
        edges = others.quantile(np.arange(1, BINS) / BINS, interpolation="higher").unique()
        entry = {"low": low, "high": high, "edges": [e for e in edges if low < e]}
        if not entry["edges"]:
            entry = {"low": low, "high": high, "bins": 1}
    if len(spikes):
        entry["spikes"] = [*spikes]
    written = {"decimal": ","} if column.decimal == "," else {}
    if whole:
        plain = {key: _whole(value) for key, value in entry.items()}
        return plain | {"whole": True, "clip": True} | written
    fits = digits is not None and max(abs(low), abs(high)) * 10**digits < 2**53
    held = {"digits": digits} if fits else {}
    plain = {k: [*map(float, v)] if isinstance(v, list) else v for k, v in entry.items()}
    plain |= {"low": float(low), "high": float(high)}
    return plain | held | {"clip": True} | written


def _whole(value: object) -> object:
    return [*map(int, value)] if isinstance(value, list) else int(value)  # type: ignore[call-overload]
