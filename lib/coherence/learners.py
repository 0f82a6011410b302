"""Learners: from half a table to a confidence-rated predictor ``h: records -> [-1, 1]``.

A learner is any callable ``learner(half, target, lens, rng) -> predict``, and
``predict(records)`` a float for each record, +1 for a certain 1 of the target.
Since the definition quantifies over all of them, the battery holds one that
learns nothing about the target and everything about who is in the half.

A lookup finds records that a release repeats. A private synthesizer repeats
none, but its low-order marginals may still lean towards the half that it was
fitted to. The tracer adds these leanings up over all pairs of columns (the
statistic of Homer et al. 2008, "Resolving individuals contributing trace
amounts of DNA", with pairs of columns in the place of alleles). It knows the
data set, and not the split, which the definition allows: it quantifies over
all learners for each data set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from lib import validate

Predict = Callable[[pd.DataFrame], np.ndarray]
Learner = Callable[[pd.DataFrame, str, tuple[str, ...], np.random.Generator], Predict]


def _encoder(half: pd.DataFrame, *, one_hot: bool) -> ColumnTransformer:
    """Numbers as they are (scaled for a linear model), categories one-hot or as codes.

    A category that was not seen gets the code -1.
    """
    categories = [c for c in half.columns if not pd.api.types.is_numeric_dtype(half[c])]
    coded = (
        OneHotEncoder(handle_unknown="ignore")
        if one_hot
        else OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    )
    numbers = StandardScaler() if one_hot else "passthrough"
    return ColumnTransformer([("category", coded, categories)], remainder=numbers)


def check_release(table: pd.DataFrame, columns: tuple[str, ...]) -> None:
    """Raise a ``ValueError`` unless ``table`` has rows and all of ``columns``."""
    validate.table("release", table)
    absent = [c for c in columns if c not in table.columns]
    if absent or table.empty:
        raise ValueError(
            f"the release must have at least one row and the columns {list(columns)}, got"
            f" {len(table)} rows and {list(table.columns)}"
        )


def _answers(half: pd.DataFrame, target: str) -> np.ndarray:
    """The target of a release, 0 and 1 as numbers or truth values."""
    y = half[target].infer_objects().to_numpy()
    right = np.isin(y, (0, 1)) if y.dtype.kind in "biuf" else np.zeros(y.size, dtype=bool)
    if not right.all():
        raise ValueError(
            f"target {target!r} of the release must hold 0 and 1, got {y[~right][0]!r}"
        )
    return y


@dataclass(frozen=True)
class Estimator:
    """A scikit-learn classifier as a learner: ``h = 2 Pr[target = 1] - 1``.

    Parameters
    ----------
    model : estimator
        Cloned for each half; its ``random_state``, if it has one, comes from the stream.
        One without ``predict_proba`` says +1 or -1, as its labels have it.
    one_hot : bool
        Encode categories one-hot and scale numbers (for linear models), or as codes (for trees).

    A half whose target has one value only gives the constant predictor of that value.

    Raises
    ------
    ValueError
        For a model that cannot be fitted or cannot predict; when called, for a
        table without rows, without the columns, or with a target other than 0 and 1.
    """

    model: BaseEstimator
    one_hot: bool = False

    def __post_init__(self) -> None:
        validate.boolean("one_hot", self.one_hot)
        if isinstance(self.model, type) or not (
            hasattr(self.model, "fit") and hasattr(self.model, "predict")
        ):
            raise ValueError(f"model must be an instance with fit and predict, got {self.model!r}")

    def __call__(
        self, half: pd.DataFrame, target: str, lens: tuple[str, ...], rng: np.random.Generator
    ) -> Predict:
        check_release(half, (target, *lens))
        columns, y = list(lens), _answers(half, target)
        if np.unique(y).size < 2:
            return Constant(2.0 * y[0] - 1)(half, target, lens, rng)
        model = clone(self.model)
        if "random_state" in model.get_params():
            model.set_params(random_state=int(rng.integers(2**31)))
        pipeline = make_pipeline(_encoder(half[columns], one_hot=self.one_hot), model)
        # sums in another order round otherwise; and splits run side by side anyway
        with threadpool_limits(1):
            pipeline.fit(half[columns], y)
        if not hasattr(pipeline, "predict_proba"):
            return lambda records: 2.0 * pipeline.predict(records[columns]) - 1
        one = list(pipeline.classes_).index(1)
        return lambda records: 2 * pipeline.predict_proba(records[columns])[:, one] - 1


@dataclass(frozen=True)
class Lookup:
    """Says +1 to anyone who has a record in the half that looks the same through the lens, else -1.

    It does not look at the target. ``answers=True`` looks that up instead: +1
    or -1 as the majority of the matching records has it, -1 where there is no match.

    Examples
    --------
    >>> half = pd.DataFrame({"age": [20, 30]})
    >>> predict = Lookup()(half, "y", ("age",), np.random.default_rng(0))
    >>> predict(pd.DataFrame({"age": [30, 40]})).tolist()
    [1.0, -1.0]
    """

    answers: bool = False

    def __post_init__(self) -> None:
        validate.boolean("answers", self.answers)

    def __call__(
        self, half: pd.DataFrame, target: str, lens: tuple[str, ...], rng: np.random.Generator
    ) -> Predict:
        columns = list(lens)
        check_release(half, (target, *lens) if self.answers else lens)
        own = half[columns]
        values = _answers(half, target) if self.answers else np.ones(len(half))

        def predict(records: pd.DataFrame) -> np.ndarray:
            rows = pd.concat([own, records[columns]])
            # on category codes, this takes a tenth of what an index of rows takes
            alike = rows.groupby(columns, sort=False, observed=True, dropna=False).ngroup()
            of_own, of_records = np.split(alike.to_numpy(), [len(own)])
            seen = pd.Series(values).groupby(of_own).mean().reindex(of_records).to_numpy()
            return np.where(seen > 0.5, 1.0, -1.0)  # nobody alike is NaN

        return predict


@dataclass(frozen=True)
class Constant:
    """The same confidence for everybody: coherent by construction."""

    value: float = 0.0

    def __post_init__(self) -> None:
        validate.finite("value", self.value)

    def __call__(
        self, half: pd.DataFrame, target: str, lens: tuple[str, ...], rng: np.random.Generator
    ) -> Predict:
        return lambda records: np.full(len(records), float(self.value))


@dataclass(frozen=True)
class After:
    """A curator, then a learner that sees only its report (Definition 4).

    Parameters
    ----------
    curator : callable
        ``curator(half, rng)`` gives the release: for the battery a table with the
        columns of ``half``; for a learner of your own, whatever that one reads.
    learner : callable
        Trained on the release.
    """

    curator: Callable[[pd.DataFrame, np.random.Generator], pd.DataFrame]
    learner: Callable[..., Any] = field(default_factory=Lookup)

    def __call__(
        self, half: pd.DataFrame, target: str, lens: tuple[str, ...], rng: np.random.Generator
    ) -> Predict:
        return self.learner(self.curator(half, rng), target, lens, rng)


BATTERY: dict[str, Learner] = {
    "forest": Estimator(RandomForestClassifier(n_estimators=50)),
    "forest, leaves of 20": Estimator(RandomForestClassifier(n_estimators=50, min_samples_leaf=20)),
    "boosting": Estimator(HistGradientBoostingClassifier()),
    "logistic": Estimator(LogisticRegression(max_iter=1000), one_hot=True),
    "lookup": Lookup(),
}


@dataclass(frozen=True)
class Tracer:
    """Predicts +1 for people whose marginals are more frequent in the release, else -1.

    More frequent than in the data set, on the whole. With ``r_S`` and ``x_S`` the shares of a
    person's cell of the marginal ``S`` in the release and in the data set, the score is the mean
    over ``S`` of ``r_S / x_S - 1``; a score of 0 is answered by 0.

    Parameters
    ----------
    population : DataFrame
        The whole data set, both halves.
    k : int
        Columns per marginal, among those of the lens (all of them, if there are fewer).

    Examples
    --------
    >>> people = pd.DataFrame({"a": [0, 0, 1, 1]})
    >>> predict = Tracer(people, k=1)(people[:2], "y", ("a",), np.random.default_rng(0))
    >>> predict(people).tolist()
    [1.0, 1.0, -1.0, -1.0]
    """

    population: pd.DataFrame = field(repr=False)
    k: int = 2

    def __post_init__(self) -> None:
        validate.integer("k", self.k, low=1)
        if validate.table("population", self.population).empty:
            raise ValueError("population must have at least 1 row, got none")

    def __call__(
        self, half: pd.DataFrame, target: str, lens: tuple[str, ...], rng: np.random.Generator
    ) -> Predict:
        check_release(half, lens)
        marginals = list(combinations(lens, min(self.k, len(lens))))
        ratios = [self._ratio(half, list(s)) for s in marginals]

        def predict(records: pd.DataFrame) -> np.ndarray:
            score = np.zeros(len(records))
            for columns, ratio in zip(marginals, ratios, strict=True):
                rows = pd.MultiIndex.from_frame(records[[*columns]])
                score += ratio.reindex(rows).to_numpy() - 1
            if np.isnan(score).any():
                raise ValueError(
                    "records must be members of the population, got somebody who is not in it"
                )
            return np.sign(np.where(np.abs(score) < 1e-9, 0.0, score))

        return predict

    def _ratio(self, half: pd.DataFrame, columns: list[str]) -> pd.Series:
        """Share in the release over share in the data set, of each cell that the data set fills."""
        there = self.population.value_counts(columns)
        here = half.value_counts(columns).reindex(there.index, fill_value=0)
        return (here / len(half)) / (there / len(self.population))
