"""The audit as a grid: every mechanism on every pair of tables, and every planted fault.

``python -m lib run privacy_audit`` runs what is missing of it; ``python -m lib privacy-audit`` runs
some mechanisms again and prints what was found.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from lib.dp import gaussian_epsilon
from lib.runner.cell import COUNT, ONE_OR_MORE, KeyedCell, set_checked
from studies.privacy_audit.cases import DELTA, case, cases
from studies.privacy_audit.checks import Audit, audit
from studies.privacy_audit.faults import FAULTS

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
    for name, mechanism in cases().items():
        fast = name in FAST
        if profile == "paper" or fast:
            for place, pair in enumerate([*mechanism.pairs, *mechanism.others]):
                few = place >= (len(mechanism.pairs) if fast else 2)
                runs = 60 if few else 2000 if fast else 600
                yield PrivacyCell(mechanism=name, pair=pair, runs=runs)
            if not fast:
                first = next(iter(mechanism.pairs))
                yield PrivacyCell(mechanism=name, pair=first, runs=3, size="default")
    for name, fault in FAULTS.items():
        if profile == "paper" or fault.case in FAST:
            yield PrivacyCell(mechanism=fault.case, pair=fault.pair, runs=fault.runs, fault=name)


def cost(cell: PrivacyCell) -> float:
    """Relative cost of a cell."""
    fast = cell.mechanism in FAST
    return cell.runs * (0.1 if fast else 100.0 if cell.size == "default" else 1.0)


def run_privacy(cell: PrivacyCell) -> dict:
    """Flat record of a cell: :func:`evidence` of its audit."""
    with FAULTS[cell.fault].planted() if cell.fault else nullcontext() as broken:
        mechanism = broken or case(cell.mechanism, cell.size)
        asked = mechanism.asked(cell.pair)
        result = audit(
            mechanism.fit, *asked, runs=cell.runs, seed=cell.seed, delta=DELTA, level=LEVEL
        )
    about = {"relation": asked[-1], "data_source": "generated"}
    return about | evidence(mechanism.promise.rho is None, result)


def evidence(pure: bool, result: Audit) -> dict[str, object]:
    """What an audit proves, as plain values; ``pure`` says that budgets are epsilons.

    ``declared`` is the promise in its ``unit``, None where there is none, and ``price`` the most
    that a run's looks cost between the two tables in the same unit. Epsilons are at ``delta``,
    which is 0 for pure DP; ``epsilon_gaussian`` is what Gaussian noise of this rho costs exactly.
    ``alarms`` lists the checks that failed, ``found`` what the first found. ``refused`` runs ended
    in a refusal.
    """
    promise, finite = result.promise, result.losses[np.isfinite(result.losses)]
    return {
        "unit": "epsilon" if pure else "rho",
        "declared": promise and (promise.epsilon if pure else promise.rho),
        "price": result.price,
        "delta": 0.0 if pure else DELTA,
        "epsilon_declared": promise and promise.epsilon_at(DELTA),
        "epsilon_gaussian": (
            None
            if pure or not promise
            else gaussian_epsilon(float(np.sqrt(2 * promise.rho)), DELTA)
        ),
        "epsilon_certified": promise and result.certified(DELTA, LEVEL),
        "mean_loss": float(finite.mean()) if finite.size else None,
        "largest_loss": float(finite.max()) if finite.size else None,
        "uncovered_runs": int(result.losses.size - finite.size),
        "alarms": ", ".join(result.alarms),
        "found": next(iter(result.alarms.values()), ""),
        "level": LEVEL,
        "refused": result.refused,
    }
