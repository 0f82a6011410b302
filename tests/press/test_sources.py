"""Quotations of papers and places in published code: found, compared, and true where the papers'
texts and the clones are.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from lib.cli import main
from lib.files import read_yaml
from lib.paths import CHAPTERS, DATA, ROOT
from press import sources
from tests.programs import git

PAPERS = Path(os.environ.get("COMPANION_PAPERS", ROOT.parent / "shared" / "papers"))
CLONES = Path(os.environ.get("COMPANION_CLONES", ROOT.parent / ".mirror"))
COMMIT = "0123456789abcdef0123456789abcdef01234567"
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


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("the first estimate", "the ﬁrst esti-\nmate"),
        ("“we don't pay”", '"we don’t pay"'),
        ("at ϵ ≤ 1.0", r"at $\epsilon \leq 1.0$"),
        ("γ = 4√(n log(|C|/β))/α", r"\gamma = \frac{4\sqrt{n \log(|\mathcal{C}|/\beta)}}{\alpha}"),
        ("μ̂ = 1/k ∑ᵏᵢ₌₁ ω_i μ_i", r"\hat{\mu}=\frac{1}{k}\sum^{k}_{i=1}\omega_{i}\mu_{i}"),
        ("a *stratified* approach", "a stratified approach"),
    ],
)
def test_one_text_in_two_forms_is_the_same(words, text):
    assert sources.compared(words) == sources.compared(text)


@pytest.mark.parametrize("words", ["a bounds is", "printed […] a bound", "bound […] far away"])
def test_other_words_are_not_in_the_text(words):
    text = sources.compared("a bound is printed" + " and so on" * 500 + " far away")
    assert sources.is_in("A bound […] printed", text)
    assert not sources.is_in(words, text)


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


def test_a_wrong_place_is_named(tmp_path, monkeypatch):
    folder = tmp_path / "name"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "f.py").write_text("first\nsecond\n", "utf-8")
    git(folder, "add", "f.py")
    git(folder, "commit", "-qm", "x")
    commit = git(folder, "rev-parse", "HEAD")

    def found(first: str, last: str, token: str, *, path: str = "f.py", owner: str = "owner/name"):
        place = ("page.md", owner, commit, path, first, last, token)
        monkeypatch.setattr(sources, "places", lambda: [place])
        return sources.wrong_places(tmp_path)

    assert found("2", "2", "second") == []
    assert found("", "", "") == []
    said = "page.md: owner/name f.py#L1: 'second' is not in these lines"
    assert found("1", "1", "second") == [said]
    assert "has 2 lines" in found("2", "3", "second")[0]
    for other in ({"path": "g.py"}, {"owner": "owner/other"}):
        assert "no clone with this file" in found("1", "1", "first", **other)[0]


def test_quotations_and_places_are_read_from_a_page(tmp_path, monkeypatch):
    url = f"https://github.com/o/n/blob/{COMMIT}/a/b.ipynb?plain=1#L3-L5"
    page = f'It says "a bound". In [the code]({url} "x = 1"), `"not this"`.\n'
    cell = '```{code-cell} ipython3\nprint("nor this")\n```\n'
    (tmp_path / "page.md").write_text(f"{page}\n{cell}", "utf-8")
    monkeypatch.setattr(sources, "_pages", lambda: [("p", (tmp_path / "page.md").read_text())])
    assert [words for where, _, words in sources.quotations() if where == "p"] == ["a bound"]
    assert sources.places() == [("p", "o/n", COMMIT, "a/b.ipynb", "3", "5", "x = 1")]


def test_the_command_fails_on_a_wrong_quotation(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("press.commands.sources.wrong_quotations", lambda _: ["wrong"])
    assert main(["sources", "--papers", str(tmp_path)]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith("wrong\n")
    assert "places: not checked" in printed


def test_every_claim_of_a_paper_has_the_papers_words_once():
    words = read_yaml(DATA / "quotations.yml", dict)
    files = sorted((DATA / "claims").glob("*.yml"))
    rows = [row for file in files for row in read_yaml(file, list) if row["paper"] != "companion"]
    bare = {row["id"] for row in rows if not row.get("quote") and not row.get("part_of")}
    assert bare - set(words) == set()
    assert set(words) <= {row["id"] for row in rows if not row.get("quote")}


@pytest.mark.parametrize("page", sorted((CHAPTERS / "errata").glob("*.md")), ids=lambda p: p.stem)
def test_the_table_of_errata_has_the_statuses_of_the_entries(page):
    text = page.read_text("utf-8")
    rows = re.findall(r"^\| \[[^\]]+\]\(#(errata-[\w-]+)\) \| [^|]+ \| ([\w ]+) \|$", text, re.M)
    entries = re.findall(r"^\((errata-[\w-]+)\)=\n#{2,3} [^\n]+\n\n\*\*([\w ]+)", text, re.M)
    assert sorted(rows) == sorted((anchor, status.lower()) for anchor, status in entries)
    assert len(rows) >= 8
