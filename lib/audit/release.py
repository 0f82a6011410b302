"""Releases of an audit: reading one by the audited file's rules, and rerunning a curator.

A learner matches a release to people by its values. Values that the file does not hold match
nobody, so a release of the people themselves in other words would look harmless. Such a release is
refused, or the report warns of it.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from subprocess import TimeoutExpired

import joblib
import numpy as np
import pandas as pd

from lib import programs, validate
from lib.audit.request import Request, command_words
from lib.audit.schema import TARGET, Schema
from lib.files import shown, write_whole
from lib.table.reading import read_file, repeated

FEW_ROWS = 20  # of a release, below which nothing can be said of it
# share of released values unknown to the file from which the report warns; noise or bands on
# numbers are usual
LOUD = {"sensitive": 0.0, "category": 0.05, "number": 0.5, "date": 0.5}


@dataclass(frozen=True)
class Release:
    """A release as the learners get it.

    Parameters
    ----------
    table : DataFrame
        As :meth:`~lib.audit.schema.Schema.typed_table` gives it.
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
    other: tuple[str, ...]


def read_release(raw: pd.DataFrame, schema: Schema, release: str, file: str) -> Release:
    """A release by the rules of the audited file; ``release`` and ``file`` are their names.

    Raises
    ------
    ValueError
        For a release without the sensitive column, without a row that has it, without a positive
        row while sensitive values are unknown, and for a category of the lens of which no released
        value occurs in the file.
    """
    validate.choice(f"sensitive column of {release}", schema.sensitive, raw.columns)
    rows = raw[schema.answer.texts(raw).notna()].reset_index(drop=True)
    validate.require(len(rows) > 0, release, f"with a value of {schema.sensitive!r}", "none")
    table, unknown = schema.typed_table(rows, release), schema.unknown(rows, release)
    answers = unknown.iloc[0]
    if answers["unknown"] and not table[TARGET].any():
        raise ValueError(
            f"{release} must have a row with {schema.sensitive} = {schema.positive!r}, got none,"
            f" and values of {schema.sensitive!r} that {file} does not have, such as"
            f" {shown(answers['example'])}; write it with the file's values"
        )
    strange = (unknown["unknown"] == unknown["rows"]) & (unknown["read as"] == "category")
    for row in unknown[strange].itertuples():
        raise ValueError(
            f"{release}: the column {row.column!r} must have a value that occurs in {file}, got"
            f" none (the first is {shown(row.example)}), so nobody could be matched by it; write it"
            " with the file's values, or leave the column out (type ignore, or lens)"
        )
    known = [schema.sensitive, *(column.name for column in schema.columns)]
    other = tuple(raw.columns.drop(known, errors="ignore"))
    dropped, constant = len(raw) - len(rows), table[TARGET].nunique() < 2
    return Release(table, unknown, dropped, constant, other)


def unknown_values(releases: Sequence[Release]) -> pd.DataFrame:
    """:attr:`Release.unknown` added up over releases, with the ``share`` of unknown values."""
    columns = pd.concat([release.unknown for release in releases]).groupby("column", sort=False)
    how = {"read as": "first", "rows": "sum", "unknown": "sum", "example": "max"}
    table = columns.agg(how).reset_index()
    return table.assign(share=table["unknown"] / table["rows"])


def warnings_about(
    releases: Sequence[Release], schema: Schema, request: Request
) -> tuple[str, ...]:
    """Why "no flag" means less than it seems: sentences for the top of the report."""
    warnings = [
        f"Warning: the column {column.name} of {request.file.name} is not read as numbers"
        f" ({column.why}). If it has numbers, give the others as --gaps, or mend them."
        for column in schema.columns
        if column.mixed
    ]
    for row in unknown_values(releases).to_dict("records") if releases else ():
        if row["share"] > LOUD[row["read as"]]:
            such_as = f" (such as {row['example']!r})" if request.show_small else ""
            warnings.append(
                f"Warning: {row['share']:.1%} of the released values of {row['column']} do not"
                f" occur in {request.file.name}{such_as}. No learner can match these to anybody, so"
                " what leaks through them is not seen."
            )
    fewest = min((r.unknown["rows"].iloc[0] for r in releases), default=FEW_ROWS)
    if fewest < FEW_ROWS:
        warnings.append(
            f"Warning: a release of {fewest} rows cannot be judged, because no learner learns"
            f" anything of fewer than {FEW_ROWS}."
        )
    if constant := sum(release.constant for release in releases):
        several = f"{constant} of {len(releases)} releases hold"
        warnings.append(
            f"Warning: {several if len(releases) > 1 else 'The release holds'} one value only of"
            f" {schema.sensitive}, as {schema.positive_name!r} against the rest. A learner of that"
            " column learns a constant there, and a constant is never flagged."
        )
    if request.cluster is not None:
        warnings.append(
            "Warning: the table of epsilon is for people who are drawn one by one; nothing is"
            " proved here for households."
        )
    return tuple(warnings)


