"""One row a finished cell, in an SQLite database beside a Parquet file.

A finished cell is a row of ``<name>.sqlite``. When the writer ends, it folds the rows into
``<name>.parquet``, which is written as a new file and renamed over the old one, and deletes them
only then; a kill in between leaves the same records twice, and reading drops the second. A second
record of a cell with other values is refused. A lock lets one process write at a time, among
processes of one machine: locks do not reach another machine on every network drive. Any number may
read. What a killed writer has left half done, SQLite rolls back when the database is next opened;
so the database is kept, empty, after its rows are folded.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING, Any

import pandas as pd
from filelock import FileLock, Timeout

from lib import validate
from lib.extras import needs
from lib.runner.records import (
    SCORES,
    StoreError,
    differing_field,
    plain_values,
    refuse_two_origins,
    refuse_uncommitted,
    refuse_without,
    said_in,
)
from lib.runner.tables import read_table, tidy, write_table

if TYPE_CHECKING:
    from sqlite3 import Connection

KEYS = ("cell", "version")
_CREATE = """PRAGMA auto_vacuum = FULL; -- small again once its rows are folded
CREATE TABLE IF NOT EXISTS records (cell TEXT PRIMARY KEY, record TEXT, host TEXT);"""


class StoreBusy(StoreError):
    """Another process is writing, or the rows are another machine's."""


@contextmanager
def _explained(file: Path) -> Iterator[None]:
    """What SQLite, pyarrow and the file system say of a file, as a :class:`StoreError`."""
    try:
        yield
    except StoreError:
        raise
    except Exception as error:  # of many kinds
        raise StoreError(
            f"{file} is damaged or cannot be used, got: {error}; if the disk is full make room,"
            " else restore it, the committed ones from git, or move it away, and run again; the"
            " file beside it is as it was"
        ) from error


def _connect(database: Path) -> Connection:
    import sqlite3

    db = sqlite3.connect(database, timeout=60, isolation_level=None)
    db.execute("PRAGMA synchronous = FULL")  # the default, but not of every build
    return db


def read_rows(database: Path) -> list[dict[str, Any]]:
    """The records that wait in a database to be folded; none if it is not there."""
    if not database.exists():
        return []
    with _explained(database), closing(_connect(database)) as db:
        if not db.execute("SELECT name FROM sqlite_master").fetchone():
            return []  # a writer was killed in its first moment
        rows = db.execute("SELECT record FROM records ORDER BY rowid")
        return [json.loads(record) for (record,) in rows]


def read_records(path: Path) -> pd.DataFrame:
    """All records of a results file, one row a cell, in the order they were finished; ``scores`` as
    lists. Raises a :class:`StoreError` for a file that is damaged or no results file.
    """
    database = path.with_suffix(".sqlite")
    # rows first: folded in between the two looks, a record is seen twice rather than never
    rows = pd.DataFrame(read_rows(database))
    with _explained(path):
        table = read_table(path) if path.exists() else pd.DataFrame()
    return merged({path: table, database: rows})


def merged(tables: Mapping[Any, pd.DataFrame]) -> pd.DataFrame:
    """The records of tables, by their places, each cell once.

    Numbers of a second record may differ as those of two processors do. Commit, versions and times
    may differ, and so may fields that end in ``_s``, which are seconds.

    Raises
    ------
    StoreError
        For a cell that stands twice with different values, with the field, both values and both
        places; and for rows without a key.
    """
    tables = {place: table for place, table in tables.items() if len(table)}
    if not tables:
        return pd.DataFrame(columns=[*KEYS])
    for place, table in tables.items():
        refuse_without(KEYS, table, place)
    frame = pd.concat(tables)  # the first level of its index is the place
    twice = frame[frame["cell"].duplicated(keep=False)]
    first: dict[str, tuple[dict, object]] = {}
    for (place, _), record in zip(twice.index, twice.to_dict("records"), strict=True):
        before, where = first.setdefault(record["cell"], (record, place))
        if name := differing_field(before, record):
            raise StoreError(
                f"{place}: {name} of cell {record['cell']} must be {before[name]!r:.200}, as in"
                f" {where}, got {record[name]!r:.200}; move the file that is wrong away, or both to"
                " run the cell again"
            )
    return frame.drop_duplicates("cell", ignore_index=True)


