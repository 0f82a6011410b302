"""A table by a stated schema: its codes come back, nothing is learnt, and what is not stated is
refused.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.cli.schema import draft
from lib.table import Category, Number, Table, read_schema, schema_text

NUMBERS = st.floats(-1e9, 1e9) | st.floats(-1, 1) | st.integers(-100, 100)


@st.composite
def columns(draw) -> Category | Number:
    """A column as somebody may state it."""
    missing = draw(st.booleans())
    if draw(st.booleans()):
        values = draw(st.lists(st.text("ab01. e", min_size=1), min_size=1, max_size=5))
        stated = dict.fromkeys(v.strip() or "blank" for v in values)
        other = draw(st.sampled_from([None, "all others"]))
        try:
            return Category(values=tuple(stated), missing=missing, other=other)
        except ValueError:  # two texts of one number
            return Category(values=(*map(str, range(len(stated))),), missing=missing, other=other)
    whole = draw(st.booleans())
    low = draw(st.integers(-1000, 1000) if whole else NUMBERS)
    width = draw(st.integers(1, 1000) if whole else st.floats(1e-3, 1e9))
    bins = draw(st.integers(1, min(50, width + 1) if whole else 50))
    return Number(low=low, high=low + width, bins=bins, whole=whole, missing=missing)


@settings(max_examples=100, deadline=timedelta(seconds=5))
@given(columns(), st.integers(0, 2**32))
def test_every_code_comes_back_from_what_it_is_decoded_to(column, seed):
    codes = pd.DataFrame({"x": np.repeat(np.arange(column.size, dtype=np.int16), 20)})
    table, rng = Table(codes, {"x": column}), np.random.default_rng(seed)
    cells = table.decode(codes, rng)
    assert Table.of(cells, table.schema).codes.equals(codes)
    as_text = cells.astype(object).where(cells.notna(), None).map(str, na_action="ignore")
    assert Table.of(as_text, table.schema).codes.equals(codes)


TEXTS = st.text(min_size=1, max_size=6) | st.sampled_from(
    ["yes", "null", "~", "2020-01-01", "01101", "1e5", "1:30", "=", "<<", "# no", "a: b", "x\x85y"]
)


@settings(max_examples=200)
@given(
    st.dictionaries(TEXTS, columns() | st.just("ignore"), min_size=1, max_size=4), TEXTS, st.data()
)
def test_a_schema_that_is_written_and_read_is_the_same(schema, text, data):
    """Of any texts; and equal schemas are written alike, whatever type their numbers have."""
    with suppress(ValueError):  # a text of blanks
        schema["odd"] = Category(values=(text, "other than that"), other=data.draw(TEXTS))
    written = schema_text(schema)
    with TemporaryDirectory() as folder:
        file = Path(folder, "s.yml")
        file.write_text(written, encoding="utf-8", newline="")
        read = read_schema(file)
    assert read == schema
    assert [*read] == [*schema]
    assert schema_text(read) == written
    for name, column in schema.items():
        if isinstance(column, Number):
            floats = {"low": float(column.low), "high": float(column.high)}
            schema[name] = replace(column, **floats)
            schema = schema if schema[name] == column else schema | {name: column}
    assert schema_text(schema) == written


def test_numbers_are_drawn_evenly_within_their_bins():
    """Each of 12 ages and of 4 quarters of a bin has its share within 6 standard deviations."""
    schema = {
        "age": Number(low=0, high=11, bins=5, whole=True),
        "x": Number(low=-1, high=3, bins=2),
    }
    n, rng = 60_000, np.random.default_rng(5)
    codes = pd.DataFrame({"age": np.full(n, 1), "x": np.ones(n, int)})
    cells = Table(codes, schema).decode(codes, rng)
    edges = schema["age"].bounds
    for shares, k in (
        (cells["age"].value_counts(), int(edges[2] - edges[1])),
        (((cells["x"] - 1) // 0.5).value_counts(), 4),
    ):
        assert len(shares) == k
        assert (np.abs(shares - n / k) < 6 * np.sqrt(n / k)).all()


def test_values_that_are_not_stated_go_where_the_schema_says():
    people = pd.DataFrame({"job": ["cook", "spy", None], "age": ["-7", "1e3", "42"]})
    schema = {
        "job": Category(values=("cook",), missing=True, other="another"),
        "age": Number(low=0, high=100, bins=10, clip=True),
    }
    table = Table.of(people, schema)
    assert table.codes.to_numpy().tolist() == [[0, 0], [1, 9], [2, 4]]
    assert table.domain.sizes == (3, 10)  # and of nobody, too
    assert Table.of(people.head(0), schema).domain == table.domain
    back = table.decode(table.codes, np.random.default_rng(0))
    assert back["job"].fillna("a gap").tolist() == ["cook", "another", "a gap"]


@pytest.mark.parametrize(
    ("frame", "named"),
    [
        ({"sex": ["f", "x"], "age": [1, 2]}, "'sex'.*'x' in row 2 .*other"),
        ({"sex": ["f", None], "age": [1, 2]}, "'sex'.*a gap in row 2 .*missing"),
        ({"sex": ["f", "m"], "age": [1, 99]}, "'age'.*'99' in row 2 .*clip"),
        *(({"sex": ["f", "m"], "age": [1, age]}, f"'age'.*'{age}' in row 2") for age in (1.5, "old", np.inf)),
        ({"sex": [["f"], ["m"]], "age": [1, 2]}, "'sex'"),
        ({"sex": ["f"]}, "'age'"),
        ({"sex": ["f"], "age": [1], "pin": [7]}, "'pin'"),
        (pd.DataFrame([["f", "m", 1]], columns=["sex", "sex", "age"]), "'sex'"),
    ],
)  # fmt: skip
def test_what_the_schema_does_not_state_is_refused(frame, named):
    schema = {"sex": Category(values=("f", "m")), "age": Number(low=0, high=50, bins=5, whole=True)}
    with pytest.raises(ValueError, match=named):
        Table.of(pd.DataFrame(frame), schema)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (
            "sick: {values: [yes, no]}",
            "line 1, column 'sick': values must have quotes .* got yes .write 'yes'",
        ),
        ("a: {values: [1, '1.0']}", "'a': values and other"),
        ("a: {values: [x], other: x}", "values and other"),
        ("a: {low: 1, high: 0, bins: 2}", "low"),
        ("a: {low: 0, high: 3, bins: 5, whole: true}", "bins"),
        ("a: {low: 0, bins: 5}", "high"),
        ("a: {low: 0, high: 1, bins: 5, width: 2}", "'width'"),
        ("a: skip", "'ignore'"),
        ("7: ignore", "7"),
    ],
)
def test_a_schema_is_checked_before_any_table(text, named, tmp_path):
    (tmp_path / "s.yml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=named):
        read_schema(tmp_path / "s.yml")


def test_a_draft_codes_the_table_that_it_was_read_off(tmp_path):
    rng = np.random.default_rng(0)
    long = [f"{number}" for number in (-(2**53) - 1, -(2**53), 10**17 - 1, 10**17)]
    people = pd.DataFrame(
        {
            "sex": ["yes", None] * 30,
            "code: 1": ["01", "1e0", "# 2"] * 20,
            "income": [*map(str, rng.normal(0, 1e9, 59)), None],
            "age": [*map(str, range(60))],
            "long": long[::-1] * 15,  # equal as floats, and in the order of the numbers
        },
        dtype=object,
    )
    (tmp_path / "s.yml").write_text(draft(people), encoding="utf-8")
    schema = read_schema(tmp_path / "s.yml")
    assert schema["age"] == "ignore"
    assert schema["sex"] == Category(values=("yes",), missing=True)
    assert schema["long"].values == tuple(long)
    table = Table.of(people, schema)
    assert table.codes["code: 1"].nunique() == 3
    income = table.codes["income"]
    assert (income.min(), income.max()) == (0, 20)  # the lowest bin, and the gap


def test_a_bound_of_more_digits_than_a_machine_integer_is_a_number():
    """It ended in an error of a cast."""
    schema = {"age": Number(low=0, high=10**35, bins=2)}
    assert Table.of(
        pd.DataFrame({"age": ["1", "9e34"]}), schema
    ).codes.to_numpy().ravel().tolist() == [0, 1]
