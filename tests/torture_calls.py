"""Bad arguments for every public callable: ``python -m tests.torture_calls --seed 1 --calls 50000``.

A call that works has one argument replaced by a value that does not fit. It has to be refused by a
``ValueError`` or ``TypeError`` that names the argument, within a second and without a warning. A
value that fits the argument's annotation may have an answer instead, of finite numbers.
``tests/test_bad_input.py`` makes every pair of an argument and a value of :data:`BAD` once; the
command makes as many calls as asked for, with values drawn at random.
"""

from __future__ import annotations

import argparse
import datetime
import inspect
import math
import re
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from lib.coherence.experiment import Setup
from lib.coherence.guarantee import Setting
from lib.coherence.learners import Lookup
from lib.coherence.solver import solve
from lib.datasets import Unavailable
from lib.domain import Domain
from lib.dp import Exponential, Gaussian, Laplace, PrivacyAccountant
from lib.dp.certificate import Guesses
from lib.ldp import PROTOCOLS, make
from lib.ledger import Claim
from lib.means import Interval
from lib.rng import stream
from lib.synth import AIM, GEM, MST, Stratified
from lib.synth.base import Measurement
from studies.coherence.releases import Histogram
from studies.privacy_audit.empirical_delta import Promise
from tests.public import names_of

# The packages whose face is public, and the modules behind it that pages import from.
PUBLIC = """
lib.ldp lib.dp lib.synth lib.means lib.fairness lib.datasets lib.ledger lib.domain lib.rng
lib.groups lib.audit.request lib.dp.accounting lib.dp.certificate studies.privacy_audit.empirical_delta studies.ldp_fairness.allocation
lib.ldp.histogram studies.ldp_fairness.information lib.ldp.local_hashing studies.private_means.theory studies.private_means.group_sizes
lib.means.grouped studies.private_means.parity lib.synth.workload lib.stats.holm lib.stats.summary
studies.ldp_fairness.summary
lib.stats.ties
lib.coherence.answers lib.coherence.combination lib.coherence.distances lib.coherence.experiment
lib.coherence.guarantee lib.coherence.learners studies.coherence.releases lib.coherence.solver
lib.coherence.naming lib.coherence.tracing studies.coherence.exact_information lib.coherence.bounds.max_information
lib.coherence.bounds.paper studies.coherence.single_column lib.coherence.bounds.tightened
studies.coherence.steps lib.coherence.bounds.within_group lib.datasets.codebook lib.stats.p_values lib.synth.base
lib.synth.group_sizes lib.synth.gem lib.dp.gaussian lib.coherence lib.coherence.result lib.table
""".split()

# What is public and takes no argument from outside, with the reason.
LEFT_OUT = {
    name: reason
    for reason, names in {
        "abstract": "Protocol LocalHashing Fitted Synthesizer Noise",
        "a type": "Metric Columns Workload Learner Predict",
        "an error": "DataError Unavailable",
        "a record that the package makes": "Entry StratifiedMean Dataset HashReports Row Result"
        " Solution File Meaning Measurement GEMRound GEMModel Table",
        "tested in tests/ledger": "Claim read_claims",
        "tested in tests/synth/test_table.py": "read_schema schema_text",
        "takes what evaluate makes": "summary",
        "takes a hook of the audit of mechanisms": "observed",
        "takes what OLH draws": "hash_values",
        "takes what a replica holds": "paper_codes",
        "takes arrays and tables alike": "above",
        "a check of the functions that take members": "mask masks",
        "the inside of another, which is called": "size_ratio allows_delta check_release"
        " halved_members rate_distances vector bounds group_columns nearest require_columns"
        " require_numbers size_items declared_sizes share require_megabytes gaussian gaussian_cost"
        " gaussian_scale select selection_cost selection_epsilon cuts promise",
    }.items()
    for name in names.split()
}

# What a message may say instead of the parameter's name: the thing that it stands for.
ALSO_CALLED = {
    "name": "protocol|dataset|file",
    "budget": "rho|epsilon",
    "by": "columns",
    "cost": "rho|epsilon",
    "frame": "column|a|b|y",
    "data": "column|a|b|y",
    "records": "a",
    "h": "predictions",
    "n": "shape",
    "k": "shape",
    "groups": "must have the shape",
    "sanitised": "column",
    "costs": "rho",
    "sensitivity": "relation",
    "workload": "weight|columns",
    "universe": "draws",
    "y_true": "y_pred",
    "real": "a|b|y",
    "synthetic": "a|b|y",
}

