"""One process writes, whatever is done to the lock's file; and nothing is written through links."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from lib.runner.errors import StoreBusy, StoreError
from lib.runner.lock import WriterLock
from lib.runner.store import Store
from tests.runner.writers import writer


@pytest.fixture
def path(tmp_path):
    return tmp_path / "grid.parquet"


def _numbers(path: Path) -> list[int]:
    return sorted(Store(path, version="1").frame()["number"])


def _delete(lock: Path) -> None:
    lock.unlink()


def _replace(lock: Path) -> None:
    lock.with_suffix(".new").touch()
    os.replace(lock.with_suffix(".new"), lock)


@pytest.mark.parametrize("spoil", [_delete, _replace])
@pytest.mark.parametrize("order", [2, "fold"])
def test_a_deleted_lock_admits_no_second_writer(path, spoil, order):
    """Both wrote: the second had locked a new file of the name, the first a file without one."""
    with writer(path) as one, writer(path) as two:
        assert one(0) == "done"
        assert two(1).startswith("StoreBusy: another process is writing")
        spoil(path.with_suffix(".lock"))
        assert two(1) == "done"
        journal = path.with_suffix(".journal").read_bytes()
        assert one(order).startswith("StoreBusy: another process is writing")
        assert path.with_suffix(".journal").read_bytes() == journal
        assert not path.exists()
        assert two("fold") == "done"
    assert _numbers(path) == [0, 1]


def test_who_loses_the_lock_to_nobody_takes_it_again_and_sees_what_was_written(path):
    with writer(path) as one, writer(path) as two:
        assert one(0) == "done"
        path.with_suffix(".lock").unlink()
        assert one(1) == "done"
        assert two(2).startswith("StoreBusy")
        path.with_suffix(".lock").unlink()
        with writer(path) as third:
            assert [third(2), third("fold")] == ["done", "done"]
        assert [one(2), one(3)] == ["done", "done"]
    assert _numbers(path) == [0, 1, 2, 3]


@pytest.mark.parametrize("call", ["replace", "fsync", "write"])
def test_a_lock_that_goes_in_the_middle_of_a_write_is_told(path, monkeypatch, call):
    store = Store(path, version="1")
    store.append({"cell": "0", "number": 0})
    known, spoilt = getattr(os, call), []

    def spoiling(*args):
        if not spoilt:
            spoilt.append(path.with_suffix(".lock").unlink())
        return known(*args)

    monkeypatch.setattr(os, call, spoiling)
    with pytest.raises(StoreBusy, match=r"grid\.lock was deleted or replaced.*run again"):
        store.append({"cell": "1", "number": 1}) if call == "write" else store.compact()
    store.close()
    assert 0 in _numbers(path)
    assert path.with_suffix(".journal").exists()  # another writer's, for all that is known
    assert not path.with_suffix(".tmp").exists()


@pytest.mark.skipif(os.name == "nt", reason="an open file is not deleted there")
def test_what_another_stores_just_before_the_journal_goes_is_kept(path, monkeypatch):
    """It had the lock, since somebody deleted this one's between its last look and the removal."""
    first, second = Store(path, version="1"), Store(path, version="1")
    first.append({"cell": "0", "number": 0})
    other = threading.Thread(target=second.append, args=({"cell": "1", "number": 1},))
    unlink = Path.unlink

    def late(file, missing_ok=False):
        if file == first.journal:
            unlink(path.with_suffix(".lock"))
            other.start()
            other.join(0.5)
        unlink(file, missing_ok)

    monkeypatch.setattr(Path, "unlink", late)
    first.compact()
    other.join()
    second.close()
    assert _numbers(path) == [0, 1]


def test_a_new_table_that_another_clears_away_is_written_again(path, monkeypatch):
    """As a writer does that has just lost its lock: this one holds it, and stopped in the middle."""
    store, replace, cleared = Store(path, version="1"), os.replace, []

    def late(temporary, target):
        if not cleared:
            cleared.append(temporary)
            os.unlink(temporary)
        replace(temporary, target)

    store.append({"cell": "0", "number": 0})
    monkeypatch.setattr(os, "replace", late)
    store.compact()
    store.close()
    assert len(cleared) == 1
    assert _numbers(path) == [0]
    assert not path.with_suffix(".journal").exists()


def test_a_lock_that_is_deleted_before_it_is_held_is_not_held(path, monkeypatch):
    class Spoilt(WriterLock):
        def is_held(self) -> bool:
            self._path.unlink(missing_ok=True)
            return super().is_held()

    with pytest.raises(StoreBusy, match="deleted or replaced"):
        Spoilt(path)
    WriterLock(path).release()


