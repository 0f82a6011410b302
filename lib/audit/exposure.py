"""Who is exposed? The experiment, and two verdicts: dependence, and coherence at each alpha asked
for (Definition 2).

The two are different questions. A release may move everybody's predictions a little: the people
behind it are then told apart beyond chance, and no split is more than alpha apart. And small groups
may be more than a small alpha apart by chance alone, although the predictions depend on nobody.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

import joblib
import numpy as np
import pandas as pd
from pandas.api.types import union_categoricals
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from tqdm.auto import tqdm

from lib.audit.release import Curator
from lib.audit.request import Request
from lib.audit.schema import TARGET
from lib.audit.table import Table
from lib.coherence.combination import combined_p
from lib.coherence.distances import reshuffling_p
from lib.coherence.experiment import Result, Setup, as_predictions, compare, demcoh, predict_halves
from lib.coherence.learners import BATTERY, After, Estimator, Learner, Lookup, Predict
from lib.programs import end_with_parent
from lib.rng import stream
from lib.stats.p_values import holm

MOST_DRAWS = 1_000_000  # reshufflings of a group in one test
# reshufflings as far apart as observed that stop a test: p is then known to a seventh of itself
ENOUGH = 50
LARGE = 20_000  # rows of a release from which on learners are bounded
# From so many rows of a release on, the forests whose mean is tested have so many trees together:
# on 220,000 rows a group of 100 that is moved stood 2.0 null deviations out by 10 trees, 3.6 by 50
# (five forests of 10: 3.5) and 4.3 by 250. A split is tested by one forest, which keeps its 50.
HUGE, ALL_TREES = 10 * LARGE, 200
NOT_MET, MET, UNDECIDED, ONE_SPLIT = "not met", "met by this learner", "undecided", "one split"
_LEVEL = 0.95  # of all learners' intervals together, at one alpha


@dataclass(frozen=True)
class Exposure:
    """What one learner makes of people inside and left out.

    Parameters
    ----------
    result : Result
        One row a group and split (or training).
    p : mapping
        Group to its p-value of dependence.
    rows : int array of shape (m,)
        Row numbers, in the table, of the people in the first split; everybody of a finished
        release.
    inside : bool array of shape (m,)
    tested : float array of shape (m,)
        The predictions for these people on which the test is computed: those in the first split,
        or the mean of all trainings on a release, which is one predictor.
    """

    result: Result
    p: Mapping[str, float]
    rows: np.ndarray
    inside: np.ndarray
    tested: np.ndarray


@dataclass(frozen=True)
class Bounded:
    """A learner whose time is bounded: of a release of more than :data:`LARGE` rows, each tree of a
    forest is trained on so many, and predictions are rounded to .01, so that people can be counted.
    Of more than :data:`HUGE` rows a forest has at most so many ``trees``.
    """

    learner: Learner
    trees: int | None = None

    def __call__(
        self, half: pd.DataFrame, target: str, lens: tuple[str, ...], rng: np.random.Generator
    ) -> Predict:
        if len(half) <= LARGE:
            return self.learner(half, target, lens, rng)
        learner = self.learner
        if isinstance(learner, Estimator) and isinstance(learner.model, RandomForestClassifier):
            model = clone(learner.model).set_params(max_samples=LARGE)
            if self.trees is not None and len(half) > HUGE:
                model.set_params(n_estimators=min(self.trees, model.n_estimators))
            learner = replace(learner, model=model)
        predict = learner(half, target, lens, rng)
        return lambda records: np.round(predict(records), 2)


def reshufflings(request: Request, tests: int) -> int:
    """How many reshufflings a test takes, so that it can flag after Holm's correction.

    A ``ValueError`` refuses a false alarm so small that they would take for ever.
    """
    if request.mode == "release":
        draws = math.ceil(4 * tests / request.false_alarm)
    else:
        draws = 20
        # enough that a leak seen in every split, which has the least p of combined_p, is flagged
        while tests * (draws + 1.0) ** -request.splits > request.false_alarm / 4:
            draws *= 2
    if draws > MOST_DRAWS:
        raise ValueError(
            f"false_alarm must be so large that {tests} tests take at most {MOST_DRAWS:,}"
            f" reshufflings each, got {request.false_alarm!r}, which takes {draws:,} (more splits,"
            " fewer groups or learners need fewer, too)"
        )
    return draws


def expose(
    request: Request, table: Table, tests: int, name: str, curator: Curator | None, progress: bool
) -> Exposure:
    """Run the experiment with the learner ``name``, and test each group; ``tests`` is the number of
    tests in the whole audit.
    """
    setup = Setup(
        target=TARGET,
        lens=table.lens,
        labels=request.labels,
        gamma=request.least_size,
        null_draws=reshufflings(request, tests),
        keep_null=request.mode != "release",
    )
    if request.mode == "release":
        learner: Learner = Bounded(BATTERY[name], math.ceil(ALL_TREES / request.splits))
        return _released(request, table, setup, name, learner, progress)
    learner = Bounded(BATTERY[name])
    if curator is not None:
        learner = After(curator, learner)
    return _halves(request, table, setup, learner, progress)


def _halves(
    request: Request, table: Table, setup: Setup, learner: Learner, progress: bool
) -> Exposure:
    """Random halves; the independent splits give one exact p-value for each group."""
    result = demcoh(
        table.frame,
        table.members,
        learner,
        setup,
        splits=request.splits,
        seed=request.seed,
        workers=request.processes(len(table.frame)),
        progress=progress,
        design=table.design,
    )
    p = {
        group: combined_p(distances for distances in part if distances.size)
        for group, part in result.rows.groupby("group")["distances"]
    }
    # the first split once more, for power: the same stream, and the same release,
    # which the curator keeps
    rng = stream(request.seed, "demcoh", 0)
    rows, inside, h = predict_halves(table.frame, learner, setup, rng, table.design)
    return Exposure(Result(result.rows.drop(columns="distances")), p, rows, inside, h)


def _released(
    request: Request, table: Table, setup: Setup, name: str, learner: Learner, progress: bool
) -> Exposure:
    """One split, several trainings; the test is of their mean, which is one predictor."""
    few, rows = replace(setup, null_draws=20), []
    h: list[np.ndarray] = []
    release, people = in_numbers(table.release.table, table.frame[list(setup.lens)])
    for i in tqdm(range(request.splits), disable=not progress, desc=f"{name}: trainings"):
        rng = stream(request.seed, "release", i)
        if not (h and isinstance(BATTERY[name], Lookup)):  # which draws nothing
            said = learner(release, setup.target, setup.lens, rng)(people)
        h.append(as_predictions(said, len(table.frame), setup))
        part = compare(h[-1], table.inside, table.members, few, rng, table.design)
        rows.append(part.assign(split=i))
    mean = np.mean(h, axis=0)
    if table.design.counted:
        mean = mean.round(2)
    own = partial(stream, request.seed, "release test", name)
    test = partial(joblib.delayed(reshuffling_p), draws=setup.null_draws, enough=ENOUGH)
    jobs = (
        test(mean[who], table.inside[who], rng=own(group), design=table.design.of(who))
        for group, who in table.members.items()
    )
    found = in_parallel(request, table, jobs, progress, f"{name}: tests")
    p = pd.Series(found, table.members).fillna(1.0).to_dict()
    result, everybody = Result(pd.concat(rows, ignore_index=True)), np.arange(mean.size)
    return Exposure(result, p, everybody, table.inside, mean)


def in_numbers(release: pd.DataFrame, people: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both with whole numbers as the categories, in the order of the texts.

    Encoders find the same codes, and would sort the texts once more in every training.
    """
    release, people = release.copy(deep=False), people.copy(deep=False)
    for c in people.select_dtypes("category"):
        both = union_categoricals([release[c], people[c]], sort_categories=True)
        both = both.rename_categories(range(len(both.categories)))
        release[c], people[c] = both[: len(release)], both[len(release) :]
    return release, people


