"""The store survives whatever happens to it, or says what is wrong."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
import zlib
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from lib.paths import RESULTS
from lib.rng import stream
from lib.runner.sealed import MARK, is_sealed
from lib.runner.store import UNSEALED, Store, StoreError
from tests.programs import python
from tests.runner.toy import stored


def _record(number: int, **more) -> dict:
    epsilon = math.nan if number % 2 else 0.1 * number
    return {"cell": f"{number:04d}", "number": number, "epsilon": epsilon} | more


def _filled(path, count=5) -> Store:
    return stored(path, *map(_record, range(count)))


def _numbers(path) -> list[int]:
    return Store(path, version="1").frame()["number"].tolist()


def test_round_trip_through_the_journal_and_the_parquet(path):
    journal = _filled(path).frame()
    assert journal["number"].tolist() == [0, 1, 2, 3, 4]
    assert math.isnan(journal["epsilon"][1])
    assert journal["epsilon"][4] == 0.4
    folded = Store(path, version="1").compact()
    assert not path.with_suffix(".journal").exists()
    pd.testing.assert_frame_equal(folded, journal)


def test_infinities_and_gaps_survive_a_round_trip(path):
    stored(path, _record(0, DI=math.inf, note="a"), _record(1, DI=math.nan), fold=True)
    found = stored(path, _record(2, DI=-math.inf, note=None)).frame()
    np.testing.assert_equal(found["DI"].tolist(), [math.inf, math.nan, -math.inf])


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
    assert len(Store(path, version="1")) == 4
    assert not journal.read_bytes().endswith(b"\n")  # reading changed nothing
    assert len(stored(path, _record(4)).frame()) == 5


def _damage_a_line(path) -> None:
    journal = path.with_suffix(".journal")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:2], lines[2].replace(b"number", b"numbre"), *lines[3:]]))


def _damage_the_table(path) -> None:
    Store(path, version="1").compact()
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    path.write_bytes(raw)


def _line(body: bytes) -> Callable:
    def add(path) -> None:
        with open(path.with_suffix(".journal"), "ab") as file:
            file.write(b"%08x %s\n" % (zlib.crc32(body), body))

    return add


def _table(**columns: list) -> Callable:
    return lambda path: pd.DataFrame(columns).to_parquet(path, index=False)


# fmt: off
SPOILT = [
    (_damage_a_line, r"journal, line 3, fails its checksum"),
    (_damage_the_table, r"grid.parquet is damaged.*SHA-256.*restore it.*from git.*journal was not"),
    (lambda path: path.write_bytes(b"PAR1 not really"), "no readable parquet"),
    (_table(a=[1]), "no column cell or version"),
    (_table(cell=["a", None], version=["1", "1"]), "grid.parquet has rows without a cell"),
    (_table(cell=["a", "b"], version=["1", None]), "grid.parquet has rows without a version"),
    *((_line(body), r"journal, line 6, has no cell or no version")
      for body in (b'{"version": "1"}', b'{"cell": "a", "version": null}', b'{"cell": "a"}', b"[1]")),
]
# fmt: on


def _contents(path) -> dict:
    return {file: file.read_bytes() for file in path.parent.iterdir()}


@pytest.mark.parametrize(("spoil", "words"), SPOILT)
def test_what_is_no_results_file_is_named_and_left_as_it_is(path, spoil, words):
    _filled(path)
    spoil(path)
    before = _contents(path)
    with pytest.raises(StoreError, match=words):
        Store(path, version="1")
    assert _contents(path) == before


@pytest.mark.parametrize("suffix", [".parquet", ".journal"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(path, suffix):
    os.mkfifo(path.with_suffix(suffix))
    with pytest.raises(StoreError, match="must be a regular file"):
        Store(path, version="1")


def test_other_versions_are_refused_unless_told(path):
    _filled(path)
    with pytest.raises(StoreError, match="version 1, this is version '2'"):
        Store(path, version="2")
    mixed = Store(path, version="2", mix_versions=True)
    mixed.append(_record(7))
    mixed.close()
    assert sorted(mixed.frame()["version"].unique()) == ["1", "2"]


@pytest.mark.parametrize("version", [1, None, 1.0])
def test_a_version_that_is_no_text_could_not_be_read_back(path, version):
    with pytest.raises(ValueError, match=f"version must be text, got {version!r}"):
        Store(path, version=version)


def test_a_writer_sees_what_another_wrote_since_it_read(path):
    early, other = Store(path, version="1"), Store(path, version="1")
    stored(path, _record(0))
    assert "0000" not in early
    early.become_writer()
    assert "0000" in early
    early.close()
    newer = Store(path, version="2", mix_versions=True)
    newer.append(_record(1))
    newer.close()
    for write in (other.become_writer, lambda: other.append(_record(2))):
        with pytest.raises(StoreError, match="version 2, this is version '1'"):
            write()
    newer.append(_record(2))  # the lock was let go
    newer.close()


def test_the_lock_is_let_go_though_a_forked_worker_has_a_copy(path):
    one = Store(path, version="1")
    one.append(_record(0))
    copy = os.dup(one._lock._lock._context.lock_file_fd)
    one.close()
    stored(path, _record(1))
    os.close(copy)


def test_an_empty_store_is_an_empty_table(path):
    store = Store(path, version="1")
    assert store.frame().empty
    assert store.compact().empty
    assert not path.exists()


def test_a_full_disk_is_an_error_and_leaves_no_torn_line_between_records(path, monkeypatch):
    store, write = Store(path, version="1"), os.write
    store.append(_record(0))
    monkeypatch.setattr(os, "write", lambda fd, line: write(fd, line[:20]))
    with pytest.raises(StoreError, match="took only a part of it; make room"):
        store.append(_record(1))
    monkeypatch.setattr(os, "write", write)
    for number in (1, 2):
        store.append(_record(number))
    store.close()
    assert _numbers(path) == [0, 1, 2]


def test_readers_beside_a_writer_that_folds_see_every_record(path):
    """A reader never fails, and never sees fewer records than before."""
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
    for number in range(100):
        writer.append(_record(number))
        writer.compact()
    writer.close()
    done.set()
    for reader in readers:
        reader.join()
    assert faults == []


def _flips(raw: bytes, trials: int, *key, first: int = 0):
    """``raw`` with one bit turned, again and again at other places from byte ``first`` on."""
    rng = stream(1, "flips", *key)
    places, bits = rng.integers(first, len(raw), trials), rng.integers(0, 8, trials)
    for place, bit in zip(places, bits, strict=True):
        yield raw[:place] + bytes([raw[place] ^ (1 << bit)]) + raw[place + 1 :]


def _folded(path, count=300) -> pd.DataFrame:
    rng, names = stream(1, "store"), ("GRR", "OUE", "SS")
    each = (_record(i, score=float(rng.random()), protocol=names[i % 3]) for i in range(count))
    return stored(path, *each, fold=True).frame()


def _outcome(path, whole: pd.DataFrame) -> str:
    """What reading gives: ``"same"``, ``"refused"`` or ``"changed"``; another exception than a
    StoreError fails the test.
    """
    before = _contents(path)
    found, words = None, path.stem
    try:
        found = Store(path, version="1").frame()
    except StoreError as error:
        words = str(error)
    assert path.stem in words
    assert _contents(path) == before
    return "refused" if found is None else "same" if found.equals(whole) else "changed"


@pytest.mark.parametrize("part", ["whole", "footer"])
def test_a_flipped_bit_of_the_parquet_is_refused_wherever_it_is(path, part):
    _folded(path)
    raw = path.read_bytes()
    first = 0 if part == "whole" else len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    Store(path, version="1").append(_record(999))  # a journal beside it
    whole = Store(path, version="1").frame()
    outcomes = []
    for damaged in _flips(raw, 200, part, first=first):
        path.write_bytes(damaged)
        outcomes.append(_outcome(path, whole))
    assert "changed" not in outcomes
    # in the words of the seal, which then is none
    assert outcomes.count("same") <= 0.05 * len(outcomes)


def test_a_flipped_bit_of_the_journal_is_refused_or_tears_off_the_last_line(path):
    whole, journal = _filled(path).frame(), path.with_suffix(".journal")
    for damaged in _flips(journal.read_bytes(), 200, "journal"):
        journal.write_bytes(damaged)
        if damaged.endswith(b"\n"):
            assert _outcome(path, whole) != "changed"
        else:
            assert _outcome(path, whole.iloc[:-1]) == "same"


def test_no_flip_in_the_mark_of_the_seal_makes_a_file_one_of_before(path):
    """Two of 240 did: a file without a mark was read with the checks of parquet alone."""
    _folded(path, 20)
    raw = path.read_bytes()
    start = raw.rfind(MARK)
    for bit in range(8 * start, 8 * (start + len(MARK) + 64)):
        damaged = bytearray(raw)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        with pytest.raises(StoreError, match=r"damaged|must have the seal"):
            Store(path, version="1")


@pytest.fixture
def believed(monkeypatch) -> None:
    """Files without a seal are."""
    monkeypatch.setenv(UNSEALED, "1")


def test_a_damaged_file_without_a_seal_gives_no_other_error(path, believed):
    """Files of before hold no checksums, so damage may pass; what is noticed is a StoreError."""
    whole = _folded(path)
    whole.to_parquet(path, index=False, compression="zstd")
    pd.testing.assert_frame_equal(Store(path, version="1").frame(), whole)
    for damaged in _flips(path.read_bytes(), 200, "unsealed"):
        path.write_bytes(damaged)
        _outcome(path, whole)


def test_a_file_without_a_seal_is_sealed_when_it_is_written_anew(path, believed):
    whole = _folded(path, 20)
    whole.to_parquet(path, index=False, compression="zstd")
    Store(path, version="1").compact()
    assert b"sha256" not in path.read_bytes()  # nothing to fold: the file is left alone
    store = Store(path, version="1")
    pd.testing.assert_frame_equal(store.compact(rewrite=True), whole)
    store.close()
    assert b"sha256" in path.read_bytes()
    pd.testing.assert_frame_equal(pd.read_parquet(path), whole)  # any reader reads it


def test_a_file_without_a_seal_is_refused_unless_it_is_to_be_believed(path, monkeypatch):
    _folded(path, 20).assign(SPD=0.9).to_parquet(path, index=False)
    words = r"must have the seal of a file that the store wrote.*--unsealed"
    with pytest.raises(StoreError, match=words):
        Store(path, version="1")
    monkeypatch.setenv(UNSEALED, "1")
    assert len(Store(path, version="1").frame()) == 20


OUTLIVING = """
import os, sys, pyarrow.parquet
from pathlib import Path
from lib.runner.sealed import from_bytes
before = os.listdir("/proc/self/task")
from_bytes(Path(sys.argv[1]).read_bytes())
print(len(os.listdir("/proc/self/task")) - len(before))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_no_thread_of_pyarrow_outlives_the_reading_of_a_table(path):
    """One that let go of the bytes while the interpreter ended aborted a refused sweep, with -6."""
    _filled(path).compact()
    assert python("-c", OUTLIVING, path).stdout.split() == ["0"]


def test_a_store_of_the_papers_size_is_read_at_once(path, believed):
    rng, n = stream(1, "size"), 7600
    frame = pd.DataFrame(rng.random((n, 40)), columns=[f"m{i}" for i in range(40)])
    frame.insert(0, "cell", [f"{i:016x}" for i in range(n)])
    frame["version"] = "1"
    frame.to_parquet(path, index=False)
    store = Store(path, version="1")
    store.compact(rewrite=True)
    store.close()
    seconds = []
    for _ in range(5):
        start = time.process_time()
        store.frame()
        seconds.append(time.process_time() - start)
    assert np.min(seconds) < 0.3  # tens of milliseconds; ten times that on a busy machine


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.parquet")), ids=lambda path: path.stem)
def test_every_committed_table_is_sealed_and_whole(path):
    assert is_sealed(path.read_bytes())
    assert len(Store(path, version="", mix_versions=True).frame())
