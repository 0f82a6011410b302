"""What a page is made from: source, data, and the versions of what is installed."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import sys
from collections.abc import Iterable
from importlib.metadata import distributions
from pathlib import Path

from lib.datasets.cache import sha256_of
from lib.paths import HOUSES, user_cache
from press.toc import markdown


def digest(files: Iterable[Path], root: Path) -> str:
    """SHA-256 over the names (below ``root`` where they are) and the contents of ``files``."""
    total = hashlib.sha256()
    for file in sorted(files):
        name = file.relative_to(root) if file.is_relative_to(root) else file.name
        total.update(f"{name}\0{sha256_of(file)}".encode())
    return total.hexdigest()


def below(folder: Path) -> list[Path]:
    """The files in ``folder``, without locks, what is hidden, and what Python compiled."""
    return [
        file
        for file in folder.rglob("*")
        if file.is_file()  # a pipe would be waited for
        and not re.search(r"(^|/)(\.|__pycache__)|\.lock$", file.relative_to(folder).as_posix())
    ]


def sources(text: str, root: Path) -> set[Path]:
    """The files of the studies that ``text`` names, itself or through others; a text that names the
    press or the course has all houses, and one that lists the pages has all chapters.
    """
    found: set[str] = set()
    read, lists = text, "press.toc" in text
    while new := {*re.findall(r"\bstudies\.(\w+)", read)} - found:
        found |= new
        files = (file for name in new for file in (root / "studies" / name).glob("*.py"))
        read = "".join(file.read_text("utf-8") for file in files)
    whole = re.search(r"\b(press|course|from studies import)\b", text)
    folders = {root / house for house in (HOUSES if whole else [f"studies/{one}" for one in found])}
    pages = markdown(root / "chapters") if lists else ()
    return {file for folder in folders for file in below(folder)} | {*pages}


def common(root: Path) -> str:
    """What the result of every page depends on, as text: ``lib`` and what the studies share, the
    data (of the reader's own tables names, sizes and times), Python and its packages.
    """
    folders = [user_cache(), *map(Path, filter(None, [os.environ.get("COMPANION_DATA")]))]
    tables = [
        [str(file.relative_to(folder)), file.stat().st_size, file.stat().st_mtime_ns]
        for folder in folders
        for pattern in ("*.csv", "*.parquet", "folktables/**/*.csv")
        for file in sorted(folder.glob(pattern))
    ]
    installed = sorted(f"{one.name}=={one.version}" for one in distributions())
    files = [*below(root / "lib"), *(root / "studies").glob("*.py"), *below(root / "data")]
    offline = os.environ.get("COMPANION_OFFLINE", "1")  # as in a kernel
    about = [tables, installed, sys.version, platform.machine(), offline]
    return json.dumps([digest(files, root), *about])