# Answers that are not finite and are meant, by the documentation of the callable.
UNDEFINED = {
    "fairness", "utility", "evaluate", "group_rates", "rates",  # a rate of nobody is NaN
    "stratum_errors", "parity_error",  # of an estimate that is NaN
    "holm", "mean_interval", "p_value", "rank_correlation", "merge_ties", "ranks",  # NaN is a value that a run does not have
    "summarise", "curves", "baseline", "distance", "differences", "paired", "pooled", "run_means",
    "split_distance", "wasserstein1", "shuffled_distances", "reshuffling_p",  # NaN: an empty side
    "compare", "one_split", "demcoh",
    "max_information", "noisy_count", "perfect_generalisation", "generalisation_information",
    "half_sample_distance", "within_distance", "within_size",  # no bound: infinity
    "insufficient_epsilon", "theorem3_terms", "alpha_by_squares", "log_sums", "improvements", "log_density",
    "solve", "Setting", "Histogram", "Attacker", "log_probabilities",
}  # fmt: skip


def people() -> pd.DataFrame:
    """A small table of codes."""
    return pd.DataFrame({"a": [0, 1, 1, 0] * 3, "b": [2, 0, 1, 1] * 3, "y": [0, 1] * 6})


def runs() -> pd.DataFrame:
    """Records of runs, as a sweep stores them."""
    rows = [
        {"dataset": "adult", "protocol": p, "split": s, "epsilon": e, "run": r, "SPD": 0.1 * r}
        for p, s, e in (("GRR", "uniform", 1.0), ("NonDP", "none", math.inf))
        for r in range(3)
    ]
    return pd.DataFrame(rows)


DOMAIN = Domain.of({"a": 2, "b": 3, "y": 2})
X = np.arange(6.0)
G = np.array([0, 1, 0, 1, 1, 0])
BITS = np.array([[0, 1, 0], [1, 0, 0], [0, 1, 1]], dtype=np.uint8)
SETTING = {"alpha": 0.2, "beta": 0.05, "gamma": 250_000, "collection": 100, "n": 5_000_000}


def generator() -> np.random.Generator:
    return stream(0, "torture")


# A value for a parameter by its name: what most callables mean by it. A function makes a new one.
# fmt: off
BY_NAME: dict[str, Any] = {
    "accountant": None, "alpha": 0.3, "at": 1.0, "b": 100, "beta": 0.05, "better": 1,
    "bits_a": BITS, "bits_b": BITS, "budget": 1.0, "by": ("a",), "cells": 4, "collection": 10,
    "columns": ("a", "b"), "cost": 0.5, "counts": np.array([3, 2, 1]), "data": people,
    "delta": 1e-6, "delta_hat": 1e-4, "digits": 3, "distance": "wasserstein", "domain": DOMAIN,
    "draws": 5, "enough": 2, "epsilon": 0.4, "estimate": np.array([1.0, 5.0]),
    "estimates": np.array([1.0, 5.0]), "eta": 0.05, "fair": 0.0, "frame": people,
    "frequencies": [np.array([0.5, 0.5]), np.array([0.2, 0.3, 0.5])], "frequency": 0.1,
    "fresh": np.array([0.25, 0.75]), "gamma": 0.1, "group": G, "groups": G, "high": 9.0, "hits": 3,
    "inside": np.array([True, False] * 3), "interval": Interval(low=0.0, high=9.0), "k": 2,
    "level": 0.05, "log_p": -3.0, "losses": np.array([0.1, -0.2, 0.5]), "low": 0.0, "members": 100,
    "metric": "SPD", "metrics": {"SPD": 0.0}, "mode": "theorem7", "mu": 0.5, "n": 100,
    "name": "GRR", "noise": X, "ones": 2, "paper": "ldp", "population": people,
    "prior": Interval(low=0.0, high=9.0), "promise": Promise(rho=0.5), "protocol": "GRR",
    "ratio": 0.5, "real": people, "relation": "replace", "rho": 0.5, "rhos": (0.5, 0.5),
    "rng": generator, "runs": 5, "scores": X, "seed": 1, "sensitive": ["b"], "sensitivity": 1.0,
    "setting": Setting(**SETTING), "size": 3, "sizes": np.array([4, 2]), "source": "replica",
    "split": "uniform", "splits": 2, "support": BITS, "synthetic": people,
    "true": np.array([0.5, 0.5]), "truth": np.array([2.0, 4.0]), "truth_all": 3.0,
    "estimate_all": 3.0, "unit": "rho", "values": X, "value": 0.5, "weights": np.array([3.0, 1.0]),
    "what": "a look", "workload": {("a",): 1.0, ("a", "b"): 1.0}, "y_pred": G,
    "y_true": np.array([0, 1, 1, 1, 0, 0]), "zeta": 1.0,
}
# fmt: on

