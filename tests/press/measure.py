"""The words of a page: its prose, as it is read, and its sentences."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
CELL = re.compile(
    r"^(?P<fence>`{3,})\{code-cell\}[^\n]*\n(?P<body>.*?)^(?P=fence)\s*$", re.S | re.M
)
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
