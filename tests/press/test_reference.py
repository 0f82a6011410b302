"""The reference lists every public name; each figure and table links to the function behind it."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from types import SimpleNamespace

import nbformat
import pytest

from lib.ledger.claim import COMPANION, PAPERS, papers
from lib.paths import ROOT
from lib.runner.registry import studies
from press.makers import PageCode, add_links, kind_of
from press.reference import (
    FOLDER,
    PACKAGES,
    defined_in,
    modules_of,
    names_of,
    reference_page,
    reference_pages,
    source_page,
    stated,
    target,
)
from press.toc import pages, read_notebook
from studies import STUDIES
from tests.press.conftest import CHAPTERS
from tests.press.pages import parse
from tests.press.pages import target as place

LISTED = [page.doc for page in pages(ROOT)]
PUBLIC = ("ldp", "dp", "synth", "means", "coherence", "fairness", "audit", "stats", "datasets")
MADE = """
from lib.pages.chapter import figure, table
from lib.ldp import make
from lib.runner import results
from lib.stats import summary
from studies.ldp_fairness.figures.metrics import metric_curves
"""


def test_each_public_package_has_a_page_and_each_page_is_listed():
    assert {*PUBLIC, "runner", "ledger"} <= set(PACKAGES)
    assert [d for d in LISTED if d.startswith(FOLDER)] == [
        f"{FOLDER}/overview",
        *(f"{FOLDER}/{page}" for page in reference_pages()),
    ]


@pytest.mark.parametrize("page", reference_pages())
def test_a_page_has_every_public_name_of_its_modules(page):
    """Read off the code, they are what an import gives."""
    source = reference_page(page)
    for part in reference_pages()[page][1]:
        for name in modules_of(part):
            module = importlib.import_module(name)
            own = {
                public
                for public, value in vars(module).items()
                if getattr(value, "__module__", None) == name and not public.startswith("_")
            }
            found = {public.name: public for public in names_of(name)}
            assert own <= set(found), name
            for public, entry in found.items():
                origin = importlib.import_module(entry.module)
                assert getattr(origin, public) is getattr(module, public)
                if entry.module == name:
                    assert entry.full in source or f"data:: {public}\n" in source


@pytest.mark.parametrize("page", ["overview", *reference_pages()])
def test_a_built_page_has_a_place_and_a_source_for_every_name(html, page):
    built = html / f"{FOLDER}/{page}.html"
    parsed = parse(built)
    for part in reference_pages().get(page, ("", ()))[1]:
        for module in modules_of(part):
            own = [name for name in names_of(module) if name.module == module]
            assert {name.full for name in own} <= parsed.ids
            sources = [a["href"] for a in parsed.of("a") if f"/{module}.html#L-" in a["href"]]
            assert len(sources) == len(own)
            for address in sources:
                file, anchor = place(built, address)
                assert anchor in parse(file).ids


def test_a_source_link_leads_to_the_line_that_defines_the_name():
    for name in names_of("lib.ldp"):
        if name.kind == "function":
            function = getattr(importlib.import_module(name.module), name.name)
            assert name.line in (line := inspect.getsourcelines(function)[1], line + 1)
    assert 'id="L-1"' in source_page("lib.ldp.grr")


# --- from a figure or table to its function
# -----------------------------------------------------------------------------------


def _makers(code: str, kind: str, count: int = 1) -> list[list[str]]:
    found = PageCode([MADE, code]).makers(1, kind, count)
    return [[name.name for name in names] for names in found]


@pytest.mark.parametrize(
    ("code", "kind", "expected"),
    [
        (
            "fig, alt = metric_curves(results('a'), 'x', [])\nfigure(fig, 'c', alt)",
            "figure",
            "metric_curves",
        ),
        (
            "t = summary.summarise(results('a'), 'DI', [])\nu = t.head(3)\ntable(u)",
            "table",
            "summarise",
        ),
        (
            "rows = []\nfor e in (1, 2):\n    rows.append(make('GRR', k=2, epsilon=e).variance(9))\ntable(rows)",
            "table",
            "make",
        ),
        ("def one(e):\n    return make('GRR', k=2, epsilon=e)\ntable([one(1)])", "table", "make"),
        (
            "r = results('a')\nr = r.assign(x=[summary.interval_words(v) for v in r])\ntable(r)",
            "table",
            "results",
        ),
    ],
)
def test_the_function_behind_a_value_is_found(code, kind, expected):
    assert _makers(code, kind) == [[expected]]


def test_two_figures_of_a_cell_have_each_its_own_and_a_loop_has_all():
    two = "a, _ = metric_curves(1, 2, 3)\nfigure(a)\nfigure(make('GRR'))"
    assert _makers(two, "figure", 2) == [["metric_curves"], ["make"]]
    loop = "for n in 'ab':\n    fig, alt = metric_curves(n, n, [])\n    figure(fig, n, alt)"
    assert _makers(loop, "figure", 3) == [["metric_curves"]] * 3


def test_what_the_page_itself_makes_links_to_its_notebook():
    cell = nbformat.v4.new_code_cell("from lib.pages.chapter import table\ntable([1])")
    html = '<div class="table-scroll"><table><caption>C</caption></table></div>'
    cell.outputs = [nbformat.v4.new_output("display_data", {"text/html": html})]
    notebook = SimpleNamespace(cells=[cell])
    add_links(notebook, "chapters/ldp/budget")
    assert 'href="../../_sources/chapters/ldp/budget.ipynb"' in cell.outputs[0].data["text/html"]


def test_a_private_name_has_no_place():
    name = defined_in("lib.ldp.registry", "_PAPER")
    assert name is not None
    assert target(name) is None
    assert target(defined_in("lib.ldp", "make")) == f"{FOLDER}/ldp.html#lib.ldp.registry.make"


@pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.doc)
def test_every_figure_and_table_links_to_its_code_and_the_place_is_there(html, page):
    shown = [
        kind
        for cell in read_notebook(
            ROOT / "_build" / "executed" / "quick" / f"{page.doc}.ipynb"
        ).cells
        for out in cell.get("outputs", [])
        if (kind := kind_of(out))
    ]
    built = html / f"{page.doc}.html"
    text = built.read_text(encoding="utf-8")
    spans = [part.partition("</span>")[0] for part in text.split('<span class="made-by">')[1:]]
    assert len(spans) == len(shown)
    addresses = [s.partition('"')[0] for span in spans for s in span.split('href="')[1:]]
    assert len(addresses) >= len(spans)
    for address in addresses:
        file, anchor = place(built, address)
        assert file.exists()
        assert not anchor or anchor in parse(file).ids


# --- what a study states
# -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_states_a_title_and_chapters_that_the_book_lists(name):
    study = importlib.import_module(f"studies.{name}.study").STUDY
    assert study.title
    assert study.chapters
    assert [doc for doc in study.chapters if doc not in LISTED] == []
    read = stated(name)
    assert {field: getattr(study, field) for field in read} == read
    overview = reference_page("overview")
    assert study.title in overview
    assert all(f":doc:`/{doc}`" in overview for doc in study.chapters)


def test_each_paper_of_a_study_has_a_heading_in_the_ledger():
    assert [*papers()][: len(PAPERS)] == list(PAPERS)  # further ones come after them
    assert {study.paper for study in studies()} == {*papers(), COMPANION}


@pytest.mark.parametrize("page", reference_pages())
def test_the_examples_of_a_docstring_have_a_section_of_their_own(page):
    """Below another heading numpydoc takes them for that section's entries."""
    wrong = []
    for part in reference_pages()[page][1]:
        for module in modules_of(part):
            tree = ast.parse(
                ROOT.joinpath(*module.split(".")).with_suffix(".py").read_text(encoding="utf-8")
            )
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                    said = (ast.get_docstring(node) or "").partition("\n>>> ")
                    heads = re.findall(r"^(\w[\w ]*)\n-{3,}$", said[0], re.MULTILINE)
                    if said[1] and heads and heads[-1] not in ("Examples", "Notes"):
                        wrong.append(f"{module}.{getattr(node, 'name', '')}: {heads[-1]}")
    assert wrong == []
