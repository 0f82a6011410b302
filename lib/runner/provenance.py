"""What made a record: the commit of the code, and the versions of the packages under it."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version

from lib.paths import IN_REPOSITORY, ROOT

DIRTY = "-dirty"  # ends the commit of a record whose code had changes
# what numbers of some grid depend on: mbi and jax fit the synthesizers, optuna proposes the trials
# of the tuning
PACKAGES = "numpy scipy pandas scikit-learn lightgbm mbi jax jaxlib optax optuna".split()


def _git(*arguments: str) -> subprocess.CompletedProcess:
    # no optional locks: a look at the tree must not stand in the way of a commit
    command = ["git", "--no-optional-locks", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


@cache
def provenance() -> dict[str, str]:
    """``commit`` and ``versions`` of this process.

    The commit ends in ``-dirty`` where tracked files under ``lib/`` differ from
    it (results may: a sweep writes them), and is ``"unknown"`` outside a git
    repository. Of :data:`PACKAGES` those are named that are installed.
    """
    commit, found = "", []
    if IN_REPOSITORY:  # elsewhere it would be that of whatever project one works in
        with suppress(OSError):  # a machine without git
            commit = _git("rev-parse", "--short=12", "HEAD").stdout.strip()
            changed = _git("diff", "--quiet", "HEAD", "--", "lib", "studies").returncode == 1
            commit += DIRTY * bool(commit and changed)
    for package in PACKAGES:
        with suppress(PackageNotFoundError):  # not every machine needs all
            found.append(f"{package}={package_version(package)}")
    return {"commit": commit or "unknown", "versions": " ".join(found)}