CHANGES = pd.DataFrame(
    [{"grid": "g", "dataset": "adult", "metric": "SPD", "mean": 0.1, "low": 0.0, "high": 1}]
)
MEMBERS = {"everyone": np.ones(12, dtype=bool), "a = 1": np.array([False, True, True, False] * 3)}
GUESSES = Guesses(named=3, hits=2, people=6, inside=3)
SETUP = Setup(target="y", lens=("a", "b"), null_draws=2)
ONE_COLUMN = Histogram(columns=("a",), sizes=(2,), epsilon=1.0)
CLAIM = Claim(id="x", paper="ldp", place="p", statement="s", verdict="not run", why="no measure")

# Of one callable: values of its own.
OWN: dict[str, dict[str, Any]] = {
    "Category": {"values": ("f", "m"), "other": "another"},
    "Number": {"low": 0.0, "high": 8.0, "bins": 4},
    "split_budget": {"sizes": [2, 8], "attributes": ["a", "b"]},
    "one_hot": {"values": G, "k": 3},
    "sanitise": {"form": "dense"},
    "design_matrix": {"sanitised": {"a": np.eye(2, dtype=np.uint8)[people()["a"]]}},
    "choose": {"mechanism": Exponential(sensitivity=1.0, epsilon=1.0)},
    "noisy": {
        "accountant": lambda: PrivacyAccountant(1.0, unit="epsilon"),
        "sensitivity": {"add or remove": 0.5, "replace within a group": 0.0},
        "mechanism": Laplace(sensitivity=0.5, epsilon=0.5),
    },
    "Laplace": {"scale": None},
    "Gaussian": {"sigma": None},
    "Exponential": {"rho": None},
    "rho_of_pure": {"of": "any"},
    "Stratified": {"inner": MST(iterations=1), "weights": "public", "sizes": None},
    "AIM": {"degree": 2, "alpha": 0.9},
    "GEM": {"alpha": 0.25},
    "strat_coinpress": {"split": (0.25, 0.75)},
    "evaluate": {"extra": {"mine": lambda *_: 0.5}},
    "lib.ledger.evaluate": {"claims": [CLAIM], "shown": lambda claim: True, "measured": None},
    "rates": {"y_true": G == 1, "y_pred": G == 0},
    "load": {"name": "lsac"},
    "load_raw": {"name": "db_LSAC.csv", "source": "cache"},
    "task": {"name": "lsac"},
    "Task": {
        "name": "mine", "title": "Mine", "file": "x.csv", "target": "y", "protected": "a",
        "sensitive": ("b",), "pool": ("a",), "prepare": lambda frame: frame,
    },
    "Domain": {"sizes": (2, 3)},
    "stream": {"key": "x"},
    "seed_sequence": {"key": "x"},
    "group_name": {"values": {"SEX": 1}},
    "group_values": {"name": "SEX = 1"},
    "groups": {"columns": ["a"], "crossings": [["a", "b"]], "predicates": {"p": lambda f: f["a"] == 1}},
    "groups_by_size": {
        "columns": ["a"], "crossings": [["a", "b"]], "gamma": 2.0,
        "predicates": {"p": lambda f: f["a"] == 1},
    },
    "to_bands": {"values": pd.Series([3, 18, 70]), "edges": (18, 65)},
    "bands_in_order": {"names": ["age = 18-64", "age = < 18"]},
    "groups_of_at_least": {"found": MEMBERS, "gamma": 2.0},
    "Request": {
        "cluster": None,
        "weights": None,
        "file": Path(__file__), "sensitive": "ill", "groups": ("sex",), "crossings": (("sex", "age"),),
        "bands": {"age": (18.0, 65.0)}, "columns": {"age": "number"}, "lens": ("age",),
        "curator": "make {half} {release}", "timeout": 5.0, "learners": ("forest",),
        "alphas": (0.1,), "gamma": 80.0, "labels": "hard", "splits": 20, "members": None,
    },
    "command_words": {"command": "make it"},
    "Promise": {"epsilon": None},
    "mean_exceeds": {"values": np.array([0.1, 0.9]), "mean": 0.2},
    "total_variance": {"budgets": [0.5, 0.5], "weighting": "values"},
    "least_variance_split": {"weighting": "values", "frequencies": [np.array([0.5, 0.5])]},
    "optimal_theta": {"theta_range": "paper"},
    "posterior": {"protocol": make("OUE", k=3, epsilon=1.0), "prior": np.array([3.0, 2.0, 1.0])},
    "null_support_mass": {"protocol": make("OUE", k=3, epsilon=1.0)},
    "mutual_information": {"protocol": make("OUE", k=3, epsilon=1.0)},
    "clip_slack": {"reading": "union"},
    "clipping_probability": {"reading": "union"},
    "noise_weights": {"sizes": [900, 100], "radius": 3.0, "own": True},
    "stratified_bound": {"sizes": [900, 100], "radius": 3.0},
    "printed_factor": {"sizes": [900, 100], "radius": 3.0},
    "expected_logs": {"k": 3},
    "improvements": {"sizes": [900, 80, 20]},
    "parity_error": {"omega": 0.5, "reading": "sum", "drop": 0, "normalised": True},
    "megabytes": {"marginals": [("a",)]},
    "total_variation": {"real": np.array([0, 1]), "synthetic": np.array([0, 3])},
    "group_errors": {"ours": MEMBERS, "theirs": MEMBERS},
    "membership_scores": {"release": people}, "tracer_score": {"release": people},
    "Cut": {"score": "rare", "inside": 0.25, "outside": 0.25, "fixed": False},
    "Guesses": {"named": 3, "hits": 2, "people": 6, "inside": 3},
    "hits_p": {"guesses": [GUESSES], "epsilon": 0.5, "delta": 0.0},
    "epsilon_limit": {"guesses": [GUESSES], "delta": 0.0},
    "ceiling": {"people": 10, "named": 5, "inside": 5},
    "smallest_leak": {"people": 20, "power": 0.8, "named": 10, "inside": 10},
    "least_hits": {"guesses": [GUESSES], "delta": 0.0},
    "hits_chance": {"guesses": [GUESSES], "log_odds": 0.5, "hits": 2},
    "hits_law": {"guesses": GUESSES, "log_odds": 0.5},
    "score_names": {"release": people},
    "holm": {"p": [0.01, 0.5]},
    "cell_runs": {"frame": runs},
    "span": {"counts": pd.Series([3, 4])},
    "mean_interval": {"floor": 0.0},
    "summarise": {"frame": runs, "by": ["dataset"], "value": "SPD", "floor": 0.0},
    "rank_correlation": {"x": pd.Series([1.0, 2.0]), "y": pd.Series([1.0, 2.0])},
    "curves": {"frame": runs}, "baseline": {"frame": runs},
    "distance": {"frame": runs}, "differences": {"frame": runs}, "paired": {"frame": runs},
    "pooled": {"frame": runs, "by": ["dataset"]},
    "run_means": {"frame": runs, "value": "SPD", "by": ["dataset"]},
    "tally": {"summary": pd.DataFrame(
        {"dataset": ["a"], "split": ["u"], "mean": [0.1], "low": [0.0], "high": [1.0]})},
    "side_by_side": {"frames": {"g": runs()}},
    "agreement": {"changes": CHANGES},
    "interval_words": {"row": pd.Series({"mean": 0.1, "low": 0.0, "high": 0.2}), "spec": "+.3f"},
    "round_outward": {"up": True},
    "sentence": {"solution": solve(Setting(**SETTING))},
    "combined_p": {"splits": [[0.9, 0.1], [0.8, 0.2]]},
    "wasserstein1": {"a": X, "b": X + 1},
    "shuffled_distances": {"n_a": 3},
    "Setup": {"target": "y", "lens": ("a",), "labels": "hard", "gamma": 1.0, "null_draws": 2},
    "predict_halves": {"learner": Lookup(), "setup": SETUP},
    "compare": {"h": np.linspace(-1, 1, 12), "inside": np.arange(12) < 6, "members": MEMBERS, "setup": SETUP},
    "as_predictions": {"h": np.array([0.5, -0.5]), "n": 2, "setup": SETUP},
    "one_split": {"members": MEMBERS, "learner": Lookup(), "setup": SETUP},
    "demcoh": {"members": MEMBERS, "learner": Lookup(), "setup": SETUP, "workers": 1, "progress": False},
    "Setting": SETTING | {"epsilon": None, "delta": 0.0, "fraction": None},
    "holds": {"values": 0.01},
    "required_size": {"s": Setting(alpha=0.2, beta=0.05, collection=100, n=5_000_000, epsilon=0.01)},
    "Estimator": {"model": __import__("sklearn.tree").tree.DecisionTreeClassifier(), "one_hot": True},
    "Lookup": {"answers": True},
    "After": {"curator": lambda half, rng: half, "learner": Lookup()},
    "Histogram": {"sizes": (2, 3)},
    "Attacker": {"histogram": ONE_COLUMN, "kind": "informed", "population": np.array([6, 6])},
    "hush_scovel": {"distance": 10.0, "a": 40, "s": 50},
    "claim1": {"fresh": 0.001},
    "claim2_probability": {"reading": "proof"},
    "claim2_tail": {"distance": 0.5},
    "theorem3_terms": {"inside": 16.0},
    "theorem8_terms": {"delta": 0.0, "reading": "proof"},
    "size": {"terms": {"a": 1.0}},
    "approximate_dp": {"t": 2.0, "reading": "proof"},
    "failure_15": {"t": 2.0, "reading": "proof"},
    "corollary": {"delta": 0.0},
    "mcdiarmid": {"n": 100.0, "m": 50.0, "reading": "tight"},
    "description_length_size": {"n": 10_000, "counts": 1},
    "column_distances": {"ones": 50, "n": 1000},
    "membership_distances": {"others": 100},
    "distinct_log_probability": {"draws": 23, "universe": 365},
    "perfect_generalisation": {"complement": True},
    "p_value": {"direction": "greater", "reference": 0.0}, "p_positive": {"x": X},
    "codebook": {"name": "lsac"},
    "measure": {"accountant": lambda: PrivacyAccountant(1.0)},
    "estimated_total": {"measurements": [Measurement(("a",), np.array([3.0, 2.0]), 1.0)]},
    "cut_at_zero": {"noisy": X}, "project_sizes": {"noisy": X},
    "PrivacyAccountant": {"relation": "replace within a group"}, "PrivacyAccountant.spend": {
        "kind": "other", "sensitivity": {"add or remove": 1.0, "replace within a group": 1.0},
        "curve": None},
    "PrivacyAccountant.spend_parallel": {"costs": {"a": 0.1, "b": 0.2}},
    "PrivacyAccountant.require": {"cost": 0.1},
    "Domain.of": {"sizes": {"a": 2}},
    "Domain.project": {"columns": ["a"]},
    "Fitted.marginal": {"columns": ["a"]},
    "Fitted.sample": {"n": 3},
    "Histogram.rows": {"noisy": np.array([3.0, 2.0]), "n": 3},
    "Histogram.release": {"records": people}, "Histogram.counts": {"records": people},
    "Histogram.cell": {"records": people},
}  # fmt: skip


