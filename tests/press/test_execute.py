"""Execution: keyed by everything a result depends on, and by nothing else; a failure is shown
and stops the build.
"""

from __future__ import annotations

import ast
import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import nbformat
import pandas as pd
import pytest

from lib.files import alone
from lib.paths import ROOT
from press.execute import ChapterError, Executed, _data_files, chapter_key, execute
from press.kernels import run_apart
from press.reach import imported, reachable
from press.toc import Page, pages
from tests.press.conftest import write_notebook

QUICK = {"profile": "quick"}


def test_sources_are_parsed_one_at_a_time(monkeypatch):
    """Chapters are keyed in threads, and two parsers at once can fail in Python 3.11."""
    inside, most, parse = [], [], ast.parse

    def slow(source):
        inside.append(source)
        most.append(len(inside))
        time.sleep(0.01)
        tree = parse(source)
        inside.remove(source)
        return tree

    monkeypatch.setattr(ast, "parse", slow)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(imported, [f"import lib.one_of_many_{i}" for i in range(16)]))
    assert found == [{f"lib.one_of_many_{i}"} for i in range(16)]
    assert max(most) == 1


def edit(page: Page, path: str, text: str) -> None:
    (page.root / path).parent.mkdir(parents=True, exist_ok=True)
    (page.root / path).write_text(text, encoding="utf-8")


def test_imports_are_read_wherever_they_stand():
    source = (
        "import lib.a as x\nfrom lib import b\ndef f():\n    from lib.c.d import e\nimport"
        " numpy\nfrom library import z"
    )
    assert imported(source) == {"lib.a", "lib", "lib.b", "lib.c.d", "lib.c.d.e"}


def test_reach_is_transitive(tiny):
    names = [path.name for path in reachable("from lib.middle import value", tiny.root)]
    assert names == ["middle.py", "used.py"]


@pytest.mark.parametrize(
    ("source", "reached"),
    [
        ("from lib.box import one", {"one.py"}),
        ("from lib.box import one, Two", {"one.py", "two.py"}),
        ("from lib.box.two import Two", {"two.py"}),
        ("from lib import box", {"one.py", "two.py"}),
        ("import lib.box", {"one.py", "two.py"}),
    ],
)
def test_of_a_face_only_what_is_asked_for_is_reached(tiny, source, reached):
    edit(tiny, "lib/box/__init__.py", "from lib.box.one import one\nfrom lib.box.two import Two\n")
    edit(tiny, "lib/box/one.py", "def one():\n    return 1\n")
    edit(tiny, "lib/box/two.py", "class Two:\n    pass\n")
    found = {path.name for path in reachable(source, tiny.root)}
    assert found - {"__init__.py"} == reached


LAZY = """from typing import TYPE_CHECKING
from lib import validate
if TYPE_CHECKING:
    from lib.box.one import one
__getattr__, __dir__ = validate.on_demand(__name__)
"""


@pytest.mark.parametrize(
    ("source", "reached"),
    [("from lib.box import one", {"one.py"}), ("import lib.box", {"one.py", "__init__.py"})],
)
def test_a_face_that_imports_on_demand_is_one_all_the_same(tiny, source, reached):
    edit(tiny, "lib/box/__init__.py", LAZY)
    edit(tiny, "lib/box/one.py", "def one():\n    return 1\n")
    assert {path.name for path in reachable(source, tiny.root)} == reached


def test_an_object_that_is_named_by_text_is_reached(tiny):
    edit(tiny, "lib/used.py", 'PLACES = {"one": "lib.other:one", "two": "no.module:of_ours"}\n')
    assert "other.py" in {p.name for p in reachable("from lib.middle import value", tiny.root)}
    before = chapter_key(tiny, QUICK)
    edit(tiny, "lib/other.py", "VALUE = 2\n")
    assert chapter_key(tiny, QUICK) != before
    assert imported('PLACE = "lib.other:one"') == set()


def test_a_page_that_makes_a_protocol_by_name_reaches_them_all():
    found = {path.name for path in reachable("from lib.ldp import make", ROOT)}
    assert {"grr.py", "local_hashing.py", "unary.py", "subset_selection.py", "histogram.py"} < found


@pytest.mark.parametrize(
    ("path", "matters"),
    [
        ("lib/used.py", True),
        ("lib/middle.py", True),
        ("lib/__init__.py", True),
        ("locks/dev.txt", True),
        ("lib/other.py", False),
        ("README.md", False),
        ("data/results/x.parquet", False),
    ],
)
def test_key_follows_the_source_that_is_reached(tiny, path, matters):
    before = chapter_key(tiny, QUICK)
    edit(tiny, path, "VALUE = 2\n")
    assert (chapter_key(tiny, QUICK) != before) == matters


