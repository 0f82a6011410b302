"""Whole fits keep what they declare, and every planted fault is caught. False alarms: at most
1e-6 in all.
"""

from __future__ import annotations

import math
from argparse import Namespace
from dataclasses import asdict, replace
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from lib.dp import Exponential, Gaussian, Laplace, PrivacyAccountant, gaussian_epsilon, noisy
from lib.rng import stream
from lib.synth.mst import pair_scores
from lib.synth.workload import counts
from studies.privacy_audit import cells as privacy_grid
from studies.privacy_audit import command
from studies.privacy_audit.cases import DOMAIN, cases
from studies.privacy_audit.checks import audit
from studies.privacy_audit.empirical_delta import Promise
from studies.privacy_audit.faults import FAULTS, fault
from studies.privacy_audit.replay import Look, replay
from studies.privacy_audit.summary import caught, certified

CASES = cases()
LEVEL = 2e-9  # of an audit; there are fewer than 250 here
MEANS = privacy_grid.FAST
QUICK = ("the only one of a group leaves", "one of many joins", "one of many changes")
GEM = ("gem", "gem_cell")  # compiles for each table
MANY = pytest.mark.thorough("many runs")


def _covered(case):
    return [pair for pair, (relation, *_) in case.pairs.items() if relation == case.relation]


def _pairs():
    """Synthesizers take time: of their pairs, the thorough tests have all but one or two, and of
    GEM all.
    """
    for name, case in CASES.items():
        for pair in _covered(case):
            slow = name in GEM or (name not in MEANS and pair not in QUICK)
            yield pytest.param(name, pair, marks=MANY if slow else ())


@pytest.mark.parametrize(("name", "pair"), [*_pairs()])
def test_a_mechanism_keeps_what_it_declares(name, pair):
    """Arithmetic on every run; tests of the draws' law and of delta over all runs."""
    case = CASES[name]
    found = audit(case.fit, *case.asked(pair), runs=40 if name in MEANS else 4, level=LEVEL)
    assert found.alarms == {}
    assert np.isfinite(found.losses).all()
    assert 0 < found.price <= (case.promise.rho or case.promise.epsilon) * (1 + 1e-9)
    assert found.certified(0.01, LEVEL) <= case.promise.epsilon_at(0.01)
    # noisy sizes that leave no row are refused, with the same words on both tables
    assert found.refused == 0 or name == "stratified_noisy"


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=MANY if n in GEM else ()) for n in CASES],
)
def test_an_accountant_promises_no_more_than_it_can_keep(name):
    """Tables of which the case itself says nothing: the accountant covers them, or says that it does
    not.
    """
    case = CASES[name]
    for pair in set(case.pairs) - set(_covered(case)):
        found = audit(case.fit, *case.asked(pair), runs=3, level=LEVEL)
        assert found.alarms == {}
        assert found.promise is None


def _newest(self, entry, relation, by, charge=PrivacyAccountant._charge):
    """The budget is counted under the relation of the newest look."""
    self.relation, self.by = None, ()
    return charge(self, entry, relation, by)


def _sharp(rho, *, sensitivity, of_rho=Exponential.of_rho):
    return of_rho(rho, sensitivity=sensitivity / 2)


def _best(self, scores, rng):
    rng.random()
    return int(np.argmax(scores))


def _unseen(mechanism, scores, rng, what, accountant):
    accountant.spend(what, mechanism.rho, kind="selection")
    return int(mechanism.select(scores, rng))


@pytest.mark.parametrize(
    ("name", "pair", "target", "instead", "check"),
    [
        ("aim", "one of many leaves", "lib.dp.Exponential.select", _best, "law"),
        ("mst", QUICK[0], "lib.synth.base.Exponential.of_rho", _sharp, "price"),
        ("two_relations", QUICK[2], "lib.dp.PrivacyAccountant._charge", _newest, "budget"),
        ("mst", "one of many leaves", "lib.synth.base.choose", _unseen, "beside"),
        (
            *("stratified_counted", "one of many leaves", "lib.dp.PrivacyAccountant.note_exact"),
            *(lambda self, what, by: None, "promise"),
        ),
    ],
)
def test_a_mistake_in_the_package_is_seen_by_its_check(name, pair, target, instead, check):
    case = CASES[name]
    runs = 60 if check in ("law", "beside") else 10  # where ten are too few
    with patch(target, instead):
        found = audit(case.fit, *case.asked(pair), runs=runs, level=LEVEL)
    assert check in found.alarms


