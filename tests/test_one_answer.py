"""One answer for one data set: in whatever dtype, layout or container the same data come.

Each call of :mod:`tests.torture_calls`, and of :data:`MORE`, is made again with each argument in
every form of :mod:`tests.same_data`. The answer has to be the same to the last bit, or a
``ValueError`` that names the argument.
"""

from __future__ import annotations

import inspect
import math
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from importlib import import_module
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from lib.audit.figures import sorted_predictions
from lib.audit.verdicts import overall
from lib.coherence.bounds.paper import theorem8_delta
from lib.coherence.distances import reshuffling_p, split_distance
from lib.coherence.experiment import compare, predict_halves
from lib.coherence.learners import Estimator, Lookup, check_release
from lib.coherence.tracing import Tracer
from lib.datasets import Unavailable
from lib.domain import Domain
from lib.dp import Gaussian, Laplace
from lib.groups import groups
from lib.ldp import OLH, THE
from lib.ldp.grr import randomised_response
from lib.ldp.local_hashing import hash_values
from lib.means import Interval, coinpress, laplace_means, strat_coinpress, strat_laplace
from lib.means.grouped import bounds
from lib.stats.holm import holm
from lib.stats.p_values import p_value
from lib.stats.summary import mean_interval, rank_correlation, summarise
from lib.stats.ties import above
from lib.synth.workload import counts
from studies.coherence.releases import Attacker, Histogram
from studies.private_means.group_sizes import improvements
from studies.private_means.theory import noise_weights, vector
from tests.public import modules_of, names_of
from tests.same_data import LAYOUTS, SHAPES, flat, forms, plain
from tests.torture_calls import (
    ALSO_CALLED,
    PUBLIC,
    SETUP,
    Call,
    G,
    X,
    calls,
    generator,
    people,
    runs,
)

PACKAGES = "dp ldp fairness means stats coherence synth audit domain groups".split()
DATA = re.compile(
    r"ndarray|DataFrame|Series|(Sequence|Iterable)\[(float|int)|tuple\[(float|int), \.\.\.|Sizes"
)
HUNDREDS = np.repeat([0.0, 3.0, 1.0], [100, 50, 7])  # whose sizes overflow 8 bits if doubled
SIZES = np.array([100, 50, 7])
PRIOR = Interval(low=0.0, high=9.0)
HASHING = OLH(k=3, epsilon=1.0)
HISTOGRAM = Histogram(columns=("a", "b"), sizes=(2, 3), epsilon=1.0)
LEARNERS = {
    "tree": Estimator(DecisionTreeClassifier()),
    "lookup of answers": Lookup(answers=True),
    "tracer": Tracer(people(), k=1),
    "attacker": Attacker(HISTOGRAM, "counts"),
}


def _drawn(h: np.ndarray, inside: np.ndarray) -> str:
    """The words below the figure; :mod:`tests.audit` looks at figures."""
    import matplotlib.pyplot as plt

    figure, words = sorted_predictions(h, inside, "g", words=("in", "out"))
    plt.close(figure)
    return words


def _learnt(learner: Any, frame: pd.DataFrame) -> list[np.ndarray]:
    return [*predict_halves(frame, learner, SETUP, generator())]


