"""What a person has who installed the package and has no repository: run by ``tests.wheel_check``.

It imports nothing of the tests. It prints one line of JSON: digests of what was read, and how many
examples of docstrings ran, or needed an extra that is not here.
"""

from __future__ import annotations

import doctest
import hashlib
import json
import os
import pkgutil
import subprocess
import sys
import warnings
from importlib import import_module
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd

import lib
from lib.cli import IN_THE_REPOSITORY
from lib.datasets import TASKS, load
from lib.extras import MissingExtra
from lib.ledger import read_claims, summary
from lib.runner import grids, results

PACKAGE = Path(lib.__file__).parent
INSTALLED = (PACKAGE, PACKAGE.with_name("studies"))


class Examples(doctest.DocTestRunner):
    """Runs examples and keeps apart those that need an extra."""

    def __init__(self) -> None:
        super().__init__(verbose=False)
        self.without_extra: set[str] = set()
        self.failed: list[str] = []

    def report_failure(self, out, test, example, got):
        self._note(test, f"{example.source.strip()} gave {got.strip()}")

    def report_unexpected_exception(self, out, test, example, exc_info):
        if issubclass(exc_info[0], MissingExtra):
            self.without_extra.add(test.name)
        else:
            self._note(test, f"{example.source.strip()} raised {exc_info[1]!r}")

    def _note(self, test, words: str) -> None:
        if test.name not in self.without_extra:  # else what follows from a missing package
            self.failed.append(f"{test.name}: {words}")


def examples() -> tuple[int, list[str]]:
    """Run the examples of every module; how many docstrings passed, and which need an extra."""
    finder, runner, passed = doctest.DocTestFinder(exclude_empty=True), Examples(), 0
    walked = [pkgutil.walk_packages([str(p)], f"{p.name}.") for p in INSTALLED]
    for module in chain.from_iterable(walked):
        if module.name.endswith("__main__"):
            continue
        try:
            found = import_module(module.name)
        except MissingExtra:
            runner.without_extra.add(module.name)
            continue
        for test in finder.find(found):
            if test.examples:
                runner.run(test, out=lambda text: None)
                passed += test.name not in runner.without_extra
    assert not runner.failed, "\n".join(runner.failed)
    return passed, sorted(runner.without_extra)


def digest(frame: pd.DataFrame) -> str:
    """Of a table's values, names and types."""
    types = " ".join(str(t) for t in frame.dtypes)
    return hashlib.sha256((frame.to_csv() + types).encode()).hexdigest()[:16]


def command(*words: str, status: int = 0) -> str:
    """What a command of the installed package prints; both streams."""
    call = [sys.executable, "-I", "-m", "lib", *words]
    done = subprocess.run(call, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == status, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout + done.stderr


def people(path: Path) -> None:
    """A table to audit."""
    rng = np.random.default_rng(0)
    sex, age = rng.integers(0, 2, 400), rng.integers(18, 80, 400)
    ill = rng.random(400) < 0.2 + 0.3 * (age > 50)
    frame = pd.DataFrame({"sex": np.where(sex, "woman", "man"), "age": age, "ill": ill.astype(int)})
    frame.to_csv(path, index=False, encoding="utf-8")


def package_files() -> set[str]:
    """All that is installed of the package, but for bytecode."""
    files = chain.from_iterable(folder.rglob("*") for folder in INSTALLED)
    return {str(p) for p in files if "__pycache__" not in p.parts}


def main(whole: bool) -> None:
    """Read what the package carries, run its commands and examples; see where it writes."""
    before = package_files()
    assert "site-packages" in PACKAGE.parts
    tables = {name: load(name) for name in TASKS}
    assert all(table.is_replica for table in tables.values())
    digests = {name: digest(table.frame) for name, table in tables.items()}
    digests |= {name: digest(results(name)) for name in grids() if _is_carried(name)}
    assert "ldp_main" in digests
    assert len(read_claims()) > 200
    digests["verdicts"] = str(summary())
    assert "reproduced" in command("claims", "--paper", "ldp")
    people(Path("people.csv"))
    sizes = ("--splits", "3")
    command("audit", "people.csv", "--sensitive", "ill", "--groups", "sex", *sizes, "--quiet")
    assert '<img src="data:image' in Path("coherence.html").read_text(encoding="utf-8")
    for name in IN_THE_REPOSITORY:
        assert "needs the repository" in command(name, status=1)
    assert "needs the repository" in command("claims", "--write", status=1)
    if whole:
        command("run", "means_mixtures", "--profile", "quick", "--workers", "1")
        assert Path("results/means_mixtures.quick.parquet").is_file()
        assert len(results("means_mixtures", "quick"))
    else:
        for words, extra in (("run means_mixtures --profile quick", "run"), ("tune adult", "run")):
            said = command(*words.split(), status=1)
            assert f'pip install "who-pays-for-privacy[{extra}] @ file:' in said, said
    passed, without_extra = examples()
    assert package_files() == before, package_files() ^ before
    found = {"digests": digests, "examples": passed, "without_extra": without_extra}
    print(json.dumps({"python": sys.version.split()[0]} | found))


def _is_carried(grid: str) -> bool:
    return (PACKAGE / "_data" / "results" / f"{grid}.parquet").is_file()


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of the packages; the suite turns ours into errors
    os.environ["COMPANION_OFFLINE"] = "1"
    main(sys.argv[1] == "all")
