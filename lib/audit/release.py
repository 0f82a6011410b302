"""Releases of an audit: how one is read, what of it the audited file does not know, and a curator
that is rerun.

A learner matches a release to people by its values. Values that the file does
not hold match nobody, so a release of the people themselves, spelt otherwise,
would look harmless. Such a release is refused, or the report says so.
"""

from __future__ import annotations

import hashlib
import pickle
import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from lib.audit.schema import TARGET, Schema, read_csv

__all__ = ["Reading", "Command", "Kept", "read_release", "unknown_values", "warnings_about"]

# share of released values unknown to the file from which the report warns; noise or bands on
# numbers are usual
LOUD = {"sensitive": 0.0, "category": 0.05, "number": 0.5}


@dataclass(frozen=True)
class Reading:
    """A release as the learners get it.

    Parameters
    ----------
    table : DataFrame
        As :meth:`~lib.audit.schema.Schema.typed` gives it.
    unknown : DataFrame
        As :meth:`~lib.audit.schema.Schema.unknown` gives it.
    dropped : int
        Rows without a sensitive value.
    constant : bool
        Whether all rows have the same answer, so that a learner of the answer learns a constant.
    other : tuple of str
        Columns that the audited file does not have.
    """

    table: pd.DataFrame
    unknown: pd.DataFrame
    dropped: int
    constant: bool
    other: tuple[str, ...] = ()


def read_release(raw: pd.DataFrame, schema: Schema, release: str, file: str) -> Reading:
    """A release by the rules of the audited file.

    Raises
    ------
    ValueError
        For a release without the sensitive column, without a row that has it,
        without a positive row while sensitive values are unknown, and for a
        category of the lens of which no released value occurs in the file.
    """
    if schema.sensitive not in raw.columns:
        raise ValueError(
            f"{release} has no column {schema.sensitive!r}: nothing about it can be learnt from it"
        )
    kept = schema.kept(raw)
    if kept.empty:
        raise ValueError(f"{release} has no row with a value of {schema.sensitive!r}")
    table, unknown = schema.typed(kept, release), schema.unknown(kept, release)
    answers = unknown.iloc[0]
    if answers["unknown"] and not table[TARGET].any():
        raise ValueError(
            f"{release} has no row with {schema.sensitive} = {schema.positive!r}, and values of"
            f" {schema.sensitive!r} that {file} does not have, such as {answers['example']!r}; the"
            " release must be written with the file's values"
        )
    for row in unknown.to_dict("records"):
        if row["unknown"] == row["rows"] and row["read as"] == "category":
            raise ValueError(
                f"{release}: no value of the column {row['column']!r} occurs in {file} (the first"
                f" is {row['example']!r}), so nobody could be matched by it; write it with the"
                " file's values, or leave the column out (type ignore, or lens)"
            )
    columns = {schema.sensitive, *(column.name for column in schema.columns)}
    other = tuple(name for name in raw.columns if name not in columns)
    return Reading(table, unknown, len(raw) - len(kept), table[TARGET].nunique() < 2, other)


def unknown_values(readings: Sequence[Reading]) -> pd.DataFrame:
    """:attr:`Reading.unknown` added up over releases, with the ``share`` of unknown values."""
    found = pd.concat([reading.unknown for reading in readings]).groupby("column", sort=False)
    table = found.agg(
        {"read as": "first", "rows": "sum", "unknown": "sum", "example": "max"}
    ).reset_index()
    return table.assign(share=table["unknown"] / table["rows"])


def warnings_about(readings: Sequence[Reading], schema: Schema, file: str) -> tuple[str, ...]:
    """What makes no flag say less than it seems: sentences for the top of the report."""
    if not readings:
        return ()
    told = [
        f"Warning: {row['share']:.1%} of the released values of {row['column']} do not occur in"
        f" {file} (such as {row['example']!r}). No learner can match these to anybody, so what"
        " leaks through them is not seen."
        for row in unknown_values(readings).to_dict("records")
        if row["share"] > LOUD[row["read as"]]
    ]
    if flat := sum(reading.constant for reading in readings):
        which = (
            "The release holds"
            if len(readings) == 1
            else f"{flat} of {len(readings)} releases hold"
        )
        told.append(
            f"Warning: {which} one value only of {schema.sensitive}, as {schema.positive!r} against"
            " the rest. A learner of that column learns a constant there, and a constant is never"
            " flagged."
        )
    return tuple(told)


@dataclass(frozen=True)
class Command:
    """A curator outside this program: ``command`` turns the CSV at ``{half}`` into one at
    ``{release}``.

    ``raw`` has the rows of the typed table, in its order and spelt as in the file; no shell is
    involved.
    """

    command: str
    raw: pd.DataFrame
    schema: Schema

    def __call__(self, half: pd.DataFrame, seed: int) -> Reading:
        with tempfile.TemporaryDirectory(prefix="audit-") as folder:
            source, target = Path(folder) / "half.csv", Path(folder) / "release.csv"
            self.raw.loc[half.index].to_csv(source, index=False)
            places = {"{half}": str(source), "{release}": str(target), "{seed}": str(seed)}
            words = shlex.split(self.command)
            for mark, place in places.items():
                words = [word.replace(mark, place) for word in words]
            try:
                done = subprocess.run(
                    words,
                    capture_output=True,
                    text=True,
                    encoding="utf-8",
                    errors="replace",
                    check=False,
                )
            except OSError as error:
                raise ValueError(
                    f"curator={self.command!r} could not be started: {error}"
                ) from error
            if done.returncode or not target.is_file():
                last = (done.stderr.strip().splitlines() or ["no message"])[-1]
                raise ValueError(
                    f"curator={self.command!r} ended with {done.returncode} and made no release:"
                    f" {last}"
                )
            return read_release(read_csv(target), self.schema, "the curator's release", "the file")


@dataclass(frozen=True)
class Kept:
    """A curator's release of each half, made once and kept in ``folder``: every learner, and the
    figures, read the same one.
    """

    curator: Command
    folder: Path

    def __call__(self, half: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        seed = int(rng.integers(2**31))
        key = hashlib.blake2b(
            half.index.to_numpy().tobytes() + seed.to_bytes(4, "big"), digest_size=16
        ).hexdigest()
        place = self.folder / f"{key}.pickle"
        if (
            not place.is_file()
        ):  # nobody else makes this one: a split is one job, and learners come one after the other
            place.write_bytes(pickle.dumps(self.curator(half, seed)))
        return pickle.loads(place.read_bytes()).table

    def readings(self) -> tuple[Reading, ...]:
        """Of all releases made so far, without their rows."""
        found = (pickle.loads(place.read_bytes()) for place in sorted(self.folder.glob("*.pickle")))
        return tuple(replace(reading, table=reading.table.head(0)) for reading in found)
