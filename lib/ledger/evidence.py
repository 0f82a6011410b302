"""Evidence of the claims: measured once, stored with the repository, and measured again where the
results have changed.

A record belongs to a question (a measure with its arguments), so a claim's other readings and the
same claim asked of another grid have records of their own.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from pathlib import Path

from lib.files import read_yaml, shown
from lib.ledger.claim import Claim
from lib.ledger.rules import Evidence
from lib.paths import DATA, RESULTS
from lib.runner.store import read_rows

EVIDENCE, AUTHORS = DATA / "evidence.yml", DATA / "authors"


def question(claim: Claim) -> str:
    """What is asked: the measure with its arguments, as text."""
    return f"{claim.measure} {json.dumps(claim.arguments, sort_keys=True)}"


def stored_results() -> str:
    """SHA-256 of all stored results at the scale of the papers, ours and those of the authors."""
    total = hashlib.sha256()
    unfolded = filter(read_rows, RESULTS.glob("*.sqlite"))
    ours = sorted((*RESULTS.glob("*.parquet"), *unfolded))
    for file in (*ours, *sorted(AUTHORS.glob("*.csv*"))):
        if ".quick." not in file.name:
            total.update(file.name.encode() + hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()


def read_evidence(path: Path = EVIDENCE) -> tuple[str, dict[str, Evidence]]:
    """The hash of the results that were measured, and the evidence by :func:`question`."""
    if not path.exists():
        return "", {}
    content = read_yaml(path, dict)
    try:
        records = {
            asked: Evidence(**({"value": math.nan} | said), stored=True)
            for asked, said in content["evidence"].items()
        }
        return content["results"], records
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} must hold results and evidence, got another file"
            f" ({shown(str(error))}); restore it, or write it again: python -m lib claims --write"
        ) from None


class Measurer:
    """Give the evidence for claims: the stored one where it is current, else what is measured.

    Evidence is current if the results are those that were measured. Where a measure needs a real
    table and only its replica is here, the stored evidence stands. ``fresh`` measures in any case.
    ``found`` is what was asked so far, by :func:`question`.
    """

    def __init__(self, *, fresh: bool = False) -> None:
        results, self._stored = read_evidence()
        self._current = not fresh and results == stored_results()
        self.found: dict[str, Evidence] = {}

    def refuse_unknown(self, claims: Iterable[Claim]) -> None:
        """Raise ``ValueError`` for a claim that would be measured by what is no measure."""
        for claim in claims:
            if claim.measure and not (self._current and question(claim) in self._stored):
                claim.measured_by()

    def __call__(self, claim: Claim) -> Evidence:
        asked = question(claim)
        if asked not in self.found:
            stored = self._stored.get(asked)
            if stored is None or not self._current:
                found = claim.measured_by()(**claim.arguments)
                stored = stored if stored and found.data == "replica" else found
            self.found[asked] = stored
        return self.found[asked]
