"""When each rule was written, against when the results that answer it were stored: by the commits.

A rule is a measure with its arguments, the rule and its tolerance. Until November 2026 rows had a
mark, ``seen: true``, by which their author said that part of the results was known; where a commit
has it, it counts, whatever the dates say. ``data/rules.yml`` says when
each was first committed in its present form, and when the first results that answer it were; a
clone may be shallow, and the wheel has no history. Dates are those of the authors of commits, which
a rebase keeps.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from lib.files import read_yaml, write_whole
from lib.parse import parse_yaml
from lib.paths import DATA, ROOT

RULES = DATA / "rules.yml"
_HEAD = (
    "# When each rule was first committed as it is now, and the first results that answer it.\n"
    "# Written by: python -m lib claims --history\n"
)
_CLAIMS = ("data/claims.yml", "data/claims")
_VERDICTS = "data/verdicts.yml"


def rule_key(row: Mapping[str, Any]) -> str:
    """What identifies a rule: of its measure, arguments, rule and tolerance, eight hex digits."""
    names = ("measure", "arguments", "rule", "tolerance")
    stated = {name: row[name] for name in names if row.get(name)}
    return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()[:8]


def _asked(row: Mapping[str, Any]) -> str:
    """What identifies the result that a rule judges."""
    return rule_key({name: row.get(name) for name in ("measure", "arguments")})


@cache
def stored(path: Path = RULES) -> dict[str, dict[str, str]]:
    """By the id of a claim: ``key`` of its rule, the dates ``rule`` and ``results``, and
    ``marked``, the date from which on the row said itself that results were known.
    """
    return read_yaml(path, dict) if path.exists() else {}


def rule_first(name: str, key: str) -> bool:
    """Whether the claim's rule, in its present form, is older than the results that answer it.

    A rule that is not committed, or whose history nobody stored, is not.
    """
    known = stored().get(name, {})
    rule, results = known.get("rule", ""), known.get("results", "")
    told = known.get("key") != key or "marked" in known
    return not told and bool(rule) and (not results or rule < results)


def _git(*words: str, root: Path = ROOT) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout


def whole(root: Path = ROOT) -> bool:
    """Whether the history is here, and not cut off."""
    try:
        return _git("rev-parse", "--is-shallow-repository", root=root).strip() == "false"
    except (OSError, subprocess.CalledProcessError):
        return False


def _commits(paths: Sequence[str], root: Path) -> list[tuple[str, str]]:
    """Commits that touch the paths, with their authors' dates (UTC), the earliest first."""
    listed = _git("log", "--format=%at %H", "--", *paths, root=root).split()
    pairs = sorted(zip(map(int, listed[::2]), listed[1::2], strict=True))
    return [(c, f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}") for at, c in pairs]


def _rows(text: str) -> Iterable[dict]:
    try:
        rows = parse_yaml(text)
    except ValueError:  # a file of that time that was broken
        return []
    return [row for row in rows or () if isinstance(row, dict) and "id" in row]


def rules_written(root: Path = ROOT) -> dict[tuple[str, str], dict[str, str]]:
    """The date of the first commit of each rule, by the claim's id and :func:`rule_key`, and of
    its mark; ``asked`` is the key of its measure and arguments alone.
    """
    found: dict[tuple[str, str], dict[str, str]] = {}
    read: set[str] = set()
    for commit, date in _commits(_CLAIMS, root=root):
        for line in _git("ls-tree", "-r", commit, "--", *_CLAIMS, root=root).splitlines():
            blob, path = line.split()[2], line.split("\t")[1]
            if path.endswith(".yml") and blob not in read:
                read.add(blob)
                for row in _rows(_git("cat-file", "blob", blob, root=root)):
                    new = {"rule": date, "asked": _asked(row)}
                    own = found.setdefault((row["id"], rule_key(row)), new)
                    if row.get("seen"):
                        own.setdefault("marked", date)
    return found


def grids_stored(grids: Iterable[str], root: Path = ROOT) -> dict[str, str]:
    """The date of the first commit with results of each grid; those without one are left out."""
    dates = {
        grid: _commits([f"data/results/{grid}.{end}" for end in ("parquet", "journal")], root=root)
        for grid in grids
    }
    return {grid: commits[0][1] for grid, commits in dates.items() if commits}


def verdicts_stored(root: Path = ROOT) -> dict[str, str]:
    """The date of the first commit that has a verdict for each claim."""
    found: dict[str, str] = {}
    for commit, date in _commits([_VERDICTS], root=root):
        for name in parse_yaml(_git("show", f"{commit}:{_VERDICTS}", root=root)) or ():
            found.setdefault(name, date)
    return found


def of_claims(
    claims: Mapping[str, tuple[Mapping[str, Any], Sequence[str]]], root: Path = ROOT
) -> dict[str, dict[str, str]]:
    """What :func:`stored` has, from the commits.

    Parameters
    ----------
    claims : mapping of str to tuple
        By id, the row and the grids that it rests on. Where it rests on none, its results are
        known from the first commit of its verdict on, of that of a part of it, or of a verdict on
        the same measure with the same arguments, under whatever id and rule.
    root : Path
        Of a repository with its whole history.
    """
    rules, verdicts = rules_written(root), verdicts_stored(root)
    grids = grids_stored({grid for _, names in claims.values() for grid in names}, root)
    answers: dict[str, list[str]] = {}
    for (name, _), own in rules.items():
        if name in verdicts:
            answers.setdefault(own["asked"], []).append(max(own["rule"], verdicts[name]))
    found = {}
    for name, (row, names) in claims.items():
        key = rule_key(row)
        known = [grids[grid] for grid in names if grid in grids]
        if not known:
            parts = (n for n, (part, _) in claims.items() if part.get("part_of") == name)
            known = [verdicts[n] for n in (name, *parts) if n in verdicts]
            known += answers.get(_asked(row), []) if row.get("measure") else []
        written = rules.get((name, key), {"rule": ""})
        dates = {kind: date for kind, date in written.items() if kind != "asked"}
        found[name] = {"key": key, "results": min(known, default=""), **dates}
    return found


def write(history: Mapping[str, Mapping[str, str]], path: Path = RULES) -> None:
    """Store what :func:`of_claims` found."""
    body = yaml.safe_dump({name: dict(said) for name, said in history.items()}, width=200)
    write_whole(path, _HEAD + body)
    stored.cache_clear()
