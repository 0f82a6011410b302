"""One chapter again with other parameters: what is asked is checked first, then executed, rendered
and set in one table.
"""

from __future__ import annotations

import re
import zlib
from pathlib import Path
from urllib.parse import unquote

import papermill
import pytest

from lib.cli import main
from press.execute import run_notebook
from press.rerun import chapter, estimate, folder_name, requested, rerun, several
from press.toc import Page
from tests.press.conftest import each_chapter, words, write_book, write_notebook

PARAMETERS = (
    'dataset: str = "lsac"  # data\nepsilon: float = 1.0  # budget\nruns: int = 3  # splits\n'
    "real: bool = True  # rows"
)
CHECK = """from lib.pages import about, check_parameters
check_parameters(runs=runs, epsilon=epsilon)
about("one", "generated")"""
CELLS = """print('epsilon is', epsilon)
assert epsilon < 9, 'too noisy <for> words'
import pandas as pd
from lib.pages import headline
runs = pd.DataFrame({"DI": [epsilon, epsilon + .01, epsilon - .01], "SPD": [.2, .3, .1]})
headline(runs, pd.DataFrame({"DI": [.4, .5], "SPD": [.2, .3], "other": [1., 2.]}))"""

INVENTORY = b"""# Sphinx inventory version 2
# Project: book
# Version: 1
# The remainder of this file is compressed using zlib.
"""
NAMES = b"""chapters/there std:doc -1 chapters/there.html There
ex-far std:label -1 chapters/there.html#ex-far An exercise
"""


@pytest.fixture
def small(tmp_path) -> Page:
    """A book of one chapter with what every page links to."""
    see = "See {doc}`two <none>`, {doc}`built <there>`, {ref}`an exercise <ex-far>` and {term}`budget`."
    back = words("(here)=\n## Result\n\nBack to {ref}`here`.")
    page = Page("chapters/one", tmp_path)
    options = {"parameters": PARAMETERS, "title": f"# One\n\n{see}"}
    write_notebook(page.notebook, back, CHECK, CELLS, **options)
    write_book(tmp_path, page.doc)
    front = tmp_path / "chapters" / "front"
    front.mkdir()
    glossary = "# Glossary\n\n```{glossary}\nbudget\n  A number.\n```\n"
    (front / "glossary.md").write_text(glossary, "utf-8")
    (front / "references.md").write_text("# References\n", "utf-8")
    return page


def test_values_have_the_types_of_the_page_and_commas_make_versions(small):
    assert requested(small, ["epsilon=0.5,2", "runs=2", "real=False"]) == [
        {"epsilon": 0.5, "runs": 2, "real": False},
        {"epsilon": 2.0, "runs": 2, "real": False},
    ]
    assert requested(small, []) == [{}]


def test_a_page_that_checks_nothing_takes_any_value_of_the_type(small):
    write_notebook(small.notebook, "print(runs)", parameters=PARAMETERS)
    assert requested(small, ["runs=0"]) == [{"runs": 0}]


def test_a_choice_with_a_comma_in_it_is_one(small):
    """`setting="scaled, all strata"` was refused as `scaled`."""
    asked = requested(small, ["dataset=scaled, all strata,all strata"])
    assert asked == [{"dataset": "scaled, all strata"}, {"dataset": "all strata"}]


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["epsilon=1", "epsilon=2"], "epsilon must be given once, .* got 'epsilon=2'"),
        (["runs=2", "epsilon=1,2", "runs=2"], "runs must be given once, .* got 'runs=2'"),
        (["runs=0"], "runs must be an integer >= 1 and <= 10000, got 0"),
        (["epsilon=1,600.1"], "epsilon must be a number >= 1e-09 and <= 600, got 600.1"),
    ],
)
def test_what_is_given_twice_or_out_of_range_is_refused_before_a_kernel_starts(
    small, asked, words, monkeypatch, capsys
):
    """The last was taken in silence, and a value that a page refuses cost a kernel's start."""
    monkeypatch.setattr("press.rerun.run_notebook", lambda *_, **__: pytest.fail("it ran"))
    monkeypatch.setattr("press.commands.rerun.chapter", lambda name: small)
    assert main(["rerun", "one", *asked]) == 2
    assert re.fullmatch(f"error: {words}\n", capsys.readouterr().err)


def test_a_value_given_twice_among_several_is_run_once(small):
    assert requested(small, ["epsilon=1,2,1.0"]) == [{"epsilon": 1.0}, {"epsilon": 2.0}]


