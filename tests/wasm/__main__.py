"""Run the tests of the numeric packages in Pyodide: ``make wasm``, or with arguments of pytest."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

from lib.paths import ROOT
from tests.wasm.prepare import prepare

PACKAGES = ("dp", "ldp", "fairness", "means", "stats", "coherence")


def run(folder: Path, *given: str) -> int:
    """The exit code of pytest in Pyodide, whose files are in ``folder``."""
    node = shutil.which("node")
    if node is None:
        raise SystemExit("node must be a program on the path (Node 18 or later), got none")
    script = Path(__file__).with_name("run.mjs")
    return subprocess.run([node, str(script), str(folder), str(ROOT), *given]).returncode


if __name__ == "__main__":
    began = time.monotonic()
    prepare(found := ROOT / "_build" / "wasm")
    places = [f"{top}/{name}" for top in ("tests", "lib") for name in PACKAGES]
    code = run(found, "-q", "--tb=short", *(sys.argv[1:] or places))
    print(f"{time.monotonic() - began:.0f} seconds, exit code {code}")
    sys.exit(code)
