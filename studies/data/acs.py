"""ACS person files by state, year and task, through ``folktables``, with a checked download.

``folktables`` saves whatever the Census Bureau answers, an error page too, and
unzips it later. Here the archive is fetched first (as often as
:mod:`lib.datasets.download` says), must be a whole zip that holds the file for
the state, and only then is put where ``folktables`` looks.
The Bureau revises its files, so there is no checksum to pin: the one found is
returned with the table, and noted beside the unpacked file, which is held to it
from then on.
"""

from __future__ import annotations

import logging
import os
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import folktables
import pandas as pd
from folktables.load_acs import state_list

from lib import validate
from lib.datasets.cache import sha256_of
from lib.datasets.download import DataError, Unavailable, stream, with_retries
from lib.files import locked_tempdir
from lib.paths import user_cache

_log = logging.getLogger("companion.data")

ACS_TASKS = {
    "coverage": folktables.ACSPublicCoverage,
    "employment": folktables.ACSEmployment,
    "income": folktables.ACSIncome,
    "mobility": folktables.ACSMobility,
    "travel_time": folktables.ACSTravelTime,
}
ORIGIN = "https://www2.census.gov/programs-surveys/acs/data/pums"
# in the order of folktables' list of states
_CODES = (
    "01 02 04 05 06 08 09 10 12 13 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35"
    " 36 37 38 39 40 41 42 44 45 46 47 48 49 50 51 53 54 55 56 72"
)
_FIPS = dict(zip(state_list, _CODES.split(), strict=True))


@dataclass(frozen=True)
class AcsTable:
    """Features, target (0/1) and the group column of a folktables task for one state and year."""

    features: pd.DataFrame
    target: pd.Series
    group: pd.Series
    state: str
    year: int
    task: str
    sha256: str


def _member(state: str, year: int) -> str:
    return f"psam_p{_FIPS[state]}.csv" if year >= 2017 else f"ss{year % 100}p{state.lower()}.csv"


# bytes, and their ratio: several times those of the largest state
_MOST_PACKED, _MOST_UNPACKED, _MOST_RATIO = 500_000_000, 2_000_000_000, 50


def _checked_zip(path: Path, member: str, url: str) -> None:
    """Raise unless ``path`` is an undamaged zip that holds ``member``."""
    if not zipfile.is_zipfile(path):
        head = path.read_bytes()[:60]
        raise DataError(f"{url} gave no zip archive: it starts with {head!r}")
    try:
        with zipfile.ZipFile(path) as archive:
            names, unpacked = archive.namelist(), sum(i.file_size for i in archive.infolist())
            most = min(_MOST_UNPACKED, 1_000_000 + _MOST_RATIO * path.stat().st_size)
            if unpacked > most:
                raise DataError(f"{url} must unpack to at most {most:,} bytes, got {unpacked:,}")
            damaged = archive.testzip()
    except DataError:
        raise
    except (
        Exception
    ) as error:  # zipfile lets many kinds through when bits of an archive are flipped
        raise DataError(
            f"{url} gave a damaged zip archive: {type(error).__name__}: {error}"
        ) from error
    if member not in names:
        raise DataError(f"{url} holds {names[:3]}; {member} is expected")
    if damaged is not None:
        raise DataError(
            f"{url} gave a damaged zip archive: the checksum of {damaged} in it does not hold"
        )


def _note(csv: Path) -> Path:
    return csv.with_name(f"{csv.name}.sha256")


def _noted(csv: Path) -> str:
    return f"{sha256_of(csv)} {csv.stat().st_size}\n"


def _as_unpacked(csv: Path) -> Path:
    """``csv`` if it is what its note says, or has none; else a :class:`DataError`."""
    try:
        said = _note(csv).read_text(errors="replace", encoding="utf-8")
    except FileNotFoundError:
        _log.warning(
            "%s: no note of its SHA-256 is beside it (put there by hand?), so its bytes are taken"
            " as they are",
            csv,
        )
        return csv
    found = _noted(csv)
    if found != said:
        raise DataError(
            f"{csv} is not what was unpacked: SHA-256 and bytes are {found.strip()}, where"
            f" {_note(csv).name} beside it has {said.strip()[:90]!r}; remove {csv.name} to have it"
            " downloaded again, or the note if the file is to be believed"
        )
    return csv


