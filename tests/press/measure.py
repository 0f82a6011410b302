"""What can be counted on a page: words, open code, long lines, terms that no link explains.

``python -m tests.press.measure [chapters/ldp/fairness.md ...]`` prints one row for each page; with
``--show`` also the sentences and terms behind the numbers.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
CELL = re.compile(
    r"^(?P<fence>`{3,})\{code-cell\}[^\n]*\n(?P<body>.*?)^(?P=fence)\s*$", re.S | re.M
)
FURNITURE = re.compile(r"\b(badges|check_parameters|setup_style)\(")
NOT_PROSE = (
    r"\A---\n.*?\n---\n",
    r"<!--.*?-->",
    r'<div class="answer" .*?</div>',  # a box, in the tree for students
    r"^`{3,}\{(?:math|bibliography|tableofcontents|glossary)\}.*?^`{3,}\s*$",
    r"^(`{3,})\w+\n.*?^\1\s*$",
    r"\$\$.*?\$\$",
    r"^#.*$",
    r"^\|.*$",
    r"^\s*:[\w-]+:.*$",
    r"^(`{3,}|:{3,}).*$",
    r"^\([\w-]+\)=$",
)
LONGEST_SENTENCE = 32
EVERYDAY = {"cell", "evidence", "margin", "null", "run", "setting", "split", "verdict"}
BEFORE_A_NOUN = (
    r"(?:a|an|the|each|every|one|per|this|that|these|those|of|all|same|both|its|our|their|no|any"
    r"|some|\d[\d,]*)\s+"
)


@dataclass(frozen=True)
class Code:
    """Tags and lines of one code cell."""

    tags: frozenset[str]
    lines: tuple[str, ...]

    @property
    def shown(self) -> str:
        """``open``, ``folded``, ``removed``, or ``furniture`` (parameters, badges and checks)."""
        if "parameters" in self.tags:
            return "furniture"
        if self.tags & {"remove-input", "remove-cell"}:
            short = len(self.lines) <= 12 and FURNITURE.search("\n".join(self.lines))
            return "furniture" if short else "removed"
        folded = self.tags & {"hide-input", "hide-cell", "solution"}
        return "folded" if folded else "open"


def cells(text: str) -> list[Code]:
    """The code cells of a page."""
    found = []
    for match in CELL.finditer(text):
        lines = match["body"].splitlines()
        tags: set[str] = set()
        while lines and (lines[0].startswith(":") or not lines[0].strip()):
            if lines[0].startswith(":tags:"):
                tags |= set(re.findall(r"[\w-]+", lines[0].removeprefix(":tags:")))
            lines.pop(0)
        found.append(Code(frozenset(tags), tuple(line for line in lines if line.strip())))
    return found


def prose(text: str) -> str:
    """The page without code, formulas, headings, tables and fences; roles stay."""
    text = CELL.sub("\n\n", text)
    for pattern in NOT_PROSE:
        text = re.sub(pattern, "\n\n", text, flags=re.S | re.M if ".*?" in pattern else re.M)
    return text


def plain(text: str) -> str:
    """Prose as it is read: a link is its words, a formula or a glued number one word."""
    text = re.sub(
        r"\{(?:glue:text|cite[\w:]*|ref|numref|prf:ref|eq|doc)\}`([^`<]*)[^`]*`", " X ", text
    )
    text = re.sub(r"\{[\w:]+\}`([^`<]*?)\s*(?:<[^`]*>)?`", r"\1", text)
    text = re.sub(r"\$[^$]+\$", " X ", text)
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"[*_`]", "", text)


def sentences(text: str) -> list[str]:
    """The sentences of the prose."""
    found = []
    for block in re.split(r"\n\s*\n|^\s*(?:[-*]|\d+\.)\s", plain(prose(text)), flags=re.M):
        for sentence in re.split(r"(?<=[.!?:;])\s+(?=[A-Z0-9X(*])", " ".join(block.split())):
            if len(sentence.split()) > 1:
                found.append(sentence)
    return found


@cache
def terms() -> tuple[str, ...]:
    """The entries of the glossary, longest first."""
    text = (ROOT / "chapters" / "front" / "glossary.md").read_text("utf-8")
    body = re.search(r"^```\{glossary\}\n(.*?)^```", text, re.S | re.M)[1]
    names = {line.strip() for line in body.splitlines() if line and not line.startswith((" ", ":"))}
    return tuple(sorted(names, key=len, reverse=True))


def unlinked(text: str) -> list[str]:
    """Terms of the glossary whose first use in the prose is not a link to it.

    A word inside another link or a quotation counts as no use, and neither does an everyday word (*run*, *split*)
    unless an article or a number shows that it is a noun.
    """
    body = re.sub(r"\$[^$]+\$", " ", prose(text))
    body = re.sub(r'"[^"\n]*"', " ", re.sub(r"\[[^]]*\]\([^)]*\)", " ", body))  # a paper's words
    body = re.sub(r"\{(?!term)[\w:]+\}`[^`]*`", " 0 ", body)
    body = re.sub(r"\[[^]]*\]\([^)]*\)", " ", body)
    links = {}
    for match in re.finditer(r"\{term\}`([^`<]*?)\s*(?:<([^`]*)>)?`", body):
        links.setdefault((match[2] or match[1]).strip().lower(), match.start())
    words = re.sub(r"\{term\}`[^`]*`", lambda m: " " * len(m[0]), body)
    words = re.sub(r"`[^`]*`", lambda m: " " * len(m[0]), words)
    missing = []
    for term in terms():
        name = re.sub(r",.*", "", term)
        pattern = rf"(?<![\w-]){re.escape(name)}(?:s|es)?(?![\w-])"
        noun = rf"(?<![\w-]){BEFORE_A_NOUN}{pattern}" if name in EVERYDAY else pattern
        use = re.search(noun, words, flags=_case(name))
        if use and links.get(term.lower(), len(body)) > use.start():
            missing.append(term)
        words = re.sub(pattern, lambda m: " " * len(m[0]), words, flags=_case(name))
    return sorted(missing)


def _case(name: str) -> int:
    return 0 if name.isupper() else re.I


def measure(path: Path) -> dict[str, object]:
    """The row of one page."""
    text = path.read_text("utf-8")
    code = cells(text)
    count = {
        k: sum(len(c.lines) for c in code if c.shown == k) for k in ("open", "folded", "removed")
    }
    lines = [line for c in code for line in c.lines]
    long = [s for s in sentences(text) if len(s.split()) > LONGEST_SENTENCE]
    calls = sum(len(re.findall(r"\b(?:say|put)\(", line)) for line in lines)
    return {
        "page": path.relative_to(ROOT / "chapters").with_suffix("").as_posix(),
        "words": len(plain(prose(text)).split()),
        "open": count["open"] / (sum(count.values()) or 1),
        "removed": count["removed"],
        "longest line": max(map(len, lines), default=0),
        "say/put": calls,
        "long sentences": long,
        "unlinked": unlinked(text),
    }


def main(arguments: list[str]) -> None:
    """Print the rows of the pages named, or of all."""
    show = "--show" in arguments
    named = [Path(a).resolve() for a in arguments if a != "--show"]
    every = sorted((ROOT / "chapters").rglob("*.md"))
    print(f"{'page':34} words  open removed longest say/put sentences>{LONGEST_SENTENCE} unlinked")
    for path in named or [p for p in every if "reference" not in p.parts]:
        row = measure(path)
        print(
            f"{row['page']:34} {row['words']:5} {row['open']:5.0%} {row['removed']:7} "
            f"{row['longest line']:7} {row['say/put']:7} {len(row['long sentences']):12} "
            f"{len(row['unlinked']):8}"
        )
        if show:
            print(*(f"    > {s}" for s in row["long sentences"]), sep="\n")
            print("    unlinked:", ", ".join(row["unlinked"]))


if __name__ == "__main__":
    main(sys.argv[1:])
