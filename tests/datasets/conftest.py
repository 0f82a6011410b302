"""A small HTTP server that misbehaves on request."""

from __future__ import annotations

import threading
from collections import Counter
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from lib.datasets import download

# of a task of one's own
FACTS = {"target": "t", "protected": "p", "sensitive": ("p", "a"), "pool": ("a",)}


class Site:
    """Paths to ``(status, headers, body)``, or to a function of the GET's number (from 1) and
    the method that gives that; a body may be a function that writes to a file.
    """

    def __init__(self) -> None:
        self.pages: dict = {}
        self.hits: Counter = Counter()
        self.head_status = 200  # of HEAD, whatever GET answers
        site = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self, body: bool) -> None:
                page = site.pages.get(
                    self.path, (404, {"Content-Type": "text/html"}, b"<html>gone</html>")
                )
                if body:
                    site.hits[self.path] += 1
                if callable(page):
                    page = page(site.hits[self.path] + (not body), self.command)
                status, headers, content = page
                self.send_response(status)
                known = {} if callable(content) else {"Content-Length": str(len(content))}
                for name, value in (known | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                if body:
                    with suppress(OSError):  # the reader may have had enough
                        content(self.wfile) if callable(content) else self.wfile.write(content)
                    self.close_connection = True

            def do_GET(self) -> None:
                self._answer(body=True)

            def do_HEAD(self) -> None:
                if site.head_status == 200:
                    return self._answer(body=False)
                self.send_error(site.head_status)

            def log_message(self, *args) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        # it looks every half second whether it shall end, unless told otherwise
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def url(self, path: str) -> str:
        return self.origin + path


@pytest.fixture
def site():
    made = Site()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    """An empty cache, no local folder, the network thought to be up."""
    monkeypatch.setenv("COMPANION_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("COMPANION_DATA", raising=False)
    monkeypatch.delenv("COMPANION_OFFLINE", raising=False)
    monkeypatch.setattr(download, "_unreachable", set())
    monkeypatch.setattr(download, "_PAUSE_S", 0.01)
    return tmp_path / "cache"
