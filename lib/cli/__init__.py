"""The commands of ``python -m lib``, one module each, over the modules that do the work.

A command's module has ``add_arguments(parser)`` and ``run(args)``, which returns the exit
status. Only the module of the command that is called is imported; those of other houses are named
by text.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType

from lib.extras import MissingExtra, needs
from lib.files import printable
from lib.paths import ROOT, need_repository
from lib.programs import need_assertions

COMMANDS = {  # name: the module and what it does
    "data": ("studies.data.command", "list, fetch or verify the data files"),
    "run": ("lib.cli.run", "run what is missing of a grid; interrupt and call again at will"),
    "tune": (
        "studies.ldp_fairness.command",
        "search the baseline's hyper-parameters on training folds",
    ),
    "rerun": ("press.commands.rerun", "run one chapter with other parameters and render it"),
    "book": ("press.commands.book", "execute what changed and render the book"),
    "course": (
        "course.command",
        "for lecturers: slides, plans, questions, examinations, the tree for students",
    ),
    "live": ("press.commands.live", "put Python into the pages of the built book"),
    "claims": ("studies.verdicts.command", "print the ledger of claims"),
    "verify": (
        "studies.verdicts.verify",
        "run stored cells again, drawn at random, and bound the share that is wrong",
    ),
    "sources": (
        "press.commands.sources",
        "check quotations of papers and places in published code",
    ),
    "privacy-audit": (
        "studies.privacy_audit.command",
        "audit the exact privacy losses of whole fits against what they declare",
    ),
    "example": ("lib.cli.example", "write a small table, to try the next three commands on"),
    "schema": ("lib.cli.schema", "draft the schema of a table of your own, for synthesize"),
    "synthesize": (
        "lib.cli.synthesize",
        "make a private release of a table of your own, and audit the program that made it",
    ),
    "audit": (
        "lib.cli.audit",
        "test a table of your own, or a release of it, for demographic coherence",
    ),
}
JUDGES = ("claims", "verify", "privacy-audit")  # which need assertions
OWN_ENVIRONMENT = (*JUDGES, "book", "rerun")  # where nobody's settings change a result
IN_THE_REPOSITORY = tuple(  # the houses that make pages and the course are in a clone only
    name for name, (module, _) in COMMANDS.items() if module.startswith(("press.", "course."))
)


def pair(
    name: str, text: str, cut: Callable[[str, str], tuple[str, str, str]] = str.rpartition
) -> tuple[str, str]:
    """The two sides of ``NAME=VALUE``, by its last ``=`` as no type of a column has one, or as
    ``cut`` says.

    Examples
    --------
    >>> pair("columns", "a=b=text"), pair("members", "income=<=50K", str.partition)
    (('a=b', 'text'), ('income', '<=50K'))
    """
    key, _, value = cut(text, "=")
    if not (key and value):
        raise ValueError(f"{name} must be NAME=VALUE, got {text!r}")
    return key, value


def _module(command: str) -> ModuleType:
    """The module of a command, if what it needs is here."""
    name, _ = COMMANDS[command]
    if command not in IN_THE_REPOSITORY:
        return import_module(name)
    need_repository(f"python -m lib {command}")
    if not ROOT.joinpath(*name.split(".")).with_suffix(".py").exists():
        raise RuntimeError(f"python -m lib {command} needs the lecturer's tree, got the public one")
    with needs("book"):
        return import_module(name)


def _parser(chosen: str | None) -> argparse.ArgumentParser:
    """The parser of all commands, with the arguments of the ``chosen`` one only."""
    parser = argparse.ArgumentParser(prog="python -m lib", description="The companion's commands.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (_, words) in COMMANDS.items():
        command = commands.add_parser(name, help=words, description=words)
        if name == chosen:
            module = _module(name)
            module.add_arguments(command)
            command.set_defaults(call=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    A wrong argument or input ends with its message and status 2, a failed build or file system
    with 1, Ctrl-C with 130, as in a shell.

    Examples
    --------
    >>> main(["data", "list", "db_LSAC.csv"])  # doctest: +ELLIPSIS
    db_LSAC.csv ...
    0
    """
    argv = sys.argv[1:] if argv is None else argv
    chosen = argv[0] if argv else None
    try:
        if chosen in JUDGES:
            need_assertions()
        args = _parser(chosen).parse_args(argv)
        status = args.call(args)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader has had enough, as head does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except ValueError as error:
        status, message = 2, f"error: {error}"
    except (RuntimeError, OSError, MissingExtra) as error:
        status, message = 1, f"error: {error}"
    except KeyboardInterrupt:
        status, message = 130, "\ninterrupted"
        if chosen == "run":
            message += ": finished cells are stored, and the same command goes on from there"
    print(printable(message), file=sys.stderr)
    return status
