"""The store survives whatever happens to it, or says what is wrong."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
import time
import zlib

import numpy as np
import pandas as pd
import pytest

from lib.paths import RESULTS
from lib.rng import stream
from lib.runner.sealed import MARK, is_sealed
from lib.runner.store import UNSEALED, Store, StoreError


def _record(number: int, **more) -> dict:
    return {
        "cell": f"{number:04d}",
        "number": number,
        "epsilon": math.nan if number % 2 else 0.1 * number,
    } | more


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


def test_a_writer_sees_what_another_wrote_since_it_read(path):
    one, two = Store(path, version="1"), Store(path, version="1")
    one.append(_record(0))
    one.close()
    assert "0000" not in two
    two.become_writer()
    assert "0000" in two
    two.close()
    other = Store(path, version="1")
    newer = Store(path, version="2", mix_versions=True)
    newer.append(_record(1))
    newer.close()
    with pytest.raises(StoreError, match="version 2, this is version '1'"):
        other.become_writer()
    with pytest.raises(StoreError, match="version 2, this is version '1'"):
        other.append(_record(2))
    newer.append(_record(2))  # the lock was let go
    newer.close()


def test_the_lock_is_let_go_though_a_forked_worker_has_a_copy(path):
    one = Store(path, version="1")
    one.append(_record(0))
    copy = os.dup(one._lock._lock._context.lock_file_fd)
    one.close()
    two = Store(path, version="1")
    two.append(_record(1))
    two.close()
    os.close(copy)


@pytest.mark.parametrize("version", [1, None, 1.0])
def test_a_version_that_is_no_text_could_not_be_read_back(path, version):
    with pytest.raises(ValueError, match=f"version must be text, got {version!r}"):
        Store(path, version=version)


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
    with pytest.raises(StoreError, match="took only a part of it; make room"):
        store.append(_record(1))
    monkeypatch.setattr(os, "write", write)
    store.append(_record(1))
    store.append(_record(2))
    store.close()
    assert Store(path, version="1").frame()["number"].tolist() == [0, 1, 2]


def test_readers_beside_a_writer_that_folds_see_every_record(path):
    """A reader never fails, and never sees fewer records than before, whatever is renamed under
    it.
    """
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
    for place, bit in zip(
        rng.integers(first, len(raw), trials), rng.integers(0, 8, trials), strict=True
    ):
        yield raw[:place] + bytes([raw[place] ^ (1 << bit)]) + raw[place + 1 :]


def _folded(path, count=300) -> pd.DataFrame:
    rng, store = stream(1, "store"), Store(path, version="1")
    for number in range(count):
        store.append(
            _record(number, score=float(rng.random()), protocol=("GRR", "OUE", "SS")[number % 3])
        )
    store.compact()
    store.close()
    return Store(path, version="1").frame()


def _outcome(path, whole: pd.DataFrame) -> str:
    """What reading gives: ``"same"``, ``"refused"`` or ``"changed"``; another exception than a
    StoreError fails the test.
    """
    before = {file: file.read_bytes() for file in path.parent.iterdir()}
    found, words = None, path.stem
    try:
        found = Store(path, version="1").frame()
    except StoreError as error:
        words = str(error)
    assert path.stem in words
    assert {file: file.read_bytes() for file in path.parent.iterdir()} == before
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


def test_a_damaged_file_without_a_seal_gives_no_other_error(path, monkeypatch):
    """Files of before hold no checksums, so damage may pass; what is noticed is a StoreError
    still.
    """
    monkeypatch.setenv(UNSEALED, "1")
    whole = _folded(path)
    whole.to_parquet(path, index=False, compression="zstd")
    pd.testing.assert_frame_equal(Store(path, version="1").frame(), whole)
    for damaged in _flips(path.read_bytes(), 200, "unsealed"):
        path.write_bytes(damaged)
        _outcome(path, whole)


def test_a_file_without_a_seal_is_sealed_when_it_is_written_anew(path, monkeypatch):
    monkeypatch.setenv(UNSEALED, "1")
    whole = _folded(path, 20)
    whole.to_parquet(path, index=False, compression="zstd")
    Store(path, version="1").compact()
    assert b"sha256" not in path.read_bytes()  # nothing to fold: the file is left alone
    store = Store(path, version="1")
    pd.testing.assert_frame_equal(store.compact(rewrite=True), whole)
    store.close()
    assert b"sha256" in path.read_bytes()
    pd.testing.assert_frame_equal(pd.read_parquet(path), whole)  # any reader reads it


@pytest.mark.parametrize("suffix", [".parquet", ".journal"])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(path, suffix):
    os.mkfifo(path.with_suffix(suffix))
    with pytest.raises(StoreError, match="must be a regular file"):
        Store(path, version="1")


def test_a_file_without_a_seal_is_refused_unless_it_is_to_be_believed(path, monkeypatch):
    whole = _folded(path, 20)
    whole.assign(SPD=0.9).to_parquet(path, index=False)
    with pytest.raises(
        StoreError, match=r"must have the seal of a file that the store wrote.*--unsealed"
    ):
        Store(path, version="1")
    monkeypatch.setenv(UNSEALED, "1")
    assert len(Store(path, version="1").frame()) == 20


@pytest.mark.skipif(sys.platform != "linux", reason="counts threads in /proc")
def test_no_thread_of_pyarrow_outlives_the_reading_of_a_table(path):
    """One that let go of the bytes while the interpreter ended aborted a refused sweep, with -6."""
    _filled(path).compact()
    code = f"""if True:
        import os, pyarrow.parquet
        from pathlib import Path
        from lib.runner.sealed import from_bytes
        before = os.listdir("/proc/self/task")
        from_bytes(Path({str(path)!r}).read_bytes())
        print(len(os.listdir("/proc/self/task")) - len(before))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]


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


def test_a_damaged_file_says_what_to_do(path):
    _folded(path, 20)
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 0xFF
    path.write_bytes(raw)
    with pytest.raises(
        StoreError, match=r"grid.parquet is damaged.*SHA-256.*restore it.*from git.*journal was not"
    ):
        Store(path, version="1")


@pytest.mark.parametrize("key", ["cell", "version"])
def test_a_row_without_its_cell_or_version_is_refused(path, key):
    frame = _folded(path, 3)
    frame.loc[1, key] = None
    frame.to_parquet(path, index=False)
    with pytest.raises(StoreError, match=f"grid.parquet has rows without a {key}"):
        Store(path, version="1")


@pytest.mark.parametrize(
    "body", [b'{"version": "1"}', b'{"cell": "a", "version": null}', b'{"cell": "a"}', b"[1]"]
)
def test_a_journal_line_that_is_no_record_is_named(path, body):
    _filled(path, 2)
    with open(path.with_suffix(".journal"), "ab") as file:
        file.write(b"%08x %s\n" % (zlib.crc32(body), body))
    with pytest.raises(StoreError, match=r"journal, line 3, has no cell or no version"):
        Store(path, version="1")


def test_a_store_of_the_papers_size_is_read_at_once(path, monkeypatch):
    monkeypatch.setenv(UNSEALED, "1")
    rng, n = stream(1, "size"), 7600
    frame = pd.DataFrame(rng.random((n, 40)), columns=[f"m{i}" for i in range(40)])
    frame.insert(0, "cell", [f"{i:016x}" for i in range(n)])
    frame["version"] = "1"
    frame.iloc[:0].to_parquet(path)
    store = Store(path, version="1")
    frame.to_parquet(path, index=False)
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
