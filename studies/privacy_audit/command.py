"""``python -m lib privacy-audit``: audit whole fits against what they declare."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from dataclasses import replace

import pandas as pd
from tqdm import tqdm

from lib import validate
from studies.privacy_audit.cases import cases
from studies.privacy_audit.cells import privacy_grid, run_privacy


def add_arguments(parser: ArgumentParser) -> None:
    """Which mechanisms, and how many runs."""
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="mechanisms; all of them if none is named"
    )
    parser.add_argument(
        "--runs", type=int, default=100, help="runs for each pair of tables (default 100)"
    )


def run(args: Namespace) -> int:
    """Print a line for each pair of tables; 1 if a check failed."""
    every = cases()
    names = [validate.choice("NAME", name, every) for name in args.names or every]
    grid = [cell for cell in privacy_grid() if cell.size == "small" and not cell.fault]
    cells = [replace(cell, runs=args.runs) for n in names for cell in grid if cell.mechanism == n]
    bar = tqdm(cells, desc="pairs of tables", disable=len(cells) < 2)
    frame = pd.DataFrame([vars(cell) | run_privacy(cell) for cell in bar])
    frame["alarms"] = frame["alarms"].replace("", "none")
    columns = {
        "mechanism": "mechanism",
        "pair": "pair",
        "epsilon_declared": "eps declared",
        "epsilon_certified": "eps certified",
        "delta": "at delta",
        "alarms": "alarms",
    }
    shown = frame[[*columns]].rename(columns=columns)
    print(shown.to_string(index=False, float_format="{:.3g}".format))
    return int(frame["alarms"].ne("none").any())
