"""The Census Bureau's rows of New York: fetched from a server, held to what the paper prints."""

from __future__ import annotations

import io
import zipfile

import pandas as pd
import pytest

from lib.cli import main
from lib.datasets import DataError, Unavailable, load
from lib.datasets.cache import sha256_of
from studies.data import bureau
from studies.data.newyork import values_2024
from studies.data.newyork_aggregates import ATTRIBUTES, VARIABLES

PEOPLE, ZIP = 3000, "/csv_pny.zip"


def extract() -> pd.DataFrame:
    """A few people in the form of the Bureau's file: its columns and codes, and columns unused."""
    frame = values_2024(load("newyork2024", "replica"))[[*ATTRIBUTES, *VARIABLES]]
    frame = frame.iloc[:PEOPLE].reset_index(drop=True)
    more = dict.fromkeys(bureau.EMPLOYMENT, 1)
    return frame.assign(**more, ST=36, SERIALNO="2018", PWGTP=1)


def zipped(frame: pd.DataFrame, member: str = "psam_p36.csv") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, frame.to_csv(index=False))
        archive.writestr("ACS2018_PUMS_README.pdf", b"%PDF")
    return buffer.getvalue()


@pytest.fixture
def people(fresh_cache, monkeypatch):
    """The extract, which is what the paper counted in this test."""
    frame = extract()
    counts = frame.groupby(["SEX", "RAC1P"]).size().to_dict()
    monkeypatch.setattr(bureau, "ROWS", PEOPLE)
    monkeypatch.setattr(bureau, "GROUPS", counts)
    monkeypatch.delenv(bureau.ADDRESS, raising=False)
    return frame


def kept() -> set[str]:
    """The names of the files that a download left."""
    folder = bureau.place().parent
    return {p.name for p in folder.rglob("*") if p.is_file() and p.suffix != ".lock"}


def fetched(*more: str) -> int:
    return main(["data", "fetch", "newyork", *more])


def test_one_command_fetches_the_file_and_compares_it_with_table_1(site, people, capsys):
    site.pages[ZIP] = (200, {}, zipped(people))
    assert fetched("--from", site.url(ZIP)) == 0
    said = capsys.readouterr().out
    assert f"newyork: {PEOPLE:,} people" in said
    assert sha256_of(bureau.place()) in said
    assert f"SCHL: {people['SCHL'].count():,} answers" in said
    assert "the paper prints 191,372 and 16.39" in said
    assert kept() == {"psam_p36.csv", "psam_p36.csv.sha256"}
    assert fetched() == 0  # it is there
    assert site.hits[ZIP] == 1
    assert main(["data", "verify", "newyork"]) == 0
    assert main(["data", "list", "newyork"]) == 0
    assert "newyork                        cached" in capsys.readouterr().out
    york, sha256 = bureau.read()
    assert sha256 == sha256_of(bureau.place())
    assert list(york) == [*ATTRIBUTES, *VARIABLES]
    assert york["AGEP"].tolist() == pd.cut(people["AGEP"], 5, labels=False).tolist()
    with bureau.place().open("a") as file:
        file.write("x")
    assert main(["data", "verify", "newyork"]) == 1
    assert "is not what was unpacked" in capsys.readouterr().out


def test_the_address_may_stand_in_the_environment_or_be_a_file(site, people, tmp_path, monkeypatch):
    site.pages[ZIP], seen, check = (200, {}, zipped(people)), [], bureau.refuse_other_people
    monkeypatch.setenv(bureau.ADDRESS, site.url(ZIP))
    monkeypatch.setattr(bureau, "refuse_other_people", lambda csv: seen.append(csv) or check(csv))
    assert bureau.fetch(progress=False).exists()
    assert [csv == bureau.place() for csv in seen] == [False]  # checked before it is put there
    bureau.place().unlink()
    file = tmp_path / "downloaded.zip"
    file.write_bytes(zipped(people))
    monkeypatch.setenv("COMPANION_OFFLINE", "1")  # a file needs no network
    assert fetched("--from", str(file)) == 0
    assert site.hits[ZIP] == 1
    bureau.place().unlink()
    with pytest.raises(Unavailable, match=r"a file that is here, got '/none\.zip'.*--from FILE"):
        bureau.fetch("/none.zip")


def wrong(people: pd.DataFrame) -> dict:
    """Archives that are not New York's people, and what is said of each."""
    body = zipped(people)
    return {
        "texas": (zipped(people, "psam_p48.csv"), r"psam_p36\.csv is expected"),
        "fewer": (zipped(people.iloc[1:]), f"must have {PEOPLE:,} people, got {PEOPLE - 1:,}"),
        "later": (zipped(people.rename(columns={"RELP": "RELSHIPP"})), "must have the column RELP"),
        "other state": (zipped(people.assign(ST=48)), r"ST of each person must be in \[36, 36\]"),
        "code": (zipped(people.assign(SCHL=25)), r"SCHL of each person must be in \[1, 24\]"),
        "text": (zipped(people.assign(WKHP="forty")), r"WKHP .* must be in \[1, 99\], got forty"),
        "swapped": (zipped(people.assign(SEX=3 - people["SEX"])), "as the paper's Table 3 prints"),
        "broken line": (body, "cannot be downloaded", {"Content-Length": str(2 * len(body))}),
    }


@pytest.mark.parametrize("fault", wrong(extract()))
def test_what_is_not_the_file_leaves_nothing_behind(fault, site, people):
    body, words, *headers = wrong(people)[fault]
    site.pages[ZIP] = (200, *(headers or [{}]), body)
    with pytest.raises(DataError, match=words):
        bureau.fetch(site.url(ZIP), progress=False)
    assert kept() == set()


def test_other_files_take_no_other_address(people, capsys):
    assert main(["data", "fetch", "db_LSAC.csv", "--from", "http://x"]) == 2
    assert main(["data", "list", "newyork", "--from", "http://x"]) == 2
    assert "--from must stand with" in capsys.readouterr().err
