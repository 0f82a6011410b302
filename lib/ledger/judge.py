"""Read the claims, measure, judge. Verdicts are never typed: they follow from stored results by the
rule of the row.

Rows that count in a real table keep their evidence in ``data/evidence.yml``, so
that the ledger is the same where only a replica is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib import import_module
from pathlib import Path

import yaml

from lib import validate
from lib.ledger.rules import RULES, VERDICTS, Evidence, judge
from lib.paths import DATA
from lib.runner.registry import studies
from lib.stats.holm import holm

__all__ = [
    "Claim",
    "Row",
    "CLAIMS",
    "STORED",
    "EVIDENCE",
    "PAPERS",
    "COMPANION",
    "read_claims",
    "evaluate",
    "evidence_record",
    "counted",
    "summary",
    "apart",
    "stored_evidence",
    "tallied",
    "stored_verdicts",
    "drift",
]

CLAIMS, STORED, EVIDENCE = DATA / "claims.yml", DATA / "verdicts.yml", DATA / "evidence.yml"
PAPERS = ("stratified", "ldp", "coherence")
COMPANION = (  # whose rows no paper states: other tables, other settings, readings of our own
    "companion"
)


@cache
def measures() -> dict[str, Callable[..., Evidence]]:
    """The functions that studies export to measure claims, by name."""
    modules = (module for study in studies() for module in study.measures)
    return {
        name: function
        for module in modules
        for name, function in import_module(module).MEASURES.items()
    }


KINDS = {
    "near": "number",
    "at_least": "quantifier",
    "positive": "direction",
    "within": "equivalence",
    "returns": "equivalence",
    "true": "statement",
}


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One row of ``data/claims.yml``.

    ``paper`` says who states it: a paper, or the ``companion``, whose rows name in ``about`` the
    paper that they belong beside. ``rule`` with its ``tolerance``, and the reason for it (``why``),
    were set from the paper's text; ``measure`` names a function of a study, or
    ``"module:function"``, with its ``arguments``. A row without a measure says why in ``why`` and
    carries the verdict "not run" or "not comparable". ``seen`` marks rows that were added or
    sharpened when part of the results was known.

    ``part_of`` names the row before it that says the same of more, or that implies this one: such a
    part is shown and judged, and counted with that row. ``also`` holds other readings of the same
    claim, ``{name: arguments}``: the row is judged by its own ``arguments``, and shown with the
    verdicts that the others would give.
    """

    id: str
    paper: str
    place: str
    statement: str
    value: str = ""
    measure: str = ""
    arguments: dict = field(default_factory=dict)
    rule: str = ""
    tolerance: dict = field(default_factory=dict)
    why: str = ""
    verdict: str = ""
    seen: bool = False
    about: str = ""
    part_of: str = ""
    also: dict = field(default_factory=dict)

    @property
    def subject(self) -> str:
        """The paper that the row is about, whoever states it: the verdict page that shows it."""
        return self.about or self.paper

    @property
    def kind(self) -> str:
        """What is claimed: a number, a quantifier over cells, a direction, an equivalence, a
        statement, an opinion.
        """
        return KINDS.get(self.rule, "opinion")

    def measured_by(self) -> Callable[..., Evidence]:
        """The function that :attr:`measure` names: one of the ledger's, or anybody's as
        ``"module:function"``.
        """
        return validate.resolve(
            f"measure of {self.id}", self.measure, measures(), callable, "a function"
        )

    def __post_init__(self) -> None:
        validate.choice("paper", self.paper, (*PAPERS, COMPANION))
        if self.paper == COMPANION:
            validate.choice(f"about of {self.id}", self.about, PAPERS)
        elif self.about:
            raise ValueError(
                f"about of {self.id} must be left out unless paper is {COMPANION}, got"
                f" {self.about!r}"
            )
        if self.measure:
            self.measured_by()
            validate.choice(f"rule of {self.id}", self.rule, RULES)
            if self.verdict:
                raise ValueError(
                    f"verdict={self.verdict!r} of {self.id} is not allowed: a measured row's"
                    " verdict is computed"
                )
        else:
            validate.choice(f"verdict of {self.id}", self.verdict, ("not run", "not comparable"))
        if not self.why:
            raise ValueError(
                f"why='' of {self.id} is not allowed: the reason for the rule, or for not running"
            )


