"""The times of the commands that a newcomer waits for, in a clone of the last commit:
``python -m benchmarks.build_times``, which writes ``benchmarks/TIMES.md``.

The clone uses the environment that is installed here. Measure when nothing else runs: the table
states the load of the machine before each command. CPU time includes every process that the
command has started.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from lib.paths import ROOT

TABLE = ROOT / "benchmarks" / "TIMES.md"
TOUCHED = "lib/synth/gem.py"
INSTALLED = (".venv", ".venv-course")
# the environment here finds this repository's package, and not the clone's, without PYTHONPATH
ELSEWHERE = (
    "--deselect tests/press/test_launch.py::test_the_installed_package_is_found_from_anywhere"
)
SUBREAPER = 36  # of Linux: whose parent has ended becomes a child of this process


@dataclass(frozen=True)
class Step:
    """A command, what to say of it, and the seconds that it may take on two idle cores."""

    said: str
    target: str
    limit: int | None


STEPS = {
    "book": Step("`make book`, from nothing", "book", 240),
    "rebuild": Step(f"`make book`, after an edit of `{TOUCHED}`", "book", 60),
    "test": Step("`make test`, after `make book`", "test", 360),
    "all": Step("`make test-all`, with `make test` in it", "test-all", None),
}


@dataclass(frozen=True)
class Time:
    """Seconds by the clock and of all cores, and the load average of the minute before."""

    wall: float
    cpu: float
    load: float


def measure(command: Sequence[str], folder: Path, environment: dict[str, str]) -> Time:
    """Run ``command`` in ``folder``; a ``RuntimeError`` shows how one that fails ended.

    This process adopts what the command leaves behind, and waits for all its own children.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    load, before, start = os.getloadavg()[0], _cpu(), time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8"
    )
    wall = time.perf_counter() - start
    with suppress(ChildProcessError):  # until there is none that is left
        while True:
            os.wait()
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{(done.stdout + done.stderr)[-3000:]}")
    return Time(wall, _cpu() - before, load)


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def clone(folder: Path) -> None:
    """The last commit in ``folder``, with the environments of this repository."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    for name in INSTALLED:
        (folder / name).symlink_to(ROOT / name)


def table(times: dict[str, Time], commit: str) -> str:
    """The measured times as a page, with machine, date and commit."""
    data = "real data" if os.environ.get("COMPANION_DATA") else "replicas only"
    lines = [
        "# Times of the commands",
        "",
        f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, {data};"
        f" {datetime.now(UTC):%Y-%m-%d}, commit {commit}. After the install. CPU is the time of"
        " all processes together, load the average of the minute before. Written by"
        " `python -m benchmarks.build_times`.",
        "",
        "| command | minutes | at most, on two idle cores | CPU, minutes | load before |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, found in times.items():
        step = STEPS[name]
        limit = "" if step.limit is None else f"{step.limit / 60:.0f}"
        lines.append(
            f"| {step.said} | {found.wall / 60:.1f} | {limit} | {found.cpu / 60:.1f} |"
            f" {found.load:.1f} |"
        )
    return "\n".join(lines) + "\n"


def processor() -> str:
    """The name of the processor, as far as the system tells it."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        return next(x.partition(": ")[2] for x in lines if x.startswith("model name"))
    return platform.processor() or platform.machine()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the steps that are asked for, in their order, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("steps", nargs="*", metavar="STEP", help=f"of {', '.join(STEPS)}; all")
    asked = parser.parse_args(arguments).steps
    if wrong := [name for name in asked if name not in STEPS]:
        parser.error(f"STEP must be one of {', '.join(STEPS)}, got {wrong[0]!r}")
    if missing := [name for name in INSTALLED if not (ROOT / name / ".made").exists()]:
        parser.error(f"{missing[0]} must be there (make {missing[0]}/.made), got none")
    git = ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"]
    commit = subprocess.check_output(git, text=True, encoding="utf-8").strip()
    times: dict[str, Time] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name).resolve() / "clone"
        clone(folder)
        for step in [step for step in STEPS if step in asked or not asked]:
            if step == "rebuild":
                with open(folder / TOUCHED, "a", encoding="utf-8") as file:
                    file.write("# an edit\n")
            made = [word for name in INSTALLED for word in ("-o", f"{name}/.made")]
            command = ["make", *made, STEPS[step].target]
            environment = os.environ | {"PYTHONPATH": str(folder), "PYTEST_ADDOPTS": ELSEWHERE}
            times[step] = measure(command, folder, environment)
            print(f"{STEPS[step].said}: {times[step]}", flush=True)
    TABLE.write_text(table(times, commit), encoding="utf-8")


if __name__ == "__main__":
    main()
