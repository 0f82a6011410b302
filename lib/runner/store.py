"""One atomic record a cell, in a journal beside a parquet file.

A finished cell is one line of ``<name>.journal`` (:mod:`lib.runner.journal`). One process at a time
writes, held to it by a lock (:mod:`lib.runner.lock`); any number may read, without it.
:meth:`Store.compact` folds the journal into ``<name>.parquet`` by writing a new file and renaming
it over the old one, and only then empties the journal; a kill between the two leaves the same
records twice, and reading drops the second. A second one that says something else is refused. Both
files carry checksums (:mod:`lib.runner.sealed` for parquet), so damage is refused, not read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from glob import escape
from itertools import chain
from pathlib import Path

import pandas as pd

from lib import validate
from lib.extras import needs
from lib.runner import journal
from lib.runner.agreement import refuse_two_values
from lib.runner.errors import StoreError
from lib.runner.lock import WriterLock
from lib.runner.records import SCORES, kinds_of, plain, refuse_mixture
from lib.runner.sealed import from_bytes, is_sealed, to_bytes
from lib.runner.tidy import as_lists, tidy


def _fault(frame: pd.DataFrame) -> str:
    """What keeps a table from being one of records; empty if nothing does."""
    if missing := [key for key in journal.KEYS if key not in frame]:
        return f"has no column {' or '.join(missing)}"
    if empty := [key for key in journal.KEYS if not all(isinstance(v, str) for v in frame[key])]:
        return f"has rows without a {' or '.join(empty)}"
    return "" if frame.columns.is_unique else "has two columns of one name"


UNSEALED = "COMPANION_UNSEALED"  # environment variable: 1 believes files without a seal
PROVENANCE = ("commit", "versions", "created")
SOURCES = ("data_source", "data_sha256")


def _kinds(frame: pd.DataFrame) -> dict[str, str]:
    """The kinds of all fields, those of the scores among them."""
    return kinds_of(frame) | (kinds_of(tidy(frame)) if SCORES in frame else {})


def refuse_bare(frame: pd.DataFrame, path: Path) -> None:
    """Refuse records that do not say what made them, and of which data, unless unsealed files are
    believed. A :class:`StoreError` names the column.
    """
    if os.environ.get(UNSEALED) == "1" or frame.empty:
        return
    said = {c for c in (*PROVENANCE, *SOURCES) if c in frame and frame[c].fillna("").ne("").all()}
    bare = [name for name in PROVENANCE if name not in said]
    if "dataset" in frame and said.isdisjoint(SOURCES):
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
        self._lock: WriterLock | None = None
        self._kinds: dict[str, str] = {}  # known to the writer only
        self._know_cells()

    def _know_cells(self) -> pd.DataFrame:
        """Read which cells are there, and return their records."""
        frame = self.frame()
        others = sorted(set(frame["version"]) - {self.version})
        if others and not self._mix_versions:
            raise StoreError(
                f"{self.path} holds records of version {', '.join(others)}, this is version"
                f" {self.version!r}; pass mix_versions=True (--mix-versions) to keep both,"
                " or choose another file"
            )
        self._cells = set(frame["cell"])
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
        lock = self.become_writer()
        if record["cell"] in self._cells:  # written by another process since this one read
            return
        record = plain(dict(record) | {"version": self.version}, f"cell {record['cell']}")
        kinds = refuse_mixture(record, self._kinds)
        with lock.alone():  # or another process may fold the journal without this line
            journal.append(self.journal, record)
            lock.refuse_lost()
        self._cells.add(record["cell"])
        self._kinds = kinds

    def frame(self) -> pd.DataFrame:
        """All records, one row a cell, in the order they were finished; ``scores`` as lists."""
        # journal first: folded in between the two reads, a record is seen twice rather than never
        records = journal.read(self.journal)
        stored, new = self._read_parquet(), pd.DataFrame(records)
        if records:
            journal.refuse_mixtures(self.journal, records, _kinds(stored))
        both = {self.path: stored, self.journal: new}
        parts = {path: part for path, part in both.items() if len(part)}
        if not parts:
            return pd.DataFrame(columns=[*journal.KEYS])
        refuse_two_values(parts.items())
        frame = pd.concat(parts.values(), ignore_index=True)
        if SCORES in frame and records:
            lists = (part.get(SCORES, [None] * len(part)) for part in parts.values())
            frame[SCORES] = as_lists(chain(*lists))
        return frame.drop_duplicates("cell", ignore_index=True)

    def compact(self, *, rewrite: bool = False) -> pd.DataFrame:
        """Fold the journal into the parquet file, sorted by cell, and return the table.

        Without a journal there is nothing to do, unless ``rewrite``: then the file is
        written again, which seals one of before there were seals.
        """
        if not self.journal.exists() and not rewrite:
            return self.frame()
        lock = self.become_writer()
        frame = self.frame()
        if frame.empty:
            return frame
        frame = frame.sort_values("cell", ignore_index=True, kind="stable")
        self._replace(to_bytes(frame), lock)
        return frame

    def _replace(self, table: bytes, lock: WriterLock) -> None:
        """Put ``table`` into the parquet file at once, and remove the journal.

        What killed writers left, or a link, is removed before: a new file is written, under a name
        that no other process uses, since one that has lost its lock still clears its own away.
        """
        for left in self.path.parent.glob(f"{escape(self.path.stem)}.*tmp"):
            left.unlink(missing_ok=True)
        temporary = self.path.with_suffix(f".{os.getpid()}.tmp")
        try:
            with open(temporary, "xb") as file:
                file.write(table)
                file.flush()
                os.fsync(file.fileno())  # before the journal goes
            with lock.alone():
                os.replace(temporary, self.path)
                lock.refuse_lost()
                self.journal.unlink(missing_ok=True)
        except OSError as error:
            lock.refuse_lost()  # another writer has cleared the file away; else the disk is full
            if isinstance(error, FileNotFoundError) and self.path.parent.is_dir():
                self._replace(table, lock)  # one that has lost its lock did: once more
                return
            raise StoreError(f"{self.path} could not be written, got: {error.strerror}") from error
        finally:
            temporary.unlink(missing_ok=True)

    def become_writer(self) -> WriterLock:
        """Take the lock, which is returned, cut off what a killed writer left half written, and see
        what others wrote since; nothing of it where this process has the lock already.

        A sweep does so before its first cell, not to compute what it may not write.

        Raises
        ------
        StoreBusy
            If another process writes.
        StoreError
            If a file is a link (:func:`lib.runner.journal.refuse_links`).
        """
        if self._lock and self._lock.is_held():
            return self._lock
        self.close()  # somebody deleted the lock's file: others may have written since
        with needs("run"):  # a file that was read without its scores must not be written again
            import pyarrow  # noqa: F401
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = lock = WriterLock(self.path)
        try:
            journal.refuse_links(self.path, self.journal)
            with lock.alone():
                journal.cut_torn_line(self.journal)
            self._kinds = _kinds(self._know_cells())
        except BaseException:
            self.close()
            raise
        return lock

    def close(self) -> None:
        """Let another process write. The lock also goes with the process, however it ends."""
        if self._lock:
            self._lock.release()
            self._lock = None

    def _read_parquet(self) -> pd.DataFrame:
        raw = journal.bytes_of(self.path)  # at once: a writer may put a new file there meanwhile
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