@pytest.fixture
def elsewhere(tmp_path) -> Path:
    """A file that is somebody's, with the journal of two records."""
    store = Store(tmp_path / "other" / "grid.parquet", version="1")
    for number in range(2):
        store.append({"cell": f"{number:04d}", "number": number})
    store.close()
    return store.journal


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_journal_that_is_a_link_is_read_and_not_written(path, elsewhere, link):
    """A torn line was cut, and records were appended, in the file that the link leads to."""
    elsewhere.write_bytes(elsewhere.read_bytes() + b"torn")
    before = elsewhere.read_bytes()
    link(elsewhere, path.with_suffix(".journal"))
    assert _numbers(path) == [0, 1]
    store = Store(path, version="1")
    for write in (lambda: store.append({"cell": "new", "number": 2}), store.compact):
        with pytest.raises(StoreError, match=r"grid\.journal must be a file of its own"):
            write()
    assert elsewhere.read_bytes() == before
    assert path.with_suffix(".journal").exists()
    assert not path.exists()


@pytest.mark.parametrize("suffix", [".parquet", ".journal"])
def test_a_link_to_a_file_that_is_not_there_makes_none(path, tmp_path, suffix):
    path.with_suffix(suffix).symlink_to(tmp_path / "made")
    with pytest.raises(StoreError, match=r"must be a file of its own.*got a symbolic link"):
        Store(path, version="1").append({"cell": "a", "number": 1})
    assert not (tmp_path / "made").exists()


def test_a_table_that_is_a_link_is_read_and_not_written(path, elsewhere):
    Store(elsewhere.with_suffix(".parquet"), version="1").compact()
    target = elsewhere.with_suffix(".parquet")
    before = target.read_bytes()
    path.symlink_to(target)
    store = Store(path, version="1")
    assert len(store) == 2
    with pytest.raises(StoreError, match=r"grid\.parquet must be a file of its own"):
        store.append({"cell": "new", "number": 2})
    with pytest.raises(StoreError, match=r"grid\.parquet must be a file of its own"):
        store.compact(rewrite=True)
    assert path.is_symlink()
    assert target.read_bytes() == before


def test_a_table_with_another_name_is_replaced_and_the_other_stays(path, tmp_path):
    store = Store(path, version="1")
    store.append({"cell": "0", "number": 0})
    store.compact()
    os.link(path, tmp_path / "snapshot")
    before = path.read_bytes()
    store.append({"cell": "1", "number": 1})
    store.compact()
    store.close()
    assert _numbers(path) == [0, 1]
    assert (tmp_path / "snapshot").read_bytes() == before


def test_a_link_in_the_place_of_the_new_table_is_not_followed(path, tmp_path):
    store = Store(path, version="1")
    store.append({"cell": "0", "number": 0})
    (tmp_path / "precious").write_text("as it was", encoding="utf-8")
    path.with_suffix(".tmp").symlink_to(tmp_path / "precious")
    store.compact()
    store.close()
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "as it was"
    assert _numbers(path) == [0]
    assert not path.with_suffix(".tmp").is_symlink()


def test_a_link_that_comes_while_one_writes_is_not_followed(path, tmp_path):
    store = Store(path, version="1")
    store.append({"cell": "0", "number": 0})
    store.compact()
    path.with_suffix(".journal").symlink_to(tmp_path / "made")
    with pytest.raises((StoreError, OSError), match=r"grid\.journal"):
        store.append({"cell": "1", "number": 1})
    assert not (tmp_path / "made").exists()
    store.close()


def test_a_lock_that_is_a_link_is_refused(path, tmp_path):
    (tmp_path / "precious").write_text("as it was", encoding="utf-8")
    path.with_suffix(".lock").symlink_to(tmp_path / "precious")
    with pytest.raises(OSError, match=r"grid\.lock"):
        Store(path, version="1").append({"cell": "0", "number": 0})
    assert (tmp_path / "precious").read_text(encoding="utf-8") == "as it was"


def test_a_pipe_that_comes_while_one_writes_is_not_waited_for(path):
    """The writer waited for a reader of the pipe."""
    store = Store(path, version="1")
    store.append({"cell": "0", "number": 0})
    store.compact()
    os.mkfifo(path.with_suffix(".journal"))
    with pytest.raises(OSError, match=r"grid\.journal"):
        store.append({"cell": "1", "number": 1})
    reader = os.open(path.with_suffix(".journal"), os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(
        StoreError, match=r"grid\.journal must take a record, got: it is no regular"
    ):
        store.append({"cell": "1", "number": 1})
    os.close(reader)
    store.close()


def test_a_disk_that_is_full_loses_nothing(path, monkeypatch):
    store, known = Store(path, version="1"), os.fsync
    store.append({"cell": "0", "number": 0})

    def full(fd: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match=r"grid\.journal must take a record, got: No space left"):
        store.append({"cell": "1", "number": 1})
    with pytest.raises(StoreError, match=r"grid\.parquet could not be written, got: No space left"):
        store.compact()
    assert not path.with_suffix(".tmp").exists()
    monkeypatch.setattr(os, "fsync", known)
    assert _numbers(path) == [0]
    store.append({"cell": "2", "number": 2})
    store.compact()
    store.close()
    assert _numbers(path) == [0, 2]
