"""The store keeps every finished cell whatever happens to it, or says what is wrong."""

from __future__ import annotations

import math
import multiprocessing
import os
import signal
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event
from unittest.mock import Mock

import pandas as pd
import pytest

from lib.paths import RESULTS
from lib.rng import stream
from lib.runner import StoreError, tidy
from lib.runner.records import DIRTY
from lib.runner.store import Store, StoreBusy, read_records, read_rows
from tests.runner.toy import MADE, stored

SCORES = [{"group": "men", "error": 0.1}, {"group": "women", "error": math.nan}]
RECORD = {"cell": "a", "value": 0.3, "gap": None, "label": "x", "scores": SCORES}


def _record(number: int, **more) -> dict:
    return {"cell": f"{number:04d}", "number": number, "label": f"cell {number}"} | more


def _numbers(path) -> list[int]:
    return sorted(Store(path, version="1").frame().get("number", []))


def _contents(path) -> dict:
    return {f.name: f.read_bytes() for f in path.parent.iterdir() if f.suffix != ".lock"}


KINDS = {
    "text": ["a", None, "ε"],
    "truth": [True, False, True],
    "whole": [1, -(2**53), 0],
    "number": [math.inf, None, 0.1 + 0.2],
    "least": [-math.inf, 5e-324, math.nan],
}


@pytest.mark.parametrize("folded", [0, 2, 3])
def test_every_kind_of_value_comes_back(path, folded):
    """From the database, from both files and from the table."""
    for i in range(3):
        record = {name: values[i] for name, values in KINDS.items()}
        scores = [record | {"i": i, "j": j} for j in range(2)]
        stored(path, {"cell": str(i), "scores": scores}, fold=i + 1 == folded)
    assert len(read_rows(path.with_suffix(".sqlite"))) == 3 - folded
    found = tidy(Store(path, version="1").frame())
    assert found[["i", "j"]].to_numpy().tolist() == [[i, j] for i in range(3) for j in range(2)]
    for name, values in KINDS.items():
        for one, value in zip(found[name].iloc[::2], values, strict=True):
            assert pd.isna(one) if pd.isna(value) else one == value
    assert (found["truth"].dtype, found["whole"].dtype) == (bool, int)
    if folded == 3:
        assert pd.read_parquet(path)["scores"].map(len).tolist() == [2] * 3  # any reader reads it


# a record beside RECORD in its file, or beside one without scores, and what is said of it
REFUSED = [
    *(({"cell": "c", "x": value}, "cell c: x=.* cannot") for value in ([1], 2**53 + 1, "\ud800")),
    ({"cell": "c", "scores": "men"}, "cell c: scores must be a list of flat records, got 'men'"),
    ({"cell": "c", "scores": [{"a": 1}, {"b": 1}]}, r"cell c: scores\[1\] must have the names of"),
    ({"cell": "c", "value": True}, "cell c: value=True is a truth value .* have a number there"),
    ({"cell": "c", "alone": 1}, "cell c: alone=1 is a number .* have a text there"),
    (
        {"cell": "c", "scores": [{"error": "a"}]},
        r"cell c, scores\[0\]: error='a' is a text .* numb",
    ),
]


@pytest.mark.parametrize("fold", [True, False])
@pytest.mark.parametrize(("wrong", "words"), REFUSED)
def test_a_record_that_no_column_takes_is_refused_also_after_a_restart(path, wrong, words, fold):
    stored(path, RECORD, {"cell": "b", "alone": "no scores"}, fold=fold)
    with pytest.raises(ValueError, match=words):
        stored(path, wrong)
    assert Store(path, version="1").frame()["cell"].tolist() == ["a", "b"]


OTHER = [({"value": 0.30001}, "value"), ({"gap": 1.0}, "gap"), ({"scores": SCORES[::-1]}, "scores")]
# another processor, time and copy of the data
SAME = {"value": 0.1 + 0.2, "commit": "d", "created": "2027", "wall_s": 7.0, "data_source": "cache"}


def _both(path, first: dict, second: dict) -> None:
    """One in the table, one in the database, as after a kill in the middle of folding."""
    stored(path, first, fold=True)
    table = path.read_bytes()
    path.unlink()
    stored(path, second)
    path.write_bytes(table)


@pytest.mark.parametrize(("change", "field"), OTHER)
def test_two_values_of_a_cell_are_refused_with_both(path, change, field):
    stored(path, RECORD | MADE, fold=True)
    with pytest.raises(StoreError, match=rf"(?s)a second record: {field} of cell a must be .* got"):
        stored(path, RECORD | MADE | change)
    _both(path, RECORD | MADE, RECORD | MADE | change)
    with pytest.raises(StoreError, match=rf"(?s)grid.sqlite: {field} of cell a must be .* as in"):
        Store(path, version="1")


def test_the_same_value_twice_is_kept_once(path):
    _both(path, RECORD | MADE, RECORD | MADE | SAME)
    store = stored(path, RECORD | MADE | SAME, fold=True)
    assert store.frame()["commit"].tolist() == ["abc"]
    assert not read_rows(store.database)


