"""``python -m lib data | run | tune | book | claims | privacy-audit | audit``: thin commands
over the modules that do the work.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["main"]


def _data(args: argparse.Namespace) -> int:
    from lib.datasets import manage

    return {"list": manage.list_files, "fetch": manage.fetch, "verify": manage.verify}[args.action](
        args.names
    )


def _run(args: argparse.Namespace) -> int:
    from lib.runner import gather_grid, run_grid
    from lib.runner.sources import in_words
    from lib.runner.sweep import available_workers

    if args.gather:
        there, missing = gather_grid(args.grid, list(map(Path, args.gather)), args.profile)
        print(f"{there} cells of {args.grid} ({args.profile}), {missing} missing")
        return 0
    workers = available_workers() if args.workers is None else args.workers
    frame = run_grid(
        args.grid,
        args.profile,
        workers=workers,
        backend=args.backend,
        mix_versions=args.mix_versions,
        part=_part(args.part) if args.part else None,
    )
    print(f"{len(frame)} cells of {args.grid} ({args.profile}){in_words(frame)}")
    return 0


def _tune(args: argparse.Namespace) -> int:
    from lib.studies.ldp_fairness.tuning import search

    best = search(args.dataset, trials=args.trials, objective=args.objective)
    print(
        best.head(5)[
            ["number", "max_depth", "n_estimators", "learning_rate", "accuracy", "auc"]
        ].to_string(index=False)
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
    if args.times:
        from lib.book.times import write_times

        print(f"run times of {write_times()} chapters")
        return 0
    if args.compare:
        from lib.book.compare import compare
        from lib.book.toc import pages
        from lib.paths import ROOT

        return int(compare(pages(ROOT), args.profile, workers=args.workers) > 0)
    index = build(args.profile, workers=args.workers)
    print(f"\nThe book is ready. Open:\n  {index.as_uri()}")
    return 0


def _claims(args: argparse.Namespace) -> int:
    from lib.ledger import report

    return report.main(check=args.check, write=args.write, paper=args.paper)


def _privacy_audit(args: argparse.Namespace) -> int:
    from lib.studies.privacy_audit import cells as privacy_grid

    return privacy_grid.main(args.names, args.runs)


def _audit(args: argparse.Namespace) -> int:
    from lib.audit.report import report_html, report_json, verdicts
    from lib.audit.run import Request, run_audit

    out, files = Path(args.out), [Path(f) for f in (args.file, args.release, args.holdout) if f]
    if (
        out.suffix not in (".html", ".htm")
        or not out.parent.is_dir()
        or out.resolve() in [f.resolve() for f in files]
    ):
        raise ValueError(
            f"out={args.out!r} is not allowed: an .html file in a folder that is there, and no"
            " input, is"
        )
    _writable(out)
    record = Path(args.json) if args.json else None
    if record is not None:
        if (
            record.suffix != ".json"
            or not record.parent.is_dir()
            or record.resolve() in [f.resolve() for f in files]
        ):
            raise ValueError(
                "json must be a .json file in a folder that exists, and no input, got"
                f" {args.json!r}"
            )
        _writable(record)
    bands = {name: tuple(map(_edge, edges.split(","))) for name, edges in map(_pair, args.bands)}
    request = Request(
        file=Path(args.file),
        sensitive=args.sensitive,
        positive=args.positive,
        groups=tuple(args.groups),
        crossings=tuple(tuple(crossing.split(",")) for crossing in args.crossings),
        bands=bands,
        kinds=dict(map(_pair, args.columns)),
        lens=tuple(args.lens),
        release=Path(args.release) if args.release else None,
        holdout=Path(args.holdout) if args.holdout else None,
        members=_pair(args.members) if args.members else None,
        curator=args.curator,
        learners=tuple(args.learner),
        splits=args.splits,
        alphas=tuple(args.alpha),
        beta=args.beta,
        gamma=args.gamma,
        labels=args.labels,
        false_alarm=args.false_alarm,
        seed=args.seed,
        workers=args.workers,
    )
    audit = run_audit(request, progress=not args.quiet)
    out.write_text(report_html(audit), encoding="utf-8")
    if record is not None:
        record.write_text(report_json(audit), encoding="utf-8")
    print(
        "\n".join(verdicts(audit)) + f"\n\nThe report is ready. Open:\n  {out.resolve().as_uri()}"
    )
    return 0


def _writable(out: Path) -> None:
    """Ask before the audit whether its report can be written, and leave nothing behind."""
    try:
        there = out.exists()
        with out.open("a"):
            pass
    except OSError as error:
        raise ValueError(
            f"out={str(out)!r} is not allowed: it cannot be written ({error.strerror})"
        ) from error
    if not there:
        out.unlink()


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise ValueError(f"{text!r} is not allowed: NAME=VALUE is")
    return name, value


def _part(text: str) -> tuple[int, int]:
    number, slash, of = text.partition("/")
    if not (slash and number.isdecimal() and of.isdecimal()):
        raise ValueError(f"part={text!r} is not allowed: NUMBER/OF is, as in 3/40")
    return int(number), int(of)


def _edge(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"edge {text!r} of a band is not allowed: a number is") from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lib", description="The companion's commands.")
    commands = parser.add_subparsers(dest="command", required=True)

    data = commands.add_parser("data", help="list, fetch or verify the data files")
    data.add_argument("action", choices=("list", "fetch", "verify"))
    data.add_argument("names", nargs="*", help="files; all of them if none is named")
    data.set_defaults(call=_data)

    run = commands.add_parser(
        "run", help="run what is missing of a grid; interrupt and call again at will"
    )
    run.add_argument("grid", help="a name, or MODULE:GRID; a wrong one is answered with the list")
    run.add_argument("--profile", default="paper", help="paper (default) or quick")
    run.add_argument(
        "--workers", type=int, help="processes; one fewer than the machine has threads if not given"
    )
    run.add_argument(
        "--backend", default="loky", help="joblib backend (loky, threading, sequential)"
    )
    run.add_argument(
        "--mix-versions",
        action="store_true",
        help="keep records of another version of the experiment",
    )
    run.add_argument(
        "--part",
        metavar="I/N",
        help="only the I-th of N parts, into a file of its own in this folder",
    )
    run.add_argument(
        "--gather",
        nargs="+",
        metavar="FILE",
        help="run nothing: put finished parts into the grid's file",
    )
    run.set_defaults(call=_run)

    tune = commands.add_parser(
        "tune", help="search the baseline's hyper-parameters on training folds"
    )
    tune.add_argument("dataset")
    tune.add_argument("--trials", type=int, default=100)
    tune.add_argument("--objective", default="accuracy", help="accuracy (default) or auc")
    tune.set_defaults(call=_tune)

    book = commands.add_parser("book", help="execute what changed and render the book")
    book.add_argument("--profile", default="quick", help="quick (default) or paper")
    book.add_argument("--workers", type=int, default=2)
    book.add_argument(
        "--times",
        action="store_true",
        help="only keep the last build's run times, for the teachers' page",
    )
    book.add_argument(
        "--pairs", action="store_true", help="only write the .ipynb of every chapter from its .md"
    )
    book.add_argument(
        "--compare",
        action="store_true",
        help="only compare the pages with real data and on replicas",
    )
    book.set_defaults(call=_book)

    claims = commands.add_parser("claims", help="print the ledger of claims")
    claims.add_argument(
        "--check", action="store_true", help="fail if a stored verdict no longer follows"
    )
    claims.add_argument(
        "--write", action="store_true", help="store the verdicts as they follow now"
    )
    claims.add_argument("--paper", help="only this paper's claims")
    claims.set_defaults(call=_claims)

    privacy = commands.add_parser(
        "privacy-audit",
        help="audit the exact privacy losses of whole fits against what they declare",
    )
    privacy.add_argument(
        "names", nargs="*", metavar="NAME", help="mechanisms; all of them if none is named"
    )
    privacy.add_argument(
        "--runs", type=int, default=100, help="runs for each pair of tables (default 100)"
    )
    privacy.set_defaults(call=_privacy_audit)

    _add_audit(commands)
    return parser


def _add_audit(commands: argparse._SubParsersAction) -> None:
    audit = commands.add_parser(
        "audit",
        help="test a table of your own, or a release of it, for demographic coherence",
        description=(
            "Two verdicts. Dependence: does a predictor of a sensitive column, learnt from a"
            " release, treat the people behind it unlike people left out, beyond chance? Coherence:"
            " how often is some group more than alpha apart? Without --release and --curator: as if"
            " half of FILE were published as it is. Nothing leaves the machine."
        ),
    )
    audit.add_argument("file", help="CSV, UTF-8, a header and one row a person")
    audit.add_argument("--sensitive", required=True, metavar="COL", help="column to be predicted")
    audit.add_argument(
        "--positive", metavar="VALUE", help="its value that counts as 1, against the rest"
    )
    audit.add_argument(
        "--groups", nargs="+", default=(), metavar="COL", help="columns whose values are groups"
    )
    audit.add_argument(
        "--crossings", nargs="+", default=(), metavar="A,B", help="combinations of columns"
    )
    audit.add_argument(
        "--bands",
        nargs="+",
        default=(),
        metavar="COL=18,35",
        help="edges; else a number's quartiles",
    )
    audit.add_argument(
        "--columns", nargs="+", default=(), metavar="COL=TYPE", help="category, number or ignore"
    )
    audit.add_argument(
        "--lens",
        nargs="+",
        default=(),
        metavar="COL",
        help="what the predictor sees; else all it can",
    )
    audit.add_argument(
        "--release", metavar="CSV", help="a finished release; needs --holdout or --members"
    )
    audit.add_argument("--holdout", metavar="CSV", help="people who were left out of the release")
    audit.add_argument(
        "--members", metavar="COL=VALUE", help="marks the rows of FILE that went into the release"
    )
    audit.add_argument(
        "--curator",
        metavar="COMMAND",
        help="rerun on each half: has {half}, {release}, perhaps {seed}",
    )
    audit.add_argument(
        "--learner",
        nargs="+",
        default=("forest", "lookup"),
        metavar="NAME",
        help="forest, lookup, boosting, logistic, 'forest, leaves of 20'",
    )
    audit.add_argument(
        "--splits",
        type=int,
        default=20,
        help="random splits, or trainings on a release (default 20)",
    )
    audit.add_argument(
        "--alpha",
        nargs="+",
        type=float,
        default=(0.1, 0.2, 0.4, 0.8),
        help="W1 distances that no group should exceed (default 0.1 0.2 0.4 0.8)",
    )
    audit.add_argument(
        "--beta",
        type=float,
        default=0.05,
        help="share of splits that may exceed them (default 0.05)",
    )
    audit.add_argument(
        "--gamma", type=float, default=80, help="least people in a group (default 80)"
    )
    audit.add_argument("--labels", default="confidence", help="confidence (default) or hard")
    audit.add_argument(
        "--false-alarm",
        type=float,
        default=0.05,
        help="chance that any group is flagged if nothing depends on who is in",
    )
    audit.add_argument("--seed", type=int, default=0)
    audit.add_argument("--workers", type=int, default=1, help="processes (default 1)")
    audit.add_argument(
        "--out", default="coherence.html", help="the report (default coherence.html)"
    )
    audit.add_argument(
        "--json", metavar="FILE", help="also both verdicts and their numbers, for a program"
    )
    audit.add_argument("--quiet", action="store_true", help="no progress bars")
    audit.set_defaults(call=_audit)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; a wrong argument or input ends with its message and status 2, a failed build
    or file system with 1.

    Ctrl-C ends it with 130, as a shell would say.
    """
    args = _parser().parse_args(argv)
    try:
        return args.call(args)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except (RuntimeError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        kept = (
            ": finished cells are stored, and the same command goes on from there"
            if args.command == "run"
            else ""
        )
        print(f"\ninterrupted{kept}", file=sys.stderr)
        return 130
