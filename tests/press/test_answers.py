"""Answers that a page checks: what is right, what is refused, and pages without the solutions."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import nbformat
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lib.pages.answers import answer, number_texts
from lib.paths import ROOT
from press.execute import Executed
from press.exercises import ROUNDS, answers, seal
from press.render import render
from press.stage import stage
from press.toc import Page, read_notebook
from tests.press.conftest import CHAPTERS, code, words, write_book, write_cells

numbers = st.floats(1e-9, 1e9) | st.floats(-1e9, -1e-9)


def stated(*words, **options) -> dict:
    """What ``answer`` displays."""
    shown: list[dict] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("IPython.display.display", lambda data, raw: shown.append(data))
        answer(*words, **options)
    return shown[0]


@example(999495000.0, 3)  # as 9.9950e8 it is, in three digits, 1.00e9
@given(numbers, st.integers(2, 6))
def test_a_number_is_right_as_it_is_and_as_it_is_rounded(value, digits):
    accept = number_texts(value, f".{digits - 1}e")
    for kept in (digits, digits + 1, digits + 2, 17):
        assert format(float(f"{value:.{kept}g}"), f".{digits - 1}e") in accept


SECRET = "zebras = 40 + 2  # the way there"
PAGE = """# A page

## Exercises

```{exercise} A number
:label: ex-one
(*easy*) How many?
```
```{admonition} Hint
:class: dropdown tip
Count them.
```
```{solution-start} ex-one
:class: dropdown
```
Peculiar words of a solution.
"""
AFTER = """```{solution-end}
```

## After

