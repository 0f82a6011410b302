"""What ``pyproject.toml`` declares that the project needs, and what the locks pin."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable

from lib.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def names(requirements: Iterable[str]) -> set[str]:
    """Normalised names of distributions, without extras, versions and markers."""
    found = (re.match(r"[\w.-]+", line)[0] for line in requirements)
    return {re.sub(r"[-_.]+", "-", name).lower() for name in found}


CORE = names(PROJECT["project"]["dependencies"])


def extra(name: str) -> set[str]:
    """Distributions of an extra; of ``all``, those of every one."""
    stated = PROJECT["project"]["optional-dependencies"]
    chosen = [key for key in stated if key != "all"] if name == "all" else [name]
    return names(line for key in chosen for line in stated[key])


def group(name: str) -> set[str]:
    """Distributions of a dependency group and of those that it includes."""
    lines = PROJECT["dependency-groups"][name]
    included = [group(line["include-group"]) for line in lines if isinstance(line, dict)]
    return names(line for line in lines if isinstance(line, str)).union(*included)


def pins(lock: str) -> list[str]:
    """Lines ``NAME==VERSION`` of a file of ``locks/``."""
    text = (ROOT / "locks" / f"{lock}.txt").read_text(encoding="utf-8")
    return re.findall(r"^[\w.-]+==[^\s;]+", text, re.M)
