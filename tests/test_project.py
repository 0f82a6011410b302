"""Files around the code say the same as the code: version, licence, locks, bibliography."""

from __future__ import annotations

import re

import pytest
import yaml

import lib
from lib.datasets.registry import FILES, TASKS
from lib.paths import ROOT
from tests.declared import CORE, PROJECT, extra, group, names, pins


def _text(*names: str) -> str:
    return ROOT.joinpath(*names).read_text(encoding="utf-8")


CITATION = yaml.safe_load(_text("CITATION.cff"))


def test_one_version():
    assert lib.__version__ == PROJECT["project"]["version"] == CITATION["version"]


def test_what_is_for_research_use_is_not_licensed_more_freely():
    """The text of the licence names every such table as an exception."""
    text = _text("LICENSE-TEXT.md")
    bound = {name for name, task in TASKS.items() if "research use" in FILES[task.file].licence}
    assert bound == {"lsac"}
    assert all(f"The replica of {name.upper()} is\n**not**" in text for name in bound)


RUNTIME = CORE | extra("synth") | extra("run")


@pytest.mark.parametrize(
    ("lock", "declared", "least"),
    [
        ("dev", RUNTIME | extra("book") | group("dev"), 80),
        ("compare", RUNTIME | group("compare"), 80),
        ("course", group("course"), 20),
        ("students", CORE | group("students"), 80),
        ("students-synth", extra("synth"), 5),
    ],
)
def test_a_lock_pins_all_that_is_declared_and_hashes_it(lock, declared, least):
    text = _text("locks", f"{lock}.txt")
    assert declared <= names(pins(lock))
    entries = re.split(r"\n(?=[\w.-]+==)", text)[1:]
    assert len(entries) == len(pins(lock)) > least
    assert all("--hash=sha256:" in entry for entry in entries)


def test_the_requirements_are_the_pins_of_the_lock_and_the_package():
    text = _text("requirements.txt")
    first, *rest = [line for line in text.splitlines() if not line.startswith("#")]
    assert first == "-e ."
    lock = _text("locks", "dev.txt")
    assert rest == re.findall(r"^([\w.-]+==[^\\\n]*[^\\\s])", lock, re.M)


def test_the_locks_agree():
    """The peers are compared with, and measured beside, what the book runs on."""
    book, peers = set(pins("dev")), set(pins("compare"))
    assert {p for p in peers - book if names([p]) & names(book)} == set()
    # otter's environment finds the book's packages in the book's
    assert names(pins("course")) & names(book) == set()
    students = {*pins("students"), *pins("students-synth")}
    assert students - {*pins("course"), *book} == set()
