"""No public callable answers a bad argument: it is refused by its name, whatever is wrong with it.

The calls are those of :mod:`tests.torture_calls`, which makes as many random ones as one likes:
``python -m tests.torture_calls --seed 1 --calls 50000``.
"""

from __future__ import annotations

import pkgutil
import re
import signal

import numpy as np
import pandas as pd
import pytest

import lib
from lib import validate
from lib.datasets import load
from lib.dp import rho_of_pure
from lib.fairness import evaluate
from lib.means import (
    Interval,
    holdout_weights,
    laplace_means,
    recombine,
    strat_coinpress,
    strat_laplace,
)
from lib.paths import CHAPTERS
from lib.rng import stream
from lib.synth import marginal_errors
from tests import torture_calls
from tests.public import names_of
from tests.torture_calls import BAD, DOMAIN, LEFT_OUT, PUBLIC, G, X, people

LEAST_CALLS, RANDOM_CALLS = 25_000, 3_000


def test_every_argument_refuses_every_bad_value_by_name():
    made, lines = torture_calls.run(torture_calls.every_call())
    assert not lines, "\n".join(lines)
    assert made >= LEAST_CALLS


def test_random_values_are_refused_or_answered_with_finite_numbers():
    made, lines = torture_calls.run(torture_calls.random_calls(stream(17), RANDOM_CALLS))
    assert not lines, "\n".join(lines)
    assert made == RANDOM_CALLS


def test_the_same_seed_makes_the_same_calls():
    first, second = (
        [(call.name, name) for call, name, *_ in torture_calls.random_calls(stream(3), 50)]
        for _ in range(2)
    )
    assert first == second


def test_the_calls_reach_every_package_with_a_public_face():
    faces = {
        f"lib.{m.name}"
        for m in pkgutil.iter_modules(lib.__path__)
        if m.ispkg and names_of(f"lib.{m.name}")
    }
    no_arithmetic = {"lib.runner", "lib.cli", "lib.pages", "lib.validate"}
    assert faces - no_arithmetic <= set(PUBLIC)
    pages = "\n".join(page.read_text(encoding="utf-8") for page in CHAPTERS.rglob("*.md"))
    used = set(
        re.findall(
            r"^from (lib\.(?:dp|ldp|means|synth|fairness|coherence|stats)[.\w]*) ", pages, re.M
        )
    )
    assert used <= set(PUBLIC)
    named = {name for module in PUBLIC for name in names_of(module)}
    assert set(LEFT_OUT) <= named


def test_a_wrong_answer_is_found(monkeypatch):
    """The judge of the calls sees an answer, another error, a warning, a hang, a bare message."""

    def call_of(function):
        return torture_calls.Call("f", function, {"x": 1.0}, {"x": "float"}, None)

    def forever(x):
        while True:
            x += 1

    def raises(error):
        def function(x):
            raise error

        return call_of(function)

    assert "answers" in torture_calls.wrong(call_of(lambda x: 1.0), "x", "text")
    assert "not finite" in torture_calls.wrong(call_of(lambda x: np.inf), "x", 1e300)
    assert "KeyError" in torture_calls.wrong(raises(KeyError("x")), "x", 2.0)
    assert "does not name" in torture_calls.wrong(raises(ValueError("bad input")), "x", 2.0)
    assert "Warning" in torture_calls.wrong(call_of(lambda x: np.float64(x) ** 2), "x", 1e300)
    if hasattr(signal, "setitimer"):
        monkeypatch.setattr(torture_calls, "SECONDS", 0.1)  # the test, too, would run for ten
        assert "TooLong" in torture_calls.wrong(call_of(forever), "x", 2.0)
    assert torture_calls.wrong(raises(ValueError("x must be 1")), "x", 2.0) is None
    assert torture_calls.wrong(call_of(lambda x: x), "x", 2.0) is None


INTERVAL = Interval(low=0.0, high=9.0)
HUGE = 10**400
Y = np.array([0, 1, 1, 1, 0, 0])
# fmt: off
# What fell in an attack from outside and no call above asks: the call, and the argument that its error names.
FELL = [
    (lambda: rho_of_pure(np.timedelta64(1, "D")), "epsilon"),
    (lambda: Interval(low=0, high=1e300), "low and high"),
    (lambda: laplace_means(X, [6], 0, 1e300, 1.0, None), "low and high"),
    (lambda: laplace_means(np.ones((2, 2, 2)), [2], 0, 9, 1.0, None), "values"),
    (lambda: recombine([np.nan, 1.0], [1, 1]), "estimates"),
    (lambda: strat_laplace(X, G, HUGE, low=0, high=9, epsilon=1.0, rng=stream(0)), "k"),
    (lambda: strat_coinpress(X, G, HUGE, INTERVAL, rho=1.0, rng=stream(0)), "k"),
    (lambda: holdout_weights(G, HUGE), "k"),
    (lambda: marginal_errors(people(), people(), DOMAIN, {("a",): "1"}), "weight of .*"),
    (lambda: evaluate(Y, Y, G, extra={"mine": 0.5}), "extra"),
    (lambda: load(".this:x"), "dataset"),
]
# fmt: on


@pytest.mark.parametrize(("call", "argument"), FELL)
def test_what_fell_is_refused_by_name(call, argument):
    with pytest.raises(ValueError, match=f"^{argument} must "):
        call()


@pytest.mark.parametrize("value", [np.timedelta64(3, "D"), np.timedelta64("NaT")])
@pytest.mark.parametrize("check", ["integer", "positive", "budget", "fraction"])
def test_a_difference_of_times_is_no_integer_and_no_number(check, value):
    """NumPy registers it among the integers."""
    with pytest.raises(ValueError, match=r"^k must be "):
        getattr(validate, check)("k", value, **{"low": 1} if check == "integer" else {})


def test_a_long_value_is_cut_in_the_message():
    with pytest.raises(ValueError, match=r"^x must be none") as refused:
        validate.require(False, "x", "none", list(range(10_000)))
    assert len(str(refused.value)) < 400


def test_a_refused_mask_can_be_used_as_before():
    """To write a masked array changes how it is cast afterwards."""
    mask = BAD["a mask"]()
    with pytest.raises(ValueError, match="masked"):
        validate.require(False, "x", "none", mask)
    assert mask.astype(int).sum() == 4


class _Asked:
    @validate.check_types
    def __init__(
        self,
        table: pd.DataFrame | None,
        pairs: tuple[str, str] = ("a", "b"),
        sizes: dict[str, int] | None = None,
    ) -> None:
        self.table = table


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((1,), r"table must be a pandas\.DataFrame or None, got 1"),
        ((None, ("a",)), "pairs must be a list or a tuple of 2, each entry text, got"),
        ((None, ("a", 1)), "pairs must be"),
        ((None, ("a", "b"), {"a": 0.5}), "sizes must be a mapping of text to an integer or None"),
    ],
)
def test_annotations_are_read_in_words(arguments, words):
    assert _Asked(pd.DataFrame()).table.empty
    with pytest.raises(ValueError, match=f"^{words}"):
        _Asked(*arguments)
