"""Where things are. No other module spells out a folder of the repository."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"
REPLICAS = DATA / "replicas"
RESULTS = DATA / "results"
CHAPTERS = ROOT / "chapters"
BUILD = ROOT / "_build"


def user_cache() -> Path:
    """Folder of downloaded files: ``COMPANION_CACHE``, else the platform's cache folder."""
    if override := os.environ.get("COMPANION_CACHE"):
        return Path(override)
    import pooch

    return Path(pooch.os_cache("who-pays-for-privacy"))
