"""Files that are small and stand for much, or are no text at all, are refused at once, by name."""

from __future__ import annotations

import os
import re
import time

import pytest
import yaml

from lib.cli import main
from lib.files import LARGEST, read_json, read_yaml
from lib.ledger.claim import read_claims
from lib.parse import parse_json, parse_yaml
from lib.paths import DATA, ROOT

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{name}'] * 9)}]\n"
    for name, after in zip("abcdefghi", "bcdefghij", strict=True)
)
YAML = {
    "aliases": (BOMB, "entries, each name written out"),
    "an alias of a long text": (f"- &a {'x' * 10**6}\n- [*a, *a, *a]", "entries, each name"),
    "an alias of itself": ("- &a [*a]", "the name 'a' before"),
    "deep": ("[" * 10**5, "more than 50 levels"),
    "deep and whole": ("[" * 10**5 + "]" * 10**5, "more than 50 levels"),
    "deep in blocks": ("- " * 10**5 + "a", "more than 50 levels"),
    "many directives": ("".join(f"%TAG !{i}! x\n" for i in range(10**5)) + "---\na", "%TAG"),
    "a number in base 60": ("a: " + ":".join(["59"] * 10**5), "digits"),
    "many entries": ("[" + "a," * 10**6 + "]", "entries"),
    "a huge integer": (f"a: {'9' * 30}", "an integer of 100 bits"),
    "a huge hexadecimal": (f"a: 0x{'f' * 10**6}", "an integer of 4,000,000 bits"),
    "no number": ("a: .nan", "the number nan"),
    "infinity": ("a: -.inf", "the number -inf"),
    "a key twice": ("a: 1\nb: 2\n'a': 3", "the key 'a' twice"),
    "a key twice in a row": ("- {id: a, id: b}", "the key 'id' twice"),
    "equal keys": ("{1: a, 1.0: b}", "the key 1.0 twice"),
    "no day": ("a: 2001-99-99", "what is none"),
    "a surrogate": ('a: "\\ud800"', "what is none"),
    "bytes": ("a: !!binary aGVsbG8=", "a value of type bytes"),
    "an object": ("!!python/object:os.system {}", "what is none"),
    "a list for a key": ("? [1]\n: 2", "what is none"),
    "a wrong tag": ("a: !!timestamp x", "what is none"),
}
JSON = {
    "deep": ("[" * 10**5 + "]" * 10**5, "more than 50 levels"),
    "deep objects": ('{"a":' * 10**5, "more than 50 levels"),
    "quite deep": ("[" * 60 + "]" * 60, "more than 50 levels"),
    "many entries": ("[" + "1," * 10**6 + "1]", "entries"),
    "digits": ("9" * 10**6, "what is none"),
    "a huge integer": ('{"a": ' + "9" * 30 + "}", "an integer of 100 bits"),
    "no number": ('{"a": NaN}', "the number nan"),
    "too large a number": ("[1e999]", "the number inf"),
    "a key twice": ('[{"a": 1, "a": 1}]', "the key 'a' twice"),
    "a surrogate": ('{"a": "\\ud800"}', "half of a pair of surrogates, '\\ud800'"),
    "a surrogate in a key": ('{"\\udfff": 1}', "half of a pair of surrogates"),
    "half of it": ('{"a": ', "what is none"),
}
CASES = [
    *((read_yaml, "YAML", name, *case) for name, case in YAML.items()),
    *((read_json, "JSON", name, *case) for name, case in JSON.items()),
]


def _refused(read, path, words) -> None:
    start = time.process_time()
    with pytest.raises(ValueError, match=re.escape(str(path))) as caught:
        read(path, dict)
    assert time.process_time() - start < 20  # a bomb takes minutes, or all memory
    assert words in str(caught.value)
    assert len(str(caught.value)) < len(str(path)) + 250


@pytest.mark.parametrize(
    ("read", "language", "name", "text", "words"), CASES, ids=[f"{c[1]} {c[2]}" for c in CASES]
)
def test_what_is_too_much_or_odd_is_refused_at_once_by_name(
    tmp_path, read, language, name, text, words
):
    """441 bytes of aliases took all memory; brackets ended the process (SIGSEGV)."""
    (tmp_path / "given").write_text(text, encoding="utf-8")
    _refused(read, tmp_path / "given", words)
    with pytest.raises(ValueError, match=f"given must be {language}, got"):
        read(tmp_path / "given", dict)


