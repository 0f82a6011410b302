"""Other arithmetic: what hangs on last bits is found, and the rest stays as it is."""

from __future__ import annotations

import ast
import builtins

import nbformat
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lib.paths import HOUSES, ROOT
from press.execute import _code
from press.toc import pages, read_notebook
from tests.press.conftest import write_notebook
from tests.programs import python
from tests.shake import margins, reseed, shake
from tests.shake.jitter import RELATIVE, is_exact, move, moved


@given(arrays(np.float64, st.integers(0, 20)), st.integers(0, 2**32))
def test_a_moved_number_stays_within_the_jitter(values, salt):
    after = move(values, salt)
    exact = is_exact(values)
    assert np.array_equal(after[exact], values[exact], equal_nan=True)
    with np.errstate(over="ignore", invalid="ignore"):
        assert (np.abs(after - values)[~exact] <= RELATIVE * np.abs(values[~exact]) * 1.001).all()
    assert np.array_equal(after, move(values, salt), equal_nan=True)


@pytest.mark.parametrize("value", [0.0, -3.0, 1e300, 0.1, 0.25, 1e-9, 123456.0, 2.56655e-2, np.inf])
def test_numbers_that_a_person_may_have_typed_are_exact(value):
    assert is_exact(np.array([value, -value])).all()
    assert not is_exact(np.array([1 / 3, 0.1 + 0.2, np.pi * 1e9, 1e-9 / 7])).any()


def test_the_jitter_tells_equal_numbers_apart_and_moves_nearly_all():
    thirds = move(np.full(1000, 1 / 3), 5)
    assert len(set(thirds)) > 900
    assert abs(thirds.mean() * 3 - 1) < 1e-13  # no side is favoured
    frame = pd.DataFrame({"epsilon": [0.1, 0.5], "mean": [1 / 3, 2 / 3], "name": ["a", "b"]})
    after = moved({"t": frame, "x": (1 / 7, 2)}, 1)
    assert after["t"].epsilon.tolist() == [0.1, 0.5]
    assert (after["t"]["mean"] != frame["mean"]).all()
    assert after["x"][0] != 1 / 7
    assert after["x"][1] == 2


SOURCE = """
import math
import numpy as np
import pandas as pd
x = pd.Series([1 / 3, 2 / 3, 0.1], index=list("abc"))
results = [
    (x < 0.5).tolist(), x.idxmax(), x.rank().tolist(), 0 < 1 / 3 < 0.5, 1 < 0 < 1 / 0 if 0 else 2,
    min(x.index, key=x.get), sorted(x.index, key=lambda name: -x[name]), max([3, 1]),
    np.allclose(x, x), math.isclose(1 / 3, 0.33, rel_tol=0.1), x.sort_values().index.tolist(),
    x.to_frame("v").sort_values("v").index.tolist(), np.argsort(x).tolist(), "a" in x.index,
    x.sort_values().is_monotonic_increasing, x.nlargest(2).index.tolist(), [1, 2] == [1, 2],
    pd.DataFrame({"v": x, "w": -x}).idxmin().tolist(), x is None, {"b", "a"} == {"a", "b"},
]
assert x.max() < 0.7 and x.idxmax() == "b"
"""


@pytest.fixture
def own_recorder(monkeypatch):
    """A recorder that ends with the test."""
    monkeypatch.setattr(builtins, margins._HOOK, margins.Recorder(), raising=False)
    return margins.recorder()


def test_rewritten_code_gives_what_the_code_gives(own_recorder):
    plain, noted = {}, {}
    exec(compile(SOURCE, "page", "exec"), plain)
    exec(margins.rewritten(SOURCE, "page"), noted)
    assert noted["results"] == plain["results"]
    assert not own_recorder.failed
    guard = next(m for place, m in own_recorder.found.items() if place.startswith("guard"))
    assert guard == pytest.approx((0.7 - 2 / 3, 0.7))


def test_a_guard_that_fails_is_noted_and_stops_nothing(own_recorder):
    after = {}
    exec(margins.rewritten("assert 1 > 2\nreached = True", "page"), after)
    assert after["reached"]
    assert own_recorder.failed == ["guard: 1 > 2"]


@pytest.mark.parametrize(
    ("code", "least"),
    [
        ("(np.array([0.1 + 0.2]) > np.array([0.3])).mean()", 2e-16),
        ("pd.Series([0.1 + 0.2, 0.3, 1.0]).rank()", 2e-16),
        ("pd.Series([0.1 + 0.2, 0.3]).idxmax()", 2e-16),
        ("min([1, 2], key={1: 0.1 + 0.2, 2: 0.3}.get)", 2e-16),
        ("np.isclose(1 / 3, 1 / 3 + 1e-8, rtol=0, atol=1e-8 + 1e-13)", 2e-13),
    ],
)
def test_a_near_tie_has_a_small_margin(own_recorder, code, least):
    exec(margins.rewritten(code, "page"), {"np": np, "pd": pd})
    assert min(distance for distance, _ in own_recorder.found.values()) < least


