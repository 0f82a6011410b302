"""Demographic coherence of a user's own table: the paper's experiment DemCoh on three things.

What each can say:

- *clear*: random halves; the predictor learns from one half as it is.
- *curator*: random halves; a command makes a release of one half, the predictor learns from that
  (Definition 4).
- *release*: made once, from people who are known; others were left out. There is one split, so a
  test of whether the predictions tell the two apart is possible and a probability over splits is
  not.

Two verdicts come of it. *Dependence*: are people inside treated unlike those left out, beyond
chance? *Coherence* at each alpha: in what share of splits is some group farther apart, and is it
more than beta?

A release of everybody leaves nobody to compare with: any split drawn afterwards is independent of
it. That is refused.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from tqdm.auto import tqdm

from lib import programs
from lib.audit import verdicts as rules
from lib.audit.certify import Certificate, certify, in_words, reach
from lib.audit.reading import TARGET
from lib.audit.release import Curator, Release, warnings_about
from lib.audit.request import Request
from lib.audit.schema import Schema
from lib.audit.table import Table, read_table
from lib.audit.theorems import epsilons
from lib.coherence.combination import combined_p
from lib.coherence.distances import reshuffling_p
from lib.coherence.experiment import Result, Setup, as_predictions, compare, demcoh, predict_halves
from lib.coherence.learners import BATTERY, After
from lib.files import locked_tempdir
from lib.programs import end_with_parent
from lib.rng import stream

MOST_DRAWS = 1_000_000  # reshufflings of a group in one test
# reshufflings as far apart as observed that stop a test: p is then known to a seventh of itself
ENOUGH = 50

# with the p-value of each group, the predictions of the first split, and those the test is of
Part = tuple[Result, dict[str, float], rules.Predicted, rules.Predicted]


@dataclass(frozen=True, kw_only=True)
class Audit:
    """All results of an audit; :mod:`lib.audit.report` puts them into words and onto a page.

    Parameters
    ----------
    results : mapping
        Learner to the :class:`~lib.coherence.result.Result`, one row a group and split (or
        training).
    verdicts : DataFrame
        Dependence. ``learner, group, n, p, adjusted, flagged``: Holm-adjusted over all rows.
    coherence : DataFrame
        Coherence at each alpha, as :func:`~lib.audit.verdicts.coherence_verdicts` gives it.
    first_split : mapping
        Learner to ``(h, inside, members)`` of the first split, for the figures.
    epsilons : DataFrame
        ``alpha, mode, epsilon, needed, words``: what the theorems ask for.
    n, inside, dropped_rows, release_rows : int
        People, those inside, those without a sensitive value, and rows of a finished release.
    releases : tuple of Release
        Of every release that was read, what the file does not hold.
    warnings : tuple of str
        Why "no flag" may mean less than it seems.
    contained : bool, optional
        Whether bubblewrap contained the curator.
    certificate : Certificate, optional
        If the request asks for one.
    tests : int
        Those of all audits in one table, over which Holm's correction goes.
    shares : mapping
        Group to the :func:`~lib.audit.power.least_share` that would have been found, or NaN.
    """

    request: Request
    schema: Schema
    members: Mapping[str, np.ndarray]
    small: Mapping[str, int]
    results: Mapping[str, Result]
    verdicts: pd.DataFrame
    coherence: pd.DataFrame
    first_split: Mapping[str, tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]]
    epsilons: pd.DataFrame
    n: int
    inside: int
    dropped_rows: int
    release_rows: int
    releases: tuple[Release, ...]
    warnings: tuple[str, ...]
    contained: bool | None
    certificate: Certificate | None
    tests: int
    shares: Mapping[str, float]

    @property
    def flagged(self) -> pd.DataFrame:
        """Rows of ``verdicts`` whose predictions depend on who was inside, beyond chance."""
        return self.verdicts[self.verdicts["flagged"]]

    @property
    def containment(self) -> str:
        """What the curator could do, as a sentence; nothing without one."""
        if self.contained is None:
            return ""
        return programs.in_words("The curator", self.contained)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row a learner and group: the result's summary, and the columns of ``verdicts``."""
        parts = [result.summary().assign(learner=name) for name, result in self.results.items()]
        return pd.concat(parts).merge(self.verdicts, on=["learner", "group", "n"])


