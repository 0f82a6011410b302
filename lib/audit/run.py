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

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import joblib
import numpy as np
import pandas as pd

from lib import programs
from lib.audit.certify import certify, in_words, reach
from lib.audit.exposure import (
    Exposure,
    coherence_verdicts,
    dependence_verdicts,
    expose,
    in_parallel,
    reshufflings,
)
from lib.audit.power import Rule, least_share
from lib.audit.release import Curator, Release, warnings_about
from lib.audit.request import Request
from lib.audit.schema import TARGET, Schema
from lib.audit.table import Table, read_table, released_halves
from lib.audit.theorems import epsilons
from lib.coherence.experiment import Result
from lib.files import locked_tempdir
from lib.rng import stream

CELLS = 300_000  # of a table that a core learns from and predicts in a second, as measured
COPIED = 0.9  # share of a group's records in a release that may have copied the group


@dataclass(frozen=True, kw_only=True)
class Audit:
    """All results of an audit; :mod:`lib.audit.report` puts them into words and onto a page.

    Parameters
    ----------
    table : Table
        The people, their groups, and a finished release.
    exposures : mapping
        Learner to its :class:`~lib.audit.exposure.Exposure`.
    verdicts : DataFrame
        Dependence. ``learner, group, n, p, adjusted, flagged``: Holm-adjusted over all rows.
    coherence : DataFrame
        Coherence at each alpha, as :func:`~lib.audit.exposure.coherence_verdicts` gives it.
    least_shares : mapping
        Group to its :func:`~lib.audit.power.least_share`.
    released : mapping
        Group to the share of its people inside whose record and answer are in the (first) release.
    epsilons : DataFrame
        ``alpha, mode, epsilon, needed, words``: what the theorems ask for.
    releases : tuple of Release
        Of every release that was read, what the file does not hold.
    contained : bool, optional
        Whether bubblewrap contained the curator.
    certificate : DataFrame, optional
        As :func:`~lib.audit.certify.certify` gives it, if the request asks for one.
    tests : int
        Those of all audits in one table, over which Holm's correction goes.
    """

    request: Request
    table: Table
    exposures: Mapping[str, Exposure]
    verdicts: pd.DataFrame
    coherence: pd.DataFrame
    least_shares: Mapping[str, float]
    released: Mapping[str, float]
    epsilons: pd.DataFrame
    releases: tuple[Release, ...]
    contained: bool | None
    certificate: pd.DataFrame | None
    tests: int

    @property
    def schema(self) -> Schema:
        """How the file was read."""
        return self.table.schema

    @property
    def members(self) -> Mapping[str, np.ndarray]:
        """Each large enough group with who is in it."""
        return self.table.members

    @property
    def results(self) -> dict[str, Result]:
        """Learner to the :class:`~lib.coherence.experiment.Result`, one row a group and split."""
        return {name: exposure.result for name, exposure in self.exposures.items()}

    @property
    def flagged(self) -> pd.DataFrame:
        """Rows of ``verdicts`` whose predictions depend on who was inside, beyond chance."""
        return self.verdicts[self.verdicts["flagged"]]

    @property
    def shares(self) -> dict[str, float]:
        """Group to the share of copied answers that would have been found; NaN if not even all.

        Nor would they where a release that may have copied the group is not flagged.
        """
        flagged = set(self.flagged["group"])
        return {
            group: share if group in flagged or self.released[group] < COPIED else np.nan
            for group, share in self.least_shares.items()
        }

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why "no flag" may mean less than it seems."""
        return warnings_about(self.releases, self.schema, self.request)

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
    """Read, run the experiment for each learner, test, and ask what could have been found, what is
    certain, and what the theorems allow.

    ``say`` gets how long it takes, if long, and what a certificate can come to, before anything is
    run. ``table`` is what the request names, if it was read; ``tests`` are all of :class:`Audit`, 0
    for its own.

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
    minutes = len(table.raw) * len(table.lens) * request.splits / CELLS / 60
    if say is not None and minutes > 5:
        say(
            f"{len(table.raw):,} people, {len(table.lens)} columns and {request.splits} splits take"
            f" about {minutes:,.0f} minutes of a core; fewer --splits, or columns of --lens, less."
        )
    limits = reach(request, table) if request.certify else None
    if limits is not None and say is not None:
        say(in_words(limits))
    with (
        locked_tempdir(Path(tempfile.gettempdir())) as folder,
        joblib.parallel_config(temp_folder=str(folder)),  # what workers share stays there, too
    ):
        curator, contained, certificate = None, None, None
        if request.curator is not None:
            contained = programs.containment(request.contained)
            curator = Curator(request, table.raw, table.schema, folder, contained)
        exposures = {
            name: expose(request, table, tests, name, curator, progress)
            for name in request.learners
        }
        shares = _least_shares(request, table, tests, exposures, progress)
        if limits is not None:
            certificate = certify(request, table, curator, limits)
        released = table.held(*next(released_halves(request, table, curator)))
        releases = curator.releases() if curator else tuple(filter(None, [table.release]))
    results = {name: exposure.result for name, exposure in exposures.items()}
    return Audit(
        request=request,
        table=table,
        exposures=exposures,
        verdicts=dependence_verdicts(request, table, exposures),
        coherence=coherence_verdicts(request, results),
        least_shares=shares,
        released=released,
        epsilons=epsilons(request, table),
        releases=releases,
        contained=contained,
        certificate=certificate,
        tests=tests,
    )


def _least_shares(
    request: Request, table: Table, tests: int, exposures: Mapping[str, Exposure], progress: bool
) -> dict[str, float]:
    """The :func:`~lib.audit.power.least_share` that the learners together find in each group."""
    one = next(iter(exposures.values()))
    own = 2.0 * table.frame[TARGET].to_numpy()[one.rows] - 1
    record = table.record[one.rows]
    rule = Rule(request.false_alarm / tests, request.releases, reshufflings(request, tests))

    def asked(group: str, mine: np.ndarray) -> tuple:
        alike = np.zeros(int(record.max()) + 1, dtype=bool)
        alike[record[mine]] = True
        others = alike[record] & ~mine
        h = {name: exposure.tested[mine] for name, exposure in exposures.items()}
        rng, design = stream(request.seed, "power", group), table.design.of(one.rows[mine])
        known = (record[others], own[others])
        return h, own[mine], one.inside[mine], rule, rng, design, record[mine], known

    job = joblib.delayed(least_share)
    jobs = (job(*asked(group, who[one.rows])) for group, who in table.members.items())
    found = in_parallel(request, table, jobs, progress, "what could be found")
    return dict(zip(table.members, found, strict=True))
