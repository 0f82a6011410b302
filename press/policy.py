"""What a page may load and run: files beside it, and the inline scripts that it was built with."""

from __future__ import annotations

import base64
import hashlib
import re

META = '<meta http-equiv="Content-Security-Policy" content="'
# a page that is opened from a file has no origin of its own in every browser: `file:` stands for it
_POLICY = (
    "default-src 'none'; style-src 'self' file: 'unsafe-inline'; img-src 'self' file: data:; "
    "font-src 'self' file:; form-action 'self' file:; base-uri 'none'; script-src 'self' file:"
)
PYTHON = " blob: 'wasm-unsafe-eval'; worker-src blob:"  # Pyodide, in a worker made of a blob
FRAMES = "; frame-src 'self' file:"
_INLINE = re.compile(r"<script\b(?![^>]*\ssrc=)[^>]*>(.+?)</script>", re.S)
# the charset must stay in front; a page that only leads to another has no head
_HEAD = re.compile(r"\A(?=<meta)|<head\b[^>]*>(\s*<meta charset=[^>]*>)?")


def with_policy(page: str, *inner: str, more: str = "") -> str:
    """``page`` with a content security policy that lets nothing in from elsewhere, and nothing out.

    Parameters
    ----------
    inner : str
        Pages that a script of ``page`` writes into a window: their inline scripts may run, too.
    more : str
        What else it may do: :data:`PYTHON` or :data:`FRAMES`.

    Examples
    --------
    >>> print(with_policy("<head></head>").partition(";")[0])
    <head><meta http-equiv="Content-Security-Policy" content="default-src 'none'
    """
    if META in page:
        return page
    texts = {text for html in (page, *inner) for text in _INLINE.findall(html)}
    sums = (hashlib.sha256(text.encode()).digest() for text in sorted(texts))
    scripts = "".join(f" 'sha256-{base64.b64encode(made).decode()}'" for made in sums)
    return _HEAD.sub(lambda found: f'{found[0]}{META}{_POLICY}{scripts}{more}">', page, count=1)
