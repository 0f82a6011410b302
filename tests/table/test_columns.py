"""How columns are read: texts stay texts, gaps are stated, dates exist, numbers keep their shape."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lib.cli.schema import draft
from lib.rng import stream
from lib.table import Category, Date, Number, Table, read_schema
from lib.table.columns import FEW, read_column

MANY = [str(k) for k in range(100, 100 + 3 * FEW, 2)]


def kind(texts, **more) -> str:
    return read_column(pd.Series(texts, dtype=object, name="x"), **more).kind


READ = {
    "numbers": ([*MANY, "7"] * 2, "number"),
    "decimals": ([f"{k / 4}" for k in range(60)] * 2, "number"),
    "R's exponents": ([*MANY, "1e+05"] * 2, "number"),
    "decimal commas": ([f"{k},5" for k in range(60)] * 2, "number"),
    "commas before three digits": ([f"{k},500" for k in range(1, 60)] * 2, "category"),
    "two spellings of one": ([*MANY, "250.0", "250.00"] * 2, "category"),
    "codes with an E": ([*MANY, "1E50"] * 2, "category"),
    "leading zeros": ([*MANY, "007"] * 2, "category"),
    "19 digits": ([f"12345678901234567{k}" for k in range(10, 60)] * 2, "category"),
    "few numbers": (["0", "1", "2"] * 9, "category"),
    "ISO dates": ([f"2024-01-{k:02}" for k in range(1, 31)] * 2, "date"),
    "dates of 8 digits": ([f"202401{k:02}" for k in range(1, 31)] * 2, "date"),
    "German dates": ([f"{k:02}.01.2024" for k in range(1, 31)] * 2, "date"),
    "two orders": ([f"{k % 12 + 1:02}/{k % 11 + 1:02}/2024" for k in range(60)] * 2, "category"),
    "30 February": ([f"202402{k:02}" for k in range(1, 31)] * 2, "number"),
    "running numbers": ([str(k) for k in range(50)], "ignore"),
    "incomes, none twice": ([str(1000 + 37 * k * k) for k in range(50)], "number"),
    "almost every name once": ([f"Ms {k % 92}" for k in range(95)], "ignore"),
    "free text": ([f"{'so much to say about it that it is long '}{k % 30}" for k in range(90)], "ignore"),
    "places": ([f"place {k % 30}" for k in range(90)], "category"),
}  # fmt: skip


@pytest.mark.parametrize(("texts", "expected"), READ.values(), ids=READ)
def test_what_a_column_is_read_as(texts, expected):
    assert kind(texts) == expected
    if expected == "number":
        assert kind(texts, declared="text").replace("text", "category") == "category"


def test_an_order_of_days_and_months_that_cannot_be_known_is_said():
    dates = [f"{k % 12 + 1:02}/{k % 11 + 1:02}/2024" for k in range(60)]
    assert "%d/%m/%Y or %m/%d/%Y: a schema states which" in read_column(pd.Series(dates)).why


SAID = {
    "a time of the day": ([f"2024-01-{k:02} 12:{k:02}" for k in range(1, 31)] * 2, "date", "times of the day left out"),
    "no time": ([f"2024-01-{k:02}" for k in range(1, 31)] * 2, "date", "written as %Y-%m-%d"),
    "words for months": ([f"{k}-Sep-03" for k in range(1, 31)] * 2, "category", "perhaps dates"),
    "months first": ([f"Jan-{k}-1995" for k in range(1, 31)], "ignore", "perhaps dates"),
    "two ways of dates": ([*(f"2024-01-{k:02}" for k in range(1, 29)), *(f"{k:02}.02.2024" for k in range(1, 29))], "ignore", "perhaps dates"),
    "two digits of a year": ([f"{k % 28 + 1}/{k % 12 + 1}/23" for k in range(90)] * 2, "category", "perhaps dates"),
    "incomes and a word": ([*(f"{k * k}" for k in range(60)), "k.A."], "ignore", "60 of 61 values are numbers, 1 are none"),
    "a panel": ([str(k) for k in range(1, 160) for _ in range(4)], "number", "equal ones stand together: an identifier?"),
    "sorted by age": ([str(k) for k in range(20, 90) for _ in range(4)], "number", "more than 20 different"),
    "ages": ([str(k) for _ in range(4) for k in range(20, 60)], "number", "more than 20 different"),
}  # fmt: skip


@pytest.mark.parametrize(("texts", "expected", "said"), SAID.values(), ids=SAID)
def test_what_a_column_may_be_beside_what_it_is_read_as_is_said(texts, expected, said):
    """Times of the day were lost, and other dates and numbers left out, without their reason."""
    column = read_column(pd.Series(texts, dtype=object, name="x"))
    assert column.kind == expected
    assert column.why.endswith(said) or f"{said}: " in column.why


TEXTS = ["250.0", "250.00", "1E50", "007", "7", "1234567890123456789", "NA", "?", "1e0", "yes"]


def test_a_mixed_column_is_read_and_an_identifier_is_not():
    """An identifier was mixed, too, so that a report warned of numbers in what it ignored."""
    some = [*map(str, range(30)), "old"]

    def read(texts, **more):
        column = read_column(pd.Series(texts, dtype=object, name="x"), **more)
        return column.mixed, column.identifier

    assert read(some * 3) == (True, False)
    assert read(some * 3, declared="text") == (False, False)
    assert read([*MANY, "old"]) == (False, True)  # ignored, for each stands once
    assert read([*MANY, "old"], wanted=True) == (True, False)
    assert read([f"no {k}" for k in MANY]) == (False, True)
    assert read([str(100_000 + k) for k in range(50)]) == (False, True)
    assert read(READ["free text"][0]) == read(READ["places"][0]) == (False, False)


def test_a_column_that_is_declared_a_date_and_is_none_is_named():
    for texts in (["f", "m"], ["2024-01-01", "01.02.2024"], ["01/02/2024"]):
        with pytest.raises(ValueError, match="column 'x' must be of dates of one format of %Y-%m"):
            kind(texts, declared="date")


def test_a_category_is_released_as_the_file_writes_it(tmp_path):
    """Draft, codes and release: 250.00 became 250, NA a gap, 19 digits 1.2e18."""
    people = pd.DataFrame({"x": TEXTS * 5}, dtype=object)
    (tmp_path / "s.yml").write_text(draft(people), encoding="utf-8")
    table = Table.of(people, tmp_path / "s.yml")
    assert table.domain.sizes == (len(TEXTS),)
    assert table.decode(table.codes, stream(0, "x"))["x"].tolist() == TEXTS * 5


def test_a_number_without_quotes_is_every_text_of_it_and_a_text_itself_alone():
    texts = np.array(["1", "1.0", "+1", "01", "1e0"], dtype=object)
    assert Category(values=(1,)).places(texts).tolist() == [0, 0, 0, -1, 0]
    assert Category(values=("1",)).places(texts).tolist() == [0, -1, -1, -1, -1]
    for values in ((1, "1.0"), (250.0, 250.00), ("a", "a")):
        with pytest.raises(ValueError, match="values and other must be different"):
            Category(values=values)


def test_which_texts_are_gaps_hangs_on_the_column_or_is_stated():
    """A race NA vanished."""
    for texts, gaps, missing in (
        (["NA", "W", "?"] * 9, None, 0),
        (["NA", "W", "?"] * 9, ("?",), 9),
        (["NA", "0", "1", ""] * 9, None, 18),
        ([*MANY, "NA", ".", "?"], None, 3),
        ([*MANY, "NA", "NA"], (), 0),
        ([*MANY, "0", "NA"] * 9, "text", 0),
        (["NA", "W", "?"] * 9, "ignore", 0),
        ([f"202401{k:02}" for k in range(1, 31)] + ["NaT"], None, 1),
    ):
        how = {"declared": gaps} if isinstance(gaps, str) else {"gaps": gaps}
        column = read_column(pd.Series(texts, dtype=object, name="x"), **how)
        assert column.missing == missing
        assert sum(column.gaps.values()) == missing
    stated = Category(values=("W", "NA"), gaps=("?",), missing=True)
    assert Table.of(pd.DataFrame({"x": ["NA", "?", "W"]}), {"x": stated}).codes["x"].tolist() == [
        1,
        2,
        0,
    ]
    with pytest.raises(ValueError, match="gaps must be no stated values"):
        Category(values=("W", "NA"), gaps=("NA",), missing=True)
    with pytest.raises(ValueError, match="missing must be true, as there are gaps"):
        Category(values=("W",), gaps=("NA",))


LINES = {
    "zip: {values: [94103, 01101]}": (1, "01101", "'01101'"),
    "a: ignore\nzip:\n  values:\n  - 94103\n  - 08005": None,
    "at: {values: [9:30, '12:00']}": (1, "9:30", "'9:30'"),
    "ill:\n  values: [no, yes]": (2, "no", "'no'"),
    "dx: {values: [250.00, 401.9]}": (1, "250.00", "'250.00', or 250 for the number"),
    "x: {values: [a], other: off}": (1, "off", "'off'"),
    "x: {values: [a], missing: true, gaps: [99]}": (1, "99", "'99'"),
    "x: {low: 010, high: 100, bins: 3}": (1, "010", "a number in decimals"),
    "no: ignore\nx: ignore": (1, "no", "'no'"),
    "x: {values: [1_000]}": (1, "1_000", "'1_000'"),
    "x: {values: [0x10]}": (1, "0x10", "'0x10'"),
    "x: {values: [2024-01-01]}": (1, "2024-01-01", "'2024-01-01'"),
}


@pytest.mark.parametrize(("text", "told"), LINES.items(), ids=LINES)
def test_what_yaml_reads_as_something_else_is_refused_with_its_line(text, told, tmp_path):
    (tmp_path / "s.yml").write_text(text, encoding="utf-8")
    if told is None:  # no octal number, so a text
        assert read_schema(tmp_path / "s.yml")["zip"].values == (94103, "08005")
        return
    line, got, write = told
    with pytest.raises(ValueError) as error:
        read_schema(tmp_path / "s.yml")
    assert f"s.yml, line {line}, column " in str(error.value)
    assert f"got {got} (write {write})" in str(error.value)


@pytest.mark.parametrize(
    ("column", "texts", "advice"),
    [
        (Category(values=("1101",)), ["1101"] * 9 + ["01101"], "the schema says '1101'"),
        (Category(values=("Yes", "no")), ["no"] * 9 + ["yes"], "the schema says 'Yes'"),
        (Category(values=("1", "2")), ["1.0", "2.0"], "the schema says '1'"),
        (Category(values=("f", "m")), ["w", "man"], "100% of the rows"),
        (Category(values=("f", "m")), ["f"] * 9 + ["x"], "may say other: NAME"),
        (Number(low=0, high=9, bins=2), ["1"] * 9 + ["12"], "may say clip: true"),
        (Number(low=0, high=9, bins=2), ["1"] * 9 + ["1,5"], "decimal or format?"),
        (Number(low=0, high=9, bins=2), ["1", "old"], "no number: has the schema its gaps"),
        (Number(low=0, high=9, bins=2), ["1000", "2000"], "100% of the rows"),
        (Date(first="2024-01-01", last="2024-12-31"), ["2024-02-30"], "no day that exists"),
        (
            Date(first="2024-01-01", last="2024-12-31"),
            ["2024-02-01", "2025-02-01"],
            "may say clip: true",
        ),
    ],
)
def test_other_and_clip_are_advised_where_they_hide_no_mistake(column, texts, advice):
    with pytest.raises(ValueError) as error:
        Table.of(pd.DataFrame({"x": texts}), {"x": column})
    assert advice in str(error.value)
    assert ("may say" in str(error.value)) == ("may say" in advice)


@pytest.mark.parametrize("by", ["day", "month", "quarter", "year"])
@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y%m%d", "%d.%m.%Y"])
def test_released_days_exist_and_come_back(by, form):
    column = Date(first="2023-12-30", last="2025-03-01", by=by, format=form, missing=True)
    assert column.size == {"day": 428, "month": 16, "quarter": 6, "year": 3}[by] + 1
    codes = pd.DataFrame({"x": np.repeat(np.arange(column.size), 2000)})
    table = Table(codes, {"x": column})
    made = table.decode(codes, stream(1, "days"))
    days = pd.to_datetime(made["x"], format=form)  # an error for a day that does not exist
    assert days.min() >= pd.Timestamp("2023-12-30")
    assert days.max() <= pd.Timestamp("2025-03-01")
    assert "29" in set(days.dt.strftime("%d")[days.dt.strftime("%Y%m") == "202402"])
    assert Table.of(made, table.schema).codes["x"].tolist() == codes["x"].tolist()
    assert made["x"].isna().sum() == 2000


def test_spikes_edges_and_digits_come_back_and_are_kept():
    column = Number(low=0, high=9.75, edges=(1.5, 4), spikes=(0, 2.25, 99), digits=2, missing=True)
    codes = pd.DataFrame({"x": np.repeat(np.arange(column.size), 3000)})
    made = Table(codes, {"x": column}).decode(codes, stream(2, "spikes"))
    assert Table.of(made, {"x": column}).codes["x"].tolist() == codes["x"].tolist()
    texts = made["x"].dropna().astype(str)
    assert texts.str.fullmatch(r"\d+\.\d{1,2}").all()
    first, second = made["x"][:3000], made["x"][3000:6000]
    assert (first.min(), first.max()) == (0.01, 1.49)  # all of the bin, without the spike
    assert len(second.unique()) == 249
    assert set(made["x"][9000:18000]) == {0, 2.25, 99}
    with pytest.raises(
        ValueError, match="bins must be so few that each bin has a number of its own"
    ):
        Number(low=0, high=3, bins=4, spikes=(2,), whole=True)
    for wrong in ({"bins": 2, "edges": (1,)}, {}, {"edges": (3, 2)}, {"edges": (99,)}):
        with pytest.raises(ValueError, match=r"bins|edges"):
            Number(low=0, high=9, **wrong)


def test_a_draft_has_what_a_heaped_column_has(tmp_path):
    """Of wives in R's HI 29.9% work 0 hours, and were 6% in a release of 20 equal bins."""
    rng, n = stream(3, "heaps"), 20_000
    hours = np.where(
        rng.random(n) < 0.299, 0, np.where(rng.random(n) < 0.5, 40, rng.integers(1, 90, n))
    )
    pay = np.where(rng.random(n) < 0.192, 0, rng.lognormal(3, 1, n).round(2))
    delay = (rng.exponential(20, n) - 12).round()
    people = pd.DataFrame({"hours": hours, "pay": pay, "delay": delay}).astype(str).astype(object)
    (tmp_path / "s.yml").write_text(draft(people), encoding="utf-8")
    schema = read_schema(tmp_path / "s.yml")
    assert (schema["hours"].spikes, schema["pay"].spikes, schema["pay"].digits) == (
        (0, 40),
        (0,),
        2,
    )
    table = Table.of(people, schema)
    made = table.decode(table.codes, rng)
    for name, zero in (("hours", 0.299), ("pay", 0.192)):
        assert (made[name] == 0).mean() == (people[name].astype(float) == 0).mean()
        assert abs((made[name] == 0).mean() - zero) < 0.02
    for name in people:
        real = people[name].astype(float)
        assert abs(made[name].median() - real.median()) <= 0.05 * real.std()
    assert made["delay"].min() == real.min()
