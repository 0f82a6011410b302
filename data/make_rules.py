"""Store when each rule was committed, and the first results that answer it, in ``rules.yml``.

    python -m data.make_rules

It asks the commits of a whole clone. Dates are those of the authors of commits, which a rebase
keeps.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from lib.files import write_whole
from lib.ledger import Row, evaluate
from lib.ledger.history import RULES, rule_key
from lib.parse import parse_yaml
from lib.paths import ROOT
from lib.runner.registry import studies
from studies.verdicts.cards import grid_of

HEAD = (
    "# When each rule was first committed as it is now, and the first results that answer it.\n"
    "# Written by: python -m data.make_rules\n"
)
CLAIMS = ("data/claims.yml", "data/claims")
_VERDICTS = "data/verdicts.yml"


def grids_behind(row: Row) -> list[str]:
    """The grids whose first results could answer the row: its own, or all of its study; none if
    arithmetic settles it.
    """
    if row.evidence.exact:
        return []
    module = getattr(row.claim.measured_by(), "__module__", "")
    of_study = (list(s.grids) for s in studies() if module in s.measures)
    return [own] if (own := grid_of(row)) else next(of_study, [])


def behind(rows: Sequence[Row]) -> dict[str, tuple[dict, list[str]]]:
    """By the ids of claims, what :func:`of_claims` asks."""
    return {row.claim.id: (vars(row.claim), grids_behind(row)) for row in rows}


def git(*words: str, root: Path = ROOT) -> str:
    done = subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout


def whole(root: Path = ROOT) -> bool:
    """Whether the history is here, and not cut off."""
    try:
        return git("rev-parse", "--is-shallow-repository", root=root).strip() == "false"
    except (OSError, subprocess.CalledProcessError):
        return False


def _commits(paths: Sequence[str], root: Path) -> list[tuple[str, str]]:
    """Commits that touch the paths, with their authors' dates (UTC), the earliest first."""
    listed = git("log", "--format=%at %H", "--", *paths, root=root).split()
    pairs = sorted(zip(map(int, listed[::2]), listed[1::2], strict=True))
    return [(c, f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}") for at, c in pairs]


def _asked(row: Mapping[str, Any]) -> str:
    """What identifies the result that a rule judges."""
    return rule_key({name: row.get(name) for name in ("measure", "arguments")})


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
    for commit, date in _commits(CLAIMS, root=root):
        for line in git("ls-tree", "-r", commit, "--", *CLAIMS, root=root).splitlines():
            blob, path = line.split()[2], line.split("\t")[1]
            if path.endswith(".yml") and blob not in read:
                read.add(blob)
                for row in _rows(git("cat-file", "blob", blob, root=root)):
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
        for name in parse_yaml(git("show", f"{commit}:{_VERDICTS}", root=root)) or ():
            found.setdefault(name, date)
    return found


def of_claims(
    claims: Mapping[str, tuple[Mapping[str, Any], Sequence[str]]], root: Path = ROOT
) -> dict[str, dict[str, str]]:
    """What :func:`lib.ledger.history.stored` has, from the commits.

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


def main() -> int:
    """Write the file."""
    if not whole():
        print("history must be that of a whole clone, got none, or a shallow one", file=sys.stderr)
        return 2
    body = yaml.safe_dump(of_claims(behind(evaluate())), width=200)
    write_whole(RULES, HEAD + body)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
