"""DemCoh on a user's own table: of the file in the clear, of a curator that can be rerun, or of one
finished release.

Three experiments, and what each can say:

- *clear*: random halves; the predictor learns from one half as it is.
- *curator*: random halves; a command makes a release of one half, the predictor learns from that
  (Definition 4).
- *release*: made once, from people who are known; others were left out. There is one split, so a
  test of whether the predictions tell the two apart is possible and a probability over splits is
  not.

Two verdicts come of it. *Dependence*: do the predictions treat the people
inside unlike those left out, beyond chance? *Coherence* at each alpha asked
for: in what share of the splits is some group more than alpha apart, against
beta?

A release of everybody leaves nobody to compare with: any split drawn
afterwards is independent of it. That is refused.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from lib.audit.release import Command, Kept, Reading, warnings_about
from lib.audit.request import Request
from lib.audit.schema import TARGET, Schema
from lib.audit.table import Table, prepared
from lib.audit.verdicts import coherence_verdicts
from lib.coherence.combination import combined_p
from lib.coherence.distances import reshuffling_p
from lib.coherence.experiment import Result, Setup, checked, compare, demcoh, predict_halves
from lib.coherence.learners import BATTERY, After, Learner
from lib.coherence.solver import MODES, Setting, required_size, solve
from lib.rng import stream
from lib.stats.holm import holm

__all__ = ["Request", "Audit", "run_audit"]

MOST_DRAWS = 1_000_000  # reshufflings of a group in one test
# reshufflings as far apart as observed, after which a test stops: p is then known to a seventh of
# itself
ENOUGH = 50


@dataclass(frozen=True)
class Audit:
    """What was found.

    Parameters
    ----------
    results : mapping
        Learner to the :class:`~lib.coherence.experiment.Result`, one row a group and split (or
        training).
    verdicts : DataFrame
        Dependence. ``learner, group, n, p, adjusted, flagged``: Holm-adjusted over all rows.
    coherence : DataFrame
        Coherence at each alpha, as :func:`~lib.audit.verdicts.coherence_verdicts` gives
        it.
    shown : mapping
        Learner to ``(h, inside, members)`` of the first split, for the figures.
    people : DataFrame
        ``alpha, group, n, people``: a W1 distance of alpha is as if so many were moved from -1 to
        1.
    epsilons : DataFrame
        ``alpha, mode, epsilon, needed, words``: what the theorems ask for.
    dropped_rows : int
        Without a sensitive value.
    readings : tuple of Reading
        Of every release that was read, what the file does not know.
    warnings : tuple of str
        Why no flag may mean less than it seems.
    """

    request: Request
    schema: Schema
    members: Mapping[str, np.ndarray]
    small: Mapping[str, int]
    results: Mapping[str, Result]
    verdicts: pd.DataFrame
    coherence: pd.DataFrame
    shown: Mapping[str, tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]]
    people: pd.DataFrame
    epsilons: pd.DataFrame
    n: int
    inside: int
    dropped_rows: int
    release_rows: int = 0
    readings: tuple[Reading, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def flagged(self) -> pd.DataFrame:
        """Rows of ``verdicts`` that are flagged: predictions that depend on who was inside,
        beyond chance.
        """
        return self.verdicts[self.verdicts["flagged"]]


def run_audit(request: Request, *, progress: bool = True) -> Audit:
    """Read, type, run the experiment for each learner, test, and ask the theorems.

    Raises
    ------
    ValueError
        For a file, column or value that is not there or cannot be used, and for a question that has
        no answer.
    """
    table = prepared(request)
    run = _released if request.mode == "release" else _split
    with tempfile.TemporaryDirectory(prefix="audit-") as folder:
        curator = None
        if request.curator is not None:
            curator = Kept(Command(request.curator, table.raw, table.schema), Path(folder))
        found = {name: run(request, table, name, curator, progress) for name in request.learners}
        readings = () if curator is None else curator.readings()
    readings = readings if table.release is None else (table.release,)
    results, shown = (
        {name: f[0] for name, f in found.items()},
        {name: f[2] for name, f in found.items()},
    )
    verdicts = pd.concat(
        [f[1].assign(learner=name) for name, f in found.items()], ignore_index=True
    )
    verdicts["adjusted"] = holm(verdicts["p"].to_numpy())
    verdicts["flagged"] = verdicts["adjusted"] <= request.false_alarm
    sizes = {name: int(who.sum()) for name, who in table.members.items()}
    people = pd.DataFrame(
        [
            {"alpha": a, "group": g, "n": n, "people": a / 2 * n}
            for a in request.alphas
            for g, n in sizes.items()
        ]
    )
    columns = ["learner", "group", "n", "p", "adjusted", "flagged"]
    return Audit(
        request,
        table.schema,
        table.members,
        table.small,
        results,
        verdicts[columns],
        coherence_verdicts(request, results),
        shown,
        people,
        _epsilons(request, table),
        len(table.frame),
        int(table.inside.sum()),
        table.dropped_rows,
        0 if table.release is None else len(table.release.table),
        readings,
        warnings_about(readings, table.schema, request.file.name),
    )


# --- the experiments
# ---------------------------------------------------------------------------------------------


def _setup(request: Request, table: Table) -> Setup:
    return Setup(target=TARGET, lens=table.lens, labels=request.labels, gamma=request.gamma)


def _null_draws(request: Request, tests: int) -> int:
    """Enough that a leak seen in every split can be told from chance: else too few splits could
    never flag.
    """
    draws = 20
    while (
        tests * (draws + 1.0) ** -request.splits > request.false_alarm / 4
    ):  # the least p of combined_p
        draws *= 2
    return _affordable(draws, request, tests)


def _affordable(draws: int, request: Request, tests: int) -> int:
    if draws > MOST_DRAWS:
        raise ValueError(
            f"false_alarm={request.false_alarm!r} is not allowed: with {tests} tests it takes"
            f" {draws:,} reshufflings of each; at most {MOST_DRAWS:,} are (a larger false_alarm,"
            " more splits, fewer groups or learners need fewer)"
        )
    return draws


def _split(request: Request, table: Table, name: str, curator: Kept | None, progress: bool):
    """Random halves; the independent splits give one exact p-value for each group."""
    draws = _null_draws(request, len(request.learners) * len(table.members))
    learner, setup = (
        BATTERY[name],
        replace(_setup(request, table), null_draws=draws, keep_null=True),
    )
    if curator is not None:
        learner = After(curator, learner)
    result = demcoh(
        table.frame,
        table.members,
        learner,
        setup,
        splits=request.splits,
        seed=request.seed,
        workers=request.workers,
        progress=progress,
    )
    p = pd.DataFrame(
        [
            {
                "group": group,
                "n": int(part["n"].iloc[0]),
                "p": combined_p(d for d in part["distances"] if d.size),
            }
            for group, part in result.rows.groupby("group", sort=False)
        ]
    )
    result = replace(result, rows=result.rows.drop(columns="distances"))
    # the first split once more, for the figures: the same stream, and the same release, which the
    # curator keeps
    rows, inside, h = predict_halves(table.frame, learner, setup, stream(request.seed, "demcoh", 0))
    return result, p, (h, inside, {group: who[rows] for group, who in table.members.items()})


def _released(request: Request, table: Table, name: str, curator: None, progress: bool):
    """One split, several trainings; the test is of their mean, which is one predictor."""
    setup, h, rows = _setup(request, table), [], []
    tests = len(request.learners) * len(table.members)
    draws = _affordable(math.ceil(4 * tests / request.false_alarm), request, tests)
    for i in tqdm(range(request.splits), disable=not progress, desc=f"{name}: trainings"):
        rng = stream(request.seed, "release", i)
        predict = _learn(BATTERY[name], table.release.table, setup, rng)
        h.append(checked(predict(table.frame[list(setup.lens)]), len(table.frame), setup))
        rows.append(compare(h[-1], table.inside, table.members, setup, rng).assign(split=i))
    result = Result(pd.concat(rows, ignore_index=True), setup, request.seed)
    mean = np.mean(h, axis=0)
    jobs = [
        joblib.delayed(reshuffling_p)(
            mean[who],
            table.inside[who],
            draws=draws,
            enough=ENOUGH,
            rng=stream(request.seed, "release test", name, group),
        )
        for group, who in table.members.items()
    ]
    p = pd.DataFrame(
        {
            "group": list(table.members),
            "n": [int(who.sum()) for who in table.members.values()],
            "p": joblib.Parallel(n_jobs=request.workers)(jobs),
        }
    )
    return result, p.fillna({"p": 1.0}), (h[0], table.inside, dict(table.members))


def _learn(learner: Learner, release: pd.DataFrame, setup: Setup, rng: np.random.Generator):
    return learner(release, setup.target, setup.lens, rng)


# --- the theorems
# ------------------------------------------------------------------------------------------------


def _epsilons(request: Request, table: Table) -> pd.DataFrame:
    """For each alpha and each bound, the largest epsilon that it accepts for the smallest group
    kept.

    The theorems are about a curator who sees half of ``n`` people. Of a
    finished release the people inside are that half, so ``n`` is twice them.
    """
    scale = 1 if request.release is None else 2
    n = 2 * (int(table.inside.sum()) * scale // 2)
    # of an odd number of people one is in neither half, so a group of everyone has n members, too
    least = min(n, *(int((who & table.inside).sum()) * scale for who in table.members.values()))
    rows = []
    for alpha in request.alphas:
        for mode in MODES:
            known = {
                "alpha": alpha,
                "beta": request.beta,
                "gamma": max(least, 1),
                "n": n,
                "collection": len(table.members),
                "mode": mode,
            }
            found = solve(Setting(**known))
            needed = required_size(replace(Setting(**known), gamma=None, epsilon=1e-12))[0]
            rows.append(
                {
                    "alpha": alpha,
                    "mode": mode,
                    "epsilon": found.value if found.met else math.nan,
                    "needed": math.ceil(needed),
                    "smallest": least,
                    "n": n,
                    "words": _in_words(found.value, alpha, least, needed),
                }
            )
    return pd.DataFrame(rows)


def _in_words(epsilon: float | None, alpha: float, least: int, needed: float) -> str:
    if alpha >= 2:
        return "says nothing: no distance exceeds 2"
    if epsilon is None:
        return (
            f"vacuous: even epsilon = 0 would need groups of {math.ceil(needed):,}; the smallest"
            f" has {least:,}"
        )
    noise = 1 / epsilon
    if noise >= least:
        return (
            f"hardly usable: one Laplace count has noise of scale {noise:,.0f}, the smallest group"
            f" {least:,} people"
        )
    return f"one Laplace count at this epsilon has noise of scale {noise:,.3g}"
