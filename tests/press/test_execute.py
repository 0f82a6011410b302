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
from contextlib import nullcontext

import nbformat
import pandas as pd
import pytest

from lib.files import alone
from lib.paths import ROOT
from press.execute import ChapterError, Executed, _data_files, chapter_key, execute
from press.kernels import run_apart
from press.reach import imported, reachable
from press.toc import Page, read_notebook
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
    (page.root / path).write_text(text, "utf-8")


def run(page: Page, **parameters):
    """What becomes of the page in a build."""
    return execute([page], QUICK | parameters, page.root / "out", progress=False)[0]


def test_imports_are_read_wherever_they_stand():
    source = (
        "import lib.a as x\nfrom lib import b\ndef f():\n    from lib.c.d import e\nimport"
        " numpy\nfrom library import z\nPLACE = 'lib.other:one'"
    )
    assert imported(source) == {"lib.a", "lib", "lib.b", "lib.c.d", "lib.c.d.e"}


FACE = "from lib.box.one import one\nfrom lib.box.two import Two\n"
LAZY = 'PLACES = {"one": "lib.box.one:one"}\n\ndef __getattr__(name):\n    ...\n'


@pytest.mark.parametrize(
    ("face", "source", "reached"),
    [
        (FACE, "from lib.box import one", {"one.py"}),
        (FACE, "from lib.box import one, Two", {"one.py", "two.py", "__init__.py"}),
        (FACE, "from lib.box.two import Two", {"two.py"}),
        (FACE, "from lib import box", {"one.py", "two.py", "__init__.py"}),
        (FACE, "import lib.box", {"one.py", "two.py", "__init__.py"}),
        (LAZY, "from lib.box import one", {"one.py", "__init__.py"}),
        (LAZY, "import lib.box", {"one.py", "__init__.py"}),
    ],
)
def test_of_a_face_only_what_is_asked_for_is_reached(tiny, face, source, reached):
    edit(tiny, "lib/box/__init__.py", face)
    edit(tiny, "lib/box/one.py", "def one():\n    return 1\n")
    edit(tiny, "lib/box/two.py", "class Two:\n    pass\n")
    assert {path.name for path in reachable(source, tiny.root)} == reached


def test_a_page_that_makes_a_protocol_by_name_reaches_them_all():
    found = {path.name for path in reachable("from lib.ldp import make", ROOT)}
    assert {"grr.py", "local_hashing.py", "unary.py", "subset_selection.py", "histogram.py"} < found


VALUE = ("from lib.middle import value\nprint(value(), profile)",)
WRITES = ("%%writefile x.yml\n- {id: no Python}", "%%writefile x.py\nfrom lib.middle import value")
NAMED = {"lib/used.py": 'PLACES = {"one": "lib.other:one", "two": "no.module:of_ours"}\n'}
READ = {
    "data/replicas/x.parquet": "datasets",
    "real/x.csv": "datasets",
    "cache/x.csv": "datasets",
    "cache/folktables/2018/1-Year/x.csv": "datasets",
    "data/results/x.parquet": "runner",
    "data/facts.yml": "runner",
    "data/claims/x.yml": "ledger",
}
KEYS = [
    *((VALUE, {}, f"lib/{name}.py", True) for name in ("used", "middle", "__init__")),
    (VALUE, {}, "locks/dev.txt", True),
    *((VALUE, {}, name, False) for name in ("lib/other.py", "README.md", "data/results/x.parquet")),
    *(
        ((f"import lib.{of}",), {f"lib/{of}/__init__.py": ""}, path, True)
        for path, of in READ.items()
    ),
    (VALUE, NAMED, "lib/other.py", True),
    (WRITES, {}, "lib/used.py", True),
    (("import press.teaching",), {"press/teaching.py": ""}, "chapters/two.md", True),
]


@pytest.mark.parametrize(("cells", "files", "path", "matters"), KEYS)
def test_key_follows_what_a_page_reaches(tiny, monkeypatch, cells, files, path, matters):
    monkeypatch.setenv("COMPANION_DATA", str(tiny.root / "real"))
    monkeypatch.setenv("COMPANION_CACHE", str(tiny.root / "cache"))
    for name, text in files.items():
        edit(tiny, name, text)
    write_notebook(tiny.notebook, *cells)
    for text in ("VALUE = 2\n", "VALUE = 3\n"):  # a new file, and another content
        before = chapter_key(tiny, QUICK)
        edit(tiny, path, text)
        assert (chapter_key(tiny, QUICK) != before) == matters


