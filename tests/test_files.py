"""YAML and JSON that somebody has written by hand: what is wrong is said, with the file's name."""

from __future__ import annotations

import os
import re

import pytest
import yaml

from lib.cli import main
from lib.files import LARGEST, parse_yaml, read_json, read_yaml
from lib.ledger.claim import read_claims

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{after}: &{after} [{', '.join([f'*{name}'] * 9)}]\n"
    for name, after in zip("abcdefghi", "bcdefghij", strict=True)
)
YAML = {
    "deep": ("[" * 10**5, "more than 50 levels"),
    "deep and whole": ("[" * 10**5 + "]" * 10**5, "more than 50 levels"),
    "deep in blocks": ("- " * 10**5 + "a", "more than 50 levels"),
    "a key twice": ("a: 1\nb: 2\n'a': 3", "the key 'a' twice"),
    "a key twice in a row": ("- {id: a, id: b}", "the key 'id' twice"),
    "no day": ("a: 2001-99-99", "got an error"),
    "a tab": ("a:\n\t- b", "got an error"),
    "an object": ("!!python/object:os.system {}", "got an error"),
    "a list for a key": ("? [1]\n: 2", "got an error"),
    "a list": ("[1, 2]", "must hold a mapping, got [1, 2]"),
}
JSON = {
    "deep": ("[" * 10**5 + "]" * 10**5, "got an error"),
    "half of it": ('{"a": ', "got an error"),
    "a list": ("[1, 2]", "must hold a mapping, got [1, 2]"),
}
CASES = [
    *((read_yaml, name, *case) for name, case in YAML.items()),
    *((read_json, name, *case) for name, case in JSON.items()),
]


@pytest.mark.parametrize(
    ("read", "name", "text", "words"), CASES, ids=[f"{c[0].__name__} {c[1]}" for c in CASES]
)
def test_what_cannot_be_meant_is_refused_by_name(tmp_path, read, name, text, words):
    """A key that stood twice counted once; brackets ended the process (SIGSEGV)."""
    (tmp_path / "given").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape(words)) as caught:
        read(tmp_path / "given", dict)
    assert str(caught.value).startswith(f"{tmp_path / 'given'} must ")
    assert len(str(caught.value)) < len(str(tmp_path)) + 350


@pytest.mark.parametrize("read", [read_yaml, read_json])
def test_what_is_no_text_or_might_never_end_is_refused_by_name(tmp_path, read):
    for raw in (b"\xff\xfe\x00\xd8", b"a: \xed\xa0\x80"):
        (tmp_path / "given").write_bytes(raw)
        with pytest.raises(ValueError, match=r"given must be .* in UTF-8, got an error"):
            read(tmp_path / "given", dict)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="pipe must be a regular file"):
        read(tmp_path / "pipe", dict)
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(2**34)
    with pytest.raises(ValueError, match=f"sparse must have at most {LARGEST:,} bytes"):
        read(tmp_path / "sparse", dict)


def test_names_for_what_stands_elsewhere_are_read():
    """A merged key may be overridden, also where the mapping was merged before it was made."""
    text = "- &a {<<: &b {x: 1, y: 2}, x: 3}\n- {<<: *a, y: 4}\n- {<<: [*a, *b], z: 5}\n- *b\n"
    assert parse_yaml(text) == yaml.safe_load(text)


@pytest.mark.parametrize("row", [{"id": 1}, {1: "a"}, {"id": "a" * 101}, {"arguments": [1]}])
def test_a_claim_of_other_types_is_named_with_its_file(tmp_path, row):
    """A list for an id ended in a TypeError."""
    (tmp_path / "claims.yml").write_text(yaml.safe_dump([row]), encoding="utf-8")
    with pytest.raises(ValueError, match=r"claims\.yml: .*(must be|has the field)") as caught:
        read_claims(tmp_path / "claims.yml")
    assert len(str(caught.value)) < len(str(tmp_path)) + 600


@pytest.mark.parametrize("text", [BOMB, "- {id: &a [1, 2], " + BOMB.replace("\n", ", ") + "}"])
def test_aliases_that_stand_for_more_than_a_memory_holds_are_shown_in_part(tmp_path, text, capsys):
    (tmp_path / "claims.yml").write_text(text, encoding="utf-8")
    assert main(["claims", "--file", str(tmp_path / "claims.yml")]) == 2
    assert len(capsys.readouterr().err) < len(str(tmp_path)) + 600
