"""The audit as a grid: every mechanism on every pair of tables, and every planted fault.

``python -m lib run privacy_audit`` runs what is missing of it; ``python -m lib privacy-audit`` runs
some mechanisms again and prints what was found.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lib import validate
from lib.dp import gaussian_epsilon
from lib.runner.cell import COUNT, ONE_OR_MORE, KeyedCell, set_checked
from lib.runner.registry import Grid
from studies.privacy_audit.cases import DELTA, cases
from studies.privacy_audit.checks import audit
from studies.privacy_audit.faults import FAULTS, fault

VERSION = "2"
# false alarm of a cell, and wrong certificate of a cell; below 250 cells, so below 1e-6 in all
LEVEL = 2e-9
SEED = 20261123
FAST = ("laplace", "coinpress", "two_relations")


@dataclass(frozen=True, kw_only=True)
class PrivacyCell(KeyedCell, kind="privacy audit"):
    """All runs of one mechanism between two tables.

    ``size`` is as :func:`studies.privacy_audit.cases.cases` has it. ``fault`` names a planted
    fault, or is empty.
    """

    mechanism: str
    pair: str
    runs: int
    size: str = "small"
    fault: str = ""
    seed: int = SEED
    dataset: str = "tiny tables"

    def __post_init__(self) -> None:
        set_checked(self, runs=ONE_OR_MORE, seed=COUNT)
        set_checked(self, fault=("", *FAULTS), dataset=("tiny tables",))


def privacy_grid(profile: str = "paper") -> Iterator[PrivacyCell]:
    """Every mechanism on its pairs of tables, and every planted fault.

    600 runs on the first two pairs of tables and 60 on the others (2,000 for means, but 60 where
    nothing is declared), 3 with each mechanism's own settings. Few runs are enough for what is
    arithmetic; many are needed to certify an epsilon. ``"quick"`` has the means only.
    """
    for name, case in cases().items():
        fast = name in FAST
        if profile != "paper" and not fast:
            continue
        for place, (pair, (relation, *_)) in enumerate(case.pairs.items()):
            if fast:
                runs = 2000 if relation == case.relation else 60
            else:
                runs = 600 if place < 2 else 60
            yield PrivacyCell(mechanism=name, pair=pair, runs=runs)
        if not fast:
            yield PrivacyCell(mechanism=name, pair=next(iter(case.pairs)), runs=3, size="default")
    for name, f in FAULTS.items():
        if profile == "paper" or f.case in FAST:
            yield PrivacyCell(mechanism=f.case, pair=f.pair, runs=130, fault=name)


def cost(cell: PrivacyCell) -> float:
    """Relative cost of a cell."""
    fast = cell.mechanism in FAST
    return cell.runs * (0.1 if fast else 100.0 if cell.size == "default" else 1.0)


def run_privacy(cell: PrivacyCell) -> dict:
    """Flat record of a cell: what its audit proves.

    ``declared`` is the promise in its ``unit``, None where there is none, and ``price`` the most
    that a run's looks cost between the two tables in the same unit. Epsilons are at ``delta``,
    which is 0 for pure DP; ``epsilon_gaussian`` is what Gaussian noise of this rho costs exactly.
    ``alarms`` lists the checks that failed, ``found`` what the first found. ``refused`` runs ended
    in a refusal.
    """
    every = cases(cell.size)
    case = every[validate.choice("mechanism", cell.mechanism, every)]
    case = fault(cell.fault) if cell.fault else case
    table, neighbour, promise, relation = case.asked(cell.pair)
    pure = case.promise.rho is None
    result = audit(
        case.fit,
        table,
        neighbour,
        promise,
        relation,
        runs=cell.runs,
        seed=cell.seed,
        delta=DELTA,
        level=LEVEL,
    )
    finite = result.losses[np.isfinite(result.losses)]
    record = {
        "relation": relation,
        "data_source": "generated",
        "unit": "epsilon" if pure else "rho",
        "declared": None,
        "price": result.price,
        "delta": 0.0 if pure else DELTA,
        "epsilon_declared": None,
        "epsilon_gaussian": None,
        "epsilon_certified": None,
        "mean_loss": float(finite.mean()) if finite.size else None,
        "largest_loss": float(finite.max()) if finite.size else None,
        "uncovered_runs": int(result.losses.size - finite.size),
        "alarms": ", ".join(result.alarms),
        "found": next(iter(result.alarms.values()), ""),
        "level": LEVEL,
        "refused": result.refused,
    }
    if promise:
        record["declared"] = promise.epsilon if pure else promise.rho
        record["epsilon_declared"] = promise.epsilon_at(DELTA)
        record["epsilon_certified"] = result.certified(DELTA, LEVEL)
        if not pure:
            record["epsilon_gaussian"] = gaussian_epsilon(math.sqrt(2 * promise.rho), DELTA)
    return record


AUDITS = Grid(
    "privacy_audit",
    "Whole fits audited: declared against certified epsilon, and planted faults",
    privacy_grid,
    run_privacy,
    cost,
    VERSION,
)