@cache
def fitted():
    """A fitted model, for its methods."""
    return MST(iterations=1).fit(people(), DOMAIN, 1.0, generator())


def methods() -> Iterator[tuple[str, Callable, dict[str, Any]]]:
    """Public methods of objects that callers make, with values of their own."""
    one = Laplace(sensitivity=1.0, epsilon=1.0)
    objects = {
        "Laplace": (one, "quantile log_density release checked"),
        "Gaussian": (Gaussian(sensitivity=1.0, rho=0.5), "log_density release checked"),
        "Exponential": (
            Exponential(sensitivity=1.0, epsilon=1.0),
            "of_rho probabilities log_probabilities select checked",
        ),
        "PrivacyAccountant": (None, "price spend spend_parallel note_exact note_oracle require"),
        "Promise": (Promise(rho=0.5), "delta epsilon_at"),
        "Domain": (DOMAIN, "of project check narrow"),
        "Histogram": (ONE_COLUMN, "cell counts release rows"),
        "Fitted": (fitted(), "marginal sample"),
    }
    for owner, (made, names) in objects.items():
        for name in names.split():
            # an accountant that is spent from is a new one in every call
            bound = getattr(made, name) if made is not None else _on_new(name)
            yield f"{owner}.{name}", bound, OWN.get(f"{owner}.{name}", {})
    for name in PROTOCOLS:
        protocol = make(name, k=3, epsilon=1.0)
        reports = protocol.privatise(G, generator())
        for method in ("privatise", "privatise_support", "support", "support_counts", "estimate"):
            yield f"{name}.{method}", getattr(protocol, method), {"reports": reports, "values": G}
        yield f"{name}.variance", protocol.variance, {}
    for mechanism in (MST(iterations=1), AIM(iterations=1, degree=2), GEM(rounds=1, steps=1)):
        yield f"{mechanism.name}.fit", mechanism.fit, {}
    yield "stratified.fit", Stratified(inner=MST(iterations=1), by=("a",)).fit, {}