def _write_until_killed(path, told) -> None:
    with open(told, "ab", buffering=0) as file:
        while True:
            store = Store(path, version="1")
            with store.writing():
                for number in range(len(store), len(store) + 5):
                    store.append(_record(number))
                    file.write(b".")


def test_killed_at_any_moment_no_stored_cell_is_lost(path):
    """SIGKILL while rows are written, or folded: what was said to be stored is there."""
    rng, ours = stream(1, "kills"), multiprocessing.get_context("fork")
    told = path.with_name("told")
    told.touch()
    for _ in range(12):
        before = told.stat().st_size
        writer = ours.Process(target=_write_until_killed, args=(path, told))
        writer.start()
        while told.stat().st_size == before and writer.is_alive():
            time.sleep(0.01)
        time.sleep(rng.random() / 4)
        os.kill(writer.pid, signal.SIGKILL)
        writer.join()
        found = _numbers(path)
        assert found == [*range(len(found))]
        assert len(found) >= told.stat().st_size
    assert len(found) >= 12
    frame = stored(path, fold=True).frame()
    assert frame["label"].tolist() == [f"cell {n}" for n in frame["number"]]


def test_readers_beside_a_writer_that_folds_see_every_record_once(path):
    done = Event()

    def read() -> list[list[int]]:
        seen = []
        while not done.is_set():
            seen.append(_numbers(path))
        return seen

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        try:
            for number in range(30):
                stored(path, _record(number), fold=number % 3 > 0)
        finally:
            done.set()
    for reader in readers:
        lengths = [*map(len, reader.result())]
        assert lengths == sorted(lengths)
        assert all(found == [*range(len(found))] for found in reader.result())


def test_what_may_only_be_read_is_read(path):
    store = stored(path, _record(0), fold=True)
    stored(path, _record(1))
    store.database.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        assert _numbers(path) == [0, 1]
    finally:
        path.parent.chmod(0o755)


def test_rows_of_another_machine_are_read_and_not_written(path, monkeypatch):
    stored(path, _record(0))
    monkeypatch.setattr("lib.runner.store.gethostname", lambda: "elsewhere")
    for records in ([_record(1)], []):
        with pytest.raises(StoreBusy, match=r"has rows of the machine .*this is elsewhere.*gather"):
            stored(path, *records, fold=True)
    assert _numbers(path) == [0]


def test_records_of_another_version_are_refused(path):
    stored(path, _record(0))
    with pytest.raises(StoreError, match="version 1, this is version '2'"):
        Store(path, version="2")


def _bytes(suffix: str, change):
    def spoil(path) -> None:
        file = path.with_suffix(suffix)
        file.write_bytes(change(file.read_bytes()))

    return spoil


def _row(text: str):
    def spoil(path) -> None:
        with closing(sqlite3.connect(path.with_suffix(".sqlite"))) as db, db:
            db.execute(f"UPDATE records SET record = '{text}' WHERE cell = '0003'")

    return spoil


def _table(**columns: list):
    return lambda path: pd.DataFrame(columns).to_parquet(path, index=False)


# fmt: off
SPOILT = [
    (_bytes(".parquet", lambda raw: raw[:len(raw) // 2]), "grid.parquet is damaged.*from git"),
    (_bytes(".parquet", lambda raw: raw[:60] + bytes([raw[60] ^ 1]) + raw[61:]), "is damaged"),
    (_table(cell=["a", None], version=["1", "1"]), "rows without a cell: nobody can tell"),
    (_bytes(".sqlite", lambda raw: b"x" * 9000), "sqlite is damaged.* file is not a data"),
    (_row("{"), "grid.sqlite is damaged or cannot be used, got: Expecting"),
    (_row('{"cell": "0003"}'), "grid.sqlite has rows without a version"),
]
# fmt: on


@pytest.mark.parametrize(("spoil", "words"), SPOILT)
def test_what_is_damaged_or_no_results_file_is_named_and_left_as_it_is(path, spoil, words):
    stored(path, *map(_record, range(3)), fold=True)
    stored(path, *map(_record, range(3, 6)))
    spoil(path)
    before = _contents(path)
    with pytest.raises(StoreError, match=words):
        Store(path, version="1")
    assert _contents(path) == before


def test_a_full_disk_is_an_error_and_loses_nothing(path, monkeypatch):
    store = stored(path, _record(0))
    with store.writing():
        store._db.execute("PRAGMA max_page_count = 1")  # no more than there are: a full disk
        with pytest.raises(StoreError, match=r"grid.sqlite .*cannot be used.*full.*make room"):
            store.append(_record(1, label="x" * 10**5))
        store._db.execute("PRAGMA max_page_count = 1000")
        store.append(_record(2))
        monkeypatch.setattr(store, "_fold", lambda: None)
    monkeypatch.undo()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", Mock(side_effect=OSError(28, "No space left")))
        with pytest.raises(StoreError, match=r"No space left.*make room"), store.writing():
            pass
    assert {*_contents(path)} == {"grid.sqlite"}
    assert stored(path, fold=True).frame()["number"].tolist() == [0, 2]


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.parquet")), ids=lambda path: path.stem)
def test_every_committed_table_is_whole_and_of_code_without_changes(path):
    frame = read_records(path)
    assert len(frame)
    assert not frame["commit"].str.endswith(DIRTY).any()
