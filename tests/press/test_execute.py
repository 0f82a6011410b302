"""Execution: keyed by all that a result depends on, apart from a reader's own settings; what it
has started ends with it.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from lib.paths import ROOT
from press.execute import ChapterError, KernelError, chapter_key, execute
from press.inputs import common
from press.toc import Page
from tests.press.conftest import code, write_notebook
from tests.programs import python, wait

QUICK = {"profile": "quick"}
NAMES = "from studies.one import figures\nimport studies.two"


def edit(page: Page, path: str, text: str = "{}") -> None:
    (page.root / path).parent.mkdir(parents=True, exist_ok=True)
    (page.root / path).write_text(text, "utf-8")


def run(page: Page, **parameters):
    return execute([page], QUICK | parameters, page.root / "out", progress=False)[0]


def key(page: Page, **parameters) -> str:
    return chapter_key(page, QUICK | parameters, common(page.root))


MATTERS = """lib/used.py lib/inner/style.mplstyle studies/measures.py studies/one/grids.py
studies/two.py studies/three/__init__.py data/results/x.parquet data/claims/x.yml data/facts.yml
real/x.csv cache/folktables/2018/x.csv""".split()
IS_NOTHING = """README.md chapters/two.md press/a.py studies/other/grids.py data/.x data/results/x.lock
lib/__pycache__/used.pyc""".split()


@pytest.mark.parametrize("path", MATTERS + IS_NOTHING)
def test_the_key_follows_each_file_that_a_page_may_read(tiny, monkeypatch, path):
    monkeypatch.setenv("COMPANION_DATA", str(tiny.root / "real"))
    monkeypatch.setenv("COMPANION_CACHE", str(tiny.root / "cache"))
    edit(tiny, "studies/one/figures.py", "from studies.three import rows")
    edit(tiny, "studies/two.py", "")
    edit(tiny, "studies/three/__init__.py", "")
    write_notebook(tiny.notebook, NAMES)
    for text in ("VALUE = 2\n", "VALUE = 30\n"):  # a new file, and another content
        before = key(tiny)
        edit(tiny, path, text)
        assert (key(tiny) != before) == (path in MATTERS)


def test_the_key_follows_cells_tags_parameters_and_versions(tiny, monkeypatch):
    keys = [key(tiny), key(tiny, profile="paper")]
    monkeypatch.setenv("COMPANION_OFFLINE", "0")
    keys.append(key(tiny))
    for cell in ("print(2)", code("print(2)", "hide-input")):
        write_notebook(tiny.notebook, cell)
        keys.append(key(tiny))
    monkeypatch.setattr("press.inputs.distributions", lambda: [])
    keys.append(key(tiny))
    write_notebook(tiny.notebook, "from press.toc import pages")
    keys.append(key(tiny))
    edit(tiny, "chapters/two.md")
    assert len({*keys, key(tiny)}) == 8


@pytest.mark.thorough("starts kernels")
def test_only_what_changed_runs_again_and_a_torn_or_missing_file_is_made_again(tiny):
    assert run(tiny).fresh
    assert not run(tiny).fresh
    edit(tiny, "lib/used.py", "VALUE = 7\n")
    again = run(tiny)
    assert again.fresh
    assert "7 quick" in again.path.read_text("utf-8")
    (tiny.root / "out" / "chapters" / "one.key").write_bytes(b"\xff")
    assert run(tiny).fresh
    again.path.unlink()
    assert run(tiny).fresh
    assert not run(tiny).fresh


@pytest.mark.thorough("starts kernels")
def test_pages_come_back_in_the_order_given_and_a_strict_failure_is_kept_by_nobody(tiny):
    bad = Page("chapters/bad", tiny.root)
    write_notebook(bad.notebook, "x = 1", "raise RuntimeError(f'broken on purpose {x}')")
    for _ in range(2):
        with pytest.raises(ChapterError) as caught:
            execute([bad], QUICK, tiny.root / "out", progress=False)
        for words in ("chapters/bad, code cell 3", "broken on purpose 1", "Traceback"):
            assert words in str(caught.value)
    done = execute([bad, tiny], QUICK, tiny.root / "out", progress=False, strict=False)
    assert [(page.doc, bool(page.failures)) for page in done] == [
        ("chapters/bad", True),
        ("chapters/one", False),
    ]


def test_a_kernel_that_ends_costs_its_page_alone(tiny):
    write_notebook(tiny.notebook, "print('here')", "import os\nos._exit(1)", "print('never')")
    (done,) = execute([tiny], QUICK, tiny.root / "out", progress=False, strict=False)
    assert "code cell 3: DeadKernelError" in str(done.failures[0])
    assert "here" in done.path.read_text("utf-8")


SEEN = """
import os, sys, tempfile, matplotlib
import importlib.util
import lib
print(importlib.util.find_spec("of_the_reader"), sys.executable, lib.__file__, __debug__, "FROM_STARTUP" in globals())
print(matplotlib.rcParams["lines.linewidth"], tempfile.mkdtemp())
print(sorted(name for name in os.environ if name.startswith("PYTHON") or "SECRET" in name))
"""
BUILD = """
import sys, tempfile
from pathlib import Path
from press.execute import execute
from press.toc import Page
if __name__ == "__main__":
    root = Path(sys.argv[1])
    execute([Page("chapters/one", root)], {"profile": "quick"}, root / "out", progress=False)
