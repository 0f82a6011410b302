"""The store survives whatever happens to it, or says what is wrong."""

from __future__ import annotations

import math

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
