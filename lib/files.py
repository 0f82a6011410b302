"""Files written whole or not at all, and folders of your own that no kill leaves behind for good.

A process that is killed leaves its folder behind; the next one removes it. The owner of a folder
holds a lock beside it, which goes with the process however it ends. So nothing is removed that
somebody is still writing: not by another process, nor in another container.
"""

from __future__ import annotations

import json
import os
import re
import reprlib
import shutil
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

import yaml
from filelock import FileLock, Timeout

if TYPE_CHECKING:
    from jinja2 import Template

_Content = TypeVar("_Content", list, dict)

ONE_A_PERSON = "one row a person: CSV with a header (or .gz), .parquet or .xlsx"  # of --help
PREFIX = ".companion-"
LARGEST = 10 * 2**20  # bytes of a file that is read as YAML or JSON
DEEPEST = 50  # levels of YAML; PyYAML's reader in C goes down to the end of the process
_SHARED = Path("/dev/shm")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_SHORT = reprlib.Repr()
_SHORT.maxlevel, _SHORT.maxstring, _SHORT.maxother = 2, 100, 100
_OF_JOBLIB = re.compile(r"(?:sem\.loky-|joblib_memmapping_folder_)(\d+)[-_]")  # a process's number


def write_whole(path: Path, body: str | bytes, *, private: bool = False) -> None:
    """Put ``body`` (text as UTF-8) into ``path`` at once: a kill leaves the old file or the new.

    With ``private`` only the owner can read it (mode 600, where modes are known).
    """
    # under an ASCII locale the bytes of a file's name are escaped: they come out as they were
    data = body.encode(errors="surrogateescape") if isinstance(body, str) else body
    mode = 0o600 if private else 0o666
    with _locked_name(path.parent) as part:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)


def read_yaml(path: Path, kind: type[_Content]) -> _Content:
    """What a YAML file holds, a list or a dictionary, by PyYAML's safe loader.

    Raises
    ------
    ValueError
        With the file's name: for more than :data:`LARGEST` bytes, what is no YAML or no ``kind``,
        a key that stands twice, and more than :data:`DEEPEST` levels.
    """
    return _read(path, kind, "YAML", parse_yaml)


def read_json(path: Path, kind: type[_Content]) -> _Content:
    """What a JSON file holds, as :func:`read_yaml`; of a key that stands twice, the last."""
    return _read(path, kind, "JSON", json.loads)


def _read(path: Path, kind: type[_Content], language: str, parse: Callable[[str], Any]) -> _Content:
    data = read_regular(path, LARGEST)
    try:
        content = parse(data.decode("utf-8-sig"))
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        words = " ".join(str(error).split())[:200]
        raise ValueError(f"{path} must be {language} in UTF-8, got an error: {words}") from None
    if not isinstance(content, kind):
        name = {list: "a list", dict: "a mapping"}[kind]
        raise ValueError(f"{path} must hold {name}, got {shown(content)}")
    return content


def parse_yaml(text: str) -> Any:
    """What a YAML text holds, as :func:`read_yaml`; a ``YAMLError`` for what is none."""
    level = 0
    for event in yaml.parse(text, _Loader):
        level += isinstance(event, yaml.CollectionStartEvent)
        level -= isinstance(event, yaml.CollectionEndEvent)
        if level > DEEPEST:
            raise ValueError(f"more than {DEEPEST} levels")
    return yaml.load(text, _Loader)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Refuses a key that stands twice, of which PyYAML takes the last."""

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Look at a mapping's own keys, before those of others (``<<``) are merged into it."""
        own = vars(node).setdefault("own", Counter(str(key.value) for key, _ in node.value))
        if twice := [key for key, times in own.items() if times > 1]:
            raise ValueError(f"the key {shown(twice[0])} twice")
        super().flatten_mapping(node)


def shown(value: object) -> str:
    """The ``repr`` of what a file holds, in part if it is long, and however much it is.

    >>> shown(list(range(10**6)))
    '[0, 1, 2, 3, 4, 5, ...]'
    """
    return _SHORT.repr(value)


def printable(text: str) -> str:
    """``text`` as a terminal may get it: control characters, but for ends of lines and tabs, and
    marks that turn the direction of writing are written out.

    >>> printable("safe\\x1b[2J")
    'safe\\\\x1b[2J'
    """
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def read_regular(path: Path, most: int | None = None) -> bytes:
    """The bytes of a file; a ``ValueError`` refuses a folder, a pipe or a device, of which reading
    might never end, and more than ``most`` bytes.
    """
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        raise ValueError(f"{path} must be a regular file, got something else")
    if most is not None and about.st_size > most:
        raise ValueError(f"{path} must have at most {most:,} bytes, got {about.st_size:,}")
    return path.read_bytes()


def template(path: Path, *, autoescape: bool = False, **filters: Callable) -> Template:
    """The Jinja template of a file: lines of blocks leave no trace, every name must be known."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # few programs need it

    engine = Environment(
        loader=FileSystemLoader(path.parent),
        autoescape=autoescape,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    engine.filters |= filters
    return engine.get_template(path.name)


@contextmanager
def alone(lock: Path, busy: str) -> Iterator[None]:
    """Hold ``lock``; if another process does, print ``busy`` and wait for its end."""
    held = FileLock(lock)
    try:
        held.acquire(timeout=0)
    except Timeout:
        print(f"{busy} (it holds {lock}); waiting for it", file=sys.stderr)
        held.acquire()
    try:
        yield
    finally:
        held.release()


@contextmanager
def locked_tempdir(folder: Path) -> Iterator[Path]:
    """A new folder inside ``folder``, open to its owner alone, and removed afterwards.

    Those of processes that have ended are removed, too.

    Raises
    ------
    OSError
        If ``folder`` cannot be made or written to.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _clear(folder)
    with _locked_name(folder) as made:
        made.mkdir(mode=0o700)
        yield made


def clear_leftovers(folders: Iterable[Path]) -> None:
    """Remove from ``folders``, and from shared memory, what killed processes have left there: parts
    of files, folders, semaphores.
    """
    for folder in folders:
        _clear(folder)
    for left in _SHARED.iterdir() if _SHARED.is_dir() else ():
        owner = _OF_JOBLIB.match(left.name)
        if owner and not Path("/proc", owner[1]).exists():
            with suppress(OSError):  # another user's
                left.unlink() if left.is_file() else shutil.rmtree(left, ignore_errors=True)


def _clear(folder: Path) -> None:
    """Remove what processes that have ended had under a lock in ``folder``."""
    for left in folder.glob(f"{PREFIX}*.lock"):
        with suppress(OSError), FileLock(left, timeout=0):  # a Timeout, too, is an OSError
            _remove(left)


@contextmanager
def _locked_name(folder: Path) -> Iterator[Path]:
    """A name in ``folder``, locked; what is there afterwards is removed, also after a kill."""
    made = folder / f"{PREFIX}{uuid4().hex}"
    lock = made.with_suffix(".lock")
    with FileLock(lock, timeout=60):  # somebody who tidies up may hold the new lock for a moment
        try:
            yield made
        finally:
            _remove(lock)


def _remove(lock: Path) -> None:
    """Remove what ``lock`` is of, and it: before it is released, so that nobody waits for it."""
    made = lock.with_suffix("")
    shutil.rmtree(made, ignore_errors=True)
    for path in (made, lock):
        with suppress(OSError):  # Windows removes a lock on release
            path.unlink()
