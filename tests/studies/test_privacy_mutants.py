"""Programs are changed at random, one place at a time, and every one that the audit lets pass is
explained.
"""

from __future__ import annotations

import ast
import sys

import numpy as np
import pandas as pd
import pytest

from lib.runner import results
from studies.privacy_audit import mutants as grid
from studies.privacy_audit.mutants import MODULES, MutantCell, mutants, outcomes, survivors
from studies.privacy_audit.mutation import changes, parsed, put_in_place


def programs(text: str, *leave_out: str) -> list[str]:
    tree = ast.parse(text)
    return [ast.unparse(tree) for _ in changes(tree, leave_out)]


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("x = 2", ["x = 3", "x = 1"]),
        ("x = 0.5", ["x = 1.0", "x = 0.25"]),
        ("x = True", ["x = False"]),
        ("x = a + b", ["x = a", "x = a - b"]),
        ("x = a ** b", ["x = a", "x = a * b"]),
        ("x = -a", ["x = a"]),
        ("x = a < b", ["x = a <= b", "x = a >= b"]),
        ("x = a in b", ["x = a not in b"]),
        ("x = a and b", ["x = a or b"]),
        ("x = a if b else c", ["x = a", "x = c"]),
        ("x += a", ["x -= a"]),
        ("x = a[b:]", ["x = a[:]"]),
        ("x = [a for a in b if c]", ["x = [a for a in b]"]),
        ("x = f(a, b)", ["x = f(b, a)"]),
        ("x = f(a, rng)", []),
        ("x = f(a, b=c)", ["x = f(a)"]),
        ("x = f(a)", ["x = a"]),
        ("x = max(a, b)", ["x = max(b, a)", "x = min(a, b)"]),
        ("f()", ["pass"]),
        ("if a:\n    b()", ["if not a:\n    b()", "if a:\n    pass"]),
        ("if a:\n    raise ValueError(1)", ["if not a:\n    raise ValueError(1)"]),
        ("def f(a: g(1)=2):\n    'words'\n    return a", []),
        ("class A:\n    a: int = 1", []),
        ("validate.integer('a', a, low=1)", []),
        ("def left(a):\n    return a + 1", []),
    ],
)
def test_one_place_is_changed_at_a_time(text, others):
    assert sorted(programs(text, "left")) == sorted(others)


def test_a_change_has_one_name_that_other_lines_do_not_move():
    one = list(changes(ast.parse("def f(a):\n    return a * 2 + a * 2")))
    other = list(changes(ast.parse("import b\n\ndef f(a):\n    c = b\n    return a * 2 + a * 2")))
    assert len(set(one)) == len(one) > 6
    assert one == other
    assert "f: return a * 2 + a * 2 -> return a * 3 + a * 2" in one


def test_the_program_is_whole_again_after_all_changes():
    tree = parsed("lib.dp.looks")
    names = list(changes(tree))
    assert ast.unparse(tree) == ast.unparse(parsed("lib.dp.looks"))
    assert len(set(names)) == len(names) > 50


def test_the_grid_has_equally_many_changes_of_each_module():
    cells = list(grid.mutant_grid())
    assert pd.Series([c.module for c in cells]).value_counts().eq(grid.EACH).all()
    assert {c.module for c in cells} == set(MODULES)
    assert set(grid.mutant_grid("quick")) < set(cells)
    audits = len(cells) * max(map(len, MODULES.values())) * (1 + len(grid.REST))
    assert audits * grid.LEVEL < 1e-6
    with pytest.raises(ValueError, match=r"module must be one of .*, got 'lib.rng'"):
        mutants("lib.rng")


def test_what_is_imported_is_changed_no_more(monkeypatch):
    with pytest.raises(RuntimeError, match="must not be imported before"):
        put_in_place("studies.privacy_audit.mutation", "any")
    monkeypatch.delitem(sys.modules, "lib.audit.table", raising=False)
    with pytest.raises(ValueError, match=r"change must be one of lib.audit.table, got 'any'"):
        put_in_place("lib.audit.table", "any")


@pytest.mark.thorough("programs with one small change")
@pytest.mark.parametrize(
    ("place", "change", "outcome", "check"),
    [
        ("_noisy", "if rng is None: -> if not rng is None:", "caught", "beside"),
        ("_noisy", "mechanism, means -> means, mechanism", "caught", "beside"),  # in its message
        ("_parts", "sizes.ndim == 1 -> sizes.ndim != 1", "refused", ""),
        ("_step", "(width + 2 * slack) / n -> (width + 1 * slack) / n", "caught", "price"),
        ("_step", "(width + 2 * slack) / n -> (width + 3 * slack) / n", "survived", ""),
        ("_Parts._clipped_sums", "low.size > 1 -> low.size >= 1", "equal", ""),
    ],
)
def test_what_becomes_of_a_change(place, change, outcome, check):
    module, (old, new) = "lib.means.grouped", change.split(" -> ")
    every = [c for c in changes(parsed(module)) if c.startswith(f"{place}: ")]
    (name,) = (c for c in every if old in c.split(" -> ")[0] and new in c.split(" -> ")[1])
    found = grid.run_mutant(MutantCell(module=module, mutant=name, runs=20))
    assert found["outcome"] == outcome
    assert check in found["alarms"]


@pytest.fixture(scope="module")
def stored() -> pd.DataFrame:
    return results("privacy_mutants")


def test_every_survivor_is_explained_and_no_explanation_is_stale(stored):
    found, every = survivors(stored), grid.explained()
    assert found["verdict"].isin(["harmless", "missed"]).all()
    assert every["why"].str.fullmatch(r"[A-Z].{20,}\.").all()
    fate = every.merge(stored, on=["module", "mutant"], how="left")
    assert len(found) == (every["verdict"] != "mended").sum()
    assert (fate["outcome"] == np.where(fate["verdict"] == "mended", "caught", "survived")).all()


def test_the_table_counts_every_mutant_once(stored):
    table = outcomes(stored).set_index("module")
    assert list(table.index) == [*MODULES, "all"]
    counts = table.drop(columns="share")
    assert (counts.drop("all").sum(axis=1) == grid.EACH).all()
    assert (counts.loc["all"] == counts.drop("all").sum()).all()
    assert "unexplained" not in counts
    everything = table.loc["all"]
    assert everything.share == everything.caught / (everything.caught + everything.missed)
    assert set(stored["outcome"]) <= set(grid.OUTCOMES)
