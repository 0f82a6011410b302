"""One row a finished cell, in an SQLite database beside a Parquet file.

A finished cell is a row of ``<name>.sqlite``. :meth:`Store.compact` folds the rows into
``<name>.parquet``, which is written as a new file and renamed over the old one, and deletes them
only then; a kill in between leaves the same records twice, and reading drops the second. A second
one that says something else is refused. One process writes at a time, held to it by a lock, and
only processes of one machine do: locks do not reach another one on every network drive. Any number
may read. What a killed writer has left half done, SQLite takes back at the next look, which is safe
because the database stays, without rows.
"""

from __future__ import annotations

import json
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


class StoreBusy(StoreError):
    """Another process is writing, or the rows are another machine's."""


def read_rows(database: Path) -> list[dict[str, Any]]:
    """The records that wait in a database to be folded; none if it is not there."""
    if not database.exists():
        return []
    with _explained(database), closing(_connect(database, "rw")) as db:
        if not db.execute("SELECT name FROM sqlite_master").fetchone():
            return []  # a writer was killed in its first moment
        rows = db.execute("SELECT record FROM records ORDER BY rowid")
        return [json.loads(record) for (record,) in rows]


def _connect(database: Path, mode: str) -> Connection:
    import sqlite3

    # "rw" also opens what may only be read, and can take back what a killed writer left half done
    address = f"{database.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(address, uri=True, timeout=60, isolation_level=None)


@contextmanager
def _explained(database: Path) -> Iterator[None]:
    """What SQLite and the file system say, as a :class:`StoreError`."""
    import sqlite3

    try:
        yield
    except (sqlite3.Error, OSError, json.JSONDecodeError) as error:
        raise StoreError(
            f"{database} cannot be used, got: {error}; if the disk is full make room, else restore"
            " it or move it away, and run again; the Parquet file beside it is as it was"
        ) from error


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

    def append(self, *records: Mapping) -> None:
        """Add finished cells, which then are safe on the disk, all or none; a second record of a
        cell must say the same, and the first is kept.

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
        self.become_writer()
        kinds, new = self._kinds, []
        for given in records:
            record = plain({**given, "version": self.version}, f"cell {given['cell']}")
            if record["cell"] in self._cells:
                second = pd.DataFrame([record])
                refuse_two_values([(self.path, self.frame()), ("a second record", second)])
            else:
                kinds = kinds_of(record, kinds)
                new.append((record["cell"], json.dumps(record), gethostname()))
        with self._transaction() as db:
            db.executemany("INSERT INTO records VALUES (?, ?, ?)", new)
        self._cells.update(cell for cell, _, _ in new)
        self._kinds = kinds

    def frame(self) -> pd.DataFrame:
        """All records, one row a cell, in the order they were finished; ``scores`` as lists."""
        # rows first: folded in between the two looks, a record is seen twice rather than never
        rows = pd.DataFrame(read_rows(self.database))
        parts = {self.path: self._table(), self.database: rows}
        parts = {path: part for path, part in parts.items() if len(part)}
        if not parts:
            return pd.DataFrame(columns=[*KEYS])
        for path, part in parts.items():
            _refuse_without_keys(part, path)
        refuse_two_values(parts.items())
        frame = pd.concat(parts.values(), ignore_index=True)
        if SCORES in frame and len(rows):
            lists = (part.get(SCORES, [None] * len(part)) for part in parts.values())
            frame[SCORES] = as_lists(chain(*lists))
        return frame.drop_duplicates("cell", ignore_index=True)

    def compact(self) -> pd.DataFrame:
        """Fold the rows into the Parquet file, sorted by cell, let another process write, and
        return the table.
        """
        with closing(self):
            if not read_rows(self.database):
                return self.frame()
            self.become_writer()
            with self._transaction() as db:
                frame = self.frame().sort_values("cell", ignore_index=True, kind="stable")
                write_table(frame, self.path)
                db.execute("DELETE FROM records")
        return frame

    def become_writer(self) -> None:
        """Take the lock, and see what others wrote since; nothing of it where this process has
        the lock already. A sweep does so before its first cell, not to compute what it may not
        write.

        Raises
        ------
        StoreBusy
            If another process writes, or another machine has rows here.
        """
        if self._db is not None:
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
            self._kinds = _kinds(self._know_cells())
            with _explained(self.database):
                self._db = _connect(self.database, "rwc")
                self._db.execute("PRAGMA synchronous=FULL")  # the default, but not of every build
                self._db.execute("PRAGMA auto_vacuum=FULL")  # without rows it is small again
                self._db.execute(_TABLE)
            with self._transaction():  # refused now rather than after the first cell
                pass
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let another process write. The lock also goes with the process, however it ends."""
        if self._db is not None:
            self._db.close()
        if self._lock is not None:
            self._lock.release()
        self._db = self._lock = None

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        """What the writer does in it is done as a whole or not at all; not on another's rows."""
        assert self._db is not None
        with _explained(self.database), self._db as db:
            db.execute("BEGIN IMMEDIATE")
            found = db.execute("SELECT host FROM records LIMIT 1").fetchone()
            if found and found[0] != gethostname():
                raise StoreBusy(
                    f"{self.database} has rows of the machine {found[0]}, and one machine writes a"
                    f" file, this is {gethostname()}; go on there, or, if nothing runs there any"
                    " more, give the file another name and gather it (--gather)"
                )
            yield db

    def _table(self) -> pd.DataFrame:
        if not self.path.exists():
            return pd.DataFrame()
        try:
            return read_table(self.path)
        except Exception as error:  # pyarrow raises many kinds
            raise StoreError(
                f"{self.path} is damaged, or no readable parquet file ({error}); restore it, the"
                f" committed ones from git, or move it away, then run again: {self.database.name}"
                " was not touched"
            ) from error


def _refuse_without_keys(frame: pd.DataFrame, path: Path) -> None:
    for key in KEYS:
        if key not in frame or not frame[key].map(lambda value: isinstance(value, str)).all():
            raise StoreError(
                f"{path} has rows without a {key}: it is no results file; restore it or move it"
                " away"
            )
