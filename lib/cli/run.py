"""``python -m lib run``: run what is missing of a grid, or gather parts that ran elsewhere."""

from __future__ import annotations

import asyncio
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pandas as pd

from lib.files import read_json
from lib.paths import RESULTS
from lib.runner import gather_grid, grid_of, run_grid
from lib.runner.run import file_of
from lib.runner.sweep import available_workers
from lib.validate import refusal

CONNECT_S = 20.0


def add_arguments(parser: ArgumentParser) -> None:
    """Which grid, at which scale, and where it runs."""
    option = parser.add_argument
    option("grid", help="a name, or MODULE:GRID; a wrong one is answered with the list")
    option("--profile", default="paper", help="paper (default) or quick")
    option(
        "--workers", type=int, help="processes; one fewer than the machine has threads if not given"
    )
    option("--backend", default="loky", help="joblib backend (loky, threading, sequential)")
    option(
        "--dask",
        metavar="SCHEDULER",
        help="run on a Dask cluster: the scheduler's address (tcp://host:8786) or its file",
    )
    option(
        "--part",
        metavar="I/N",
        help="only the I-th of N parts, into a file of its own in this folder",
    )
    option(
        "--gather",
        nargs="+",
        metavar="FILE",
        help="run nothing: put finished parts into the grid's file",
    )
    option(
        "--again",
        type=Path,
        metavar="FOLDER",
        help="into a folder of yours, where stored cells run again",
    )
    option(
        "--replicas",
        action="store_true",
        help="run on replicas where the real data are not here, into --again or results",
    )


def run(args: Namespace) -> int:
    """Run or gather, and print how many cells there are in which file."""
    part = _part(args.part) if args.part else None
    path, file = None, file_of(grid_of(args.grid), args.profile, part)
    if folder := args.again or (Path("results") if args.replicas else None):
        if folder.resolve() == RESULTS or folder.is_file():
            raise refusal("again", "a folder of yours", str(folder))
        path = file = folder / file.name
    if args.gather:
        parts = list(map(Path, args.gather))
        there, missing = gather_grid(args.grid, parts, args.profile, path=path)
        print(f"{there} cells of {args.grid} ({args.profile}), {missing} missing, in {file}")
        return 0
    with nullcontext(args.backend) if args.dask is None else _cluster(args.dask) as backend:
        frame = run_grid(
            args.grid,
            args.profile,
            workers=available_workers() if args.workers is None else args.workers,
            backend=backend,
            path=path,
            part=part,
            replicas=args.replicas or args.profile == "quick",
        )
    print(f"{len(frame)} cells of {args.grid} ({args.profile}) in {file}{sources_of(frame)}")
    return 0


def sources_of(frame: pd.DataFrame) -> str:
    """``"; data: lsac local, nist replica"``, as the records say it; empty if none does."""
    said = frame.reindex(columns=["dataset", "data_source"]).dropna().drop_duplicates()
    words = ", ".join(sorted(f"{dataset} {source}" for dataset, source in said.to_numpy()))
    return f"; data: {words}" if words else ""


@contextmanager
def _cluster(scheduler: str) -> Iterator[str]:
    """The backend of a cluster, while this process is connected to its scheduler."""
    try:
        from dask.distributed import Client
        from distributed.comm import connect
    except ImportError:
        raise ValueError("--dask needs the package dask[distributed]; install it") from None
    if re.match(r"[a-z]+://", scheduler):
        address = scheduler
    elif Path(scheduler).is_file():
        address = _address(Path(scheduler))
    else:
        raise refusal("dask", "an address such as tcp://host:8786 or a scheduler's file", scheduler)

    async def answers() -> None:
        (await asyncio.wait_for(connect(address), CONNECT_S)).abort()

    try:  # a client would wait for ever for one that is stopped
        asyncio.run(answers())
    except (OSError, TimeoutError, MemoryError):  # the last for what is no scheduler
        said = f"a scheduler that answers within {CONNECT_S:g} s"
        raise refusal("dask", said, address) from None
    with Client(address, timeout=CONNECT_S) as client:
        print(f"{scheduler}: {len(client.ncores())} workers", flush=True)
        yield "dask"


def _address(file: Path) -> str:
    """The address in a scheduler's file."""
    address = read_json(file, dict).get("address")
    if not isinstance(address, str):
        raise refusal(f"address in {file}", "text", address)
    return address


def _part(text: str) -> tuple[int, int]:
    number, _, of = text.partition("/")
    if not (number.isdecimal() and of.isdecimal()):
        raise ValueError(f"part must be I/N, as in 3/40, got {text!r}")
    return int(number), int(of)