def test_probabilities_of_a_selection_are_not_taken_from_the_program():
    law = Exponential(sensitivity=2.0, epsilon=3.0)
    look = Look(None, law, np.array([0.0, 1.0, 5.0]), 1)
    stated = law.log_probabilities(look.exact)
    assert look.log_odds == pytest.approx(stated)
    with patch.object(Exponential, "log_probabilities"):
        assert look.log_density == pytest.approx(stated[1])


def test_means_are_certified_close_to_what_they_declare():
    """The tables are the worst ones: what few runs prove comes to a third of the declared
    epsilon.
    """
    case = CASES["coinpress"]
    found = audit(case.fit, *case.asked("one of many changes"), runs=300, level=LEVEL)
    least = 0.3 * case.promise.epsilon_at(0.01)
    assert least < found.certified(0.01, LEVEL) < gaussian_epsilon(1.0, 0.01)


@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_is_caught(name):
    planted = FAULTS[name]
    runs, case = 130 if planted.check == "law" else 10, fault(name)
    found = audit(case.fit, *case.asked(planted.pair), runs=runs, level=LEVEL)
    assert planted.check in found.alarms


def test_delta_is_seen_where_every_charge_hides_it():
    """The slow check: it needs runs, and catches what costs much more than it should."""
    case = CASES["laplace"]

    def half(sensitivity, scale, **law):
        return Laplace(sensitivity=sensitivity / 2, **law)

    with patch("lib.means.grouped.Laplace", half):
        found = audit(case.fit, *case.asked("one of many changes"), runs=60, level=LEVEL)
    assert {"price", "loss"} <= set(found.alarms)


def test_the_loss_of_a_whole_fit_is_that_of_its_formulas():
    """MST's measurements and selections by hand, from its model and the two tables."""
    case = CASES["mst_unmerged"]
    table, neighbour, *_ = case.asked("one of many leaves")
    found = replay(case.fit, table, neighbour, lambda: stream(4, "hand"))
    model, expected = found.released, 0.0
    for m in model.inner.measurements:
        here, there = (m.noisy - counts(rows, DOMAIN, m.columns) for rows in (table, neighbour))
        expected += float((there**2 - here**2).sum()) / (2 * np.max(m.sigma) ** 2)
    epsilon = math.sqrt(8 * 0.5 / 3 / 2)
    first, rest = model.edges[0], set(model.edges[0])
    for rows, sign in ((table, 1), (neighbour, -1)):
        scores = pair_scores(rows, DOMAIN, model.inner.measurements[:3], 3)
        odds = {pair: math.exp(epsilon / 2 * score) for pair, score in scores.items()}
        second = {pair: o for pair, o in odds.items() if set(pair) != rest}
        expected += sign * math.log(
            odds[first] / sum(odds.values()) * second[model.edges[1]] / sum(second.values())
        )
    assert found.loss == pytest.approx(expected, rel=1e-9)


def test_the_loss_between_equal_tables_is_zero():
    for case in CASES.values():
        table, *_ = case.asked(next(iter(case.pairs)))
        found = replay(case.fit, table, table, lambda: stream(5, "equal"))
        assert (found.loss, found.uncovered) == (0.0, "")


