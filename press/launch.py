"""Notebooks on other people's machines: Binder and Colab, from the book's public address.

The address is what ``_config.yml`` states under ``repository: url``, else where
this clone comes from if that is GitHub, so that the pages of a fork lead to the
fork. Where there is neither, ``chapters/_static/launch.js`` asks the reader.
What the services need is in ``.binder/``. Buttons are links: nothing is asked
of another host before a reader follows one.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import yaml

from lib.files import read_yaml
from lib.paths import ROOT

COLAB = """\
# On Colab only, once a session: fetch the companion and what it needs. Elsewhere this does nothing.
import sys

if "google.colab" in sys.modules:
    import os
    import subprocess

    if not os.path.isdir("/content/companion"):
        question = "Where is the companion's repository? https://github.com/OWNER/NAME "
        address = "{url}" or input(question).strip()
        branch = ["--branch", "{branch}"] if "{url}" else []
        clone = ["git", "clone", "--depth", "1", *branch, address, "/content/companion"]
        subprocess.run(clone, check=True)
        subprocess.run([sys.executable, "/content/companion/.binder/colab.py"], check=True)
        raise SystemExit("Installed. Restart the session (menu Runtime), then run all cells.")
    os.chdir("/content/companion")
"""


@dataclass(frozen=True)
class Repository:
    """Public address and branch."""

    url: str
    branch: str


def repository(root: Path = ROOT, *, clone: bool = True) -> Repository | None:
    """What ``_config.yml`` states, else (if ``clone``) the GitHub repository that ``root`` was
    cloned from, else None.
    """
    file = root / "_config.yml"
    stated = (read_yaml(file, dict).get("repository") or {}) if file.exists() else {}
    url = (stated.get("url") or "").rstrip("/") or (clone and _origin(root))
    return Repository(url, stated.get("branch") or "main") if url else None


def _origin(root: Path) -> str | None:
    """``https://github.com/OWNER/NAME`` of the remote ``origin``, in whichever of its spellings;
    None for other hosts.
    """
    git = ["git", "-C", str(root), "config", "--get", "remote.origin.url"]
    try:
        found = subprocess.run(
            git, capture_output=True, encoding="utf-8", check=False
        ).stdout.strip()
    except OSError:  # a machine without git
        return None
    place = re.fullmatch(
        r"(?:https://(?:[^/@]+@)?|ssh://git@|git@)github\.com[:/]([\w.-]+)/([\w.-]+?)(?:\.git)?/?",
        found,
    )
    return f"https://github.com/{place[1]}/{place[2]}" if place else None


def staged_config(root: Path = ROOT, *, launch: bool = True) -> str:
    """``_config.yml`` for the renderer: the services where the theme reads them, and only if an
    address is known; none if not ``launch``, since what they open is the repository.

    jupyter-book drops its own ``launch_buttons`` where ``html_theme_options`` are given, and
    without an address takes that of an example.
    """
    config = read_yaml(root / "_config.yml", dict)
    services, stated = config.pop("launch_buttons", {}), repository(root) if launch else None
    config["launch_buttons"] = {"thebe": False}
    if stated is not None:
        sphinx = config.setdefault("sphinx", {}).setdefault("config", {})
        options = sphinx.setdefault("html_theme_options", {})
        config.setdefault("repository", {})["url"] = stated.url
        options |= {
            "repository_url": stated.url,
            "repository_branch": stated.branch,
            "launch_buttons": services,
            "path_to_docs": config["repository"].get("path_to_book", ""),
        }
    else:
        config.pop("repository", None)
    if not launch:
        config["sphinx"]["config"]["html_js_files"].remove("launch.js")
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True)


def colab_cell(root: Path = ROOT) -> str:
    """Source of the first cell of every notebook; without a stated address it asks for one.

    It is committed, so it does not depend on where a clone comes from.
    """
    stated = repository(root, clone=False)
    return COLAB.format(url=stated.url if stated else "", branch=stated.branch if stated else "")
