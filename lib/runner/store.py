"""One row a finished cell, in an SQLite database beside a Parquet file.

A finished cell is a row of ``<name>.sqlite``. :meth:`Store.compact` folds the rows into
``<name>.parquet``, which is written as a new file and renamed over the old one, and deletes them
only then; a kill in between leaves the same records twice, and reading drops the second. A second
one that says something else is refused. One process writes at a time, held to it by a lock, and
only processes of one machine do: locks do not reach another one on every network drive. Any number
may read. What a killed writer has left half done, SQLite takes back at the next look.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING, Any

import pandas as pd
from filelock import FileLock, Timeout

from lib import validate
from lib.extras import needs
from lib.runner.agreement import refuse_two_values
from lib.runner.records import SCORES, StoreError, kinds_of, plain
from lib.runner.tables import as_lists, read_table, tidy, write_table

if TYPE_CHECKING:
    from sqlite3 import Connection

KEYS = ("cell", "version")
_TABLE = "CREATE TABLE IF NOT EXISTS records (cell TEXT PRIMARY KEY, record TEXT, host TEXT)"
_TRIES = 40  # of a reader, while a writer replaces what it reads


class StoreBusy(StoreError):
    """Another process is writing, or the rows are another machine's."""


def _kinds(frame: pd.DataFrame) -> dict[str, str]:
    """The kinds of all fields, those of the scores among them."""
    tables = [frame, tidy(frame)] if SCORES in frame else [frame]
    first = {name: table[name].dropna().iloc[:1].tolist() for table in tables for name in table}
    return kinds_of({n: v[0] for n, v in first.items() if v and n != SCORES}, {})


