"""The solver: round trips through every unknown, Table 1, and honest refusals."""

from __future__ import annotations

import math
from copy import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.coherence.answers import round_outward
from lib.coherence.bounds.paper import theorem8_delta
from lib.coherence.guarantee import MODES, UNKNOWNS, Setting, holds, required_size
from lib.coherence.solver import Solution, solve
from lib.rng import stream
from studies.coherence.summary import table1


def test_table_1_satisfies_theorem_7_row_by_row():
    rows = table1()
    assert len(rows) == 8
    assert all(row["holds"] for row in rows)
    assert 0 < min(row["slack"] for row in rows) < 0.01
    assert max(row["slack"] for row in rows) < 0.25
    assert not any(row["holds"] for row in table1("theorem8"))
    for ours, theirs in zip(table1("tightened"), rows, strict=True):
        assert ours["largest"] > 2 * theirs["largest"]


# --- two ends

EXAMPLE = {
    "alpha": 0.5, "beta": 0.05, "collection": 10, "n": 1e6, "gamma": 1e5, "delta": 1e-27,
    "mode": "theorem8",
}  # fmt: skip


def test_with_a_delta_epsilon_has_two_ends_and_both_are_found():
    """A smaller epsilon allows a smaller delta: the lower end is sqrt(delta) 120 n |C| / beta."""
    found = solve(Setting(**EXAMPLE))
    assert found.low == pytest.approx(math.sqrt(1e-27) * 120 * 1e6 * 10 / 0.05)
    assert 0.001 > found.low < 0.0021 < found.high == found.value
    assert holds(found.setting)
    assert all(holds(found.setting, epsilon=e) for e in (0.001, 0.0021, found.low))
    beyond = 0.999 * found.low, 1.001 * found.high
    assert not any(holds(found.setting, epsilon=e) for e in beyond)
    assert "epsilon = 0.002251 (valid from 0.000759 to 0.002251)" in found.message
    assert "with delta 1e-27" in found.message
    assert found.best == "high"


def test_with_a_delta_too_large_the_answer_is_none_and_what_would_help():
    found = solve(Setting(**EXAMPLE | {"delta": 1e-24}))
    assert not found.met
    assert (found.low, found.high) == (None, None)
    assert set(found.ways) == {"beta", "n", "delta"}
    for name, value in found.ways.items():
        assert solve(Setting(**EXAMPLE | {"delta": 1e-24, name: value})).met, name
    assert "delta = 8.8e-27" in found.message


def _random_setting(mode: str, unknown: str, rng) -> dict[str, object]:
    """Sizes over many orders of magnitude, near the edge of what can be met."""
    n = float(math.floor(10 ** rng.uniform(2, 9)))
    known = {
        "alpha": 10 ** rng.uniform(-1.5, 0.3), "beta": 10 ** rng.uniform(-12, 0),
        "collection": int(10 ** rng.uniform(0, 3)), "n": n, "epsilon": 10 ** rng.uniform(-5, -0.31),
        "mode": mode, unknown: None,
    }  # fmt: skip
    share = 10 ** rng.uniform(-2, 0)
    if unknown != "gamma" and rng.random() < 0.5:
        known["fraction"] = share
    elif unknown != "gamma":
        known["gamma"] = max(1.0, share * n)
    known["alpha"] = known["alpha"] and min(2.0, known["alpha"])
    if mode == "theorem8":
        inner = {"epsilon": 0.01, "beta": 0.05, "collection": 9}
        room = theorem8_delta(n=n, **{name: known[name] or inner[name] for name in inner})
        known["epsilon"] = known["epsilon"] and known["epsilon"] / 10
        known["delta"] = min(0.5, max(1e-300, room * 10 ** rng.uniform(-6, 1)))
    return known


def _valid(setting: Setting, unknown: str, value: float) -> bool:
    """The theorem itself, asked without the solver."""
    full = copy(setting)
    object.__setattr__(full, unknown, value)
    members = full.gamma if full.fraction is None else full.fraction * full.n
    if members > full.n or full.alpha > 2 or full.beta > 1 or full.n < 4 or full.collection < 1:
        return False
    try:
        return required_size(full)[0] <= members
    except ValueError:  # delta or epsilon that the theorem does not cover
        return False


_SCANNED = {
    "alpha": (1e-4, 2), "beta": (1e-20, 1), "gamma": (1, 1e9), "collection": (1, 1e6),
    "n": (4, 1e12), "epsilon": (1e-9, 1),
}  # fmt: skip


