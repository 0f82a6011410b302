"""Quotations of papers and places in published code: found, compared, and true where the papers'
texts and the clones are.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from lib.files import read_yaml
from lib.paths import DATA, ROOT
from press import sources

PAPERS = Path(os.environ.get("COMPANION_PAPERS", ROOT.parent / "shared" / "papers"))
CLONES = Path(os.environ.get("COMPANION_CLONES", ROOT.parent / ".mirror"))
QUOTED = ("page.md", "one", "a bound […] is printed")


@pytest.mark.skipif(not PAPERS.is_dir(), reason="the papers' texts are not here (COMPANION_PAPERS)")
def test_every_quotation_stands_in_its_paper():
    assert sources.wrong_quotations(PAPERS) == []
    assert len(sources.quotations()) > 250


@pytest.mark.skipif(not CLONES.is_dir(), reason="there are no clones here (COMPANION_CLONES)")
def test_every_place_holds_what_its_link_says():
    wrong = sources.wrong_places(CLONES)
    assert [one for one in wrong if "no clone" not in one] == []
    assert len(sources.places()) > 50


def test_a_wrong_quotation_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LISTED", sources.LISTED | {"papers": {"one": ["a.txt"]}})
    monkeypatch.setattr(sources, "quotations", lambda: [QUOTED])
    with pytest.raises(FileNotFoundError, match=r"a\.txt"):
        sources.wrong_quotations(tmp_path)
    (tmp_path / "a.txt").write_text("A bound that is printed", "utf-8")
    assert sources.wrong_quotations(tmp_path) == []
    (tmp_path / "a.txt").write_text("A bound that was printed", "utf-8")
    said = 'page.md: "a bound […] is printed" is not in the text of one'
    assert sources.wrong_quotations(tmp_path) == [said]


def test_every_claim_of_a_paper_has_the_papers_words_once():
    words = read_yaml(DATA / "quotations.yml", dict)
    files = sorted((DATA / "claims").glob("*.yml"))
    rows = [row for file in files for row in read_yaml(file, list) if row["paper"] != "companion"]
    bare = {row["id"] for row in rows if not row.get("quote") and not row.get("part_of")}
    assert bare - set(words) == set()
    assert set(words) <= {row["id"] for row in rows if not row.get("quote")}
