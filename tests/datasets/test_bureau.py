"""The Census Bureau's rows of New York: fetched from a server, held to what the paper prints, and
asked what the stand-in was asked.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from lib.cli import main
from lib.datasets import DataError, Unavailable
from lib.datasets.cache import sha256_of
from lib.ledger import judge
from lib.ledger.judge import Measurer
from lib.runner import registry, run_grid
from studies.data import bureau
from studies.data.newyork import load_newyork
from studies.data.newyork_aggregates import ATTRIBUTES, VARIABLES
from studies.private_means import grids
from studies.private_means.census import CensusCell, table_of
from studies.private_means.claims import census as measures
from studies.synthesizers import tables
from studies.verdicts import command

PEOPLE, ZIP = 3000, "/csv_pny.zip"


def extract() -> pd.DataFrame:
    """A few people in the form of the Bureau's file: its columns and codes, and columns unused."""
    frame = load_newyork().frame.iloc[:PEOPLE].reset_index(drop=True)
    more = dict.fromkeys(bureau.EMPLOYMENT, 1)
    ages = frame["AGEP"] * 20 + np.arange(PEOPLE) % 20
    return frame.assign(**more, AGEP=ages, ST=36, SERIALNO="2018", PWGTP=1)


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
    york = load_newyork("census")
    assert (york.source, york.is_replica, york.label) == ("census", False, "real data")
    assert list(york.frame) == [*ATTRIBUTES, *VARIABLES]
    assert york.frame["AGEP"].tolist() == (people["AGEP"] // 20).tolist()
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


# --- the claims


def _clear() -> None:
    for cached in (measures.census, measures._table_of, registry.grids):
        cached.cache_clear()


@pytest.fixture
def real(site, people, tmp_path, monkeypatch):
    """The extract is fetched; the grid of its rows is short, and writes to a folder of its own."""
    site.pages[ZIP] = (200, {}, zipped(people))
    bureau.fetch(site.url(ZIP), progress=False)
    fields = [cell.__dict__ | {"runs": 2} for cell in grids.NEWYORK.cells("paper")]
    cells = [CensusCell(**f | {"dataset": "newyork_census"}) for f in fields]
    short = replace(grids.NEWYORK_CENSUS, cells=lambda profile: cells, folder=tmp_path)
    monkeypatch.setattr(grids, "NEWYORK_CENSUS", short)
    _clear()
    yield short
    _clear()


@pytest.mark.thorough("claims judged again")
def test_one_command_reruns_the_claims_on_the_real_rows(real, monkeypatch, capsys):
    monkeypatch.setattr(command, "Measurer", lambda: Measurer(fresh=True))
    wanted = [c.id for c in command.on_stand_in() if c.measure.startswith("census_")][:2]
    read = judge.read_claims
    monkeypatch.setattr(judge, "read_claims", lambda: [c for c in read() if c.id in wanted])
    stored = registry.results("means_newyork")
    assert main(["claims", "--newyork", "real", "--workers", "1", "--id", *wanted]) == 0
    said = capsys.readouterr().out
    for name in wanted:
        assert f"{name}: " in said
    assert "running what is missing of means_newyork_census" in said
    assert "synth" not in said.split("\n", 1)[0]
    assert said.count("real data)") == len(wanted)
    own = registry.results("means_newyork_census")
    assert set(own["data_source"]) == {"census"}
    assert set(own["data_sha256"]) == {sha256_of(bureau.place())}
    assert not set(own["cell"]) & set(stored["cell"])  # keys of its own
    assert registry.results("means_newyork").equals(stored)
    assert main(["claims", "--newyork", "real", "--id", wanted[0]]) == 0  # nothing runs again
    assert registry.results("means_newyork_census")["created"].equals(own["created"])


def test_a_grid_that_has_begun_gives_no_verdict(real):
    some = replace(real, cells=lambda profile: list(real.cells(profile))[:3])
    run_grid(some, progress=False)
    assert measures._table_of("newyork") == "newyork"


def test_the_stand_in_stays_what_it_is_where_the_real_rows_are(real):
    assert table_of("newyork").source == tables.table_of("newyork").source == "stand-in"
    table = tables.table_of("ny_employment")
    assert (len(table.frame), table.source) == (PEOPLE, "download")


def test_what_rests_on_no_stand_in_is_refused(people, capsys):
    assert main(["claims", "--newyork", "real", "--id", "ldp-prop2"]) == 2
    assert "id must be" in capsys.readouterr().err
