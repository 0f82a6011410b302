"""What the press refuses by name, before any work."""

from __future__ import annotations

from functools import partial

import pytest

from press.execute import execute
from press.live import write_live
from press.rerun import requested
from press.toc import pages
from tests.press.conftest import write_notebook
from tests.press.test_rerun import PARAMETERS


def asked(page, word):
    write_notebook(page.notebook, parameters=PARAMETERS)
    requested(page, [word])


def torn(page):
    page.notebook.write_text('{"cells": [', "utf-8")
    execute([page], {"profile": "quick"}, page.root / "out", progress=False)


def listed(page, doc):
    (page.root / "_toc.yml").write_text(f"format: jb-book\nroot: {doc}\n", "utf-8")
    return pages(page.root)


def live(page, source):
    (page.root / "_static").mkdir()
    write_live(page.root, source)


ASKED = {
    "epsilom=1": "parameter must be one of 'dataset', 'epsilon', 'runs', 'real', got 'epsilom'",
    "epsilon=two": "epsilon must be of the type float, got 'two'",
    "runs=1.5": r"runs must be of the type int, got '1\.5'",
    "real=yes": "real must be of the type bool, got 'yes'",
    "epsilon": "parameter must be NAME=VALUE or NAME=VALUE,VALUE, got 'epsilon'",
    "epsilon=": "parameter must be NAME=VALUE",
}
REFUSED = [
    *((partial(asked, word=word), said) for word, said in ASKED.items()),
    (torn, r"one\.ipynb must be a notebook, got another file"),
    (lambda page: listed(page, "chapters/none"), "lists 'chapters/none', but there is neither"),
    (partial(live, source="nowhere"), "source must be index or a folder, got 'nowhere'"),
    (lambda page: write_live(page.root), "html must be a built book"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_it_is_refused_by_name(tiny, call, words):
    with pytest.raises(ValueError, match=words):
        call(tiny)
