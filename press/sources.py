"""What the book says of papers and of published code, checked at the source.

A *quotation* is a text in double quotation marks, on a page or of a claim; it must stand in a
paper. Letters, digits and mathematical signs are compared, without accents; ``[…]`` leaves words
out. A *place* is a link to lines of published code at a commit, whose title must stand in them.
"""

from __future__ import annotations

import re
import subprocess
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from lib.files import read_yaml
from lib.paths import CHAPTERS, DATA, ROOT
from press.toc import markdown

REACH = 2000  # letters within which the next part must follow where […] leaves words out
NOT_PROSE = (
    r"\A---\n.*?\n---\n|^(`{3,})(?:\{code-cell\}|\w)[^\n]*\n.*?^\1\s*$|`[^`\n]*`|</?[a-z][^>]*>"
)
PLACE = re.compile(
    r"https://github\.com/([\w.-]+/[\w.-]+)/blob/([0-9a-f]{40})/([^\s?#)]+)(?:\?plain=1)?"
    r'(?:#L(\d+)(?:-L(\d+))?)?(?:\s+"([^"]+)")?'
)
LISTED = read_yaml(DATA / "sources.yml", dict)


def compared(text: str) -> str:
    r"""The letters, digits and signs of a text that may be LaTeX.

    >>> compared("the ﬁrst esti-\nmate, $\\epsilon \\leq k$")
    'thefirstestimateε≤k'
    """
    text = re.sub(r"\\([A-Za-z]+)", lambda m: LISTED["signs"].get(m[1], ""), text)
    text = unicodedata.normalize("NFKD", text.translate(str.maketrans("−~·", "-∼⋅"))).casefold()
    kinds = ((c, unicodedata.category(c)) for c in text)
    return "".join(c for c, kind in kinds if kind[0] in "LN" or (kind == "Sm" and c not in "|∣"))


def is_in(words: str, text: str) -> bool:
    """Whether a quotation stands in a text to which :func:`compared` was applied.

    >>> text = compared("A bound is printed. It is not optimal.")
    >>> is_in("a printed", text), is_in("Bound […] not optimal", text)
    (False, True)
    """
    parts = [re.escape(compared(part)) for part in re.split(r"\[(?:…|\.{3})\]", words)]
    return bool(re.search(f".{{0,{REACH}}}?".join(parts), text))


def _pages() -> Iterator[tuple[str, str]]:
    for path in markdown(CHAPTERS):
        yield str(path.relative_to(ROOT)), path.read_text("utf-8")


def quotations() -> list[tuple[str, str, str]]:
    """Where something is quoted, of which paper (``""``: any), and the words; without what
    ``data/sources.yml`` lists as our own.
    """
    found = []
    for page, text in _pages():
        paper = next((of for at, of in LISTED["pages"].items() if page.startswith(at)), "")
        prose = PLACE.sub(" ", re.sub(NOT_PROSE, " ", text, flags=re.S | re.M))
        quoted = (" ".join(words.split()) for words in re.findall(r'"([^"]+)"', prose))
        found += [(page, paper, words) for words in quoted if words not in LISTED["own"]]
    others = read_yaml(DATA / "quotations.yml", dict)
    for file in sorted((DATA / "claims").glob("*.yml")):
        for row in read_yaml(file, list):
            if words := row.get("quote") or others.get(row["id"]):
                found.append((f"{file.name}, {row['id']}", row.get("about") or row["paper"], words))
    return found


def places() -> list[tuple[str, ...]]:
    """The links to lines of published code: the page, then the groups of :data:`PLACE`."""
    return [(page, *found.groups("")) for page, text in _pages() for found in PLACE.finditer(text)]


def wrong_quotations(papers: Path) -> list[str]:
    """Quotations that are not in their paper's text in the folder ``papers``, which has all."""
    texts = {
        paper: [compared((papers / name).read_text("utf-8")) for name in names]
        for paper, names in LISTED["papers"].items()
    }
    return [
        f'{where}: "{words}" is not in the text of {paper or "any paper"}'
        for where, paper, words in quotations()
        if not any(is_in(words, t) for p in ([paper] if paper else texts) for t in texts[p])
    ]


def wrong_places(clones: Path) -> list[str]:
    """Places that do not hold what their link says, by the clones (bare or not) in the folder
    ``clones``, each called as its repository, ``NAME`` or ``OWNER/NAME``.
    """
    wrong = []
    for page, repository, commit, path, first, last, token in places():
        owner, name = repository.split("/")
        tried = (name, f"{name}.git", repository, f"{owner}+{name}/repo")
        folder = next(filter(Path.is_dir, (clones / path for path in tried)), clones)
        command = ["git", "-C", str(folder), "show", f"{commit}:{path}"]
        shown = subprocess.run(command, capture_output=True, check=False).stdout
        lines = shown.decode("utf-8", "replace").splitlines()
        begin, end = int(first or 1), int(last or first or len(lines))
        at = f"{page}: {repository} {path}#L{begin}"
        if not lines:
            wrong.append(f"{at}: no clone with this file at commit {commit[:7]}")
        elif end > len(lines):
            wrong.append(f"{at}: the file has {len(lines)} lines")
        elif token not in "\n".join(lines[begin - 1 : end]):
            wrong.append(f"{at}: {token!r} is not in these lines")
    return wrong
