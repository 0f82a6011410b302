"""The journal beside a results file: one line a finished cell, a checksum and the record as JSON.

A line is written with a single ``write`` and ``fsync``. A kill leaves at most a torn last line,
which readers pass over and the next writer cuts off. Nothing is written through a link: who may
place one in a folder would choose the file that is written, and its owner would not know.
"""

from __future__ import annotations

import json
import os
import stat
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lib.files import read_regular
from lib.parse import load_json
from lib.runner.errors import StoreError
from lib.runner.records import plain, refuse_mixture

KEYS = ("cell", "version")
# no link is followed, and a pipe is not waited for; Windows has neither
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def bytes_of(path: Path) -> bytes | None:
    """What is in a file, or None if it is not there."""
    try:
        return read_regular(path)
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise StoreError(str(error)) from None


def _record(line: bytes) -> dict[str, Any]:
    """The record of a line; a ``ValueError`` says what is wrong with one that has none."""
    crc, _, body = line.rstrip(b"\n").partition(b" ")
    if crc != b"%08x" % zlib.crc32(body) or not line.endswith(b"\n"):
        raise ValueError("fails its checksum")
    try:
        record = load_json(body.decode())
    except ValueError as error:
        raise ValueError(f"must be JSON, got {error}") from None
    if not (isinstance(record, dict) and all(isinstance(record.get(key), str) for key in KEYS)):
        raise ValueError("has no cell or no version")
    return plain(record, f"cell {record['cell']}")


def read(path: Path) -> list[dict[str, Any]]:
    """The records of a journal, none if it is not there.

    Raises
    ------
    StoreError
        Naming the line, for one that is damaged, or holds what could not have been stored.
    """
    lines = (bytes_of(path) or b"").splitlines(keepends=True)
    records = []
    for number, line in enumerate(lines, start=1):
        try:
            records.append(_record(line))
        except ValueError as error:
            if number == len(lines) and not line.endswith(b"\n"):
                break  # being written, or torn by a kill
            raise _wrong(path, number, error) from None
    return records


def refuse_mixtures(path: Path, records: Iterable[Mapping], kinds: dict[str, str]) -> None:
    """A :class:`StoreError` for a record of the journal with a field of another kind than before,
    where ``kinds`` are those of the table.
    """
    for number, record in enumerate(records, start=1):
        try:
            kinds = refuse_mixture(record, kinds)
        except ValueError as error:
            raise _wrong(path, number, error) from None


def _wrong(path: Path, number: int, error: ValueError) -> StoreError:
    return StoreError(f"{path}, line {number}, {error}; remove that line to run its cell again")


def append(path: Path, record: Mapping) -> None:
    """Add a line; a :class:`StoreError` where there is no room, and the journal is as before."""
    body = json.dumps(record, sort_keys=True, allow_nan=True).encode()
    line = b"%08x %s\n" % (zlib.crc32(body), body)
    fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _PLAIN, 0o644)
    try:
        about = os.fstat(fd)
        if not stat.S_ISREG(about.st_mode):
            raise OSError("it is no regular file")
        try:
            if os.write(fd, line) < len(line):
                raise OSError("took only a part of it")
            os.fsync(fd)
        except OSError:
            os.ftruncate(fd, about.st_size)
            raise
    except OSError as error:
        said = error.strerror or error
        raise StoreError(f"{path} must take a record, got: {said}; make room, run again") from error
    finally:
        os.close(fd)


def cut_torn_line(path: Path) -> None:
    """Cut off what a killed writer left half written."""
    raw = bytes_of(path) or b""
    whole = raw.rfind(b"\n") + 1
    if whole < len(raw):
        with open(os.open(path, os.O_WRONLY | _PLAIN), "wb") as file:
            file.truncate(whole)
            os.fsync(file.fileno())


def refuse_links(table: Path, journal: Path) -> None:
    """A :class:`StoreError` if one is a symbolic link, or the journal has another name, too.

    Replacing the link instead would split the results in two, one part where nobody looks for it.
    A table with another name is replaced as a whole, and the other name keeps what it had.
    """
    for path in (table, journal):
        try:
            about = path.lstat()
        except FileNotFoundError:
            continue
        if stat.S_ISLNK(about.st_mode):
            raise StoreError(
                f"{path} must be a file of its own to be written, got a symbolic link; give the"
                " path that it leads to, or put the file here"
            )
        if path == journal and about.st_nlink > 1:
            raise StoreError(
                f"{path} must be a file of its own to be written, got one with {about.st_nlink}"
                " names (hard links); copy it, and put the copy in its place"
            )
