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
from lib.means import Interval, coinpress, laplace_means, strat_laplace
from lib.rng import stream
from lib.stats.p_values import holm
from lib.stats.summary import above, mean_interval, ranks, summarise
from lib.synth.workload import counts

LARGE = np.array([100, 127, 3])  # twice as much is too much for 8 bits
VALUES = np.repeat([0.0, 3.0, 1.0], LARGE)
PRIOR = Interval(low=0.0, high=9.0, sigma=1.0)
Y, HAT, GROUP = np.array([[1, 1, 0, 0, 1, 1], [1, 0, 1, 0, 1, 0], [1, 1, 1, 0, 0, 0]])


def _rng() -> np.random.Generator:
    return stream(0, "few bits")


def _estimate(name: str, codes):
    protocol = make(name, k=130, epsilon=2.0)
    return protocol.estimate(protocol.privatise(codes, _rng()))


OF_NUMBERS = {
    **{name: lambda x, name=name: _estimate(name, x) for name in PROTOCOLS},
    "noise": lambda x: Laplace(sensitivity=1.0, epsilon=1.0).release(x, _rng()),
    "sensitivities": lambda x: Gaussian(sensitivity=x, rho=2.0).release(np.ones(3), _rng()),
    "sizes": lambda x: laplace_means(VALUES, x, 0.0, 9.0, 0.5, _rng()),
    "sizes, in steps": lambda x: coinpress(VALUES, x, PRIOR, (0.5,), _rng()),
    "values": lambda x: coinpress(x, np.array([2, 1]), PRIOR, (0.5,), _rng()),
    "codes of groups": lambda x: (
        strat_laplace(np.ones(3), x, 130, low=0.0, high=9.0, epsilon=0.5, rng=_rng()).strata
    ),
    "groups": lambda x: [*groups(pd.DataFrame({"a": np.asarray(x)}), ["a"])],
    "a group": lambda x: groups(pd.DataFrame({"a": x}), ["a"])["a = 3"],
    "domain": lambda x: Domain.of(dict(zip("abc", x, strict=True))).sizes,
    "theorem 8": lambda x: theorem8_delta(n=next(iter(x)), epsilon=0.1, beta=0.05, collection=10),
    "counts": lambda x: counts(pd.DataFrame({"a": x}), Domain.of({"a": 128}), ("a",)),
    "interval": mean_interval,
    "summary": lambda x: summarise(
        pd.DataFrame({"a": np.arange(3) // 2, "x": np.asarray(x)}), ["a"], "x"
    ),
    "ranks": ranks,
    "above": lambda x: above(x, x[::-1]) if isinstance(x, np.ndarray) else above(x, LARGE[::-1]),
    "holm": lambda x: holm(x / 127),
}
FORMS = {kind: lambda x, kind=kind: x.astype(kind) for kind in ("uint8", "int8", "int16")}
FORMS["a filtered column"] = lambda x: pd.Series(x, index=np.arange(x.size)[::-1] + 7)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", OF_NUMBERS)
def test_numbers_have_one_answer_in_every_form(name, form):
    """A filtered table has labels out of order, which must match nothing by themselves."""
    found, plain = (OF_NUMBERS[name](f(LARGE)) for f in (FORMS[form], np.array))
    np.testing.assert_array_equal(np.asarray(found), np.asarray(plain))


@pytest.mark.parametrize("form", FORMS)
def test_labels_have_one_fairness_in_every_form(form):
    found, plain = (evaluate(*map(f, (Y, HAT, GROUP))) for f in (FORMS[form], np.array))
    assert found == pytest.approx(plain, rel=0, abs=0, nan_ok=True)
