"""Numbers that are spelt in several ways are one value, and nothing else is."""

from __future__ import annotations

from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.table.numbers import canonical_column, canonical_text


@pytest.mark.parametrize(
    ("cells", "one"),
    [
        (("1", "1.0", "1.", "+1", "1e0", "1.00"), "1"),
        (("0", "-0", "0.0", "-0.00"), "0"),
        (("0.5", ".5", "0.50", "5e-1"), "0.5"),
        (("-3", "-3.0"), "-3"),
        (("10000000000000000", "1e+16", "1E16"), "10000000000000000"),
    ],
)
def test_spellings_of_one_number_are_one(cells, one):
    assert {canonical_text(cell) for cell in cells} == {one}


@pytest.mark.parametrize(
    "cell", "01234|007|-01|00|1_0|٣|0x10|1,5|yes|1 000|NaN|inf|.|-|1e|12-34".split("|")
)
def test_codes_and_text_are_left_as_they_are(cell):
    assert canonical_text(cell) == cell


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**25), max_value=10**25))
def test_the_spelling_is_the_same_number_and_its_own_canonical_text(number):
    one = canonical_text(f"{number:f}")
    assert Decimal(one) == number
    assert canonical_text(one) == one == canonical_text(str(number))


def test_neighbours_among_long_numbers_stay_apart():
    long = ("12345678901234567890", "12345678901234567891.0", "0.12345678901234567891")
    assert len({canonical_text(cell) for cell in long}) == 3


def test_gaps_stay_gaps():
    for cells, texts in ((["1.0", None, "x", "01"], ["1", None, "x", "01"]), ([None] * 2,) * 2):
        found = canonical_column(pd.Series(cells, dtype=object)).astype(object)
        assert found.where(found.notna(), None).tolist() == texts
