"""A cell has one value: a second one that says something else is refused, in files and between
them, and so is a line that no store could have written.
"""

from __future__ import annotations

import json
import math
import re
import time
import zlib

import pandas as pd
import pytest

from lib.runner.agreement import refuse_two_values
from lib.runner.cell import cell_key
from lib.runner.errors import StoreError
from lib.runner.parts import gather
from lib.runner.records import plain
from lib.runner.sealed import to_bytes
from lib.runner.store import Store
from tests.runner.toy import MADE, ToyCell, record_of, stored

AGAIN = {"commit": "def", "versions": "numpy=3", "created": "2026-02-02", "wall_s": 7.0, "fit_s": 1}
SCORES = [{"group": "men", "error": 0.1}, {"group": "women", "error": math.nan}]
RECORD = {"cell": "a", "version": "1", "value": 0.3, "gap": None, "label": "x", "scores": SCORES}
OTHER = [  # what is changed, and the field that is named
    ({"value": 0.30001}, "value"),
    ({"value": None}, "value"),
    ({"value": math.inf}, "value"),
    ({"gap": 1.0}, "gap"),
    ({"label": "y"}, "label"),
    ({"more": True}, "more"),
    ({"scores": SCORES[:1]}, "scores"),
    ({"scores": [{"group": "men", "error": 0.2}, SCORES[1]]}, "scores"),
    ({"scores": SCORES[::-1]}, "scores"),
]
# a last bit is another: another processor
SAME = [{}, AGAIN, {"gap": math.nan}, {"value": 0.1 + 0.2}, {"data_source": "cache"}]


def _line(body: bytes) -> bytes:
    return b"%08x %s\n" % (zlib.crc32(body), body)


def _lines(*records: dict) -> bytes:
    return b"".join(_line(json.dumps(record).encode()) for record in records)


def _put(path, where: str, first: dict, second: dict) -> None:
    """Both records in the journal, both in the table, or one in each."""
    if where == "journal":
        path.with_suffix(".journal").write_bytes(_lines(first, second))
    elif where == "table":
        path.write_bytes(to_bytes(pd.DataFrame([first, second])))
    else:
        path.write_bytes(to_bytes(pd.DataFrame([first])))
        path.with_suffix(".journal").write_bytes(_lines(second))


PLACES = ("journal", "table", "table and journal")


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize(("change", "field"), OTHER)
def test_two_values_of_a_cell_are_refused(path, where, change, field):
    """The second was dropped in silence."""
    _put(path, where, RECORD | MADE, RECORD | AGAIN | change)
    file = path if where == "table" else path.with_suffix(".journal")
    with pytest.raises(StoreError, match=rf"{re.escape(str(file))}: {field} of cell 'a' must be"):
        Store(path, version="1")


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("change", SAME)
def test_the_same_value_twice_is_harmless(path, where, change):
    _put(path, where, RECORD | MADE, RECORD | MADE | change)
    found = Store(path, version="1").frame()
    assert len(found) == 1
    assert found["commit"].tolist() == ["abc"]


def test_two_versions_of_a_cell_are_two_values(path):
    _put(path, "journal", RECORD, RECORD | {"version": "2"})
    with pytest.raises(StoreError, match=r"version of cell 'a' must be '1', as in .*, got '2'"):
        Store(path, version="1", mix_versions=True)


def test_values_that_are_no_records_are_compared_too():
    table = pd.DataFrame({"cell": ["a"], "at": [pd.Timestamp(2026, 1, 1)], "b": [b"x"]})
    refuse_two_values([("one", table), ("two", table.copy())])
    with pytest.raises(StoreError, match=r"two: b of cell 'a' must be b'x', as in one, got b'y'"):
        refuse_two_values([("one", table), ("two", table.assign(b=[b"y"]))])


CELLS = [ToyCell(number=i) for i in range(6)]


def _part(path, numbers, **change) -> Store:
    records = (record_of(CELLS[n]) | (change if n == 2 else {}) for n in numbers)
    return stored(path, *records, fold=True)


@pytest.mark.parametrize("there", [True, False])
def test_parts_that_do_not_agree_are_not_gathered(path, tmp_path, there):
    """The first that came was kept, in silence; a wrong one of two machines was not found."""
    one = _part(path if there else tmp_path / "one.parquet", range(3))
    two = _part(tmp_path / "two.parquet", range(2, 5), value=0.5)
    parts = [two.path] if there else [one.path, two.path]
    whose = rf"two\.parquet: value of cell '{cell_key(CELLS[2])}'"
    words = rf"{whose} must be .*{one.path.name}, got 0.5"
    for _ in range(2):
        with pytest.raises(StoreError, match=words):
            gather(CELLS, parts, Store(path, version="1"))
    assert len(Store(path, version="1")) == (3 if there else 0)


def test_parts_that_overlap_and_agree_are_gathered(path, tmp_path):
    one = _part(tmp_path / "one.parquet", range(3))
    two = _part(tmp_path / "two.parquet", range(2, 5), **AGAIN)
    for _ in range(2):
        assert gather(CELLS, [one.path, two.path, one.path], Store(path, version="1")) == 1
    assert Store(path, version="1").frame()["number"].nunique() == 5


BODIES = {
    b'{"cell": "a", "version": "1", "value": 1, "value": 2}': "the key 'value' twice",
    b'{"cell": "a", "version": "1", "x": ' + b"[" * 10**5: "more than 50 levels",
    b'{"cell": "a", "version": "1", "x": ' + b"9" * 10**5 + b"}": "must be JSON",
    b'{"cell": "a", "version": "1", "x": 1' + b"0" * 30 + b"}": "cannot be stored",
    b'{"cell": "a", "version": "1", "x": "\\ud800"}': "cannot be stored",
    b'{"cell": "\\ud800", "version": "1"}': "cannot be stored",
    b'{"cell": "a", "version": "1", "x": [1]}': "cannot be stored",
    b'{"cell": "a", "version": "1", "scores": [[1]]}': "scores must be a list of flat records",
    b'{"cell": "a", "version": "1", "label": 3}': "a field is of one kind",
    b"\xff\xfe\x00": "must be JSON",
}


@pytest.mark.parametrize(("body", "words"), BODIES.items(), ids=BODIES.values())
def test_a_line_that_no_store_could_have_written_is_named(path, body, words):
    """Some ended in a RecursionError, some when the journal was folded, some were believed."""
    path.write_bytes(to_bytes(pd.DataFrame([{"cell": "b", "version": "1", "label": "x"}])))
    path.with_suffix(".journal").write_bytes(_lines({"cell": "c", "version": "1"}) + _line(body))
    start = time.process_time()
    with pytest.raises(StoreError, match=r"grid\.journal, line 2,") as caught:
        Store(path, version="1")
    assert words in str(caught.value)
    assert len(str(caught.value)) < 1000
    assert time.process_time() - start < 1


def test_half_of_a_pair_of_surrogates_is_refused_before_it_is_written(path):
    """It was written, and the journal could not be folded any more."""
    with pytest.raises(ValueError, match=r"cell a: label='\\ud800' \(str\) cannot be stored"):
        plain({"cell": "a", "label": "\ud800"}, "cell a")
