"""Judge the claims. Verdicts are never typed: they follow from evidence by the rule of the row.

Evidence is measured once, stored with the repository, and measured again where the results have
changed. A record belongs to a question (a measure with its arguments), so a claim's other readings
and the same claim asked of another grid have records of their own.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from lib import validate
from lib.files import read_yaml, shown
from lib.ledger.claim import COMPANION, Claim, papers, read_claims
from lib.ledger.rules import TESTED, VERDICTS, Evidence, judge, opposite
from lib.paths import DATA, RESULTS
from lib.runner.store import read_rows
from lib.stats.p_values import holm

EVIDENCE, AUTHORS = DATA / "evidence.yml", DATA / "authors"


def question(claim: Claim) -> str:
    """What is asked: the measure with its arguments, as text."""
    return f"{claim.measure} {json.dumps(claim.arguments, sort_keys=True)}"


def stored_results() -> str:
    """SHA-256 of all stored results at the scale of the papers, ours and those of the authors."""
    total = hashlib.sha256()
    unfolded = filter(read_rows, RESULTS.glob("*.sqlite"))
    ours = sorted((*RESULTS.glob("*.parquet"), *unfolded))
    for file in (*ours, *sorted(AUTHORS.glob("*.csv*"))):
        if ".quick." not in file.name:
            total.update(file.name.encode() + hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


def read_evidence(path: Path = EVIDENCE) -> tuple[str, dict[str, Evidence]]:
    """The hash of the results that were measured, and the evidence by :func:`question`."""
    if not path.exists():
        return "", {}
    content = read_yaml(path, dict)
    try:
        records = {
            asked: Evidence(**({"value": math.nan} | said), stored=True)
            for asked, said in content["evidence"].items()
        }
        return content["results"], records
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} must hold results and evidence, got another file"
            f" ({shown(str(error))}); restore it, or write it again: python -m lib claims --write"
        ) from None


class Measurer:
    """Give the evidence for claims: the stored one where it is current, else what is measured.

    Evidence is current if the results are those that were measured. Where a measure needs a real
    table and only its replica is here, the stored evidence stands. ``fresh`` measures in any case.
    ``found`` is what was asked so far, by :func:`question`; ``tick`` is called after each.
    """

    def __init__(self, *, fresh: bool = False, tick: Callable[[], object] = lambda: None) -> None:
        self._tick = tick
        results, self._stored = read_evidence()
        self._current = not fresh and results == stored_results()
        self.found: dict[str, Evidence] = {}

    def refuse_unknown(self, claims: Iterable[Claim]) -> None:
        """Raise ``ValueError`` for a claim that would be measured by what is no measure."""
        for claim in claims:
            if claim.measure and not (self._current and question(claim) in self._stored):
                claim.measured_by()

    def __call__(self, claim: Claim) -> Evidence:
        asked = question(claim)
        if asked not in self.found:
            stored = self._stored.get(asked)
            if stored is None or not self._current:
                found = claim.measured_by()(**claim.arguments)
                stored = stored if stored and found.data == "replica" else found
            self.found[asked] = stored
            self._tick()
        return self.found[asked]


@dataclass(frozen=True)
class Row:
    """A claim with its evidence and verdict; ``adjusted_p`` and ``adjusted_opposite`` for
    directional rows; ``also`` maps each other reading of the claim to its row. ``authors`` is
    the row by the same rule on what the paper's authors stored, None where no stored results could
    answer.
    """

    claim: Claim
    evidence: Evidence
    verdict: str
    adjusted_p: float = math.nan
    also: Mapping[str, Row] = field(default_factory=dict)
    adjusted_opposite: float = math.nan
    authors: Row | None = None

    @property
    def adjusted(self) -> Evidence:
        """The evidence with its adjusted p-values."""
        return replace(self.evidence, p=self.adjusted_p, p_opposite=self.adjusted_opposite)


def evaluate(
    claims: list[Claim] | None = None,
    *,
    paper: str | None = None,
    shown: Callable[[Claim], bool] | None = None,
    measured: Callable[[Claim], Evidence] | None = None,
) -> list[Row]:
    """Judge ``claims``, by default the whole ledger; give the rows of ``paper`` for which ``shown``
    is true.

    The evidence is what ``measured`` gives, by default the stored one where the same question was
    asked of the same results, and otherwise a new measurement. The rows of a paper include those
    of the companion about it; ``paper="companion"`` gives the companion's alone. Directional
    tests of all ``claims`` are adjusted together, whatever is shown: a page of some rows has the
    verdicts of the whole. Rows that are neither shown nor directional are not measured.
    """
    claims = read_claims() if claims is None else validate.sequence("claims", claims)
    if paper is not None:
        validate.choice("paper", paper, (*papers(), COMPANION))
    wanted = [paper in (None, c.paper, c.subject) and (shown is None or shown(c)) for c in claims]
    asked = {i: c for i, c in enumerate(claims) if wanted[i] or c.rule in TESTED}
    measured = measured or Measurer()
    if isinstance(measured, Measurer):
        measured.refuse_unknown(asked.values())
    found = {
        i: measured(claim) if claim.measure else Evidence(math.nan, detail=claim.why)
        for i, claim in asked.items()
    }
    # a hypothesis stated beforehand counts in its family, run or not
    tested = {
        i: _both_sides(claims[i], e)
        for i, e in found.items()
        if claims[i].rule in TESTED and not (claims[i].rule == "positive" and math.isnan(e.p))
    }
    adjusted = adjusted_together(tested)
    authors = _of_authors(asked, measured, tested)
    rows = []
    for i in filter(wanted.__getitem__, asked):
        also = {}
        for name, reading in claims[i].readings().items():
            own = measured(reading)
            family = tested | {i: _both_sides(reading, own)}
            also[name] = judged(reading, own, adjusted_together(family)[i] if i in tested else None)
        row = judged(claims[i], found[i], adjusted.get(i))
        rows.append(replace(row, also=also, authors=authors.get(i)))
    return rows


def _of_authors(
    claims: Mapping[int, Claim], measured: Callable[[Claim], Evidence], tested: dict[int, Evidence]
) -> dict[int, Row]:
    """The claims judged on their authors' results; when p-values are adjusted, the authors'
    evidence takes the place of ours.
    """
    asked = {i: own for i, claim in claims.items() if (own := claim.of_authors())}
    found = {i: measured(own) for i, own in asked.items()}
    theirs = {
        i: _both_sides(claims[i], e)
        for i, e in found.items()
        if i in tested and not math.isnan(e.p)
    }
    adjusted = adjusted_together(tested | theirs)
    return {
        i: judged(own, found[i], adjusted[i] if i in theirs else None) for i, own in asked.items()
    }


def _both_sides(claim: Claim, evidence: Evidence) -> Evidence:
    """The evidence of a directional claim with the p-value of the opposite, too, which the
    evidence of a stated hypothesis has already.
    """
    positive = claim.rule == "positive"
    return replace(evidence, p_opposite=opposite(evidence)) if positive else evidence


def adjusted_together(
    family: Mapping[int, Evidence], correct: Callable[[list[float]], Iterable] = holm
) -> dict[int, Evidence]:
    """The evidence of a family with its p-values adjusted together, and those of the opposites."""
    for name in ("p", "p_opposite"):
        adjusted: Iterable[Any] = map(float, correct([getattr(e, name) for e in family.values()]))
        family = {
            i: e if math.isnan(p) else replace(e, **{name: p})
            for (i, e), p in zip(family.items(), adjusted, strict=True)
        }
    return dict(family)


def judged(claim: Claim, evidence: Evidence, adjusted: Evidence | None) -> Row:
    """The claim judged on the evidence, with its adjusted p-values if it is tested."""
    final = adjusted or replace(evidence, p=math.nan, p_opposite=math.nan)
    verdict = judge(claim.rule, final, claim.tolerance) if claim.measure else claim.verdict
    return Row(claim, evidence, verdict, final.p, adjusted_opposite=final.p_opposite)


def tallied(rows: Sequence[Row]) -> list[Row]:
    """The rows that tallies count: all but the parts of others."""
    return [row for row in rows if not row.claim.part_of]


def summary(rows: list[Row] | None = None) -> dict[str, int]:
    """How many rows have each verdict, all named; the parts of a row are counted with it."""
    counts = Counter(row.verdict for row in tallied(evaluate() if rows is None else rows))
    return {verdict: counts.get(verdict, 0) for verdict in VERDICTS}


def rows_by_paper(rows: list[Row]) -> dict[tuple[str, bool], list[Row]]:
    """Rows that are counted, in separate lists: by who states them, and by whether the rule came
    after part of the results.

    The keys are ``(paper, seen)``, those that occur, in the order of
    :func:`~lib.ledger.claim.papers` with the companion last.
    """
    parts: dict[tuple[str, bool], list[Row]] = {
        key: [] for key in product((*papers(), COMPANION), (False, True))
    }
    for row in tallied(rows):
        parts[row.claim.paper, row.claim.seen].append(row)
    return {key: part for key, part in parts.items() if part}
