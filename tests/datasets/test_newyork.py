"""New York's people: their codes, what the codes stand for, and which files are taken for theirs."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.cli import main
from lib.datasets import load, load_raw
from lib.datasets.cache import DataError
from studies.data import bureau, newyork
from studies.data.newyork_aggregates import crossing, published_cells

YEAR = "ny2024_persons.parquet"
SAMPLE = "ny2018_acsemployment_sample_20000.csv"


def few(n: int = 6) -> pd.DataFrame:
    """People in the form of the file of 2024: the first was asked nothing."""
    gap, half = [pd.NA] * (n - 1), [1] * (n - 2)
    return pd.DataFrame(
        {
            "AGEP": [2, *range(20, 19 + n)],
            "SEX": [1, 2, *half],
            "RAC1P": [9, 1, *half],
            "DIS": [2, 1, *half],
            "NATIVITY": [1, 2, *half],
            "SCHL": [pd.NA, 24, *half],
            "WKHP": [*gap, 40],
            "JWMNP": [*gap, 138],
            "PINCP": [pd.NA, -50, 0, *[1999] * (n - 4), 2_000_000],
            "ESR": [pd.NA, 1, 2, *[6] * (n - 3)],
            "PWGTP": 3,
        },
        dtype="Int64",
    )


def test_a_gap_is_code_0_and_a_code_stands_for_its_value():
    codes = newyork.people_2024(few())
    assert codes.iloc[0].tolist() == [2, 0, 8, 1, 0, 0, 0, 0, 0, 0]
    assert codes["PINCP"].tolist() == [0, 1, 2, 3, 3, 32]
    assert codes["ESR"].tolist() == [0, 1, 0, 0, 0, 0]
    assert np.isnan(newyork.INCOMES[0])
    assert newyork.INCOMES[[1, 2]].tolist() == [-5000, 0]


@given(st.integers(-20_000, 4_210_000), st.integers(-20_000, 4_210_000))
def test_more_income_has_no_lower_code_and_its_code_is_near(one, other):
    low, high = sorted((one, other))
    people = few().iloc[:2].assign(PINCP=pd.array([low, high], dtype="Int64"))
    codes = newyork.people_2024(people)["PINCP"]
    assert codes[0] <= codes[1]
    if 2000 <= high < 1_000_000:
        assert 2 / 3 < newyork.INCOMES[codes[1]] / high < 3 / 2


def test_a_replica_has_the_values_that_its_codes_stand_for():
    data = load("newyork2024", "replica")
    values = newyork.values_2024(data)
    assert set(values["SEX"]) == {1, 2}
    assert values["SCHL"].isna().sum() == (data.frame["SCHL"] == 0).sum() > 0
    assert values["PINCP"].dropna().isin(newyork.INCOMES).all()
    assert 40_000 < values["PINCP"].mean() < 80_000


def test_the_sample_of_2018_is_of_the_state_that_the_paper_has(real_data):
    """Mean schooling in cells of sex, race and age agrees with the published means of everybody."""
    real_data(SAMPLE)
    raw, _ = load_raw(SAMPLE)
    people = raw.astype(int)
    people = people[people["AGEP"] >= 20].assign(AGEP=people["AGEP"] * 5 // 95)
    z = []
    for by in (["SEX", "RAC1P"], ["SEX", "RAC1P", "AGEP"]):
        all_ = crossing(published_cells(), *by)
        mean = all_["sum_SCHL"] / all_["n_SCHL"]
        own = people.groupby(by)["SCHL"].agg(["mean", "std", "size"])
        own = own[own["size"] > 30]
        if "AGEP" in by:  # the youngest band has children, who are not in the sample
            own = own[own.index.get_level_values("AGEP") > 0]
            gap = own["mean"] - mean.reindex(own.index)
            z.append(gap / (own["std"] / np.sqrt(own["size"])))
    assert np.sqrt((pd.concat(z).dropna() ** 2).mean()) < 1.5


@pytest.fixture
def counted(fresh_cache, monkeypatch):
    """A few people, who are all of New York in this test."""
    people = few(40)
    monkeypatch.setattr(bureau, "ROWS_2024", len(people))
    monkeypatch.setattr(bureau, "WEIGHTS_2024", 3 * len(people))
    answers = {name: int(people[name].count()) for name in bureau.ANSWERS_2024}
    monkeypatch.setattr(bureau, "ANSWERS_2024", answers)
    return people


def archive(people: pd.DataFrame, folder: Path) -> str:
    path = folder / "csv_pny.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("psam_p36.csv", people.assign(SERIALNO="2024GQ1").to_csv(index=False))
    return str(path)


def test_the_bureaus_own_archive_is_taken_for_the_registered_file(counted, tmp_path, monkeypatch):
    monkeypatch.setenv("COMPANION_OFFLINE", "1")
    place = archive(counted, tmp_path)
    assert main(["data", "fetch", "newyork2024", "--from", place]) == 0
    found = load("newyork2024")
    assert (found.source, len(found.frame)) == ("cache", len(counted))
    assert found.frame.equals(newyork.people_2024(counted).astype(found.frame.dtypes))


@pytest.mark.parametrize(
    "other",
    [
        lambda people: people.iloc[1:],
        lambda people: people.assign(PWGTP=4),
        lambda people: people.assign(SCHL=people["SCHL"].fillna(1)),
        lambda people: people.drop(columns="WKHP"),
    ],
)
def test_other_people_are_refused_and_leave_nothing(other, counted, tmp_path, capsys):
    place = archive(other(counted), tmp_path)
    assert main(["data", "fetch", "newyork2024", "--from", place]) == 1
    assert "must hold New York's people of 2024" in capsys.readouterr().out
    assert not (bureau.user_cache() / YEAR).exists()
    other(counted).to_parquet(bureau.user_cache() / YEAR)
    with pytest.raises(DataError, match="New York's people of 2024"):
        load("newyork2024", "cache")
