"""What hostile programs do, for the tables of submissions and of curators, and what came of it."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from lib import sandbox

MARK = f"hostile-of-{os.getpid()}-"  # in the command line of what these tests have left
WAYS = [
    pytest.param(
        "require",
        marks=pytest.mark.skipif(sandbox.choose() == "none", reason="no sandbox works here"),
    ),
    "off",
]
# one in a session of its own, by a second fork, that would run on for five minutes
DAEMON = f"""
import os, subprocess, sys
if not os.fork():
    os.setsid()
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)", "{MARK}"])
    os._exit(0)
os.wait()
"""
FORKS = """
import os, time
pids = []
try:
    for _ in range(300):
        if not (pid := os.fork()):
            time.sleep(20)
            os._exit(0)
        pids.append(pid)
finally:
    for pid in pids:
        os.kill(pid, 9)
"""


def still_here() -> list[str]:
    """Processes that :data:`DAEMON` has left."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if MARK.encode() in path.read_bytes():
                found.append(path.parent.name)
    return found


@contextmanager
def listening() -> Iterator[tuple[int, list[str]]]:
    """A port of this machine, and who has called it."""
    calls: list[str] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with suppress(OSError):
                while True:
                    caller, address = server.accept()
                    calls.append(str(address))
                    caller.close()

        threading.Thread(target=answer, daemon=True).start()
        yield server.getsockname()[1], calls
        server.shutdown(socket.SHUT_RDWR)