def in_parallel(
    request: Request, table: Table, jobs: Iterable, progress: bool, what: str
) -> list[float]:
    """The results of delayed jobs, one a group of the table, with a bar of ``what``."""
    parallel = joblib.Parallel(
        n_jobs=request.processes(len(table.frame)),
        return_as="generator",
        initializer=end_with_parent,
        initargs=(os.getpid(),),
    )
    return list(tqdm(parallel(jobs), total=len(table.members), disable=not progress, desc=what))


def dependence_verdicts(
    request: Request, table: Table, exposures: Mapping[str, Exposure]
) -> pd.DataFrame:
    """The verdicts of dependence: ``learner, group, n, p, adjusted, flagged``."""
    sizes = {group: who.sum() for group, who in table.members.items()}
    rows = [(k, group, n, e.p[group]) for k, e in exposures.items() for group, n in sizes.items()]
    verdicts = pd.DataFrame(rows, columns=["learner", "group", "n", "p"])
    return adjusted(verdicts, request.false_alarm)


def adjusted(verdicts: pd.DataFrame, false_alarm: float) -> pd.DataFrame:
    """The rows with ``adjusted``, Holm's p-value over all of them, and ``flagged``."""
    p = holm(verdicts["p"])
    return verdicts.assign(adjusted=p, flagged=p <= false_alarm)


