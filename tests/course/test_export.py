"""What goes into a university's system is what the bank has: each export is read back."""

from __future__ import annotations

import math
import re
import zipfile
from collections.abc import Iterator
from functools import partial
from html import unescape
from xml.etree import ElementTree as Xml

import pytest

from course.bank import computed, quizzes
from course.export import export, plain, points

SHEETS = quizzes()
QTI = {"q": "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"}
KINDS = {
    "number": "numerical_question",
    "choice": "multiple_choice_question",
    "reason": "essay_question",
}


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("export")
    return {p.stem: p for p in export(folder)}


def _plain(text: str) -> str:
    """A text without Markdown's marks, spaces and curved quotes: signs of numbers stay."""
    text = text.replace("```python", "").translate(str.maketrans("‘’“”", "''\"\""))
    return re.sub(r"[\s*`$\\]", "", text)


def _words(html: str) -> str:
    return _plain(unescape(re.sub(r"<[^>]+>", "", html)))


def _of_canvas(path) -> Iterator[dict]:
    with zipfile.ZipFile(path) as archive:
        manifest = Xml.fromstring(archive.read("imsmanifest.xml"))
        named = {file.get("href") for file in manifest.iter() if file.get("href")}
        assert named
        assert named <= set(archive.namelist())
        (name,) = (n for n in named if n.endswith(".xml") and "meta" not in n)
        root = Xml.fromstring(archive.read(name))
    for item in root.iterfind(".//q:item", QTI):
        every = partial(item.iterfind, namespaces=QTI)
        labels = [field.text for field in every(".//q:fieldlabel")]
        fields = dict(zip(labels, (e.text for e in every(".//q:fieldentry")), strict=True))
        choices = {
            label.get("ident"): _words(label.find(".//q:mattext", QTI).text)
            for label in every(".//q:render_choice/q:response_label")
        }
        remarks = {f.get("ident"): _words("".join(f.itertext())) for f in every("q:itemfeedback")}
        right, shows = [], {}
        for condition in every(".//q:respcondition"):
            for equal in condition.iterfind(".//q:varequal", QTI):
                answer = choices.get(equal.text, equal.text)
                if condition.find("q:setvar", QTI) is not None:
                    right.append(answer)
                for remark in condition.iterfind("q:displayfeedback", QTI):
                    shows[answer] = remarks[remark.get("linkrefid")]
        ends = [float(e.text) for tag in ("vargte", "varlte") for e in every(f".//q:{tag}")]
        yield {
            "id": item.get("title"),
            "kind": fields["question_type"],
            "points": float(fields["points_possible"]),
            "text": _words(next(every(".//q:presentation/q:material//q:mattext")).text),
            "right": right,
            "choices": {*choices.values()},
            "shows": shows,
            "range": ends,
            "feedback": "".join(remarks.values()),
        }


@pytest.mark.parametrize("sheet", SHEETS)
def test_an_export_that_is_read_back_says_what_the_bank_says(exported, sheet):
    items = SHEETS[sheet][1]
    found = [*_of_canvas(exported[sheet])]
    assert [one["id"] for one in found] == [item["id"] for item in items]
    for one, item in zip(found, items, strict=True):
        assert one["kind"] == KINDS[item["kind"]]
        assert one["points"] == points(item)
        assert one["text"] == _plain(item["text"])
        if item["kind"] == "number":
            key, wrong = computed(item)
            low, high = key - item["tolerance"], key + item["tolerance"]
            four = 5.1e-5  # Canvas has numbers of four decimals
            assert one["range"] == pytest.approx([low, high], abs=four)
            assert math.isclose(float(one["right"][0]), key, abs_tol=four)
            assert one["range"][0] <= key <= one["range"][1]
            assert not any(one["range"][0] <= value <= one["range"][1] for value in wrong)
        if item["kind"] == "choice":
            assert one["right"] == [_plain(item["key"])]
            shows = {_plain(w["answer"]): _plain(w["shows"]) for w in item["wrong"]}
            assert one["shows"] == shows
            assert one["choices"] == {*one["right"], *shows}
        notes = [w["shows"] for w in item.get("wrong", [])] or [item["answers"]["full"]]
        for note in notes:
            assert _plain(note) in one["feedback"]


def _parts(path) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(path) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def test_a_second_export_has_the_same_questions_under_the_same_names(exported, tmp_path):
    """Canvas replaces what it imports again by these names."""
    for path in export(tmp_path):
        assert _parts(path) == _parts(exported[path.stem])


def test_an_export_is_the_lecturers_alone(exported):
    assert {oct(path.stat().st_mode & 0o777) for path in exported.values()} == {"0o600"}


def test_a_text_of_several_lines_stays_in_its_question():
    item = {"id": "x", "kind": "reason", "difficulty": "hard", "text": "Why?\n\n```python\nf()\n```",
            "answers": {"full": "So.", "half": "", "none": ""}}  # fmt: skip
    lines = plain("x", "# X", [item]).splitlines()
    assert lines[lines.index("1. Why?") + 2] == "   ```python"