class Store:
    """Records of one grid, keyed by their ``cell`` column.

    Parameters
    ----------
    path : Path
        ``.../name.parquet``; the database lies beside it.
    version : str
        Version of the experiment's code. A store that holds records of another
        version is refused unless ``mix_versions``.

    Raises
    ------
    ValueError
        If ``version`` is no text: a record of another kind would not be read back.
    StoreError
        If a file is damaged (which, and what to do) or holds what is no
        record, or if the versions differ. The files stay as they are.
    """

    def __init__(self, path: Path | str, *, version: str, mix_versions: bool = False) -> None:
        validate.require(isinstance(version, str), "version", "text", version)
        self.path = Path(path)
        self.database = self.path.with_suffix(".sqlite")
        self.version = version
        self._mix_versions = mix_versions
        self._lock: FileLock | None = None  # this and the next are the writer's only
        self._db: Connection | None = None
        self._kinds: dict[str, str] = {}
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

    def append(self, record: Mapping, *, commit: bool = True) -> None:
        """Add one finished cell, which then is safe on the disk; a second record of a cell must
        say the same, and the first is kept.

        Without ``commit`` it is safe when the next one is that has it, or the store is folded.

        Raises
        ------
        ValueError
            For a value that is not plain, or of another kind than the field's
            values before; the cell and the field are named, nothing is written.
        StoreBusy
            If another process writes.
        StoreError
            If the cell is there with another value, or the disk is full.
        """
        db, cell = self.become_writer(), record["cell"]
        record = plain(dict(record) | {"version": self.version}, f"cell {cell}")
        if cell in self._cells:
            second = pd.DataFrame([record])
            refuse_two_values([(self.path, self.frame()), ("a second record", second)])
            return
        kinds = kinds_of(record, self._kinds)
        with self._explained():
            if not db.in_transaction:
                db.execute("BEGIN IMMEDIATE")
            self._refuse_other_host(db)
            row = (cell, json.dumps(record), gethostname())
            db.execute("INSERT INTO records VALUES (?, ?, ?)", row)
            if commit:
                db.execute("COMMIT")
        self._cells.add(cell)
        self._kinds = kinds

    def frame(self) -> pd.DataFrame:
        """All records, one row a cell, in the order they were finished; ``scores`` as lists."""
        # rows first: folded in between the two looks, a record is seen twice rather than never
        records = self._rows()
        both = {self.path: self._table(), self.database: pd.DataFrame(records)}
        parts = {path: part for path, part in both.items() if len(part)}
        if not parts:
            return pd.DataFrame(columns=[*KEYS])
        refuse_two_values(parts.items())
        frame = pd.concat(parts.values(), ignore_index=True)
        if SCORES in frame and records:
            lists = (part.get(SCORES, [None] * len(part)) for part in parts.values())
            frame[SCORES] = as_lists(chain(*lists))
        return frame.drop_duplicates("cell", ignore_index=True)

    def compact(self) -> pd.DataFrame:
        """Fold the rows into the Parquet file, sorted by cell, remove the database, let another
        process write, and return the table.
        """
        if not self.database.exists():
            self.close()
            return self.frame()
        db = self.become_writer()
        with closing(self), self._explained():
            if db.in_transaction:
                db.execute("COMMIT")
            db.execute("BEGIN IMMEDIATE")
            frame = self.frame().sort_values("cell", ignore_index=True, kind="stable")
            if db.execute("SELECT 1 FROM records").fetchone():
                write_table(frame, self.path)
                db.execute("DELETE FROM records")
            db.execute("COMMIT")
            db.close()  # before its file goes
            self.database.unlink()
        return frame

    def become_writer(self) -> Connection:
        """Take the lock, and see what others wrote since; nothing of it where this process has
        the lock already. A sweep does so before its first cell, not to compute what it may not
        write.

        Raises
        ------
        StoreBusy
            If another process writes, or another machine has rows here.
        """
        if self._db is not None:
            return self._db
        with needs("run"):  # a file that was read without its scores must not be written again
            import pyarrow  # noqa: F401
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = self._locked()
        try:
            self._kinds = _kinds(self._know_cells())
            with self._explained():
                self._db = self._connect("rwc")
                self._db.execute("PRAGMA synchronous=FULL")
                self._db.execute(_TABLE)
                self._refuse_other_host(self._db)
        except BaseException:
            self.close()
            raise
        return self._db

    def close(self) -> None:
        """Let another process write. The lock also goes with the process, however it ends."""
        if self._db is not None:
            self._db.close()
        if self._lock is not None:
            self._lock.release()
        self._db = self._lock = None

    def _locked(self) -> FileLock:
        lock = FileLock(self.path.with_suffix(".lock"), timeout=0)
        try:
            lock.acquire()
        except Timeout:
            raise StoreBusy(
                f"another process is writing to {self.path}; wait for it or stop it"
            ) from None
        return lock

    def _connect(self, mode: str) -> Connection:
        import sqlite3

        address = f"{self.database.absolute().as_uri()}?mode={mode}"
        return sqlite3.connect(address, uri=True, timeout=60, isolation_level=None)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What SQLite and the file system say, as a :class:`StoreError`."""
        import sqlite3

        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise StoreError(
                f"{self.database} cannot be used, got: {error}; if the disk is full make room, else"
                f" restore it or move it away, and run again; {self.path.name} is as it was"
            ) from error

    def _refuse_other_host(self, db: Connection) -> None:
        found = db.execute("SELECT host FROM records LIMIT 1").fetchone()
        if found and found[0] != gethostname():
            raise StoreBusy(
                f"{self.database} has rows of the machine {found[0]}, and one machine writes a"
                f" file, this is {gethostname()}; go on there, or, if nothing runs there any more,"
                " give the file another name and gather it (--gather)"
            )

    def _rows(self) -> list[dict[str, Any]]:
        """The records of the database, none if it is not there.

        A reader changes nothing. What a killed writer left half done is taken back under the lock,
        since a writer that has just begun may have put another file in the place of the one read.
        """
        if self._db is not None:
            return self._records(self._db)
        for left in range(_TRIES, -1, -1):
            if not self.database.exists():
                break
            try:
                with self._explained(), closing(self._connect("rw" if self._lock else "ro")) as db:
                    return self._records(db)
            except StoreError as error:
                if self._lock or type(error.__cause__).__name__ != "OperationalError":
                    raise
            try:
                self._lock = self._locked()
                return self._rows()
            except StoreBusy:
                if not left:
                    raise
                time.sleep(0.05)
            finally:
                self.close()
        return []

    def _records(self, db: Connection) -> list[dict[str, Any]]:
        tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE sql <> ''")}
        if tables - {"records"}:
            raise StoreError(f"{self.database} is no database of records; move it away")
        rows = db.execute("SELECT cell, record FROM records ORDER BY rowid") if tables else ()
        found = []
        for cell, text in rows:
            try:
                record = json.loads(text)
                if record["cell"] != cell or not isinstance(record["version"], str):
                    raise ValueError("another cell, or no version")
            except (ValueError, TypeError, KeyError) as error:
                raise StoreError(
                    f"{self.database} is damaged at cell {cell!r:.50} ({error}); move it away and"
                    f" run again; {self.path.name} is as it was"
                ) from None
            found.append(record)
        return found

    def _table(self) -> pd.DataFrame:
        if not self.path.exists():
            return pd.DataFrame()
        try:
            frame = read_table(self.path)
        except Exception as error:  # pyarrow raises many kinds
            raise StoreError(
                f"{self.path} is damaged, or no readable parquet file ({error}); restore it, the"
                f" committed ones from git, or move it away, then run again: {self.database.name}"
                " was not touched"
            ) from error
        for key in KEYS:
            if key not in frame or not frame[key].map(lambda value: isinstance(value, str)).all():
                raise StoreError(
                    f"{self.path} has rows without a {key}: it is no results file; restore it or"
                    " move it away"
                )
        return frame
