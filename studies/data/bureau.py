"""New York's people as the Census Bureau published them: the file of the stratified-DP paper.

The paper's repository (lurosenb/stratify_dp a4b7078) reads it through folktables:
``helpers/acs_helper.py:19`` takes the person file of the one-year survey of 2018,
``helpers/data_utils.py:85`` the state of New York. No row is filtered: folktables' employment
task has as many rows as the file, and Table 3 of the paper adds up to them.

Nobody here could reach the Bureau, so no checksum of its archive is known. Instead the content is
held to what the paper prints and to the survey's codebook (:func:`refuse_other_people`), and
the SHA-256 of what came is noted beside the file, which is held to it from then on.
"""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from lib.datasets.cache import locate, sha256_of
from lib.datasets.download import DataError, Unavailable
from lib.datasets.registry import FILES
from lib.files import locked_tempdir
from lib.paths import user_cache
from studies.data.newyork_aggregates import ATTRIBUTES, GROUPS, ROWS, VARIABLES

NAME = "newyork"  # as commands call the file
NAME_2024 = "newyork2024"
ADDRESS = "COMPANION_NEWYORK"  # the variable that names another place of the archive
URL = "https://www2.census.gov/programs-surveys/acs/data/pums/2018/1-Year/csv_pny.zip"
# smallest and largest code in the codebook of 2018; a field may be empty where it is not asked
CODES = {
    "ST": (36, 36),
    "AGEP": (0, 99),
    "SEX": (1, 2),
    "DIS": (1, 2),
    "NATIVITY": (1, 2),
    "RAC1P": (1, 9),
    "SCHL": (1, 24),
    "WKHP": (1, 99),
    "JWMNP": (1, 200),
    "PINCP": (-19_998, 4_209_995),
}
# the other columns of folktables' employment task, the table of the synthesizers
EMPLOYMENT = tuple("MAR RELP ESP CIT MIG MIL ANC DEAR DEYE DREM ESR".split())


def place() -> Path:
    """Where the file is, once it was fetched: in folktables' folder of the user's cache."""
    return user_cache() / "folktables" / "2018" / "1-Year" / "psam_p36.csv"


def fetch(address: str = "", *, progress: bool = True) -> Path:
    """Download the archive, check what is in it, and put the csv at :func:`place`.

    Parameters
    ----------
    address : str, optional
        A URL of the zip archive, or the path of one that is here. If it is not given, the
        environment variable :data:`ADDRESS` counts, and then :data:`URL`.

    Raises
    ------
    Unavailable
        If the archive cannot be had; the message says how else to get it.
    DataError
        If it is another file (:func:`refuse_other_people`). Nothing is left behind.
    """
    # folktables takes a second to import and is rarely needed
    from studies.data.acs import fetch_archive

    address = address or os.environ.get(ADDRESS, "") or URL
    folder = place().parent

    def check(csv: Path) -> None:
        try:
            refuse_other_people(csv)
        except DataError as error:
            raise DataError(
                f"{address} holds other people than the paper counted, so nothing was kept:"
                f" {error}; the archive that it read is {URL}"
            ) from error

    try:
        return fetch_archive("NY", 2018, folder, address=address, check=check, progress=progress)
    except Unavailable as error:
        raise Unavailable(
            f"{error}; download {URL} elsewhere, then: python -m lib data fetch {NAME} --from FILE"
            f" (or set {ADDRESS} to its place)"
        ) from error


