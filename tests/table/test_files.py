"""Files as people write them, and frames: what stands in them is what is read, or it is said."""

from __future__ import annotations

import gzip
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from lib.table import Category, Date, Number, Table
from lib.table.reading import read_file, spelled_as

ROWS = [["Zoë", "1,5"], ["Åsa", "2,25"], ["Bo", "-0,5"]]
TEXT = "name;pay\n" + "".join(";".join(row) + "\n" for row in ROWS)
AS_WRITTEN = {
    "a.csv": (TEXT.encode(), "separated by semicolons"),
    "b.csv": (TEXT.replace(";", "\t").encode(), "separated by tabs"),
    "c.csv": (TEXT.replace(";", "|").encode("utf-16"), "read as utf-16"),
    "d.csv": (TEXT.encode("latin-1"), "read as latin-1"),
    "e.csv.gz": (gzip.compress(TEXT.encode()), "semicolons"),
    "f.csv": (b'"name";"pay"\r\n' + b"".join(f'"{a}";"{b}"\r\n'.encode() for a, b in ROWS), "semicolons"),
}  # fmt: skip


def cells(table: pd.DataFrame) -> list[list]:
    values = table.astype(object)
    return values.where(values.notna(), None).to_numpy().tolist()


@pytest.mark.parametrize("name", AS_WRITTEN)
def test_separators_encodings_and_gzip_are_recognised_and_said(tmp_path, name):
    data, said = AS_WRITTEN[name]
    (tmp_path / name).write_bytes(data)
    found = read_file(tmp_path / name, encoding="latin-1")
    assert [*found] == ["name", "pay"]
    assert cells(found) == ROWS
    assert said in " ".join(found.attrs["notes"])


def test_a_file_with_commas_has_nothing_to_say(tmp_path):
    (tmp_path / "a.csv").write_text('"a;b;c",d\n1,2\n', encoding="utf-8")
    found = read_file(tmp_path / "a.csv")
    assert ([*found], found.attrs["notes"]) == (["a;b;c", "d"], [])


INDEXES = {
    "R counts from 1": ('"","sex"\n"1","f"\n"2","m"\n', ["sex"], "left out"),
    "pandas from 0": (",sex\n0,f\n1,m\n", ["sex"], "left out"),
    "R's names of rows": (
        '"","sex"\n"Fiat","f"\n"Opel","m"\n',
        ["rownames", "sex"],
        "called 'rownames'",
    ),
    "write.table": ('"sex"\t"x"\n"1"\t"f"\t"1"\n"2"\t"m"\t"2"\n', ["sex", "x"], "left out"),
    "one number is missing": (",sex\n1,f\n3,m\n", ["rownames", "sex"], "called 'rownames'"),
}


@pytest.mark.parametrize(("text", "header", "said"), INDEXES.values(), ids=INDEXES)
def test_a_first_column_without_a_name(tmp_path, text, header, said):
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    found = read_file(tmp_path / "a.csv")
    assert [*found] == header
    assert found["sex"].tolist() == ["f", "m"]
    assert said in found.attrs["notes"][-1]


def test_blank_lines_of_one_column_are_gaps_and_of_several_are_none(tmp_path):
    (tmp_path / "one.csv").write_text("sex\nf\n\nm\n", encoding="utf-8")
    assert cells(read_file(tmp_path / "one.csv")) == [["f"], [None], ["m"]]
    (tmp_path / "two.csv").write_text("sex,x\nf,1\n\nm,2\n", encoding="utf-8")
    assert cells(read_file(tmp_path / "two.csv")) == [["f", "1"], ["m", "2"]]