def run_audit(
    request: Request,
    *,
    table: Table | None = None,
    tests: int = 0,
    progress: bool = True,
    say: Callable[[str], object] | None = None,
) -> Audit:
    """Read, type, run the experiment for each learner, test, and ask the theorems.

    ``say`` gets what a certificate can come to, before anything is run. ``table`` is what the
    request names, if it was read; ``tests`` are all of :class:`Audit`, 0 for its own.

    Raises
    ------
    ValueError
        For a file, column or value that is not there or cannot be used, and for a question that has
        no answer.
    RuntimeError
        If the curator must be contained and cannot be.

    Examples
    --------
    The release below is the people themselves, so a lookup tells who is behind it:

    >>> from lib.audit.report import verdicts
    >>> with tempfile.TemporaryDirectory() as name:
    ...     inside, outside = Path(name, "inside.csv"), Path(name, "outside.csv")
    ...     people = pd.DataFrame({"age": range(60), "ill": ["yes", "no"] * 30})
    ...     people[:30].to_csv(inside, index=False)
    ...     people[30:].to_csv(outside, index=False)
    ...     request = Request(
    ...         file=inside,
    ...         sensitive="ill",
    ...         lens=("age",),
    ...         release=inside,
    ...         holdout=outside,
    ...         learners=("lookup",),
    ...         gamma=20,
    ...         splits=2,
    ...     )
    ...     audit = run_audit(request, progress=False)
    >>> verdicts(audit)[0][:45]
    'Dependence: not independent. In 3 of 3 groups'
    """
    table = read_table(request) if table is None else table
    tests = tests or len(request.learners) * len(table.members)
    limits = reach(request, table) if request.certify else None
    if limits is not None and say is not None:
        say(in_words(limits, request))
    part_of = _released if request.mode == "release" else _halves
    run = partial(part_of, request, table, _setup(request, table, tests))
    with (
        locked_tempdir(Path(tempfile.gettempdir())) as folder,
        joblib.parallel_config(temp_folder=str(folder)),  # what workers share stays there, too
    ):
        curator, contained = None, None
        if request.curator is not None:
            contained = programs.containment(request.contained)
            curator = Curator(request, table.raw, table.schema, folder, contained)
        parts: dict[str, Any] = {name: run(name, curator, progress) for name in request.learners}
        certificate = None if limits is None else certify(request, table, curator, limits)
        releases = curator.releases() if curator else tuple(filter(None, [table.release]))
    results, p, first, tested = ({k: part[i] for k, part in parts.items()} for i in range(4))
    of_groups = {
        name: (h, inside, {group: who[rows] for group, who in table.members.items()})
        for name, (rows, inside, h) in first.items()
    }
    return Audit(
        request=request,
        schema=table.schema,
        members=table.members,
        small=table.small,
        results=results,
        verdicts=rules.dependence_verdicts(request, table, p),
        coherence=rules.coherence_verdicts(request, results),
        first_split=of_groups,
        epsilons=epsilons(request, table),
        n=len(table.frame),
        inside=int(table.inside.sum()),
        dropped_rows=table.dropped_rows,
        release_rows=0 if table.release is None else len(table.release.table),
        releases=releases,
        warnings=warnings_about(releases, table.schema, request),
        contained=contained,
        certificate=certificate,
        tests=tests,
        shares=rules.least_shares(request, table, tests, tested),
    )


def _halves(
    request: Request, table: Table, setup: Setup, name: str, curator: Curator | None, progress: bool
) -> Part:
    """Random halves; the independent splits give one exact p-value for each group."""
    learner = BATTERY[name] if curator is None else After(curator, BATTERY[name])
    result = demcoh(
        table.frame,
        table.members,
        learner,
        setup,
        splits=request.splits,
        seed=request.seed,
        workers=request.workers,
        progress=progress,
        design=table.design,
    )
    p = {
        group: combined_p(distances for distances in part if distances.size)
        for group, part in result.rows.groupby("group")["distances"]
    }
    result = Result(result.rows.drop(columns="distances"))
    # the first split once more, for the figures: the same stream, and the same release, which the
    # curator keeps
    rng = stream(request.seed, "demcoh", 0)
    first = predict_halves(table.frame, learner, setup, rng, table.design)
    return result, p, first, first


def _released(
    request: Request, table: Table, setup: Setup, name: str, curator: Curator | None, progress: bool
) -> Part:
    """One split, several trainings; the test is of their mean, which is one predictor."""
    few, h, rows = replace(setup, null_draws=20), [], []
    for i in tqdm(range(request.splits), disable=not progress, desc=f"{name}: trainings"):
        rng = stream(request.seed, "release", i)
        predict = BATTERY[name](table.release.table, setup.target, setup.lens, rng)
        h.append(as_predictions(predict(table.frame[list(setup.lens)]), len(table.frame), setup))
        part = compare(h[-1], table.inside, table.members, few, rng, table.design)
        rows.append(part.assign(split=i))
    mean = np.mean(h, axis=0)
    test, own = joblib.delayed(reshuffling_p), partial(stream, request.seed, "release test", name)
    jobs = (
        test(
            mean[who],
            table.inside[who],
            draws=setup.null_draws,
            enough=ENOUGH,
            rng=own(group),
            design=table.design.of(who),
        )
        for group, who in table.members.items()
    )
    parallel = joblib.Parallel(
        n_jobs=request.workers, initializer=end_with_parent, initargs=(os.getpid(),)
    )
    p = parallel(jobs)
    p = pd.Series(p, table.members).fillna(1.0).to_dict()
    result, everybody = Result(pd.concat(rows, ignore_index=True)), np.arange(mean.size)
    return result, p, (everybody, table.inside, h[0]), (everybody, table.inside, mean)


def _setup(request: Request, table: Table, tests: int) -> Setup:
    draws = rules.reshufflings(request, tests)
    if draws > MOST_DRAWS:
        raise ValueError(
            f"false_alarm must be so large that {tests} tests take at most {MOST_DRAWS:,}"
            f" reshufflings each, got {request.false_alarm!r}, which takes {draws:,} (more splits,"
            " fewer groups or learners need fewer, too)"
        )
    return Setup(
        target=TARGET,
        lens=table.lens,
        labels=request.labels,
        gamma=request.least_size,
        null_draws=draws,
        keep_null=request.mode != "release",
    )
