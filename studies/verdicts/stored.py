"""What is stored of the ledger, evidence and verdicts: written, and compared with what follows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from lib.files import read_yaml, shown, write_whole
from lib.ledger.claim import read_claims
from lib.ledger.judge import EVIDENCE, Row, read_evidence, stored_results
from lib.ledger.rules import Evidence
from lib.paths import DATA

STORED = DATA / "verdicts.yml"
_HEAD = "# What the rerun says of each claim. Written by: python -m lib claims --write\n"
_UNSET = Evidence(math.nan)


def stored_verdicts(path: Path = STORED) -> dict[str, str]:
    """The verdicts that were committed."""
    return read_yaml(path, dict) if path.exists() else {}


def drift(rows: list[Row], stored: dict[str, str]) -> list[str]:
    """Rows whose stored verdict no longer follows, in words; rows that need real data are left out
    on replicas.

    A stored verdict without a claim is one that no longer follows, too.
    """
    moved = [
        f"{row.claim.id}: stored {stored.get(row.claim.id, 'nothing')!r}, the results say"
        f" {row.verdict!r}"
        for row in rows
        if stored.get(row.claim.id) != row.verdict and row.evidence.data != "replica"
    ]
    known = {claim.id for claim in read_claims()} | {row.claim.id for row in rows}
    return moved + [
        f"{shown(name)}: stored {shown(verdict)}, there is no such claim"
        for name, verdict in stored.items()
        if name not in known
    ]


def write_verdicts(rows: list[Row], path: Path = STORED) -> None:
    """Store the verdicts as they follow now; rows that a replica cannot judge keep theirs, rows
    that are gone go.
    """
    known = {claim.id for claim in read_claims()}
    verdicts = {name: v for name, v in stored_verdicts(path).items() if name in known}
    verdicts |= {row.claim.id: row.verdict for row in rows if row.evidence.data != "replica"}
    write_whole(
        path,
        "# Written by: python -m lib claims --write\n" + yaml.safe_dump(verdicts, sort_keys=True),
    )


def _set_fields(evidence: Evidence) -> dict[str, Any]:
    """The fields that are not as they are without evidence, in the types of YAML."""
    said = {}
    for name, value in vars(evidence).items():
        if isinstance(value, np.generic):
            value = value.item()
        if name != "stored" and value == value and value != getattr(_UNSET, name):
            said[name] = [float(v) for v in value] if isinstance(value, tuple) else value
    return said


def write_evidence(measured: Mapping[str, Evidence], path: Path = EVIDENCE) -> None:
    """Store evidence by question. What only a replica was asked keeps its record."""
    _, before = read_evidence(path)
    known = {q: before.get(q, e) if e.data == "replica" else e for q, e in sorted(measured.items())}
    body = yaml.safe_dump(
        {
            "results": stored_results(),
            "evidence": {q: _set_fields(e) for q, e in known.items() if e.data != "replica"},
        },
        sort_keys=False,
        default_flow_style=None,
        width=1000,
    )
    write_whole(path, _HEAD + body)


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, float) or isinstance(b, float):
        return bool(np.isclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_equal, a, b))
    return a == b


def differences(measured: Mapping[str, Evidence], path: Path = EVIDENCE) -> list[str]:
    """Questions whose stored evidence is not what was measured now, in words."""
    results, stored = read_evidence(path)
    words = []
    if stored and results != stored_results():
        words.append(f"{path}: of other results than those stored; claims --write")
    for asked, found in measured.items():
        if found.data == "replica" or found.stored:
            continue
        now, then = _set_fields(found), _set_fields(stored.get(asked, _UNSET))
        same = now.keys() == then.keys() and all(_equal(now[k], then[k]) for k in now)
        if asked not in stored or not same:
            words.append(f"{asked}: stored evidence {then or 'none'}, measured now {now}")
    return words
