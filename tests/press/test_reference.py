"""The reference has an entry and a source for every public name."""

from __future__ import annotations

import importlib

import pytest

from lib.paths import ROOT
from press.reference import FOLDER, PACKAGES, modules_of
from press.toc import pages
from tests.press.pages import parse

LISTED = [page.doc for page in pages(ROOT)]
PAGES = [doc.removeprefix(f"{FOLDER}/") for doc in LISTED if doc.startswith(FOLDER)][1:]


def test_each_package_has_a_page():
    assert [*PACKAGES] == PAGES, "list the same pages in _toc.yml and in press/reference.py"


@pytest.mark.parametrize("page", PAGES)
def test_a_built_page_has_a_place_and_a_source_for_every_name(html, page):
    path = html / f"{FOLDER}/{page}.html"
    parsed = parse(path)
    assert "Path('/" not in path.read_text("utf-8"), "let no default be a place on this machine"
    listings = {a["href"] for a in parsed.of("a") if "_modules/" in a.get("href", "")}
    for module in modules_of(page):
        item = importlib.import_module(module)
        for name, thing in vars(item).items():
            public = not name.startswith("_") and hasattr(thing, "__qualname__")
            if public and thing.__module__ == module:
                assert f"{module}.{name}" in parsed.ids, f"give {module}.{name} a docstring"
                assert f"../../_modules/{module.replace('.', '/')}.html#{name}" in listings
