"""When each rule was written, against when the results that answer it were stored: by the commits.

A rule is a measure with its arguments, the rule and its tolerance. Until November 2026 rows had a
mark, ``seen: true``, by which their author said that part of the results was known; where a commit
has it, it counts, whatever the dates say. ``data/rules.yml`` says when each was first committed in
its present form, and when the first results that answer it were; ``data/make_rules.py`` writes it,
since a clone may be shallow, and the wheel has no history.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from lib.files import read_yaml
from lib.paths import DATA

RULES = DATA / "rules.yml"


def rule_key(row: Mapping[str, Any]) -> str:
    """What identifies a rule: of its measure, arguments, rule and tolerance, eight hex digits."""
    names = ("measure", "arguments", "rule", "tolerance")
    stated = {name: row[name] for name in names if row.get(name)}
    return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()[:8]


@cache
def stored() -> dict[str, dict[str, str]]:
    """By the id of a claim: ``key`` of its rule, the dates ``rule`` and ``results``, and
    ``marked``, the date from which on the row said itself that results were known.
    """
    return read_yaml(RULES, dict) if RULES.exists() else {}


def rule_first(name: str, key: str) -> bool:
    """Whether the claim's rule, in its present form, is older than the results that answer it.

    A rule that is not committed, or whose history nobody stored, is not.
    """
    known = stored().get(name, {})
    rule, results = known.get("rule", ""), known.get("results", "")
    told = known.get("key") != key or "marked" in known
    return not told and bool(rule) and (not results or rule < results)
