"""Ten hostile curators: what each sees and leaves, with a sandbox and without."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from lib import sandbox
from lib.audit.release import Curator
from lib.audit.request import Request
from lib.audit.table import read_table
from tests.hostile import DAEMON, FORKS, WAYS, listening, still_here


class Row(NamedTuple):
    """An attempt, and what it raises with a sandbox and without; nothing if a release is made."""

    code: str
    inside: str = ""
    outside: str = ""


# {file}: the audited one; {releases}: of other halves; {outside}, {home}: folders; {port}
HOSTILE = {
    "reads the whole file": Row('open("{file}").read()', "FileNotFoundError"),
    "reads releases of other halves": Row('open("{releases}/other.pickle")', "FileNotFoundError"),
    "reads the home of its user": Row('open("{home}/letter").read()', "FileNotFoundError"),
    "reads variables": Row('os.environ["PASSWORD"]', "KeyError", "KeyError"),
    "writes elsewhere": Row('open("{outside}/copy.csv", "w").write(half)', "FileNotFoundError"),
    "changes itself": Row(
        'open(sys.argv[0], "a").write("#")', "Read-only file system|Permission denied"
    ),
    "sends the half away": Row(
        'socket.create_connection(("127.0.0.1", {port}), 5).sendall(half.encode())',
        "ConnectionRefusedError",
    ),
    "forks three hundred times": Row(FORKS, "BlockingIOError"),
    "leaves a daemon": Row(DAEMON),
    "fills disk and memory": Row(
        'open("big", "wb").truncate(2**33)\nbytearray(2**35)', "OSError", "OSError"
    ),
    "releases a link to the file": Row(
        'os.symlink("{file}", sys.argv[2])\nsys.exit(0)', "exit status 0 and none"
    ),
}


@pytest.fixture
def release(request, tmp_path, monkeypatch):
    """Calls a curator with an attempt; the places that an attempt may name."""
    for name in ("home", "outside", "temporary", "data"):
        (tmp_path / name).mkdir()
    (tmp_path / "home" / "letter").write_text("private", encoding="utf-8")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PASSWORD", "secret")
    people, script = tmp_path / "data" / "people.csv", tmp_path / "curator.py"
    frame = pd.DataFrame({"age": np.arange(40) % 20, "ill": ["no", "yes"] * 20})
    frame.to_csv(people, index=False)
    folder = tmp_path / "temporary"
    folder.chmod(0o700)
    (folder / "other.pickle").write_bytes(b"another half's")

    def call(code: str, wish: str, port: int = 0, *reads: Path) -> pd.DataFrame:
        places = {"file": people, "releases": folder, "home": tmp_path / "home"}
        code = code.format(**places, outside=tmp_path / "outside", port=port)
        start = "import os, socket, sys\nhalf = open(sys.argv[1]).read()\n"
        script.write_text(f"{start}{code}\nopen(sys.argv[2], 'w').write(half)\n", "utf-8")
        command = f"{sys.executable} {script} {{half}} {{release}}"
        ask = {"file": people, "sensitive": "ill", "gamma": 10}
        asked = Request(**ask, curator=command, sandbox=wish, reads=reads)
        table = read_table(asked)
        curator = Curator(asked, table.raw, table.schema, folder, sandbox.choose(wish))
        return curator(table.frame.iloc[:20], np.random.default_rng(1))

    call.outside, call.script = tmp_path / "outside", script
    return call


@pytest.mark.parametrize("wish", WAYS)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_curator_sees_its_half_alone(name, wish, release):
    row, inside = HOSTILE[name], wish == "require"
    with listening() as (port, calls):
        if refused := row.inside if inside else row.outside:
            with pytest.raises(ValueError, match=refused):
                release(row.code, wish, port)
        else:
            assert len(release(row.code, wish, port)) >= 20
    assert still_here() == []
    if inside:
        assert calls == list(release.outside.iterdir()) == []
        assert not release.script.read_text("utf-8").endswith("#")


@pytest.mark.parametrize("wish", WAYS)
def test_a_curator_reads_what_it_is_given(wish, release, tmp_path):
    """Its script, and a file that its command names; a folder beside them by ``reads``."""
    words = tmp_path / "words"
    words.mkdir()
    (words / "own.py").write_text("factor = 1", encoding="utf-8")
    code = f'sys.path.insert(0, "{words}")\nimport own'
    if wish == "require":
        with pytest.raises(ValueError, match="No module named 'own'"):
            release(code, wish)
    release(code, wish, 0, words)


def test_a_sandbox_that_is_required_and_not_there_is_told(monkeypatch):
    monkeypatch.setattr(sandbox, "_fault", lambda way: f"{way} is not installed")
    with pytest.raises(RuntimeError, match="got none: bubblewrap is not installed, unshare is"):
        sandbox.choose("require")
    assert sandbox.choose("auto") == "none"
    words = sandbox.not_contained("none")
    assert "unshare is not installed" in words
    assert "use the network" in words
    assert "--sandbox=off" in sandbox.not_contained("none", "off")


@pytest.mark.skipif(sandbox.choose() == "none", reason="no sandbox works here")
def test_a_start_costs_little(tmp_path):
    """At most half a second on an idle machine: here twice as much, for one that is not."""
    import resource

    run = [sys.executable, "-I", "-S", "-c", ""]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(5):
        sandbox.run(run, tmp_path, sandbox.choose(), sandbox.Limits())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert used / 5 < 0.5
    assert list(Path(tmp_path).iterdir()) == []
