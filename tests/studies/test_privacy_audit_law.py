"""The tests of laws keep their level and see what they name."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from lib.dp import Exponential, Gaussian, Laplace, PrivacyAccountant
from studies.privacy_audit.law import TESTS, Draws, Selection, off_law
from studies.privacy_audit.released import contents, first_difference
from studies.privacy_audit.replay import Look

LAW = Exponential(sensitivity=1.0, epsilon=1.0)
LOGS = LAW.log_probabilities(np.array([0.0, 1.0, 3.0]))


def _honest(seed: int, runs: int = 60) -> list:
    """Two noisy looks and a selection between them; some runs stop after the first."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(runs):
        first = rng.standard_normal(4)
        run: list = [first]
        if first[0] < 1:  # what is looked at next depends on the answers
            answer = int(rng.choice(3, p=np.exp(LOGS)))
            run += [Selection.of(LOGS, answer, rng), rng.standard_normal(3)]
        found.append(run)
    return found


@pytest.mark.parametrize("name", TESTS)
def test_a_test_of_the_law_keeps_its_level(name):
    """At level 0.05, 200 times: 10 alarms on average at most; 40 with probability below 1e-12."""
    assert sum(bool(TESTS[name](Draws(_honest(seed)), 0.05)) for seed in range(200)) < 40


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("scale", lambda z: 0.6 * z),
        ("scale", lambda z: 0.9 * z),
        ("tails", lambda z: np.where(np.abs(z) > 1.5, z / 2, z)),
        ("repeats", lambda z: z[[0, 1, 0, *range(3, z.size)]] if z.size > 3 else z),
        ("pairs", lambda z: np.append(z[:1], 0.8 * z[:1] + 0.6 * z[1:])),
        ("shape", lambda z: np.abs(z)),
    ],
)
def test_a_test_of_noise_sees_what_it_names(name, broken):
    honest = _honest(1, 400)
    runs = [[d if isinstance(d, Selection) else broken(d) for d in run] for run in honest]
    assert TESTS[name](Draws(runs), 1e-9)
    assert off_law(Draws(runs), 1e-8)


def test_sharper_selections_are_seen():
    rng, law = np.random.default_rng(2), Exponential(sensitivity=1.0, epsilon=4.0)
    sharper = law.log_probabilities(np.array([0.0, 1.0, 3.0]))
    runs = [[Selection.of(LOGS, int(rng.choice(3, p=np.exp(sharper))), rng)] for _ in range(300)]
    assert TESTS["sharpness"](Draws(runs), 1e-9)


def test_a_look_of_the_fit_before_is_seen():
    draws = _honest(3)
    again = [run if not r else [draws[r - 1][0], *run[1:]] for r, run in enumerate(draws)]
    assert off_law(Draws(again), 1e-8).startswith("repeats")


def _look(law, exact: float) -> Look:
    accountant = PrivacyAccountant(10.0, unit="epsilon" if isinstance(law, Laplace) else "rho")
    accountant.spend("look", 1.0)
    return Look(accountant.entries[0], law, np.atleast_1d(exact), np.zeros(1))


def test_noise_whose_scale_depends_on_the_data_has_no_price():
    """Laplace noise for 1/9 and 1/10, Gaussian noise for 1/4 and 1/5."""
    for kind, here, there in ((Laplace, 9, 10), (Gaussian, 4, 5)):
        budget = {"epsilon" if kind is Laplace else "rho": 1.0}
        one, other = (_look(kind(sensitivity=1 / n, **budget), 0.0) for n in (here, there))
        assert one.price(other) == np.inf
        assert one.price(one) == 0


def test_a_selection_with_another_epsilon_costs_its_exact_loss():
    scores = np.array([0.0, 2.0])
    one, other = (_look(Exponential(sensitivity=1.0, epsilon=e), scores) for e in (1.0, 3.0))
    # logits [0, 1] and [0, 3]: the loss of the two options spans 2
    assert one.price(other) == pytest.approx(2**2 / 8)


def _frame(label: int, **notes: int) -> pd.DataFrame:
    frame = pd.DataFrame({"x": [0]}, index=[label])
    frame.attrs.update(notes)
    return frame


class _Shares(np.ndarray):
    """An array with an attribute of its own."""


def _shares(rows: int) -> _Shares:
    shares = np.zeros(3).view(_Shares)
    shares.rows = rows
    return shares


class _Forgetful:
    """A model that its own pickles leave out of."""

    def __init__(self, table: object) -> None:
        self.table = table

    def __getstate__(self) -> dict:
        return {}


class _Slots:
    __slots__ = ("held",)

    def __init__(self, held: object) -> None:
        self.held = held


def _local(held: object) -> object:
    class Model:
        pass

    model = Model()
    model.held = held
    return model


def _loop(held: object) -> list:
    loop: list = [held]
    loop.append(loop)
    return loop


def _closure(held: object) -> object:
    return lambda: held


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_frame(9), _frame(10)),
        (_frame(9, rows=9), _frame(9, rows=10)),
        (_shares(9), _shares(10)),
        (pd.Series([1]), pd.Series([1], dtype=np.int8)),
        ({"a": [np.array([1.0, np.nan])]}, {"a": [np.array([1.0, 2.0])]}),
        (PrivacyAccountant(1.0), PrivacyAccountant(2.0)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([1], [1, 2]),
        (1, 1.0),
        (True, 1),
        (0.0, -0.0),
        (np.zeros(2, np.int16), np.zeros(2, np.int32)),
        (np.zeros((1, 2)), np.zeros(2)),
        (np.array([1, "a"], object), np.array([1, "b"], object)),
        ({1, 2}, {1, 3}),
        (lambda: 1, lambda: 2),
        (_closure(1), _closure(2)),
        (_Forgetful(1), _Forgetful(2)),
        (_Slots(1), _Slots(2)),
        (_local(1), _local(2)),
        (_loop(1), _loop(2)),
        ((i for i in ()), (i for i in ())),  # cannot be pickled: equals nothing
    ],
)
def test_what_differs_is_found(one, other):
    for inside in (lambda x: x, lambda x: SimpleNamespace(model=[x])):
        assert first_difference(contents(inside(one)), contents(inside(other)))


@pytest.mark.parametrize(
    "make",
    [
        lambda: {"a": [1.0, np.array([1.0, np.nan])]},
        lambda: PrivacyAccountant(1.0),
        lambda: _frame(9, rows=9),
        lambda: _shares(9),
        lambda: _closure([1]),
        lambda: _Forgetful(1),
        lambda: _Slots(1),
        lambda: _local(1),
        lambda: _loop(1),
        lambda: ["".join("ab")] * 2,
        lambda: np.random.default_rng(0),
    ],
)
def test_what_is_made_twice_is_equal(make):
    assert first_difference(contents(make()), contents(make())) == ""


def test_two_equal_parts_may_be_one_object():
    part = [1.0]
    assert first_difference(contents([part, part]), contents([[1.0], [1.0]])) == ""


def test_attributes_that_are_no_fields_count():
    one, other = PrivacyAccountant(1.0), PrivacyAccountant(1.0)
    other.table = [1, 2]
    assert first_difference(contents(one), contents(other)) == "released.table"
