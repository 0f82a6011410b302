"""``python -m lib data | run | tune | book | claims``: thin commands over the modules that do the work."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

__all__ = ["main"]


def _data(args: argparse.Namespace) -> int:
    from lib.datasets import manage

    return {"list": manage.list_files, "fetch": manage.fetch, "verify": manage.verify}[args.action](args.names)


def _run(args: argparse.Namespace) -> int:
    from lib.experiments import run_grid
    from lib.experiments.sweep import available_workers

    workers = available_workers() if args.workers is None else args.workers
    frame = run_grid(args.grid, args.profile, workers=workers, backend=args.backend, mix_versions=args.mix_versions)
    print(f"{len(frame)} cells of {args.grid} ({args.profile})")
    return 0


def _tune(args: argparse.Namespace) -> int:
    from lib.experiments.tuning import search

    best = search(args.dataset, trials=args.trials, objective=args.objective)
    print(
        best.head(5)[["number", "max_depth", "n_estimators", "learning_rate", "accuracy", "auc"]].to_string(index=False)
    )
    return 0


def _book(args: argparse.Namespace) -> int:
    from lib.book.build import build
    from lib.book.pairs import sync
    from lib.paths import CHAPTERS

    if args.pairs:
        for path in sync(CHAPTERS):
            print(path)
        return 0
    index = build(args.profile, workers=args.workers)
    print(f"\nThe book is ready. Open:\n  {index.as_uri()}")
    return 0


def _claims(args: argparse.Namespace) -> int:
    from lib.claims import report

    return report.main(check=args.check, write=args.write, paper=args.paper)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lib", description="The companion's commands.")
    commands = parser.add_subparsers(dest="command", required=True)

    data = commands.add_parser("data", help="list, fetch or verify the data files")
    data.add_argument("action", choices=("list", "fetch", "verify"))
    data.add_argument("names", nargs="*", help="files; all of them if none is named")
    data.set_defaults(call=_data)

    run = commands.add_parser("run", help="run what is missing of a grid; interrupt and call again at will")
    run.add_argument("grid", help="ldp_main, ldp_appendix")
    run.add_argument("--profile", default="paper", help="paper (default) or quick")
    run.add_argument("--workers", type=int, help="processes; one fewer than the machine has threads if not given")
    run.add_argument("--backend", default="loky", help="joblib backend (loky, threading, sequential)")
    run.add_argument("--mix-versions", action="store_true", help="keep records of another version of the experiment")
    run.set_defaults(call=_run)

    tune = commands.add_parser("tune", help="search the baseline's hyper-parameters on training folds")
    tune.add_argument("dataset")
    tune.add_argument("--trials", type=int, default=100)
    tune.add_argument("--objective", default="accuracy", help="accuracy (default) or auc")
    tune.set_defaults(call=_tune)

    book = commands.add_parser("book", help="execute what changed and render the book")
    book.add_argument("--profile", default="quick", help="quick (default) or paper")
    book.add_argument("--workers", type=int, default=2)
    book.add_argument("--pairs", action="store_true", help="only write the .ipynb of every chapter from its .md")
    book.set_defaults(call=_book)

    claims = commands.add_parser("claims", help="print the ledger of claims")
    claims.add_argument("--check", action="store_true", help="fail if a stored verdict no longer follows")
    claims.add_argument("--write", action="store_true", help="store the verdicts as they follow now")
    claims.add_argument("--paper", help="only this paper's claims")
    claims.set_defaults(call=_claims)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; a wrong argument or input ends with its message and status 2, a failed build with 1."""
    args = _parser().parse_args(argv)
    try:
        return args.call(args)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
