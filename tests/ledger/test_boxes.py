"""Each contested claim has its box: the paper's words, our reading, the command that measures it
again.
"""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

from lib.cli import main
from lib.ledger import evaluate
from lib.ledger.boxes import (
    box_html,
    boxes,
    command,
    contested,
    grid_of,
    reading_in_words,
    unexplained,
)
from lib.ledger.claim import COMPANION, PAPERS, papers, read_claims
from lib.ledger.judge import tallied
from lib.ledger.report import authors_in_words, finding
from lib.ledger.rules import CONTESTED
from lib.runner.registry import studies
from lib.typeset import typeset


@pytest.fixture(scope="module")
def rows():
    return contested(evaluate())


def test_contested_are_the_counted_claims_of_papers_that_fall_short(rows):
    assert len(rows) > 20
    assert set(PAPERS) <= {row.claim.paper for row in rows} <= set(papers())
    assert {row.verdict for row in rows} == set(CONTESTED)
    assert all(row in tallied(rows) and row.claim.paper != COMPANION for row in rows)


def test_each_contested_claim_has_a_quotation_and_a_reading_and_no_other_has(rows):
    assert unexplained(rows) == []
    words = {c.id for c in read_claims() if c.quote or c.reading}
    # one that a stand-in contests and all real rows do not has no verdict then, and keeps its words
    withdrawn = {
        row.claim.id for row in evaluate() if row.evidence.detail.startswith("no verdict from")
    }
    spare = sorted(words - {row.claim.id for row in rows} - withdrawn)
    assert not spare, f"quote and reading must be left out of claims that hold, got {spare}"


def test_a_contested_claim_without_words_is_named_with_what_it_needs(rows):
    row = rows[0]
    bare = replace(row, claim=replace(row.claim, quote="", reading=" "))
    assert unexplained([row, bare]) == [
        f"{row.claim.id} is {row.verdict}, so it must have quote, at most 30 words of the paper, and"
        " reading, what was measured and why it is judged so, in its file of data/claims; got"
        " neither quote nor reading"
    ]


def test_claims_write_ends_with_what_contested_claims_still_need(rows, monkeypatch, capsys):
    bare = replace(rows[0], claim=replace(rows[0].claim, quote=""))
    monkeypatch.setattr("lib.cli.claims.report.main", lambda **_: 0)
    monkeypatch.setattr("lib.cli.claims.evaluate", lambda: [bare])
    assert main(["claims", "--write"]) == 0
    assert capsys.readouterr().out.endswith("data/claims; got no quote\n")


def test_the_grid_of_a_further_study_is_that_of_its_measure(rows, monkeypatch):
    """It was looked up in a list of the book's own grids, and a box of another paper stopped."""
    row = next(row for row in rows if not row.evidence.exact)

    def measure() -> None: ...

    measure.grid = "coin_survey"
    claim = replace(row.claim, measure="coin_estimate", paper="coherence", arguments={})
    monkeypatch.setattr("lib.ledger.claim.Claim.measured_by", lambda self: measure)
    assert grid_of(replace(row, claim=claim)) == "coin_survey"


def test_quotations_are_short(rows):
    long = [r.claim.id for r in rows if len(r.claim.quote.replace("[…]", " ").split()) > 30]
    assert long == []


def test_readings_are_a_few_sentences_and_take_their_numbers_from_the_evidence(rows):
    for row in rows:
        words = reading_in_words(row)
        assert 10 < len(words.split()) < 65, row.claim.id
        assert "nan" not in words
        assert not re.search(r"[{}]", words)
        numbers = re.findall(r"(?<!\w)\d\.\d{3,}|\d+%", row.claim.reading.split("{value}")[-1])
        assert set(numbers) <= {"200%", "100%", "80%"}, row.claim.id  # those are the paper's


def test_a_box_has_verdict_claim_quotation_reading_and_command(rows):
    grids = {grid for study in studies() for grid in study.grids}
    for row in rows:
        html = box_html(row)
        text = unescape(re.sub("<[^>]*>", "", html))
        assert f'id="box-{row.claim.id}"' in html
        assert text.startswith(f"{row.verdict}: ")
        ours = map(typeset, (row.claim.statement, reading_in_words(row)))
        for part in (row.claim.quote, command(row), *ours):  # the paper's own words stay
            assert part in text, row.claim.id
        assert f"/ {row.verdict}" in text
        assert f"in the authors’ own results: {typeset(authors_in_words(row))} /" in text
        assert typeset(finding(row)) in text
        assert f"ledger.html#claim-{row.claim.id}" in html
        assert (grid_of(row) in grids) == (not row.evidence.exact), row.claim.id
        assert ("python -m lib run" in text) == (not row.evidence.exact)


def test_boxes_are_displayed_folded_or_open(rows, capsys):
    assert " open>" not in box_html(rows[0])
    assert " open>" in box_html(rows[0], folded=False)
    boxes(rows[:2])
    assert command(rows[1]) in capsys.readouterr().out


def test_the_command_of_a_box_measures_its_row_again(rows, capsys):
    first = next(row for row in rows if row.claim.id == "stratified-algorithm3")
    assert main([*command(first).split()[3:], "ldp-composes"]) == 0
    out = capsys.readouterr().out
    assert len(re.findall(r"^[A-Z]", out, flags=re.M)) == 2
    assert re.search(r"^NOT REPRODUCED +stratified-algorithm3", out, flags=re.M)
    assert re.search(r"^REPRODUCED +ldp-composes", out, flags=re.M)
    assert "stored evidence" not in out
    assert "rule: true" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--id", "ldp-compose"], r"id must be one of 'ldp-composes'.* got 'ldp-compose'"),
        (["--id", "ldp-composes", "--check"], "id must be left out with check and write"),
    ],
)
def test_a_wrong_id_is_named_with_those_that_come_close(arguments, message, capsys):
    assert main(["claims", *arguments]) == 2
    assert re.search(message, capsys.readouterr().err)
