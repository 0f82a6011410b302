"""Test a table of your own, or a release of it, for demographic coherence.

Two verdicts. Dependence: does a predictor of a sensitive column, learnt from a release, treat the
people behind it unlike people left out, beyond chance? Coherence: how often is some group more than
alpha apart? Without --release and --curator: as if half of FILE were published as it is. Nothing
leaves the machine.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from lib import validate
from lib.audit.report import report_html, report_json, verdicts
from lib.audit.request import Request
from lib.audit.run import run_audit
from lib.cli.options import add_fields, read_fields
from lib.files import write_whole


def add_arguments(parser: ArgumentParser) -> None:
    """The fields of a ``Request``, and where the report goes."""
    parser.description = __doc__
    add_fields(parser, Request)
    parser.add_argument(
        "--out", default="coherence.html", help="the report (default coherence.html)"
    )
    parser.add_argument(
        "--json", metavar="FILE", help="also both verdicts and their numbers, for a program"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bars")


def run(args: Namespace) -> int:
    """Audit, write the report, and print both verdicts."""
    given = read_fields(args, Request)
    inputs = [given[name].resolve() for name in ("file", "release", "holdout") if name in given]
    out = _output("out", args.out, (".html", ".htm"), inputs)
    record = _output("json", args.json, (".json",), inputs) if args.json else None
    audit = run_audit(Request(**given), progress=not args.quiet)
    write_whole(out, report_html(audit), private=True)
    if record is not None:
        write_whole(record, report_json(audit), private=True)
    print(*verdicts(audit), f"\nThe report is ready. Open:\n  {out.resolve().as_uri()}", sep="\n")
    return 0


def _output(name: str, text: str, suffixes: tuple[str, ...], inputs: list[Path]) -> Path:
    """The path of an output that can be written, asked before the audit; nothing is left behind."""
    path = Path(text)
    validate.require(
        path.suffix in suffixes and path.parent.is_dir() and path.resolve() not in inputs,
        name,
        f"a {suffixes[0]} file in a folder that exists, and no input",
        text,
    )
    try:
        existed = path.exists()
        path.open("a", encoding="utf-8").close()
    except OSError as error:
        raise ValueError(
            f"{name} must be a file that can be written ({error.strerror}), got {text!r}"
        ) from error
    if not existed:
        path.unlink()
    return path
