"""Where a file's bytes come from: local folder, cache, download, in this order, each checked by SHA-256.

``COMPANION_DATA`` names a local folder. Downloads go through pooch into the
user's cache, under a temporary name until the checksum holds, so that a
truncated, altered or wrong file never gets there. ``COMPANION_OFFLINE=1``, or a
first connection that fails, skips the network for the rest of the process.
"""

from __future__ import annotations

import hashlib
import logging
import os
import time
from dataclasses import dataclass
from pathlib import Path

import pooch
import requests

from lib import validate
from lib.datasets.registry import FILES, File
from lib.paths import user_cache

__all__ = ["DataError", "Unavailable", "Found", "SOURCES", "locate", "fetch", "sha256_of", "state"]

log = logging.getLogger("companion.data")

SOURCES = ("local", "cache", "download")
_CONNECT_S, _READ_S, _RETRIES, _PAUSE_S = 4, 60, 3, 1.0
_reachable = True


class DataError(ValueError):
    """A file that is there but is not the file that was asked for."""


class Unavailable(DataError):
    """A file that cannot be had from where it was asked for."""


@dataclass(frozen=True)
class Found:
    """A checked file and which of :data:`SOURCES` it came from."""

    path: Path
    source: str
    sha256: str


def sha256_of(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _checked(path: Path, file: File) -> str:
    found = sha256_of(path)
    if found != file.sha256:
        raise DataError(
            f"{path} is not {file.name} as registered: SHA-256 {found} ({path.stat().st_size:,} bytes) where "
            f"{file.sha256} ({file.size:,} bytes) is expected; replace or remove it"
        )
    return found


def _local(file: File) -> Found | None:
    folder = os.environ.get("COMPANION_DATA")
    path = Path(folder) / file.name if folder else None
    return Found(path, "local", _checked(path, file)) if path and path.exists() else None


def _cached(file: File) -> Found | None:
    path = user_cache() / file.name
    return Found(path, "cache", _checked(path, file)) if path.exists() else None


def _refuse_html(response: requests.Response, url: str) -> None:
    """An error page that comes with status 200 is named for what it is, before its checksum fails."""
    kind = response.headers.get("Content-Type", "")
    if kind.startswith("text/html"):
        raise DataError(f"{url} answered with a web page ({kind}), not with the file")


class _Downloader(pooch.HTTPDownloader):
    """pooch's downloader; refuses web pages, and files shorter than announced."""

    def __call__(self, url, output_file, pooch, check_only=False):
        with requests.head(url, timeout=(_CONNECT_S, _READ_S), allow_redirects=True) as head:
            head.raise_for_status()
            _refuse_html(head, url)
        return super().__call__(url, output_file, pooch, check_only=check_only)


def fetch(file: File, *, progress: bool = True) -> Found:
    """Download ``file`` from its public origin into the cache.

    Raises
    ------
    Unavailable
        If the network is off or the origin cannot be reached.
    DataError
        If what came is not the file; nothing is left in the cache.
    """
    global _reachable
    if not file.url:
        raise Unavailable(f"{file.name} has no public address; put it into the folder that COMPANION_DATA names")
    if os.environ.get("COMPANION_OFFLINE") == "1" or not _reachable:
        raise Unavailable(f"{file.name}: the network is off (COMPANION_OFFLINE=1, or an earlier connection failed)")
    folder = user_cache()
    downloader = _Downloader(progressbar=progress, timeout=(_CONNECT_S, _READ_S))
    last: Exception | None = None
    for attempt in range(_RETRIES):
        try:
            path = pooch.retrieve(file.url, known_hash=f"sha256:{file.sha256}", fname=file.name, path=folder,
                                  downloader=downloader)  # fmt: skip
            return Found(Path(path), "download", file.sha256)
        except DataError:
            raise
        except (requests.exceptions.ConnectTimeout, requests.exceptions.ConnectionError) as error:
            last = error
            if not isinstance(error.__cause__, ConnectionResetError) and attempt == 0 and _is_unreachable(error):
                _reachable = False
                break
        except requests.exceptions.HTTPError as error:
            last = error
            if error.response is not None and 400 <= error.response.status_code < 500:
                break  # it will not be there a second later
        except ValueError as error:  # pooch: the checksum does not hold
            raise DataError(f"{file.url} gave other bytes than registered: {error}") from error
        except requests.exceptions.RequestException as error:  # cut off midway, for one
            last = error
        time.sleep(_PAUSE_S * 2**attempt)
        log.warning("%s: attempt %d of %d failed: %s", file.name, attempt + 1, _RETRIES, last)
    raise Unavailable(f"{file.name} cannot be downloaded from {file.url}: {last}") from last


def _is_unreachable(error: Exception) -> bool:
    """No route, no name, refused: waiting will not help, unlike a connection cut midway."""
    text = str(error)
    return any(sign in text for sign in ("NameResolution", "resolve", "refused", "unreachable", "timed out", "Proxy"))


def locate(name: str | File, source: str = "auto", *, progress: bool = True) -> Found:
    """A registered file by its ``name``, or a :class:`File`, from ``source``.

    ``source`` is one of :data:`SOURCES`, or ``"auto"`` for the first that has it.

    Raises
    ------
    Unavailable
        If it cannot be had from there.
    DataError
        If a file of that name is there with other bytes.
    """
    file = name if isinstance(name, File) else FILES[validate.choice("file", name, FILES)]
    validate.choice("source", source, (*SOURCES, "auto"))
    for kind, find in (("local", _local), ("cache", _cached)):
        if source in (kind, "auto") and (found := find(file)):
            return found
    if source in ("download", "auto"):
        return fetch(file, progress=progress)
    where = "COMPANION_DATA" if source == "local" else str(user_cache())
    raise Unavailable(f"{file.name} is not in {where}")


def state(file: File) -> str:
    """``"local"``, ``"cached"``, ``"absent"``, or ``"altered"`` if the bytes there are not the registered ones."""
    try:
        found = _local(file) or _cached(file)
    except DataError:
        return "altered"
    return {"local": "local", "cache": "cached"}[found.source] if found else "absent"
