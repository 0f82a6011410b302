"""Where things are. No other module spells out a folder of the repository.

The package as installed carries ``data`` in itself and has no repository around it: it reads its
data there, and what it writes goes to the folder where one works.
"""

from __future__ import annotations

import json
import os
import shutil
from importlib.metadata import Distribution, distribution
from pathlib import Path

DISTRIBUTION = "who-pays-for-privacy"
PACKAGE = Path(__file__).resolve().parent
_CARRIED = PACKAGE / "_data"  # data/, in a wheel only
IN_REPOSITORY = not _CARRIED.is_dir()
ROOT = PACKAGE.parent if IN_REPOSITORY else Path()
DATA = ROOT / "data" if IN_REPOSITORY else _CARRIED
REPLICAS = DATA / "replicas"
RESULTS = DATA / "results"
CHAPTERS = ROOT / "chapters"
HOUSES = ("lib", "studies", "press", "course")  # the folders with code; a wheel has the first two
BUILD = ROOT / "_build"


def user_cache() -> Path:
    """Folder of downloaded files: ``COMPANION_CACHE``, else the platform's cache folder."""
    if override := os.environ.get("COMPANION_CACHE"):
        return Path(override)
    import pooch

    return Path(pooch.os_cache(DISTRIBUTION))


def need_repository(what: str) -> None:
    """Raise a ``RuntimeError`` that names the repository, if there is none around the package."""
    if not IN_REPOSITORY:
        raise RuntimeError(
            f"{what} needs the repository, since the installed package holds lib, studies and"
            f" data, not chapters, press, course and tests; clone {_address()} and call it there"
        )


def pip_install(extra: str) -> str:
    """What installs an extra from where the package came from, which need not be an index."""
    if IN_REPOSITORY:
        return f'pip install -e "{ROOT}[{extra}]"'
    noted = _noted(distribution(DISTRIBUTION))
    version_control = f"{noted['vcs_info']['vcs']}+" if "vcs_info" in noted else ""
    place = f" @ {version_control}{noted['url']}" if noted else ""
    return f'pip install "{DISTRIBUTION}[{extra}]{place}"'


def _noted(installed: Distribution) -> dict:
    """Where the package was installed from, as pip notes it if that is no index."""
    return json.loads(installed.read_text("direct_url.json") or "{}")


def _address() -> str:
    """Where the package was installed from, or what its metadata state."""
    installed = distribution(DISTRIBUTION)
    noted = _noted(installed)
    if noted.keys() & {"dir_info", "vcs_info"}:  # a folder or a repository, and no wheel
        return noted["url"]
    stated = installed.metadata.get_all("Project-URL") or []
    return next((url.split(", ")[-1] for url in stated), "the repository that it was built from")


def own(path: Path) -> Path:
    """``path``, or its place in ``results`` of the working folder if it is in the package's data.

    Examples
    --------
    >>> own(RESULTS / "ldp_main.parquet").name
    'ldp_main.parquet'
    """
    inside = not IN_REPOSITORY and path.is_relative_to(DATA)
    return Path("results") / path.name if inside else path


def to_read(path: Path) -> Path:
    """:func:`own` if it was begun, else ``path``."""
    mine = own(path)
    return mine if mine.exists() or not path.exists() else path


def to_write(path: Path) -> Path:
    """:func:`own`, which goes on from what ``path`` holds."""
    mine = own(path)
    if path.exists() and not mine.exists():
        mine.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, mine)
    return mine
