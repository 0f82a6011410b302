"""One chapter again with other parameters: what is asked is checked first, then executed, rendered
and set side by side.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from lib.cli import main
from lib.pages.headline import KIND
from lib.paths import ROOT
from press.rerun import chapter, estimate, folder_name, requested, rerun
from press.side_by_side import label, sentence, side_by_side
from press.toc import Page, read_notebook
from tests.press.conftest import code, words, write_book, write_notebook

PARAMETERS = (
    'dataset: str = "lsac"  # data\nepsilon: float = 1.0  # budget\nruns: int = 3  # splits\n'
    "real: bool = True  # rows"
)


STATE = """import pandas as pd
from lib.pages import headline
runs = pd.DataFrame({"DI": [epsilon, epsilon + .01, epsilon - .01], "SPD": [.2, .3, .1]})
headline(runs, pd.DataFrame({"DI": [.4, .5], "SPD": [.2, .3], "other": [1., 2.]}))"""


def _book(folder: Path, *cells: str) -> Page:
    """A book of one chapter with what every page links to; ``cells`` are its last."""
    text = "print('epsilon is', epsilon)"
    check = "if runs < 1:\n    raise ValueError(f'runs must be an integer >= 1, got {runs}')"
    see = "See {doc}`two`, {doc}`there <two>`, {ref}`an exercise <ex-far>` and {term}`budget`."
    back = words("(here)=\n## Result\n\nBack to {ref}`here`.")
    page = Page("chapters/one", folder)
    options = {"parameters": PARAMETERS, "title": f"# One\n\n{see}"}
    write_notebook(page.notebook, check, back, text, *cells, **options)
    write_book(folder, page.doc)
    front = folder / "chapters" / "front"
    front.mkdir()
    glossary = "# Glossary\n\n```{glossary}\nbudget\n  A number.\n```\n"
    (front / "glossary.md").write_text(glossary, "utf-8")
    (front / "references.md").write_text("# References\n", "utf-8")
    return page


@pytest.fixture
def small(tmp_path) -> Page:
    return _book(tmp_path)


@pytest.fixture(scope="module")
def compared(tmp_path_factory) -> Path:
    """The page of three versions side by side."""
    page = _book(tmp_path_factory.mktemp("compared"), STATE)
    versions = requested(page, ["epsilon=0.5,1,2"])
    return rerun(page, versions, page.root / "out", progress=False)


def test_values_have_the_types_of_the_page_and_commas_make_versions(small):
    assert requested(small, ["epsilon=0.5,2", "runs=2", "real=False"]) == [
        {"epsilon": 0.5, "runs": 2, "real": False},
        {"epsilon": 2.0, "runs": 2, "real": False},
    ]
    assert requested(small, []) == [{}]


def test_an_unknown_chapter_is_answered_with_the_list(capsys, monkeypatch):
    monkeypatch.setattr("press.rerun.pair_up", lambda *_: None)  # asked for in test_pairs
    assert main(["rerun", "ldp/fairnes"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("error: chapter must be one of")
    assert "'ldp/fairness'" in said
    assert chapter("chapters/ldp/fairness.md").doc == "chapters/ldp/fairness"


def test_the_estimate_grows_with_what_is_counted(small):
    assert estimate(small, {"runs": 30}) == pytest.approx(10 * estimate(small, {}))


def test_versions_are_executed_rendered_and_compared(compared):
    assert compared.name == "side_by_side.html"
    text = compared.read_text("utf-8")
    for said in ("One: 3 versions side by side", "epsilon is 0.5", "epsilon is 2.0"):
        assert said in text
    pages = [(compared.parent / f"one--{n}.html").read_text("utf-8") for n in (1, 2, 3)]
    assert "epsilon is 0.5" in pages[0]
    assert "epsilon is 2.0" not in pages[0]
    for page in pages:
        for said in ("<em>there</em>", "<em>an exercise</em>", "front/glossary.html#term-budget"):
            assert said in page


def test_a_value_that_the_page_refuses_ends_with_its_words(small, tmp_path):
    with pytest.raises(ValueError, match="runs must be an integer >= 1, got 0"):
        rerun(small, [{"runs": 0}], tmp_path / "out", progress=False)


def test_only_what_differs_is_set_side_by_side():
    def version(epsilon: int) -> tuple:
        cells = [words("# Title")]
        for number, text in enumerate(("same", f"<{epsilon}>")):
            out = nbformat.v4.new_output("stream", name="stdout", text=text)
            cells += [words(f"## Part {number}"), code("print()", outputs=[out])]
        return f"page-{epsilon}", {"epsilon": epsilon}, nbformat.v4.new_notebook(cells=cells)

    text = side_by_side([version(1), version(2)])
    assert "Part 0" not in text
    assert text.index("## Part 1") < text.index("&lt;1&gt;") < text.index("&lt;2&gt;")
    assert label({"epsilon": 1.0, "runs": 2}) == "epsilon = 1.0, runs = 2"


# --- the headline


def test_settings_that_differ_in_more_are_told_apart_by_all_of_it():
    def version(epsilon: float, runs: int) -> tuple:
        body = {"DI": [[epsilon, None, None], [runs, None, None]]}
        cell = code("headline()", outputs=[nbformat.v4.new_output("display_data", {KIND: body})])
        return "page", {"epsilon": epsilon, "runs": runs}, nbformat.v4.new_notebook(cells=[cell])

    text = side_by_side([version(0.5, 1), version(2.0, 2)])
    for said in ("epsilon = 0.5, runs = 1", "without privacy, as for epsilon = 2.0, runs = 2"):
        assert f">{said}<" in text
    assert "One run of a setting has no interval" in text


def test_several_values_end_on_one_table_one_figure_and_a_sentence(compared):
    """They ended on a printed block for each value."""
    page = compared.read_text("utf-8")
    start, table, rest = re.split("(<table.*?</table>)", page, maxsplit=1, flags=re.S)
    moves = "DI moves by more than its intervals: from 0.5 to 2. SPD does not."
    assert f"From epsilon = 0.5 to epsilon = 2.0, {moves}" in start
    assert start.count('id="fig-side-by-side"') == 1
    rows = [re.sub("<[^>]*>", " ", row).split() for row in re.findall("<tr>.*?</tr>", table, re.S)]
    assert [row[0] for row in rows] == ["setting", "epsilon", "epsilon", "epsilon", "without"]
    assert rows[1][3:6] == ["0.5", "[0.475,", "0.525]"]
    assert rows[4][2:5] == ["0.45", "[−0.185,", "1.09]"]
    below = rest.index("All outputs that differ")
    assert "<pre>" not in rest[:below]
    assert "<details" in rest[:below]


def test_the_sentence_says_when_nothing_moves_and_when_there_is_no_interval():
    one, nan = (0.5, 0.4, 0.6), float("nan")
    assert "none of DI moves" in sentence(["a", "b"], [{"DI": (one, one)}] * 2)
    assert "no interval" in sentence(["a", "b"], [{"DI": ((0.5, nan, nan), one)}] * 2)


# --- folders


@pytest.mark.parametrize(
    ("versions", "name"),
    [
        ([{}], "as-in-the-book"),
        ([{"runs": 2, "epsilon": 0.5}], "epsilon-0.5_runs-2"),
        ([{"epsilon": 0.5}, {"epsilon": 2.0}], "epsilon-0.5-2.0"),
        ([{"split": "k-based"}], "split-k-based-9db04f77"),
    ],
)
def test_a_folder_is_named_by_its_parameters(versions, name):
    assert folder_name(versions) == name


def test_other_parameters_have_another_folder_and_any_text_a_safe_one():
    given = ["a/b", "a-b", "a b", "../..", "x" * 300, "x" * 301, "ε", "CON:", "0.5-1", "a", "b"]
    names = [folder_name([{"p": one}]) for one in given]
    names += [folder_name([{"p": "0.5"}, {"p": "1"}]), folder_name([{"p": "a"}, {"p": "b"}])]
    assert len({*names}) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9._-]{1,70}", name) for name in names)
    assert folder_name([{"a": 1, "b": 2}]) == folder_name([{"b": 2, "a": 1}])


RERUN = """
import sys
from pathlib import Path
import nbformat
from press import rerun
from press.toc import Page

