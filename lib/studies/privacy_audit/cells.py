"""The large version of the audit as a grid: every mechanism on every pair of tables, and every
planted fault.

``python -m lib run privacy_audit`` runs what is missing of it; ``python -m lib privacy-audit`` runs
some mechanisms anew and prints what was found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from tqdm import tqdm

from lib import validate
from lib.dp import gaussian_epsilon
from lib.runner.sweep import set_normalised
from lib.studies.privacy_audit.cases import DELTA, Case, case, cases
from lib.studies.privacy_audit.checks import Audit, audit
from lib.studies.privacy_audit.faults import FAULTS, fault

__all__ = [
    "LEVEL",
    "VERSION",
    "PrivacyCell",
    "cost",
    "evidence",
    "main",
    "privacy_grid",
    "run_privacy",
]

VERSION = "1"
# false alarm of a cell, and wrong certificate of a cell; below 100 cells, so below 1e-6 in all
LEVEL = 5e-9
SEED = 20261123
_FAST = ("laplace", "coinpress")


@dataclass(frozen=True, kw_only=True)
class PrivacyCell:
    """All runs of one mechanism between two tables.

    ``size`` is as :func:`lib.studies.privacy_audit.cases.cases` has it. ``fault`` names a planted
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
        set_normalised(
            self,
            runs=validate.integer("runs", self.runs, low=1),
            seed=validate.integer("seed", self.seed, low=0),
        )
        validate.choice("fault", self.fault, ("", *FAULTS))
        validate.choice("dataset", self.dataset, ("tiny tables",))


def privacy_grid(profile: str = "paper") -> Iterator[PrivacyCell]:
    """600 runs on the first pair of tables and 50 on the others (2,000 for means), 3 with each
    mechanism's own settings.

    Few runs are enough for what is arithmetic; many are needed to certify an epsilon. ``"quick"``
    has the means only.
    """
    for name, mechanism in cases().items():
        if profile == "paper" or name in _FAST:
            for place, pair in enumerate(mechanism.pairs):
                yield PrivacyCell(
                    mechanism=name, pair=pair, runs=2000 if name in _FAST else 50 if place else 600
                )
            if name not in _FAST:
                yield PrivacyCell(
                    mechanism=name, pair=next(iter(mechanism.pairs)), runs=3, size="default"
                )
    for planted in FAULTS.values():
        if profile == "paper" or planted.case in _FAST:
            yield PrivacyCell(
                mechanism=planted.case, pair=planted.pair, runs=130, fault=planted.name
            )


def cost(cell: PrivacyCell) -> float:
    """Relative cost of a cell."""
    return cell.runs * (
        0.1 if cell.mechanism in _FAST else 100.0 if cell.size == "default" else 1.0
    )


def run_privacy(cell: PrivacyCell) -> dict:
    """Flat record of a cell: :func:`evidence` of its audit."""
    if not cell.fault:
        return _audited(case(cell.mechanism, cell.size), cell)
    with fault(cell.fault).planted() as broken:
        return _audited(broken, cell)


def _audited(mechanism: Case, cell: PrivacyCell) -> dict:
    table, neighbour = mechanism.pairs[validate.choice("pair", cell.pair, list(mechanism.pairs))]
    found = audit(
        mechanism.fit,
        table,
        neighbour,
        mechanism.promise,
        mechanism.relation,
        runs=cell.runs,
        seed=cell.seed,
        delta=DELTA,
        level=LEVEL,
    )
    return evidence(mechanism, found) | {"data_source": "generated"}


def evidence(mechanism: Case, found: Audit) -> dict[str, object]:
    """What an audit proves, as plain values.

    ``declared`` is the promise in its ``unit`` and ``price`` the most that a run's looks cost
    between the two tables in the same unit. Epsilons are at ``delta``, which is 0 for pure DP;
    ``epsilon_gaussian`` is what Gaussian noise of this rho costs exactly. ``alarms`` lists the
    checks that failed, ``found`` what the first found.
    """
    promise, finite = mechanism.promise, found.losses[np.isfinite(found.losses)]
    pure = promise.rho is None
    return {
        "relation": mechanism.relation,
        "unit": "epsilon" if pure else "rho",
        "declared": promise.epsilon if pure else promise.rho,
        "price": found.price,
        "delta": 0.0 if pure else DELTA,
        "epsilon_declared": promise.epsilon_at(DELTA),
        "epsilon_gaussian": (
            None if pure else gaussian_epsilon(float(np.sqrt(2 * promise.rho)), DELTA)
        ),
        "epsilon_certified": found.certified(DELTA, LEVEL),
        "mean_loss": float(finite.mean()) if finite.size else None,
        "largest_loss": float(finite.max()) if finite.size else None,
        "uncovered_runs": int(found.losses.size - finite.size),
        "alarms": ", ".join(found.alarms),
        "found": next(iter(found.alarms.values()), ""),
        "level": LEVEL,
    }


def main(names: Sequence[str] = (), runs: int = 100) -> int:
    """Audit the named mechanisms, all if none is named, and print a line for each pair; 1 if a
    check failed.
    """
    runs, every = validate.integer("runs", runs, low=1), cases()
    chosen = [validate.choice("NAME", name, list(every)) for name in names] or list(every)
    cells = [
        PrivacyCell(mechanism=name, pair=pair, runs=runs)
        for name in chosen
        for pair in every[name].pairs
    ]
    frame = pd.DataFrame([_row(cell) for cell in _progress(cells)])
    print(frame.to_string(index=False, float_format="{:.3g}".format))
    return int(frame["alarms"].ne("none").any())


def _progress(cells: Sequence[PrivacyCell]) -> Iterable[PrivacyCell]:
    return tqdm(cells, desc="pairs of tables", disable=len(cells) < 2)


def _row(cell: PrivacyCell) -> dict[str, object]:
    record = run_privacy(cell)
    names = {
        "epsilon_declared": "eps declared",
        "epsilon_certified": "eps certified",
        "delta": "at delta",
    }
    return (
        {"mechanism": cell.mechanism, "pair": cell.pair}
        | {new: record[old] for old, new in names.items()}
        | {"alarms": record["alarms"] or "none"}
    )