@pytest.mark.parametrize(
    "fit",
    [
        lambda x, rng: [look(v, rng) for v in np.ones(int(x))],  # one look fewer
        lambda x, rng: [look(v, rng) for v in np.ones(3 - int(x))],  # one more
        lambda x, rng: look(np.ones(int(x)), rng),  # another one
        lambda x, rng: look(x, rng) + x,
        lambda x, rng: _refuse(x),
    ],
)
def test_what_reaches_the_release_beside_the_looks_is_an_infinite_loss(fit):
    found = replay(fit, 2.0, 1.0, lambda: stream(6, "beside"))
    assert found.loss == math.inf
    assert found.uncovered


def look(values: object, rng: np.random.Generator) -> np.ndarray:
    return noisy(Gaussian(sensitivity=1.0, rho=0.5), values, rng, "look")


def _refuse(x: float) -> None:
    raise ValueError(f"x must be 0, got {x}")


def test_random_numbers_that_do_not_see_the_data_are_no_loss():
    """The replay goes on with the same generator: what is drawn after a look is equal."""

    def fit(x, rng):
        return look(x, rng), rng.random(3)

    found = replay(fit, 0.0, 1.0, lambda: stream(7, "after"))
    assert (found.uncovered, math.isfinite(found.loss)) == ("", True)


@pytest.mark.parametrize("error", [0, 1e-3])
def test_a_price_is_what_the_law_says(error):
    """Noise for a sensitivity that the look does not have."""
    found = audit(look, 0.0, 1.0 + error, Promise(rho=0.5), "add or remove", runs=3)
    assert list(found.alarms) == (["price"] if error else [])


def test_the_command_prints_a_line_for_each_pair(capsys):
    assert command.run(Namespace(names=["laplace"], runs=5)) == 0
    assert capsys.readouterr().out.count("laplace") == len(CASES["laplace"].pairs)
    with pytest.raises(ValueError, match=r"NAME must be one of .*, got 'nobody'"):
        command.run(Namespace(names=["nobody"]))


def test_the_grid_has_every_case_and_every_fault():
    cells = list(privacy_grid.privacy_grid())
    assert {c.mechanism for c in cells} == set(CASES)
    assert {c.fault for c in cells} == {"", *FAULTS}
    assert len(cells) * 2 * privacy_grid.LEVEL < 1e-6
    assert set(privacy_grid.privacy_grid("quick")) < set(cells)
    record = privacy_grid.run_privacy(
        privacy_grid.PrivacyCell(mechanism="laplace", pair="one of many changes", runs=5)
    )
    assert (record["epsilon_declared"], record["alarms"]) == (1.0, "")


@MANY
def test_the_tables_of_the_page():
    """From records of the fast mechanisms and of one fault."""
    faults = ("", "half_noise")
    cells = (c for c in privacy_grid.privacy_grid("quick") if c.fault in faults)
    short = [
        replace(c, runs=60 if c.fault else 30 if c.mechanism == "laplace" else 5) for c in cells
    ]
    records = pd.DataFrame([asdict(c) | privacy_grid.run_privacy(c) for c in short])
    table = certified(records).set_index("mechanism")
    assert list(table.index) == [CASES[name].title for name in MEANS]
    laplace, case = table.loc["Clipped Laplace mean"], CASES["laplace"]
    assert (laplace.pairs, laplace.alarms) == (len(_covered(case)), "")
    assert laplace.runs == 30 * len(case.pairs)
    found = laplace[["price", "epsilon_certified"]].tolist()
    assert found == pytest.approx([1.0, 0.98])
    row = caught(records).set_index("fault").loc["the sampler draws half the noise"]
    assert (row.mechanism, row.expected, row.checks) == ("COINPRESS", "law", "law")


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(ValueError, match=r"runs must be .*, got 0"):
        audit(look, 0.0, 1.0, Promise(rho=0.5), "add or remove", runs=0)
    with pytest.raises(ValueError, match=r"relation must be .*, got 'swap'"):
        audit(look, 0.0, 1.0, Promise(rho=0.5), "swap", runs=1)
    with pytest.raises(ValueError, match=r"fault must be .*, got 'nothing'"):
        fault("nothing")
    with pytest.raises(ValueError, match=r"pair must be .*, got 'nobody leaves'"):
        CASES["mst"].asked("nobody leaves")
