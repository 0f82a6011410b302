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


def _below(folder: Path) -> list[Path]:
    """The files in ``folder``, without locks, what is hidden, and what Python compiled."""
    return [
        file
        for file in folder.rglob("*")
        if file.is_file()  # a pipe would be waited for
        and not re.search(r"(^|/)(\.|__pycache__)|\.lock$", file.relative_to(folder).as_posix())
    ]


def named(text: str, root: Path) -> dict[Path, str]:
    """The modules of studies that ``text`` names, itself or through others, with their texts."""
    found: dict[Path, str] = {}
    texts = [text]
    while texts:
        text = texts.pop()
        names = re.findall(r"\bstudies(?:\.\w+)+", text)
        for of, things in re.findall(r"from (studies[\w.]*) import ([\w, ]+|\([^)]*\))", text):
            names += [f"{of}.{thing}" for thing in re.findall(r"\w+", things)]
        bases = [root.joinpath(*name.split(".")) for name in names]
        for file in (f for b in bases for f in (b.with_suffix(".py"), b / "__init__.py")):
            if file.is_file() and file not in found:
                found[file] = file.read_text("utf-8")
                texts.append(found[file])
    return found


def sources(text: str, root: Path) -> set[Path]:
    """The files of the studies that ``text`` names; a text that names the press or the course has
    all of both and of all studies, and one that lists the pages has all chapters.
    """
    top = root / "studies"
    folders = {top / file.relative_to(top).parts[0] for file in named(text, root)}
    if re.search(r"\b(press|course)\b", text):
        folders = {root / house for house in HOUSES}
    pages = markdown(root / "chapters") if "press.toc" in text else ()
    return {file for folder in folders for file in _below(folder)} | {*pages}


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
    files = [*_below(root / "lib"), *(root / "studies").glob("*.py"), *_below(root / "data")]
    return json.dumps([digest(files, root), tables, installed, sys.version, platform.machine()])
