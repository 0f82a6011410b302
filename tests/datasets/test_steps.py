"""Cleaning from the raw file: row counts at each step, and the published table cell for cell
where both are here.
"""

from __future__ import annotations

import io

import folktables
import numpy as np
import pandas as pd
import pytest

from lib.datasets import TASKS, load
from studies.coherence import table as section5
from studies.data import adult, coverage, lsac, nist, steps
from studies.data.steps import Step


@pytest.mark.parametrize(
    ("module", "raw", "processed"),
    [
        (lsac, lsac.RAW, "db_LSAC.csv"),
        (adult, adult.PLACES, "db_adult_processed_26k.csv"),
        (coverage, coverage.PLACES, "db_ACSCoverage.csv"),
    ],
)
def test_a_table_from_raw_equals_the_processed_file_cell_for_cell(
    module, raw, processed, real_data
):
    made = steps.clean(module.STEPS, pd.read_csv(real_data(raw)))
    published = pd.read_csv(real_data(processed))
    pd.testing.assert_frame_equal(made, published, check_dtype=False, check_exact=True)


# --- the steps themselves


def test_a_step_that_leaves_other_rows_is_named():
    each = [
        Step("read", 3, lambda f: f),
        Step("drop odd", 1, lambda f: f[f["x"] % 2 == 0]),
        Step("any", None, lambda f: f),
    ]
    assert len(steps.clean(each, pd.DataFrame({"x": [1, 2, 3]}))) == 1
    with pytest.raises(ValueError, match="rows after 'drop odd' must be 1, got 2"):
        steps.clean(each, pd.DataFrame({"x": [1, 2, 4]}))
    assert len(steps.clean(each, pd.DataFrame({"x": [2, 4]}), check_rows=False)) == 2


NIST, SECTION_5 = ["AGEP", *nist._CODES], [*section5.COLUMNS, section5.TARGET]
LSAC = pd.DataFrame({c: ["1"] for c in (*lsac.COLUMNS, "zfygpa")})


def _without(table: pd.DataFrame | list[str], column: str) -> pd.DataFrame:
    table = table if isinstance(table, pd.DataFrame) else pd.DataFrame(columns=table)
    return table.drop(columns=column)


# fmt: off
LACKING = [  # before a row is counted
    (lambda: steps.clean(adult.STEPS, pd.DataFrame({"x": [1]}), check_rows=False), "age"),
    # a bare KeyError came from the steps before the one that keeps seven columns
    *((lambda c=c: steps.clean(lsac.STEPS, _without(LSAC, c)), c) for c in ("lsat", "pass_bar")),
    *((lambda c=c: steps.clean(coverage.STEPS, _without(_persons(), c)), c) for c in ("PINCP", "PUBCOV")),
    *((lambda c=c: nist.analysed(_without(NIST, c)), c) for c in ("DREM", "AGEP", "PUMA")),
    *((lambda c=c: section5.numbers(_without(SECTION_5, c)), c) for c in ("DREM", "AGEP", "PUMA") if c in SECTION_5),
]
# fmt: on


@pytest.mark.parametrize(("call", "column"), LACKING)
def test_a_missing_column_is_named(call, column):
    with pytest.raises(ValueError, match=f"raw must have a column '{column}', got"):
        call()


# --- Adult


# the reconstructed file's columns, in its order
ADULT = """\
hours-per-week,age,capital-gain,capital-loss,workclass,education,education-num,marital-status,relationship,race,gender,native-country,income,occupation
40,39,2174,0,State-gov,Bachelors,13,Never-married,Not-in-family,White,Male,United-States,26000,Adm-clerical
13,17,0,0,Private,10th,6,Never-married,Own-child,Black,Female,Cuba,26001,Sales
40,38,0,0,?,HS-grad,9,Divorced,Unmarried,White,Male,Cuba,90000,?
20,90,0,7,Private,HS-grad,9,Widowed,Unmarried,White,Female,?,5,Sales
99,52,0,0,Private,10th,6,Divorced,Unmarried,White,Female,Cuba,99999,Sales
"""


def _adult_toy() -> pd.DataFrame:
    return pd.read_csv(io.StringIO(ADULT))


def test_adult_steps_on_a_table_by_hand():
    toy = _adult_toy()
    with pytest.raises(ValueError, match=r"read the raw file.*49531, got 5"):
        steps.clean(adult.STEPS, toy)
    each = [after for _, after in steps.follow(adult.STEPS, toy, check_rows=False)]
    assert [len(after) for after in each] == [5, 5, 3, 3, 3]
    made = each[-1]
    assert tuple(made.columns) == TASKS["adult"].domain.columns
    codes = made[["income", "age", "education", "gender"]].to_numpy().tolist()
    # 26,000 itself is not above; text goes by the alphabet
    assert codes == [[0, 1, 1, 1], [1, 0, 0, 0], [1, 2, 0, 0]]


