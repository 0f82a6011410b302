"""A user's CSV: what is refused and in which words, how columns are typed, what the typed table
holds.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.audit.reading import TARGET, read_csv
from lib.audit.schema import FEW, fit_schema
from lib.audit.table import grouping

PEOPLE = 60


def _write(folder, text: str | bytes):
    path = folder / "people.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def _people() -> pd.DataFrame:
    """Text as :func:`read_csv` gives it: identifier, ages with a gap, codes, a constant, an
    empty column, yes and no.
    """
    i = np.arange(PEOPLE)
    frame = pd.DataFrame(
        {
            "id": [f"p{k}" for k in i],
            "row": (i + 1).astype(str),
            "age": (18 + i // 2).astype(str),
            "sex": np.where(i % 2, "m", "f"),
            "code": (i % 5).astype(str),
            "place": [f"{k % 30:05d}" for k in i],
            "land": "x",
            "none": None,
            "ill": np.where(i % 4 == 0, "yes", "no"),
            "grade": [("low", "mid", "high")[k % 3] for k in i],
        },
        dtype=object,
    )
    frame.loc[:2, "age"] = None
    frame.loc[5, "sex"] = None
    return frame


def _kinds(schema):
    return {column.name: column.kind for column in schema.columns}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "must be a header and at least one row, got ''"),
        ("  \n\n", "must be a header and at least one row"),
        ("a,b\n", "must be a header and at least one row, got 'a,b"),
        ("a,a\n1,2\n", "the header 'a' must be there once, got 2"),
        ("a,,c\n1,2,3\n", "column 2 must have a name"),
        ("a,b\n1,\0\n", "people.csv must be text, got 'a character of code 0'"),
        (
            (",".join(map(str, range(2001))) + "\n") * 2,
            "a table of at most 2,000 columns, got 2001",
        ),
        ("a,b\n1,2\n1,2,3\n", "line 3, must have 2 cells as the header has, got 3"),
        ("a,b\n1\n", "line 2, must have 2 cells as the header has, got 1"),
        ("a;b\n1;2\n", "the header must be separated by commas, got 'a;b'"),
        ('a,b\n"1,2\n', "must be comma-separated, got "),
        ("näme,b\n1,2\n".encode("latin-1"), "must be UTF-8, got another byte at 1"),
        (f"{TARGET},b\n1,2\n", "other than '(sensitive)', a name in use"),
    ],
)
def test_files_that_are_refused(tmp_path, text, words):
    with pytest.raises(ValueError) as error:
        read_csv(_write(tmp_path, text))
    assert words in str(error.value)


def test_a_file_is_refused_by_its_first_wrong_line_unless_it_is_no_csv(tmp_path):
    rows = "".join(f"{i}, {i % 2}\n" for i in range(7))
    raw = read_csv(_write(tmp_path, f"a,b\n{rows}"))
    assert raw.to_numpy().tolist() == [[str(i), str(i % 2)] for i in range(7)]
    with pytest.raises(ValueError, match="line 10, must have 2 cells as the header has, got 1"):
        read_csv(_write(tmp_path, f"a,b\n{rows}\n8\n9,9\n\n1,2,3\n"))
    with pytest.raises(ValueError, match=r"must be comma-separated, got .* in line 11"):
        read_csv(_write(tmp_path, f"a,b\n{rows}\n8\n'9,\"9\n"))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match="file must be one that exists"):
        read_csv(tmp_path / "nobody.csv")


def test_marks_of_missing_values_quotes_and_a_byte_order_mark(tmp_path):
    raw = read_csv(_write(tmp_path, b'\xef\xbb\xbfa, b\n"x, y",NA\n?, 2 \n\nNULL,None\n'))
    assert raw.columns.tolist() == ["a", "b"]
    cells = raw.astype(object).where(raw.notna(), None)
    assert cells.to_numpy().tolist() == [["x, y", None], [None, "2"], [None, None]]


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"))), st.integers()
        ),
        min_size=1,
    )
)
def test_what_a_csv_writer_writes_is_read_back(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("csv") / "people.csv"
    pd.DataFrame([(f"v{text}v", str(n)) for text, n in rows], columns=["text", "n"]).to_csv(
        path, index=False
    )
    assert read_csv(path).to_numpy().tolist() == [[f"v{text}v", str(n)] for text, n in rows]


def test_the_rule_of_types():
    schema = fit_schema(_people(), sensitive="ill")
    assert _kinds(schema) == {
        "id": "ignore",
        "row": "ignore",
        "age": "number",
        "sex": "category",
        "code": "category",
        "place": "category",
        "land": "ignore",
        "none": "ignore",
        "grade": "category",
    }
    assert schema.lens == ("age", "sex", "code", "place", "grade")
    assert (schema.positive, schema.positive_why) == ("yes", "the rarer of the two values")
    age = next(column for column in schema.columns if column.name == "age")
    assert age.distinct > FEW
    assert age.missing == 3
    assert age.fill == _people()["age"].dropna().astype(int).median()


def test_declared_types_and_a_lens_override_it():
    schema = fit_schema(_people(), sensitive="ill", kinds={"code": "number", "sex": "ignore"})
    assert _kinds(schema)["code"] == "number"
    assert "sex" not in schema.lens
    assert fit_schema(_people(), sensitive="ill", lens=("id", "age")).lens == ("id", "age")


def test_one_against_the_rest():
    schema = fit_schema(_people(), sensitive="grade", positive="mid")
    assert schema.positive_why == "named; against the 2 others"
    assert schema.typed_table(_people(), "f")[TARGET].tolist() == [
        int(k % 3 == 1) for k in range(PEOPLE)
    ]


def test_of_a_tie_the_first_value_is_the_positive_one():
    raw = pd.DataFrame({"x": ["a", "b"] * 4, "y": ["s", "t", "t", "s"] * 2}, dtype=object)
    assert fit_schema(raw, sensitive="y").positive == "s"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sensitive": "nobody"}, "'land', 'none', 'ill', 'grade', got 'nobody'"),
        ({"sensitive": "grade"}, "got None for 3 values ('high', 'low', 'mid')"),
        ({"sensitive": "land"}, "at least two values, got 'land' with 1"),
        ({"sensitive": "none"}, "at least two values, got 'none' with 0"),
        (
            {"sensitive": "ill", "positive": "maybe"},
            "positive must be a value of 'ill' ('no', 'yes'), got 'maybe'",
        ),
        ({"sensitive": "ill", "lens": ("ill",)}, "'ill' is ignored: the sensitive column"),
        ({"sensitive": "ill", "lens": ("land",)}, "'land' is ignored: constant"),
        (
            {"sensitive": "ill", "kinds": {"age": "numeric"}},
            "kind of age must be one of 'category', 'number', 'ignore', got 'numeric'",
        ),
        (
            {"sensitive": "ill", "kinds": {"sex": "number"}},
            "column 'sex' must hold numbers, got 'f' (row 1)",
        ),
        ({"sensitive": "ill", "kinds": {"none": "number"}}, "column 'none' must be with a value"),
        (
            {
                "sensitive": "ill",
                "kinds": dict.fromkeys(("age", "sex", "code", "place", "grade"), "ignore"),
            },
            "lens must have a column, got none",
        ),
    ],
)
def test_columns_that_are_refused(options, words):
    with pytest.raises(ValueError) as error:
        fit_schema(_people(), **options)
    assert words in str(error.value)


def test_the_typed_table_has_no_gap_and_says_where_there_were_some():
    raw = _people()
    schema = fit_schema(raw, sensitive="ill")
    frame = schema.typed_table(raw, "people.csv")
    assert not frame.isna().any().any()
    assert frame["age (missing)"].tolist() == [1.0] * 3 + [0.0] * (PEOPLE - 3)
    assert (frame.loc[:2, "age"] == next(c.fill for c in schema.columns if c.name == "age")).all()
    assert frame.loc[5, "sex"] == "(missing)"
    assert frame[TARGET].sum() == (raw["ill"] == "yes").sum()


def test_another_file_is_read_by_the_same_rules():
    raw, schema = _people(), fit_schema(_people(), sensitive="ill")
    few = schema.typed_table(raw.head(1), "release.csv")
    assert few.loc[0, "age"] == next(c.fill for c in schema.columns if c.name == "age")
    with pytest.raises(ValueError, match=r"column of release\.csv.*'age'"):
        schema.typed_table(raw.drop(columns="age"), "release.csv")
    with pytest.raises(
        ValueError, match=r"release\.csv: column 'age' must hold numbers, got 'old'"
    ):
        schema.typed_table(raw.assign(age="old"), "release.csv")


def test_rows_without_a_sensitive_value_are_left_out():
    raw = _people()
    raw.loc[[0, 7], "ill"] = None
    assert len(fit_schema(raw, sensitive="ill").known_rows(raw)) == PEOPLE - 2


def test_groups_of_a_number_are_bands_and_of_a_gap_none():
    raw = _people()
    labels = grouping(raw, ["age", "sex"], {"age": (25, 40)})
    assert set(labels["age"].dropna()) == {"< 25", "25-39", ">= 40"}
    assert labels["age"].isna().sum() == 3
    assert labels["sex"].isna().sum() == 1


# --- other spellings of the same values
# -----------------------------------------------------------------------------


def _coded() -> pd.DataFrame:
    """Codes, ZIP codes with leading zeros, and an answer of 0 and 1, as text."""
    i = np.arange(PEOPLE)
    return pd.DataFrame(
        {
            "edu": (i % 7).astype(str),
            "zip": [f"{k % 25:05d}" for k in i],
            "number": (i % 25).astype(str),
            "ill": (i % 4 == 0).astype(int).astype(str),
        },
        dtype=object,
    )


def test_a_round_trip_through_floats_changes_nothing():
    raw = _coded()
    schema = fit_schema(raw, sensitive="ill")
    floats = raw.assign(
        edu=raw["edu"].astype(float).astype(str), ill=raw["ill"].astype(float).astype(str)
    )
    assert floats["ill"].tolist()[:2] == ["1.0", "0.0"]
    pd.testing.assert_frame_equal(schema.typed_table(floats, "r"), schema.typed_table(raw, "f"))
    assert not schema.unknown(floats, "r")["unknown"].any()
    again = fit_schema(floats, sensitive="ill", positive="1.0")
    assert (again.positive, _kinds(again)) == ("1", _kinds(schema))


def test_codes_with_leading_zeros_are_no_numbers():
    raw = _coded()
    schema = fit_schema(raw, sensitive="ill", lens=("zip",))
    numbers = raw.assign(zip=raw["zip"].astype(int).astype(str))
    assert not (
        schema.typed_table(numbers, "r")["zip"].astype(str) == schema.typed_table(raw, "f")["zip"]
    ).any()
    assert schema.unknown(numbers, "r").set_index("column").loc[
        "zip", ["unknown", "example"]
    ].tolist() == [PEOPLE, "0"]


def test_unknown_values_are_counted_by_column():
    raw = _coded()
    raw.loc[7, "edu"] = None
    schema = fit_schema(
        raw, sensitive="ill", lens=("edu", "zip", "number"), kinds={"number": "number"}
    )
    odd = raw.copy()
    odd.loc[:4, "edu"], odd.loc[:1, "number"], odd.loc[3, "ill"], odd.loc[9, "zip"] = (
        "nine",
        "77.5",
        "2",
        None,
    )
    found = schema.unknown(odd, "r").set_index("column")
    assert found["unknown"].to_dict() == {
        "ill": 1,
        "edu": 5,
        "zip": 1,
        "number": 2,
    }  # a gap: known to edu, not to zip
    assert found["example"].to_dict() == {
        "ill": "2",
        "edu": "nine",
        "zip": "(missing)",
        "number": "77.5",
    }
    assert found["read as"].tolist() == ["sensitive", "category", "category", "number"]


def test_spellings_within_a_file_are_joined_and_this_is_told():
    raw = _coded()
    raw.loc[::2, "edu"] = raw.loc[::2, "edu"] + ".0"
    edu = next(c for c in fit_schema(raw, sensitive="ill").columns if c.name == "edu")
    assert (edu.distinct, edu.kind) == (7, "category")
    assert edu.why == "numbers, 7 different: codes; 7 other spellings of a number joined to it"
    assert set(grouping(raw, ["edu"], {})["edu"]) == set("0123456")