def refuse_other_people(csv: Path) -> None:
    """Raise a :class:`DataError` unless ``csv`` holds the people that the paper counted.

    Checked are the columns, the number of rows, the range of every code, and the number of people
    of each sex and race, which the paper prints in Table 3.
    """
    try:
        there = set(pd.read_csv(csv, nrows=0).columns)
        if missing := [c for c in (*CODES, *EMPLOYMENT) if c not in there]:
            raise DataError(f"the file must have the column {missing[0]}, got none of that name")
        people = pd.read_csv(csv, usecols=list(CODES))
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise DataError(f"the file must be a table of people, got another one: {error}") from error
    if len(people) != ROWS:
        raise DataError(f"the file must have {ROWS:,} people, got {len(people):,}")
    for name, (low, high) in CODES.items():
        said = people[name].dropna()
        wrong = said[~pd.to_numeric(said, errors="coerce").between(low, high)]
        if len(wrong):
            found = wrong.iloc[0]
            raise DataError(f"{name} of each person must be in [{low}, {high}], got {found}")
    found = people.groupby(["SEX", "RAC1P"]).size().to_dict()
    for (sex, race), count in GROUPS.items():
        if (here := found.get((sex, race), 0)) != count:
            raise DataError(
                f"people of SEX {sex} and RAC1P {race} must be {count:,}, as the paper's Table 3"
                f" prints, got {here:,}"
            )


# the person file of 2024: answers to what the study averages, and the sum of the people's weights
ANSWERS_2024 = {"SCHL": 204_819, "WKHP": 108_581, "JWMNP": 85_085, "PINCP": 180_939}
ROWS_2024, WEIGHTS_2024 = 210_150, 19_867_248
_USED_2024 = (*ATTRIBUTES, *ANSWERS_2024, "ESR", "PWGTP")


def refuse_other_people_2024(table: Path) -> None:
    """Raise a :class:`DataError` unless a Parquet file holds New York's people of 2024.

    Checked are the columns, the number of rows, the sum of the weights, and how many people have an
    answer to each variable.
    """
    try:
        people = pd.read_parquet(table, columns=[*_USED_2024])
    except Exception as error:  # pyarrow raises many kinds
        raise DataError(f"{table} must hold New York's people of 2024: {error}") from error
    found = {**people.count(), "rows": len(people), "PWGTP": people["PWGTP"].sum()}
    for name, count in {"rows": ROWS_2024, "PWGTP": WEIGHTS_2024, **ANSWERS_2024}.items():
        if found[name] != count:
            raise DataError(
                f"{table.name} must hold New York's people of 2024, of whom {name} counts"
                f" {count:,}, got {found[name]:,}"
            )


def fetch_2024(address: str = "", *, progress: bool = True) -> Path:
    """New York's people of 2024: the registered file, or what is at ``address``, the Bureau's own
    archive of that year (``csv_pny.zip``), checked and put in the place of the registered file.

    Raises as :func:`fetch`.
    """
    from studies.data.acs import fetch_archive

    file = FILES["ny2024_persons.parquet"]
    if not address:
        return locate(file, progress=progress).path
    with locked_tempdir(user_cache()) as own:
        csv = fetch_archive("NY", 2024, own, address=address, progress=progress)
        whole = own / file.name
        try:
            people = pd.read_csv(csv, usecols=[*_USED_2024], dtype="Int64")
        except ValueError as error:
            raise DataError(f"{address} must hold New York's people of 2024: {error}") from error
        people.to_parquet(whole, index=False)
        refuse_other_people_2024(whole)
        os.replace(whole, user_cache() / file.name)
    return user_cache() / file.name


def read() -> tuple[pd.DataFrame, str]:
    """The paper's attributes and variables of everybody, ages in its five bins; and the SHA-256.

    The file is fetched if it is not there. Raises as :func:`fetch`.
    """
    csv = fetch()
    refuse_other_people(csv)
    raw = pd.read_csv(csv, usecols=[*ATTRIBUTES, *VARIABLES])
    frame = raw.assign(AGEP=pd.cut(raw["AGEP"], 5, labels=False))[[*ATTRIBUTES, *VARIABLES]]
    return frame, sha256_of(csv)


def against_table_1(frame: pd.DataFrame) -> list[str]:
    """Answers and mean of each variable, here and in the paper's Table 1, a line each."""
    return [
        f"{name}: {frame[name].count():,} answers, mean {frame[name].mean():.6g}; the paper prints"
        f" {printed.n:,} and {printed.mean:g}"
        for name, printed in VARIABLES.items()
    ]