def test_key_follows_cells_tags_and_parameters(tiny):
    before = chapter_key(tiny, QUICK)
    assert chapter_key(tiny, {"profile": "paper"}) != before
    notebook = nbformat.read(tiny.notebook, as_version=4)
    notebook.cells[1].metadata["tags"] = ["hide-input"]
    nbformat.write(notebook, tiny.notebook)
    tagged = chapter_key(tiny, QUICK)
    assert tagged != before
    write_notebook(tiny.notebook, "print(2)")
    assert chapter_key(tiny, QUICK) not in {before, tagged}


@pytest.mark.parametrize(
    ("package", "path"),
    [
        ("datasets", "data/replicas/x.parquet"),
        ("datasets", "real/x.csv"),
        ("datasets", "cache/x.csv"),
        ("datasets", "cache/folktables/2018/1-Year/x.csv"),
        ("runner", "data/results/x.parquet"),
        ("runner", "data/facts.yml"),
        ("ledger", "data/claims/x.yml"),
    ],
)
def test_key_follows_the_data_that_the_reach_can_read(tiny, monkeypatch, package, path):
    monkeypatch.setenv("COMPANION_DATA", str(tiny.root / "real"))
    monkeypatch.setenv("COMPANION_CACHE", str(tiny.root / "cache"))
    edit(tiny, f"lib/{package}/__init__.py", "")
    write_notebook(tiny.notebook, f"import lib.{package}")
    for expected in ("one", "two"):
        before = chapter_key(tiny, QUICK)
        edit(tiny, path, expected)
        assert chapter_key(tiny, QUICK) != before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_pipe_among_the_data_is_not_waited_for(tiny, tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    os.mkfifo(tmp_path / "pipe.csv")
    source = tiny.root / "lib" / "datasets" / "a.py"
    source.parent.mkdir(exist_ok=True)
    source.write_text("", encoding="utf-8")
    assert tmp_path / "pipe.csv" not in _data_files([source], tiny.root)


def test_yaml_beside_a_module_and_yaml_that_it_names_are_read(tiny):
    source = tiny.root / "lib" / "studies" / "names.py"
    beside, named = source.with_suffix(".yml"), tiny.root / "data" / "named.yml"
    other = named.with_stem("other")
    for file in (source, beside, named, other):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            'read_yaml(DATA / "named.yml")' if file == source else "{}", encoding="utf-8"
        )
    found = _data_files([source], tiny.root)
    assert {beside, named} <= set(found)
    assert other not in found


def test_a_module_that_a_page_writes_counts_and_another_file_does_not(tiny):
    write_notebook(
        tiny.notebook,
        "%%writefile x.yml\n- {id: no Python}",
        "%%writefile x.py\nfrom lib.middle import value",
    )
    before = chapter_key(tiny, QUICK)
    edit(tiny, "lib/used.py", "VALUE = 2\n")
    assert chapter_key(tiny, QUICK) != before


def test_a_page_about_all_chapters_follows_their_texts(tiny):
    edit(tiny, "press/teaching.py", "")
    write_notebook(tiny.notebook, "import press.teaching")
    before = chapter_key(tiny, QUICK)
    edit(tiny, "chapters/two.md", "# Two\n")
    assert chapter_key(tiny, QUICK) != before


def test_only_what_changed_runs_again(tiny):
    folder = tiny.root / "out"

    def run(**parameters):
        return execute([tiny], QUICK | parameters, folder, progress=False)[0]

    first = run()
    assert first.fresh
    assert "1 quick" in first.path.read_text(encoding="utf-8")
    edit(tiny, "lib/other.py", "VALUE = 2\n")
    assert not run().fresh
    edit(tiny, "lib/used.py", "VALUE = 7\n")
    again = run()
    assert again.fresh
    assert "7 quick" in again.path.read_text(encoding="utf-8")
    assert not run().fresh


