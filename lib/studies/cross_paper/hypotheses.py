"""What was asked of the experiment before any of its results was seen.

The list was committed before the grid was run; the history of this file shows
whether it changed afterwards. Each hypothesis names a statistic of
:mod:`lib.studies.cross_paper.statistics` (one number a run, or one a run and
component), the reference that it is compared with and the direction.
"""

from __future__ import annotations

from dataclasses import dataclass

from lib import validate

__all__ = ["ALPHA", "MARGIN", "DIRECTIONS", "Hypothesis", "HYPOTHESES", "CONTROLS"]

ALPHA = 0.05  # of the whole family, after Holm
# excess W1 up to which a release is called coherent here: a fortieth of the largest distance, 2
MARGIN = 0.05
DIRECTIONS = ("greater", "less", "two-sided")


@dataclass(frozen=True, kw_only=True)
class Hypothesis:
    """A statement, and how it is tested.

    Parameters
    ----------
    id, part, statement : str
        ``part`` is the question it belongs to.
    statistic : str
        A key of :data:`lib.studies.cross_paper.statistics.STATISTICS`. Where it
        has several components, *all* of them must be on the stated side: the
        p-value is the largest of theirs (intersection-union).
    direction : {"greater", "less", "two-sided"}
        Of the mean over runs, against ``reference``.
    reference : float
    test : str
        One-sample Student's t over runs; a paired one, where the statistic is a difference.
    alpha : float
        For the family, by Holm's procedure.
    """

    id: str
    part: str
    statement: str
    statistic: str
    direction: str
    reference: float = 0.0
    test: str = "t over runs"
    alpha: float = ALPHA

    def __post_init__(self) -> None:
        validate.choice("direction", self.direction, DIRECTIONS)
        validate.choice("test", self.test, ("t over runs",))
        validate.fraction("alpha", self.alpha)


def _h(
    name: str, part: str, direction: str, statement: str, statistic: str, reference: float = 0.0
) -> Hypothesis:
    return Hypothesis(
        id=name,
        part=part,
        direction=direction,
        statement=statement,
        statistic=statistic,
        reference=reference,
    )


_ENFORCE, _STRATA, _EPSILON = (
    "Does it enforce coherence?",
    "Does stratifying cost coherence?",
    "Does it move with epsilon?",
)
_PARITY, _FAIR, _LDP, _WHO = (
    "With parity error?",
    "With fairness?",
    "Local against central",
    "Who is less coherent?",
)

HYPOTHESES: tuple[Hypothesis, ...] = (
    _h(
        "E1",
        _ENFORCE,
        "less",
        "At ε = 1 and 5, where Theorem 7 promises nothing, unstratified MST, AIM and GEM stay"
        " within the margin for everyone and for those with the difficulty, whoever of the three"
        " learners reads them.",
        "central enforces",
        MARGIN,
    ),
    _h(
        "E2",
        _ENFORCE,
        "less",
        "At ε = 1, MST, AIM and GEM stratified by sex and race stay within the margin in the small "
        "crossings of sex and race, whoever reads them.",
        "stratified enforces",
        MARGIN,
    ),
    _h(
        "E3",
        _ENFORCE,
        "less",
        "At ε = 1, whole rows reported by GRR or OUE stay within the margin for everyone and for"
        " those with the difficulty, whoever reads them.",
        "whole-row reports enforce",
        MARGIN,
    ),
    _h(
        "E4",
        _ENFORCE,
        "greater",
        "At ε = 1, reports of the difficulty alone, by GRR or OUE, linked to the rest of the row,"
        " let the forest exceed the margin on those with the difficulty.",
        "linked reports fail",
        MARGIN,
    ),
    _h(
        "T1",
        _ENFORCE,
        "greater",
        "MST at ε = 5 leaves a trace: the tracer's excess on everyone is above 0.",
        "trace of MST",
    ),
    _h("T2", _ENFORCE, "greater", "AIM at ε = 5 leaves a trace.", "trace of AIM"),
    _h("T3", _ENFORCE, "greater", "GEM at ε = 5 leaves a trace.", "trace of GEM"),
    _h(
        "S1",
        _STRATA,
        "less",
        "At ε = 1 and 5, MST stratified by sex and race has a smaller error in the small crossings"
        " than unstratified MST (the premise).",
        "stratified less error",
    ),
    _h(
        "S2",
        _STRATA,
        "greater",
        "There, the small crossings are less coherent for the forest.",
        "stratified costs: forest",
    ),
    _h(
        "S3",
        _STRATA,
        "greater",
        "There, the small crossings are less coherent for the lookup.",
        "stratified costs: lookup",
    ),
    _h(
        "S4",
        _STRATA,
        "greater",
        "There, the small crossings are less coherent for the tracer.",
        "stratified costs: tracer",
    ),
    _h(
        "X1",
        _EPSILON,
        "greater",
        "The tracer's excess on everyone grows with ε (unstratified MST, 0.1 to 100).",
        "slope: tracer",
    ),
    _h(
        "X2",
        _EPSILON,
        "greater",
        "The forest's excess on those with the difficulty grows with ε (unstratified MST, 0.1 to"
        " 100).",
        "slope: forest",
    ),
    _h(
        "P1",
        _PARITY,
        "less",
        "Over MST's releases up to ε = 5, the smaller a group's error, the larger the tracer's"
        " excess (rank correlation below 0).",
        "error and excess",
    ),
    _h(
        "P2",
        _PARITY,
        "two-sided",
        "At a given ε, over the stratifications, a group's error and the tracer's excess are"
        " related.",
        "error and excess, given epsilon",
    ),
    _h(
        "F1",
        _FAIR,
        "two-sided",
        "Over MST's releases, the forest's excess on those with the difficulty and |SPD| between"
        " the sexes are related.",
        "excess and SPD",
    ),
    _h("F2", _FAIR, "two-sided", "The same for |EOD|.", "excess and EOD"),
    _h("F3", _FAIR, "two-sided", "The same for |OAD|.", "excess and OAD"),
    _h(
        "L1",
        _LDP,
        "less",
        "At ε = 1, linked reports by GRR and by OUE leave the forest less excess on those with the "
        "difficulty than the half in the clear.",
        "linked less than clear",
    ),
    _h(
        "L2",
        _LDP,
        "less",
        "At ε = 5, whole rows by GRR leave the tracer less excess on everyone than unstratified"
        " MST.",
        "local less than central",
    ),
    _h(
        "L3",
        _LDP,
        "two-sided",
        "At ε = 1, linked GRR and linked OUE differ in the forest's excess on those with the"
        " difficulty.",
        "GRR less OUE",
    ),
    _h(
        "W1",
        _WHO,
        "greater",
        "At ε = 5, unstratified and averaged over MST, AIM and GEM, the forest's excess is larger"
        " on those with the difficulty than on everyone.",
        "difficulty less everyone",
    ),
)

# outside the family: if these fail, the experiment is broken
CONTROLS: tuple[Hypothesis, ...] = (
    _h(
        "C1",
        "Controls",
        "greater",
        "In the clear, the lookup's excess on everyone is far above the margin.",
        "clear",
        6 * MARGIN,
    ),
    _h(
        "C2",
        "Controls",
        "two-sided",
        "A half drawn anew leaves every learner without excess on everyone.",
        "fresh half",
    ),
    _h(
        "C3",
        "Controls",
        "two-sided",
        "Rows of nobody leave every learner without excess on everyone.",
        "nobody",
    ),
)