def test_exact_numbers_that_are_equal_are_no_near_tie():
    assert margins.of_sides(0.5, 0.5) is None
    assert margins.of_sides([18, 19], 19) is None
    assert margins.of_sides(np.array([0.25, 1 / 3]), 0.25) == (1 / 3 - 0.25, 1 / 3)


TIE = """import numpy as np
from lib.stats.summary import mean_interval
means = [mean_interval(np.array(x))[0] for x in ([0.1, 0.7, 0.3], [0.3, 0.1, 0.7])]"""


@pytest.fixture
def book(tmp_path):
    """A book of one page with a planted tie, and one without."""
    (tmp_path / "_toc.yml").write_text(
        "format: jb-book\nroot: chapters/firm\nchapters:\n- file: chapters/tie\n", encoding="utf-8"
    )
    firm = "assert 0.3 < 1 / 3", "print(round(1 / 3, 3))"
    write_notebook(tmp_path / "chapters" / "firm.ipynb", *firm)
    tie = TIE, "print('the larger:', int(np.argmax(means)), means[0] > means[1])"
    guard = "assert means[0] <= means[1] + 1e-13"
    write_notebook(tmp_path / "chapters" / "tie.ipynb", *tie, guard)
    return tmp_path


@pytest.mark.thorough("pages under a jitter")
def test_a_planted_tie_and_a_guard_near_it_are_caught(book):
    said: list[str] = []
    names = ["jitter 1", "jitter 2"]
    wrong = shake.shake(
        names, claims=False, root=book, build=book / "_build" / "shake", say=said.append
    )
    text = "\n".join(said)
    assert wrong >= 2
    assert "chapters/tie: code cell" in text  # another number is the larger
    assert "below 1000: chapters/tie: guard: means[0] <= means[1] + 1e-13" in text
    assert "chapters/firm: code cell" not in text
    assert not any(line.startswith("margin") and "chapters/firm" in line for line in said)


def test_a_guard_that_turns_is_a_difference(tmp_path):
    def outcome(failed):
        return shake.Outcome(tmp_path, {"a": "reproduced"}, failed, {})

    page = type("P", (), {"doc": "chapters/x"})()
    (said,) = shake.compared("Zen", outcome({}), outcome({"chapters/x": "guard: a < b"}), [page])
    assert said == "Zen: chapters/x failed: guard: a < b"


def test_a_verdict_that_turns_is_a_difference(tmp_path):
    one = shake.Outcome(tmp_path, {"a": "reproduced", "b": "not run"}, {}, {})
    other = shake.Outcome(tmp_path, {"a": "not reproduced", "b": "not run"}, {}, {})
    assert shake.compared("Zen", one, other, []) == ["Zen: claim a: reproduced | not reproduced"]


def test_margins_are_in_units_of_what_the_jitter_does(tmp_path):
    base = shake.Outcome(tmp_path, {}, {}, {"d: guard: a < b": (1e-6, 1.0), "d: page: c": (0.0, 1)})
    moved_by = shake.Outcome(tmp_path, {}, {}, {"d: guard: a < b": (1e-6 + 1e-9, 1.0)})
    assert shake.margins(base, []) == {"d: guard: a < b": pytest.approx(1e6)}
    assert shake.margins(base, [moved_by])["d: guard: a < b"] == pytest.approx(1e3)


def test_the_nearest_of_several_numbers_may_be_another_one_of_the_same_share(tmp_path):
    """Half and one are equally near to 1.0001 times themselves."""
    base = shake.Outcome(tmp_path, {}, {}, {"d: guard: (a < b).all()": (0.00005, 0.50005)})
    other = shake.Outcome(tmp_path, {}, {}, {"d: guard: (a < b).all()": (0.0001, 1.0001)})
    assert shake.margins(base, [other])["d: guard: (a < b).all()"] > 1e6


def test_a_question_for_nan_has_no_margin(own_recorder):
    code = "x = 0.1 + 0.2\nassert x == x and all(w == w for w in [1 / 3])"
    exec(margins.rewritten(code, "page"), {})
    assert own_recorder.found == {}


def test_names_of_variants_and_chapters_are_checked(book):
    with pytest.raises(ValueError, match="variant must be"):
        shake.shake(["Itanium"], root=book)
    with pytest.raises(ValueError, match="chapter must be"):
        shake.shake([], ["chapters/none"], root=book)


