"""Bytes are what they are registered to be, or they are refused and leave nothing behind."""

from __future__ import annotations

import gzip
import hashlib
import logging
import os
import re
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from lib.datasets import cache, download
from lib.datasets.cache import DataError, Unavailable, fetch, locate, state
from lib.datasets.load import load
from lib.datasets.registry import FILES, TASKS, File
from lib.files import locked_tempdir
from lib.paths import ROOT
from studies.data import command

BODY = b"a,b\n1,2\n" * 2000


@pytest.fixture
def file(site, fresh_cache, monkeypatch) -> File:
    sha256 = hashlib.sha256(BODY).hexdigest()
    made = File("toy.csv", site.url("/toy.csv"), sha256, len(BODY), "none", 2000, 2)
    monkeypatch.setitem(FILES, "toy.csv", made)
    site.pages["/toy.csv"] = (200, {"Content-Type": "text/plain"}, BODY)
    return made


def _nothing_left(folder) -> bool:
    return not folder.exists() or not list(folder.iterdir())


PAGE = b"<html>Sorry</html>"
HTML, TEXT = {"Content-Type": "text/html"}, {"Content-Type": "text/plain"}
OTHER, SORRY = "other bytes than registered|must have at most 16,000 bytes", "web page.*html>Sorry"
# fmt: off
REFUSED = {  # what the server answers, and what is said of it
    **{f"status {n}": ((n, HTML, PAGE), Unavailable, str(n)) for n in (404, 503)},
    "page, of an encoding": ((200, {"Content-Type": "text/html; charset=utf-8"}, PAGE), DataError, SORRY),
    "page, as text": ((200, TEXT, PAGE), DataError, SORRY),
    "page, of no type": ((200, {}, b"\n<!DOCTYPE html>" + PAGE), DataError, SORRY),
    # HEAD alone was looked at; a page that came on GET was "other bytes"
    "page, on GET alone": (lambda hit, asked: (200, HTML if asked == "GET" else TEXT, PAGE), DataError, SORRY),
    "another byte": ((200, TEXT, BODY[:-1] + b"3"), DataError, OTHER),
    "a byte more": ((200, TEXT, BODY + b"x"), DataError, OTHER),
    "nothing": ((200, TEXT, b""), DataError, OTHER),
    "cut midway": ((200, {"Content-Length": str(len(BODY))}, BODY[:5000]), Unavailable, "cannot be downloaded"),
}
# fmt: on


def test_an_unreachable_origin_is_tried_once_a_process_and_what_is_no_address_is_named(file):
    """What was no address was reported as other bytes: requests calls it a ValueError."""
    for words in ("cannot be downloaded", "the network is off"):
        with pytest.raises(Unavailable, match=words):
            fetch(replace(file, url="http://127.0.0.1:9/x.csv"))
    for url in ("http://", "toy.csv", "http://[::1/x"):
        words = f"toy.csv cannot be downloaded: {url!r} is no address"
        with pytest.raises(Unavailable, match=re.escape(words)):
            fetch(replace(file, url=url))


@pytest.mark.parametrize("announced", [{}, {"Content-Length": "314000000"}])
def test_a_download_ends_at_the_registered_size(file, site, fresh_cache, announced):
    """A server may send 314 MB where 0.2 are registered."""
    sent = []

    def flood(out) -> None:
        for _ in range(3_000):
            out.write(BODY * 10)
            sent.append(len(BODY) * 10)

    site.pages["/toy.csv"] = (200, TEXT | announced, flood)
    with pytest.raises(DataError, match="must have at most 16,000 bytes, got"):
        fetch(file)
    assert sum(sent) < 100_000_000
    assert _nothing_left(fresh_cache)


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_the_file_is_named_for_what_it_is_and_not_kept(file, site, fresh_cache, case):
    site.pages["/toy.csv"], error, words = REFUSED[case]
    with pytest.raises(error, match=words):
        fetch(file)
    assert _nothing_left(fresh_cache)


GOOD = [
    *((status, TEXT, BODY) for status in (403, 405)),  # the server knows no HEAD
    # a length that is no number: it was reported as other bytes than registered
    *((200, TEXT | {"Content-Length": length}, BODY) for length in ("abc", "-5")),
    # the length is that of packed bytes; the time of day is not among them, as it names the test
    (200, {"Content-Encoding": "gzip"}, gzip.compress(BODY, mtime=0)),
]


@pytest.mark.parametrize(("head", "headers", "body"), GOOD)
def test_a_server_that_has_the_file_gives_it(file, site, head, headers, body):
    site.head_status, site.pages["/toy.csv"] = head, (200, headers, body)
    assert fetch(file).path.read_bytes() == BODY


@pytest.mark.parametrize("head", [b"X-Long: ", b"Content-Length: 100\r\n\r\n"])
def test_a_drip_ends_when_its_time_is_over(monkeypatch, tmp_path, head):
    """The limit counted from the end of the headers, which may never come."""
    monkeypatch.setattr(download, "_LEAST_S", 0.2)
    start, done = time.monotonic(), threading.Event()

    def drip() -> None:
        connection, _ = server.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 200 OK\r\n" + head)
            while not done.wait(0.05) and time.monotonic() - start < 10:
                connection.sendall(b"a")

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=drip, daemon=True).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/toy.csv"
        with pytest.raises(DataError, match="must be there within 0 seconds, got only a part"):
            download.stream(url, tmp_path / "toy.csv", False, most=100)
        done.set()
    assert time.monotonic() - start < 5


