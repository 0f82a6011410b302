"""The ledger as cards, one for each claim: closed, its verdict beside the authors' own results and
our rerun; open, the paper's words, our reading, the rule, and the command that measures it again.
"""

from __future__ import annotations

import math
from base64 import b64encode
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

import pandas as pd

from lib.files import read_yaml, template
from lib.ledger.claim import COMPANION, Claim, papers, study_of
from lib.ledger.judge import Row, summary, tallied
from lib.ledger.rules import CONTESTED, VERDICTS
from lib.pages.chapter import show
from lib.paths import DATA
from lib.typeset import typeset
from studies.verdicts import robustness
from studies.verdicts.words import (
    authors_in_words,
    before_in_words,
    finding,
    in_words,
    paper_in_words,
    rerun_in_words,
    stated_rule,
    statement_in_words,
    sure_in_words,
    sure_kind,
    verdict_in_words,
)


def contested(rows: Sequence[Row]) -> list[Row]:
    """The counted claims of papers that are not reproduced, or in the same direction only."""
    return [
        row for row in tallied(rows) if row.claim.paper != COMPANION and row.verdict in CONTESTED
    ]


def unexplained(rows: Sequence[Row]) -> list[str]:
    """What the contested among some rows still need, in words: a quotation, a reading, or both."""
    found = []
    for row in contested(rows):
        lacks = [name for name in ("quote", "reading") if not getattr(row.claim, name).strip()]
        if lacks:
            found.append(
                f"{row.claim.id} is {row.verdict}, so it must have quote, at most 30 words of the"
                " paper, and reading, what was measured and why it is judged so, in its file of"
                f" data/claims; got {'no ' if len(lacks) == 1 else 'neither '}{' nor '.join(lacks)}"
            )
    return found


def grid_of(row: Row) -> str:
    """The name of the grid whose stored results the row rests on; empty if arithmetic settles it,
    or a table itself.
    """
    return "" if row.evidence.exact else robustness.grid_of(row.claim)


def reading_in_words(row: Row) -> str:
    """What we did and found, with the numbers of the evidence in their places."""
    share = row.claim.rule == "at_least"
    value = format(row.evidence.value, ".0%" if share else ".3g")
    return row.claim.reading.format(value=value, runs=row.evidence.runs)


def command(row: Row) -> str:
    """The shortest command that measures the claim again."""
    return f"python -m lib claims --id {row.claim.id}"


def _theirs(row: Row) -> str:
    """How the verdict by the authors' own results lies to ours."""
    if not finding(row) or row.authors is None:
        return "not stored" if authors_in_words(row) == "not stored" else "not asked"
    same = row.authors.verdict == row.verdict
    return "the same verdict" if same else "another verdict"


def facets(row: Row) -> dict[str, list[str]]:
    """What a reader can choose the row by: the values that it has of each facet."""
    claim = row.claim
    source = paper_in_words(claim.paper)
    measured = not math.isnan(row.evidence.value)
    return {
        "source": [source + (f", on {paper_in_words(claim.about)}" if claim.about else "")],
        "verdict": [row.verdict, "contested"] if contested([row]) else [row.verdict],
        "sure": [sure_kind(row)],
        "authors": [_theirs(row)],
        "kind": [claim.kind],
        "data": [row.evidence.data if measured else "–"],
        "set": ["when part of the results was known" if claim.seen else "before the results"],
    }


FACETS = {
    "source": "Stated by",
    "verdict": "Verdict",
    "sure": "How sure",
    "authors": "Authors’ own results",
    "kind": "Kind of claim",
    "data": "Data",
    "set": "Rule set",
}


@cache
def _quotations() -> dict[str, str]:
    return read_yaml(DATA / "quotations.yml", dict)


def quotation(claim: Claim) -> str:
    """The paper's words behind a claim; empty if there are none."""
    return claim.quote or _quotations().get(claim.id, "")


def as_text(row: Row) -> dict[str, str]:
    """Everything that the ledger shows of one row, in words."""
    claim, own = row.claim, facets(row)
    return {
        "id": claim.id,
        "verdict": row.verdict,
        "claim": statement_in_words(row),
        "paper": claim.value or "–",
        "authors": authors_in_words(row),
        "rerun": rerun_in_words(row),
        "sure": sure_in_words(row),
        "place": claim.place,
        "quotation": quotation(claim),
        "finding": finding(row),
        "reading": reading_in_words(row) if claim.reading else "",
        "numbers": in_words(row),
        "rule": stated_rule(row).removesuffix(" †"),
        "before": before_in_words(claim),
        **{name: own[name][0] for name in ("source", "kind", "data", "set")},
    }


def _choices(rows: Sequence[Row], name: str) -> dict[str, int]:
    """The values of a facet and how often they occur, in the order of the rows; verdicts from the
    best to the worst.
    """
    counts = Counter(value for row in rows for value in facets(row)[name])
    order = (*VERDICTS, "contested") if name == "verdict" else list(counts)
    return {value: counts[value] for value in order if counts[value]}


def cards_html(rows: Sequence[Row]) -> str:
    """The rows as cards in one group for each paper, the companion's last; the anchor of a card is
    ``claim-`` and the id of its claim.

    The page's script (``companion.js``) shows menus and a search above them. Without scripts the
    cards are a plain list.
    """
    order = (*papers(), COMPANION)
    rows = sorted(rows, key=lambda row: order.index(row.claim.paper))
    texts = {row.claim.id: as_text(row) for row in rows}
    table = pd.DataFrame(list(texts.values()))
    page = template(
        Path(__file__).with_name("cards.html.j2"),
        autoescape=True,
        base64=lambda text: b64encode(text.encode()).decode(),
        typeset=typeset,
        facets=facets,
        tally=summary,
        command=command,
        grid=grid_of,
        in_words=paper_in_words,
        found=verdict_in_words,
    )
    return page.render(
        groups={paper: list(own) for paper, own in groupby(rows, lambda row: row.claim.paper)},
        choices={name: _choices(rows, name) for name in FACETS},
        heads=FACETS,
        study_of=study_of,
        texts=texts,
        downloads={"csv": table.to_csv(index=False), "json": table.to_json(orient="records")},
    )


def cards(rows: Sequence[Row]) -> None:
    """Display :func:`cards_html`."""
    plain = "\n".join(f"{row.verdict}: {row.claim.statement} ({command(row)})" for row in rows)
    show({"text/html": cards_html(rows), "text/plain": plain})