@dataclass(frozen=True)
class Curator:
    """A program that makes a release of a half; every learner, and the figures, read the same one.

    It is contained where bubblewrap works (:mod:`lib.programs`).

    Parameters
    ----------
    request : Request
        Its ``curator`` turns the CSV at ``{half}`` into one at ``{release}``; no shell is involved.
        Its ``timeout`` are the seconds after which a run is ended, with all that it has started.
    raw : DataFrame
        The rows of the typed table, in its order and as written in the file.
    schema : Schema
    folder : Path
        Where releases stay, so that each is made once; nobody else should be able to read it.
    contained : bool
        As :func:`lib.programs.containment` gives it.
    """

    request: Request
    raw: pd.DataFrame
    schema: Schema
    folder: Path
    contained: bool

    def __call__(self, half: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        return self.release(half, rng).table

    def release(self, half: pd.DataFrame, rng: np.random.Generator) -> Release:
        """The release of a half; the same one for the same half and stream."""
        seed = int(rng.integers(2**31))
        place = self.folder / f"{joblib.hash((half.index.to_numpy(), seed))}.pickle"
        # nobody else makes this one: a split is one job, and learners come one after the other
        if not place.is_file():
            write_whole(place, pickle.dumps(self._release(half, seed)), private=True)
        return pd.read_pickle(place)

    def releases(self) -> tuple[Release, ...]:
        """All releases made so far, without their rows."""
        made = (pd.read_pickle(place) for place in sorted(self.folder.glob("*.pickle")))
        return tuple(replace(release, table=release.table.head(0)) for release in made)

    def _release(self, half: pd.DataFrame, seed: int) -> Release:
        # what is killed may still write for a moment
        with tempfile.TemporaryDirectory(dir=self.folder, ignore_cleanup_errors=True) as folder:
            source, target = Path(folder) / "half.csv", Path(folder) / "release.csv"
            write_whole(source, self.raw.loc[half.index].to_csv(index=False), private=True)
            command, seconds = self.request.curator, self.request.timeout
            words = command_words(command)
            named = [path for word in words if (path := Path(word)).is_file()]
            words = [str(Path(w).absolute()) if Path(w) in named else w for w in words]
            for mark, text in {"half": source, "release": target, "seed": seed}.items():
                words = [word.replace(f"{{{mark}}}", str(text)) for word in words]
            try:
                done = programs.run(
                    words,
                    Path(folder),
                    seconds=seconds,
                    contained=self.contained,
                    see=[*named, *self.request.reads],
                )
            except TimeoutExpired as error:
                raise ValueError(
                    f"curator must make a release within {seconds:g} seconds, the timeout, got"
                    f" none from {command!r}"
                ) from error
            except OSError as error:
                raise ValueError(
                    f"curator must be a command that can be started ({error}), got {command!r}"
                ) from error
            # a link leads to what the curator itself could not read
            if done.returncode or target.is_symlink() or not target.is_file():
                last = (done.stderr.strip().splitlines() or ["no message"])[-1]
                raise ValueError(
                    f"curator must make a release, got exit status {done.returncode} and none from"
                    f" {command!r}: {last}"
                )
            rows, name, count = read_file(target), "the curator's release", self.request.count
            rows = repeated(rows, count, name) if count in rows else rows
            return read_release(rows, self.schema, name, "the file")