def render(book, folder, strict):
    pages = sorted(book.rglob("one*.ipynb"))
    assert [p.name for p in pages] == ["one.ipynb"], pages
    (folder / "html").mkdir()
    return folder / "html", []

rerun.jupyter_book = render
root, folder, epsilon = sys.argv[1:]
rerun.rerun(Page("chapters/one", Path(root)), [{"epsilon": float(epsilon)}], Path(folder), progress=False)
"""


@pytest.mark.thorough("reruns side by side")
def test_two_reruns_into_one_folder_wait_for_each_other(small, tmp_path):
    """The second removed what the first was writing."""
    slow = "import time\ntime.sleep(2)"
    write_notebook(small.notebook, slow, "print('epsilon is', epsilon)", parameters=PARAMETERS)
    folder = tmp_path / "out" / "epsilon-2.0"
    command = [sys.executable, "-c", RERUN, str(tmp_path), str(folder), "2"]
    options = {"stderr": subprocess.PIPE, "text": True, "cwd": ROOT}
    both = [subprocess.Popen(command, **options) for _ in range(2)]
    said = [process.communicate(timeout=300)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sum("the same rerun is at work" in text for text in said) == 1, said
    assert "epsilon is 2.0" in (folder / "1.ipynb").read_text("utf-8")


def test_a_later_rerun_leaves_an_earlier_page(small, tmp_path, monkeypatch, capsys):
    def render(book, folder, strict):
        (folder / "html" / "chapters").mkdir(parents=True)
        (folder / "html" / "chapters" / "one.html").write_text("page", "utf-8")
        return folder / "html", []

    monkeypatch.setattr("press.rerun.jupyter_book", render)
    monkeypatch.setattr("press.rerun._execute", lambda page, *_: read_notebook(page.notebook))
    monkeypatch.setattr("press.commands.rerun.chapter", lambda name: small)
    monkeypatch.setattr("press.commands.rerun.BUILD", tmp_path / "_build")
    for epsilon in ("0.5", "2"):
        assert main(["rerun", "one", f"epsilon={epsilon}"]) == 0
    pages = re.findall(r"^  file://(\S+)$", capsys.readouterr().out, re.M)
    assert len({*pages}) == 2
    assert all(Path(page).read_text("utf-8") == "page" for page in pages)