def coherence_verdicts(request: Request, results: Mapping[str, Result]) -> pd.DataFrame:
    """For each alpha and learner: in what share of the splits is some group more than alpha apart?

    Returns
    -------
    DataFrame
        ``alpha, learner, exceeding, splits, share, low, high, verdict, group, distance``. The
        Clopper-Pearson limits hold for all learners together with 95% (Bonferroni). The verdict is
        "not met" if ``low > beta``, "met by this learner" if ``high <= beta``, else "undecided".
        ``group`` has the largest mean ``distance``. A finished release has one split and so no
        share: NaN, and the verdict "one split".
    """
    level, farthest = 1 - (1 - _LEVEL) / len(results), {}
    for name, result in results.items():
        groups = result.summary().set_index("group")["distance"].dropna()
        farthest[name] = (groups.idxmax(), groups.max()) if len(groups) else ("", math.nan)
    return pd.DataFrame(
        [
            (alpha, name, *_share(request, result, alpha, level), *farthest[name])
            for alpha in request.alphas
            for name, result in results.items()
        ],
        columns="alpha learner exceeding splits share low high verdict group distance".split(),
    )


def _share(request: Request, result: Result, alpha: float, level: float) -> tuple:
    """The splits beyond alpha and all of them, the share with its limits, and the verdict."""
    if request.mode == "release":
        return 0, 1, math.nan, math.nan, math.nan, ONE_SPLIT
    splits = result.rows.dropna(subset="distance")["split"].nunique()
    share, low, high = result.beta(alpha, level=level)
    verdict = NOT_MET if low > request.beta else MET if high <= request.beta else UNDECIDED
    return 0 if math.isnan(share) else round(share * splits), splits, share, low, high, verdict


def overall(verdicts: pd.Series) -> str:
    """One verdict of several learners at one alpha: "not met" by one decides, "met" needs all.

    Examples
    --------
    >>> overall(pd.Series([MET, NOT_MET]))
    'not met'
    """
    given = set(verdicts)
    return next((verdict for verdict in (ONE_SPLIT, NOT_MET, UNDECIDED) if verdict in given), MET)


def splits_needed(beta: float, learners: int) -> int:
    """How many splits are needed for the verdict "met" if none of them exceeds alpha.

    The least number with ``(1 - beta)^splits <= tail``, the level's share of one learner.

    Examples
    --------
    >>> splits_needed(0.05, learners=1)
    72
    """
    tail = (1 - _LEVEL) / learners / 2
    return math.ceil(math.log(tail) / math.log1p(-beta))