def _on_new(name: str) -> Callable:
    method = getattr(PrivacyAccountant, name)

    def call(*args, **more):
        return method(PrivacyAccountant(1.0), *args, **more)

    signature = inspect.signature(method)
    call.__signature__ = signature.replace(parameters=list(signature.parameters.values())[1:])
    return call


@cache
def _parameters(function: Callable) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


@dataclass(frozen=True)
class Call:
    """A callable, its valid arguments, and the annotation of each."""

    name: str
    function: Callable
    arguments: Mapping[str, Any]
    annotations: Mapping[str, str]
    many: str | None  # the parameter that takes any number of values

    def __call__(self, **bad: Any) -> Any:
        given = {
            name: value() if callable(value) and value in (people, runs, generator) else value
            for name, value in self.arguments.items()
        }
        for name, value in given.items():
            if name == "accountant" and callable(value):
                given[name] = value()
        given |= bad
        places = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_OR_KEYWORD
        parameters = _parameters(self.function).items()
        positional = [given.pop(n) for n, p in parameters if p.kind in places and n in given]
        return self.function(*positional, **given)


def calls() -> list[Call]:
    """Every public callable with arguments that it answers."""
    found, seen = [], set()
    for module in PUBLIC:
        for name in names_of(module):
            item = getattr(import_module(module), name)
            if callable(item) and name not in LEFT_OUT and id(item) not in seen:
                seen.add(id(item))
                own = OWN.get(f"{module}.{name}", OWN.get(name, {}))
                found.append(_call(f"{module}.{name}", item, own))
    return found + [_call(*method) for method in methods()]


