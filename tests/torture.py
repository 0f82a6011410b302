"""Kills, flipped bits, races and garbage at random: ``make torture SEED=1 COUNT=20``; a fault is
printed.

Each attack takes a generator and a count, and returns what went wrong, in words. The suite runs a
few of each; the command runs as many as are asked for, from a seed that is printed.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

from lib import validate
from lib.datasets import load
from lib.paths import REPLICAS, RESULTS, ROOT
from lib.rng import stream
from lib.runner.store import Store, StoreError
from tests import torture_calls, torture_files

SWEEP = ["-m", "tests.runner.toy"]  # 60 cells of 30 milliseconds each
STABLE = ["cell", "number", "value", "label"]


def kills(rng: np.random.Generator, count: int, folder: Path) -> list[str]:
    """SIGKILL of a sweep on two workers at random times, until it is done; nothing is lost."""
    faults, path, seen = [], folder / "killed.parquet", pd.DataFrame()
    command = [sys.executable, *SWEEP, str(path), "2"]
    for _ in tqdm(range(count), desc="kills", disable=None):
        if len(seen) == 60:  # whole: begin again
            seen = pd.DataFrame()
            for file in folder.glob("killed.*"):
                file.unlink()
        sweep = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.3, 6.0))
        sweep.kill()
        sweep.wait()
        try:
            now = Store(path, version="1").frame()
        except StoreError as error:
            faults.append(f"after a kill: {error}")
            continue
        if not _holds(now, seen):
            faults.append(f"a kill changed or lost some of {len(seen)} records")
        if len(now) and now["cell"].duplicated().any():
            faults.append("a kill doubled a record")
        seen = now
    return faults


def _holds(now: pd.DataFrame, seen: pd.DataFrame) -> bool:
    """Whether all records of ``seen`` are in ``now``, to the last field."""
    if seen.empty:
        return True
    if not seen["cell"].isin(now["cell"]).all():
        return False
    same = now.set_index("cell").loc[seen["cell"], seen.columns.drop("cell")]
    try:
        pd.testing.assert_frame_equal(same, seen.set_index("cell"), check_dtype=False)
    except AssertionError:
        return False
    return True


def flips(rng: np.random.Generator, count: int, folder: Path) -> list[str]:
    """One bit turned in a results file, or a replica: it is refused, or reads the same."""
    faults = []
    for _ in tqdm(range(count), desc="flipped bits", disable=None):
        origin = rng.choice(sorted(RESULTS.glob("*.parquet"), key=lambda p: p.stat().st_size)[:6])
        path = folder / "flipped.parquet"
        whole = Store(Path(origin), version="", mix_versions=True).frame()
        path.write_bytes(_flipped(Path(origin).read_bytes(), rng))
        try:
            if not Store(path, version="", mix_versions=True).frame().equals(whole):
                faults.append(f"a flipped bit of {Path(origin).name} was believed")
        except StoreError:
            pass
        faults += _flipped_replica(rng, folder)
    return faults


def _flipped_replica(rng: np.random.Generator, folder: Path) -> list[str]:
    name = str(rng.choice(["lsac", "adult", "nist"]))
    module = sys.modules["lib.datasets.load"]
    for file in ("replicas.json", f"{name}.parquet"):
        shutil.copy(REPLICAS / file, folder)
    path = folder / f"{name}.parquet"
    path.write_bytes(_flipped(path.read_bytes(), rng))
    kept, module.REPLICAS = module.REPLICAS, folder
    try:
        load(name, "replica")
    except ValueError:
        return []
    finally:
        module.REPLICAS = kept
    return [f"a flipped bit of the replica of {name} was believed"]


def _flipped(raw: bytes, rng: np.random.Generator) -> bytes:
    damaged = bytearray(raw)
    damaged[rng.integers(len(raw))] ^= 1 << int(rng.integers(8))
    return bytes(damaged)


def bad_calls(rng: np.random.Generator, count: int, folder: Path) -> list[str]:
    """Random bad values for the arguments of public callables, a hundred times ``count``."""
    return torture_calls.run(torture_calls.random_calls(rng, 100 * count))[1]


ATTACKS: dict[str, Callable[[np.random.Generator, int, Path], list[str]]] = {
    "kills": kills,
    "flips": flips,
    "races": torture_files.races,
    "edited journals": torture_files.journals,
    "tens of garbage": torture_files.garbage,
    "hundreds of calls": bad_calls,
}


def main() -> int:
    """Run every attack; 1 is returned if one found a fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=20, help="of each attack")
    args = parser.parse_args()
    validate.integer("count", args.count, low=1)
    print(f"seed {args.seed}", flush=True)
    faults = []
    for name, attack in ATTACKS.items():
        with tempfile.TemporaryDirectory() as folder:
            faults += attack(stream(args.seed, "torture", name), args.count, Path(folder))
    print(*faults, sep="\n")
    print(f"seed {args.seed}, {args.count} of each of {', '.join(ATTACKS)}: {len(faults)} faults")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
