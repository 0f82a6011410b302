"""What a curator, which may be somebody else's program, sees of the machine in a sandbox."""

from __future__ import annotations

import socket
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lib import sandbox
from lib.audit.release import Curator
from lib.audit.request import Request
from lib.audit.table import read_table
from tests.audit.asking import curator_of

sandboxed = pytest.mark.skipif(sandbox.choose() == "none", reason="no sandbox works here")


# an attempt, and what is raised; {file}: the audited one; {outside}, {home}: folders; {port}
ATTEMPTS = {
    "reads the whole file": ('open("{file}").read()', "FileNotFoundError"),
    "reads releases of other halves": ('open("{releases}/other.pickle")', "FileNotFoundError"),
    "reads the home of its user": ('open("{home}/letter").read()', "FileNotFoundError"),
    "reads variables": ('os.environ["PASSWORD"]', "KeyError"),
    "writes elsewhere": ('open("{outside}/copy.csv", "w").write(half)', "FileNotFoundError"),
    "sends the half away": (
        'socket.create_connection(("127.0.0.1", {port}), 5).sendall(half.encode())',
        "ConnectionRefusedError",
    ),
    "fills the memory": ("bytearray(2**35)", "MemoryError"),
    "fills the disk": ('open("big", "wb").truncate(2**33)', "OSError"),
    "changes itself": ('open(sys.argv[0], "a")', "Read-only file system|Permission denied"),
    "releases a link to the file": (
        'os.symlink("{file}", sys.argv[2])\nsys.exit(0)',
        "exit status 0 and none",
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
        command = curator_of(script)
        ask = {"file": people, "sensitive": "ill", "gamma": 10}
        asked = Request(**ask, curator=command, sandbox=wish, reads=reads)
        table = read_table(asked)
        curator = Curator(asked, table.raw, table.schema, folder, sandbox.choose(wish))
        return curator(table.frame.iloc[:20], np.random.default_rng(1))

    call.outside = tmp_path / "outside"
    return call


@sandboxed
@pytest.mark.parametrize("name", ATTEMPTS)
def test_a_curator_sees_its_half_alone(name, release):
    code, refused = ATTEMPTS[name]
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(ValueError, match=refused),
    ):
        release(code, "require", server.getsockname()[1])
    assert not list(release.outside.iterdir())


@pytest.mark.parametrize("wish", [pytest.param("require", marks=sandboxed), "off"])
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