def test_variants_change_the_arithmetic_that_they_name():
    assert shake.VARIANTS["dispatch"]()["OPENBLAS_CORETYPE"] == "Prescott"
    assert {"Haswell", "SkylakeX", "Zen"} <= set(shake.VARIANTS)
    for name in shake.VARIANTS:
        assert all(isinstance(v, str) for v in shake.VARIANTS[name]().values())


def test_rules_note_their_margins_function_by_function(own_recorder):
    from lib.ledger import rules

    before = {name: f.__code__ for name, f in vars(rules).items() if hasattr(f, "__code__")}
    try:
        shake._rewrite(rules)
        assert rules.judge("at_least", rules.Evidence(29 / 30, low=0.96), {"threshold": 0.95}) == (
            "reproduced"
        )
    finally:
        for name, code in before.items():
            vars(rules)[name].__code__ = code
    assert own_recorder.found


def _unstable(source: str) -> list[str]:
    """Calls that sort by one key and leave the order of ties to the processor."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            by = next((k.value for k in node.keywords if k.arg == "by"), (node.args or [None])[0])
            several = isinstance(by, ast.List) and len(by.elts) > 1  # pandas sorts stably then
            sorts = node.func.attr in ("sort_values", "argsort") and not several
            if sorts and not {"kind", None} & {k.arg for k in node.keywords}:
                found.append(ast.unparse(node))
    return found


def test_a_sort_says_that_it_keeps_the_order_of_ties():
    distinct = ROOT / "lib" / "synth" / "graphical.py"  # sorts keys of which no two are equal
    files = [p for house in HOUSES for p in (ROOT / house).rglob("*.py") if p != distinct]
    sources = {p: p.read_text("utf-8") for p in files}
    for page in (page for page in pages(ROOT) if page.is_chapter):
        sources[page.notebook] = _code(read_notebook(page.notebook))
    assert {path: found for path, text in sources.items() if (found := _unstable(text))} == {}
    assert _unstable("np.argsort(x)") == ["np.argsort(x)"]


def test_ties_stay_ties_under_the_jitter():
    """Moved once more after they were merged, they would be apart: the ranks are not of the page."""
    code = (
        "from tests.shake.jitter import install; install(1); import numpy as np;"
        "from lib.stats.summary import mean_interval; from lib.stats.ties import merge_ties, ranks;"
        "x = np.array([mean_interval(np.array([0.1, 0.7, 0.3]))[0] for _ in range(2)] + [0.1 / 7]);"
        "x[1] *= 1 + 1e-12; print(ranks(x).tolist(), np.unique(merge_ties(x)).size)"
    )
    said = python("-c", code, check=False)
    assert said.stdout == "[2.5, 2.5, 1.0] 2\n", said.stderr


@pytest.mark.thorough("pages under a jitter")
def test_a_guard_in_a_cell_about_last_bits_counts_too(book):
    path = book / "chapters" / "firm.ipynb"
    write_notebook(path, TIE, "assert means[0] == means[1] or abs(means[0] - means[1]) < 2e-16")
    notebook = nbformat.read(path, 4)
    for cell in notebook.cells[1:]:
        cell.metadata["tags"] = ["last-bits"]
    nbformat.write(notebook, path)
    said: list[str] = []
    arguments = {"claims": False, "root": book, "build": book / "_build" / "shake"}
    assert shake.shake(["jitter 1"], ["chapters/firm"], say=said.append, **arguments)
    assert any(line.startswith("jitter 1: chapters/firm failed: guard: ") for line in said)


@pytest.mark.thorough("pages under a jitter")
def test_a_guard_that_few_seeds_hold_is_not_firm(tmp_path):
    (tmp_path / "_toc.yml").write_text(
        "format: jb-book\nroot: chapters/draws\nchapters:\n- file: chapters/still\n", "utf-8"
    )
    draw = "import numpy as np\nx = np.random.default_rng(seed).standard_normal(1000)"
    guards = "assert x.mean() < 0.1", "assert x.std() < 2", "assert x.std() > 1.5"
    seeded = {"parameters": "seed: int = 1  # master seed\nprofile: str = 'quick'  # scale"}
    write_notebook(tmp_path / "chapters" / "draws.ipynb", draw, *guards, **seeded)
    write_notebook(tmp_path / "chapters" / "still.ipynb", "assert 1 / 3 < 0.5", **seeded)
    said: list[str] = []
    build = tmp_path / "_build"
    assert reseed.reseed(4, root=tmp_path, build=build, say=said.append) == 2
    assert any("standard deviations: chapters/draws: guard: x.mean() < 0.1" in s for s in said)
    assert "failed 4 times: chapters/draws: guard: x.std() > 1.5" in said
    assert [s for s in said if s.startswith("seed")] == [
        f"seed {n} of 4, {pages} chapters" for n, pages in ((1, 2), (2, 2), (3, 1), (4, 1))
    ]
