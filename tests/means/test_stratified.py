"""The mechanism as it is called: its price in the accountant, weights, and what is refused before
anything is spent.
"""

from __future__ import annotations

import numpy as np
import pytest

from lib.dp import PrivacyAccountant
from lib.means import Interval, holdout_weights, strat_coinpress, strat_laplace
from lib.means.grouped import coinpress, group_order, recombine
from lib.rng import stream

TOLD = Interval(low=-5.0, high=5.0)
GROUPS = np.array([1, 0, 1, 2, 1, 0])
VALUES = np.array([0.5, -1.0, 0.1, 2.0, 0.3, -2.0])


def test_it_is_the_grouped_algorithm_and_costs_rho_once():
    found = strat_coinpress(VALUES, GROUPS, 4, TOLD, rho=0.5, rng=stream(0, "s"))
    order, sizes = group_order(GROUPS, 4)
    expected = coinpress(VALUES[order], sizes, TOLD, (0.125, 0.375), stream(0, "s"))
    assert (found.strata == expected).all()
    assert found.population == recombine(expected, sizes)
    assert (found.accountant.spent, found.accountant.left) == (0.5, 0.0)
    assert [(e.kind, e.cost) for e in found.accountant.entries] == [
        ("measurement", 0.125),
        ("measurement", 0.375),
        ("exact count", 0.0),
    ]
    assert found.accountant.promise == (
        "replace within a group",
        0.5,
        ("stratum",),
    )  # sizes are public


def test_public_weights_replace_the_sizes():
    weights = holdout_weights(np.array([0, 0, 0, 1]), 4)
    found = strat_coinpress(VALUES, GROUPS, 4, TOLD, rho=1e9, rng=stream(0, "w"), weights=weights)
    assert found.population == pytest.approx(0.75 * -1.5 + 0.25 * 0.3, abs=0.01)
    assert found.sizes.tolist() == [2, 3, 1, 0]


def test_laplace_pays_in_epsilon_and_is_exact_in_the_limit():
    found = strat_laplace(VALUES, GROUPS, 3, low=-5, high=5, epsilon=1e9, rng=stream(0, "l"))
    assert found.population == pytest.approx(VALUES.mean(), abs=1e-6)
    assert found.accountant.unit == "epsilon"
    assert found.accountant.spent == 1e9


def test_a_ledger_without_enough_left_refuses_and_draws_no_noise():
    accountant, rng = PrivacyAccountant(0.4), stream(0, "poor")
    with pytest.raises(ValueError, match=r"at most the 0\.4 that is left of 0\.4, got 0\.5"):
        strat_coinpress(VALUES, GROUPS, 3, TOLD, rho=0.5, rng=rng, accountant=accountant, by=["g"])
    assert accountant.spent == 0
    assert rng.bit_generator.state == stream(0, "poor").bit_generator.state


WRONG = {
    "weights' shape": ({"weights": np.ones(2)}, r"weights must have the shape \(3,\), got \(2,\)"),
    "weights below 0": ({"weights": np.array([1.0, -1.0, 1.0])}, "weights must be"),
    "no weight at all": ({"weights": np.zeros(3)}, "weights must be"),
    "weights without an end": ({"weights": np.array([1.0, np.inf, 1.0])}, "weights must be"),
    "values missing": (
        {"values": np.append(VALUES[:-1], np.nan)},
        "values must be finite numbers, got 1",
    ),
    "too few values": ({"values": VALUES[:-1]}, r"values must have the shape \(6,\), got \(5,\)"),
    "an unknown stratum": ({"k": 2}, "groups"),
    "no stratum": ({"k": 0}, r"k must be .*, got 0"),
    "no generator": ({"rng": None}, r"rng must be .*, got None"),
}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"prior": (-1, 1)}, "prior must be"),
        ({"split": "ab"}, r"split must be .*, got 'ab'"),
        ({"split": None}, r"split must be .*, got None"),
        ({"split": 1.0}, r"split must be .*, got 1.0"),
        ({"split": (0.5, float("nan"))}, "split must be"),
        ({"split": ()}, "split must be"),
    ],
)
def test_the_prior_of_coinpress_is_checked_before_it_is_paid_for(changed, words):
    rng, accountant = stream(0, "refused"), PrivacyAccountant(1.0)
    with pytest.raises(ValueError, match=words):
        strat_coinpress(
            **(
                {"values": VALUES, "groups": GROUPS, "k": 3, "prior": TOLD, "rho": 0.5, "rng": rng}
                | changed
            ),
            accountant=accountant,
        )
    assert accountant.entries == []
    assert rng.bit_generator.state == stream(0, "refused").bit_generator.state


