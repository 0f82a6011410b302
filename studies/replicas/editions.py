"""The record of the embedded replicas: each one, every edition of them, and what all cost together.

``data/replicas/make.py`` makes a replica and its record.
"""

from __future__ import annotations

import math
from pathlib import Path

from lib.dp import epsilon_of
from lib.files import read_json, read_yaml
from lib.paths import REPLICAS

DELTA = 1e-9
EDITION = "4"


def metadata(folder: Path = REPLICAS) -> dict[str, dict]:
    """What is on record about each replica."""
    return read_json(folder / "replicas.json", dict)


def _history() -> dict:
    return read_yaml(REPLICAS / "editions.yml", dict)


def editions() -> list[dict]:
    """Every edition drawn from the real tables and published, in order.

    Each has ``edition``, ``date``, ``commit``, ``maker``, ``noise``, ``codes``, ``beside`` (what
    was published with it) and ``rho``, the price of replacing one row, by table.
    """
    past, known = _history(), metadata().items()
    rho = {name: facts["rho"] for name, facts in known if facts["edition"] == EDITION}
    return [*past["earlier"], past["now"] | {"edition": EDITION, "rho": rho}]


def tried() -> dict[str, list[dict]]:
    """What the maker was chosen from.

    ``"on real tables"`` without a price, ``"on replicas"`` as post-processing.
    """
    past = _history()
    return {"on real tables": past["tried"], "on replicas": past["compared_on_replicas"]}


def total(name: str) -> tuple[float, float]:
    """``rho`` of all editions of one table together, and its epsilon: to replace one row.

    The epsilon is at :data:`DELTA`. Every edition counts at its declared price. That is what they
    would cost if all noise were secret and no code depended on another row, which is not so of the
    earlier ones; :func:`editions` has the particulars.
    """
    rho = math.fsum(edition["rho"].get(name, 0.0) for edition in editions())
    return rho, epsilon_of(rho, DELTA, conversion="standard")
