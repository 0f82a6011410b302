"""The store survives whatever happens to it, or says what is wrong."""

from __future__ import annotations

import math
import os
import threading

import pandas as pd
import pytest

from lib.experiments.store import Store, StoreError


def _record(number: int, **more) -> dict:
    return {"cell": f"{number:04d}", "number": number, "epsilon": math.nan if number % 2 else 0.1 * number} | more


@pytest.fixture
def path(tmp_path):
    return tmp_path / "grid.parquet"


def _filled(path, count=5) -> Store:
    store = Store(path, version="1")
    for number in range(count):
        store.append(_record(number))
    store.close()
    return store


def test_round_trip_through_the_journal_and_the_parquet(path):
    journal = _filled(path).frame()
    assert journal["number"].tolist() == [0, 1, 2, 3, 4]
    assert math.isnan(journal["epsilon"][1])
    assert journal["epsilon"][4] == 0.4
    folded = Store(path, version="1").compact()
    assert not path.with_suffix(".journal").exists()
    pd.testing.assert_frame_equal(folded, journal)


def test_a_cell_is_kept_once(path):
    store = _filled(path)
    store.append(_record(2, extra="again"))
    assert len(store.frame()) == 5
    assert "0002" in store
    assert "0009" not in store


@pytest.mark.parametrize("cut", [1, 5, 20])
def test_a_torn_last_line_is_passed_over_and_cut_by_the_next_writer(path, cut):
    _filled(path)
    journal = path.with_suffix(".journal")
    journal.write_bytes(journal.read_bytes()[:-cut])
    reader = Store(path, version="1")
    assert len(reader) == 4
    torn = journal.read_bytes()
    assert not torn.endswith(b"\n")  # reading changed nothing
    reader.append(_record(4))
    reader.close()
    assert len(Store(path, version="1").frame()) == 5


def test_a_damaged_line_in_the_middle_is_named(path):
    _filled(path)
    journal = path.with_suffix(".journal")
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b"number", b"numbre")
    journal.write_bytes(b"".join(lines))
    before = journal.read_bytes()
    with pytest.raises(StoreError, match=r"journal, line 3, fails its checksum"):
        Store(path, version="1")
    assert journal.read_bytes() == before


def test_a_corrupt_parquet_is_an_error_that_changes_nothing(path):
    path.write_bytes(b"PAR1 not really")
    with pytest.raises(StoreError, match="no readable parquet"):
        Store(path, version="1")
    assert path.read_bytes() == b"PAR1 not really"


def test_other_versions_are_refused_unless_told(path):
    _filled(path)
    with pytest.raises(StoreError, match="version 1, this is version '2'"):
        Store(path, version="2")
    mixed = Store(path, version="2", mix_versions=True)
    mixed.append(_record(7))
    mixed.close()
    assert sorted(mixed.frame()["version"].unique()) == ["1", "2"]


def test_a_kill_between_renaming_and_emptying_leaves_no_duplicates(path):
    _filled(path)
    journal = path.with_suffix(".journal")
    kept = journal.read_bytes()
    store = Store(path, version="1")
    store.compact()
    store.close()
    journal.write_bytes(kept)  # as if the unlink had not happened
    again = Store(path, version="1")
    assert len(again.frame()) == 5
    assert len(again.compact()) == 5
    assert not journal.exists()


def test_two_writers_do_not_meet(path):
    one, two = Store(path, version="1"), Store(path, version="1")
    one.append(_record(0))
    with pytest.raises(StoreError, match="another process is writing"):
        two.append(_record(1))
    one.close()
    two.append(_record(1))
    two.close()
    assert len(Store(path, version="1").frame()) == 2


def test_an_empty_store_is_an_empty_table(path):
    store = Store(path, version="1")
    assert store.frame().empty
    assert store.compact().empty
    assert not path.exists()


def test_infinities_and_gaps_survive_a_round_trip(path):
    store = Store(path, version="1")
    store.append(_record(0, DI=math.inf, note="a"))
    store.append(_record(1, DI=math.nan))
    store.compact()
    store.append(_record(2, DI=-math.inf, note=None))
    store.close()
    found = Store(path, version="1").frame().set_index("cell")
    assert found["DI"].tolist()[0] == math.inf
    assert math.isnan(found["DI"].iloc[1])
    assert found["DI"].tolist()[2] == -math.inf


def test_a_table_that_is_none_of_ours_is_refused(path):
    pd.DataFrame({"a": [1]}).to_parquet(path)
    with pytest.raises(StoreError, match="no column cell or version"):
        Store(path, version="1")


def test_a_fold_killed_before_the_renaming_leaves_a_file_that_nobody_reads(path):
    _filled(path)
    path.with_suffix(".tmp").write_bytes(b"PAR1 half of it")
    store = Store(path, version="1")
    assert len(store.compact()) == 5
    store.close()
    assert not path.with_suffix(".tmp").exists()


def test_a_full_disk_is_an_error_and_leaves_no_torn_line_between_records(path, monkeypatch):
    store, write = Store(path, version="1"), os.write
    store.append(_record(0))
    monkeypatch.setattr(os, "write", lambda fd, line: write(fd, line[:20]))
    with pytest.raises(StoreError, match="only a part of a record"):
        store.append(_record(1))
    monkeypatch.setattr(os, "write", write)
    store.append(_record(1))
    store.append(_record(2))
    store.close()
    assert Store(path, version="1").frame()["number"].tolist() == [0, 1, 2]


def test_readers_beside_a_writer_that_folds_see_every_record(path):
    """A reader never fails, and never sees fewer records than before, whatever is renamed under it."""
    done, faults = threading.Event(), []

    def read():
        seen = 0
        while not done.is_set():
            try:
                now = len(Store(path, version="1"))
            except StoreError as error:
                faults.append(str(error))
                return
            if now < seen:
                faults.append(f"{now} after {seen}")
            seen = now

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    writer = Store(path, version="1")
    for number in range(200):
        writer.append(_record(number))
        writer.compact()
    writer.close()
    done.set()
    for reader in readers:
        reader.join()
    assert faults == []