# What the other table has no call of, or none with numbers that overflow 8 bits.
# fmt: off
MORE: dict[str, tuple[Any, dict[str, Any]]] = {
    "coinpress": (lambda **more: coinpress(interval=PRIOR, rhos=(0.5,), rng=generator(), **more),
                  {"values": HUNDREDS, "sizes": SIZES}),
    "laplace_means": (lambda **more: laplace_means(low=0.0, high=9.0, rng=generator(), **more),
                      {"values": HUNDREDS, "sizes": SIZES, "epsilon": 0.5}),
    "strat_coinpress": (lambda **more: strat_coinpress(k=2, prior=PRIOR, rho=0.5, rng=generator(), **more),
                        {"values": 20 * X, "groups": G, "weights": SIZES[:2]}),
    "strat_laplace": (lambda **more: strat_laplace(k=2, epsilon=0.5, rng=generator(), **more),
                      {"values": 20 * X, "groups": G, "low": np.zeros(2), "high": SIZES[:2]}),
    "noise_weights": (noise_weights, {"sizes": SIZES, "radius": 100, "epsilon": 2, "gamma": 0.05}),
    "improvements": (improvements, {"sizes": SIZES, "alpha": 2}),
    "bounds": (lambda low, high: bounds(low, high, 2), {"low": np.zeros(2), "high": np.array([100, 120])}),
    "vector": (lambda values: vector("values", values, 0), {"values": SIZES}),
    "release": (lambda values: Laplace(sensitivity=1.0, epsilon=1.0).release(values, generator()),
                {"values": np.array([100, 127, 3])}),
    "Gaussian": (lambda sensitivity: Gaussian(sensitivity=sensitivity, rho=2.0).release(X[:2], generator()),
                 {"sensitivity": np.array([100, 3])}),
    "randomised_response": (lambda values: randomised_response(values, 200, 0.5, generator()),
                            {"values": np.array([0, 1, 100, 127])}),
    "THE.histogram": (lambda values: THE(k=3, epsilon=1.0).histogram(values, generator()), {"values": np.array([0, 2, 1])}),
    "LocalHashing.channel": (HASHING.channel, {"hashes": np.array([0, 1, 1])}),
    "LocalHashing.log_channel": (HASHING.log_channel, {"hashes": np.array([0, 1, 1])}),
    "hash_values": (hash_values, {"seeds": np.array([3, 100], dtype=np.uint64), "values": np.array([1, 127]), "g": 7}),
    "above": (above, {"one": np.array([100, 3]), "other": np.array([-100, 3])}),
    "sorted_predictions": (_drawn, {"h": np.array([0.5, 0.0, -1.0]), "inside": X[:3] > 0}),
    "overall": (overall, {"verdicts": pd.Series(["met", "not met"])}),
    "check_release": (lambda table: check_release(table, ("a",)), {"table": people()}),
    **{f"predictions of {name}": (partial(_learnt, learner), {"frame": people()}) for name, learner in LEARNERS.items()},
}
# fmt: on

# Where another form is other data, or has an answer of its own, with the reason.
OTHER_ANSWERS = {
    ("group_name|groups|groups_by_size", "bool|boolean|U4|string"): "True, and a text, are not 1",
    ("run_means", "category, odd order"): "categories have an order of their own, and so the rows",
    ("Tracer", "U4|string"): "keeps the table as it is",
    ("membership_scores|tracer_score", "U4|string"): "a text in one is no number of the other",
    ("predictions of tree", "U4|category.*|string"): (
        "to a learner, text and categories are no numbers: its encoding is documented"
    ),
}

# Along the last axis, or against each other: another shape has an answer of its own.
ANY_SHAPE = (
    "probabilities log_probabilities select Laplace Gaussian stratum_errors parity_error"
    " hash_values above group_name"
).split()

# What a message may say instead of the argument, beside what the other table has.
SAID = {"frame": "records|target", "frames": "metric", "table": "release"}

# Takes data and is not called here, with the reason; a module stands for all of it.
EXCEPTIONS = {
    "size_items": "the labels of a Series are codes there, as the keys of a mapping are",
    **dict.fromkeys(
        "Observer.look Protocol.privatise Protocol.support Protocol.privatise_support"
        " Protocol.n_reports LocalHashing.n_reports Synthesizer.fit Noise.checked Noise.release".split(),
        "abstract, or what every protocol calls",
    ),
    **dict.fromkeys(
        "Estimator.__call__ Lookup.__call__ Constant.__call__ After.__call__ Attacker.__call__"
        " Tracer.__call__".split(),
        "called by predict_halves, with each learner",
    ),
    **dict.fromkeys(
        "HashReports StratifiedMean Result Measurement GEMRound GEMModel Stratum"
        " StratifiedModel".split(),
        "a record that the package makes",
    ),
    **dict.fromkeys(
        "require_columns require_numbers bernoulli indicators perturbed_bits rate_distances select"
        " declared_sizes pair_scores spanning_tree quality_scores Design.of Design.units"
        " Design.mean".split(),
        "takes what its callers have checked",
    ),
    **dict.fromkeys(
        "lib.ldp.random_subsets lib.synth.adapter lib.synth.domain_compression lib.synth.generator"
        " lib.synth.graphical lib.synth.junction lib.synth.products".split(),
        "the inside of a mechanism: takes what its callers have checked",
    ),
    **dict.fromkeys(
        "lib.audit.attacks lib.audit.release lib.audit.schema lib.audit.table lib.audit.run"
        " lib.audit.certify lib.audit.marginals lib.audit.power lib.audit.utility adjusted repeated lib.coherence.naming"
        " group_distances".split(),
        "takes the text of a CSV file, or what the audit makes of it",
    ),
}