"""


def start(page: Page, tmp: Path, **environment: str) -> subprocess.Popen:
    """A build of ``page`` in a process that listens to Ctrl-C, as one in a terminal does."""
    edit(page, "build.py", BUILD)
    path = os.pathsep.join([*filter(None, [environment.pop("PYTHONPATH", "")]), str(ROOT)])
    env = os.environ | {"PYTHONPATH": path, "TMPDIR": str(tmp)} | environment
    listen = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.default_int_handler)}
    words = [sys.executable, "-P", page.root / "build.py", page.root]
    return subprocess.Popen(
        words, cwd=ROOT, env=env, stderr=subprocess.DEVNULL, **listen if os.name == "posix" else {}
    )


@pytest.mark.thorough("starts kernels")
def test_the_settings_of_a_reader_change_no_page(tiny):
    """And nothing is left in the temporary folder, whose name may be long."""
    hostile = {"PYTHONOPTIMIZE": "1", "PYTHONSTARTUP": "FROM_STARTUP.py", "SECRET": "x"}
    places = "PYTHONPATH IPYTHONDIR JUPYTER_PATH JUPYTER_CONFIG_DIR MPLCONFIGDIR".split()
    hostile |= {name: str(tiny.root / name) for name in places}
    kernel = '{"argv": ["false"], "display_name": "", "language": "python"}'
    edit(tiny, "JUPYTER_PATH/kernels/python3/kernel.json", kernel)
    edit(tiny, "IPYTHONDIR/profile_default/startup/00.py", "FROM_STARTUP = 1")
    edit(tiny, "MPLCONFIGDIR/matplotlibrc", "lines.linewidth: 77")
    edit(tiny, "PYTHONPATH/of_the_reader.py")
    edit(tiny, "JUPYTER_CONFIG_DIR/jupyter_config.json", '{"KernelManager": {"transport": "x"}}')
    tmp = tiny.root / ("long" * 20)
    tmp.mkdir()
    write_notebook(tiny.notebook, SEEN, "assert False")
    build = start(tiny, tmp, **hostile)
    assert build.wait(120) == 1  # an assertion is one
    said = (tiny.root / "out" / "chapters" / "one.ipynb").read_text("utf-8")
    assert f"None {sys.executable} {tiny.root / 'lib' / '__init__.py'} True False" in said
    assert "1.5 " in said
    assert "['PYTHONUTF8']" in said
    assert list(tmp.iterdir()) == []


WAITS = """
import os, subprocess, sys, tempfile, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
with open("part", "w") as file:
    file.write(f"{os.getpid()} {os.getppid()} {child.pid} {tempfile.mkdtemp()}")
