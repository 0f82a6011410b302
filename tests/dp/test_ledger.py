"""A ledger adds up exactly, refuses what it has not, and notes nothing that it refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.dp.accountant import RELATIONS, Ledger


def test_ten_tenths_are_one_and_no_more():
    ledger = Ledger(1.0)
    for i in range(10):
        assert ledger.spend(f"look {i}", 0.1) == 0.1
    assert (ledger.spent, ledger.left, len(ledger.entries)) == (1.0, 0.0, 10)
    with pytest.raises(
        ValueError, match=r"^rho=1e-06 for 'one more' is not allowed: 0.0 of 1.0 is left"
    ):
        ledger.spend("one more", 1e-6)
    assert len(ledger.entries) == 10


@given(st.lists(st.floats(1e-9, 10), min_size=1, max_size=30))
def test_what_adds_up_to_the_budget_is_never_refused(costs):
    ledger = Ledger(sum(costs))
    for cost in costs:
        ledger.spend("look", cost)
    assert ledger.spent == pytest.approx(ledger.budget, rel=1e-12)
    assert ledger.left <= 1e-12 * ledger.budget


def test_disjoint_parts_cost_the_dearest_and_are_all_noted():
    ledger = Ledger(1.0, unit="epsilon")
    assert ledger.spend_parallel("strata", {"a": 0.25, "b": 0.75, "c": 0.75}) == 0.75
    assert ledger.left == 0.25
    assert ledger.entries[0].parts == {"a": 0.25, "b": 0.75, "c": 0.75}
    with pytest.raises(ValueError, match=r"epsilon=0\.5 for 'strata'"):
        ledger.spend_parallel("strata", {"a": 0.5, "b": 0.1})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Ledger(0.0), "rho=0.0 is not allowed"),
        (lambda: Ledger(1.0, unit="euro"), "unit='euro'"),
        (lambda: Ledger(1.0).spend("x", -1.0), "rho=-1.0"),
        (lambda: Ledger(1.0).spend("x", float("nan")), "rho=nan"),
        (lambda: Ledger(1.0).spend_parallel("x", {}), "costs={}"),
        (lambda: Ledger(1.0).spend_parallel("x", {"a": 0.1, "b": 0.0}), "rho of 'b'=0.0"),
        (lambda: Ledger(1.0, unit="epsilon").rho, "unit='epsilon'"),
    ],
)
def test_wrong_arguments_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()


MARGINAL = {"add or remove": 1.0, "replace": math.sqrt(2)}


def test_a_look_has_a_price_under_each_relation():
    ledger = Ledger(10.0)
    ledger.spend("select", 1.0, kind="measurement", sensitivity=MARGINAL)
    ledger.spend("measure cell 3", 1.0, kind="selection")  # the text says nothing
    ledger.spend("number of rows", 1.0)
    ledger.spend("x", 1.0, sensitivity={"add or remove": 3.0, "replace": 0.0})
    assert [e.kind for e in ledger.entries] == ["measurement", "selection", "other", "other"]
    assert [e.prices["replace"] for e in ledger.entries] == pytest.approx([2, 4, 4, 0])
    assert ledger.price("replace within a group") == ledger.price("replace") == pytest.approx(10)
    assert ledger.promise == ("add or remove", 4.0)
    pure = Ledger(10.0, unit="epsilon")
    pure.spend("x", 1.0)
    assert pure.price("replace") == 2.0  # epsilons double where rhos quadruple


def test_what_holds_within_a_group_holds_nowhere_else():
    ledger = Ledger(1.0)
    ledger.spend("a mean", 0.5, kind="measurement", sensitivity={"replace within a group": 0.1})
    assert ledger.promise == ("replace within a group", 0.5)
    assert math.isinf(ledger.price("replace"))


def test_exact_counts_and_oracles_are_noted_and_not_charged():
    ledger = Ledger(1.0)
    ledger.spend("x", 0.5)
    ledger.note_oracle("the spread")
    assert ledger.promise == ("add or remove", 0.5)
    ledger.note_exact("sizes")
    assert (ledger.spent, ledger.promise) == (0.5, ("replace within a group", 2.0))
    assert [e.kind for e in ledger.entries] == ["other", "oracle", "exact count"]


def test_disjoint_parts_pass_on_what_they_do_not_cover():
    """A row that moves from one part to another is removed from one and added to the other."""
    parts = [Ledger(1.0) for _ in range(3)]
    for ledger, cost in zip(parts, (0.5, 0.25, 1.0), strict=True):
        ledger.spend(
            "marginal",
            cost,
            kind="measurement",
            sensitivity=MARGINAL | {"replace within a group": 0.0},
        )
    whole = Ledger(1.0)
    whole.spend_parallel("groups", dict(zip("abc", parts, strict=True)))
    assert [whole.price(r) for r in RELATIONS] == pytest.approx(
        [1.0, 2.0, 0.0]
    )  # two rows of c, or one of c and one of a
    even = Ledger(1.0)
    even.spend_parallel("groups", {"a": parts[0], "b": parts[0], "c": 0.5})
    assert [even.price(r) for r in RELATIONS] == pytest.approx([0.5, 2.0, 2.0])
    parts[1].note_exact("sizes")
    again = Ledger(1.0)
    again.spend_parallel("groups", dict(zip("abc", parts, strict=True)))
    assert again.promise == ("replace within a group", 0.0)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"kind": "look"}, "kind='look'"),
        ({"sensitivity": {}}, "sensitivity"),
        ({"sensitivity": {"swap": 1.0}}, "relation='swap'"),
        ({"sensitivity": {"add or remove": 0.0}}, "sensitivity"),
        ({"sensitivity": {"add or remove": 1.0, "replace": -1.0}}, "sensitivity must"),
    ],
)
def test_wrong_types_of_a_look_are_named_and_not_noted(more, words):
    ledger = Ledger(1.0)
    with pytest.raises(ValueError, match=words):
        ledger.spend("x", 0.5, **more)
    assert ledger.entries == []
