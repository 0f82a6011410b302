"""One download: bytes streamed to a file, tried again where waiting may help, every failure named.

A web page in place of the file (error pages come with status 200, too) is recognised
by its type or its first bytes. Only ``GET`` is asked for: some servers refuse
``HEAD``. A host that cannot be reached at first is not asked again by this
process.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import requests
from tqdm import tqdm

_log = logging.getLogger("companion.data")

_Result = TypeVar("_Result")
_CONNECT_S, _READ_S, _RETRIES, _PAUSE_S = 4, 60, 3, 1.0
_LEAST_S, _LEAST_RATE = 60.0, 20_000  # seconds; bytes a second
_BLOCK = 1 << 16  # bytes: a file of some hundred thousand still moves the bar
_NO_ADDRESS = (
    requests.exceptions.InvalidURL,
    requests.exceptions.MissingSchema,
    requests.exceptions.InvalidSchema,
)
_PAGE = (b"<!doctype html", b"<html")
_LATER = (408, 429)  # of the 4xx: asking again may help
_unreachable: set[str] = set()


class DataError(ValueError):
    """A file that is there but is not the file that was asked for."""


class Unavailable(DataError):
    """A file that cannot be had from where it was asked for."""


def stream(url: str, target: Path | str, progress: bool, *, most: int) -> None:
    """Write what ``url`` gives to ``target``: at most ``most`` bytes, in bounded time.

    The time is :data:`_LEAST_S` seconds and what :data:`_LEAST_RATE` takes for ``most`` bytes, in
    all, headers included: a server that sends a byte now and then never lets a single read run out
    of time.

    Raises
    ------
    DataError
        If it is a web page (its first bytes are quoted), or longer.
    Unavailable
        If it takes longer.
    requests.exceptions.RequestException
        If it cannot be had, or is cut off before its announced length.
    """
    seconds = _LEAST_S + most / _LEAST_RATE
    opened: list[requests.Response] = []
    ended: list[Exception | None] = []

    def work() -> None:
        try:
            _copy(url, target, progress, most, opened)
            ended.append(None)
        except Exception as error:
            ended.append(error)

    # in a thread of its own, since nothing else can end a wait for the first line of an answer
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(seconds)
    if not ended:
        for answer in opened:
            answer.raw.shutdown()  # the thread stops
        raise Unavailable(f"{url} must be there within {seconds:.0f} seconds, got only a part")
    if ended[0] is not None:
        raise ended[0]


def _copy(
    url: str, target: Path | str, progress: bool, most: int, opened: list[requests.Response]
) -> None:
    with requests.get(url, stream=True, timeout=(_CONNECT_S, _READ_S)) as answer:
        opened.append(answer)
        answer.raise_for_status()
        kind = answer.headers.get("Content-Type", "")
        packed = "Content-Encoding" in answer.headers  # the length is then that of the packed bytes
        size = None if packed else _length(answer.headers.get("Content-Length", ""))
        with (
            open(target, "wb") as file,
            tqdm(total=size, unit="B", unit_scale=True, disable=not progress) as bar,
        ):
            _refuse_longer(size or 0, most, url)
            for block in answer.iter_content(_BLOCK):
                text = block[:200].lstrip().lower()
                page = kind.startswith("text/html") or text.startswith(_PAGE)
                if page and not file.tell():
                    raise DataError(
                        f"{url} answered with a web page ({kind or 'no type'}), not with the file:"
                        f" {block[:60]!r}"
                    )
                file.write(block)
                _refuse_longer(file.tell(), most, url)
                bar.update(len(block))


def _refuse_longer(size: int, most: int, url: str) -> None:
    if size > most:
        raise DataError(f"{url} must have at most {most:,} bytes, got {size:,} or more")


def _length(announced: str) -> int | None:
    """Bytes that are announced; None if nothing is, or what is no number: the checksum tells
    whether all came.
    """
    is_number = announced.isascii() and announced.isdecimal()
    return int(announced) or None if is_number else None


def with_retries(name: str, url: str, once: Callable[[], _Result]) -> _Result:
    """``once()``, which downloads ``name`` from ``url``; a few times if the server fails or the
    line is cut.

    Raises
    ------
    Unavailable
        If the network is off, the address is no address, the host cannot be
        reached or refuses, or what comes cannot be written down.
    DataError
        As ``once`` does.
    """
    try:
        host = urlsplit(url).netloc
    except ValueError as error:
        raise _no_address(name, url, error) from error
    if os.environ.get("COMPANION_OFFLINE") == "1" or host in _unreachable:
        raise Unavailable(
            f"{name}: the network is off (COMPANION_OFFLINE=1, or an earlier connection failed)"
        )
    for attempt in range(1, _RETRIES + 1):
        try:
            return once()
        except _NO_ADDRESS as error:
            raise _no_address(name, url, error) from error
        except requests.exceptions.RequestException as error:
            _log.warning("%s: attempt %d of %d failed: %s", name, attempt, _RETRIES, error)
            if attempt == 1 and _cannot_be_reached(error):
                _unreachable.add(host)
            status = error.response.status_code if error.response is not None else 0
            refused = 400 <= status < 500 and status not in _LATER  # not there a second later
            if attempt == _RETRIES or host in _unreachable or refused:
                raise Unavailable(f"{name} cannot be downloaded from {url}: {error}") from error
        except OSError as error:
            raise Unavailable(
                f"{name} was not downloaded, since it cannot be written down: {error}"
            ) from error
        time.sleep(_PAUSE_S * 2 ** (attempt - 1))
    raise AssertionError("the last attempt returns or raises")


def _no_address(name: str, url: str, error: Exception) -> Unavailable:
    return Unavailable(f"{name} cannot be downloaded: {url!r} is no address ({error})")


def _cannot_be_reached(error: Exception) -> bool:
    """No route, no name, refused: waiting will not help, unlike a connection cut midway."""
    signs = ("NameResolution", "resolve", "refused", "unreachable", "timed out", "Proxy")
    return (
        isinstance(error, requests.exceptions.ConnectionError)
        and not isinstance(error.__cause__, ConnectionResetError)
        and any(sign in str(error) for sign in signs)
    )
