"""On Colab: install the package, and what it needs at the pins of ``requirements.txt``.

Only what ``pyproject.toml`` names for ``lib`` and its notebooks, not the whole file: Colab's own
kernel and notebook server run on other versions of the rest, and so on these two:
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

COLABS_OWN = {"ipython", "requests"}
ROOT = Path(__file__).resolve().parent.parent


def pins() -> list[str]:
    """What is installed besides the package itself."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    named = [*project["dependencies"], *extras["synth"], *extras["run"], "myst-nb"]
    needed = {re.match(r"[\w.-]+", line)[0] for line in named} - COLABS_OWN
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.partition("==")[0] in needed]


if __name__ == "__main__":
    for what in (pins(), ["--no-deps", "-e", str(ROOT)]):
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", *what], check=True)