Words after the exercises."""


def executed(folder: Path, *bodies: dict) -> Executed:
    """A page with one exercise as papermill leaves it."""
    output = nbformat.v4.new_output("stream", name="stdout", text="the number is 42\n")
    shown = [nbformat.v4.new_output("display_data", data=body) for body in bodies]
    solution = code(SECRET, outputs=[output, *shown])
    write_cells(folder / "one.ipynb", words(PAGE), solution, words(AFTER))
    return Executed("chapters/one", folder / "one.ipynb", fresh=True)


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    """The pages of a book of one chapter, without solutions."""
    tmp_path = tmp_path_factory.mktemp("small")
    bodies = [
        stated("People", 42, hints={40: "two are missing."}),
        stated("Share, in percent", 12.34, digits=2),
        stated("Both", {"SS", "GRR"}, choices=["GRR", "OUE", "SS"]),
        stated("Is it so?", True),
    ]
    chapter = executed(tmp_path / "executed", *bodies)
    write_book(tmp_path, "chapters/one")
    shutil.copy(chapter.path, tmp_path / "chapters" / "one.ipynb")
    page = Page("chapters/one", tmp_path)
    stage(tmp_path, [page], [chapter], tmp_path / "stage", solutions=False)
    return render(tmp_path / "stage", tmp_path)[0].parent


@pytest.mark.thorough("renders a small book")
def test_no_file_of_a_book_without_solutions_has_one(small):
    pages = {path: path.read_bytes() for path in small.rglob("*") if path.is_file()}
    text = b"".join(pages.values())
    for secret in (SECRET, "zebras", "Peculiar", "the number is 42", "solution-start"):
        assert secret.encode() not in text, secret
    page = pages[small / "chapters" / "one.html"]
    assert b"Words after the exercises." in page
    assert b"Count them." in page


@pytest.mark.browser
def test_a_box_tells_right_from_wrong_and_from_nonsense(small, open_file):
    page, wrong = open_file(small / "chapters" / "one.html")
    boxes = page.locator(".exercise form.answer-box")
    assert boxes.count() == 4

    def reply(number: int, entered: str) -> str:
        box = boxes.nth(number)
        box.locator("input").fill(entered)
        box.locator("input").press("Enter")
        page.wait_for_function(
            "box => box.querySelector('[role=status]').textContent", arg=box.element_handle()
        )
        return box.get_by_role("status").inner_text()

    for entered, said in {
        "42": "Right.",
        " 42.0 ": "Right.",
        "84/2": "Right.",
        "4200%": "Right.",
        "42%": "Not yet: your number is 100 times too small. The box asks for: People.",
        "sqrt(1764)": "Right.",
        "6 * (9 - 2)": "Right.",
        "41": "Not yet: look at the hint below, and try again.",
        "4,200": "Not yet: your number is 100 times too large. The box asks for: People.",
        "0.042": "Not yet: your number is 1000 times too small. The box asks for: People.",
        "42000": "Not yet: your number is 1000 times too large. The box asks for: People.",
        "420": "Not yet: look at the hint below, and try again.",
        "40": "Not yet: two are missing.",
        "forty": "Please enter a number, such as 0.25, 2/3 or ln 5.",
        "": "Please enter a number, such as 0.25, 2/3 or ln 5.",
    }.items():
        assert reply(0, entered).endswith(said), entered
    for entered in ("12 %", "12,34", "24", "6.2", "-12"):
        assert reply(1, entered).endswith("Right.") == entered.startswith("12"), entered
    assert "100 times too small. The box asks for: Share, in percent." in reply(1, "0.123")
    for number, label, said in ((2, "GRR", "Not yet"), (2, "SS", "Right"), (3, "yes", "Right")):
        boxes.nth(number).get_by_label(label, exact=True).check()
        boxes.nth(number).get_by_role("button").click()
        boxes.nth(number).get_by_text(said).wait_for()
    page.reload()
    boxes.nth(3).get_by_text("Right.").wait_for()
    assert wrong == []


READ = {
    "1,200": 1200, "1 200.5": 1200.5, "0,25": 0.25, ".5": 0.5, "-3": -3, "−3": -3, "1.2e-6": 1.2e-6,
    "12 %": 12, "2/3": 2 / 3, "ln 5": math.log(5), "ln(5)": math.log(5), "log 5": math.log(5),
    "log2 8": 3, "e^2/(1+e^2)": math.e**2 / (1 + math.e**2), "exp(-1)": math.exp(-1), "-2^2": -4,
    "2^3^2": 512, "2 * -3": -6, "√2": 2**0.5, "2e": 2 * math.e, "1/2e": 1 / (2 * math.e), "2 π": 2 * math.pi,
    "8 − 3 − 2": 3, "1e3 + 1": 1001, "(1+2)*3": 9, "2**3": 8, "6:3": 2,
}  # fmt: skip
NO_NUMBER = ["", "forty", "1/0/", "2 +", "(2", "2)", "alert(1)", "e.constructor", "constructor", "2,3,4",
    "toString", "1;2", "__proto__", "ln", "(" * 120, "[]", "0x10", "e e"]  # fmt: skip
READS = "all => JSON.parse(JSON.stringify(all.map(answerNumber)))"  # no number: null


@pytest.mark.browser
def test_a_page_reads_numbers_as_people_write_them_and_hashes_them_as_the_build(small, open_file):
    values = [m * 10.0**e for e in range(-9, 10) for m in (1, 2.4, 9.996, -1, -2.4, -9.996)]
    specs = [".1e", ".3e", "z.0f", "z.3f"]
    page, _ = open_file(small / "chapters" / "one.html")
    found = page.evaluate(READS, [*READ, *NO_NUMBER])
    assert found[: len(READ)] == pytest.approx([*READ.values()])
    assert found[len(READ) :] == [None] * len(NO_NUMBER)
    script = "([values, ways]) => values.map(v => ways.map(way => answerText(v, way)))"
    texts = page.evaluate(script, [values, specs])
    assert texts == [[format(v, spec) for spec in specs] for v in values]
    made = page.evaluate("rounds => answerSeal('salt', 'ε|1.2e-03', rounds)", ROUNDS)
    assert made == seal("salt", "ε|1.2e-03")


def test_each_key_of_the_book_accepts_its_answer_and_no_half_or_double(html):
    for page in CHAPTERS:
        cells = read_notebook(ROOT / "_build" / "executed" / "quick" / f"{page.doc}.ipynb").cells
        bodies = answers(cells)
        for body in (one for several in bodies.values() for one in several):
            said, accept = f"{page.doc} {body}", body["accept"]
            if "value" in body:
                right = format(body["value"], body["spec"])
                near = body["value"]
                wrong = [format(w, body["spec"]) for w in (2 * near, near / 2, -near) if near]
            else:
                (right,) = accept
                wrong = [c for c in body["choices"] if c != right]
            assert right in accept, said
            assert not {*wrong} & {*accept}, said  # no wrong text is sealed: that takes its time