def test_long_chapters_start_first_and_come_back_in_the_order_given(tmp_path, monkeypatch):
    pages = [Page(name, tmp_path) for name in ("short", "long", "unknown")]
    started = []

    def one(page, parameters, folder, strict):
        started.append(page.doc)
        return Executed(page.doc, tmp_path, 0.0, (), (), fresh=True)

    monkeypatch.setattr("press.execute._one", one)
    monkeypatch.setattr("press.execute.run_times", lambda: pd.Series({"short": 1, "long": 9}))
    monkeypatch.setattr(Page, "is_chapter", True)
    done = execute(pages, QUICK, tmp_path, workers=1, progress=False)
    assert started == ["unknown", "long", "short"]
    assert [page.doc for page in done] == ["short", "long", "unknown"]


def test_a_torn_stamp_or_page_is_made_again(tiny, monkeypatch):
    """It broke every later build: "Expecting value: line 1"."""
    folder = tiny.root / "out"

    def run():
        return execute([tiny], QUICK, folder, progress=False)[0]

    whole = run().path.read_bytes()

    def run_again(page, parameters, output, strict) -> tuple[float, tuple[str, ...]]:
        output.write_bytes(whole)
        return 1.0, ()

    monkeypatch.setattr("press.execute._run", run_again)  # the kernel has run once

    for name in ("one.json", "one.ipynb"):
        for damage in (b"", b'{"key": "', b"null", b"\xff\xfe"):
            (folder / "chapters" / name).write_bytes(damage)
            again = run()
            assert again.fresh, (name, damage)
            assert "1 quick" in again.path.read_text(encoding="utf-8")
            assert not run().fresh, (name, damage)


def test_a_torn_notebook_is_named(tiny):
    tiny.notebook.write_text('{"cells": [', encoding="utf-8")
    with pytest.raises(ValueError, match=r"one\.ipynb must be a notebook, got another file"):
        execute([tiny], QUICK, tiny.root / "out", progress=False)


def test_two_builds_wait_for_each_other(tmp_path, capfd):
    order, first = [], threading.Event()

    def hold() -> None:
        with alone(tmp_path / "build.lock", "another build is at work"):
            first.set()
            time.sleep(0.3)
            order.append("first")

    with ThreadPoolExecutor(1) as pool:
        pool.submit(hold)
        first.wait()
        with alone(tmp_path / "build.lock", "another build is at work"):
            order.append("second")
    assert order == ["first", "second"]
    assert "another build is at work" in capfd.readouterr().err


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel is a child of what ends")
@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL])
def test_a_process_that_crashes_is_started_again_and_one_that_is_killed_is_not(tiny, number):
    """A build ended with the kernel's greeting for an error, and no word of the signal."""
    crash = "import os\nfrom pathlib import Path\nPath('seen').open('a').write('x')\n" + (
        f"if len(Path('seen').read_text()) == 1: os.kill(os.getppid(), {int(number)})"
    )
    write_notebook(tiny.root / "chapters" / "one.ipynb", crash)
    if number == signal.SIGKILL:
        with pytest.raises(ChapterError, match="papermill ended with -9"):
            execute([tiny], QUICK, tiny.root / "out", progress=False)
    else:
        (done,) = execute([tiny], QUICK, tiny.root / "out", progress=False)
        assert done.fresh
    assert len((tiny.root / "seen").read_text()) == (1 if number == signal.SIGKILL else 2)


def test_each_of_many_processes_that_end_at_once_has_its_own_status():
    """Threads that start and join took each other's: about one of twelve read 255."""
    with ThreadPoolExecutor(3) as pool:
        codes = list(pool.map(lambda number: run_apart(sys.exit, number % 3), range(150)))
    assert codes == [number % 3 for number in range(150)]


def test_a_failure_shows_the_cell_after_the_others_ran_and_is_not_kept(tiny):
    write_notebook(
        tiny.root / "chapters" / "bad.ipynb",
        "x = 1",
        "raise RuntimeError(f'broken on purpose {x}')",
    )
    bad, folder = Page("chapters/bad", tiny.root), tiny.root / "out"
    for _ in range(2):  # a failed chapter is tried again, never taken for done
        with pytest.raises(ChapterError) as caught:
            execute([bad, tiny], QUICK, folder, progress=False)
        message = str(caught.value)
        assert "chapters/bad failed in cell" in message
        assert "raise RuntimeError(f'broken on purpose {x}')" in message
        assert "broken on purpose 1" in message
        assert "Traceback" in message
    assert (folder / "chapters" / "one.json").exists()
    assert not (folder / "chapters" / "bad.json").exists()


def test_contents_that_name_a_missing_page_are_refused(tmp_path):
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: chapters/none\n", encoding="utf-8")
    with pytest.raises(ValueError, match="chapters/none"):
        pages(tmp_path)