def _check(known: dict[str, object]) -> Solution:
    """Both ends are valid, and nothing beyond; a scan confirms "none"; what would help helps."""
    asked = Setting(**known)
    found = solve(asked)
    unknown, whole = found.unknown, found.unknown in ("gamma", "n", "collection")
    if not found.met:
        low, high = _SCANNED[unknown]
        scan = [low * (high / low) ** (i / 80) for i in range(81)]
        if asked.delta and unknown in ("epsilon", "n"):
            # where delta is just allowed, the size is as small as it can be

            root = 120 * asked.collection * math.sqrt(asked.delta) / asked.beta
            scan.append(root * asked.n if unknown == "epsilon" else asked.epsilon / root)
        for value in scan:
            value = float(math.floor(value)) if whole else value
            assert not _valid(asked, unknown, value), (known, value)
        for name, value in found.ways.items():
            assert solve(Setting(**known | {name: value})).met, (known, name, value)
        assert "this would help" in found.message or "no change of one" in found.message
        return found
    assert found.value == getattr(found, found.best)
    most = {"theorem7": 1, "theorem8": 0.5}.get(asked.mode, 600)
    limits = {"alpha": 2, "beta": 1, "epsilon": most}
    for end, outward in ((found.low, -1), (found.high, 1)):
        if end in (0, math.inf):  # as small, or as large, as one likes
            assert (unknown, outward) in (("epsilon", -1), ("n", 1))
            beyond = 1e-30 if end == 0 else max(1e30, 10 * found.low)
            assert _valid(asked, unknown, beyond), known
            continue
        assert _valid(asked, unknown, end), (known, end)
        beyond = end + outward * max(1, 1e-9 * end) if whole else end * (1 + outward * 1e-7)
        reached = end == 1e60 or (unknown, end) in (("collection", 1e15), ("beta", 1e-300))
        if end != limits.get(unknown) and not reached:
            assert not _valid(asked, unknown, beyond), (known, end, beyond)
    assert found.message
    return found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("unknown", UNKNOWNS)
def test_random_settings_are_solved_to_the_edge_or_refused_with_reason(mode, unknown):
    rng, cases = stream(15, "solver", mode, unknown), {"theorem7": 10, "theorem8": 40}.get(mode, 5)
    found = [_check(_random_setting(mode, unknown, rng)) for _ in range(cases)]
    if mode == "theorem8":
        assert any(one.met for one in found)
        assert any(not one.met for one in found)


HALF = {"alpha": 0.5, "beta": 0.05, "collection": 10, "gamma": 1e5}
WHOLE = {"alpha": 0.2, "beta": 0.05, "n": None, "collection": 10}
QUESTIONS = [
    # n is infinite only where every larger n is valid
    *(HALF | {"n": None, "epsilon": e, "mode": mode} for mode in MODES for e in (1e-6, 1e-40)),
    # large whole numbers hold, and the next ones do not
    *(WHOLE | {"epsilon": 3e-5, "mode": mode, **members} for mode in MODES
      for members in ({"gamma": 3e9}, {"fraction": 0.3}, {"gamma": 3e9, "n": 1e12, "collection": None})),
    # an epsilon that the theorem does not cover
    *({"alpha": None, "beta": 0.05, "collection": 2, "n": 1e9, "gamma": 9e8, "epsilon": e, "mode": mode}
      for mode, e in (("theorem7", 1.01), ("theorem8", 0.51))),
    # with a fraction alpha tends to eps sqrt(8.3 / fraction): beyond, no number of people will do
    *({"alpha": 0.1, "beta": 1e-6, "collection": 100, "fraction": 0.05, "n": None, "epsilon": e}
      for e in (0.007, 0.01)),
    # n has two ends; and a delta that is allowed but for rounding
    EXAMPLE | {"epsilon": 0.0015, "fraction": 0.1, "n": None, "gamma": None, "delta": 1e-24},
    {"alpha": 1.0, "beta": 1.0, "collection": 1, "n": None, "epsilon": 1e-7, "fraction": 1e-10, "delta": 0.1,
     "mode": "theorem8"},
]  # fmt: skip


@pytest.mark.parametrize("known", QUESTIONS)
def test_hard_questions_are_solved_to_the_edge_or_refused_with_reason(known):
    _check(known)


# --- rounding


@given(
    alpha=st.floats(0.05, 1.9),
    gamma=st.integers(20_000, 10**6),
    mode=st.sampled_from(MODES),
    unknown=st.sampled_from(("epsilon", "alpha", "beta")),
)
@settings(max_examples=80)
def test_the_printed_answer_holds(alpha, gamma, mode, unknown):
    known = {
        "alpha": alpha, "beta": 1e-3, "gamma": gamma, "collection": 10, "n": 2 * gamma,
        "epsilon": 1e-4, "mode": mode,
    }  # fmt: skip
    found = solve(Setting(**known | {unknown: None}))
    if not found.met:
        return
    printed = float(found.message.split(" = ")[1].split(" ")[0])
    assert printed == pytest.approx(found.value, rel=2e-3)
    assert _valid(found.setting, unknown, min(printed, 2.0 if unknown == "alpha" else 1.0))


@given(st.floats(1e-12, 1e12), st.integers(2, 6))
def test_rounded_is_on_the_side_asked_for_and_near(value, digits):
    down, up = (float(round_outward(value, digits, up=up)) for up in (False, True))
    assert down <= value <= up
    assert up - down <= value * 10 ** (1 - digits) * (1 + 1e-9)
