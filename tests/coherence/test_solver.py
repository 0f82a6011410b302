"""The solver: round trips through every unknown, Table 1, and honest refusals."""

from __future__ import annotations

import math
from copy import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.coherence.solver import MODES, UNKNOWNS, Setting, required_size, rounded, solve, table1

ACS = {"beta": math.exp(-30), "collection": 100, "n": 5e6}


def test_table_1_satisfies_theorem_7_row_by_row():
    rows = table1()
    assert len(rows) == 8
    assert all(row["holds"] for row in rows)
    assert 0 < min(row["slack"] for row in rows) < 0.01
    assert max(row["slack"] for row in rows) < 0.25
    assert not any(row["holds"] for row in table1("theorem8"))
    assert all(ours["largest"] > 2 * theirs["largest"] for ours, theirs in zip(table1("tightened"), rows, strict=True))


def test_the_example_of_section_6_3():
    """alpha .2, groups of 250,000: .01 is sufficient."""
    assert solve(Setting(alpha=0.2, gamma=250_000, **ACS)).value > 0.01


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("unknown", UNKNOWNS)
def test_every_unknown_comes_back(mode, unknown):
    """Solve for epsilon, then take each other parameter away and find it again (to what its own rounding allows)."""
    known = {"alpha": 0.7, "beta": 1e-4, "gamma": 40_000.0, "collection": 20, "n": 200_000}
    epsilon = solve(Setting(**known, mode=mode)).value
    full = known | {"epsilon": epsilon}
    found = solve(Setting(**full | {unknown: None}, mode=mode))
    tolerance = {"collection": 0.05, "beta": 1e-4}.get(unknown, 1e-3)
    assert found.met
    if (mode, unknown) == ("within", "n"):
        assert found.value == math.inf
        assert "however many" in found.message
        return
    assert found.value == pytest.approx(full[unknown], rel=tolerance)
    assert str(f"{unknown} = ") in found.message


@given(alpha=st.floats(0.05, 2), share=st.floats(0.01, 1), n=st.integers(1000, 10**7), mode=st.sampled_from(MODES))
@settings(max_examples=100)
def test_the_largest_epsilon_is_the_largest(alpha, share, n, mode):
    known = {"alpha": alpha, "beta": 0.01, "collection": 10, "n": n, "fraction": share, "mode": mode}
    found = solve(Setting(**known))
    if not found.met:
        assert "what would" in found.message
        return
    limit = {"theorem7": 1.0, "theorem8": 0.5, "tightened": 64.0, "within": 8.0}[mode]
    size, _ = required_size(found.setting)
    assert size <= share * n
    assert size == pytest.approx(share * n, rel=1e-6) or found.value == pytest.approx(limit)


def test_with_a_fraction_more_people_help_and_below_no_number_does():
    """alpha tends to eps sqrt(8.3 / fraction): if that exceeds alpha, no n will do."""
    known = {"alpha": 0.2, "beta": 1e-6, "collection": 100, "fraction": 0.05}
    small = solve(Setting(epsilon=0.01, **known))
    assert small.met
    assert not solve(Setting(epsilon=0.01, n=None, **known | {"alpha": 0.1})).met
    assert 0.01 * math.sqrt(8.3 / 0.05) > 0.1
    never = solve(Setting(epsilon=1.0, **known))
    assert never.value is None
    assert never.ways["epsilon"] == pytest.approx(0.2 / math.sqrt(8.3 / 0.05), rel=0.01)


def test_what_would_have_to_give_does_make_it_hold():
    asked = {"alpha": 0.05, "beta": 1e-6, "collection": 100, "n": 27_000, "gamma": 1500}
    refused = solve(Setting(**asked))
    assert refused.value is None
    assert refused.ways
    for name, value in refused.ways.items():
        assert solve(Setting(**asked | {name: value * (1.0 + 1e-9) if name != "collection" else value})).met, name