# --- ACS, Texas


def _persons(n: int = 400) -> pd.DataFrame:
    """A person file in the Bureau's codes, with what is not asked of whom left out."""
    rng = np.random.default_rng(1)
    age = rng.integers(0, 95, n)
    sex = rng.integers(1, 3, n)
    codes = "SCHL 24 MAR 5 DIS 2 ESP 8 CIT 5 MIG 3 MIL 4 ANC 4 NATIVITY 2 DEAR 2 DEYE 2 DREM 2"
    codes = f"{codes} ESR 6 FER 2 RAC1P 9 PUBCOV 2".split()
    frame = pd.DataFrame({"AGEP": age, "SEX": sex, "ST": 48})
    for column, k in zip(codes[::2], map(int, codes[1::2]), strict=True):
        frame[column] = rng.integers(1, k + 1, n)
    frame["PINCP"] = rng.choice([-500, 0, 29_999, 30_000, 30_001, 80_000], n)
    asked = {
        "PINCP": age >= 15,
        "ESR": age >= 16,
        "MIL": age >= 17,
        "ESP": age < 18,
        "FER": (sex == 2) & (age >= 15) & (age <= 50),
    }
    return frame.assign(**{column: frame[column].where(who) for column, who in asked.items()})


def test_coverage_rows_and_zeros_are_those_of_folktables():
    raw = _persons()
    features, target, _ = folktables.ACSPublicCoverage.df_to_pandas(raw)
    *_, before, _, _ = (after for _, after in steps.follow(coverage.STEPS, raw, check_rows=False))
    assert (before["AGEP"].min(), before["AGEP"].max()) == (15, 64)
    kept = [c for c in coverage.COLUMNS if c != "PUBCOV"]
    assert (before[kept].to_numpy() == features[kept].to_numpy()).all()
    made = steps.clean(coverage.STEPS, raw, check_rows=False)
    assert (made["PUBCOV"].to_numpy() == target.iloc[:, 0].to_numpy()).all()
    # 1 is male, with a disability, Black (code 2), covered; the domain does not tell which
    who = raw[raw["AGEP"].between(15, 64) & (raw["PINCP"] <= 30_000)]
    for column, code in {"SEX": 1, "DIS": 1, "RAC1P": 2, "PUBCOV": 1}.items():
        assert made[column].tolist() == (who[column] == code).tolist(), column
    with pytest.raises(ValueError, match=r"incomes of at most.*98739"):
        steps.clean(coverage.STEPS, raw)


@pytest.mark.parametrize("source", ["steps", "published"])
def test_coverage_codes_show_who_was_asked_what(source, real_data):
    """In the real table and in what the steps give; so the codes mean the same."""
    if source == "published":
        real_data("db_ACSCoverage.csv")
        table = load("acs_coverage").frame
    else:
        table = steps.clean(coverage.STEPS, _persons(20_000), check_rows=False)
    assert tuple(table.columns) == TASKS["acs_coverage"].domain.columns
    TASKS["acs_coverage"].domain.check(table)
    assert table["AGEP"].nunique() == 50
    assert set(table.loc[table["ESR"] == 0, "AGEP"]) == {0}  # under 16: rank 0 is 15
    assert set(table.loc[table["MIL"] == 0, "AGEP"]) == {0, 1}  # under 17
    assert table.loc[table["FER"] > 0, "AGEP"].max() == 50 - 15  # asked up to 50
    assert set(table.loc[table["FER"] > 0, "SEX"]) == {0}  # of women
    assert table.loc[table["ESP"] > 0, "AGEP"].max() == 17 - 15  # under 18


# --- NIST


def test_nist_drops_only_the_under_fives(real_data):
    raw = pd.read_csv(real_data("national2019.csv"), dtype=str, keep_default_na=False)
    assert (raw["DREM"] == "N").sum() == nist.UNDER_FIVE
    assert [len(after) for _, after in steps.follow(nist.STEPS, raw)] == [27253, 25900, 25900]
    frame = nist.analysed(raw)
    assert frame.shape == (25900, len(TASKS["nist"].domain))
    assert frame["DREM"].sum() == 1521
    with pytest.raises(ValueError, match=r"read the raw file.*27253, got 27252"):
        nist.analysed(raw.iloc[1:])
    raw.loc[0, "DREM"] = "N"
    with pytest.raises(ValueError, match="DREM is N"):
        nist.analysed(raw)