def test_the_first_sheet_of_an_excel_file(tmp_path):
    pytest.importorskip("openpyxl")
    frame = pd.DataFrame(
        {"code": ["007", "7", None], "n": [1, 2, 3], "day": [date(2024, 2, 29)] * 3}
    )
    with pd.ExcelWriter(tmp_path / "a.xlsx") as book:
        frame.to_excel(book, sheet_name="people")
        frame.to_excel(book, sheet_name="more")
    found = read_file(tmp_path / "a.xlsx")
    assert [*found] == ["code", "n", "day"]
    assert cells(found)[0][:2] == ["007", "1"]
    assert cells(found)[2][:2] == [None, "3"]
    assert "first of 2 sheets, 'people'" in " ".join(found.attrs["notes"])
    schema = {
        "code": Category(values=("007", "7"), missing=True),
        "n": Number(low=1, high=3, bins=3, whole=True),
        "day": Date(first="2024-01-01", last="2024-12-31", by="month"),
    }
    assert Table.of(found, schema).codes.to_numpy().tolist() == [[0, 0, 1], [1, 1, 1], [2, 2, 1]]
    (tmp_path / "b.xlsx").write_bytes(b"a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"b\.xlsx must be an Excel file"):
        read_file(tmp_path / "b.xlsx")


DAYS = pd.to_datetime(["2024-02-29", None, "2024-12-31"])
SAME = {
    "float with a gap": ([1.0, np.nan, 2.0], Category(values=(1, 2), missing=True)),
    "texts": (["NA", None, "007"], Category(values=("NA", "007"), missing=True)),
    "blanks": ([" a", " ", "b"], Category(values=("a", "b"), missing=True)),
    "truth": ([True, None, False], Category(values=("True", "False"), missing=True)),
    "mixed": (pd.Series([1, 1.0, None], dtype=object), Category(values=("1", "1.0"), missing=True)),
    "nullable": (pd.array([1, None, 2], dtype="Int64"), Category(values=("1", "2"), missing=True)),
    "category": (pd.Categorical(["x", None, "y"]), Category(values=("x", "y"), missing=True)),
    "arrow": (pd.Series(["x", None, "y"], dtype="string"), Category(values=("x", "y"), missing=True)),
    "small floats": (np.array([0.1, np.nan, 2.5], dtype=np.float32), Number(low=0, high=3, bins=3, missing=True)),
    "datetime": (DAYS, Date(first="2024-01-01", last="2024-12-31", by="quarter", missing=True)),
    "zone": (DAYS.tz_localize("Asia/Tokyo"), Date(first="2024-01-01", last="2024-12-31", by="day", missing=True)),
    "dates": ([date(2024, 2, 29), None, date(2024, 3, 1)], Date(first="2024-01-01", last="2024-12-31", by="day", missing=True)),
}  # fmt: skip


@pytest.mark.parametrize(("values", "column"), SAME.values(), ids=SAME)
@pytest.mark.parametrize("indexed", [False, True])
def test_a_frame_and_its_files_have_the_same_codes(tmp_path, values, column, indexed):
    frame, schema = pd.DataFrame({"x": values}), {"x": column}
    if indexed:  # a named index is a column, as in the files
        frame.index = pd.Index(["b", "a", "c"], name="place")
        schema = {"place": Category(values=("a", "b", "c")), "x": column}
    codes = Table.of(frame, schema).codes.to_numpy().tolist()
    assert [row[-1] for row in codes][1] == (1 if values is SAME["mixed"][0] else column.size - 1)
    frame.to_csv(tmp_path / "a.csv", index=indexed)
    files = ["a.csv"]
    if values is not SAME["mixed"][0]:
        frame.to_parquet(tmp_path / "a.parquet", index=indexed)
        files.append("a.parquet")
    for name in files:
        assert Table.of(read_file(tmp_path / name), schema).codes.to_numpy().tolist() == codes


@pytest.mark.parametrize("kind", ["float32", "Float32"])
def test_a_short_float_is_the_text_of_a_csv(tmp_path, kind):
    """0.1 of 32 bits was 0.10000000149011612."""
    frame = pd.DataFrame({"x": pd.array([0.1, None, 2.5, 0.333], dtype="Float32").astype(kind)})
    schema = {"x": Category(values=("0.1", "2.5", "0.333"), missing=True)}
    files = [read_file(_written(frame, tmp_path / name)) for name in ("a.csv", "a.parquet")]
    for table in (frame, *files):
        assert Table.of(table, schema).codes["x"].tolist() == [0, 3, 1, 2]


def _written(frame: pd.DataFrame, path: Path) -> Path:
    frame.to_csv(path, index=False) if path.suffix == ".csv" else frame.to_parquet(path)
    return path


def test_bytes_are_no_text(tmp_path):
    """Parquet files of some programs hold them: b'a' was released as "b'a'"."""
    frame = pd.DataFrame({"x": [b"a", b"b", None]})
    for read in (
        lambda: Table.of(frame, {"x": Category(values=("a", "b"), missing=True)}),
        lambda: read_file(_written(frame, tmp_path / "a.parquet")),
    ):
        with pytest.raises(ValueError, match=r"column 'x' must be (of text|texts)"):
            read()


def test_a_date_of_a_frame_needs_a_date_of_the_schema():
    frame = pd.DataFrame({"x": DAYS})
    for column in (Category(values=("2024-02-29",), missing=True), Number(low=0, high=9, bins=2)):
        with pytest.raises(ValueError, match="column 'x' of the schema must be a Date"):
            Table.of(frame, {"x": column})


def test_columns_that_only_one_of_two_has_are_all_named(tmp_path):
    frame = pd.DataFrame({"sex": ["f"], "zip": ["01101"], "job": ["x"]})
    words = "in table alone: 'zip', 'job'; in schema alone: 'age', 'pay'"
    sex, age = Category(values=("f",)), Number(low=0, high=9, bins=2)
    with pytest.raises(ValueError, match=words):
        Table.of(frame, {"sex": sex, "age": age, "pay": age})


def test_a_text_of_another_file_is_spelled_as_this_one_where_that_is_sure():
    known = pd.Index(["1", "2", "250.0", "007", "3.10"])
    for texts, spelled in (
        (["1.0", "2e0", "7", "3.1", "x"], ["1", "2", "7", "3.10", "x"]),
        (["1", "1.0"], ["1", "1.0"]),  # two values there
        (["250.0", "250.00"], ["250.0", "250.00"]),
    ):
        assert spelled_as(pd.Series(texts), known).tolist() == spelled