def test_what_is_no_regular_file_or_has_another_size_is_not_read(file, fresh_cache, monkeypatch):
    """A pipe without a writer would be waited for, three gigabytes would be hashed."""
    path = fresh_cache / "toy.csv"
    for make, remove in ((os.mkdir, os.rmdir), (os.mkfifo, os.unlink)):
        fresh_cache.mkdir(parents=True, exist_ok=True)
        make(path)
        with pytest.raises(DataError, match=r"toy.csv must be a regular file"):
            locate("toy.csv")
        remove(path)
    with open(path, "wb") as huge:
        huge.truncate(3_000_000_000)
    monkeypatch.setattr("lib.datasets.cache.sha256_of", lambda path: pytest.fail("it was read"))
    with pytest.raises(DataError, match=r"not computed \(3,000,000,000 bytes\)"):
        locate("toy.csv")


def test_a_cache_that_cannot_be_written_is_named_and_passed_by(file, tmp_path, monkeypatch):
    """A file stood where the folder should be: NotADirectoryError, in place of a cause or of the
    replica.
    """
    (tmp_path / "taken").write_text("", encoding="utf-8")
    monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "taken" / "cache"))
    with pytest.raises(Unavailable, match=r"toy.csv was not downloaded.*Not a directory.*taken"):
        fetch(file)
    assert state(file) == "absent"
    monkeypatch.setitem(FILES, "db_LSAC.csv", replace(FILES["db_LSAC.csv"], url=file.url))
    assert load("lsac").is_replica


def test_folders_that_are_made_at_once_do_not_stop_each_other(tmp_path):
    """One looked for what the dead have left, held another's new lock, and that one gave up."""

    def make(count: int) -> None:
        for _ in range(count):
            with locked_tempdir(tmp_path) as own:
                (own / "file").write_text("mine", encoding="utf-8")

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(make, 50) for _ in range(4)]:
            done.result()
    assert list(tmp_path.iterdir()) == []


def test_it_tries_again_when_the_server_stumbles(file, site, fresh_cache):
    good = site.pages["/toy.csv"]
    for status in (503, 429):
        answers = iter([(status, {}, b"later")] * 2 + [good])
        site.pages["/toy.csv"] = lambda hit, asked: next(answers)  # noqa: B023
        assert fetch(file).path.read_bytes() == BODY
        (fresh_cache / "toy.csv").unlink()


def test_local_folder_comes_first_and_a_wrong_file_is_an_error(file, tmp_path, monkeypatch):
    local = tmp_path / "local"
    local.mkdir()
    monkeypatch.setenv("COMPANION_DATA", str(local))
    assert locate("toy.csv").source == "download"
    (local / "toy.csv").write_bytes(BODY)
    assert (locate("toy.csv").source, state(file)) == ("local", "local")
    for folder in (local, cache.user_cache()):
        (folder / "toy.csv").write_bytes(BODY + b"x")
        with pytest.raises(DataError, match=rf"{folder}/toy.csv is not toy.csv.*{file.sha256}"):
            locate("toy.csv")
        assert state(file) == "altered"
        (folder / "toy.csv").unlink()


def test_a_mistyped_folder_is_an_error_and_an_empty_name_is_none(file, tmp_path, monkeypatch):
    """It was ignored, and the next source taken."""
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path / "dta"))
    words = r"COMPANION_DATA must be a folder that is there, .*, got '.*dta'"
    asked = ((locate, "toy.csv"), (load, "lsac"), (state, file), (command.list_files,))
    for ask, *what in asked:
        with pytest.raises(DataError, match=words):
            ask(*what)
    assert load("lsac", "replica").is_replica
    monkeypatch.setenv("COMPANION_DATA", "")
    assert locate("toy.csv").source == "download"


def test_two_processes_at_once_both_get_it(file, site, fresh_cache):
    code = (
        "from lib.datasets import cache; from lib.datasets.registry import File; f ="
        f" File('toy.csv', {file.url!r}, {file.sha256!r}, {file.size}, '', 1, 1);"
        " print(cache.fetch(f).sha256)"
    )
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    both = [subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, **pipes) for _ in range(2)]
    assert [p.communicate(timeout=60)[0].decode().strip() for p in both] == [file.sha256] * 2
    assert [p.name for p in fresh_cache.iterdir()] == ["toy.csv"]


@pytest.mark.parametrize("name", TASKS)
def test_offline_falls_back_to_the_replica_and_says_so(name, fresh_cache, monkeypatch, caplog):
    monkeypatch.setenv("COMPANION_OFFLINE", "1")
    with caplog.at_level(logging.WARNING, logger="companion.data"):
        data = load(name)
    assert (data.is_replica, data.label) == (True, "replica")
    assert "network is off" in data.notes[0]
    assert "using the embedded replica" in caplog.text
    with pytest.raises(Unavailable):
        load(name, "cache")


def test_the_command_lists_fetches_and_verifies_and_a_good_copy_is_not_fetched_again(
    file, site, fresh_cache, capsys
):
    assert command.list_files(["toy.csv"]) == 0
    assert "absent" in capsys.readouterr().out
    assert command.fetch(["toy.csv"]) == 0
    assert (locate("toy.csv").source, state(file), site.hits["/toy.csv"]) == ("cache", "cached", 1)
    assert command.verify(["toy.csv"]) == 0
    (fresh_cache / "toy.csv").write_bytes(b"x")
    assert command.verify(["toy.csv"]) == 1
    assert command.fetch(["toy.csv"]) == 0  # an altered copy is fetched anew
    assert (fresh_cache / "toy.csv").read_bytes() == BODY
