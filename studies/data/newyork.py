"""New York 2018: the Census Bureau's rows, or a stand-in drawn from published aggregates.

The stand-in has one row a person of the paper's Table 3. It was drawn once, by
``data/aggregates/make_newyork.py``, which says what in it is published and what assumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd

from lib import validate
from lib.datasets.cache import sha256_of
from studies.data import bureau
from studies.data.newyork_aggregates import ATTRIBUTES, FILE

STAND_IN = FILE.with_name("newyork2018_stand_in.csv.gz")


@dataclass(frozen=True)
class NewYork:
    """People with :data:`ATTRIBUTES` and :data:`VARIABLES` (NaN: not asked or no answer), shape
    (196967, 9).
    """

    frame: pd.DataFrame
    source: str
    sha256: str
    name: str = "newyork"

    @property
    def is_replica(self) -> bool:
        """True unless these are the Census Bureau's rows."""
        return self.source == "stand-in"

    @property
    def label(self) -> str:
        """What the rows are, for badges and captions."""
        return "stand-in from published aggregates" if self.is_replica else "real data"

    @property
    def task(self) -> SimpleNamespace:
        """What badges call it."""
        return SimpleNamespace(title="ACS 2018, New York")


def load_newyork(source: str = "stand-in") -> NewYork:
    """New York's people: the stand-in, or the Bureau's rows.

    Parameters
    ----------
    source : {"stand-in", "census"}
        ``"census"`` downloads them (some 50 MB) where they are not there
        (:func:`studies.data.bureau.fetch`), and fails if it cannot.
    """
    if validate.choice("source", source, ("stand-in", "census")) == "census":
        frame, sha256 = bureau.read()
        return NewYork(frame, "census", sha256)
    return NewYork(_stand_in(), "stand-in", sha256_of(FILE))


@cache
def _stand_in() -> pd.DataFrame:
    return pd.read_csv(STAND_IN).astype(float).astype(dict.fromkeys(ATTRIBUTES, np.int8))
