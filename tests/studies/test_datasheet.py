"""Datasheet numbers on a table worked by hand."""

from __future__ import annotations

import math
import re

import pandas as pd
import pytest

from lib.datasets import TASKS, Dataset, Task, load
from lib.datasets.codebook import Meaning, codebook
from lib.domain import Domain
from studies.data.datasheet import (
    agreement,
    base_rates,
    repetition,
    wilson,
)
from studies.data.steps import Step

TASK = Task("toy", "", "", "t", "p", ("p",), (), Domain.of({"a": 3, "p": 2, "t": 2}))
DATA = Dataset(
    TASK, pd.DataFrame({"a": [0, 0, 2, 0], "p": [1, 1, 0, 0], "t": [1, 1, 0, 1]}), "local", ""
)
BOOK = {"a": Meaning("a code"), "p": Meaning("a group", ("those", "these")), "t": Meaning("target")}


def test_base_rates_carry_wilsons_interval():
    table = base_rates(DATA, "p", BOOK)
    assert table["rate"].tolist() == [0.5, 1.0]
    assert table["n"].tolist() == [2, 2]
    assert table["group"].tolist() == ["those", "these"]
    # no blank where the codebook has no names
    assert set(base_rates(DATA, "a", BOOK)["group"]) == {"not documented"}
    z = 1.959964
    assert table["low"][1] == pytest.approx(2 / (2 + z**2), rel=1e-5)
    assert all(map(math.isnan, wilson(0, 0)))
    with pytest.raises(ValueError, match=r"by must be .*, got 'x'"):
        base_rates(DATA, "x", BOOK)


def test_repetition():
    assert repetition(DATA) == {"n": 4, "duplicates": 0.25, "unique": 0.5}


STEPS = (
    Step("read", None, lambda f: f),
    Step("drop the 9", 4, lambda f: f[f["a"] < 9].reset_index(drop=True)),
)
RAW = pd.concat([DATA.frame, pd.DataFrame({"a": [9], "p": [0], "t": [0]})])


def test_whether_the_steps_make_the_table_is_said():
    replica = Dataset(TASK, DATA.frame, "replica", "")
    for raw, data, words in (
        (None, DATA, "not here"),
        (RAW, DATA, "equal to the published table"),
        (RAW[::-1], DATA, "differs"),
        (RAW[["p", "a", "t"]], DATA, "differs"),
        (RAW.iloc[1:], DATA, "do not hold.*must be 4, got 3"),
        (RAW, replica, "row counts hold"),
    ):
        assert re.search(words, agreement(STEPS, raw, data))


def test_a_codebook_that_does_not_fit_is_refused(tmp_path):
    page = tmp_path / "book.yml"
    page.write_text("lsac: {gender: {meaning: sex, codes: [a]}}", encoding="utf-8")
    with pytest.raises(ValueError, match=r"differ in.*'fam_inc'"):
        codebook("lsac", page)
    page.write_text(
        "lsac: {"
        + ", ".join(f"{c}: {{meaning: x, codes: [a]}}" for c in TASKS["lsac"].domain.columns)
        + "}",
        encoding="utf-8",
    )
    with pytest.raises(ValueError, match="1 codes of 'fam_inc'; it has 5"):
        codebook("lsac", page)


def test_codes_of_adult_and_acs_mean_what_their_neighbours_say(real_data):
    """Husbands are men and married, wives women; the native are those whom CIT says were born
    American.
    """
    real_data("db_adult_processed_26k.csv", "db_ACSCoverage.csv")
    adult, acs = load("adult"), load("acs_coverage")
    roles, sexes = codebook("adult")["relationship"].codes, codebook("adult")["gender"].codes
    men = adult.frame.groupby("relationship")["gender"].mean()
    assert sexes[1] == "Male"
    assert men[roles.index("Husband")] > 0.999
    assert men[roles.index("Wife")] < 0.001
    married = adult.frame[adult.frame["relationship"] == roles.index("Husband")][
        "marital-status"
    ].mode()[0]
    assert codebook("adult")["marital-status"].codes[married] == "Married-civ-spouse"
    assert ((acs.frame["CIT"] <= 2) == (acs.frame["NATIVITY"] == 0)).all()