def _call(name: str, function: Callable, own: Mapping[str, Any]) -> Call:
    arguments, annotations, many = {}, {}, None
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD and parameter.name not in own:
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            many = parameter.name
        key = "epsilon" if parameter.kind is parameter.VAR_KEYWORD else parameter.name
        default = None if parameter.default is parameter.empty else parameter.default
        if parameter.name == "budgets" and many:
            value = 0.5
        elif parameter.name in own:
            value = own[parameter.name]
        elif parameter.default is not parameter.empty and parameter.name not in BY_NAME:
            value = default
        elif parameter.name in BY_NAME:
            value = BY_NAME[parameter.name]
        else:
            raise LookupError(f"{name}: no example of {parameter.name} ({parameter.annotation})")
        arguments[key] = value
        annotations[key] = str(parameter.annotation)
    return Call(name, function, arguments, annotations, many)


def mask() -> np.ndarray:
    return np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])


# Values that few arguments can be. Each is made anew: a generator is read once.
BAD: dict[str, Callable[[], Any]] = {
    "an integer of 401 digits": lambda: 10**400,
    "a huge number": lambda: 1e300,
    "a huge negative number": lambda: -1e300,
    "-1": lambda: -1,
    "0.5": lambda: 0.5,
    "NaN": lambda: math.nan,
    "infinity": lambda: math.inf,
    "None": lambda: None,
    "text": lambda: "1",
    "bytes": lambda: b"x",
    "an object": object,
    "an empty list": list,
    "an empty mapping": dict,
    "True": lambda: True,
    "a complex number": lambda: 1 + 2j,
    "a mask": mask,
    "a time": lambda: np.datetime64("2020-01-01"),
    "a Python time": lambda: datetime.datetime(2020, 1, 1),
    "times": lambda: np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
    "differences of times": lambda: np.array([1, 2], dtype="timedelta64[D]"),
    "objects": lambda: np.array([object(), None], dtype=object),
    "a number as an array": lambda: np.array(1.0),
    "three dimensions": lambda: np.ones((2, 2, 2)),
    "2**63 in an array": lambda: np.array([2**63, 1], dtype=np.uint64),
    "an integer too large among integers": lambda: [10**400, 1],
    "NaN in an array": lambda: np.array([math.nan, 1.0]),
    "huge numbers": lambda: np.array([1e300, -1e300]),
    "no numbers": lambda: np.array([]),
    "lists of two lengths": lambda: [[1.0], [1.0, 2.0]],
    "a generator": lambda: (x for x in (1.0, 2.0)),
    "a set": lambda: {1, 2},
    "texts": lambda: ["x", "y"],
    "an empty table": pd.DataFrame,
    "a table of texts": lambda: pd.DataFrame({"a": ["x"], "b": ["y"], "y": ["z"]}),
}


