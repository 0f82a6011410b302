"""Codebook codes: a row's codes depend on that row alone, whatever the others are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lib.datasets import TASKS, load
from lib.datasets.codebook import codebook, paper_codes
from studies.data.coding import code_rows, code_table, coded_domain
from tests.datasets.test_steps import _adult_toy, _persons

every = pytest.mark.parametrize("name", TASKS)


def _lsac_toy() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "race1": ["black", "white", None, "hisp"],
            "ugpa": [2.3, 3.6, 3.0, 0.2],
            "lsat": [30.5, 31.5, 20.0, 9.0],
            "fam_inc": [1.0, 5.0, 2.0, 3.0],
            "gender": ["female", "male", "male", "female"],
            "fulltime": [1.0, 2.0, 1.0, 1.0],
            "pass_bar": [0, 1, 1, 1],
        }
    )


def _nist_toy() -> pd.DataFrame:
    row = {
        "AGEP": "39",
        "PUMA": "01-01301",
        "SEX": "1",
        "RAC1P": "9",
        "HISP": "0",
        "MSP": "6",
        "EDU": "7",
        "HOUSING_TYPE": "3",
        "OWN_RENT": "0",
        "INDP_CAT": "N",
        "PINCP_DECILE": "0",
        "POVPIP": "N",
        "DPHY": "2",
        "DEYE": "2",
        "DEAR": "1",
        "DREM": "2",
    }
    other = {"AGEP": "120", "PUMA": "51-51255", "POVPIP": "501", "INDP_CAT": "18", "DREM": "1"}
    return pd.DataFrame(
        [row, row | {"AGEP": "4", "DREM": "N"}, row | other, row | {"PUMA": "99-99999"}]
    )


def _newyork2018_toy() -> pd.DataFrame:
    """As the file has it: text, all of it whole numbers."""
    row = {"AGEP": "42", "SCHL": "15", "MAR": "5", "DIS": "2", "ESP": "0", "MIL": "4", "ESR": "1"}
    row |= {"DREM": "2", "SEX": "1", "RAC1P": "1", "RELP": "1"}
    return pd.DataFrame([row, row | {"AGEP": "17", "ESR": "0"}, row | {"AGEP": "89", "SCHL": "24"}])


def _newyork2024_toy() -> pd.DataFrame:
    """A child, who is asked little; somebody with a loss, somebody rich, somebody without a job."""
    asked = ["SCHL", "WKHP", "JWMNP", "PINCP", "ESR"]
    rows = [
        [4, *[None] * 5],
        [40, 21, 40, 30, -5000, 1],
        [61, 24, 99, 200, 2_000_000, 1],
        [30, 16, None, None, 0, 6],
    ]
    table = pd.DataFrame(rows, columns=["AGEP", *asked]).astype("Float64")
    return table.assign(SEX=2, RAC1P=9, DIS=1, NATIVITY=1)


TOYS = {
    "newyork2018": _newyork2018_toy,
    "newyork2024": _newyork2024_toy,
    "adult": _adult_toy,
    "acs_coverage": lambda: _persons(150),
    "lsac": _lsac_toy,
    "nist": _nist_toy,
}


@every
def test_taking_a_row_out_changes_no_other_rows_codes(name):
    """As ranks of the values that occur, nearly every code changed; so a guarantee held for
    coded tables only.
    """
    raw = TOYS[name]()
    coded = code_rows(name, raw)
    coded_domain(name).check(coded)
    alone = [code_rows(name, raw.iloc[[i]]) for i in range(len(raw))]
    # of some rows nothing is kept (in New York of none), of none more than one
    assert {len(one) for one in alone} == ({1} if name.startswith("newyork") else {0, 1})
    pd.testing.assert_frame_equal(pd.concat(alone, ignore_index=True), coded)


def test_what_is_out_of_range_goes_to_the_nearest_value():
    raw = (
        _adult_toy()
        .iloc[[0, 0, 0, 0, 0]]
        .assign(**{"hours-per-week": [0, 1, 71, 99, 200], "age": [0, 17, 41, 90, 120]})
    )
    coded = code_rows("adult", raw)
    assert coded["hours-per-week"].tolist() == [0, 0, 70, 98, 98]
    assert coded["age"].tolist() == [0, 0, 24, 73, 73]
    assert code_rows("adult", raw.assign(race="unheard of")).empty
    assert code_rows("lsac", _lsac_toy())["lsat"].tolist() == [20, 22, 0]
    assert code_rows("lsac", _lsac_toy())["ugpa"].tolist() == [5, 7, 0]
    assert code_rows("nist", _nist_toy())["AGE"].tolist() == [6, 18]


@every
def test_the_codebooks_codes_go_to_the_papers_by_a_fixed_map(name):
    book, domain = codebook(name), coded_domain(name)
    each = pd.DataFrame({c: np.arange(max(domain.sizes)) % k for c, k in domain})
    paper = paper_codes(name, each)
    TASKS[name].domain.check(paper)
    for column, meaning in book.items():
        for code, value in enumerate(meaning.values):
            if value not in meaning.absent:
                assert meaning.present[paper[column][code]] == value


def test_absent_values_go_to_the_nearest_that_the_paper_has():
    codes = pd.DataFrame({c: np.zeros(3, int) for c in coded_domain("lsac").columns}).assign(
        lsat=[0, 3, 38]
    )
    assert paper_codes("lsac", codes)["lsat"].tolist() == [0, 1, 36]  # 10 to 11, 13 to 12, 48 to 48


@every
def test_the_real_table_in_both_codings_is_the_published_one(name, real_data):
    """So the values that are said not to occur are those: of LSAC and NIST by the raw file, else
    by their number.
    """
    real_data(TASKS[name].of_file.name)
    real = load(name)
    coded, unit = code_table(name)
    assert unit.startswith("one row of ")
    assert coded_domain(name).check(coded).shape == real.frame.shape
    assert (paper_codes(name, coded).to_numpy() == real.frame.to_numpy()).all()
