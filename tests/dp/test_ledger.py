"""A ledger adds up exactly, refuses what it has not, and notes nothing that it refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.dp.ledger import Ledger


def test_ten_tenths_are_one_and_no_more():
    ledger = Ledger(1.0)
    for i in range(10):
        assert ledger.spend(f"look {i}", 0.1) == 0.1
    assert (ledger.spent, ledger.left, len(ledger.entries)) == (1.0, 0.0, 10)
    with pytest.raises(ValueError, match=r"^rho=1e-06 for 'one more' is not allowed: 0.0 of 1.0 is left"):
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
