"""Claims: what each row of ``data/claims/`` states, and how it is to be measured and judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib import import_module
from inspect import isfunction
from pathlib import Path

from lib import validate
from lib.files import read_yaml, shown
from lib.ledger.rules import Evidence
from lib.paths import DATA
from lib.stats.p_values import DIRECTIONS
from lib.study import Study, studies

CLAIMS = DATA / "claims"
PAPERS = ("stratified", "ldp", "coherence")  # those that the book was made for, in its order
# whose rows no paper states: other tables, other settings, readings of our own
COMPANION = "companion"
KINDS = {
    "near": "number",
    "agrees": "number",
    "at_least": "quantifier",
    "positive": "direction",
    "within": "equivalence",
    "returns": "equivalence",
    "true": "statement",
    **dict.fromkeys(DIRECTIONS, "direction"),
}


_BEFORE = {"rule", "tolerance", "verdict", "why", "measure", "arguments"}
_named: dict[str, Callable[..., Evidence]] = {}  # of modules that a person has named


@cache
def papers() -> dict[str, str]:
    """The papers that studies rerun, in the order of the ledger, and the title of the study."""
    stated = (study.paper for study in reversed(studies()))
    ordered = dict.fromkeys((*PAPERS, *stated))
    return {paper: study_of(paper).title for paper in ordered if paper != COMPANION}


@cache
def study_of(paper: str) -> Study:
    """The first study of a paper, which states what the ledger says of it."""
    return next(study for study in studies() if study.paper == paper)


@cache
def measures() -> dict[str, Callable[..., Evidence]]:
    """The functions that studies export to measure claims, by name."""
    modules = (module for study in studies() for module in study.measures)
    return {
        name: function
        for module in modules
        for name, function in import_module(module).MEASURES.items()
    }


def _functions(module: str) -> dict[str, Callable[..., Evidence]]:
    """The functions of a module that a person has named, as ``"module:function"``."""
    try:
        found = vars(import_module(module))
    except ModuleNotFoundError as error:
        raise ValueError(f"measures must be a module on Python's path, got {module!r}") from error
    return {f"{module}:{name}": f for name, f in found.items() if isfunction(f)}


def _texts(value: object) -> list[str]:
    """All texts in a value of a YAML file."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, Mapping) else value
    return [text for part in parts for text in _texts(part)] if isinstance(parts, Iterable) else []


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One row of a file in ``data/claims``.

    ``paper`` says who states it: a paper, or the ``companion``, whose rows name in ``about`` the
    paper that they belong beside. ``rule`` with its ``tolerance``, and the reason for it (``why``),
    were set from the paper's text; ``measure`` names a function that a study exports, with its
    ``arguments``. One of another module is ``"module:function"``, and is called only if
    :func:`read_claims` was given that module: a file of claims runs no code of its choice. A row
    without a measure says why in ``why`` and carries the verdict "not run" or "not comparable".
    ``set`` says whether the rule, as it is now, was fixed ``before`` or ``after`` the results that
    answer it were stored.

    ``part_of`` names the row before it that says the same of more, or that implies this one: such a
    part is shown and judged, and counted with that row. ``also`` holds other readings of the same
    claim, ``{name: arguments}``: the row is judged by its own ``arguments``, and shown with the
    verdicts that the others would give.

    ``before`` keeps a rule that this one has replaced: ``rule``, ``tolerance``, the ``verdict``
    that it gave, and ``why`` it was replaced (and ``measure`` and ``arguments``, if others).

    A claim whose verdict is contested has the paper's words (``quote``) and what we did and found
    (``reading``); ``{value}`` and ``{runs}`` stand there for the numbers of the evidence.
    """

    id: str
    paper: str
    place: str
    statement: str
    value: str = ""
    measure: str = ""
    arguments: dict = field(default_factory=dict)
    rule: str = ""
    set: str = "after"
    tolerance: dict = field(default_factory=dict)
    why: str = ""
    verdict: str = ""
    about: str = ""
    part_of: str = ""
    also: dict = field(default_factory=dict)
    quote: str = ""
    reading: str = ""
    before: dict = field(default_factory=dict)

    @property
    def subject(self) -> str:
        """The paper that the row is about."""
        return self.about or self.paper

    @property
    def seen(self) -> bool:
        """Whether part of the results was known when the rule was written as it is now."""
        return self.set == "after"

    @property
    def kind(self) -> str:
        """What is claimed: a number, a quantifier over cells, a direction, an equivalence, a
        statement, an opinion.
        """
        return KINDS.get(self.rule, "opinion")

    def measured_by(self) -> Callable[..., Evidence]:
        """The function that :attr:`measure` names: one that a study exports, or of a module that
        :func:`read_claims` was given.
        """
        known = measures() | _named
        named = {measure.partition(":")[0] for measure in _named}
        for text in _texts(self.arguments):
            if ":" in text and text.partition(":")[0] not in named:  # a grid's name is imported
                raise ValueError(
                    f"arguments of {self.id} must name no module but those that are named beside"
                    f" the file (--measures MODULE), got {shown(text)}"
                )
        if ":" in str(self.measure) and self.measure not in known:
            raise ValueError(
                f"measure of {self.id} must be a function that a study exports, or of a module that"
                f" is named beside the file (--measures MODULE), got {shown(self.measure)}"
            )
        return known[validate.choice(f"measure of {self.id}", self.measure, known)]

    def readings(self) -> dict[str, Claim]:
        """The claim with the arguments of each of its other readings, by their names."""
        return {
            name: replace(self, arguments=self.arguments | arguments, also={})
            for name, arguments in self.also.items()
        }

    def of_authors(self) -> Claim | None:
        """The claim asked of the results that the paper's authors stored; None if its measure reads
        no results that they could have stored.
        """
        for study in filter(self._is_asked_of_authors, studies()):
            name, values = study.authors["argument"], study.authors["values"]
            asked = values[str(self.arguments.get(name, ""))]
            return replace(self, arguments={**self.arguments, name: asked}, also={})
        return None

    def _is_asked_of_authors(self, study: Study) -> bool:
        authors = study.authors
        if self.measure not in authors.get("measures", ()):
            return False
        return bool(authors["values"].get(str(self.arguments.get(authors["argument"], ""))))

    def __post_init__(self) -> None:
        validate.choice("paper", self.paper, (*papers(), COMPANION))
        if self.paper == COMPANION:
            validate.choice(f"about of {self.id}", self.about, papers())
        elif self.about:
            raise ValueError(
                f"about of {self.id} must be left out unless paper is {COMPANION}, got"
                f" {shown(self.about)}"
            )
        validate.require(self.set in ("before", "after"), "set", "before or after", self.set)
        if self.measure:
            validate.choice(f"rule of {self.id}", self.rule, KINDS)
            if self.verdict:
                raise ValueError(
                    f"verdict of {self.id} must be left out, as a measured row's verdict is"
                    f" computed, got {shown(self.verdict)}"
                )
        else:
            validate.choice(f"verdict of {self.id}", self.verdict, ("not run", "not comparable"))
        if self.before and not {"rule", "verdict", "why"} <= self.before.keys() <= _BEFORE:
            raise ValueError(
                f"before of {self.id} must have rule, verdict and why (and may have tolerance,"
                f" measure, arguments), got {sorted(self.before)}"
            )
        if not self.why:
            raise ValueError(
                f"why of {self.id} must be the reason for the rule, or for not running, got ''"
            )


def _claim(row: dict) -> Claim:
    """The claim of a row that has known fields of their types."""
    types = {f.name: str(f.type) for f in fields(Claim)}
    for name, value in row.items():
        if name not in types:
            known = ", ".join(sorted(types))
            raise ValueError(f"has the field {shown(name)}; known are {known}")
        if types[name] == "str":
            validate.require(isinstance(value, str), name, "text", value)
        else:
            validate.require(isinstance(value, dict), name, "a mapping", value)
    name = row.get("id", "")
    validate.require(len(name) <= 100, "id", "of at most 100 letters", name)
    return Claim(**row)


def read_claims(path: Path | None = None, *, modules: Sequence[str] = ()) -> list[Claim]:
    """The rows of a file, or of the whole ledger; a ``ValueError`` names the row and the field
    that is wrong.

    ``modules`` are those of your own whose functions may measure claims.
    """
    for module in modules:
        _named.update(_functions(module))
    if path is None:
        return parse_claims(CLAIMS / study.claims for study in studies() if study.claims)
    claims = parse_claims([path])
    for claim in claims:
        if claim.measure:
            with _named_by(path):
                claim.measured_by()
    return claims


@contextmanager
def _named_by(place: object) -> Iterator[None]:
    """Put the place of a row before what is wrong with it."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise ValueError(f"{place}: {error}") from error


def parse_claims(files: Iterable[Path]) -> list[Claim]:
    """The rows of files, claims or hypotheses, without a look at their measures."""
    claims: dict[str, Claim] = {}
    before: Claim | None = None
    for file in files:
        for number, row in enumerate(read_yaml(file, list), start=1):
            validate.require(isinstance(row, dict), str(file), "a list of claims", row)
            with _named_by(f"{file}: {shown(row.get('id', f'row {number}'))}"):
                claim = _claim(row)
            with _named_by(file):
                if claim.id in claims:
                    raise ValueError(f"id={claim.id!r} stands 2 times; once is allowed")
                _refuse_part(claim, before)
            claims[claim.id] = before = claim
    return list(claims.values())


def _refuse_part(claim: Claim, before: Claim | None) -> None:
    """Refuse a part that does not follow its whole."""
    if not claim.part_of:
        return
    if before is None or claim.part_of not in (before.id, before.part_of):
        raise ValueError(
            f"part_of of {claim.id} must be the row before it or that row's, got"
            f" {shown(claim.part_of)}"
        )
    if claim.paper != before.paper:
        raise ValueError(
            f"paper of {claim.id} must be that of {claim.part_of}, got {shown(claim.paper)}"
        )
