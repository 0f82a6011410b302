"""What the course refuses by name, each in words for the person who reads them."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from course.assignment import SOURCES, read, read_all
from course.exam import paper
from course.mark import mark
from course.public import write_public
from course.sessions import SESSIONS, Reading, sessions, workload
from course.slides import DECKS, deck, to_html, write_slides
from course.submission import Submission
from course.variants import course_seed, key_of
from lib.files import read_yaml
from tests.course.grading import executed

A1 = read_all()[0]
LIMIT = "must be a finite number > 0"


def put(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def cells(*sources):
    kinds = [{"cell_type": "markdown", "metadata": {}, "source": source} for source in sources]
    return json.dumps({"cells": kinds, "metadata": {}, "nbformat": 4, "nbformat_minor": 4})


def notebook(text, name="s1.ipynb"):
    def call(folder):
        key = put(folder / "key.json", '{"variant": "a1-00000001"}')
        Submission("s1", put(folder / name, text), key).notebook()

    return call


def source(old, new):
    def call(folder):
        for name in ("a1.md", "a1.yml"):
            put(folder / name, (SOURCES / name).read_text("utf-8").replace(old, new, 1))
        read(folder / "a1.md")

    return call


def first_session(**change):
    def call(folder):
        content = read_yaml(SESSIONS, dict)
        content["sessions"][0] |= change
        sessions(put(folder / "sessions.yml", yaml.safe_dump(content)))

    return call


def without_notes(folder):
    text = (DECKS / "1.md").read_text(encoding="utf-8")
    put(folder / "1.md", text.replace("Notes:", "", 1))
    deck(sessions()[0], folder)


def taken(kind):
    return lambda folder: to_html(f"{{{kind}}}`one/page:gone`", executed(folder))


def key(bad):
    return lambda _: key_of(A1, dict.fromkeys(A1.key_names(), 1.0) | {"errors": bad})


REFUSED = [
    *((lambda _, text=t: course_seed(text), "at least 12 characters") for t in ("", "eleven char")),
    *(
        (key(bad), "the key of errors must be finite")
        for bad in (math.nan, object(), {"a": np.inf})
    ),
    (notebook("x", "s1.pdf"), r"must be a notebook \(.ipynb\), got s1.pdf"),
    *((notebook(text), "cannot be read") for text in ("", "[]", "{}", "[" * 100_000, b"\xff\xfe")),
    *((notebook(cells(text)), "cannot be read") for text in (5, "a1-00000001 \ud800")),
    (notebook(cells("a1-00000002")), "has not the variant a1-00000001 of this class"),
    (notebook(b" " * (21 * 2**20)), "must be at most 20 MiB"),
    (lambda folder: mark(folder, folder, folder, seconds=0), LIMIT),
    (lambda folder: mark(folder, folder, folder), "must have a folder of a marked assignment"),
    (source("points: [0, 2]", "points: [2]"), "points of a1.md, q1 must be a number for each test"),
    (source("points: 6", "points: [6]"), "points of a1.md, q8 must be"),
    (first_session(plan=[{"minutes": 80}]), "minutes of session 1 must be 90"),
    (first_session(colour="blue"), "fields of a session must be"),
    (lambda _: Reading("foundations/primer", ("Nothing",)).text, "section must be one of"),
    (lambda _: workload(sessions()[0], "practice"), "track must be one of 'policy', 'theory'"),
    (without_notes, "slide of session 1 must be a heading"),
    *((taken(k), f"{k} of one/page must be one of .*, got 'gone'") for k in ("number", "figure")),
    (lambda folder: write_slides([7], folder), "session must be one of 1, 2, 3, 4, 5, 6, got 7"),
    (lambda _: paper("final", 1), "paper must be one of 'exam', 'resit', got 'final'"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_cannot_be_meant_is_refused(call, words, tmp_path):
    with pytest.raises(ValueError, match=words) as error:
        call(tmp_path)
    assert "eleven char" not in str(error.value)  # a secret is not printed


def test_what_is_missing_or_in_the_way_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="run `make book` first"):
        write_slides([1], tmp_path / "out", tmp_path)
    assert not (tmp_path / "out").exists()
    with pytest.raises(RuntimeError, match=re.escape(f"{tmp_path} must be a clone")):
        write_public(tmp_path / "new", root=tmp_path)
