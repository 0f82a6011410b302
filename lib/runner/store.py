"""One atomic record a cell, in a journal beside a parquet file.

A finished cell is one line of ``<name>.journal`` (checksum, then JSON), written with a single
``write`` and ``fsync``; a kill leaves at most a torn last line, which readers pass over and the
next writer cuts off. One process at a time writes, held to it by a lock; any number may read,
without it. :meth:`Store.compact` folds the journal into ``<name>.parquet`` by writing a new file
and renaming it over the old one, and only then empties the journal; a kill between the two leaves
the same records twice, and reading drops the second. Both files carry checksums
(:mod:`lib.runner.sealed` for parquet), so damage is refused, not read.
"""

from __future__ import annotations

import json
import os
import stat
import zlib
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd
from filelock import FileLock, Timeout

from lib import validate
from lib.extras import needs
from lib.runner.records import SCORES, kinds_of, plain, refuse_mixture
from lib.runner.sealed import from_bytes, is_sealed, to_bytes
from lib.runner.tidy import as_lists, tidy

KEYS = ("cell", "version")


class StoreError(ValueError):
    """A results file that cannot be used as it is; nothing in it was changed."""


class StoreBusy(StoreError):
    """Another process is writing."""


def _line(record: Mapping) -> bytes:
    body = json.dumps(record, sort_keys=True, allow_nan=True).encode()
    return b"%08x %s\n" % (zlib.crc32(body), body)


def _parse(line: bytes) -> dict | None:
    """The record of a line, or None if the line is damaged."""
    crc, _, body = line.rstrip(b"\n").partition(b" ")
    try:
        whole = int(crc, 16) == zlib.crc32(body) and line.endswith(b"\n")
        return json.loads(body) if whole else None
    except ValueError:
        return None


def _is_record(record: object) -> bool:
    return isinstance(record, dict) and all(isinstance(record.get(key), str) for key in KEYS)


def _fault(frame: pd.DataFrame) -> str:
    """What keeps a table from being one of records; empty if nothing does."""
    if missing := [key for key in KEYS if key not in frame]:
        return f"has no column {' or '.join(missing)}"
    if empty := [
        key for key in KEYS if not frame[key].map(lambda value: isinstance(value, str)).all()
    ]:
        return f"has rows without a {' or '.join(empty)}"
    return "" if frame.columns.is_unique else "has two columns of one name"


