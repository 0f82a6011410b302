"""From a raw row to codes, by a map that looks at no other row.

The published tables of the LDP paper hold *ranks of the values that occur*: take
one person out, and nearly every row's code may change. A private release needs
codes that are fixed beforehand, so that one row of it is one person's row. Here a
code is the place of a value in the codebook's list (``data/codebook.yml``). A
number that is not on the list goes to the nearest one that is; a row with a text
that is not on the list is left out.

A replica is stored in these codes; :func:`lib.datasets.codebook.paper_codes` reads it in the
paper's.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib.datasets.cache import locate, unregistered
from lib.datasets.codebook import Meaning, codebook, nearest
from lib.datasets.load import load_raw
from lib.datasets.registry import TASKS
from lib.domain import Domain
from studies.data import adult, coverage, lsac, newyork, nist, steps

_CLEANING = {"adult": adult, "acs_coverage": coverage, "lsac": lsac}
_ROW_BY_ROW = {"newyork2018": newyork.adults_2018, "newyork2024": newyork.people_2024}


def coded_domain(name: str) -> Domain:
    """The codebook's domain of a table: as many codes for a column as its field may hold values."""
    return Domain.of({column: len(meaning.values) for column, meaning in codebook(name).items()})


def _place(values: pd.Series, meaning: Meaning) -> np.ndarray:
    """The code of each value; -1 for a text that is not listed."""
    if isinstance(meaning.values[0], str):
        return pd.Index(meaning.values).get_indexer(values)
    return nearest(values.to_numpy(), meaning.values)


def _encoded(values: pd.DataFrame, book: dict[str, Meaning]) -> pd.DataFrame:
    codes = pd.DataFrame({c: _place(values[c], meaning) for c, meaning in book.items()})
    return codes[(codes >= 0).all(axis=1)].reset_index(drop=True).astype(np.int16)


def code_rows(name: str, raw: pd.DataFrame) -> pd.DataFrame:
    """Rows of the raw file in the codebook's codes; each row's codes, and whether it is kept,
    depend on that row alone.

    Parameters
    ----------
    name : one of :data:`lib.datasets.registry.TASKS`
    raw : DataFrame
        The raw file, as pandas reads it; of a task with ``prepare``, as that takes it.

    Returns
    -------
    DataFrame of int16, columns as :func:`coded_domain`, one row for each row that is kept.

    Raises
    ------
    ValueError
        If a column is missing.
    """
    if name == "nist":
        return nist.coded_rows(raw, dict(TASKS[name].domain))
    if name in _ROW_BY_ROW:
        return _ROW_BY_ROW[name](raw).astype(np.int16)
    return _encoded(steps.clean(_CLEANING[name].STEPS[:-1], raw, check_rows=False), codebook(name))


def code_table(name: str) -> tuple[pd.DataFrame, str]:
    """The real table in the codebook's codes, and what one row of it is, in words.

    From the raw file where it is to be had. Else the published table is taken
    for the raw one, and its ranks are read as values by the codebook's fixed list.

    Raises
    ------
    Unavailable
        If there are no real data.
    """
    if name in ("nist", *_ROW_BY_ROW):
        path = locate(TASKS[name].file).path
        raw, _ = load_raw(TASKS[name].file)
    elif name == "lsac":
        path = locate(lsac.RAW).path
        raw = pd.read_csv(path)
    elif found := unregistered(*_CLEANING[name].PLACES):
        path, raw = found, pd.read_csv(found)
    else:
        path, book = locate(TASKS[name].file).path, codebook(name)
        ranks = pd.read_csv(path)
        values = pd.DataFrame(
            {c: np.asarray(m.present, dtype=object)[ranks[c]] for c, m in book.items()}
        )
        return (
            _encoded(values, book),
            f"one row of {path.name}, its ranks read as values by a fixed list",
        )
    return code_rows(name, raw), f"one row of {path.name}"
