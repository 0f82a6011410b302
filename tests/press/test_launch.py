"""What Colab installs, once a session."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from lib.paths import ROOT
from press.pairs import COLAB
from tests.declared import CORE, extra, names, pins

ADDRESS = "https://github.com/someone/companion"


def test_on_colab_the_set_up_clones_installs_and_goes_there(monkeypatch, tmp_path):
    calls, home = [], tmp_path / "companion"
    monkeypatch.setattr("builtins.input", lambda question: f" {ADDRESS} ")

    def run(command, check):
        calls.append(command)
        home.mkdir(exist_ok=True)

    monkeypatch.setitem(sys.modules, "google.colab", SimpleNamespace())
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.chdir(tmp_path)
    source = COLAB.replace("/content/companion", str(home))
    with pytest.raises(SystemExit, match="Restart the session"):
        exec(source, {})
    exec(source, {})  # the second time nothing is fetched
    assert [c[0] for c in calls] == ["git", sys.executable]
    assert calls[0][-2:] == [ADDRESS, str(home)]
    assert (ROOT / calls[1][-1].removeprefix(f"{home}/")).is_file()
    assert Path.cwd() == home


def test_colab_gets_what_the_package_needs_at_the_books_pins(monkeypatch):
    """But for what its own kernel and notebook server need, which stay as they are."""
    calls = []
    monkeypatch.setattr(subprocess, "run", lambda command, check: calls.append(command))
    runpy.run_path(str(ROOT / ".binder" / "colab.py"), run_name="__main__")
    pip = [sys.executable, "-m", "pip", "install", "-q"]
    assert [call[:5] for call in calls] == [pip, pip]
    assert set(calls[0][5:]) <= set(pins("dev"))
    needed = CORE | extra("synth") | extra("run") | {"myst-nb"}
    assert names(calls[0][5:]) == needed - {"ipython", "requests"}
    # so any folder finds the package, after a restart
    assert calls[1][5:] == ["--no-deps", "-e", str(ROOT)]
