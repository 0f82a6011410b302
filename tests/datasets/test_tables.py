"""The analysed tables and their declared domains, ACS archives."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pandas as pd
import pytest

from lib.datasets import TASKS, DataError, load
from lib.datasets.cache import sha256_of
from studies.data.acs import ACS_TASKS, _checked_zip, fetch_archive, load_acs

# rows, share of target 1, share of the protected attribute's 1: the paper's Table 2 and the
# published files
FACTS = {
    "adult": (45849, 0.518, 31004),
    "acs_coverage": (98739, 0.186, None),
    "lsac": (20427, 0.949, 20427 - 1198),
}


@pytest.mark.parametrize("name", FACTS)
def test_published_tables_have_the_papers_counts(name, real_data):
    real_data(TASKS[name].of_file.name)
    data, (rows, share, ones) = load(name), FACTS[name]
    assert len(data.frame) == rows
    assert data.y.mean() == pytest.approx(share, abs=5e-4)
    assert ones is None or data.protected.sum() == ones


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("source", ["auto", "replica"])
def test_tables_fit_their_declared_domain(name, source, real_data):
    if source == "auto":
        real_data(TASKS[name].of_file.name)
    data = load(name, source)
    assert tuple(data.frame.columns) == data.task.domain.columns
    assert set(np.unique(data.y)) == {0, 1}
    assert set(np.unique(data.protected)) == {0, 1}
    assert data.task.target not in data.task.features
    assert set(data.task.sensitive) | set(data.task.pool) <= set(data.task.features)


# --- ACS archives

_COLUMNS = "SERIALNO,AGEP,SCHL,MAR,RELP,SEX,DIS,ESP,CIT,MIG,MIL,ANC,NATIVITY,DEAR,DEYE,DREM,PINCP,ESR,ST,FER,RAC1P,PUBCOV"


def _archive(member: str = "psam_p48.csv", text: str = "") -> bytes:
    rows = [f"{i},{20 + i},16,1,0,1,2,,1,1,4,1,1,2,2,2,1000,1,48,,1,{1 + i % 2}" for i in range(30)]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, text or "\n".join([_COLUMNS, *rows]))
    return buffer.getvalue()


ADDRESS = "/2018/1-Year/csv_ptx.zip"


@pytest.fixture
def fetched(site, fresh_cache, tmp_path):
    """Fetch Texas from the site into a folder, which is then empty but for what was fetched."""

    def fetch(answer=None, folder=tmp_path / "f"):
        site.pages[ADDRESS] = answer or (200, {}, _archive())
        return fetch_archive("TX", 2018, folder, origin=site.origin, progress=False)

    return fetch


def test_an_acs_state_comes_through_folktables(site, fresh_cache, tmp_path):
    good = (200, {}, _archive())  # one 503 used to be the end
    site.pages[ADDRESS] = lambda hit, asked: (503, {}, b"later") if hit == 1 else good
    for _ in range(2):
        table = load_acs("TX", 2018, "coverage", folder=tmp_path, origin=site.origin)
        assert len(table.features) == len(table.target) == 30
        assert table.target.sum() == 15
        assert len(table.sha256) == 64
    assert site.hits[ADDRESS] == 2


@pytest.mark.parametrize("task", ACS_TASKS)
def test_each_task_finds_its_columns_or_names_the_one_that_is_missing(task, tmp_path):
    problem, people = ACS_TASKS[task], tmp_path / "2018" / "1-Year" / "psam_p48.csv"
    columns = {*problem.features, problem.target, "RAC1P", "PWGTP", "WKHP", "ESR"}
    frame = pd.DataFrame(1, index=range(4), columns=[*columns])
    people.parent.mkdir(parents=True)
    frame.assign(AGEP=30, PINCP=2000, SERIALNO="a", ST=48).to_csv(people, index=False)
    table = load_acs("TX", 2018, task, folder=tmp_path)
    assert list(table.features.columns) == list(problem.features)
    assert len(table.target) == 4
    frame.assign(SERIALNO="a", ST=48).drop(columns="SCHL").to_csv(people, index=False)
    words = f"the file of TX 2018 has no column 'SCHL', which task='{task}' needs"
    with pytest.raises(DataError, match=words):
        load_acs("TX", 2018, task, folder=tmp_path)


def _flipped(archive: bytes, bit: int) -> bytes:
    return archive[: bit // 8] + bytes([archive[bit // 8] ^ 1 << bit % 8]) + archive[bit // 8 + 1 :]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ((200, {"Content-Type": "text/html"}, b"<html>Forbidden</html>"), "web page.*Forbidden"),
        ((200, {}, b"Forbidden"), "no zip archive.*Forbidden"),
        ((200, {}, _archive()[:-40]), "no zip archive"),
        # in the packed rows
        ((200, {}, _flipped(_archive(), 8 * 100)), "damaged zip archive: error: Error -3"),
        ((200, {}, _archive("psam_p36.csv")), "psam_p48.csv is expected"),
        ((200, {"Content-Length": "999999"}, _archive()), "csv_ptx.zip"),
    ],
)
def test_what_is_no_archive_of_the_state_is_refused_and_not_kept(fetched, tmp_path, answer, error):
    """folktables saves an error page as a zip and goes on (folktables#49)."""
    with pytest.raises(DataError, match=error):
        fetched(answer)
    assert not list((tmp_path / "f").iterdir())


def test_an_archive_of_a_thousand_times_its_size_is_not_unpacked(fetched, tmp_path):
    with pytest.raises(DataError, match=r"must unpack to at most [\d,]+ bytes, got 100,000,000"):
        fetched((200, {}, _archive(text="0" * 100_000_000)))
    assert not list((tmp_path / "f").iterdir())


def test_whichever_bit_is_flipped_the_error_is_a_data_error(tmp_path):
    """zlib.error, BadZipFile, OSError, NotImplementedError and EOFError came through."""
    good, path, refused = _archive(), tmp_path / "flipped.zip", 0
    for bit in range(0, 8 * len(good), 3):  # each of the eight in turn
        path.write_bytes(_flipped(good, bit))
        try:
            _checked_zip(path, "psam_p48.csv", "url")
        except DataError:
            refused += 1
    assert refused > 0.8 * 8 * len(good) / 3  # the others are in dates and such


def test_an_unpacked_file_is_held_to_what_was_unpacked(fetched, caplog):
    """A truncated one was read without a word: that it is there was all that was asked."""
    csv = fetched()
    note, whole = csv.with_name("psam_p48.csv.sha256"), csv.read_bytes()
    assert note.read_text(encoding="utf-8") == f"{sha256_of(csv)} {len(whole)}\n"
    assert fetched() == csv
    assert not caplog.records
    csv.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"is not what was unpacked.*remove psam_p48.csv"):
        fetched()
    csv.unlink()
    assert fetched().read_bytes() == whole
    assert {p for p in csv.parent.iterdir() if p.is_file()} == {csv, note}
