"""What the book says of papers and of published code, checked at the source.

Two things are read from pages and from claims. A *quotation* is a text in double quotation marks,
which must stand in a paper word for word. A *place* is a link to lines of published code at a
commit; the link's title is a token that these lines must contain.

The texts of papers are conversions of their pages, so both sides are brought into one form before
they are compared: without white space, hyphens at line ends, brackets, accents and marks of LaTeX
and Markdown; ligatures and variants of letters as the plain letter (NFKC); one kind of quotation
mark and of dash; formulas as their letters and signs. ``[…]`` in a quotation leaves words out.
"""

from __future__ import annotations

import re
import subprocess
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lib.files import read_yaml
from lib.paths import CHAPTERS, DATA, ROOT
from press.toc import markdown

REACH = 2000  # letters within which the next part must follow where […] leaves words out
NOT_PROSE = (r"\A---\n.*?\n---\n", r"^(`{3,})(?:\{code-cell\}|\w)[^\n]*\n.*?^\1\s*$", r"`[^`\n]*`")
PLACE = re.compile(
    r"https://github\.com/(?P<repository>[\w.-]+/[\w.-]+)/blob/(?P<commit>[0-9a-f]{40})"
    r"/(?P<path>[^\s?#)]+)(?:\?plain=1)?(?:#L(?P<first>\d+)(?:-L(?P<last>\d+))?)?"
    r'(?:\s+"(?P<token>[^"]+)")?'
)
LISTED = read_yaml(DATA / "sources.yml", dict)
SAME = str.maketrans(dict(zip("“”„‘’–—−~·", '"""\'\'---∼⋅', strict=True)))


@dataclass(frozen=True)
class Quotation:
    """Words that ``where`` quotes; ``paper`` is empty if they may stand in any of the papers."""

    where: str
    paper: str
    words: str


@dataclass(frozen=True)
class Place:
    """Lines ``first`` to ``last`` of a file of published code (0: the whole file), and a token that
    stands there (empty: none is named).
    """

    where: str
    repository: str
    commit: str
    path: str
    first: int
    last: int
    token: str


def compared(text: str) -> str:
    r"""The form in which words are compared.

    Examples
    --------
    >>> compared("the ﬁrst esti-\nmate is $\\frac{\\epsilon}{k}$")
    'thefirstestimateisε/k'
    >>> compared("the “first” estimate is (ϵ/k)")
    'the"first"estimateisε/k'
    """
    text = unicodedata.normalize("NFKC", text.replace("…", "...")).translate(SAME)
    text = re.sub(r"(?<=[a-z])-\s*\n\s*(?=[a-z])", "", text)
    found = 1  # \frac{a}{b} is (a)/(b), from the innermost braces on
    while found:
        pattern = r"(\\frac)?\{([^{}]*)\}"
        text, found = re.subn(pattern, lambda m: f"({m[2]}){'/' if m[1] else ''}", text)
    text = re.sub(r"\\([A-Za-z]+)", lambda m: LISTED["signs"].get(m[1], ""), text)
    text = "".join(c for c in text if unicodedata.category(c) not in ("Mn", "Cf"))
    return re.sub(r"[\s$*{}()_^\\]+", "", text)


def is_in(words: str, text: str) -> bool:
    """Whether a quotation stands in a text to which :func:`compared` was applied.

    Examples
    --------
    >>> text = compared("A bound is printed. It is not optimal.")
    >>> is_in("a printed", text), is_in("Bound […] not optimal", text)
    (False, True)
    """
    parts = [re.escape(compared(part)) for part in re.split(r"\[(?:…|\.{3})\]", words)]
    whole = f".{{0,{REACH}}}?".join(parts)
    # a sentence of ours may begin with the words
    return bool(re.search(re.sub(r"\A\w", r"(?i:\g<0>)", whole), text))


def _pages() -> Iterator[tuple[str, str]]:
    for path in markdown(CHAPTERS):
        yield str(path.relative_to(ROOT)), path.read_text("utf-8")


def quotations() -> list[Quotation]:
    """What pages and claims quote, without the texts that ``data/sources.yml`` lists as our own."""
    found = []
    for page, text in _pages():
        for pattern in NOT_PROSE:
            text = re.sub(pattern, " ", text, flags=re.S | re.M)
        of = (paper for start, paper in LISTED["pages"].items() if page.startswith(start))
        paper = next(of, "")
        for words in re.findall(r'"([^"]+)"', PLACE.sub(" ", text)):
            words = " ".join(words.split())
            if words not in LISTED["own"]:
                found.append(Quotation(page, paper, words))
    others = read_yaml(DATA / "quotations.yml", dict)
    for file in sorted((DATA / "claims").glob("*.yml")):
        for row in read_yaml(file, list):
            if words := row.get("quote") or others.get(row["id"]):
                paper = row.get("about") or row["paper"]
                found.append(Quotation(f"{file.name}, {row['id']}", paper, words))
    return found


def places() -> list[Place]:
    """The links to lines of published code on pages."""
    found = []
    for page, text in _pages():
        for match in PLACE.finditer(text):
            first = int(match["first"] or 0)
            last, token = int(match["last"] or first), match["token"] or ""
            repository, commit, path = match.group("repository", "commit", "path")
            found.append(Place(page, repository, commit, path, first, last, token))
    return found


def wrong_quotations(papers: Path) -> list[str]:
    """Quotations that are not in their paper's text in the folder ``papers``, which has all."""
    texts = {
        paper: [compared((papers / name).read_text("utf-8")) for name in names]
        for paper, names in LISTED["papers"].items()
    }
    wrong = []
    for quotation in quotations():
        able = [texts[quotation.paper]] if quotation.paper else texts.values()
        if not any(is_in(quotation.words, text) for paper in able for text in paper):
            of = quotation.paper or "any paper"
            wrong.append(f'{quotation.where}: "{quotation.words}" is not in the text of {of}')
    return wrong


def _lines(place: Place, clones: Path) -> list[str]:
    """The lines of the file at the commit, from a clone under one of the names that clones have."""
    owner, name = place.repository.split("/")
    tried = (name, f"{name}.git", f"{owner}/{name}", f"{owner}+{name}/repo", f"{owner}-{name}")
    folder = next(filter(Path.is_dir, (clones / path for path in tried)), clones)
    command = ["git", "-C", str(folder), "show", f"{place.commit}:{place.path}"]
    shown = subprocess.run(command, capture_output=True, check=False)
    return shown.stdout.decode("utf-8", "replace").splitlines()


def wrong_places(clones: Path) -> list[str]:
    """Places that do not hold what their link says, by the clones (bare or not) in the folder
    ``clones``.
    """
    wrong = []
    for place in places():
        lines = _lines(place, clones)
        at = f"{place.where}: {place.repository} {place.path}#L{place.first}"
        if not lines:
            wrong.append(f"{at}: no clone with this file at commit {place.commit[:7]}")
        elif place.last > len(lines):
            wrong.append(f"{at}: the file has {len(lines)} lines")
        elif place.token not in "\n".join(lines[place.first - 1 : place.last]):
            wrong.append(f"{at}: {place.token!r} is not in these lines")
    return wrong
