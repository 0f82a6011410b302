"""What a caller once got an answer for is refused by its name, whatever is wrong with it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lib import validate
from lib.datasets import load
from lib.domain import Domain
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
from lib.rng import stream
from lib.synth import marginal_errors

X = np.arange(6.0)
G = np.array([0, 1, 0, 1, 1, 0])
PEOPLE = pd.DataFrame({"a": [0, 1, 1, 0] * 3, "b": [2, 0, 1, 1] * 3, "y": [0, 1] * 6})
DOMAIN = Domain.of({"a": 2, "b": 3, "y": 2})
INTERVAL = Interval(low=0.0, high=9.0)
HUGE = 10**400
Y = np.array([0, 1, 1, 1, 0, 0])
# fmt: off
# The call, and the argument that its error names.
FELL = [
    (lambda: rho_of_pure(np.timedelta64(1, "D")), "epsilon"),
    (lambda: Interval(low=0, high=1e300), "low and high"),
    (lambda: laplace_means(X, [6], 0, 1e300, 1.0, None), "low and high"),
    (lambda: laplace_means(np.ones((2, 2, 2)), [2], 0, 9, 1.0, None), "values"),
    (lambda: recombine([np.nan, 1.0], [1, 1]), "estimates"),
    (lambda: strat_laplace(X, G, HUGE, low=0, high=9, epsilon=1.0, rng=stream(0)), "k"),
    (lambda: strat_coinpress(X, G, HUGE, INTERVAL, rho=1.0, rng=stream(0)), "k"),
    (lambda: holdout_weights(G, HUGE), "k"),
    (lambda: marginal_errors(PEOPLE, PEOPLE, DOMAIN, {("a",): "1"}), "weight of .*"),
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
    mask = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])
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
