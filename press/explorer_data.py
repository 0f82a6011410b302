"""What the explorers look up: stored results as scripts, since a page that is opened from a file
can load nothing else.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from inspect import signature
from pathlib import Path
from typing import Any

import pandas as pd

from lib.files import write_whole
from lib.ledger.claim import Claim, read_claims
from lib.ledger.evidence import Measurer
from lib.ledger.judge import evaluate
from lib.ledger.robustness import on_grid
from lib.ledger.rules import Evidence, opposite
from lib.paths import BUILD, DATA, RESULTS, ROOT
from lib.runner.registry import results, scores
from lib.stats.summary import summarise
from press.reach import digest, reachable
from studies.ldp_fairness.names import GROUPS, TITLES
from studies.ldp_fairness.summary import baseline, curves
from studies.synthesizers.summary import averaged, main_fits, of_level
from studies.synthesizers.tables import group_words

RATES = ("tpr", "fpr", "positive_rate", "acc")
METRICS = ("DI", "SPD", "EOD", "OAD", "acc", "f1", "auc", "recall", "tpr_0", "tpr_1")
EVERY_STRATUM = {"published": "all strata", "scaled": "scaled, all strata"}
BOTH = "SEX_RAC1P"  # groups by sex and race


def rounded(values: Iterable[float]) -> list[float | None]:
    """``values`` to six significant digits; None for what is no number.

    >>> rounded([1 / 3, float("nan")])
    [0.333333, None]
    """
    return [float(f"{x:.6g}") if math.isfinite(x) else None for x in map(float, values)]


def _ends(frame: pd.DataFrame) -> list[list[float | None]]:
    """Mean and ends of the interval of each row."""
    return [rounded(row) for row in frame[["mean", "low", "high"]].to_numpy()]


def who_pays() -> dict[str, Any]:
    """Errors of each group by sex and race in the NIST sample, with one model for everybody and
    with one of its own; and the rates of the groups of the LDP paper, without noise and with it,
    averaged over protocols and splits run by run.
    """
    stored = scores("synth_nist")
    rows = of_level(stored, BOTH, seen=True)
    people = rows.groupby("group")["people"].mean().sort_values(kind="stable")
    fits = averaged(main_fits(rows), "error", ("synthesizer", "by", "epsilon", "group"))
    again = rows[rows["synthesizer"] == "bootstrap"].groupby("group")["error"].mean()
    errors = {
        name: {
            way: [
                _ends(own[own["group"] == group].sort_values("epsilon", kind="stable"))
                for group in people.index
            ]
            for way, by in (("plain", "vanilla"), ("own", BOTH))
            for own in [part[part["by"] == by]]
        }
        for name, part in fits.groupby("synthesizer")
    }
    return {
        "epsilons": sorted(fits["epsilon"].unique().tolist()),
        "groups": [
            {"name": group_words("nist", group), "people": round(number), "again": value}
            for (group, number), value in zip(
                people.items(), rounded(again[people.index]), strict=True
            )
        ],
        "errors": errors,
        "ldp": _group_rates(results("ldp_main")),
    }


def _group_rates(frame: pd.DataFrame) -> dict[str, Any]:
    columns = [f"{rate}_{group}" for rate in RATES for group in (0, 1)]
    noisy = frame[frame["protocol"] != "NonDP"]
    per_run = noisy.groupby(["dataset", "epsilon", "run"])[columns].mean().reset_index()
    found: dict[str, Any] = {}
    for dataset, part in per_run.groupby("dataset"):
        plain = frame[(frame["dataset"] == dataset) & (frame["protocol"] == "NonDP")]
        found[dataset] = {
            "title": TITLES[dataset],
            "groups": GROUPS[dataset],
            "epsilons": sorted(part["epsilon"].unique().tolist()),
            "with": {c: _ends(summarise(part, ["epsilon"], c, floor=0.0)) for c in columns},
            "without": {c: _ends(summarise(plain, ["dataset"], c, floor=0.0))[0] for c in columns},
        }
    return found


def ldp_results() -> dict[str, Any]:
    """Means and intervals of each metric for each data set, protocol and split of the LDP paper;
    the values that the paper prints; and those without noise.
    """
    frame = results("ldp_main")
    cells: dict[str, Any] = {}
    for metric in METRICS:
        for where, part in curves(frame, metric).groupby(["dataset", "protocol", "split"]):
            cells.setdefault("/".join(where), {})[metric] = _ends(
                part.sort_values("epsilon", kind="stable")
            )
        for dataset, part in baseline(frame, metric).groupby("dataset"):
            cells.setdefault(f"{dataset}/NonDP", {})[metric] = _ends(part)
    printed = [
        {
            "id": claim.id,
            "statement": claim.statement,
            **{name: claim.arguments.get(name) for name in ("dataset", "metric", "epsilon")},
            **claim.tolerance,
        }
        for claim in read_claims()
        if claim.paper == "ldp" and claim.measure in ("nondp", "level")
    ]
    epsilons = sorted(frame["epsilon"].dropna().unique().tolist())
    titles = {name: [TITLES[name], *GROUPS[name]] for name in TITLES}
    return {"epsilons": epsilons, "titles": titles, "cells": cells, "printed": printed}


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
    numbers: dict[str, Any] = {n: x for n in names if not math.isnan(x := float(getattr(e, n)))}
    numbers |= {"runs": e.runs} | ({"own_runs": True} if e.own_runs else {})
    if "p" in numbers:
        numbers["p_opposite"] = opposite(e)
    return numbers if e.comparable else numbers | {"comparable": False}


def _with_every_stratum(claim: Claim) -> Evidence | None:
    """The evidence of a claim about private means if no stratum is left out; None for others."""
    default = signature(claim.measured_by()).parameters.get("setting")
    if default is None:
        return None
    setting = EVERY_STRATUM.get(claim.arguments.get("setting", default.default))
    if setting is None:
        return None
    return claim.measured_by()(**claim.arguments | {"setting": setting})


FILES: dict[str, Callable[[], dict[str, Any]]] = {
    "who_pays": who_pays,
    "results": ldp_results,
    "multiverse": multiverse,
}


def write_data(folder: Path) -> None:
    """Write ``NAME.js`` of each of :data:`FILES` into ``folder``; taken from ``_build`` where the
    data and the code that it was made from are the same.
    """
    folder.mkdir(parents=True, exist_ok=True)
    own = Path(__file__)
    code = [own, *reachable(own.read_text(encoding="utf-8"), ROOT)]
    sources = [*RESULTS.glob("*.parquet"), *DATA.rglob("*.yml"), *code]
    made = BUILD / "explorers" / digest(sources, ROOT)
    for name, content in FILES.items():
        file = made / f"{name}.js"
        if not file.exists():
            made.mkdir(parents=True, exist_ok=True)
            text = json.dumps(content(), separators=(",", ":"), ensure_ascii=False)
            write_whole(
                file,
                f"(globalThis.ExplorerData ??= {{}})[{json.dumps(name)}] = {text};\n",
            )
        (folder / file.name).write_bytes(file.read_bytes())
