"""What an audit refuses, and in which words: questions, files, columns, commands."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from lib.audit.request import Request
from lib.audit.schema import TARGET, fit_schema
from lib.cli import main
from lib.table.reading import read_file
from tests.audit.asking import LOOSE, audited, curator_of, text_people, write_halves

HALF = {"release": "leak.csv", "holdout": "outside.csv"}
ILL, COLUMNS = ["--sensitive", "ill"], "column must be one of 'age', 'sex', 'place', 'ill', got "
EVERY = dict.fromkeys(("age", "sex", "code", "place", "grade"), "ignore")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """The halves, and files with a fault."""
    folder = tmp_path_factory.mktemp("refused")
    inside = write_halves(folder)[:300]
    different = inside.drop_duplicates("ill")
    faults = {
        "no_target": inside.drop(columns="ill"),
        "other_values": inside.assign(age="old"),
        "one": different.head(1),
        "three": pd.concat([different, inside.head(1)]),
        "weightless": inside.assign(w=0),
        "target": inside.assign(**{TARGET: 1}),
    }
    for i, counts in enumerate(([1, 2.5], [1, -1], [1, ""], [0, 0], [1, 10**9])):
        faults[f"cells{i}"] = pd.DataFrame({"ill": ["no", "yes"], "n": counts})
    for name, frame in faults.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    pd.DataFrame({"a": [[1], [2]]}).to_parquet(folder / "lists.parquet")
    pd.DataFrame({"a": []}).to_parquet(folder / "empty.parquet")
    (folder / "text.parquet").write_text("a,b\n1,2\n", encoding="utf-8")
    (folder / "folder.html").mkdir()
    (folder / "old.json").write_text("{}", encoding="utf-8")
    return folder


def ask(**options):
    paths = {k: Path(v) for k, v in options.items() if k in ("file", "release", "holdout")}
    known = {"file": Path("inside.csv"), "sensitive": "ill", "groups": ("sex",)}
    return audited(**known | LOOSE | options | paths)


def curator(code: str):
    return ask(curator=curator_of("-c", code))


def read(text: str | bytes):
    Path("read.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_file("read.csv")


def typed(sensitive: str = "ill", **options):
    return fit_schema(text_people(), sensitive=sensitive, **options)


# fmt: off
REFUSED = [
    (lambda: ask(release="leak.csv"), "A release of everybody leaves nobody to compare with"),
    (lambda: ask(**HALF, members=("sex", "f")), "one of them"),
    (lambda: ask(holdout="outside.csv"), "release must be given, as holdout is, got None"),
    *((lambda name=n: ask(**{name: 7}), f"{n} must be a {kind}, got 7")
      for kind, names in {"Path": ("schema",),
                          "str": ("sensitive", "positive", "encoding", "curator", "cluster", "weights", "count")}.items()
      for n in names),
    *((lambda more=m: Request(file=Path("p.csv"), sensitive="ill", **more), words)
      for m, words in (
          ({"release": "a.csv", "members": ("sex", "f")}, "release must be a Path, got 'a.csv'"),
          ({"holdout": "a.csv"}, "holdout must be a Path, got 'a.csv'"),
          ({"schema": "a.yml"}, "schema must be a Path, got 'a.yml'"),
          ({"reads": ("a",)}, "reads must be a Path, got 'a'"),
          ({"members": "sex=f"}, "members must be a list or a tuple, got 'sex=f'"),
          ({"members": ("sex",)}, "members must be a column and its value, got ('sex',)"),
      )),
    (lambda: ask(curator="cp {half}"), "curator must be a command with {half} and {release}"),
    (lambda: ask(**HALF, curator="{half} {release}"), "a curator is rerun"),
    (lambda: ask(curator="cp '{half} {release}"),
     "curator must be a command with closed quotes (No closing quotation)"),
    (lambda: ask(learners=("oracle",)),
     "learner must be one of 'forest', 'forest, leaves of 20', 'boosting', 'logistic', 'lookup', got "),
    (lambda: ask(learners=()), "at least one of each"),
    (lambda: ask(alphas=(3.0,)), "alpha must be a number >= 1e-06 and <= 2, got 3.0"),
    (lambda: ask(splits=1), "splits must be an integer >= 2, got 1"),
    (lambda: ask(columns={"age": "words"}),
     "kind of age must be one of 'category', 'text', 'number', 'date', 'ignore', got 'words'"),
    (lambda: ask(bands={"age": (30, 40)}),
     "bands must be of a column in groups or crossings, got 'age'"),
    (lambda: ask(groups=("age",), bands={"age": (30, float("nan"))}),
     "bands of 'age' must be finite numbers"),
    (lambda: ask(release="leak.csv", members=("ill", "yes")),
     "members must be another column than the sensitive one, got 'ill'"),
    (lambda: ask(file="three.csv", gamma=1),
     "three.csv must be of at least 4 people with a value of 'ill', got 3"),
    (lambda: ask(release="leak.csv", holdout="one.csv", gamma=1),
     "at least 2 people with a value of 'ill' inside and 2 left out, got 300 and 1"),
    (lambda: ask(beta=1e-305), "beta must be at least 1e-300, got 1e-305"),
    (lambda: ask(labels="soft"), "labels must be one of 'confidence', 'hard', got 'soft'"),
    (lambda: ask(gamma=10_000), "gamma must be at most 300, the size of the largest group, got 10000"),
    (lambda: ask(groups=("race",)), f"{COLUMNS}'race'"),
    (lambda: ask(release="leak.csv", holdout="inside.csv"),
     "inside.csv must hold people who were left out, got the rows of inside.csv"),
    (lambda: ask(release="leak.csv", members=("sex", "x")),
     "members value must be one of 'f', 'm', got 'x'"),
    (lambda: ask(release="no_target.csv", holdout="outside.csv"),
     "sensitive column of no_target.csv must be one of 'age', 'sex', 'place', got 'ill'"),
    (lambda: ask(release="leak.csv", holdout="no_target.csv"),
     "must have the columns of inside.csv, got in inside.csv alone: 'ill'"),
    (lambda: ask(release="other_values.csv", holdout="outside.csv"),
     "other_values.csv: column 'age' must hold numbers, got 'old'"),
    # a rate that would take for ever
    *((lambda more=m: ask(**more, false_alarm=1e-13),
       "false_alarm must be so large that 5 tests take at most 1,000,000 reshufflings each, got 1e-13, which takes ")
      for m in (HALF, {"splits": 2})),
    (lambda: ask(curator="no-such-program-anywhere {half} {release}"),
     "curator must be a command that can be started"),
    (lambda: curator("raise SystemExit(3)"), "curator must make a release, got exit status 3 and none"),
    # another encoding
    (lambda: curator("import sys; sys.stderr.buffer.write(b'caf\\xe9 closed'); sys.exit(1)"), ": caf\ufffd closed"),
    (lambda: read(""), "must be a header and at least one row, got ''"),
    (lambda: read("a,b\n"), "must be a header and at least one row, got 'a,b"),
    (lambda: read("a,a\n1,2\n"), "the header 'a' must be there once, got 2"),
    (lambda: read("a,,c\n1,2,3\n"), "column 2 must have a name"),
    (lambda: read("a,b\n1,\0\n"), "read.csv must be text, got 'a character of code 0'"),
    (lambda: read((",".join(map(str, range(2001))) + "\n") * 2), "a table of at most 2,000 columns, got 2001"),
    (lambda: read("a,b\n1,2\n1,2,3\n"), "line 3, must have 2 cells as the header has, got 3"),
    (lambda: read("a,b\n1\n"), "line 2, must have 2 cells as the header has, got 1"),
    # the first wrong line is told, unless the file is no CSV
    (lambda: read("a,b\n1,2\n\n8\n9,9\n1,2,3\n"), "line 4, must have 2 cells as the header has, got 1"),
    (lambda: read("a,b\n1,2\n8\n'9,\"9\n"), " in line 4"),
    (lambda: read('a;b\n"1;2\n'), "must be semicolon-separated, got "),
    (lambda: read('a,b\n"1,2\n'), "must be comma-separated, got "),
    (lambda: read("näme,b\n1,2\n".encode("latin-1")), "must be UTF-8, got another byte at 1 (say its encoding, such as cp1252 in Western"),
    (lambda: read(b"\x1f\x8bno"), "read.csv must be a whole gzip file, got "),
    (lambda: read(b"PK\3\4"), "read.csv must be text, .xlsx or .parquet, got 'a zip archive'"),
    (lambda: read_file("lists.parquet"), "lists.parquet: column 'a' must be of one value a cell"),
    (lambda: read_file("text.parquet"), "text.parquet must be a Parquet file"),
    (lambda: read_file("empty.parquet"), "empty.parquet must be a header and at least one row"),
    (lambda: typed("nobody"), "'land', 'none', 'ill', 'grade', got 'nobody'"),
    (lambda: typed("grade"), "got None for 3 values ('high', 'low', 'mid')"),
    (lambda: typed("land"), "at least two values, got 'land' with 1"),
    (lambda: typed(positive="maybe"), "positive must be a value of 'ill' ('no', 'yes'), got 'maybe'"),
    (lambda: typed(lens=("land",)), "'land' is ignored: constant"),
    (lambda: typed(stated={"zip": "ignore"}), "column of the schema must be one of 'id', 'row', "),
    (lambda: typed(kinds={"sex": "date"}), "column 'sex' must be of dates of one format of %Y-%m-%d, "),
    (lambda: typed(kinds={"sex": "number"}), "column 'sex' must hold numbers, got 'f' (row 1)"),
    (lambda: typed(kinds={"none": "number"}), "column 'none' must be with a value"),
    (lambda: typed(kinds=EVERY), "lens must have a column, got none"),
    (lambda: typed().typed_table(text_people().drop(columns="age"), "release.csv"),
     "column of release.csv must be one of 'id', 'row', 'sex', 'code', 'place', 'land', 'none', 'ill', 'grade', got 'age'"),
]
COMMANDS = [
    (["target.csv", *ILL], f"a header must be other than {TARGET!r}, a name in use"),
    (["inside.csv", "--sensitive", "nobody"], f"{COLUMNS}'nobody'"),
    (["inside.csv", *ILL, "--columns", "age"], "columns must be NAME=VALUE, got 'age'"),
    (["inside.csv", *ILL, "--columns", "age=text=number"], "'age', 'sex', 'place', 'ill', got 'age=text'"),
    (["inside.csv", *ILL, "--bands", "age=old"], "bands must be a number, got 'old'"),
    (["inside.csv", *ILL, "--out", "report.txt"],
     "out must be a new .html file in a folder that exists, got 'report.txt'"),
    (["inside.csv", *ILL, "--out", "folder.html"], "out must be a new .html file"),
    (["inside.csv", *ILL, "--out", "x" * 300 + ".html"], "out must be a new .html file in a folder that exists (File name too long)"),
    (["inside.csv", *ILL, "--json", "old.json"], "json must be a new .json file in a folder that exists (File exists), got 'old.json'"),
    (["cells0.csv", *ILL, "--count", "m"], "count column of cells0.csv must be one of 'ill', 'n'"),
    (["cells0.csv", *ILL, "--count", "n"],
     "cells0.csv: column 'n' must be of whole numbers >= 0, got '2.5'"),
    (["cells2.csv", *ILL, "--count", "n"], "of whole numbers >= 0, got nan"),
    (["cells3.csv", *ILL, "--count", "n"], "of 1 to 5,000,000 people together, got 0"),
    (["cells4.csv", *ILL, "--count", "n"], "of 1 to 5,000,000 people together, got 1000000001"),
    (["weightless.csv", *ILL, "--weights", "w"], "weights must be finite numbers > 0 in the file"),
    (["inside.csv", *ILL, "--cluster", "nobody"], f"{COLUMNS}'nobody'"),
    (["inside.csv", *ILL, "--cluster", "ill"], "cluster must be another column than the sensitive one"),
    (["inside.csv", *ILL, "--cluster", "place", "--certify"], "certify must be asked for without cluster"),
    # a bad one among several releases
    *((["inside.csv", *ILL, "--members", "sex=f", "--release", "leak.csv", name], words)
      for name, words in {
          "nowhere.csv": "file must be one that exists, got 'nowhere.csv'",
          "leak.csv": "release must be files of different names",
          "no_target.csv": "sensitive column of no_target.csv must be one of",
      }.items()),
]
# fmt: on


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_cannot_be_answered_is_refused_by_name(folder, monkeypatch, call, words):
    monkeypatch.chdir(folder)
    with pytest.raises(ValueError) as error:
        call()
    assert words in str(error.value)


@pytest.mark.parametrize(("words", "told"), COMMANDS)
def test_a_wrong_command_is_told_with_status_two_before_any_work(
    folder, monkeypatch, capsys, words, told
):
    """And it leaves no empty report, and an old one as it was."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr("lib.audit.several.run_audit", lambda *_, **__: pytest.fail("it ran"))
    Path("coherence.html").write_text("old", encoding="utf-8")
    before = sorted(folder.iterdir())
    assert main(["audit", *words]) == 2
    assert told in capsys.readouterr().err
    assert sorted(folder.iterdir()) == before
    assert Path("coherence.html").read_text("utf-8") == "old"
    Path("coherence.html").unlink()
    assert main(["audit", *words]) == 2
    assert not Path("coherence.html").exists()


@pytest.mark.parametrize("word", ["age", "=text", "age="])
@pytest.mark.parametrize("command", ["audit", "schema"])
def test_a_type_without_its_column_is_told_alike_by_both_commands(
    folder, monkeypatch, capsys, command, word
):
    monkeypatch.chdir(folder)
    more = ILL if command == "audit" else ["--out", "draft.yml"]
    assert main([command, "inside.csv", *more, "--columns", word]) == 2
    assert f"columns must be NAME=VALUE, got {word!r}" in capsys.readouterr().err
    assert not Path("draft.yml").exists()