def test_key_follows_cells_tags_and_parameters(tiny):
    keys = {chapter_key(tiny, QUICK), chapter_key(tiny, {"profile": "paper"})}
    notebook = read_notebook(tiny.notebook)
    notebook.cells[1].metadata["tags"] = ["hide-input"]
    nbformat.write(notebook, tiny.notebook)
    keys.add(chapter_key(tiny, QUICK))
    write_notebook(tiny.notebook, "print(2)")
    assert len(keys | {chapter_key(tiny, QUICK)}) == 4


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes of POSIX")
def test_a_pipe_among_the_data_is_not_waited_for(tiny, tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_DATA", str(tmp_path))
    os.mkfifo(tmp_path / "pipe.csv")
    edit(tiny, "lib/datasets/a.py", "")
    assert tmp_path / "pipe.csv" not in _data_files([tiny.root / "lib/datasets/a.py"], tiny.root)


def test_yaml_beside_a_module_and_yaml_that_it_names_are_read(tiny):
    edit(tiny, "lib/studies/names.py", 'read_yaml(DATA / "named.yml")')
    read = ("lib/studies/names.yml", "data/named.yml")
    for name in (*read, "data/other.yml"):
        edit(tiny, name, "{}")
    found = _data_files([tiny.root / "lib/studies/names.py"], tiny.root)
    assert {*found} == {tiny.root / name for name in read}


def test_only_what_changed_runs_again(tiny):
    first = run(tiny)
    assert first.fresh
    assert "1 quick" in first.path.read_text("utf-8")
    edit(tiny, "lib/other.py", "VALUE = 2\n")
    assert not run(tiny).fresh
    edit(tiny, "lib/used.py", "VALUE = 7\n")
    again = run(tiny)
    assert again.fresh
    assert "7 quick" in again.path.read_text("utf-8")
    assert not run(tiny).fresh


def test_long_chapters_start_first_and_come_back_in_the_order_given(tmp_path, monkeypatch):
    pages = [Page(name, tmp_path) for name in ("short", "long", "unknown")]
    started = []

    def one(page, *_):
        started.append(page.doc)
        return Executed(page.doc, tmp_path, 0.0, (), fresh=True)

    monkeypatch.setattr("press.execute._one", one)
    monkeypatch.setattr("press.execute.run_times", lambda: pd.Series({"short": 1, "long": 9}))
    monkeypatch.setattr(Page, "is_chapter", True)
    done = execute(pages, QUICK, tmp_path, workers=1, progress=False)
    assert started == ["unknown", "long", "short"]
    assert [page.doc for page in done] == ["short", "long", "unknown"]


def test_a_torn_stamp_or_page_is_made_again(tiny, monkeypatch):
    """It broke every later build: "Expecting value: line 1"."""
    whole = run(tiny).path.read_bytes()

    def run_again(page, parameters, output, strict) -> float:
        output.write_bytes(whole)
        return 1.0

    monkeypatch.setattr("press.execute._run", run_again)  # the kernel has run once
    for name in ("one.json", "one.ipynb"):
        for damage in (b"", b'{"key": "', b"null", b"\xff\xfe"):
            (tiny.root / "out" / "chapters" / name).write_bytes(damage)
            again = run(tiny)
            assert again.fresh, (name, damage)
            assert "1 quick" in again.path.read_text("utf-8")
            assert not run(tiny).fresh, (name, damage)


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
@pytest.mark.parametrize(("number", "starts"), [(signal.SIGSEGV, 2), (signal.SIGKILL, 1)])
def test_a_process_that_crashes_is_started_again_and_one_that_is_killed_is_not(
    tiny, number, starts
):
    """A build ended with the kernel's greeting for an error, and no word of the signal."""
    crash = "import os\nfrom pathlib import Path\nPath('seen').open('a').write('x')\n" + (
        f"if len(Path('seen').read_text()) == 1: os.kill(os.getppid(), {int(number)})"
    )
    write_notebook(tiny.notebook, crash)
    killed = pytest.raises(ChapterError, match="papermill ended with -9")
    with killed if starts == 1 else nullcontext():
        run(tiny)
    assert len((tiny.root / "seen").read_text()) == starts


def test_each_of_many_processes_that_end_at_once_has_its_own_status():
    """Threads that start and join took each other's: about one of twelve read 255."""
    with ThreadPoolExecutor(3) as pool:
        codes = list(pool.map(lambda number: run_apart(sys.exit, number % 3), range(150)))
    assert codes == [number % 3 for number in range(150)]


def test_a_failure_shows_the_cell_after_the_others_ran_and_is_not_kept(tiny):
    bad, folder = Page("chapters/bad", tiny.root), tiny.root / "out"
    fails = "raise RuntimeError(f'broken on purpose {x}')"
    write_notebook(bad.notebook, "x = 1", fails)
    for _ in range(2):  # a failed chapter is tried again, never taken for done
        with pytest.raises(ChapterError) as caught:
            execute([bad, tiny], QUICK, folder, progress=False)
        message = str(caught.value)
        for words in ("chapters/bad failed in cell", fails, "broken on purpose 1", "Traceback"):
            assert words in message
    assert (folder / "chapters" / "one.json").exists()
    assert not (folder / "chapters" / "bad.json").exists()