@cache
def every_call() -> dict[str, list[Call]]:
    """The calls of both tables by the package of what is called."""
    more = [Call(name, *what, annotations={}, many=None) for name, what in MORE.items()]
    found: dict[str, list[Call]] = {name: [] for name in [*PACKAGES, "others"]}
    for call in calls():
        part = inspect.unwrap(call.function).__module__.split(".")[1]
        found.get(part, found["others"]).append(call)
    return found | {"more": more}


def wrong(call: Call) -> Iterator[str]:
    """A line for each form of an argument that has another answer."""
    before = plain(call())
    for name, given in call.arguments.items():
        value = given() if callable(given) and given in (people, runs) else given
        for label, other in forms(value):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    found = plain(call(**{name: other}))
            except ValueError as error:
                called = [re.escape(name), ALSO_CALLED.get(name, name), SAID.get(name, name)]
                words = rf"(?<![A-Za-z])({'|'.join(called)})\b"
                if label not in SHAPES and not re.search(words, str(error)):
                    yield f"{call.name}({name}, {label}): does not name it: {error}"
                if isinstance(value, np.ndarray) and (label in LAYOUTS or "index" in label):
                    yield f"{call.name}({name}, {label}): refused: {error}"
            except Exception as error:
                yield f"{call.name}({name}, {label}): {type(error).__name__}: {error}"
            else:
                if found != before and not _expected(call.name, label, found, before):
                    yield f"{call.name}({name}, {label}): {found} instead of {before}"[:300]


def _expected(name: str, label: str, found: Any, before: Any) -> bool:
    short = name.rpartition(".")[2]
    if label in SHAPES and (short in ANY_SHAPE or flat(found) == flat(before)):
        return True
    return any(re.fullmatch(a, short) and re.fullmatch(b, label) for a, b in OTHER_ANSWERS)


@pytest.mark.parametrize("part", [*PACKAGES, "others", "more"])
def test_the_same_data_have_one_answer(part):
    lines = []
    for call in every_call()[part]:
        with suppress(Unavailable):  # real data are asked for
            lines += wrong(call)
    assert not lines, "\n".join(lines)


def _takers() -> Iterator[tuple[str, str, Any]]:
    """Module, name and object of what is public and takes data: functions, classes, methods."""
    of_studies = (m for m in PUBLIC if m.startswith("studies."))
    for module in (*chain.from_iterable(modules_of(f"lib.{p}") for p in PACKAGES), *of_studies):
        for public in names_of(module):
            item = getattr(import_module(module), public)
            if getattr(item, "__module__", "") != module:
                continue
            members = vars(item).items() if inspect.isclass(item) else ()
            methods = [(f"{public}.{k}", getattr(v, "__func__", v)) for k, v in members]
            for name, function in [(public, item), *methods]:
                own = name.rpartition(".")[2]
                hidden = own.startswith("_") and own != "__call__"
                if callable(function) and not hidden and _takes_data(function):
                    yield module, name, function


def _takes_data(function: Any) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return False
    return any(DATA.search(str(p.annotation)) or p.name == "reports" for p in parameters)


