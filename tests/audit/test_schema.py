"""A user's CSV: how columns are typed, and what the typed table holds."""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib.audit.request import Request
from lib.audit.schema import TARGET, fit_schema
from lib.audit.table import read_table
from lib.table.columns import FEW
from tests.audit.asking import ROWS, text_people


def _kinds(schema):
    return {column.name: column.kind for column in schema.columns}


def test_the_rule_of_types():
    schema = fit_schema(text_people(), sensitive="ill")
    ignored = dict.fromkeys(("id", "row", "land", "none"), "ignore")
    lens = ("age", "sex", "code", "place", "grade")
    assert _kinds(schema) == ignored | dict.fromkeys(lens, "category") | {"age": "number"}
    assert schema.lens == lens
    assert (schema.positive, schema.positive_why) == ("yes", "the rarer of the two values")
    age = schema.lens_columns()[0]
    assert age.distinct > FEW
    assert age.missing == 3
    assert age.fill == text_people()["age"].dropna().astype(int).median()


def test_declared_types_and_a_lens_override_it():
    schema = fit_schema(text_people(), sensitive="ill", kinds={"code": "number", "sex": "ignore"})
    assert _kinds(schema)["code"] == "number"
    assert "sex" not in schema.lens
    assert fit_schema(text_people(), sensitive="ill", lens=("id", "age")).lens == ("id", "age")


def test_one_against_the_rest_and_of_a_tie_the_first():
    schema = fit_schema(text_people(), sensitive="grade", positive="mid")
    assert schema.positive_why == "named; against the 2 others"
    assert schema.typed_table(text_people(), "f")[TARGET].tolist() == [0, 1, 0] * (ROWS // 3)
    raw = pd.DataFrame({"x": ["a", "b"] * 4, "y": ["s", "t", "t", "s"] * 2}, dtype=object)
    assert fit_schema(raw, sensitive="y").positive == "s"


def test_the_typed_table_has_no_gap_and_says_where_there_were_some():
    raw = text_people()
    schema = fit_schema(raw, sensitive="ill")
    frame, fill = schema.typed_table(raw, "people.csv"), schema.lens_columns()[0].fill
    assert not frame.isna().any().any()
    assert frame["age (missing)"].tolist() == [1.0] * 3 + [0.0] * (ROWS - 3)
    assert (frame.loc[:2, "age"] == fill).all()
    assert frame.loc[5, "sex"] == "(missing)"
    assert frame[TARGET].sum() == (raw["ill"] == "yes").sum()
    # another file is read by the same rules
    assert schema.typed_table(raw.head(1), "release.csv").loc[0, "age"] == fill


def test_groups_of_a_number_are_bands_and_of_a_gap_none(tmp_path):
    """And of a number without bands, quartiles; rows without an answer are left out."""
    raw = text_people()
    raw.loc[[0, 7], "ill"] = None
    raw.to_csv(tmp_path / "people.csv", index=False)
    ask = {"file": tmp_path / "people.csv", "sensitive": "ill", "groups": ("age", "sex")}
    for bands, names in (
        ({"age": (25, 40)}, {"< 25": 10, "25-39": 30, ">= 40": 16}),
        ({}, dict.fromkeys(("< 26.75", "[26.75, 33.5)", "[33.5, 40.25)", ">= 40.25"), 14)),
    ):
        table = read_table(Request(**ask, bands=bands, gamma=1, show_small=True))
        assert len(table.raw) == len(table.frame) == ROWS - 2 == ROWS - table.dropped_rows
        sizes = {name: int(who.sum()) for name, who in table.members.items()}
        assert {k: n for k, n in sizes.items() if k.startswith("age")} == {
            f"age = {name}": n for name, n in names.items()
        }
        sexes = {name: n for name, n in sizes.items() if name.startswith("sex")}
        assert (set(sexes), sum(sexes.values())) == ({"sex = f", "sex = m"}, ROWS - 3)


def _coded() -> pd.DataFrame:
    """Codes, ZIP codes with leading zeros, and an answer of 0 and 1, as text."""
    i = np.arange(ROWS)
    columns = {"edu": i % 7, "zip": [f"{k % 25:05d}" for k in i], "number": i % 25}
    return pd.DataFrame(columns | {"ill": (i % 4 == 0).astype(int)}).astype(str).astype(object)


def test_a_round_trip_through_floats_changes_nothing():
    raw = _coded()
    schema = fit_schema(raw, sensitive="ill")
    floats = raw.astype({"edu": float, "ill": float}).astype(str).astype(object)
    assert floats["ill"].tolist()[:2] == ["1.0", "0.0"]
    pd.testing.assert_frame_equal(schema.typed_table(floats, "r"), schema.typed_table(raw, "f"))
    assert not schema.unknown(floats, "r")["unknown"].any()
    again = fit_schema(floats, sensitive="ill", positive="1.0")
    assert (again.positive, _kinds(again)) == ("1.0", _kinds(schema))  # as this file writes it


def test_unknown_values_are_counted_by_column():
    """A gap is known to edu, not to zip."""
    raw, lens = _coded(), ("edu", "zip", "number")
    raw.loc[7, "edu"] = None
    schema = fit_schema(raw, sensitive="ill", lens=lens, kinds={"number": "number"})
    odd = raw.copy()
    odd.loc[:4, "edu"], odd.loc[:1, "number"], odd.loc[3, "ill"] = "nine", "77.5", "2"
    odd.loc[9, "zip"] = None
    found = schema.unknown(odd, "r")[["column", "read as", "unknown", "example"]]
    assert found.to_numpy().tolist() == [
        ["ill", "sensitive", 1, "2"],
        ["edu", "category", 5, "nine"],
        ["zip", "category", 1, "(missing)"],
        ["number", "number", 2, "77.5"],
    ]


def test_a_generated_column_has_a_name_of_its_own():
    """`age (missing)` of the file was overwritten by the one that marks gaps of `age`."""
    i = np.arange(90)
    age = [None if k % 9 == 0 else str(20 + k / 2) for k in i]
    own = np.where(i % 2, "a", "b")
    raw = pd.DataFrame({"age": age, "age (missing)": own, "ill": np.where(i % 3, "yes", "no")})
    schema = fit_schema(raw.astype(object), sensitive="ill")
    for names in (schema.lens, schema.lens[::-1]):
        table = fit_schema(raw.astype(object), sensitive="ill", lens=names).typed_table(raw, "file")
        assert list(table["age (missing)"]) == list(own)
        assert table.shape == (90, 4)
        assert table["age (missing) "].sum() == 10
