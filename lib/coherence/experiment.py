"""DemCoh (Figure 1): split at random, learn from one half, compare predictions group by group."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import joblib
import numpy as np
import pandas as pd
from tqdm import tqdm

from lib import validate
from lib.coherence.distances import PLAIN, TIE, Design, shuffled_distances, split_distance
from lib.coherence.learners import Learner
from lib.groups import groups_of_at_least, mask, masks
from lib.programs import end_with_parent
from lib.rng import stream
from lib.stats.summary import clopper_pearson, summarise


@dataclass(frozen=True)
class Result:
    """All splits of an experiment.

    ``rows`` are those of :func:`one_split`, with the number of the
    ``split``. A group with nobody in one half has no distance there (Definition 2 has nothing to
    compare), and means and shares are over the splits in which it has one. Simulations of a bound,
    which must not be helped by that, count 2 instead, as
    :func:`~lib.coherence.bounds.within_group.membership_distances` does.
    """

    rows: pd.DataFrame

    def summary(self) -> pd.DataFrame:
        """One row per group: mean distance over splits with its t interval, null, and excess."""
        rows = self.rows.assign(excess=self.rows["distance"] - self.rows["null"])
        groups = rows.groupby("group", sort=False)
        found = summarise(rows, ["group"], "distance", sort=False).set_index("group")
        found = found.rename(columns={"mean": "distance", "runs": "splits"})
        found = found.join(groups[["null", "excess"]].mean()).assign(n=groups["n"].first())
        columns = ["n", "splits", "distance", "low", "high", "null", "excess"]
        return found[columns].reset_index()

    def beta(
        self, alpha: float, group: str | None = None, level: float = 0.95
    ) -> tuple[float, float, float]:
        """Share of splits in which the group (or some group) is more than ``alpha`` apart.

        With its Clopper-Pearson interval. Over the splits in which the group (or some group) has a
        distance; NaN if there is none.
        """
        rows = self.rows if group is None else self.rows[self.rows["group"] == group]
        if rows.empty:
            raise ValueError(
                f"group must be one of {', '.join(self.rows['group'].unique())}, got {group!r}"
            )
        worst = rows.groupby("split")["distance"].max().dropna()
        if worst.empty:
            return np.nan, np.nan, np.nan
        hits = int((worst > alpha + TIE).sum())
        return hits / worst.size, *clopper_pearson(hits, worst.size, level)


LABELS = ("confidence", "hard")


@dataclass(frozen=True, kw_only=True)
class Setup:
    """What is compared, and how.

    Parameters
    ----------
    target : str
        Column of 0s and 1s that is predicted.
    lens : tuple of str
        Columns that the predictor sees.
    labels : {"confidence", "hard"}
        Predictions as they are (Definition 2), or their sign (0 counts as -1), as the published
        script has it.
    gamma : float
        Groups with fewer members in the data set are left out (Definition 3).
    null_draws : int
        Reshufflings of membership behind a group's null, in each split.
    keep_null : bool
        Add a column ``distances`` to the rows: an array of the observed distance and all reshuffled
        ones.

    Examples
    --------
    >>> Setup(target="employed", lens=("age", "sex")).labels
    'confidence'
    """

    target: str
    lens: tuple[str, ...]
    labels: str = "confidence"
    gamma: float = 1
    null_draws: int = 20
    keep_null: bool = False

    def __post_init__(self) -> None:
        validate.fields(self, "lens", validate.names)
        validate.choice("labels", self.labels, LABELS)
        validate.positive("gamma", self.gamma)
        validate.integer("null_draws", self.null_draws, low=1)
        if len(self.lens) == 0:
            raise ValueError(f"lens must be at least one column, got {self.lens!r}")


def halves(
    n: int, rng: np.random.Generator, cluster: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two random halves of equal size; of an odd number one random row is in neither.

    With the ``cluster`` of each row, a number from 0, the halves have equally many whole clusters.

    Examples
    --------
    >>> [half.tolist() for half in halves(5, np.random.default_rng(0))]
    [[2, 4], [3, 0]]
    """
    n = validate.integer("n", n, low=2)
    validate.generator("rng", rng)
    if cluster is not None:
        cluster = validate.codes("cluster", cluster, n)
        count = np.unique(cluster).size
        whole = cluster.size == n and cluster.max() + 1 == count > 1
        validate.require(whole, "cluster", f"of {n} numbers 0, 1, ..., all in use", cluster)
        a, b = halves(count, rng)
        return np.flatnonzero(np.isin(cluster, a)), np.flatnonzero(np.isin(cluster, b))
    order = rng.permutation(n)
    return order[: n // 2], order[n // 2 : 2 * (n // 2)]


def one_split(
    frame: pd.DataFrame,
    members: Mapping[str, np.ndarray],
    learner: Learner,
    setup: Setup,
    rng: np.random.Generator,
    design: Design = PLAIN,
) -> pd.DataFrame:
    """One run of the experiment.

    Returns
    -------
    DataFrame
        One row a group: ``group``, its members ``n``, ``n_a`` and ``n_b`` of them in the halves,
        ``distance`` (NaN if a half has none), ``null`` and ``null_95`` (mean and 95% quantile when
        membership is reshuffled), ``p`` (share of reshufflings at least as far apart, itself
        counted), and the means of the predictions on both halves.
    """
    n = len(validate.table("frame", frame))
    members = masks("members", members, n, "the rows of frame")
    rows, inside, h = predict_halves(frame, learner, setup, rng, design)
    return pd.DataFrame(
        {"group": name, "n": int(who.sum())}
        | _compare(h, inside, who[rows], setup, rng, design.of(rows))
        for name, who in members.items()
    )


def predict_halves(
    frame: pd.DataFrame,
    learner: Learner,
    setup: Setup,
    rng: np.random.Generator,
    design: Design = PLAIN,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Split, learn from the first half, predict both: ``(rows, inside, h)``.

    Each has the shape (2 * (n // 2),), or that of both halves of the clusters. ``rows`` are
    positions in ``frame``, ``inside`` says which were learnt from, ``h`` is in [-1, 1] by the rule
    of ``setup``.
    """
    rows_a, rows_b = halves(len(frame), rng, design.cluster)
    predict = learner(frame.iloc[rows_a], setup.target, setup.lens, rng)
    both = np.concatenate([rows_a, rows_b])
    h = as_predictions(predict(frame.iloc[both][list(setup.lens)]), both.size, setup)
    return both, np.arange(both.size) < rows_a.size, h


def compare(
    h: np.ndarray,
    inside: np.ndarray,
    members: Mapping[str, np.ndarray],
    setup: Setup,
    rng: np.random.Generator,
    design: Design = PLAIN,
) -> pd.DataFrame:
    """Predictions on those inside and outside, group by group: the columns of :func:`one_split`.

    Parameters
    ----------
    h, inside, members : arrays of shape (n,)
        For the same people, in the same order. Those whose prediction is NaN count among the
        members ``n`` and are not compared.
    """
    h = validate.vector("h", h)
    inside = mask("inside", inside, h.size, "h")
    members = masks("members", members, h.size, "h")
    known = {name: who & ~np.isnan(h) for name, who in members.items()}
    return pd.DataFrame(
        {"group": name, "n": int(members[name].sum())}
        | _compare(h, inside, own, setup, rng, design)
        for name, own in known.items()
    )


def as_predictions(h: np.ndarray, n: int, setup: Setup) -> np.ndarray:
    """Predictions of ``n`` people in the form that ``setup`` asks for.

    A ``ValueError`` for NaN, another shape, or a value outside [-1, 1].

    Examples
    --------
    >>> as_predictions([0.5, -0.2], 2, Setup(target="y", lens=("x",), labels="hard")).tolist()
    [1.0, -1.0]
    """
    h = validate.reals("predictions", h)
    validate.integer("n", n, low=0)
    if h.shape != (n,) or np.isnan(h).any():
        raise ValueError(
            f"predictions must have the shape ({n},) without NaN, got {h.shape} with"
            f" {int(np.isnan(h).sum())} NaN"
        )
    outside = np.abs(h) > 1 + 1e-12
    if outside.any():
        raise ValueError(
            f"predictions must be in [-1, 1] (Definition 2), got {float(h[outside][0])!r}"
        )
    return np.where(h > TIE, 1.0, -1.0) if setup.labels == "hard" else h


def _compare(
    h: np.ndarray,
    inside: np.ndarray,
    who: np.ndarray,
    setup: Setup,
    rng: np.random.Generator,
    design: Design,
) -> dict[str, Any]:
    h, inside, own = h[who], inside[who], design.of(who)
    n_a, distances = int(inside.sum()), np.empty(0)
    facts: dict[str, Any] = {"n_a": n_a, "n_b": inside.size - n_a}
    facts |= dict.fromkeys(("distance", "null", "null_95", "p", "mean_a", "mean_b"), np.nan)
    if 0 < n_a < inside.size:
        found = float(split_distance(h, inside, weight=own.weight))
        null = shuffled_distances(h, own.units(inside), draws=setup.null_draws, rng=rng, design=own)
        distances = np.append(found, null)
        facts |= {
            "distance": found,
            "null": float(null.mean()),
            "null_95": float(np.quantile(null, 0.95)),
            "p": float((1 + (null >= found - TIE).sum()) / (1 + null.size)),
            "mean_a": own.mean(h, inside),
            "mean_b": own.mean(h, ~inside),
        }
    return facts | ({"distances": distances} if setup.keep_null else {})


def demcoh(
    frame: pd.DataFrame,
    members: Mapping[str, np.ndarray],
    learner: Learner,
    setup: Setup,
    *,
    splits: int,
    seed: int,
    workers: int = 1,
    progress: bool = True,
    design: Design = PLAIN,
) -> Result:
    """Run the experiment on many random splits (:func:`one_split`).

    Split ``i`` draws from a stream of its own, whatever the number of workers.

    Parameters
    ----------
    frame : DataFrame
        ``setup.target`` must hold 0s and 1s, both of them; no missing values in target or lens.
    members : mapping
        From :func:`lib.groups.groups`.
    design : Design
        Clusters that are split and reshuffled as wholes, and weights of the distances.

    Raises
    ------
    ValueError
        For a column that is not there, a target that is not binary, missing values, or no group of
        ``gamma`` members.

    Examples
    --------
    >>> from lib.groups import groups
    >>> from lib.coherence.learners import Lookup
    >>> people = pd.DataFrame({"id": range(20), "y": [0, 1] * 10})
    >>> setup = Setup(target="y", lens=("id",))
    >>> run = demcoh(people, groups(people), Lookup(), setup, splits=2, seed=1, progress=False)
    >>> run.summary()[["group", "n", "splits", "distance"]].to_dict("records")
    [{'group': 'everyone', 'n': 20, 'splits': 2, 'distance': 2.0}]
    """
    validate.require(callable(learner), "learner", "a function", learner)
    validate.integer("splits", splits, low=1)
    validate.integer("workers", workers, low=1, high=1 << 15)
    validate.instance("members", members, Mapping)
    validate.table("frame", frame)
    validate.require(len(members) > 0, "members", "those of one group or more", members)
    _check_table(frame, setup)
    members = masks("members", members, len(frame), "the rows of frame")
    large = groups_of_at_least(members, setup.gamma)
    if not large:
        most = max(map(np.sum, members.values()))
        raise ValueError(
            f"gamma must be at most {most}, the members of the largest group, got {setup.gamma!r}"
        )
    parallel = joblib.Parallel(
        n_jobs=workers,
        return_as="generator",
        initializer=end_with_parent,
        initargs=(os.getpid(),),
    )
    found = parallel(
        joblib.delayed(one_split)(frame, large, learner, setup, stream(seed, "demcoh", i), design)
        for i in range(splits)
    )
    bar = tqdm(found, total=splits, disable=not progress, desc="splits")
    rows = pd.concat([part.assign(split=i) for i, part in enumerate(bar)], ignore_index=True)
    return Result(rows)


def _check_table(frame: pd.DataFrame, setup: Setup) -> None:
    for column in (setup.target, *setup.lens):
        validate.choice("column", column, frame.columns)
        if frame[column].isna().any():
            raise ValueError(
                f"column {column!r} must have no missing values, got"
                f" {int(frame[column].isna().sum())}"
            )
    if set(frame[setup.target].unique()) != {0, 1}:
        raise ValueError(
            f"target {setup.target!r} must hold 0 and 1, got"
            f" {sorted(frame[setup.target].unique())[:5]}"
        )