@dataclass(frozen=True)
class Row:
    """A claim with its evidence and verdict; ``adjusted_p`` for directional rows; ``also`` by
    the claim's other readings.
    """

    claim: Claim
    evidence: Evidence
    verdict: str
    adjusted_p: float = math.nan
    also: Mapping[str, Row] = field(default_factory=dict)


def read_claims(path: Path = CLAIMS) -> list[Claim]:
    """The rows of the file; a ``ValueError`` names the row and the field that is wrong."""
    known, claims = {f.name for f in fields(Claim)}, []
    for number, row in enumerate(yaml.safe_load(path.read_text()), start=1):
        name = row.get("id", f"row {number}")
        if unknown := set(row) - known:
            raise ValueError(
                f"{name} has the field {sorted(unknown)[0]!r}; known are {', '.join(sorted(known))}"
            )
        try:
            claims.append(Claim(**row))
        except TypeError as error:
            raise ValueError(f"{name}: {error}") from error
    if repeated := [i for i, count in Counter(c.id for c in claims).items() if count > 1]:
        raise ValueError(
            f"id={repeated[0]!r} stands {Counter(c.id for c in claims)[repeated[0]]} times; once is"
            " allowed"
        )
    for before, claim in zip([None, *claims], claims, strict=False):
        if claim.part_of and (before is None or claim.part_of not in (before.id, before.part_of)):
            raise ValueError(
                f"part_of of {claim.id} must be the row before it or that row's, got"
                f" {claim.part_of!r}"
            )
        if claim.part_of and claim.paper != before.paper:
            raise ValueError(
                f"paper of {claim.id} must be that of {claim.part_of}, got {claim.paper!r}"
            )
    return claims


def evaluate(
    claims: list[Claim] | None = None,
    *,
    paper: str | None = None,
    shown: Callable[[Claim], bool] | None = None,
) -> list[Row]:
    """Measure and judge ``claims``, by default the whole ledger; give the rows of ``paper`` for
    which ``shown`` is true.

    The rows of a paper include those of the companion about it; ``paper="companion"`` gives the
    companion's alone. Directional tests of all ``claims`` are adjusted together, whatever is shown:
    a page of some rows has the verdicts of the whole. Rows that are neither shown nor directional
    are not measured.
    """
    claims = read_claims() if claims is None else claims
    if paper is not None:
        validate.choice("paper", paper, (*PAPERS, COMPANION))
    wanted = [paper in (None, c.paper, c.subject) and (shown is None or shown(c)) for c in claims]
    needed = [
        (c, show) for c, show in zip(claims, wanted, strict=True) if show or c.rule == "positive"
    ]
    evidence = [_measured(c) if c.measure else Evidence(math.nan, detail=c.why) for c, _ in needed]
    tested = {
        i: e.p
        for i, ((c, _), e) in enumerate(zip(needed, evidence, strict=True))
        if c.rule == "positive" and not math.isnan(e.p)
    }
    adjusted = _holm(tested)
    rows = []
    for i, ((claim, show), e) in enumerate(zip(needed, evidence, strict=True)):
        if show:
            also = {}
            for name, arguments in claim.also.items():
                other = replace(claim, arguments=claim.arguments | arguments, also={})
                found = _measured(other)
                also[name] = _row(
                    other, found, _holm(tested | {i: found.p}) if i in tested else {}, i
                )
            rows.append(replace(_row(claim, e, adjusted, i), also=also))
    return rows


def _holm(p: Mapping[int, float]) -> dict[int, float]:
    return dict(zip(p, holm(p.values()).tolist(), strict=True))


def _row(claim: Claim, evidence: Evidence, adjusted: Mapping[int, float], place: int) -> Row:
    """The claim judged on the evidence, with the adjusted p-value at its place if it is tested."""
    verdict = (
        judge(claim.rule, evidence, claim.tolerance, adjusted.get(place))
        if claim.measure
        else claim.verdict
    )
    return Row(claim, evidence, verdict, adjusted.get(place, math.nan))