def test_the_widest_interval_still_gives_numbers():
    """What is allowed is answered with finite numbers: it has been paid for."""
    widest = Interval(low=-5e99, high=5e99, sigma=1e100)
    assert np.isfinite(
        strat_coinpress(VALUES, GROUPS, 4, widest, rho=1e-6, rng=stream(0, "wide")).strata
    ).all()


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("mechanism", ["coinpress", "laplace"])
def test_what_is_refused_is_refused_before_it_is_paid_for(mechanism, name):
    changed, words = WRONG[name]
    rng = stream(0, "refused")
    asked = {"values": VALUES, "groups": GROUPS, "k": 3, "rng": rng} | changed
    accountant = PrivacyAccountant(1.0, unit="rho" if mechanism == "coinpress" else "epsilon")
    own = (
        {"prior": TOLD, "rho": 0.5}
        if mechanism == "coinpress"
        else {"low": -5.0, "high": 5.0, "epsilon": 0.5}
    )
    call = strat_coinpress if mechanism == "coinpress" else strat_laplace
    with pytest.raises(ValueError, match=words):
        call(**asked, **own, accountant=accountant, by=["g"])
    assert accountant.entries == []
    assert rng.bit_generator.state == stream(0, "refused").bit_generator.state


def test_a_ledger_in_another_unit_does_not_pay(rng):
    """Half a rho is not half an epsilon."""
    with pytest.raises(ValueError, match="accountant must be in 'rho', got one in 'epsilon'"):
        strat_coinpress(
            VALUES,
            GROUPS,
            3,
            TOLD,
            rho=0.5,
            rng=rng,
            accountant=PrivacyAccountant(1.0, unit="epsilon"),
            by=["g"],
        )
    with pytest.raises(ValueError, match="accountant must be in 'epsilon', got one in 'rho'"):
        strat_laplace(
            VALUES,
            GROUPS,
            3,
            low=-5,
            high=5,
            epsilon=0.5,
            rng=rng,
            accountant=PrivacyAccountant(1.0),
            by=["g"],
        )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda rng: strat_coinpress(VALUES, GROUPS, 3, TOLD, rho=-1, rng=rng),
            r"rho must be .*, got -1",
        ),
        (
            lambda rng: strat_coinpress(VALUES, GROUPS, 3, TOLD, rho=1, rng=rng, split=(0.5, 0.4)),
            "split must be",
        ),
        (lambda rng: strat_laplace(VALUES, GROUPS, 3, low=1, high=0, epsilon=1, rng=rng), "low.*1"),
        (
            lambda rng: strat_laplace(VALUES, GROUPS, 3, low=None, high=1, epsilon=1, rng=rng),
            "low.*None",
        ),
        (
            lambda rng: strat_laplace(VALUES, GROUPS, 3, low=[0, 0], high=1, epsilon=1, rng=rng),
            "one or 3 of each",
        ),
        (
            lambda rng: strat_laplace(VALUES, GROUPS, 3, low=1, high=np.inf, epsilon=1, rng=rng),
            "high.*inf",
        ),
        (lambda rng: holdout_weights(np.array([], dtype=int), 3), "hold-out"),
    ],
)
def test_wrong_arguments_are_named(call, words, rng):
    with pytest.raises(ValueError, match=words):
        call(rng)
