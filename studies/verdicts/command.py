"""``python -m lib claims``: print, check or store the ledger of claims."""

from __future__ import annotations

import textwrap
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path

from tqdm import tqdm

from lib import validate
from lib.ledger.claim import Claim, read_claims
from lib.ledger.judge import Measurer, Row, evaluate, read_evidence
from lib.paths import need_repository
from studies.verdicts.cards import unexplained
from studies.verdicts.robustness import OTHER_GRIDS, on_grid
from studies.verdicts.stored import (
    differences,
    drift,
    stored_verdicts,
    write_evidence,
    write_verdicts,
)
from studies.verdicts.words import (
    bars,
    finding,
    in_words,
    rule_in_words,
    statement_in_words,
    sure_in_words,
)


def add_arguments(parser: ArgumentParser) -> None:
    """Whose claims, and what is done with their verdicts."""
    option = parser.add_argument
    option("--check", action="store_true", help="fail if a stored verdict no longer follows")
    option("--write", action="store_true", help="store the verdicts as they follow now")
    option("--paper", help="only this paper's claims")
    option(
        "--id",
        nargs="+",
        default=(),
        dest="ids",
        metavar="ID",
        help="only these claims, measured again from the stored results",
    )
    option("--file", type=Path, help="the claims of a file, judged without the others")
    option(
        "--measures",
        nargs="+",
        default=(),
        metavar="MODULE",
        help="modules of your own whose functions may measure claims",
    )


def run(args: Namespace) -> int:
    """Print the ledger; 1 if a verdict that is checked no longer follows."""
    if args.write:
        need_repository("python -m lib claims --write")
    read_claims(modules=args.measures)
    status = main(
        check=args.check, write=args.write, paper=args.paper, file=args.file, ids=args.ids
    )
    if args.write:
        for line in unexplained(evaluate()):
            print(line)
    return status


def measured_again(ids: Sequence[str], claims: list[Claim] | None = None) -> list[Row]:
    """The rows with these ids, measured now; the rest of the ledger, which the correction for many
    tests needs, by stored evidence.

    Raises
    ------
    ValueError
        If an id is not in the ledger; the message names the ids that come close to it.
    """
    known = [claim.id for claim in (read_claims() if claims is None else claims)]
    for name in ids:
        if name not in known:
            close = get_close_matches(name, known, n=5, cutoff=0.4) or known[:5]
            raise validate.refusal("id", f"one of {', '.join(map(repr, close))} or others", name)
    again, stored = Measurer(fresh=True), Measurer()
    return evaluate(
        claims,
        shown=lambda claim: claim.id in ids,
        measured=lambda claim: (again if claim.id in ids else stored)(claim),
    )


def _print(row: Row, rule: str = "") -> None:
    """A row, and its ``rule`` if that is asked for, as lines of text."""
    print(f"{row.verdict.upper():15} {row.claim.id:28} {row.claim.place}")
    print(textwrap.indent(textwrap.fill(statement_in_words(row), 96), "    "))
    data = row.evidence.data
    if row.evidence.stored:
        data += " (stored evidence)"
    print(f"    paper: {row.claim.value or '-'} | rerun: {in_words(row)} | data: {data}")
    print(f"    how sure: {sure_in_words(row)}")
    if words := finding(row):
        print(f"    {words}")
    if rule:
        print(textwrap.indent(textwrap.fill(f"rule: {rule}", 96), "    "))
    print()


def main(
    *,
    check: bool = False,
    write: bool = False,
    paper: str | None = None,
    file: Path | None = None,
    ids: Sequence[str] = (),
) -> int:
    """Print every row, or those of ``file`` judged alone; 1 is returned if ``check`` finds
    evidence or a verdict that no longer follows from the results. With ``ids`` only these rows
    are printed, measured again and judged within the whole ledger.
    """
    for name, value in (("file", file), ("id", " ".join(ids))):
        if value and (check or write):  # they speak of the whole ledger
            raise ValueError(f"{name} must be left out with check and write, got {str(value)!r}")
    claims = None if file is None else read_claims(file)
    if ids:
        for row in measured_again(ids, claims):
            _print(row, rule_in_words(row))
        return 0
    fresh, many = check or write, len(read_evidence()[1])
    with tqdm(total=many, unit="question", mininterval=1, disable=not fresh) as bar:
        measured = Measurer(fresh=fresh, tick=bar.update)
        rows = evaluate(claims=claims, paper=paper, measured=measured)
        if write:
            evaluate(measured=measured)  # evidence is stored whole, whichever paper is shown
        if write or (check and paper is None):
            for grid in OTHER_GRIDS:
                on_grid(grid, measured=measured)
    for row in rows:
        _print(row)
    for name, counts in bars(rows).items():
        print(f"{name:24} " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    print("† rules set when part of the results was known")
    if write:
        write_verdicts(rows)
        write_evidence(measured.found)
    if check and (changed := drift(rows, stored_verdicts()) + differences(measured.found)):
        print(
            "\nstored verdicts and evidence that no longer follow from the results:\n  "
            + "\n  ".join(changed)
        )
        return 1
    return 0
