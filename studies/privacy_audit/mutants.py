"""The audit asked about random mistakes: programs with one small change, drawn without looking.

The planted faults are mistakes that somebody thought of. Here a generator draws the changes
(:mod:`studies.privacy_audit.mutation`), equally many in each module that draws noise, spends a
budget, or decides how far a row moves an answer. What is not part of a fit, and what only sees
answers that are paid for, stays as it is. Each changed program runs in a process of its own:

``caught``
    A check of the audit fails, or the audit cannot read what the fit did.
``refused``
    No fit ends: the program says that it is broken, before it releases anything.
``timeout``
    It does not end.
``equal``
    Looks and releases are those of the program without the change, to the last bit.
``survived``
    They are not, and no check fails. ``data/privacy_mutants.yml`` says of each why the promise
    holds all the same (``harmless``), or that the audit has a hole (``missed``). It also has those
    that the first audit missed and this one catches (``mended``): a share of caught changes that
    counts them says nothing of the next ones.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pandas as pd

from lib import validate
from lib.files import read_yaml
from lib.paths import DATA
from lib.processes import ONE_THREAD, run_program
from lib.rng import stream
from lib.runner.cell import COUNT, ONE_OR_MORE, KeyedCell, set_checked
from studies.privacy_audit.mutation import changes, parsed

VERSION = "2"
SEED = 20261125
LEVEL = 1e-10  # false alarm of an audit; there are fewer than 10,000, so below 1e-6 in all
EACH = 11  # mutants of a module
RUNS, REST = 100, (20, 10)  # of the first pair of tables, and of others
LIMIT = 180  # seconds
OUTCOMES = ("caught", "refused", "timeout", "equal", "survived")
_MEANS, _MST = ("laplace", "coinpress"), ("mst", "mst_unmerged")
_STRATA = ("stratified_noisy", "stratified_projected", "stratified_declared", "stratified_counted")
_BUDGETS = ("laplace", "coinpress", "two_relations", "mst", "stratified_counted")
# the modules that are changed, and the cases that are audited then
MODULES = {
    "lib.dp.mechanisms": (*_MEANS, "mst", "aim"),
    "lib.dp.looks": _BUDGETS,
    "lib.dp.accountant": (*_BUDGETS, "stratified_noisy", "aim"),
    "lib.dp.entries": (*_BUDGETS, "stratified_noisy"),
    "lib.means.grouped": _MEANS,
    "lib.means.stratified": _MEANS,
    "lib.synth.base": ("mst", "aim", "gem_cell", "stratified_counted"),
    "lib.synth.workload": ("mst", "aim", "gem_cell"),
    "lib.synth.mst": _MST,
    "lib.synth.domain_compression": _MST,
    "lib.synth.aim": ("aim",),
    "lib.synth.gem": ("gem", "gem_cell"),
    "lib.synth.stratified": _STRATA,
    "lib.synth.group_sizes": _STRATA,
}
# no part of a fit: messages, memory, formulas for people, what a model answers; and training
_STAYS = tuple(
    "variance quantile mu log_density log_probabilities __repr__ observed"
    " _stated holdout_weights printed require_megabytes require_memory megabytes published"
    " published_spending cost_within marginal sample expand matrix _apportion _Trainer"
    " total_variation marginal_errors _both workload_error group_errors".split()
)


@cache
def mutants(module: str) -> tuple[str, ...]:
    """Names of the changes of a module that are drawn: those of the least random numbers.

    Each change has its own number, so the others stay where one comes or goes.
    """
    every = changes(parsed(validate.choice("module", module, MODULES)), _STAYS)
    return tuple(sorted(every, key=lambda name: stream(SEED, "mutant", module, name).random()))[
        :EACH
    ]


@dataclass(frozen=True, kw_only=True)
class MutantCell(KeyedCell, kind="privacy mutant"):
    """One changed program; ``mutant`` is one of :func:`mutants`."""

    module: str
    mutant: str
    runs: int = RUNS
    seed: int = SEED
    dataset: str = "tiny tables"

    def __post_init__(self) -> None:
        set_checked(self, runs=ONE_OR_MORE, seed=COUNT)
        set_checked(self, module=MODULES, dataset=("tiny tables",))


def mutant_grid(profile: str = "paper") -> Iterator[MutantCell]:
    """All mutants; ``"quick"`` has two of each module of the means."""
    for module in MODULES:
        if profile == "paper" or module.startswith("lib.means"):
            for name in mutants(module)[: EACH if profile == "paper" else 2]:
                yield MutantCell(module=module, mutant=name)


def cost(cell: MutantCell) -> float:
    """Relative cost of a cell."""
    return cell.runs * sum(0.1 if name in _MEANS else 1.0 for name in MODULES[cell.module])


def run_mutant(cell: MutantCell) -> dict:
    """Flat record of a cell: ``outcome``, and of a caught one ``alarms``, what the first ``found``,
    and in which ``mechanism``.

    The promises are those of the program without the change.
    """
    whole = _apart(cell.module, "", cell.runs, cell.seed)
    if whole is None or whole["outcome"] != "survived":
        raise RuntimeError(f"{cell.module} must pass the audit without a change, got {whole}")
    own = _apart(cell.module, cell.mutant, cell.runs, cell.seed) or {"outcome": "timeout"}
    found = {name: own.get(name, "") for name in ("outcome", "mechanism", "alarms", "found")}
    if own.get("prints") == whole["prints"]:
        found["outcome"] = "equal"
    return found | {"data_source": "generated", "level": LEVEL}


@cache
def _apart(module: str, change: str, runs: int, seed: int) -> dict[str, Any] | None:
    """What :func:`~studies.privacy_audit.trial.trial` finds in a new process; None if that
    does not end.
    """
    whole = _apart(module, "", runs, seed) if change else None
    job = {
        "module": module,
        "change": change,
        "leave_out": _STAYS,
        "names": MODULES[module],
        "runs": (runs, *REST),
        "seed": seed,
        "level": LEVEL,
        "promises": whole and whole["promises"],
    }
    command = [sys.executable, "-m", "studies.privacy_audit.trial", json.dumps(job)]
    env = os.environ | ONE_THREAD | {"JAX_PLATFORMS": "cpu"}
    try:
        done = run_program(command, env=env, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode:
        raise RuntimeError(f"{module}, {change!r}: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def explained() -> pd.DataFrame:
    """``module, mutant, verdict, why`` of each survivor, now or at first, that somebody has looked
    at.
    """
    rows = [
        {"module": module, **row}
        for module, found in read_yaml(DATA / "privacy_mutants.yml", dict).items()
        for row in found
    ]
    return pd.DataFrame(rows, columns=["module", "mutant", "verdict", "why"])


def outcomes(frame: pd.DataFrame) -> pd.DataFrame:
    """Mutants of each module by outcome, survivors as ``harmless`` and ``missed``; the last row,
    ``"all"``, has their sums. ``share`` is that of the harmful ones that are caught; NaN if there
    are none.
    """
    why = frame.merge(explained(), on=["module", "mutant"], how="left")
    kind = why["outcome"].where(why["outcome"] != "survived", why["verdict"].fillna("unexplained"))
    names = [*OUTCOMES[:-1], "harmless", "missed"]
    table = pd.crosstab(why["module"], kind).reindex(MODULES, fill_value=0)
    table = table.reindex(columns=[*names, *(n for n in table if n not in names)], fill_value=0)
    table.loc["all"] = table.sum()
    harmful = table["caught"] + table["missed"]
    table["share"] = (table["caught"] / harmful).where(harmful > 0)
    return table.rename_axis("module").rename_axis(None, axis=1).reset_index()


def survivors(frame: pd.DataFrame) -> pd.DataFrame:
    """``module, mutant, verdict, why`` of each survivor; the last two are NaN where nobody has
    looked at it.
    """
    left = frame.loc[frame["outcome"] == "survived", ["module", "mutant"]]
    return left.merge(explained(), on=["module", "mutant"], how="left")
