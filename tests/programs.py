"""Programs that tests start: a Python of its own, git in the name of nobody; and waiting for them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lib.paths import ROOT


def python(
    *words: object, cwd: Path = ROOT, check: bool = True, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What ``python`` prints and how it ends; ``environment`` is added to this process's."""
    command = [sys.executable, *map(str, words)]
    env = os.environ | environment
    return subprocess.run(
        command, cwd=cwd, env=env, capture_output=True, encoding="utf-8", check=check
    )


def git(folder: Path, *words: str) -> str:
    """What ``git`` prints in a folder."""
    who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(folder), *who, *words]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.strip()


def wait(condition: Callable[[], Any], seconds: float = 120) -> bool:
    """Whether a condition holds within so many seconds."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return bool(condition())
