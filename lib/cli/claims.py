"""``python -m lib claims``: print, check or store the ledger of claims."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from lib.cli.options import add_unsealed, believe_unsealed
from lib.ledger import authors, evaluate, history, report
from lib.ledger.boxes import behind, unexplained
from lib.ledger.claim import read_claims
from lib.paths import need_repository


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
    option(
        "--authors",
        type=Path,
        metavar="CLONES",
        help="make data/authors again from clones of the authors' repositories in this folder (with"
        " --check: compare) before the claims are judged",
    )
    option(
        "--history",
        action="store_true",
        help="store when each rule was committed, and the first results that answer it",
    )
    add_unsealed(parser)


def run(args: Namespace) -> int:
    """Print the ledger; 1 if a verdict that is checked no longer follows."""
    if args.write:
        need_repository("python -m lib claims --write")
    read_claims(modules=args.measures)
    believe_unsealed(args)
    if args.authors and (changed := authors.renew(args.authors, check=args.check)):
        print("tables that are not what the authors' files give:", ", ".join(changed))
        return 1
    if args.history:
        if not history.whole():
            raise ValueError("history must be that of a whole clone, got none, or a shallow one")
        history.write(history.of_claims(behind(evaluate())))
    status = report.main(
        check=args.check, write=args.write, paper=args.paper, file=args.file, ids=args.ids
    )
    if args.write:
        for line in unexplained(evaluate()):
            print(line)
    return status
