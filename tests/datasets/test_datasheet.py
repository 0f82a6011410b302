"""Datasheet numbers on a table worked by hand."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from lib.datasets import Dataset, Domain, Task
from lib.datasets.datasheet import base_rates, columns, repetition, wilson

TASK = Task("toy", "", "", "t", "p", ("p",), (), Domain.of({"a": 3, "p": 2, "t": 2}))
DATA = Dataset(TASK, pd.DataFrame({"a": [0, 0, 2, 0], "p": [1, 1, 0, 0], "t": [1, 1, 0, 1]}), "local", "")


def test_columns_say_what_occurs():
    table = columns(DATA, {"a": "a code"}).set_index("column")
    assert table.loc["a", "codes in use"] == 2
    assert table.loc["a", "its share"] == 0.75
    assert table.loc["p", "role"] == "protected, sensitive"
    assert table.loc["a", "meaning"] == "a code"


def test_base_rates_carry_wilsons_interval():
    table = base_rates(DATA, "p")
    assert table["rate"].tolist() == [0.5, 1.0]
    assert table["n"].tolist() == [2, 2]
    z = 1.959964
    assert table["low"][1] == pytest.approx(2 / (2 + z**2), rel=1e-5)
    assert all(map(math.isnan, wilson(0, 0)))
    with pytest.raises(ValueError, match="by='x'"):
        base_rates(DATA, "x")


def test_repetition():
    assert repetition(DATA) == {"n": 4, "duplicates": 0.25, "unique": 0.5}