def drawn(rng: np.random.Generator) -> Any:
    """A value drawn at random: a number of any size, or an array of any kind and shape."""
    shape = tuple(rng.integers(0, 4, size=rng.integers(0, 4)))
    kinds = "float64 float32 float16 int64 int8 uint64 bool complex128 datetime64[s] U2 S2 object"
    sign, power = rng.choice([-1.0, 1.0]), rng.uniform(-320, 308)
    kind = rng.choice(kinds.split())
    return [
        lambda: float(sign * 10.0**power),
        lambda: int(sign) * 10 ** int(abs(power) if abs(power) > 20 else 2),
        lambda: Fraction(int(rng.integers(1, 9)), int(rng.integers(1, 9))),
        lambda: np.float32(sign * rng.random()),
        lambda: np.int64(rng.integers(-300, 300)),
        lambda: rng.integers(-3, 300, size=shape).astype(kind),
        lambda: np.full(shape, sign * 10.0**power),
        lambda: np.ma.masked_array(np.ones(4), mask=rng.random(4) < 0.9),
        lambda: pd.Series(rng.integers(0, 3, size=4)).astype(object),
        lambda: pd.Categorical(["x", "y"]),
        lambda: {"x": sign * 10.0**power},
        lambda: {("a",): math.nan},
        lambda: [float(sign * 10.0**power)] * int(rng.integers(0, 4)),
        lambda: "".join(map(chr, rng.integers(1, 0x2FFF, size=3))),
        lambda: rng.choice(list(BAD)),
        lambda: BAD[rng.choice(list(BAD))](),
    ][rng.integers(16)]()


def _atoms(annotation: str) -> list[str]:
    """The parts of a union, without what stands in brackets; ``Annotated[x, ...]`` is ``x``."""
    text = re.sub(r"^Annotated\[(.*?), ['\"f].*$", r"\1", annotation.strip("'\""))
    while "[" in text and (bare := re.sub(r"\[[^\[\]]*\]", "", text)) != text:
        text = bare
    return [part.strip().rpartition(".")[2] for part in text.split("|")]


NUMBERS = {"float", "int"}
ANY = {"object", "Any", "empty>"}


def may_fit(annotation: str, value: Any) -> bool:
    """Whether the annotation allows ``value``, so that it may have an answer, if a finite one."""
    return any(_fits(atom, value) for atom in _atoms(annotation))


def _fits(atom: str, value: Any) -> bool:
    whole = isinstance(value, Integral) and not isinstance(value, bool | np.bool_)
    real = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    if atom == "_empty'>":  # reports of any form: none of them, or two values as truth values
        one = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind == "b"
        return one or (isinstance(value, np.ndarray) and value.ndim == 2 and len(value) == 0)
    if atom in ANY or type(value).__name__ == atom:
        return True
    if atom == "float":
        zero = isinstance(value, np.ndarray) and value.ndim == 0 and _plain(value)
        return (real and not _nan(value) and _float(value)) or zero
    if atom == "int":
        return whole
    if atom in ("ndarray", "Series", "Sizes"):
        return _plain(value)
    if atom in ("Sequence", "tuple", "list"):
        return isinstance(value, list | tuple | pd.Categorical) or (
            _plain(value) and np.ndim(value) > 0
        )
    if atom in ("Iterable",):
        scalar = isinstance(value, str | bytes) or getattr(value, "ndim", 1) == 0
        return hasattr(value, "__iter__") and not scalar
    if atom in ("Mapping", "Workload", "dict"):
        return isinstance(value, dict)
    return (atom in ("str", "Path") and isinstance(value, str)) or (
        atom == "None" and value is None
    )


