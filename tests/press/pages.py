"""The rendered pages as the tests read them: tags, anchors, links."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass
class Parsed(HTMLParser):
    """Tags with their attributes, ids, and the text outside scripts of one page."""

    tags: list[tuple[str, dict]] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    text: list[str] = field(default_factory=list)
    _stack: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list) -> None:
        attributes = {name: value or "" for name, value in attrs}
        self.tags.append((tag, attributes))
        self.ids |= {attributes[name] for name in ("id", "name") if name in attributes}
        if tag in ("script", "style", "pre", "code"):
            self._stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._stack and tag == self._stack[-1]:
            self._stack.pop()

    def handle_data(self, data: str) -> None:
        if not self._stack:
            self.text.append(data)

    def of(self, *names: str) -> list[dict]:
        """The attributes of every tag called one of ``names``."""
        return [attributes for tag, attributes in self.tags if tag in names]


@lru_cache(maxsize=256)
def parse(page: Path) -> Parsed:
    """Read one page of a book that is built; many links lead to the same one."""
    parsed = Parsed()
    parsed.feed(page.read_text("utf-8"))
    return parsed


def target(page: Path, address: str) -> tuple[Path, str] | None:
    """File and anchor that a link on ``page`` leads to, or None if it leaves the book."""
    parts = urlsplit(address)
    if parts.scheme or parts.netloc:
        return None
    file = page if not parts.path else (page.parent / unquote(parts.path)).resolve()
    return file, unquote(parts.fragment)
