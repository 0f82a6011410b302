"""What the explorer of the verdicts' rules looks up (:mod:`press.explorer_data`)."""

from __future__ import annotations

import math
from inspect import signature
from typing import Any

from lib.ledger.claim import Claim
from lib.ledger.judge import Measurer, evaluate
from lib.ledger.rules import Evidence, opposite
from studies.verdicts.robustness import on_grid

EVERY_STRATUM = {"published": "all strata", "scaled": "scaled, all strata"}


def multiverse() -> dict[str, Any]:
    """Every row of the ledger with its rule and evidence, and the evidence of the rows that other
    runs answer too: tuned hyper-parameters, the authors' rounding, every stratum kept.
    """
    measured = Measurer()
    rows = evaluate(measured=measured)
    readings = {
        name: {
            row.claim.id: _numbers(row.evidence, row.claim.rule)
            for row in on_grid(grid, measured=measured)
        }
        for name, grid in (("tuned", "ldp_tuned"), ("round", "ldp_rounded"))
    }
    kept = ((row.claim, _with_every_stratum(row.claim)) for row in rows if row.claim.measure)
    readings["kept"] = {claim.id: _numbers(e, claim.rule) for claim, e in kept if e is not None}
    told = [
        {
            "id": row.claim.id,
            "paper": row.claim.paper,
            "part": bool(row.claim.part_of),
            "statement": row.claim.statement,
            "rule": row.claim.rule,
            "tolerance": row.claim.tolerance,
            "fixed": None if row.claim.measure else row.verdict,
            "evidence": _numbers(row.evidence, row.claim.rule),
        }
        for row in rows
    ]
    return {"rows": told, "readings": readings}


def _numbers(e: Evidence, rule: str) -> dict[str, Any]:
    """What a rule reads of evidence, unrounded: a verdict may hang on the last digit."""
    names = ("value", "low", "high", "reference", *["p"] * (rule == "positive"))
    numbers = {n: x for n in names if not math.isnan(x := float(getattr(e, n)))}
    numbers |= {"runs": e.runs} | ({"own_runs": True} if e.own_runs else {})
    if "p" in numbers:
        numbers["p_opposite"] = opposite(e)
    return numbers if e.comparable else numbers | {"comparable": False}


def _with_every_stratum(claim: Claim) -> Evidence | None:
    """The evidence of a claim about private means if no stratum is left out; None for others."""
    measure = claim.measured_by()
    default = signature(measure).parameters.get("setting")
    setting = default and EVERY_STRATUM.get(claim.arguments.get("setting", default.default))
    return measure(**claim.arguments | {"setting": setting}) if setting else None
