"""One process writes, whatever is done to the lock's file; and nothing is written through links."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from lib.runner.errors import StoreBusy, StoreError
from lib.runner.lock import WriterLock
from lib.runner.store import Store
from tests.runner.toy import stored
from tests.runner.writers import writer


def _record(number: int) -> dict:
    return {"cell": str(number), "number": number}


def _numbers(path: Path) -> list[int]:
    return sorted(Store(path, version="1").frame()["number"])


@pytest.fixture
def store(path) -> Iterator[Store]:
    """A writer that has stored one record, in the journal."""
    made = Store(path, version="1")
    made.append(_record(0))
    yield made
    made.close()


@pytest.fixture
def folded(store) -> Store:
    """The same with the record in the table, and no journal."""
    store.compact()
    return store


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
def test_a_lock_that_goes_in_the_middle_of_a_write_is_told(path, store, monkeypatch, call):
    known, spoilt = getattr(os, call), []

    def spoiling(*args):
        if not spoilt:
            spoilt.append(path.with_suffix(".lock").unlink())
        return known(*args)

    monkeypatch.setattr(os, call, spoiling)
    with pytest.raises(StoreBusy, match=r"grid\.lock was deleted or replaced.*run again"):
        store.append(_record(1)) if call == "write" else store.compact()
    store.close()
    assert 0 in _numbers(path)
    assert path.with_suffix(".journal").exists()  # another writer's, for all that is known
    assert not list(path.parent.glob("*.tmp"))


@pytest.mark.skipif(os.name == "nt", reason="an open file is not deleted there")
def test_what_another_stores_just_before_the_journal_goes_is_kept(path, store, monkeypatch):
    """It had the lock, since somebody deleted this one's between its last look and the removal."""
    second, unlink = Store(path, version="1"), Path.unlink
    other = threading.Thread(target=second.append, args=(_record(1),))

    def late(file, missing_ok=False):
        if file == store.journal:
            unlink(path.with_suffix(".lock"))
            other.start()
            other.join(0.5)
        unlink(file, missing_ok)

    monkeypatch.setattr(Path, "unlink", late)
    store.compact()
    other.join()
    second.close()
    assert _numbers(path) == [0, 1]


def test_a_new_table_that_another_clears_away_is_written_again(path, store, monkeypatch):
    """As a writer does that has just lost its lock: this one holds it, and stopped in the middle."""
    replace, cleared = os.replace, []

    def late(temporary, target):
        if not cleared:
            cleared.append(temporary)
            os.unlink(temporary)
        replace(temporary, target)

    monkeypatch.setattr(os, "replace", late)
    store.compact()
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
    return stored(tmp_path / "other" / "grid.parquet", _record(0), _record(1)).journal


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_journal_that_is_a_link_is_read_and_not_written(path, elsewhere, link):
    """A torn line was cut, and records were appended, in the file that the link leads to."""
    elsewhere.write_bytes(elsewhere.read_bytes() + b"torn")
    _is_read_and_not_written(path, path.with_suffix(".journal"), elsewhere, link)
    assert not path.exists()


def test_a_table_that_is_a_link_is_read_and_not_written(path, elsewhere):
    Store(elsewhere.with_suffix(".parquet"), version="1").compact()
    _is_read_and_not_written(path, path, elsewhere.with_suffix(".parquet"), os.symlink)


def _is_read_and_not_written(path, own, target, link) -> None:
    before = target.read_bytes()
    link(target, own)
    assert _numbers(path) == [0, 1]
    store = Store(path, version="1")
    for write in (lambda: store.append(_record(2)), lambda: store.compact(rewrite=True)):
        with pytest.raises(StoreError, match=rf"{own.name} must be a file of its own"):
            write()
    assert target.read_bytes() == before
    assert own.samefile(target)


@pytest.mark.parametrize("suffix", [".parquet", ".journal"])
def test_a_link_to_a_file_that_is_not_there_makes_none(path, tmp_path, suffix):
    path.with_suffix(suffix).symlink_to(tmp_path / "made")
    with pytest.raises(StoreError, match=r"must be a file of its own.*got a symbolic link"):
        Store(path, version="1").append(_record(1))
    assert not (tmp_path / "made").exists()


def test_a_table_with_another_name_is_replaced_and_the_other_stays(path, folded, tmp_path):
    os.link(path, tmp_path / "snapshot")
    before = path.read_bytes()
    folded.append(_record(1))
    folded.compact()
    assert _numbers(path) == [0, 1]
    assert (tmp_path / "snapshot").read_bytes() == before


@pytest.fixture
def precious(tmp_path) -> Iterator[Path]:
    """A file of somebody else that stays as it was."""
    file = tmp_path / "precious"
    file.write_text("as it was", encoding="utf-8")
    yield file
    assert file.read_text(encoding="utf-8") == "as it was"


def test_a_link_in_the_place_of_the_new_table_is_not_followed(path, store, precious):
    path.with_suffix(".tmp").symlink_to(precious)
    store.compact()
    assert _numbers(path) == [0]
    assert not path.with_suffix(".tmp").is_symlink()


def test_a_lock_that_is_a_link_is_refused(path, precious):
    path.with_suffix(".lock").symlink_to(precious)
    with pytest.raises(OSError, match=r"grid\.lock"):
        Store(path, version="1").append(_record(0))


def test_a_link_that_comes_while_one_writes_is_not_followed(path, folded, tmp_path):
    path.with_suffix(".journal").symlink_to(tmp_path / "made")
    with pytest.raises((StoreError, OSError), match=r"grid\.journal"):
        folded.append(_record(1))
    assert not (tmp_path / "made").exists()


def test_a_pipe_that_comes_while_one_writes_is_not_waited_for(path, folded):
    """The writer waited for a reader of the pipe."""
    os.mkfifo(path.with_suffix(".journal"))
    with pytest.raises(OSError, match=r"grid\.journal"):
        folded.append(_record(1))
    reader = os.open(path.with_suffix(".journal"), os.O_RDONLY | os.O_NONBLOCK)
    words = r"grid\.journal must take a record, got: it is no regular"
    with pytest.raises(StoreError, match=words):
        folded.append(_record(1))
    os.close(reader)


def test_a_disk_that_is_full_loses_nothing(path, store, monkeypatch):
    def full(fd: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        words = r"grid\.journal must take a record, got: No space left"
        with pytest.raises(StoreError, match=words):
            store.append(_record(1))
        words = r"grid\.parquet could not be written, got: No space left"
        with pytest.raises(StoreError, match=words):
            store.compact()
    assert not list(path.parent.glob("*.tmp"))
    assert _numbers(path) == [0]
    store.append(_record(2))
    store.compact()
    assert _numbers(path) == [0, 2]
