"""Groups are what their names say, for every kind of column; bands hold what falls between their
edges.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.domain import Domain
from lib.groups import (
    EVERYONE,
    bands_in_order,
    group_values,
    groups,
    groups_by_size,
    groups_of_at_least,
    to_bands,
)

FRAME = pd.DataFrame({"a": [0, 1, 1, None], "b": ["x", "x", "y", "y"], "age": [3, 18, 40, 80]})


def test_columns_crossings_and_predicates_in_the_order_asked_for():
    found = groups(FRAME, ["a"], [("a", "b")], {"old": lambda t: t["age"] > 30})
    crossed = ["a = 0 & b = x", "a = 1 & b = x", "a = 1 & b = y"]  # nobody is in 0 & y
    assert list(found) == [EVERYONE, "a = 0", "a = 1", *crossed, "old"]
    assert found["a = 1"].tolist() == [False, True, True, False]
    assert found["old"].tolist() == [False, False, True, True]
    assert EVERYONE not in groups(FRAME, ["a"], everyone=False)
    assert "a = 0.5" in groups(pd.DataFrame({"a": [0.5, 1.0]}), ["a"])


@pytest.mark.parametrize(
    "column",
    [
        pd.Categorical(["s", "t", "s"], categories=["t", "s", "never"]),
        pd.array([True, False, True]),
        pd.array([1, None, 1], dtype="Int64"),
        [2, "two", 2],
        pd.to_datetime(["2019-01-01", "2020-01-01", "2019-01-01"]),
    ],
    ids=["category", "bool", "nullable", "mixed", "date"],
)
def test_every_kind_of_column_gives_its_groups(column):
    frame = pd.DataFrame({"c": column})
    found = groups(frame, ["c"], everyone=False)
    assert len(found) == frame["c"].nunique()
    assert [True, False, True] in [who.tolist() for who in found.values()]


@given(st.lists(st.floats(-50, 150) | st.just(np.nan), min_size=1, max_size=30))
@settings(max_examples=60)
def test_who_is_in_a_band_lies_between_its_edges(ages):
    values, edges = pd.Series(ages, name="age"), (18, 35, 65)
    found, bounds = to_bands(values, edges), [-np.inf, *edges, np.inf]
    assert (found.isna() == values.isna()).all()
    for low, high in pairwise(bounds):
        within = (values >= low) & (values < high)
        assert found[within].nunique() <= 1
        assert not set(found[within]) & set(found[~within])


def test_bands_are_shown_from_low_to_high_and_all_else_as_it_came():
    ages, sizes = pd.Series([3, 80, 20, 100]), pd.Series([0.2, 0.5, 12.0, 3.0])
    bands = {"age": to_bands(ages, (18, 65, 100)), "x": to_bands(sizes, (0.5, 3.0, 10.0))}
    names = list(groups(pd.DataFrame({"sex": [*"mwmw"], **bands}), ["sex", "age", "x"]))
    assert bands_in_order(names) == [
        *(EVERYONE, "sex = m", "sex = w"),
        *(f"age = {band}" for band in ("< 18", "18-64", "65-99", ">= 100")),
        *(f"x = {band}" for band in ("< 0.5", "[0.5, 3)", "[3, 10)", ">= 10")),
    ]
    others = ["b", "c = 2", "c = 10-x", "a", "c = 1"]
    assert bands_in_order(others) == others


def test_the_size_constraint_counts_members_of_the_whole_table():
    found = groups(FRAME, ["a"], predicates={"nobody": lambda t: t["age"] > 99})
    assert list(groups_of_at_least(found, 2)) == [EVERYONE, "a = 1"]
    assert list(groups_of_at_least(found, 2.5)) == [EVERYONE]


# fmt: off
REFUSED = [
    *((lambda e=e: to_bands(FRAME["age"], e), "edges must be") for e in ((5, 5), ())),
    (lambda: groups(FRAME.to_numpy()), r"frame must be a pandas\.DataFrame, got"),
    (lambda: groups(FRAME, "ab"), "columns must be a list or a tuple, got 'ab'"),
    (lambda: groups(FRAME, ["c"]), "column must be .*, got 'c'"),
    (lambda: groups(FRAME, predicates={"bad": lambda t: t["age"].to_numpy()}), "must return bool of .* got int64"),
    (lambda: groups(FRAME, predicates={"short": lambda t: np.array([True, False])}), r"must return bool of .* got bool of shape \(2,\)"),
    (lambda: groups(FRAME, ["b", "b"]), "groups must have different names, got .* twice"),
    (lambda: groups_of_at_least(groups(FRAME), 0), "gamma must be .*, got 0"),
    (lambda: groups(pd.DataFrame([[0, 1]], columns=["a", "a"]), ["a"]), "must be a column that is there once, got"),
    (lambda: groups(FRAME, predicates={"p": lambda t: (t["a"] == 1).sort_values()}), "predicate 'p' must return the rows of the table in"),
]
# fmt: on


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_names_no_group_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


MIXED = st.sampled_from([1, 2, "10", "x", None, 2.5])


@given(
    st.lists(st.tuples(MIXED, st.sampled_from(["u", "v", None])), min_size=1, max_size=40),
    st.integers(1, 20),
)
@settings(max_examples=100)
def test_groups_by_size_are_the_groups_compared_one_by_one(rows, gamma):
    frame = pd.DataFrame(rows, columns=["a", "b"], dtype=object)
    every = groups(frame, ["a", "b"], [("a", "b")])
    for name, who in every.items():
        parts = [part.split(" = ") for part in name.split(" & ")] if name != EVERYONE else []
        expected = [
            all(row[column] is not None and f"{row[column]}" == text for column, text in parts)
            for row in frame.to_dict("records")
        ]
        assert who.tolist() == expected
    kept, small = groups_by_size(frame, ["a", "b"], [("a", "b")], gamma=gamma)
    assert kept.keys() == groups_of_at_least(every, gamma).keys()
    assert all(np.array_equal(kept[name], every[name]) for name in kept)
    assert small == {name: int(who.sum()) for name, who in every.items() if name not in kept}


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "int64[pyarrow]"])
def test_a_gap_is_one_in_every_dtype(dtype):
    gaps = pd.DataFrame({"a": pd.Series([1, None, 3, 2], dtype=dtype)})
    assert list(groups(gaps, ["a"], everyone=False)) == ["a = 1", "a = 2", "a = 3"]
    with pytest.raises(ValueError, match=r"^a must be whole numbers"):
        Domain.of({"a": 4}).check(gaps)


@pytest.mark.parametrize(
    "value", ["arts & crafts", "x = y", "a & b = c", '"quoted"', 'q"uo', "= &"]
)
def test_a_value_may_hold_what_joins_the_parts_of_a_name(value):
    """`job = arts & crafts` was read as two parts."""
    people = pd.DataFrame({"job": [value, "cook"], "a = b": ["f", "f"]})
    names = [*groups(people, ["job"], [("job", "a = b")])]
    values = [group_values(name) for name in names]
    assert {"job": value} in values
    assert {"job": value, "a = b": "f"} in values
    assert "job = cook" in names
