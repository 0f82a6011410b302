"""Exports as other people's readers have them: amc2moodle for Moodle's XML, qti2latex for Canvas.

``.venv-reference-exports`` runs it on paths, and it prints one JSON object.
"""

import json
import sys
import types
import zipfile
from xml.etree import ElementTree


def of_moodle(path):
    sys.modules["wand.image"] = types.SimpleNamespace(Image=None)  # ImageMagick, for pictures
    from amc2moodle.moodle2amc import CreateQuestion
    from lxml import etree

    for found in etree.parse(path).getroot().iterfind("question"):
        if (kind := found.get("type")) == "category":
            continue
        question = CreateQuestion(kind, found)
        answers = question.answers()
        yield {
            "id": found.findtext("name/text"),
            "kind": kind,
            "text": "".join(question.question().itertext()),
            "number": answers.get("target"),
            "choices": {"".join(a.itertext()): a.tag == "correctchoice" for a in answers},
        }


def of_canvas(path):
    import qti2latex as canvas

    with zipfile.ZipFile(path) as archive:
        (name,) = (n for n in archive.namelist() if n.endswith(".xml") and "/text" in n)
        root = ElementTree.fromstring(archive.read(name))
    for item in canvas.findall_anyns(root, "item"):
        conditions = canvas.get_correct_idents(item)
        kind = canvas.guess_type(canvas.get_qti_metadata(item), item)
        yield {
            "id": item.get("title"),
            "kind": kind,
            "text": canvas.get_item_stem(item),
            "number": min(conditions) if kind == "numerical_question" else None,
            # each condition counts as right here, also those that only show feedback
            "choices": {text: None for _, text in canvas.get_choices(item)},
        }


if __name__ == "__main__":
    read = {"zip": of_canvas, "xml": of_moodle}
    found = {path: list(read[path.rpartition(".")[2]](path)) for path in sys.argv[1:]}
    print(json.dumps(found))