def _nan(value: Any) -> bool:
    return bool(value != value)


def _float(value: Real) -> bool:
    try:
        float(value)
    except OverflowError:
        return False
    return True


def _plain(value: Any) -> bool:
    """An array, or a list of numbers, without a mask and of real numbers."""
    if np.ma.isMaskedArray(value) and np.ma.is_masked(value):
        return False
    if isinstance(value, list | tuple | pd.Series | pd.DataFrame | np.ndarray):
        try:
            found = np.asarray(value)
            return found.dtype.kind in "biuf" or np.isfinite(found.astype(float)).all()
        except (TypeError, ValueError, OverflowError):
            return False
    return False


def finite(answer: Any) -> bool:
    """Whether an answer has no NaN and no infinity in it."""
    if isinstance(answer, np.ndarray):
        return answer.dtype.kind != "f" or bool(np.isfinite(answer).all())
    if isinstance(answer, pd.Series):
        return finite(answer.to_numpy())
    if isinstance(answer, pd.DataFrame):
        return all(finite(answer[c]) for c in answer)
    if isinstance(answer, float | np.floating):
        return math.isfinite(answer)
    if isinstance(answer, Mapping):
        return all(map(finite, answer.values()))
    if isinstance(answer, tuple | list):
        return all(map(finite, answer))
    if is_dataclass(answer) and not isinstance(answer, type):
        return all(finite(getattr(answer, f.name)) for f in fields(answer))
    return True


SECONDS = 10.0  # of the processor, that a call may take


class TooLong(Exception):
    """A call takes more than :data:`SECONDS`."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """End what runs inside after so many seconds of the processor, where the system can."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def end(*_):
        raise TooLong

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def wrong(call: Call, name: str, bad: Any) -> str | None:
    """What is wrong with the outcome of ``call`` with ``bad`` for ``name``; None if nothing is."""
    try:
        with warnings.catch_warnings(), at_most(SECONDS):
            warnings.simplefilter("error")
            answer = call(**{name: bad})
    except (ValueError, TypeError) as error:
        stem = f"{re.escape(name.removesuffix('s'))}|{ALSO_CALLED.get(name, name)}"
        named = re.search(rf"(?<![A-Za-z])({stem})", str(error))
        return None if named else f"does not name it: {type(error).__name__}: {error}"
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({place.name}:{place.lineno})"
    if not may_fit(call.annotations[name], bad):
        return f"answers {_short(answer)}"
    if not finite(answer) and call.name.rpartition(".")[2] not in UNDEFINED:
        return f"answers {_short(answer)}, which is not finite"
    return None


def _short(value: Any) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception as error:
        text = f"{type(value).__name__} ({error})"
    return text if len(text) <= 80 else text[:77] + "..."


def answered_calls() -> list[Call]:
    """All calls, each of which had an answer to its valid arguments (and is compiled now)."""
    every = calls()
    for call in every:
        with suppress(Unavailable):  # real data are asked for
            call()
    return every


def every_call() -> Iterator[tuple[Call, str, str, Any]]:
    """Each argument of each callable with each value of :data:`BAD`."""
    for call in answered_calls():
        for name in call.arguments:
            for label, make_bad in BAD.items():
                yield call, name, label, make_bad()


def random_calls(rng: np.random.Generator, count: int) -> Iterator[tuple[Call, str, str, Any]]:
    """As many random arguments with random values; the same for the same generator."""
    every = [c for c in answered_calls() if c.arguments]
    for _ in range(count):
        call = every[rng.integers(len(every))]
        bad = drawn(rng)
        yield call, str(rng.choice(list(call.arguments))), _short(bad), bad


def run(tries: Iterator[tuple[Call, str, str, Any]]) -> tuple[int, list[str]]:
    """The number of calls made, and a line for each that went wrong."""
    made, lines = 0, []
    for call, name, label, bad in tries:
        made += 1
        if found := wrong(call, name, bad):
            lines.append(f"{call.name}({name}={label}): {found}")
    return made, lines


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--calls", type=int, default=50_000)
    options = parser.parse_args()
    made, lines = run(random_calls(stream(options.seed, "torture calls"), options.calls))
    print(*lines, sep="\n")
    print(f"{made} calls (seed {options.seed}), {len(lines)} wrong")
    return bool(lines)


if __name__ == "__main__":
    sys.exit(main())
