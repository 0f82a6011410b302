"""Faults planted in the mechanisms, which the audit must catch, and one use that is no fault.

Each fault is a mistake that somebody made or could make. It is planted for as long as a ``with``
lasts, by replacing a function of the package or by calling a mechanism in another way.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

from lib import validate
from lib.files import read_yaml
from lib.paths import DATA
from studies.privacy_audit import faulty_draws, faulty_fits
from studies.privacy_audit.cases import Case, cases

_FUNCTIONS = vars(faulty_draws) | vars(faulty_fits)


@dataclass(frozen=True)
class Fault:
    """A mistake in one case, on one pair of tables.

    Attributes
    ----------
    title : str
    case, pair : str
        Where it is planted.
    instead : callable or property
        What replaces ``target``; without a target, the fit of the case.
    check : str
        The check that must fail; empty if none may.
    target : str
        The function of the package that is replaced, as ``module.name``; empty if none is.
    runs : int
        How many it takes, with some to spare.
    """

    title: str
    case: str
    pair: str
    instead: Any
    check: str = ""
    target: str = ""
    runs: int = 130

    @contextmanager
    def planted(self) -> Iterator[Case]:
        """The case, with the fault in it for as long as a ``with`` lasts."""
        whole = cases()[self.case]
        if self.target:
            with patch(self.target, self.instead):
                yield whole
        else:
            yield replace(whole, fit=self.instead)


FAULTS = {
    name: Fault(**about, instead=_FUNCTIONS[f"_{name}"])
    for name, about in read_yaml(DATA / "privacy_faults.yml", dict).items()
}


def fault(name: str) -> Fault:
    """One of :data:`FAULTS`."""
    return FAULTS[validate.choice("fault", name, FAULTS)]