def test_everything_public_that_takes_data_is_called_or_excepted():
    functions = (call.function for part in every_call().values() for call in part)
    called = {id(getattr(function, "__func__", function)) for function in functions}
    missing, used = [], set()
    for module, name, function in _takers():
        if id(function) in called or name in MORE:
            continue
        used |= {module, name} & set(EXCEPTIONS)
        if not {module, name} & set(EXCEPTIONS):
            missing.append(f"{module}.{name}")
    assert not missing
    assert used == set(EXCEPTIONS)  # none is out of date


def test_another_answer_is_found():
    """The judge sees a wrong answer, another error, and an error that names nothing."""

    def judged(function):
        return "\n".join(wrong(Call("f", function, {"x": np.array([100, 3])}, {}, None)))

    def raises(x):
        if isinstance(x, list):
            raise ValueError("bad input")
        if isinstance(x, tuple):
            raise KeyError
        return 0

    assert "f(x, int8): [-56, 6]" in judged(lambda x: x + x if hasattr(x, "dtype") else 2 * X)
    assert "reversed index" in judged(lambda x: [float(x[0]), float(x[1])])
    assert "does not name it: bad input" in judged(raises)
    assert "tuple): KeyError" in judged(raises)
    assert not judged(lambda x: np.asarray(x, dtype=float).sum())


H, WHO = np.array([0.9, -0.2, 0.4, 0.1]), np.array([True, False, True, False])


@pytest.mark.parametrize("numbers", [np.array([1, 0, 1, 0]), [1, 0, 1, 0], pd.Series([1, 0, 1, 0])])
def test_numbers_are_no_mask(numbers):
    """Taken for rows, they compared the first two people."""
    everyone = {"everyone": np.ones(4, dtype=bool)}
    for call in (
        lambda: compare(H, numbers, everyone, SETUP, generator()),
        lambda: split_distance(H, numbers),
        lambda: reshuffling_p(H, numbers, draws=9, enough=2, rng=generator()),
        lambda: sorted_predictions(H, numbers, "g", words=("in", "out")),
    ):
        with pytest.raises(ValueError, match=r"^inside must be an array of True and False, got"):
            call()
    with pytest.raises(ValueError, match=r"^members of 'some' must be an array of True and False"):
        compare(H, WHO, {"some": numbers}, SETUP, generator())
    found = compare(list(H), pd.Series(WHO, index=[3, 2, 1, 0]), everyone, SETUP, generator())
    assert found["mean_a"].tolist() == [pytest.approx(0.65)]


@pytest.mark.parametrize(
    "law", [Laplace(sensitivity=1.0, epsilon=1.0), Gaussian(sensitivity=1.0, rho=0.5)]
)
def test_a_value_that_the_noise_cannot_move_is_refused(law):
    """Between 1e17 and the next float lie 16, so that the value itself was released."""
    for value in (1e17, -1e17, [1.0, 2.0**43], np.array([2**53], dtype=np.int64)):
        with pytest.raises(ValueError, match=r"^values must be so small that the gap to the next"):
            law.release(value, generator())
    assert law.release(2.0**42, generator()) != 2.0**42
    assert law.release([], generator()).size == 0


def test_equal_runs_prove_little():
    """Two runs of 0.3 had p = 0 against 0; and 30,000 against itself, but for last bits."""
    two = np.array([0.3, 0.3])
    p = {direction: p_value(two, 0.0, direction) for direction in ("greater", "two-sided", "less")}
    assert p == {"greater": 0.25, "two-sided": 0.5, "less": 1.0}
    assert p_value(two, 0.3, "two-sided") == 1
    bits = np.full(2, math.nextafter(30_000, math.inf))
    assert p_value(bits, 30_000, "two-sided") == p_value(bits, 30_000, "greater") == 1


@pytest.mark.parametrize(
    "number", [Fraction(3, 10), np.float32(0.5), np.int8(1), np.longdouble(0.25)]
)
def test_a_reference_is_any_real_number(number):
    values = np.array([0.1, 0.2, 0.4])
    assert p_value(values, number, "less") == p_value(values, float(number), "less")


