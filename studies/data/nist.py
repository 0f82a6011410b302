"""The NIST ACS Data Excerpts 2019 (national), from the raw file to a table of codes.

The file has ``N`` where a question was not asked. ``DREM`` (difficulty
remembering or concentrating) is ``N`` for everyone under five and for nobody
else, so the analysed table holds the people aged five and over; in the other
columns ``N`` is a code of its own, 0. Ages come in five-year bands, income as
the file's own deciles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from lib import validate
from studies.data.steps import Step, clean, keep

UNDER_FIVE = 1353
_BANDS = (100, 200, 300, 400, 501)  # POVPIP: percent of the poverty line, top-coded at 501


def _numbers(column: pd.Series) -> np.ndarray:
    """Whole numbers, ``N`` as -1."""
    return pd.to_numeric(column.replace("N", "-1")).to_numpy().astype(int)


def _from_one(column: pd.Series) -> np.ndarray:
    return _numbers(column) - 1


def _with_n(first: int) -> Callable[[pd.Series], np.ndarray]:
    """Codes 1, 2, ... for ``first``, ``first + 1``, ..., and 0 for ``N``."""
    return lambda column: np.where(column == "N", 0, _numbers(column) - first + 1)


def _yes(column: pd.Series) -> np.ndarray:
    """1 for raw 1 (a man, or with the difficulty), 0 for raw 2."""
    return (column == "1").to_numpy().astype(int)


def _poverty(column: pd.Series) -> np.ndarray:
    value = _numbers(column)
    return np.where(value < 0, 0, 1 + np.digitize(value, _BANDS))


_PUMAS = (
    "01-01301 06-07502 06-08507 08-00803 13-04600 17-03529 17-03531 19-01700 24-01004 26-02702"
    " 28-01100 29-01901 30-00600 32-00405 36-03710 36-04010 38-00100 40-00200 51-01301 51-51255"
).split()


def _puma(column: pd.Series) -> np.ndarray:
    known = {puma: code for code, puma in enumerate(_PUMAS)}
    if unknown := set(column) - set(known):
        raise validate.refusal("PUMA", f"one of {', '.join(_PUMAS)}", sorted(unknown)[0])
    return column.map(known).to_numpy()


def _band(age: pd.Series) -> np.ndarray:
    return (age.astype(int).to_numpy() - 5) // 5


# each column of the analysed table from the raw one of that name; AGE is from AGEP
_CODES: dict[str, Callable[[pd.Series], np.ndarray]] = {
    "PUMA": _puma,
    "SEX": _yes,
    "AGE": _band,
    "RAC1P": _from_one,
    "HISP": _numbers,
    "MSP": _with_n(1),
    "EDU": _with_n(1),
    "HOUSING_TYPE": _from_one,
    "OWN_RENT": _numbers,
    "INDP_CAT": _with_n(0),
    "PINCP_DECILE": _with_n(0),
    "POVPIP": _poverty,
    **dict.fromkeys(("DPHY", "DEYE", "DEAR", "DREM"), _yes),
}


def _asked(raw: pd.DataFrame) -> pd.DataFrame:
    no_answer = raw["DREM"] == "N"
    if not (no_answer == (raw["AGEP"].astype(int) < 5)).all():
        raise ValueError(
            "DREM is N for somebody aged five or over, or given for somebody younger; the file"
            " differs"
        )
    return raw[~no_answer]


def _kept(raw: pd.DataFrame) -> pd.DataFrame:
    kept = keep(raw, ("AGEP", *(name for name in _CODES if name != "AGE"))).astype(str)
    return kept.assign(AGE=kept["AGEP"])


def _coded(kept: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({name: make(kept[name]) for name, make in _CODES.items()})


STEPS: tuple[Step, ...] = (
    Step("read the raw file", 27253, _kept),
    Step(
        "drop those for whom DREM is N: everybody under five, and nobody else",
        27253 - UNDER_FIVE,
        _asked,
    ),
    Step(
        "codes from 0, N a code of its own; bands of age and of POVPIP", 27253 - UNDER_FIVE, _coded
    ),
)


def analysed(raw: pd.DataFrame) -> pd.DataFrame:
    """Codes of the people aged five and over, shape (25900, 16), in the order of the domain.

    Parameters
    ----------
    raw : DataFrame
        ``national2019.csv``, 27,253 rows.

    Raises
    ------
    ValueError
        If a column is missing, the rows without ``DREM`` are not exactly the
        people under five, or a step leaves another number of rows than it must.
    """
    return clean(STEPS, raw)


def coded_rows(raw: pd.DataFrame, sizes: Mapping[str, int]) -> pd.DataFrame:
    """As :func:`analysed`, by a map that looks at one row alone and refuses none, for a private
    release.

    Kept are rows with an answer to ``DREM`` and an area of the excerpts; numbers
    out of the range of their column's ``sizes`` go to its nearest end.
    """
    kept = _kept(raw)
    codes = _coded(kept[kept["DREM"].isin(("1", "2")) & kept["PUMA"].isin(_PUMAS)])
    return codes.clip(lower=0, upper=pd.Series(sizes) - 1, axis=1).astype(np.int16)
