"""``python -m lib data``: list, fetch or verify the data files."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence

from lib import validate
from lib.datasets.cache import DataError, locate, state
from lib.datasets.cache import fetch as download
from lib.datasets.registry import FILES, File
from studies.data import bureau


def add_arguments(parser: ArgumentParser) -> None:
    """What to do, and with which files."""
    parser.add_argument("action", choices=("list", "fetch", "verify"))
    parser.add_argument(
        "names",
        nargs="*",
        help="files; all of them if none is named, but newyork (the Census Bureau's rows)",
    )
    parser.add_argument(
        "--from",
        dest="address",
        default="",
        metavar="URL",
        help="fetch newyork (2018) or newyork2024 from this address of the Bureau's zip archive, or"
        " from a file that is here",
    )


def run(args: Namespace) -> int:
    """Do it."""
    if args.action == "fetch":
        return fetch(args.names, args.address)
    if args.address:
        raise ValueError(f"--from must stand with fetch, got {args.action!r}")
    return (list_files if args.action == "list" else verify)(args.names)


def _chosen(names: Sequence[str]) -> list[File]:
    """The files named; all that are registered if none is."""
    known = [
        validate.choice("file", name, (*FILES, bureau.NAME, bureau.NAME_2024)) for name in names
    ]
    return [FILES[name] for name in known if name in FILES] if known else list(FILES.values())


def list_files(names: Sequence[str] = ()) -> int:
    """Print each file with its state, size, licence, checksum and origin; New York's, too."""
    for file in _chosen(names):
        print(
            f"{file.name:30} {state(file):8} {file.size / 1e6:6.1f} MB  {file.rows:7,} x"
            f" {file.columns}"
        )
        print(f"    {file.licence}\n    sha256 {file.sha256}\n    {file.url}")
    if not names or bureau.NAME in names:
        there = "cached" if bureau.place().exists() else "absent"
        print(f"{bureau.NAME:30} {there:8}   some 50 MB; only if it is named: data fetch newyork")
        print(f"    US Census Bureau public use microdata (public domain)\n    {bureau.URL}")
    return 0


def fetch(names: Sequence[str] = (), address: str = "") -> int:
    """Download what is neither local nor cached; the number of failures is returned.

    ``address`` is another place of New York's archive, which is fetched only if it is named.
    """
    if address and list(names) not in ([bureau.NAME], [bureau.NAME_2024]):
        raise ValueError(
            f"--from must stand with {bureau.NAME} or {bureau.NAME_2024} alone, got {list(names)}"
        )
    failures = _fetch_newyork(address) if bureau.NAME in names else 0
    failures += _fetch_2024(address) if bureau.NAME_2024 in names else 0
    for file in _chosen(names):
        try:
            found = locate(file.name) if state(file) != "altered" else download(file)
            print(f"{file.name}: {found.source}, {found.path}")
        except DataError as error:
            failures += 1
            print(f"{file.name}: {error}")
    return failures


def _fetch_2024(address: str) -> int:
    """New York's people of 2024; 1 if they cannot be had."""
    try:
        print(f"{bureau.NAME_2024}: {bureau.ROWS_2024:,} people, {bureau.fetch_2024(address)}")
    except DataError as error:
        print(f"{bureau.NAME_2024}: {error}")
        return 1
    return 0


def _fetch_newyork(address: str) -> int:
    """Download New York's people, and print how they compare with Table 1; 1 if it fails."""
    try:
        path = bureau.fetch(address)
        frame, sha256 = bureau.read()
    except DataError as error:
        print(f"{bureau.NAME}: {error}")
        return 1
    print(f"{bureau.NAME}: {len(frame):,} people of the paper's Table 3, {path}\n  sha256 {sha256}")
    for line in bureau.against_table_1(frame):
        print(f"  {line}")
    print("  judge the paper's claims on them: python -m lib run means_newyork_census, then run")
    print("  synth_ny_employment (some hours), then claims --paper stratified")
    return 0


def verify(names: Sequence[str] = ()) -> int:
    """Hash the files that are there again; the number that do not match is returned."""
    states = {file.name: state(file) for file in _chosen(names)}
    for name, found in states.items():
        print(f"{name:30} {'matches its SHA-256' if found in ('local', 'cached') else found}")
    altered = sum(found == "altered" for found in states.values())
    if bureau.NAME in names and bureau.place().exists():
        try:
            bureau.fetch()  # hashes what is there
            print(f"{bureau.NAME:30} matches the SHA-256 with which it came")
        except DataError as error:
            print(f"{bureau.NAME:30} {error}")
            altered += 1
    return altered