def _bytes_of(path: Path) -> bytes | None:
    """What is in a file, or None if it is not there."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # of a pipe, reading never ends
            raise StoreError(f"{path} must be a regular file, got something else")
        return path.read_bytes()
    except FileNotFoundError:
        return None


UNSEALED = "COMPANION_UNSEALED"  # environment variable: 1 believes files without a seal
PROVENANCE = ("commit", "versions", "created")
SOURCES = ("data_source", "data_sha256")


def refuse_bare(frame: pd.DataFrame, path: Path) -> None:
    """Refuse records that do not say what made them, and of which data, unless unsealed files are
    believed. A :class:`StoreError` names the column.
    """
    if os.environ.get(UNSEALED) == "1" or frame.empty:
        return
    said = [c for c in (*PROVENANCE, *SOURCES) if c in frame and frame[c].fillna("").ne("").all()]
    bare = [name for name in PROVENANCE if name not in said]
    sources = [name for name in SOURCES if name in said]
    if "dataset" in frame and not sources:
        bare.append(" or ".join(SOURCES))
    if bare:
        raise StoreError(
            f"{path} must have {' and '.join(bare)} in every record, got some without: nobody can"
            " tell what made them; run the cells again, or believe the file: --unsealed"
        )


class Store:
    """Records of one grid, keyed by their ``cell`` column.

    Parameters
    ----------
    path : Path
        ``.../name.parquet``; the journal lies beside it.
    version : str
        Version of the experiment's code. A store that holds records of another
        version is refused unless ``mix_versions``.

    Raises
    ------
    ValueError
        If ``version`` is no text: a record of another kind would not be read back.
    StoreError
        If a file is damaged (which, where, and what to do) or holds what is no
        record, or if the versions differ. The files stay as they are.
    """

    def __init__(self, path: Path | str, *, version: str, mix_versions: bool = False) -> None:
        if not isinstance(version, str):
            raise validate.refusal("version", "text", version)
        self.path = Path(path)
        self.journal = self.path.with_suffix(".journal")
        self.version = version
        self._mix_versions = mix_versions
        self._lock: FileLock | None = None
        self._kinds: dict[str, str] = {}  # known to the writer only
        self._know_cells()

    def _know_cells(self) -> pd.DataFrame:
        """Read which cells are there, and return their records."""
        frame = self.frame()
        others = sorted(set(frame["version"]) - {self.version}) if len(frame) else []
        if others and not self._mix_versions:
            raise StoreError(
                f"{self.path} holds records of version {', '.join(others)}, this is version"
                f" {self.version!r}; pass mix_versions=True (--mix-versions) to keep both,"
                " or choose another file"
            )
        self._cells = set(frame["cell"]) if len(frame) else set()
        return frame

    def __contains__(self, cell: str) -> bool:
        return cell in self._cells

    def __len__(self) -> int:
        return len(self._cells)

    def append(self, record: Mapping) -> None:
        """Add one finished cell; a cell that is there already is left as it was.

        Raises
        ------
        ValueError
            For a value that is not plain, or of another kind than the field's
            values before; the cell and the field are named, nothing is written.
        StoreBusy
            If another process writes.
        """
        if record["cell"] in self._cells:
            return
        self.become_writer()
        if record["cell"] in self._cells:  # written by another process since this one read
            return
        record = plain(dict(record) | {"version": self.version}, f"cell {record['cell']}")
        kinds = refuse_mixture(record, self._kinds)
        fd = os.open(self.journal, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            line = _line(record)
            if os.write(fd, line) < len(line):  # the disk is full
                self._cut_torn_line()
                raise StoreError(
                    f"{self.journal} took only a part of a record; make room and run again"
                )
            os.fsync(fd)
        finally:
            os.close(fd)
        self._cells.add(record["cell"])
        self._kinds = kinds

    def frame(self) -> pd.DataFrame:
        """All records, one row a cell, in the order they were finished; ``scores`` as lists."""
        # journal first: folded in between the two reads, a record is seen twice rather than never
        journal = pd.DataFrame(self._read_journal())
        parts = [part for part in (self._read_parquet(), journal) if len(part)]
        if not parts:
            return pd.DataFrame()
        frame = pd.concat(parts, ignore_index=True)
        if SCORES in frame and len(journal):
            frame[SCORES] = as_lists(
                chain(*(part.get(SCORES, [None] * len(part)) for part in parts))
            )
        return frame.drop_duplicates("cell", ignore_index=True)

    def compact(self, *, rewrite: bool = False) -> pd.DataFrame:
        """Fold the journal into the parquet file, sorted by cell, and return the table.

        Without a journal there is nothing to do, unless ``rewrite``: then the file is
        written again, which seals one of before there were seals.
        """
        if not self.journal.exists() and not rewrite:
            return self.frame()
        self.become_writer()
        frame = self.frame()
        if frame.empty:
            return frame
        frame = frame.sort_values("cell", ignore_index=True, kind="stable")
        temporary = self.path.with_suffix(".tmp")
        with open(temporary, "wb") as file:
            file.write(to_bytes(frame))
            file.flush()
            os.fsync(file.fileno())  # before the journal goes
        os.replace(temporary, self.path)
        self.journal.unlink(missing_ok=True)
        return frame

    def become_writer(self) -> None:
        """Take the lock, once, cut off what a killed writer left half written, and see what others
        wrote since.

        A sweep does so before its first cell, not to compute what it may not write.
        """
        if self._lock is not None:
            return
        with needs("run"):  # a file that was read without its scores must not be written again
            import pyarrow  # noqa: F401
        self.path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.path.with_suffix(".lock"), timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise StoreBusy(
                f"another process is writing to {self.path}; wait for it or stop it"
            ) from None
        self._lock = lock
        try:
            self._cut_torn_line()
            frame = self._know_cells()
            self._kinds = kinds_of(frame) | (kinds_of(tidy(frame)) if SCORES in frame else {})
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let another process write. The lock also goes with the process, however it ends."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _read_parquet(self) -> pd.DataFrame:
        raw = _bytes_of(self.path)  # at once: a writer may put a new file there meanwhile
        if raw is None:
            return pd.DataFrame()
        try:
            frame = from_bytes(raw)
            fault = _fault(frame)
        except Exception as error:  # pyarrow raises many kinds
            raise StoreError(
                f"{self.path} is damaged, or no readable parquet file ({error}); restore it, the"
                " committed ones from git, or move it away, then run again: the journal was not"
                " touched"
            ) from error
        if fault:
            what = "it is no results file; restore it or move it away"
            raise StoreError(f"{self.path} {fault}: {what}")
        if not (is_sealed(raw) or os.environ.get(UNSEALED) == "1"):
            raise StoreError(
                f"{self.path} must have the seal of a file that the store wrote, got none: it may"
                " have been changed by hand; restore it, or believe it: --unsealed"
            )
        return frame

    def _read_journal(self) -> list[dict]:
        raw = _bytes_of(self.journal)
        if raw is None:  # none yet, or folded in just now
            return []
        lines = raw.splitlines(keepends=True)
        records: list[Any] = [_parse(line) for line in lines]
        if records and records[-1] is None and not lines[-1].endswith(b"\n"):
            records.pop()  # being written, or torn by a kill
        for where, record in enumerate(records, start=1):
            if not _is_record(record):
                fault = "fails its checksum" if record is None else "has no cell or no version"
                raise StoreError(
                    f"{self.journal}, line {where}, {fault}; remove that line to run its cell again"
                )
        return records

    def _cut_torn_line(self) -> None:
        if not self.journal.exists():
            return
        raw = self.journal.read_bytes()
        whole = raw[: raw.rfind(b"\n") + 1]
        if len(whole) < len(raw):
            with open(self.journal, "r+b") as file:
                file.truncate(len(whole))
                os.fsync(file.fileno())
