"""Where a file comes from: local folder, cache or download, each checked by SHA-256.

``COMPANION_DATA`` names a local folder, which must be there; empty is as good
as unset. Downloads go through pooch into the user's cache, in a folder of their own
until the checksum holds, so that a truncated, altered or wrong file never gets
there. ``COMPANION_OFFLINE=1`` skips the network, and so does a first connection
that fails, to that host for the rest of the process.
"""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name

import pooch

from lib import validate
from lib.datasets.download import DataError, Unavailable, stream, with_retries
from lib.datasets.registry import FILES, File
from lib.files import locked_tempdir
from lib.paths import user_cache

_log = logging.getLogger("companion.data")

SOURCES = ("local", "cache", "download")


@dataclass(frozen=True)
class Found:
    """A checked file and which of :data:`SOURCES` it came from."""

    path: Path
    source: str
    sha256: str


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checked(path: Path, file: File) -> str:
    if not path.is_file():  # reading a pipe would wait for ever
        raise DataError(f"{path} must be a regular file, got something else of that name")
    try:
        size = path.stat().st_size
        found = sha256_of(path) if size == file.size else "not computed"
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error}") from error
    if found != file.sha256 and file.check:
        resolve_name(file.check)(path)
        return sha256_of(path)
    if found != file.sha256:
        raise DataError(
            f"{path} is not {file.name} as registered: SHA-256 {found} ({size:,} bytes) where"
            f" {file.sha256} ({file.size:,} bytes) is expected; replace or remove it"
        )
    return found


def local_folder() -> Path | None:
    """The folder that ``COMPANION_DATA`` names, or None; a :class:`DataError` if it is gone."""
    if not (named := os.environ.get("COMPANION_DATA")):
        return None
    if not Path(named).is_dir():
        raise DataError(f"COMPANION_DATA must be a folder that is there, or nothing, got {named!r}")
    return Path(named)


def _kept(file: File, source: str) -> Found | None:
    """The file of this machine, in the folder that is called ``source``."""
    folder = local_folder() if source == "local" else user_cache()
    if folder is None or not (path := folder / file.name).exists():
        return None
    return Found(path, source, _checked(path, file))


def fetch(file: File, *, progress: bool = True) -> Found:
    """Download ``file`` from its public origin into the cache.

    Raises
    ------
    Unavailable
        If the network is off, the origin cannot be reached, or the cache cannot
        be written to.
    DataError
        If what came is not the file; nothing is left in the cache.
    """
    if not file.url:
        raise Unavailable(
            f"{file.name} has no public address; put it into the folder that COMPANION_DATA names"
        )
    return with_retries(file.name, file.url, lambda: _retrieve(file, progress))


def _retrieve(file: File, progress: bool) -> Found:
    path = user_cache() / file.name
    try:
        with locked_tempdir(path.parent) as own:
            whole = pooch.retrieve(
                file.url,
                f"sha256:{file.sha256}",
                fname=file.name,
                path=own,
                downloader=lambda url, to, _: stream(url, to, progress, most=file.size),
            )
            os.replace(whole, path)
    except (DataError, OSError):  # what requests raises is an OSError, and may be a ValueError too
        raise
    except ValueError as error:  # pooch: the checksum does not hold
        raise DataError(f"{file.url} gave other bytes than registered: {error}") from error
    return Found(path, "download", file.sha256)


def locate(name: str | File, source: str = "auto", *, progress: bool = True) -> Found:
    """A registered file by its ``name``, or a :class:`File`, from ``source``.

    ``source`` is one of :data:`SOURCES`, or ``"auto"`` for the first that has it.

    Raises
    ------
    Unavailable
        If it cannot be had from there.
    DataError
        If a file of that name is there with other bytes, or ``COMPANION_DATA``
        names no folder.
    """
    file = name if isinstance(name, File) else FILES[validate.choice("file", name, FILES)]
    validate.choice("source", source, (*SOURCES, "auto"))
    for kind in SOURCES if source == "auto" else (source,):
        found = fetch(file, progress=progress) if kind == "download" else _kept(file, kind)
        if found:
            _log.info("%s: %s (%s)", file.name, found.source, found.path)
            return found
    where = "COMPANION_DATA" if source == "local" else str(user_cache())
    raise Unavailable(f"{file.name} is not in {where}")


def unregistered(*names: str) -> Path | None:
    """The first of these files that is in ``COMPANION_DATA`` or in the cache, None if none is.

    Nobody vouches for its bytes: what is made of it has to be compared with something that is
    registered.
    """
    folders = [folder for folder in (local_folder(), user_cache()) if folder]
    there = (path for folder in folders for name in names if (path := folder / name).is_file())
    return next(there, None)


def state(file: File) -> str:
    """``"local"``, ``"cached"``, ``"absent"``, or ``"altered"``: other bytes than registered.

    A :class:`DataError` if ``COMPANION_DATA`` names no folder: nothing can be said of what it
    should hold.
    """
    local_folder()
    try:
        if _kept(file, "local"):
            return "local"
        return "cached" if _kept(file, "cache") else "absent"
    except DataError:
        return "altered"


def origin(sources: Iterable[str]) -> str:
    """What rows are, from their ``source``: "real data", or "replica" if any is of one.

    Examples
    --------
    >>> origin(["local", "download"]), origin(["local", "replica"])
    ('real data', 'replica')
    """
    return "replica" if set(sources) - {*SOURCES, "census"} else "real data"
