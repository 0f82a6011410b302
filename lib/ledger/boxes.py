"""Boxes for the authors of a paper: each contested claim in the paper's words, with our reading and
the command that measures it again.
"""

from __future__ import annotations

from collections.abc import Sequence

from lib.extras import needs
from lib.ledger.claim import COMPANION
from lib.ledger.judge import Row, tallied
from lib.ledger.report import (
    authors_in_words,
    finding,
    in_words,
    render,
    statement_in_words,
    value_and_runs,
)
from lib.ledger.rules import CONTESTED
from lib.ledger.sureness import chances_in_words, sure_in_words
from lib.runner.registry import studies

# the grid behind a measure, by the start of its name, or else by the paper
GRIDS = {
    "section5": "coherence_section5",
    "mixture": "means_mixtures",
    "synth": "synth_newyork",
    "ldp": "ldp_main",
}


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
    if row.evidence.exact:
        return ""
    stated = row.claim.arguments.get("grid") or getattr(row.claim.measured_by(), "grid", None)
    names = (row.claim.measure, row.claim.paper)
    return stated or next(
        (g for start, g in GRIDS.items() for n in names if n.startswith(start)), ""
    )


def grids_behind(row: Row) -> list[str]:
    """The grids whose first results could answer the row: its own, or all of its study; none if
    arithmetic settles it.
    """
    if row.evidence.exact:
        return []
    module = getattr(row.claim.measured_by(), "__module__", "")
    of_study = (list(s.grids) for s in studies() if module in s.measures)
    return [own] if (own := grid_of(row)) else next(of_study, [])


def behind(rows: Sequence[Row]) -> dict[str, tuple[dict, list[str]]]:
    """By the ids of claims, what :func:`lib.ledger.history.of_claims` asks."""
    return {row.claim.id: (vars(row.claim), grids_behind(row)) for row in rows}


def reading_in_words(row: Row) -> str:
    """What we did and found, with the numbers of the evidence in their places."""
    share = row.claim.rule == "at_least"
    value = format(row.evidence.value, ".0%" if share else ".3g")
    return row.claim.reading.format(value=value, runs=row.evidence.runs)


def command(row: Row) -> str:
    """The shortest command that measures the claim again."""
    return f"python -m lib claims --id {row.claim.id}"


def box_html(row: Row, *, folded: bool = True) -> str:
    """One box: a line with verdict and claim, and below it quotation, reading, numbers, command.

    Its anchor is ``box-`` and the id of the claim; the page must stand beside the ledger's.
    """
    return render(
        "box.html.j2",
        row=row,
        claim=row.claim,
        folded=folded,
        statement=statement_in_words(row),
        authors=authors_in_words(row),
        glance=value_and_runs(row),
        finding=finding(row),
        reading=reading_in_words(row),
        numbers=in_words(row),
        sure=sure_in_words(row),
        chances=chances_in_words(row),
        command=command(row),
        grid=grid_of(row),
    )


def boxes(rows: Sequence[Row]) -> None:
    """Display a box for each row."""
    with needs("book"):
        from IPython.display import display

    html = "".join(map(box_html, rows))
    plain = "\n".join(f"{row.verdict}: {row.claim.statement} ({command(row)})" for row in rows)
    display({"text/html": html, "text/plain": plain}, raw=True)
