"""``make wasm``: what it runs in, what it skips, and that its exit code is that of the tests."""

from __future__ import annotations

import shutil

import pytest

from lib.paths import user_cache
from press.live import pins, wanted
from tests.wasm.__main__ import run
from tests.wasm.prepare import kept, prepare, requirements

pytest_plugins = ["pytester"]

_HERE = user_cache() / f"pyodide-{pins()['version']}"
cached = pytest.mark.skipif(
    not (all((_HERE / name).is_file() for name in wanted()) and any(kept().glob("*.whl"))),
    reason="the cache has no Pyodide with its wheels, which make wasm puts there",
)


def test_every_requirement_has_a_version_and_a_hash():
    parts = requirements().replace("\\\n", "").splitlines()
    found = [part for part in parts if "==" in part]
    assert len(found) == len(pins()["tests"]["pure"]) + 1
    assert all("--hash=sha256:" in part for part in found)


@cached
def test_the_folder_is_made_without_a_network(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    prepare(tmp_path)
    names = {path.name for path in tmp_path.iterdir()}
    assert {*pins()["core"], "pyodide-lock.json", "code.zip", "settings.json"} < names
    wheels = [path.name for path in (tmp_path / "wheels").iterdir()]
    assert len(wheels) == len(pins()["tests"]["pure"]) + 1
    assert all(name.endswith("-none-any.whl") for name in wheels)


PLANTED = """
import pytest
from press.in_page import NotInThePage

def test_passes(): pass
def test_library(): raise NotInThePage("jax is not in the Python of this page")
def test_process(): raise OSError("emscripten does not support processes.")
def test_thread(): raise RuntimeError("can't start new thread")
def test_another_error(): raise OSError("no such file")
def test_wrong(): assert 1 == 2
def f():
    '''
    >>> raise OSError("emscripten does not support processes.")
    '''
"""


def test_only_what_the_platform_lacks_is_skipped(pytester):
    pytester.makepyfile(test_planted=PLANTED)
    done = pytester.runpytest_inprocess("--doctest-modules", "-p", "tests.wasm.inside")
    done.assert_outcomes(passed=1, skipped=4, failed=2)
    assert done.ret == pytest.ExitCode.TESTS_FAILED
    done.stdout.fnmatch_lines(["*4 skipped on this platform*", "*2  emscripten does not support*"])


@pytest.mark.slow
@cached
@pytest.mark.skipif(shutil.which("node") is None, reason="no node on the path")
def test_the_exit_code_is_that_of_the_tests(tmp_path):
    prepare(tmp_path)
    assert run(tmp_path, "-q", "tests/stats/test_holm.py", "lib/stats") == 0
    assert run(tmp_path, "-q", "tests/stats/no_such_test.py") == pytest.ExitCode.USAGE_ERROR
