"""Test a table of your own, or a release of it, for demographic coherence.

Two verdicts. Dependence: does a predictor of a sensitive column, learnt from a release, treat the
people behind it unlike people left out, beyond chance? Coherence: how often is some group more than
alpha apart? Without --release and --curator: as if half of FILE were published as it is. Several
releases, or --sensitive columns, are one table, with one correction over all tests, and a report of
each beside it. Nothing leaves the machine. Where Linux has bubblewrap, a curator is contained: it
reads the system, the files that its command names and its half, writes beside it, and has no
network. Elsewhere it has your rights; the report says which.
"""

from __future__ import annotations

import os
from argparse import SUPPRESS, ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import fields
from itertools import count
from pathlib import Path
from types import UnionType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from lib import validate
from lib.audit.request import Request
from lib.cli import pair
from lib.files import write_whole

if TYPE_CHECKING:
    from lib.audit.run import Audit

FOUND, OPEN = 3, 4  # exit statuses: what was asked to fail was found, or is undecided
_INPUTS = ("file", "release", "holdout", "schema")
_SEVERAL: dict[str, dict[str, Any]] = {
    "sensitive": {"action": "append"},
    "release": {"nargs": "+"},
}


def add_arguments(parser: ArgumentParser) -> None:
    """The fields of a ``Request``, and where the report goes.

    A field states its type, help and metavar. One that is not given is absent.
    """
    parser.description = __doc__
    hints = get_type_hints(Request, include_extras=True)
    for field in fields(Request):
        words, *metavar = hints[field.name].__metadata__
        kind, default = hints[field.name].__origin__, field.default
        if isinstance(default, tuple):
            default = " ".join(map(str, default)) or None
        options: dict[str, Any] = {"default": SUPPRESS, "help": words}
        if kind is bool:
            options["action"] = "store_true"
        elif field.name != "file":
            if isinstance(default, str | int | float):
                options["help"] += f" (default {default})"
            options |= {
                "required": field.name == "sensitive",
                "nargs": "+" if get_origin(kind) is Mapping or ... in get_args(kind) else None,
                "metavar": metavar[0] if metavar else None,
            }
        options |= _SEVERAL.get(field.name, {})
        flag = f"--{field.name.replace('_', '-')}"
        parser.add_argument("file" if field.name == "file" else flag, **options)
    parser.add_argument(
        "--out", help="the report, a new file (else coherence.html, or coherence_2.html and so on)"
    )
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="also both verdicts and their numbers, for a program, a new file",
    )
    parser.add_argument(
        "--fail-on", choices=["flagged"], help=f"exit with {FOUND} if a group is flagged"
    )
    parser.add_argument(
        "--fail-at",
        type=float,
        metavar="ALPHA",
        help=f"exit with {FOUND} if coherence at ALPHA is not met (or if, in a finished release, a"
        f" group is more than ALPHA apart), and with {OPEN} if it is undecided",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bars")


def run(args: Namespace) -> int:
    """Audit, write the report, and print both verdicts; the exit status is what --fail-on and
    --fail-at ask for.
    """
    from lib.audit import several
    from lib.audit.report import column_table, report_html, report_json, verdicts
    from lib.table.columns import in_lines

    hints = get_type_hints(Request)
    given: dict[str, Any] = {
        n: _read(n, hints[n], _utf8(n, text))
        for n, text in vars(args).items()
        if n in hints and n not in _SEVERAL
    }
    if args.fail_at is not None:
        given["alphas"] = (*given.get("alphas", Request.alphas), args.fail_at)
    releases: list[Path | None] = [Path(name) for name in getattr(args, "release", ())] or [None]
    columns = _utf8("sensitive", args.sensitive)
    asked = [{"release": path, "sensitive": c} for path in releases for c in columns]
    out, parts = _reports(args.out or "coherence.html", len(asked))
    for i in count(2) if args.out is None else ():
        if not any(path.exists() for path in (out, *parts)):
            break
        out, parts = _reports(f"coherence_{i}.html", len(asked))
    for path in (out, *parts):
        _require_new("out", path, (".html", ".htm"))
    record = Path(args.json) if args.json else None
    if record is not None:
        _require_new("json", record, (".json",))
    requests = [Request(**given | one) for one in asked]
    audits = several.run_audits(requests, progress=not args.quiet, say=print)
    if len(audits) == 1:
        html, text, [audit] = report_html(audits[0]), report_json(audits[0]), audits
        words = [*verdicts(audit), *filter(None, [audit.containment])]
    else:
        html, text = (
            several.overview_html(audits, [path.name for path in parts]),
            several.overview_json(audits),
        )
        for path, audit in zip(parts, audits, strict=True):
            write_whole(path, report_html(audit), private=True)
        rows = several.overview(audits).to_string(index=False, float_format="{:.3g}".format)
        words = [several.in_words(audits), rows, *several.warnings(audits)]
    write_whole(out, html, private=True)
    if record is not None:
        write_whole(record, text, private=True)
    print("How the columns were read:", in_lines(column_table(audits[0])), "", sep="\n")
    print(*words, f"\nThe report is ready. Open:\n  {out.resolve().as_uri()}", sep="\n")
    status, why = min((_status(a, args) for a in audits), key=lambda found: found[0] or OPEN + 1)
    if status:
        print(f"Exit status {status}: {why}.")
    return status


def _status(audit: Audit, args: Namespace) -> tuple[int, str]:
    """The exit status of an audit that may fail, and why."""
    from lib.audit.exposure import NOT_MET, ONE_SPLIT, UNDECIDED, overall

    if args.fail_on and len(flagged := audit.flagged):
        return FOUND, f"{flagged['group'].nunique()} of {len(audit.members)} groups are flagged"
    if args.fail_at is None:
        return 0, ""
    asked = audit.coherence["alpha"].map("{:g}".format) == f"{args.fail_at:g}"
    rows = audit.coherence[asked]
    verdict, distance = overall(rows["verdict"]), rows["distance"].max()
    if verdict == NOT_MET or (verdict == ONE_SPLIT and distance > args.fail_at):
        return FOUND, f"some group is more than {args.fail_at:g} apart"
    if verdict == UNDECIDED:
        return OPEN, f"coherence at {args.fail_at:g} is undecided, give more --splits"
    return 0, ""


def _utf8(name: str, text: Any) -> Any:
    """What was typed as UTF-8, also where the locale is ASCII; what the system is handed keeps the
    form in which it came.
    """
    if isinstance(text, list):
        return [_utf8(name, part) for part in text]
    raw = isinstance(text, bool) or name in (*_INPUTS, "curator", "reads")
    return text if raw else os.fsencode(text).decode(errors="replace")


def _read(name: str, hint: Any, text: Any) -> Any:
    """A field from its text: several words, or one that is split at commas, for ``tuple[X, ...]``;
    ``NAME=VALUE`` for a mapping and ``tuple[str, str]``.

    A ``ValueError`` for text that is no ``NAME=VALUE``, or no number, where one is needed.
    """
    origin, parts = get_origin(hint), get_args(hint)
    if origin is UnionType:  # X | None
        return _read(name, parts[0], text)
    if origin is Mapping:
        return {key: _read(name, parts[1], value) for key, value in (pair(name, t) for t in text)}
    if ... in parts:
        words = text.split(",") if isinstance(text, str) else text
        return tuple(_read(name, parts[0], word) for word in words)
    if parts:
        return pair(name, text, str.partition)  # a value may be <=50K
    try:
        return hint(text)
    except ValueError:
        what = "an integer" if hint is int else "a number"
        raise ValueError(f"{name} must be {what}, got {text!r}") from None


def _reports(out: str, asked: int) -> tuple[Path, list[Path]]:
    """The report, and those of each of several audits beside it."""
    path = Path(out)
    parts = (path.with_name(f"{path.stem}-{i}{path.suffix}") for i in range(1, asked + 1))
    return path, [*parts] if asked > 1 else []


def _require_new(name: str, path: Path, suffixes: tuple[str, ...]) -> None:
    """Ask before the audit for an output that overwrites nothing; nothing is left behind."""
    what = f"a new {suffixes[0]} file in a folder that exists"
    validate.require(path.suffix in suffixes, name, what, str(path))
    try:
        path.open("x", encoding="utf-8").close()
    except OSError as error:
        raise validate.refusal(name, f"{what} ({error.strerror})", str(path)) from error
    path.unlink()