@pytest.mark.parametrize("read", [read_yaml, read_json])
@pytest.mark.parametrize("raw", [b"\xff\xfe\x00\xd8", b"a: \xed\xa0\x80", bytes(range(256))])
def test_bytes_that_are_no_text_are_refused_by_name(tmp_path, read, raw):
    (tmp_path / "given").write_bytes(raw)
    _refused(read, tmp_path / "given", "in UTF-8, got another byte at")


@pytest.mark.parametrize("read", [read_yaml, read_json])
def test_what_might_never_end_is_not_read(tmp_path, read):
    os.mkfifo(tmp_path / "pipe")
    _refused(read, tmp_path / "pipe", "must be a regular file")
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(2**34)
    _refused(read, tmp_path / "sparse", f"must have at most {LARGEST:,} bytes")


@pytest.mark.parametrize("read", [read_yaml, read_json])
def test_another_kind_is_shown_in_part(tmp_path, read):
    (tmp_path / "given").write_text(f"[{', '.join(['1'] * 50_000)}]", encoding="utf-8")
    _refused(read, tmp_path / "given", "must hold a mapping, got [1, 1, 1, 1, 1, 1, ...]")


def test_names_that_stand_for_little_are_read():
    """A merged key may be overridden, also where the mapping was merged before it was made."""
    text = "- &a {<<: &b {x: 1, y: 2}, x: 3}\n- {<<: *a, y: 4}\n- {<<: [*a, *b], z: 5}\n- *b\n"
    assert parse_yaml(text) == yaml.safe_load(text)
    assert parse_json('{"a": "\\ud83d\\ude00"}') == {"a": "\U0001f600"}


@pytest.mark.parametrize(
    "path",
    sorted((*DATA.rglob("*.yml"), *ROOT.glob("*.yml"), *ROOT.glob("course/**/*.yml"))),
    ids=str,
)
def test_every_stored_file_is_read_as_before(path):
    text = path.read_text(encoding="utf-8")
    gaps = path.name == "evidence.yml"  # whose numbers may be none
    assert repr(parse_yaml(text, gaps=gaps)) == repr(yaml.safe_load(text))


@pytest.mark.parametrize("row", [{"id": 1}, {1: "a"}, {"id": "a" * 101}, {"arguments": [1]}])
def test_a_claim_of_other_types_is_named_with_its_file(tmp_path, row):
    """A list for an id ended in a TypeError."""
    (tmp_path / "claims.yml").write_text(yaml.safe_dump([row]), encoding="utf-8")
    with pytest.raises(ValueError, match=r"claims\.yml: .*(must be|has the field)") as caught:
        read_claims(tmp_path / "claims.yml")
    assert len(str(caught.value)) < len(str(tmp_path)) + 600


def test_a_claim_with_a_wrong_measure_is_named_with_its_file(tmp_path):
    row = {"id": "a", "paper": "ldp", "place": "p", "statement": "s", "why": "w", "rule": "true"}
    file = tmp_path / "claims.yml"
    file.write_text(yaml.safe_dump([row | {"measure": "none"}]), encoding="utf-8")
    with pytest.raises(ValueError, match=r"claims\.yml: measure of a must be one of"):
        read_claims(file)


@pytest.mark.parametrize("text", ["", "[1]", "{}", '{"address": 1}', "\0", "[" * 10**5])
def test_a_file_of_a_scheduler_that_is_none_is_named(tmp_path, text, capsys):
    """It ended in an assertion without a word."""
    (tmp_path / "scheduler.json").write_text(text, encoding="utf-8")
    assert main(["run", "ldp_main", "--dask", str(tmp_path / "scheduler.json")]) == 2
    assert re.search(r"scheduler\.json must", capsys.readouterr().err)


def test_a_bomb_of_claims_ends_with_its_name(tmp_path, capsys):
    (tmp_path / "claims.yml").write_text(BOMB, encoding="utf-8")
    assert main(["claims", "--file", str(tmp_path / "claims.yml")]) == 2
    assert "claims.yml must be YAML, got more than" in capsys.readouterr().err
