"""A folder with all that the tests need in Pyodide: distribution, packages, settings."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from lib.datasets.cache import DataError
from lib.paths import DATA, ROOT, user_cache
from press.live import code_archive, distribution, official, pins, with_dependencies

PYTHON = "3.12"  # of the pinned Pyodide


def prepare(folder: Path) -> None:
    """Write ``folder`` anew; every file is checked by its hash.

    Raises
    ------
    DataError
        If a file or a wheel cannot be had.
    """
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "wheels").mkdir(parents=True)
    packages = with_dependencies(pins()["tests"]["compiled"])
    needed = {*pins()["core"], *(official()[name]["file_name"] for name in packages)}
    for name, raw in distribution().items():
        if name in needed:
            (folder / name).write_bytes(raw)
    shutil.copy(DATA / "pyodide-lock.json", folder)
    (folder / "code.zip").write_bytes(code_archive())
    settings = {"packages": packages, "absent": pins()["absent"]}
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    _wheels(folder)


def requirements() -> str:
    """The pure Python packages, with versions and hashes of the book's own lock."""
    lock = (ROOT / "locks" / "dev.txt").read_text(encoding="utf-8")
    parts = {part.partition("==")[0]: part for part in re.split(r"^(?=\w)", lock, flags=re.M)}
    return "".join(parts[name] for name in pins()["tests"]["pure"]) + pins()["tests"]["instead"]


def kept() -> Path:
    """Where wheels stay between runs."""
    return user_cache() / "wheels-of-pyodide"


def _wheels(folder: Path) -> None:
    file, wheels = folder / "requirements.txt", folder / "wheels"
    file.write_text(requirements(), encoding="utf-8")
    kept().mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    command += ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(file)]
    command += ["--python-version", PYTHON, "--implementation", "py", "--abi", "none"]
    command += ["--platform", "any", "--find-links", str(kept()), "--dest", str(wheels)]
    for way in ({"PIP_NO_INDEX": "1"}, {}):  # the index only for what is not there yet
        done = subprocess.run(command, env=os.environ | way, capture_output=True, text=True)
        if not done.returncode:
            break
    else:
        raise DataError(f"the index must have the wheels of {file}, got: {done.stderr[-300:]}")
    for wheel in wheels.iterdir():
        shutil.copy(wheel, kept())