def fetch_archive(
    state: str,
    year: int,
    folder: Path,
    *,
    origin: str = ORIGIN,
    address: str = "",
    check: Callable[[Path], object] | None = None,
    progress: bool = True,
) -> Path:
    """Download and unpack one state's person file into ``folder``; the csv's path is returned.

    The archive is at its place below ``origin``, or at ``address``: another URL, or a file that is
    here. ``check`` sees the unpacked csv before it is put into ``folder``; where it raises, nothing
    is left behind.

    Raises
    ------
    Unavailable
        If the network is off, the origin cannot be reached or refuses, or
        ``folder`` cannot be written to.
    DataError
        If what came is no whole archive of that state (nothing is left behind), or
        what is in ``folder`` is not what was unpacked there. A file that was put
        there by hand has nothing to be held to, which is logged.
    """
    csv = folder / _member(state, year)
    if csv.exists():
        return _as_unpacked(csv)
    url = address or f"{origin}/{year}/1-Year/csv_p{state.lower()}.zip"

    def once() -> None:
        with locked_tempdir(folder) as own:
            partial = own / "archive.zip"
            if "://" in url:
                stream(url, partial, progress, most=_MOST_PACKED)
            else:
                shutil.copyfile(url, partial)
            _checked_zip(partial, csv.name, url)
            with zipfile.ZipFile(partial) as archive:
                people = Path(archive.extract(csv.name, own))
            if check is not None:
                check(people)
            note = own / "note"
            note.write_text(_noted(people), encoding="utf-8")
            # first: a note without its file is written again, a file without is believed
            os.replace(note, _note(csv))
            os.replace(people, csv)

    if "://" in url:
        with_retries(f"ACS {year} {state}", url, once)
    else:
        _from_file(f"ACS {year} {state}", url, once)
    return csv


def _from_file(name: str, path: str, once: Callable[[], None]) -> None:
    """``once()``, where a file of this machine is read; what the system refuses is named."""
    if not Path(path).is_file():
        raise Unavailable(f"{name} must come from a URL or a file that is here, got {path!r}")
    try:
        once()
    except OSError as error:
        raise Unavailable(f"{name} was not unpacked from {path}: {error}") from error


def load_acs(
    state: str,
    year: int = 2018,
    task: str = "coverage",
    *,
    folder: Path | None = None,
    origin: str = ORIGIN,
    progress: bool = True,
) -> AcsTable:
    """One state's table for a folktables task.

    Parameters
    ----------
    state : str
        Postal abbreviation, e.g. ``"NY"``.
    year : int
        Survey year, 2014 to 2022; the papers use 2018.
    task : {"coverage", "employment", "income", "mobility", "travel_time"}
    folder : Path, optional
        Where the files are kept; the user's cache by default.

    Raises
    ------
    ValueError
        For an unknown state, year or task; :class:`~lib.datasets.download.DataError`
        as :func:`fetch_archive` does, and if the year's file lacks a column of
        the task (``RELP`` has another name from 2019 on).
    """
    validate.choice("state", state, state_list)
    validate.integer("year", year, low=2014, high=2022)
    problem = ACS_TASKS[validate.choice("task", task, ACS_TASKS)]
    root = folder or user_cache() / "folktables"
    csv = fetch_archive(state, year, root / str(year) / "1-Year", origin=origin, progress=progress)
    source = folktables.ACSDataSource(
        survey_year=str(year), horizon="1-Year", survey="person", root_dir=str(root)
    )
    people = source.get_data(states=[state], download=False)
    if missing := [
        c for c in (*problem.features, problem.target, problem.group) if c not in people.columns
    ]:
        raise DataError(
            f"the file of {state} {year} has no column {missing[0]!r}, which task={task!r} needs"
        )
    features, target, group = problem.df_to_pandas(people)
    return AcsTable(
        features, target.iloc[:, 0].astype(int), group.iloc[:, 0], state, year, task, sha256_of(csv)
    )
