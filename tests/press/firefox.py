"""Firefox as it comes, without a driver program: its own protocol (Marionette) over a socket."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")
SETTINGS = {
    "dom.max_script_run_time": 0,
    # the network is off: every request would go to a port where nobody answers
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
}


def free_port() -> int:
    """A port of this machine that nobody listens to."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Firefox:
    """A headless Firefox with a profile of its own in ``folder``."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        chosen = SETTINGS | {"marionette.port": port}
        lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in chosen.items()]
        (folder / "user.js").write_text("\n".join(lines), "utf-8")
        command = [PROGRAM, "--headless", "--marionette", "--no-remote", "--profile", str(folder)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.line = self._connect(port)
        self.number = 0
        self._read()  # its greeting
        self.ask("WebDriver:NewSession", capabilities={})
        self.ask("WebDriver:SetTimeouts", script=900_000, pageLoad=120_000)

    def _connect(self, port: int) -> socket.socket:
        for _ in range(400):
            try:
                return socket.create_connection(("127.0.0.1", port))
            except OSError:
                time.sleep(0.2)
        raise RuntimeError("Firefox does not answer")

    def _read(self) -> Any:
        head = b""
        while (letter := self.line.recv(1)) != b":":
            if not letter:
                raise RuntimeError("Firefox has ended")
            head += letter
        body = b""
        while len(body) < int(head):
            body += self.line.recv(int(head) - len(body))
        return json.loads(body)

    def ask(self, command: str, **arguments: Any) -> Any:
        """The answer to a command of WebDriver."""
        self.number += 1
        message = json.dumps([0, self.number, command, arguments])
        self.line.sendall(f"{len(message.encode())}:{message}".encode())
        _, _, error, result = self._read()
        if error:
            raise RuntimeError(str(error)[:500])
        return result

    def open(self, address: str) -> None:
        """Load a page."""
        self.ask("WebDriver:Navigate", url=address)

    def evaluate(self, script: str, *arguments: Any) -> Any:
        """What the function ``script`` returns, or the promise that it returns."""
        body = (
            "const back = arguments[arguments.length - 1], given = [...arguments].slice(0, -1);"
            f"Promise.resolve(({script})(...given)).then(value => back({{value}}), e => back({{wrong: String(e)}}));"
        )
        found = self.ask("WebDriver:ExecuteAsyncScript", script=body, args=list(arguments))["value"]
        if "wrong" in found:
            raise RuntimeError(found["wrong"])
        return found.get("value")

    def close(self) -> None:
        """End it."""
        self.line.close()
        self.process.terminate()
        self.process.wait(30)