@pytest.mark.thorough("loads what each page loads, for each value")
@each_chapter
def test_every_value_that_a_page_documents_is_one_that_it_takes(page):
    """The ends of each range, alone, and each name in quotation marks: n = 10000000 was beyond what
    n times runs may be.
    """
    for name, known in papermill.inspect_notebook(page.notebook).items():
        ends = re.findall(r"(-?\d[\d.e+-]*) to (-?\d[\d.e+-]*\b)", known["help"])[:1]
        named = known["inferred_type_name"] == "str" and name != "source"
        quoted = re.findall('"([^"]+)"', known["help"]) if named else []
        for value in [*quoted, *(end for pair in ends for end in pair)]:
            requested(page, [f"{name}={value}"])


AT_THE_ENDS = {
    "means/coinpress": ["rho=100", "n=10", "mu=-1000"],
    "means/theory": ["n=200"],
    "means/census": ["crossing=DIS", "variable=PINCP"],
    "ldp/protocols": ["dataset=lsac"],
    "synth/groups": ["dataset=newyork2018"],
}


@pytest.mark.thorough("a kernel for each")
@pytest.mark.parametrize("name", AT_THE_ENDS)
def test_a_page_holds_where_it_broke(name, tmp_path):
    page = chapter(name)
    for version in [requested(page, [asked])[0] for asked in AT_THE_ENDS[name]]:
        run_notebook(page.notebook, tmp_path / "out.ipynb", version, page.root, progress_bar=False)


def test_an_unknown_chapter_is_answered_with_the_list(capsys, monkeypatch):
    """After the notebooks are written: else the page that you edited would run as it was."""
    asked = []
    monkeypatch.setattr("press.rerun.write_pairs", asked.append)
    assert main(["rerun", "ldp/fairnes"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: chapter must be one of")
    assert "'ldp/fairness'" in said
    assert asked
    assert chapter("chapters/ldp/fairness.md").doc == "chapters/ldp/fairness"


def test_the_estimate_grows_with_what_is_counted(small):
    assert estimate(small, {"runs": 30}) == pytest.approx(10 * estimate(small, {}))


@pytest.mark.thorough("reruns a page three times")
def test_versions_are_executed_rendered_and_set_in_a_table(small):
    html = small.root / "_build" / "html"
    html.mkdir(parents=True)
    (html / "objects.inv").write_bytes(INVENTORY + zlib.compress(NAMES))
    versions = requested(small, ["epsilon=0.5,9,2"])
    index, failed = rerun(small, versions, small.root / "out", progress=False)
    assert failed == ["epsilon = 9.0 failed: AssertionError: too noisy <for> words"]
    said = index.read_text("utf-8")
    assert re.search("<li>.*epsilon = 9.0 failed: .*too noisy &lt;for&gt; words", said, re.S)
    (table,) = re.findall("<table.*?</table>", index.read_text("utf-8"), re.S)
    rows = [re.sub("<[^>]*>", " ", row).split() for row in re.findall("<tr>.*?</tr>", table, re.S)]
    assert rows[0] == ["setting", "DI", "SPD"]
    assert rows[1][:6] == ["epsilon", "=", "0.5", "0.5", "[0.475,", "0.525]"]
    assert rows[2][3:8] == ["without", "privacy", "0.45", "[−0.185,", "1.09]"]
    assert len(rows) == 5
    links = re.findall(r'href="file://([^"]*/one\.html)"', index.read_text("utf-8"))
    pages = [Path(unquote(link)).read_text("utf-8") for link in links]
    assert ["epsilon is 0.5" in page for page in pages] == [True, False]
    for page in pages:
        for said in (
            f'href="{html.as_uri()}/chapters/there.html"',
            f'href="{html.as_uri()}/chapters/there.html#ex-far"',
            ">two<",
            "may not hold here",
            "front/glossary.html#term-budget",
        ):
            assert said in page


def test_a_page_without_headline_numbers_has_no_table():
    assert "states no headline numbers" in several([{}, {}], [{}, {}])


@pytest.mark.parametrize(
    ("versions", "words"),
    [([{"runs": 0}], "runs must be .*, got 0"), ([{"epsilon": 9.0}], "noisy")],
)
def test_a_version_that_fails_alone_ends_with_its_words(versions, words, small, tmp_path):
    with pytest.raises((ValueError, RuntimeError), match=words):
        rerun(small, versions, tmp_path / "out", progress=False)


def test_other_parameters_have_another_folder_and_any_text_a_safe_one():
    names = [folder_name([{"p": one}]) for one in ("a/b", "a-b", "../..", "x" * 300, "x" * 301)]
    assert len({*names}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9._-]{1,70}", name) for name in names)
