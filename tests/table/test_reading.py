"""Files as they are read: gaps, texts, and numbers, of which each has one text."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.table.reading import canonical_text, read_file


def cells(table: pd.DataFrame) -> list[list]:
    """The rows as a person would write them, gaps as None."""
    values: Iterable = table.astype(object)
    return values.where(values.notna(), None).to_numpy().tolist()


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


def test_texts_quotes_and_a_byte_order_mark(tmp_path):
    """A text that elsewhere stands for a gap stands here for itself."""
    path = tmp_path / "people.csv"
    path.write_bytes(b'\xef\xbb\xbfa, b\n"x, y",NA\n?, 2 \n\nNULL,\n')
    raw = read_file(path)
    assert raw.columns.tolist() == ["a", "b"]
    assert cells(raw) == [["x, y", "NA"], ["?", "2"], ["NULL", None]]


def test_a_parquet_file_keeps_gaps_whole_numbers_and_truth_values(tmp_path):
    big = pd.array([2**60 + 1, None, 3], dtype="Int64")
    columns = {"n": big, "x": [1.5, np.nan, 2], "t": [True, None, False], "s": [" a", None, "NA"]}
    pd.DataFrame(columns).to_parquet(tmp_path / "t.parquet")
    found = cells(read_file(tmp_path / "t.parquet"))
    assert found == [
        [str(2**60 + 1), "1.5", "True", "a"],
        [None] * 4,
        ["3", "2.0", "False", "NA"],
    ]


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"))), st.integers()
        ),
        min_size=1,
    )
)
def test_what_a_csv_writer_writes_is_read_back(tmp_path_factory, rows):
    path, texts = (
        tmp_path_factory.mktemp("csv") / "people.csv",
        [[f"v{t}v", str(n)] for t, n in rows],
    )
    pd.DataFrame(texts, columns=["text", "n"]).to_csv(path, index=False)
    assert cells(read_file(path)) == texts
