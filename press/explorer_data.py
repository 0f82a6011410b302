"""What the explorers look up: stored results as scripts, since a page that is opened from a file
can load nothing else. Studies are named by text.
"""

from __future__ import annotations

import hashlib
import json
import math
from importlib import import_module
from inspect import signature
from pathlib import Path
from typing import Any

from lib.files import write_whole
from lib.ledger.claim import Claim
from lib.ledger.evidence import Measurer
from lib.ledger.judge import evaluate
from lib.ledger.rules import Evidence, opposite
from lib.paths import BUILD, ROOT
from press.inputs import common, digest, sources

EVERY_STRATUM = {"published": "all strata", "scaled": "scaled, all strata"}
SYNTHESIZERS, LDP = "studies.synthesizers.explorer", "studies.ldp_fairness.explorer"
VERDICTS = "studies.verdicts.robustness"


def rounded(content: Any) -> Any:
    """``content`` with numbers of six significant digits; None for what is no number.

    >>> rounded({"a": [1 / 3, float("nan")], "b": 2})
    {'a': [0.333333, None], 'b': 2}
    """
    if isinstance(content, dict):
        return {key: rounded(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [rounded(value) for value in content]
    if isinstance(content, float):
        return float(f"{content:.6g}") if math.isfinite(content) else None
    return content


def _of(module: str, function: str) -> Any:
    return rounded(getattr(import_module(module), function)())


def multiverse() -> dict[str, Any]:
    """Every row of the ledger with its rule and evidence, and the evidence of the rows that other
    runs answer too: tuned hyper-parameters, the authors' rounding, every stratum kept.
    """
    measured, on_grid = Measurer(), import_module(VERDICTS).on_grid
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


FILES = {
    "who_pays": lambda: _of(SYNTHESIZERS, "group_errors") | {"ldp": _of(LDP, "group_rates")},
    "results": lambda: _of(LDP, "main_results"),
    "multiverse": multiverse,
}


def write_data(folder: Path) -> None:
    """Write ``NAME.js`` of each of :data:`FILES` into ``folder``; taken from ``_build`` where the
    data and the code that it was made from are the same.
    """
    folder.mkdir(parents=True, exist_ok=True)
    code = {Path(__file__), *sources(f"{SYNTHESIZERS} {LDP} {VERDICTS}", ROOT)}
    made_from = common(ROOT) + digest(code, ROOT)
    kept = BUILD / "explorers" / hashlib.sha256(made_from.encode()).hexdigest()
    for name, content in FILES.items():
        file = kept / f"{name}.js"
        if not file.exists():
            kept.mkdir(parents=True, exist_ok=True)
            text = json.dumps(content(), separators=(",", ":"), ensure_ascii=False)
            write_whole(file, f'(globalThis.ExplorerData ??= {{}})["{name}"] = {text};\n')
        (folder / file.name).write_bytes(file.read_bytes())
