"""A accountant adds up exactly, refuses what it has not, and notes nothing that it refused."""

from __future__ import annotations

import math
import sys
import threading
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.dp import PrivacyAccountant


@pytest.mark.parametrize("off", [1e-12, 1e-10])
def test_a_price_that_rounding_moved_is_paid_and_one_that_is_more_is_refused(off):
    """A sum of parts in another order, on another processor, is not more than its whole."""
    PrivacyAccountant(0.3, unit="rho").spend("look", 0.3 * (1 + off))
    with pytest.raises(ValueError, match="must be at most"):
        PrivacyAccountant(0.3, unit="rho").spend("look", 0.3 * (1 + 1e-8))


@given(st.lists(st.floats(1e-9, 10), min_size=1, max_size=30))
def test_what_adds_up_to_the_budget_is_never_refused(costs):
    accountant = PrivacyAccountant(sum(costs))
    for cost in costs:
        accountant.spend("look", cost)
    assert accountant.spent == pytest.approx(accountant.budget, rel=1e-12)
    assert accountant.left <= 1e-12 * accountant.budget


def test_disjoint_parts_cost_the_dearest_and_are_all_noted():
    accountant = PrivacyAccountant(1.0, unit="epsilon")
    assert accountant.spend_parallel("strata", {"a": 0.25, "b": 0.75, "c": 0.75}) == 0.75
    assert accountant.left == 0.25
    assert accountant.price("replace") == 1.5  # two parts, of which no more than the cost is known
    assert accountant.entries[0].parts == {"a": 0.25, "b": 0.75, "c": 0.75}
    with pytest.raises(ValueError, match=r"epsilon for 'strata' must be .*, got 0\.5"):
        accountant.spend_parallel("strata", {"a": 0.5, "b": 0.1})


MARGINAL = {"add or remove": 1.0, "replace": math.sqrt(2)}


def test_a_look_has_a_price_under_each_relation():
    accountant = PrivacyAccountant(10.0)
    accountant.spend("select", 1.0, kind="measurement", sensitivity=MARGINAL)
    accountant.spend("measure cell 3", 1.0, kind="selection")  # the text says nothing
    accountant.spend("number of rows", 1.0)
    accountant.spend("x", 1.0, sensitivity={"add or remove": 3.0, "replace": 0.0})
    assert [e.kind for e in accountant.entries] == ["measurement", "selection", "other", "other"]
    assert [e.prices["replace"] for e in accountant.entries] == pytest.approx([2, 4, 4, 0])
    prices = [accountant.price(r) for r in ("replace within a group", "replace")]
    assert prices == pytest.approx([10, 10])
    assert accountant.promise == ("add or remove", 4.0, ())
    pure = PrivacyAccountant(10.0, unit="epsilon")
    pure.spend("x", 1.0)
    assert pure.price("replace") == 2.0  # epsilons double where rhos quadruple


def test_exact_counts_and_oracles_are_noted_and_not_charged():
    accountant = PrivacyAccountant(1.0)
    accountant.spend("x", 0.5)
    accountant.note_oracle("the spread")
    assert accountant.promise == ("add or remove", 0.5, ())
    accountant.note_exact("sizes", ["sex"])
    assert accountant.spent == 0.5
    assert accountant.promise == ("replace within a group", 2.0, ("sex",))
    assert [e.kind for e in accountant.entries] == ["other", "oracle", "exact count"]


@pytest.mark.parametrize("costs", [(0.5,), (0.5, 0.25), (0.5, 0.25, 1.0), (0.5, 0.5, 0.5, 0.25)])
def test_a_row_leaves_one_part_and_enters_one_other(costs):
    """However many parts there are, it is seen by the two dearest at most."""
    accountants = {f"{i}": PrivacyAccountant(1.0) for i in range(len(costs))}
    for accountant, cost in zip(accountants.values(), costs, strict=True):
        cell = {"add or remove": 1.0, "replace": 1.0}  # so it costs nothing more to stay
        accountant.spend("cell", cost, kind="measurement", sensitivity=cell)
    whole = PrivacyAccountant(1.0)
    whole.spend_parallel("parts", accountants, by=["g"])
    assert whole.price("add or remove") == max(costs)
    assert whole.price("replace within a group", ["g"]) == max(costs)
    two = sum(sorted(costs, reverse=True)[:2])
    assert whole.price("replace") == whole.price("replace within a group", ["h"]) == two


def test_a_part_takes_no_look_that_the_whole_would_not_pay_for():
    part, whole = PrivacyAccountant(1.0), PrivacyAccountant(0.5)
    part.spend("first", 0.25)
    with pytest.raises(ValueError, match="rho for 'parts' must be at most"):
        PrivacyAccountant(0.125).spend_parallel("parts", {"a": part})
    part.spend("second", 0.25)  # nobody has paid for it yet
    whole.spend_parallel("parts", {"a": part})
    for look in (lambda: part.spend("late", 0.25), lambda: part.note_exact("late", ["g"])):
        with pytest.raises(ValueError, match="accountant must be one that is no part"):
            look()
    assert whole.promise.price == part.spent == 0.5


def test_threads_do_not_spend_the_same_rest_twice():
    def spend() -> None:
        for _ in range(20):
            with suppress(ValueError):
                account.spend("look", 0.04)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(20):
            account = PrivacyAccountant(1.0)
            threads = [threading.Thread(target=spend) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert account.spent == pytest.approx(1.0)
    finally:
        sys.setswitchinterval(interval)
