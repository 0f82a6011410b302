"""One answer for one data set: in whatever dtype, layout or container the same data come.

Each call of :mod:`tests.torture_calls`, and of :data:`MORE`, is made again with each argument in
every form of :mod:`tests.same_data`. The answer has to be the same to the last bit, or a
``ValueError`` that names the argument.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from lib.audit.figures import sorted_predictions
from lib.audit.verdicts import overall
from lib.book.reference import modules_of, names_of
from lib.coherence.distances import reshuffling_p, split_distance
from lib.coherence.experiment import compare, predict_halves
from lib.coherence.learners import Constant, Estimator, Lookup, check_release
from lib.coherence.releases import Attacker, Histogram
from lib.coherence.tracing import Tracer
from lib.datasets import Unavailable
from lib.domain import Domain
from lib.dp import Gaussian, Laplace
from lib.fairness import evaluate
from lib.groups import groups
from lib.ldp import OLH, THE
from lib.ldp.bernoulli import indicators
from lib.ldp.grr import randomised_response
from lib.ldp.local_hashing import hash_values
from lib.means import Interval, coinpress, laplace_means, strat_coinpress, strat_laplace
from lib.means.group_sizes import improvements
from lib.means.grouped import bounds
from lib.means.theory import noise_weights, vector
from lib.rng import stream
from lib.stats.p_values import p_of_means, p_value
from lib.stats.summary import mean_interval, rank_correlation, summarise
from lib.stats.ties import above
from lib.synth import AIM, MST
from lib.synth.group_sizes import size_items
from lib.synth.workload import counts
from tests.same_data import LAYOUTS, SHAPES, flat, forms, plain
from tests.torture_calls import ALSO_CALLED, MEMBERS, SETUP, G, X, calls, people, runs
from tests.torture_calls import DOMAIN, Call, generator

PACKAGES = "dp ldp fairness means stats coherence synth audit domain groups".split()
DATA = re.compile(
    r"ndarray|DataFrame|Series|(Sequence|Iterable)\[(float|int)|tuple\[(float|int), \.\.\.|Sizes"
)
HUNDREDS = np.repeat([0.0, 3.0, 1.0], [100, 50, 7])  # whose sizes overflow 8 bits if doubled
SIZES = np.array([100, 50, 7])
PRIOR = Interval(low=0.0, high=9.0)
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
MORE: dict[str, tuple[Any, dict[str, Any]]] = {
    "coinpress": (
        lambda **more: coinpress(interval=PRIOR, rhos=(0.5,), rng=generator(), **more),
        {"values": HUNDREDS, "sizes": SIZES},
    ),
    "laplace_means": (
        lambda **more: laplace_means(low=0.0, high=9.0, rng=generator(), **more),
        {"values": HUNDREDS, "sizes": SIZES, "epsilon": 0.5},
    ),
    "strat_coinpress": (
        lambda **more: strat_coinpress(k=2, prior=PRIOR, rho=0.5, rng=generator(), **more),
        {"values": 20 * X, "groups": G, "weights": SIZES[:2]},
    ),
    "strat_laplace": (
        lambda **more: strat_laplace(k=2, epsilon=0.5, rng=generator(), **more),
        {"values": 20 * X, "groups": G, "low": np.zeros(2), "high": SIZES[:2]},
    ),
    "noise_weights": (noise_weights, {"sizes": SIZES, "radius": 100, "epsilon": 2, "gamma": 0.05}),
    "improvements": (improvements, {"sizes": SIZES, "alpha": 2}),
    "bounds": (bounds, {"low": np.zeros(2), "high": np.array([100, 120]), "k": 2}),
    "vector": (lambda values: vector("values", values, 0), {"values": SIZES}),
    "release": (
        lambda values: Laplace(sensitivity=1.0, epsilon=1.0).release(values, generator()),
        {"values": np.array([100, 127, 3])},
    ),
    "Gaussian": (
        lambda sensitivity: Gaussian(sensitivity=sensitivity, rho=2.0).release(X[:2], generator()),
        {"sensitivity": np.array([100, 3])},
    ),
    "randomised_response": (
        lambda values: randomised_response(values, 200, 0.5, generator()),
        {"values": np.array([0, 1, 100, 127])},
    ),
    "indicators": (lambda values: indicators(values, 3), {"values": np.array([0, 2, 1])}),
    "THE.histogram": (
        lambda values: THE(k=3, epsilon=1.0).histogram(values, generator()),
        {"values": np.array([0, 2, 1])},
    ),
    "LocalHashing.channel": (OLH(k=3, epsilon=1.0).channel, {"hashes": np.array([0, 1, 1])}),
    "LocalHashing.log_channel": (
        OLH(k=3, epsilon=1.0).log_channel,
        {"hashes": np.array([0, 1, 1])},
    ),
    "hash_values": (
        hash_values,
        {"seeds": np.array([3, 100], dtype=np.uint64), "values": np.array([1, 127]), "g": 7},
    ),
    "p_of_means": (p_of_means, {"table": summarise(runs(), ["dataset"], "SPD")}),
    "above": (above, {"one": np.array([100, 3]), "other": np.array([-100, 3])}),
    "size_items": (lambda sizes: size_items(sizes, 1), {"sizes": SIZES}),
    "sorted_predictions": (_drawn, {"h": np.array([0.5, 0.0, -1.0]), "inside": X[:3] > 0}),
    "overall": (overall, {"verdicts": pd.Series(["met", "not met"])}),
    "check_release": (
        lambda table: check_release(table, ("a",)),
        {"table": people()},
    ),
    **{
        f"predictions of {name}": (
            lambda frame, learner=learner: _learnt(learner, frame),
            {"frame": people()},
        )
        for name, learner in LEARNERS.items()
    },
}

# Where another form is other data, or has an answer of its own, with the reason.
OTHER_ANSWERS = {
    ("group_name|groups|groups_by_size", "bool|boolean|U4|string"): (
        "a group is named by its value: True, and a text, are not 1"
    ),
    ("run_means", "category, odd order"): "categories have an order of their own, and so the rows",
    ("Tracer", "U4|string"): "keeps the table as it is",
    ("predictions of tree", "U4|category.*|string"): (
        "to a learner, text and categories are no numbers: its encoding is documented"
    ),
}

# Takes data and is not called here, with the reason; a module stands for all of it.
EXCEPTIONS = {
    **dict.fromkeys(
        "Observer.look Protocol.privatise Protocol.support Protocol.privatise_support"
        " Protocol.n_reports LocalHashing.n_reports Synthesizer.fit".split(),
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
        "bernoulli perturbed_bits rate_distances select declared_sizes pair_scores spanning_tree"
        " quality_scores".split(),
        "takes what its callers have checked",
    ),
    **dict.fromkeys(
        "lib.ldp.random_subsets lib.synth.adapter lib.synth.domain_compression lib.synth.generator"
        " lib.synth.graphical lib.synth.products".split(),
        "the inside of a mechanism: takes what its callers have checked",
    ),
    **dict.fromkeys(
        "lib.audit.numbers lib.audit.release lib.audit.schema lib.audit.table lib.audit.run"
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
                words = rf"(?<![A-Za-z])({re.escape(name)}|{ALSO_CALLED.get(name, name)})\b"
                if label not in SHAPES and not re.search(words, str(error)):
                    yield f"{call.name}({name}, {label}): does not name it: {error}"
                if isinstance(value, np.ndarray) and (label in LAYOUTS or "index" in label):
                    yield f"{call.name}({name}, {label}): refused: {error}"
            except Exception as error:
                yield f"{call.name}({name}, {label}): {type(error).__name__}: {error}"
            else:
                alike = found == before or (label in SHAPES and flat(found) == flat(before))
                if not alike and not _expected(call.name, label):
                    yield f"{call.name}({name}, {label}): {found} instead of {before}"[:300]


def _expected(name: str, label: str) -> bool:
    short = name.rpartition(".")[2]
    return any(re.fullmatch(a, short) and re.fullmatch(b, label) for a, b in OTHER_ANSWERS)


@pytest.mark.parametrize("part", [*PACKAGES, "others", "more"])
def test_the_same_data_have_one_answer(part, on_replicas):
    lines = []
    for call in every_call()[part]:
        with suppress(Unavailable):  # real data are asked for
            lines += wrong(call)
    assert not lines, "\n".join(lines)


def _takers() -> Iterator[tuple[str, str, Any]]:
    """Module, name and object of what is public and takes data: functions, classes, methods."""
    for module in (m for package in PACKAGES for m in modules_of(f"lib.{package}")):
        for public in names_of(module):
            if public.kind == "data" or public.module != module:
                continue
            item = getattr(import_module(module), public.name)
            members = vars(item).items() if inspect.isclass(item) else ()
            methods = [(f"{public.name}.{k}", getattr(v, "__func__", v)) for k, v in members]
            for name, function in [(public.name, item), *methods]:
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
    called = {id(getattr(c.function, "__func__", c.function)) for p in every_call().values() for c in p}
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
    assert "reversed index" in judged(lambda x: list(x[:2]) if hasattr(x, "loc") else [*x])
    assert "does not name it: bad input" in judged(raises)
    assert "tuple): KeyError" in judged(raises)
    assert not judged(lambda x: np.asarray(x, dtype=float).sum())