def test_wrong_questions_are_refused():
    with pytest.raises(ValueError, match="exactly one"):
        Setting(alpha=0.2, **ACS)
    with pytest.raises(ValueError, match="exactly one"):
        Setting(alpha=0.2, gamma=1000, epsilon=0.1, **ACS)
    with pytest.raises(ValueError, match="mode='theorem9'"):
        Setting(alpha=0.2, gamma=1000, mode="theorem9", **ACS)
    with pytest.raises(ValueError, match=r"fraction=0\.5"):
        Setting(alpha=0.2, gamma=1000, fraction=0.5, **ACS)
    with pytest.raises(ValueError, match=r"delta=0\.1"):
        Setting(alpha=0.2, gamma=1000, delta=0.1, **ACS)
    with pytest.raises(ValueError, match=r"collection=2\.9 is not allowed: a whole number"):
        Setting(alpha=0.2, gamma=1000, beta=0.1, collection=2.9, n=5000)
    with pytest.raises(ValueError, match="gamma=6000 is not allowed: no group has more members than the n=5000 people"):
        Setting(alpha=0.2, gamma=6000, beta=0.1, collection=2, n=5000)
    with pytest.raises(ValueError, match="n=-5"):
        Setting(alpha=0.2, gamma=1000, beta=0.1, collection=1, n=-5)


# --- rounding ---------------------------------------------------------------------------------------------------------


def _satisfies(setting: Setting, **changed) -> bool:
    full = {name: getattr(setting, name) for name in (*UNKNOWNS, "fraction", "mode")} | changed
    members = full["gamma"] if full["fraction"] is None else full["fraction"] * full["n"]
    complete = copy(setting)
    for name, value in full.items():
        object.__setattr__(complete, name, value)
    return members <= full["n"] and required_size(complete)[0] <= members


@pytest.mark.parametrize("mode", ["theorem7", "theorem8", "tightened"])
@pytest.mark.parametrize(("unknown", "known"), [
    ("n", {"gamma": 3e9, "collection": 10}), ("n", {"fraction": 0.3, "collection": 10}), ("collection", {"gamma": 3e9, "n": 1e12}),
    ("n", {"gamma": 1e6, "collection": 7}), ("collection", {"gamma": 1e7, "n": 1e8}),
])  # fmt: skip
def test_a_large_whole_number_holds_and_the_next_does_not(mode, unknown, known):
    found = solve(Setting(alpha=0.2, beta=0.05, epsilon=1e-3 if mode != "theorem8" else 3e-5, mode=mode, **known))
    assert found.met
    assert found.value == math.floor(found.value)
    assert _satisfies(found.setting)
    if found.value < 1e15:
        step = -1 if "fraction" in known else 1
        assert not _satisfies(found.setting, **{unknown: found.value + step})


@given(alpha=st.floats(0.05, 1.9), gamma=st.integers(20_000, 10**6), mode=st.sampled_from(MODES), unknown=st.sampled_from(
    ("epsilon", "alpha", "beta")))  # fmt: skip
@settings(max_examples=80)
def test_the_printed_answer_holds(alpha, gamma, mode, unknown):
    known = {
        "alpha": alpha,
        "beta": 1e-3,
        "gamma": gamma,
        "collection": 10,
        "n": 2 * gamma,
        "epsilon": 1e-4,
        "mode": mode,
    }
    found = solve(Setting(**known | {unknown: None}))
    if not found.met:
        return
    printed = float(found.message.split(" = ")[1].split(":")[0])
    assert printed == pytest.approx(found.value, rel=2e-3)
    assert _satisfies(found.setting, **{unknown: min(printed, 2.0 if unknown == "alpha" else 1.0)})


@given(st.floats(1e-12, 1e12), st.integers(2, 6))
def test_rounded_is_on_the_side_asked_for_and_near(value, digits):
    down, up = (float(rounded(value, digits, up=up)) for up in (False, True))
    assert down <= value <= up
    assert up - down <= value * 10 ** (1 - digits) * (1 + 1e-9)


def test_what_is_short_stays_as_it_is():
    assert [rounded(x, 3, up=up) for x in (0.2, 0.1, 5) for up in (True, False)] == [
        "0.2",
        "0.2",
        "0.1",
        "0.1",
        "5",
        "5",
    ]
    assert rounded(0.21551, 3, up=False) == "0.215"
    assert rounded(math.inf, 3, up=True) == "inf"
