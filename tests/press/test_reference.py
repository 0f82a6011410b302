"""The reference has an entry and a source for every public name, and each study says what it is."""

from __future__ import annotations

import ast
import importlib
import inspect
import re

import pytest

from lib.ledger.claim import COMPANION, PAPERS, papers
from lib.paths import ROOT
from lib.runner.registry import studies
from press.reference import FOLDER, PACKAGES, constants, modules_of, write_reference
from press.toc import pages
from studies import STUDIES
from tests.press.pages import parse
from tests.press.pages import target as place

LISTED = [page.doc for page in pages(ROOT)]
DOCS = [doc for doc in LISTED if doc.startswith(FOLDER)]
PAGES = [doc.removeprefix(f"{FOLDER}/") for doc in DOCS if "overview" not in doc]
PUBLIC = ("ldp", "dp", "synth", "means", "coherence", "fairness", "audit", "stats", "datasets")


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> dict[str, str]:
    """The source of each page of the reference."""
    folder = tmp_path_factory.mktemp("reference")
    write_reference(DOCS, folder)
    return {doc: (folder / f"{doc}.rst").read_text("utf-8") for doc in DOCS}


def test_each_public_package_has_a_page():
    assert {*PUBLIC, "runner", "ledger"} <= set(PACKAGES)
    assert [*PACKAGES] == PAGES


@pytest.mark.parametrize("page", PAGES)
def test_a_built_page_has_a_place_and_a_source_for_every_name(html, page):
    built = html / f"{FOLDER}/{page}.html"
    parsed = parse(built)
    listings = [a["href"] for a in parsed.of("a") if "_modules/" in a.get("href", "")]
    for module in modules_of(page):
        item = importlib.import_module(module)
        for name, thing in vars(item).items():
            public = not name.startswith("_") and hasattr(thing, "__qualname__")
            if public and thing.__module__ == module:
                place_of_code = f"{module.replace('.', '/')}.html#{name}"
                assert f"{module}.{name}" in parsed.ids
                assert any(address.endswith(place_of_code) for address in listings), name
        values = constants(inspect.getsource(item))
        assert [name for name, *_ in values if f"{module}.{name}" not in parsed.ids] == []
    for address in listings:
        file, anchor = place(built, address)
        assert anchor in parse(file).ids


def test_the_value_of_a_constant_and_its_comment_are_shown():
    source = "A = 3  # of all\nB: dict = {  # by name\n    'x': 1,\n}\n_C = 1\nD = 2\n'''Said.'''\nE = [\n    1,\n]  # last\n"
    names, values, notes = zip(*constants(source), strict=True)
    assert (names, values) == (("A", "B", "E"), ("3", "{'x': 1}", "[1]"))
    assert notes == ("of all", "by name", "last")


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_states_a_title_and_chapters_that_the_book_lists(name, written):
    study = importlib.import_module(f"studies.{name}.study").STUDY
    assert study.title
    assert study.chapters
    assert [doc for doc in study.chapters if doc not in LISTED] == []
    overview = written[f"{FOLDER}/overview"]
    assert study.title in overview
    assert all(f":doc:`/{doc}`" in overview for doc in study.chapters)


def test_each_paper_of_a_study_has_a_heading_in_the_ledger():
    assert [*papers()][: len(PAPERS)] == list(PAPERS)  # further ones come after them
    assert {study.paper for study in studies()} == {*papers(), COMPANION}


@pytest.mark.parametrize("page", PAGES)
def test_the_docstrings_of_a_page_are_there_and_their_examples_have_a_section(page):
    """Below another heading numpydoc takes them for that section's entries."""
    wrong = []
    for module, file in modules_of(page).items():
        tree = ast.parse(file.read_text("utf-8"))
        top = [n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
        public = [n for n in top if not n.name.startswith("_")]
        wrong += [f"{module}.{n.name}: no docstring" for n in public if not ast.get_docstring(n)]
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                said = (ast.get_docstring(node) or "").partition("\n>>> ")
                heads = re.findall(r"^(\w[\w ]*)\n-{3,}$", said[0], re.MULTILINE)
                if said[1] and heads and heads[-1] not in ("Examples", "Notes"):
                    wrong.append(f"{module}.{getattr(node, 'name', '')}: {heads[-1]}")
    assert wrong == []