class Store:
    """Records of one grid, keyed by their ``cell`` column.

    Parameters
    ----------
    path : Path
        ``.../name.parquet``; the database lies beside it.
    version : str
        Version of the experiment's code. A file with records of another version is
        refused.
    committed : bool
        Whether the file is to be committed to the repository: then it takes neither a replica's
        records nor those of code with changes.

    Raises
    ------
    ValueError
        If ``version`` is no text: a record of another kind would not be read back.
    StoreError
        If a file is damaged (which, and what to do) or holds what is no
        record, or if the versions differ. The files stay as they are.
    """

    def __init__(self, path: Path | str, *, version: str, committed: bool = False) -> None:
        validate.require(isinstance(version, str), "version", "text", version)
        self.path = Path(path)
        self.database = self.path.with_suffix(".sqlite")
        self.version, self.committed = version, committed
        self.origins: dict[tuple[str, str], tuple[str, object]] = {}
        self._kinds: dict[str, str] = {}
        self._db: Connection | None = None  # the writer's
        self._know(self.frame())

    def _know(self, frame: pd.DataFrame) -> None:
        self.check(said_in(frame), self.path)
        others = sorted(set(frame["version"]) - {self.version})
        if others:
            raise StoreError(
                f"{self.path} holds records of version {', '.join(others)}, this is version"
                f" {self.version!r}; choose another file, or move this one away"
            )
        self._cells = set(frame["cell"])

    def __contains__(self, cell: str) -> bool:
        return cell in self._cells

    def __len__(self) -> int:
        return len(self._cells)

    def frame(self) -> pd.DataFrame:
        """All records, as :func:`read_records`."""
        return read_records(self.path)

    def check(self, records: Iterable[Mapping[str, Any]], where: object) -> None:
        """Refuse what this file does not take: another origin of a data set than before, and, in a
        committed file, replicas and results of code with changes.
        """
        for record in records:
            if self.committed:
                refuse_uncommitted(record, where)
            refuse_two_origins(self.origins, record, where)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Be the one process that writes, and know what others wrote since; at the end, however it
        comes, fold the rows into the Parquet file, sorted by cell.

        Raises
        ------
        StoreBusy
            If another process writes, or another machine has rows here.
        """
        with needs("run"):  # a file that was read without its scores must not be written again
            import pyarrow  # noqa: F401
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock = FileLock(self.path.with_suffix(".lock"), timeout=0).acquire()
        except Timeout:
            raise StoreBusy(
                f"another process is writing to {self.path}; wait for it or stop it"
            ) from None
        with lock:
            self._know(frame := self.frame())
            for table in [frame, tidy(frame)] if SCORES in frame else [frame]:
                first = {n: v for n in table if n != SCORES for v in table[n].dropna()[:1]}
                plain_values(first, str(self.path), self._kinds)
            with _explained(self.database):
                db = _connect(self.database)
                db.executescript(_CREATE)
            with closing(db) as self._db:
                with self._transaction():  # refused now rather than after the first cell
                    pass
                try:
                    yield
                finally:
                    try:
                        self._fold()
                    except (KeyboardInterrupt, SystemExit):  # an impatient person's second one
                        self._fold()
                        raise

    def append(self, *records: Mapping) -> None:
        """Add finished cells, which then are safe on the disk, all or none; a second record of a
        cell must say the same, and the first is kept. Within :meth:`writing`.

        Raises
        ------
        ValueError
            For a value that is not plain, or of another kind than the field's
            values before; the cell and the field are named, nothing is written.
        StoreError
            If the cell is there with another value, or the disk is full.
        """
        kinds, new = dict(self._kinds), []
        for given in records:
            whose = f"cell {given['cell']}"
            record = plain_values({**given, "version": self.version}, whose, kinds)
            self.check([record], whose)
            if record["cell"] in self:
                merged({self.path: self.frame(), "a second record": pd.DataFrame([record])})
            else:
                new.append((record["cell"], json.dumps(record), gethostname()))
        with self._transaction() as db:
            db.executemany("INSERT INTO records VALUES (?, ?, ?)", new)
        self._cells.update(cell for cell, _, _ in new)
        self._kinds = kinds

    def _fold(self) -> None:
        if read_rows(self.database):
            with self._transaction() as db:
                frame = self.frame().sort_values("cell", ignore_index=True, kind="stable")
                write_table(frame, self.path)
                db.execute("DELETE FROM records")

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        """What the writer does in it is done as a whole or not at all; not on another's rows."""
        assert self._db is not None, "a store is written within `with store.writing()`"
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