def test_one_missing_value_renames_no_group():
    """It makes floats of a column's codes, and 1 was then written as 1.0."""
    whole, gap = pd.DataFrame({"a": [0, 1, 1]}), pd.DataFrame({"a": [0, 1, 1, None]})
    assert list(groups(whole, ["a"])) == list(groups(gap, ["a"])) == ["everyone", "a = 0", "a = 1"]
    assert "a = 0.5" in groups(pd.DataFrame({"a": [0.5, 1.0]}), ["a"])


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "int64[pyarrow]"])
def test_a_gap_is_one_in_every_dtype(dtype):
    floats = pd.Series([1.0, np.nan, 3.0, 2.0])
    gaps = pd.Series([1, None, 3, 2], dtype=dtype)
    assert mean_interval(gaps) == mean_interval(floats)
    assert p_value(gaps, 0.0, "greater") == p_value(floats, 0.0, "greater")
    assert list(groups(pd.DataFrame({"a": gaps}), ["a"])) == list(
        groups(pd.DataFrame({"a": floats}), ["a"])
    )
    with pytest.raises(ValueError, match=r"^a must be whole numbers"):
        Domain.of({"a": 4}).check(pd.DataFrame({"a": gaps}))


def test_numbers_of_few_bits_are_reckoned_in_full():
    """200 people in 8 bits; the domain's sizes are multiplied."""
    few, many = (
        {"epsilon": 0.1, "beta": 0.05, "n": n, "collection": 10} for n in (np.uint8(200), 200)
    )
    assert theorem8_delta(**few) == theorem8_delta(**many)
    domain = Domain.of({"a": np.uint8(200), "b": np.uint8(200)})
    assert domain.sizes == (200, 200)
    assert all(type(size) is int for size in domain.sizes)
    assert above(np.array([3], dtype=np.uint8), np.array([5], dtype=np.uint8)).tolist() == [False]


WIDE, TENTHS = Laplace(sensitivity=1e9, epsilon=1.0), np.array([0.1, 0.2, 0.4])
ONE, OTHER = pd.Series([1.0, 2.0, 3.0]), pd.Series([1.0, 3.0, 2.0], index=[2, 1, 0])
TWICE = pd.DataFrame([[0, 1], [1, 0]], columns=["a", "a"])
# fmt: off
REFUSED = [
    # it was moved by one, before any noise
    *((lambda v=v: WIDE.release(np.array(v), generator()), r"^values must be numbers that a float can hold, got 900719")
      for v in (2**53 + 1, [2**53 + 1, 0], np.uint64(2**53 + 1))),
    *((lambda o=o: p_value(TENTHS, o, "less"), r"^reference must be a number, got") for o in (Decimal("0.3"), "0.3", np.array([0.3]), 1j, None)),
    (lambda: groups(people(), predicates={"p": lambda t: (t["a"] == 1).sort_values()}), "predicate 'p' must return the rows of the table in their"),
    (lambda: rank_correlation(ONE, OTHER), r"^y must be of the labels of x, in their order"),
    (lambda: groups(TWICE, ["a"]), "must be a column that is there once, got"),
    (lambda: summarise(TWICE, ["a"], "a"), "must be a column that is there once, got"),
    # it was counted in the cell of 0
    (lambda: counts(pd.DataFrame({"a": [0.5, 1.0]}), Domain.of({"a": 2}), ("a",)), r"^a must be whole numbers"),
    *((lambda v=v: mean_interval(v), r"^values must be ") for v in (np.ones((2, 2)), np.array(1.0), pd.DataFrame({"x": [1.0]}))),
    # read entry by entry, it gives the names of its columns
    (lambda: holm(pd.DataFrame([[0.01], [0.5]])), r"^p must be an iterable"),
]
# fmt: on


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_data_with_two_readings_are_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_what_is_like_them_is_answered():
    assert WIDE.release(np.array([2**53 + 2]), generator()).size == 1
    assert rank_correlation(ONE, OTHER.reset_index(drop=True)) == pytest.approx(0.5)
