"""The NIST ACS Data Excerpts 2019 (national), from the raw file to a table of codes.

The file has ``N`` where a question was not asked. ``DREM`` (difficulty
remembering or concentrating) is ``N`` for everyone under five and for nobody
else, so the analysed table holds the people aged five and over; in the other
columns ``N`` is a code of its own, 0. Ages come in five-year bands, income as
the file's own deciles.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from lib import validate
from lib.datasets.cleaning.steps import Step, clean, keep

UNDER_FIVE = 1353
_BANDS = (100, 200, 300, 400, 501)  # POVPIP: percent of the poverty line, top-coded at 501

SIZES: dict[str, int] = {
    "PUMA": 20,
    "SEX": 2,
    "AGE": 19,
    "RAC1P": 9,
    "HISP": 5,
    "MSP": 7,
    "EDU": 13,
    "HOUSING_TYPE": 3,
    "OWN_RENT": 3,
    "INDP_CAT": 20,
    "PINCP_DECILE": 11,
    "POVPIP": 7,
    "DPHY": 2,
    "DEYE": 2,
    "DEAR": 2,
    "DREM": 2,
}


def _numbers(column: pd.Series) -> np.ndarray:
    """Whole numbers, ``N`` as -1."""
    return pd.to_numeric(column.replace("N", "-1")).to_numpy().astype(int)


def _from_one(column: pd.Series) -> np.ndarray:
    return _numbers(column) - 1


def _with_n(first: int) -> Callable[[pd.Series], np.ndarray]:
    """Codes 1, 2, ... for ``first``, ``first + 1``, ..., and 0 for ``N``."""
    return lambda column: np.where(column == "N", 0, _numbers(column) - first + 1)


def _yes(column: pd.Series) -> np.ndarray:
    """1 with the difficulty (raw 1), 0 without (raw 2)."""
    return (column == "1").to_numpy().astype(int)


def _poverty(column: pd.Series) -> np.ndarray:
    value = _numbers(column)
    return np.where(value < 0, 0, 1 + np.digitize(value, _BANDS))


_PUMAS = (
    "01-01301",
    "06-07502",
    "06-08507",
    "08-00803",
    "13-04600",
    "17-03529",
    "17-03531",
    "19-01700",
    "24-01004",
    "26-02702",
    "28-01100",
    "29-01901",
    "30-00600",
    "32-00405",
    "36-03710",
    "36-04010",
    "38-00100",
    "40-00200",
    "51-01301",
    "51-51255",
)


def _puma(column: pd.Series) -> np.ndarray:
    known = {puma: code for code, puma in enumerate(_PUMAS)}
    if unknown := set(column) - set(known):
        raise validate.refusal("PUMA", f"one of {', '.join(_PUMAS)}", sorted(unknown)[0])
    return column.map(known).to_numpy()


_CODES: dict[str, Callable[[pd.Series], np.ndarray]] = {
    "PUMA": _puma,
    "SEX": lambda c: (c == "1").to_numpy().astype(int),
    "RAC1P": _from_one,
    "HISP": _numbers,
    "MSP": _with_n(1),
    "EDU": _with_n(1),
    "HOUSING_TYPE": _from_one,
    "OWN_RENT": _numbers,
    "INDP_CAT": _with_n(0),
    "PINCP_DECILE": _with_n(0),
    "POVPIP": _poverty,
    "DPHY": _yes,
    "DEYE": _yes,
    "DEAR": _yes,
    "DREM": _yes,
}


def _asked(raw: pd.DataFrame) -> pd.DataFrame:
    no_answer = raw["DREM"] == "N"
    if not (no_answer == (raw["AGEP"].astype(int) < 5)).all():
        raise ValueError(
            "DREM is N for somebody aged five or over, or given for somebody younger; the file"
            " differs"
        )
    return raw[~no_answer]


def _coded(kept: pd.DataFrame) -> pd.DataFrame:
    codes = {name: make(kept[name]) for name, make in _CODES.items()}
    codes["AGE"] = (kept["AGEP"].astype(int).to_numpy() - 5) // 5
    return pd.DataFrame({name: codes[name] for name in SIZES})


STEPS: tuple[Step, ...] = (
    Step("read the raw file", 27253, lambda raw: keep(raw, ("AGEP", *_CODES)).astype(str)),
    Step(
        "drop those for whom DREM is N: everybody under five, and nobody else",
        27253 - UNDER_FIVE,
        _asked,
    ),
    Step(
        "codes from 0, N a code of its own; bands of age and of POVPIP", 27253 - UNDER_FIVE, _coded
    ),
)


def analysed(raw: pd.DataFrame, *, check_rows: bool = True) -> pd.DataFrame:
    """Codes of the people aged five and over, shape (25900, 16), columns and sizes as
    :data:`SIZES`.

    Parameters
    ----------
    raw : DataFrame
        ``national2019.csv``, 27,253 rows.

    Raises
    ------
    ValueError
        If a column is missing, the rows without ``DREM`` are not exactly the
        people under five, or a step leaves another number of rows than it must
        (``check_rows``).
    """
    return clean(STEPS, raw, check_rows=check_rows)


def coded_rows(raw: pd.DataFrame) -> pd.DataFrame:
    """As :func:`analysed`, by a map that looks at one row alone and refuses none, for a private
    release.

    Kept are rows with an answer to ``DREM`` and an area of the excerpts; numbers
    out of their range go to its nearest end.
    """
    kept = keep(raw, ("AGEP", *_CODES)).astype(str)
    codes = _coded(kept[kept["DREM"].isin(("1", "2")) & kept["PUMA"].isin(_PUMAS)])
    return codes.clip(lower=0, upper=pd.Series(SIZES) - 1, axis=1).astype(np.int16)