os.replace("part", "seen")
time.sleep(300)
"""


@pytest.mark.thorough("starts kernels")
@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("number", "seconds"), [(signal.SIGINT, 2), (signal.SIGTERM, 5), (signal.SIGKILL, 5)]
)
def test_what_a_build_has_started_ends_with_it_and_leaves_no_file(tiny, number, seconds):
    write_notebook(tiny.notebook, WAITS)
    with tempfile.TemporaryDirectory() as tmp:
        build = start(tiny, Path(tmp))
        assert wait((tiny.root / "seen").exists, 60)
        *pids, folder = (tiny.root / "seen").read_text("utf-8").split()
        assert Path(folder).is_dir()
        build.send_signal(number)
        build.wait(seconds)
        assert wait(lambda: not any(map(psutil.pid_exists, map(int, pids))), seconds)
        assert wait(lambda: not os.listdir(tmp), seconds)


@pytest.mark.thorough("starts kernels")
def test_a_kernel_that_does_not_start_is_started_once_more(tiny):
    """Its Python ends the first time."""
    ends = "import os, pathlib\nif not pathlib.Path('seen').exists():\n"
    ends += "    pathlib.Path('seen').touch()\n    os._exit(1)\n"
    starts = "from ipykernel import kernelapp\nkernelapp.launch_new_instance()\n"
    edit(tiny, "ipykernel_launcher.py", ends + starts)
    write_notebook(tiny.notebook, "print('started')")
    assert "started" in run(tiny).path.read_text("utf-8")
    assert (tiny.root / "seen").exists()


ALONE = """
import socket, sys, types
from pathlib import Path
from press import execute
root = Path(sys.argv[1])
exec(sys.argv[2])
try:
    execute.run_notebook(root / "chapters/one.ipynb", root / "out.ipynb", {}, root, progress_bar=False)
except OSError as error:
    print(error)
"""


def said(page: Page, plant: str) -> str:
    """What a process of its own prints of a notebook that it cannot run."""
    return python("-c", ALONE, page.root, plant).stdout


@pytest.mark.thorough("waits for a kernel")
@pytest.mark.parametrize("does", ["raise SystemExit", "import time; time.sleep(99)"])
def test_a_kernel_that_never_starts_ends_the_build_with_a_sentence(tiny, does):
    """It is no fault of a chapter, whose pages would all be without outputs."""
    edit(tiny, "ipykernel_launcher.py", does)
    words = said(tiny, "execute.SECONDS = 3")
    assert re.match(r"no kernel for \S*one\.ipynb: Kernel di[^\n]*\n$", words)
    if "sleep" not in does:
        with pytest.raises(KernelError, match=r"Kernel died"):
            execute([tiny], QUICK, tiny.root / "out", progress=False, strict=False)
        assert not list((tiny.root / "out").rglob("*.key"))


@pytest.mark.thorough("starts a kernel")
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full disk to write to")
def test_a_full_disk_is_a_sentence_with_the_files_name(tiny):
    words = said(tiny, "(root / 'out.ipynb').symlink_to('/dev/full')")
    assert re.match(r"\[Errno 28\] No space left on device: '[^\n]*out\.ipynb'\n$", words)


NO_FILES = "execute.socket = types.SimpleNamespace(**{n: getattr(socket, n) for n in ('create_server', 'create_connection')})"
NO_LOOPBACK = """
def create_server(_):
    raise OSError("closed")
execute.socket.create_server = create_server
"""


@pytest.mark.thorough("starts a kernel")
def test_a_kernel_is_spoken_to_by_what_works_here(tiny):
    """A file system may have no sockets, a machine no loopback."""
    assert said(tiny, NO_FILES) == ""
    assert (tiny.root / "out.ipynb").exists()
    words = r"a kernel needs sockets in \S+ or on 127\.0\.0\.1, and neither can be had: closed\n$"
    assert re.match(words, said(tiny, NO_FILES + NO_LOOPBACK))


STALE = '{"argv": ["/moved/bin/python", "-m", "x"], "display_name": "", "language": "python"}'
PLACES = """
import tempfile
import jupyter_core.paths
jupyter_core.paths.ENV_JUPYTER_PATH[:] = [str(root / "share")]
tempfile.tempdir = tempfile.mkdtemp(dir=root, suffix="\N{GREEK SMALL LETTER EPSILON}" * 40)
"""


@pytest.mark.thorough("starts a kernel")
def test_kernels_are_of_this_python_and_sockets_fit_below_long_names(tiny):
    """An environment that has moved may name its old Python; letters may have several bytes."""
    edit(tiny, "share/kernels/python3/kernel.json", STALE)
    with tempfile.TemporaryDirectory() as short:
        page = Page(tiny.doc, Path(shutil.copytree(tiny.root, Path(short) / "r")))
        assert said(page, PLACES) == ""
        assert (page.root / "out.ipynb").exists()
