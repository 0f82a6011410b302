"""Notebooks on other people's machines: Binder and Colab, from the public address that ``_config.yml`` states.

As long as ``repository: url`` there is empty, no page has these buttons, since
they would lead nowhere; what they need is in ``.binder/``. Buttons are links:
nothing is asked of another host before a reader follows one.
"""

from __future__ import annotations

import sysconfig
from dataclasses import dataclass
from pathlib import Path

import yaml

from lib.paths import ROOT

__all__ = ["Repository", "repository", "staged_config", "colab_cell", "install"]

COLAB = """\
# On Colab only, once a session: fetch the companion and what it needs. Elsewhere this does nothing.
import sys

if "google.colab" in sys.modules:
    import os
    import subprocess

    if not os.path.isdir("/content/companion"):
        subprocess.run(["git", "clone", "--depth", "1", "--branch", "{branch}", "{url}", "/content/companion"], check=True)
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "-r", "/content/companion/.binder/colab.txt"], check=True)
        if "numpy" in sys.modules:
            raise SystemExit("Installed. Restart the session (menu Runtime), then run all cells.")
    os.chdir("/content/companion")
    sys.path.insert(0, "/content/companion")
"""


@dataclass(frozen=True)
class Repository:
    """Public address and branch."""

    url: str
    branch: str


def repository(root: Path = ROOT) -> Repository | None:
    """What ``_config.yml`` states, or None as long as it states no address."""
    file = root / "_config.yml"
    stated = (yaml.safe_load(file.read_text()).get("repository") or {}) if file.exists() else {}
    return Repository(stated["url"].rstrip("/"), stated.get("branch") or "main") if stated.get("url") else None


def staged_config(root: Path = ROOT) -> str:
    """``_config.yml`` for the renderer: the services where the theme reads them, and only if there is an address.

    jupyter-book drops its own ``launch_buttons`` where ``html_theme_options`` are given, and without an address
    takes that of an example.
    """
    config = yaml.safe_load((root / "_config.yml").read_text())
    services, stated = config.pop("launch_buttons", {}), repository(root)
    config["launch_buttons"] = {"thebe": False}
    if stated is not None:
        options = config.setdefault("sphinx", {}).setdefault("config", {}).setdefault("html_theme_options", {})
        options |= {"repository_url": stated.url, "repository_branch": stated.branch, "launch_buttons": services,
                    "path_to_docs": config["repository"].get("path_to_book", "")}  # fmt: skip
    else:
        config.pop("repository", None)
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True)


def colab_cell(root: Path = ROOT) -> str | None:
    """Source of the first cell of every notebook, or None without an address to fetch from."""
    stated = repository(root)
    return None if stated is None else COLAB.format(url=stated.url, branch=stated.branch)


def install(folder: Path | None = None, root: Path = ROOT) -> Path:
    """Let this Python import ``lib`` from any folder, by a ``.pth`` file in its site-packages (or ``folder``)."""
    file = (folder or Path(sysconfig.get_paths()["purelib"])) / "companion.pth"
    file.write_text(f"{root}\n")
    return file


if __name__ == "__main__":
    print(install())