def tallied(rows: Sequence[Row]) -> list[Row]:
    """The rows that tallies count: all but the parts of others."""
    return [row for row in rows if not row.claim.part_of]


def _measured(claim: Claim) -> Evidence:
    """What the measure says here; where it needs a real table and only a replica is here, what
    it said there.
    """
    found = claim.measured_by()(**claim.arguments)
    record = stored_evidence().get(claim.id) if found.data == "replica" else None
    if record is None or evidence_record(claim, record["evidence"]) != record:
        return found
    return Evidence(**record["evidence"], stored=True)


def evidence_record(claim: Claim, evidence: Evidence | dict) -> dict:
    """What is stored of a row: the measure, its arguments, and the fields of its evidence that
    are set.
    """
    if isinstance(evidence, Evidence):
        default = Evidence(math.nan)
        evidence = {
            f.name: value
            for f in fields(Evidence)
            if f.name != "stored"
            and (value := getattr(evidence, f.name)) == value
            and value != getattr(default, f.name)
        }
    return {"measure": claim.measure, "arguments": claim.arguments, "evidence": evidence}


def stored_evidence(path: Path | None = None) -> dict[str, dict]:
    """The records of :data:`EVIDENCE` by the id of their rows."""
    path = EVIDENCE if path is None else path
    return yaml.safe_load(path.read_text()) or {} if path.exists() else {}


def summary(rows: list[Row] | None = None) -> dict[str, int]:
    """How many rows have each verdict, all five named; the parts of a row are counted with it."""
    counts = Counter(row.verdict for row in tallied(evaluate() if rows is None else rows))
    return {verdict: counts.get(verdict, 0) for verdict in VERDICTS}


def apart(rows: list[Row]) -> dict[tuple[str, bool], list[Row]]:
    """Rows that are counted, tallied apart: by who states them, and by whether the rule came after
    part of the results.

    The keys are ``(paper, seen)``, those that occur, in the order of :data:`PAPERS` with the
    companion last.
    """
    keys = [(paper, seen) for paper in (*PAPERS, COMPANION) for seen in (False, True)]
    parts = {
        key: [row for row in tallied(rows) if (row.claim.paper, row.claim.seen) == key]
        for key in keys
    }
    return {key: part for key, part in parts.items() if part}


def stored_verdicts(path: Path = STORED) -> dict[str, str]:
    """The verdicts that were committed."""
    return yaml.safe_load(path.read_text()) if path.exists() else {}


def drift(
    rows: list[Row], stored: dict[str, str], evidence: dict[str, dict] | None = None
) -> list[str]:
    """Rows whose stored verdict no longer follows, in words; rows that need real data are left out
    on replicas.

    A stored verdict without a claim is one that no longer follows, too. With
    ``evidence``, the stored records of rows that count in a real table, so is
    a record that is not what the table of this machine says.
    """
    moved = [
        f"{row.claim.id}: stored {stored.get(row.claim.id, 'nothing')!r}, the results say"
        f" {row.verdict!r}"
        for row in rows
        if stored.get(row.claim.id) != row.verdict and row.evidence.data != "replica"
    ]
    known = {claim.id for claim in read_claims()} | {row.claim.id for row in rows}
    moved += [
        f"{name}: stored {verdict!r}, there is no such claim"
        for name, verdict in stored.items()
        if name not in known
    ]
    if evidence is not None:
        moved += [
            f"{name}: stored evidence {evidence.get(name, 'none')}, the table says {record}"
            for name, record in counted(rows).items()
            if evidence.get(name) != record
        ]
        moved += [
            f"{name}: stored evidence, there is no such claim"
            for name in evidence
            if name not in known
        ]
    return moved


def counted(rows: list[Row]) -> dict[str, dict]:
    """Evidence to store: of the rows that were counted in a real table of this machine."""
    return {
        row.claim.id: evidence_record(row.claim, row.evidence)
        for row in rows
        if row.claim.measure
        and getattr(row.claim.measured_by(), "counts_rows", False)
        and row.evidence.data != "replica"
        and not row.evidence.stored
    }
