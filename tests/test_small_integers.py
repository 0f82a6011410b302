"""Counts and codes in few bits, and columns of a filtered table: the answer is that of plain arrays."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lib.coherence.bounds.paper import theorem8_delta
from lib.domain import Domain
from lib.dp import Gaussian, Laplace
from lib.fairness import evaluate
from lib.groups import groups
from lib.ldp import PROTOCOLS, make
from lib.ldp.grr import randomised_response
from lib.means import Interval, coinpress, laplace_means, strat_laplace
from lib.rng import stream
from lib.stats.holm import holm
from lib.stats.summary import mean_interval, summarise
from lib.stats.ties import above, ranks

SMALL = pytest.mark.parametrize("dtype", ["uint8", "int8", "int16"])
LARGE = np.array([100, 127, 3])  # twice as much is too much for 8 bits
SIZES = np.array([100, 50, 7])
VALUES = np.repeat([0.0, 3.0, 1.0], SIZES)
PRIOR = Interval(low=0.0, high=9.0)
Y, HAT, GROUP = np.array([[1, 1, 0, 0, 1, 1], [1, 0, 1, 0, 1, 0], [1, 1, 1, 0, 0, 0]])


def _rng() -> np.random.Generator:
    return stream(0, "few bits")


@SMALL
@pytest.mark.parametrize("name", PROTOCOLS)
def test_reports_and_estimates(name, dtype):
    protocol, codes = make(name, k=120, epsilon=2.0), np.arange(120).repeat(2)
    few, many = (
        protocol.estimate(protocol.privatise(codes.astype(d), _rng())) for d in (dtype, int)
    )
    assert np.array_equal(few, many)


@SMALL
def test_randomised_response(dtype):
    few, many = (randomised_response(LARGE.astype(d), 200, 0.5, _rng()) for d in (dtype, int))
    assert np.array_equal(few, many)


@SMALL
def test_noise_on_counts(dtype):
    law = Laplace(sensitivity=1.0, epsilon=1.0)
    assert np.array_equal(*(law.release(LARGE.astype(d), _rng()) for d in (dtype, int)))


@SMALL
def test_noise_by_sensitivities(dtype):
    few, many = (
        Gaussian(sensitivity=LARGE.astype(d), rho=2.0).release(np.ones(3), _rng())
        for d in (dtype, int)
    )
    assert np.array_equal(few, many)


@SMALL
def test_means_of_groups_of_so_many(dtype):
    few, many = (
        (
            laplace_means(VALUES, SIZES.astype(d), 0.0, 9.0, 0.5, _rng()),
            coinpress(VALUES, SIZES.astype(d), PRIOR, (0.5,), _rng()),
        )
        for d in (dtype, int)
    )
    assert np.array_equal(few, many)


@SMALL
def test_means_by_codes_of_groups(dtype):
    codes = np.repeat([0, 1, 2], SIZES)
    given = {"low": 0.0, "high": 9.0, "epsilon": 0.5}
    few, many = (
        strat_laplace(VALUES, codes.astype(d), 3, rng=_rng(), **given) for d in (dtype, int)
    )
    assert few.population == many.population
    assert np.array_equal(few.strata, many.strata)


@SMALL
def test_fairness_of_labels(dtype):
    few, many = (evaluate(*(x.astype(d) for x in (Y, HAT, GROUP))) for d in (dtype, int))
    assert few == pytest.approx(many, rel=0, abs=0, nan_ok=True)


@SMALL
def test_summaries_and_ties(dtype):
    few, many = LARGE.astype(dtype), LARGE
    assert mean_interval(few) == mean_interval(many)
    assert ranks(few).tolist() == ranks(many).tolist()
    assert above(few, few[::-1]).tolist() == above(many, many[::-1]).tolist()
    tables = (pd.DataFrame({"a": [0, 0, 1], "x": x}) for x in (few, many))
    pd.testing.assert_frame_equal(*(summarise(t, ["a"], "x") for t in tables))


@SMALL
def test_groups_of_codes_and_sizes_of_domains(dtype):
    few, many = pd.DataFrame({"a": LARGE.astype(dtype)}), pd.DataFrame({"a": LARGE})
    assert list(groups(few, ["a"])) == list(groups(many, ["a"]))
    domain = Domain.of({"a": LARGE.astype(dtype)[0], "b": LARGE.astype(dtype)[1]})
    assert domain.sizes == (100, 127)
    assert all(type(size) is int for size in domain.sizes)
    known = {"epsilon": 0.1, "beta": 0.05, "collection": 10}
    few, many = (theorem8_delta(n=LARGE.astype(d)[0], **known) for d in (dtype, int))
    assert few == many


COLUMNS = {
    "evaluate": lambda form: evaluate(form(Y), form(HAT), form(GROUP)),
    "reports": lambda form: make("OUE", k=2, epsilon=1.0).privatise(form(Y), _rng()),
    "strat_laplace": lambda form: (
        strat_laplace(
            form(Y * 3.0), form(GROUP), 2, low=0.0, high=3.0, epsilon=1.0, rng=_rng()
        ).strata
    ),
    "coinpress": lambda form: coinpress(form(VALUES), SIZES, PRIOR, (0.5,), _rng()),
    "groups": lambda form: groups(pd.DataFrame({"a": form(GROUP)}), ("a",))["a = 0"],
    "holm": lambda form: holm(form(VALUES[90:110] / 4)),
    "mean_interval": lambda form: mean_interval(form(VALUES)),
    "ranks": lambda form: ranks(form(VALUES)),
}
FORMS = {
    "a filtered column": lambda x: pd.Series(x, index=np.arange(x.size)[::-1] + 7),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_has_the_answer_of_the_same_numbers_in_an_array(name, form):
    """A filtered table has labels out of order, which must match nothing by themselves."""
    found, plain = (COLUMNS[name](f) for f in (FORMS[form], np.array))
    if isinstance(plain, dict):
        found, plain = list(found.values()), list(plain.values())
    assert np.array_equal(np.asarray(found), np.asarray(plain), equal_nan=True)
