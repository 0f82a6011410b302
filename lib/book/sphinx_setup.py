"""Settings of Sphinx that a configuration file cannot hold."""

from __future__ import annotations

from typing import Any

from jinja2.sandbox import SandboxedEnvironment


def setup(app: Any) -> dict[str, bool]:
    """Let numpydoc read its template once: it would read it for each docstring."""
    from numpydoc import docscrape_sphinx

    first: list[SandboxedEnvironment] = []

    def environment(loader: Any) -> SandboxedEnvironment:
        if not first:
            first.append(SandboxedEnvironment(loader=loader))
        return first[0]

    docscrape_sphinx.SandboxedEnvironment = environment
    return {"parallel_read_safe": True}
