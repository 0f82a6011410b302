"""Each claim has its card: the paper's words, our reading, the rule, the command that measures it
again.
"""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from html import unescape

import pytest

from lib.cli import main
from lib.ledger import evaluate
from lib.ledger.claim import COMPANION, PAPERS, papers, read_claims
from lib.ledger.judge import tallied
from lib.ledger.rules import CONTESTED
from lib.typeset import typeset
from studies.verdicts import cards as ledger
from studies.verdicts import words as wording


@pytest.fixture(scope="module")
def every():
    return evaluate()


@pytest.fixture(scope="module")
def rows(every):
    return ledger.contested(every)


def test_contested_are_the_counted_claims_of_papers_that_fall_short(rows):
    assert len(rows) > 20
    assert set(PAPERS) <= {row.claim.paper for row in rows} <= set(papers())
    assert {row.verdict for row in rows} == set(CONTESTED)
    assert all(row in tallied(rows) and row.claim.paper != COMPANION for row in rows)


def test_each_contested_claim_has_a_quotation_and_no_other_a_reading(rows, every):
    assert ledger.unexplained(rows) == []
    words = {c.id for c in read_claims() if c.reading}
    # one that a stand-in contests and all real rows do not has no verdict then, and keeps its words
    withdrawn = {r.claim.id for r in every if r.evidence.detail.startswith("no verdict from")}
    spare = sorted(words - {row.claim.id for row in rows} - withdrawn)
    assert not spare, f"reading must be left out of claims that hold, got {spare}"


def test_a_contested_claim_without_words_is_named_with_what_it_needs(rows):
    row = rows[0]
    bare = replace(row, claim=replace(row.claim, quote="", reading=" "))
    [said] = ledger.unexplained([row, bare])
    assert said.startswith(f"{row.claim.id} is {row.verdict}, so it must have quote, at most 30")
    assert said.endswith("in its file of data/claims; got neither quote nor reading")


def test_claims_write_ends_with_what_contested_claims_still_need(rows, monkeypatch, capsys):
    bare = replace(rows[0], claim=replace(rows[0].claim, quote=""))
    monkeypatch.setattr("studies.verdicts.command.main", lambda **_: 0)
    monkeypatch.setattr("studies.verdicts.command.evaluate", lambda: [bare])
    assert main(["claims", "--write"]) == 0
    assert capsys.readouterr().out.endswith("data/claims; got no quote\n")


def test_the_grid_of_a_further_study_is_that_of_its_measure(rows, monkeypatch):
    """It was looked up in a list of the book's own grids, and a card of another paper stopped."""
    row = next(row for row in rows if not row.evidence.exact)

    def measure() -> None: ...

    measure.grid = "coin_survey"
    claim = replace(row.claim, measure="coin_estimate", paper="coherence", arguments={})
    monkeypatch.setattr("lib.ledger.claim.Claim.measured_by", lambda self: measure)
    assert ledger.grid_of(replace(row, claim=claim)) == "coin_survey"


def test_quotations_are_short(rows):
    long = [r.claim.id for r in rows if len(r.claim.quote.replace("[…]", " ").split()) > 30]
    assert long == []


def part(html: str, row) -> str:
    """The card of a row, cut out of the ledger."""
    return re.search(
        rf'<details class="claim[^>]*id="claim-{row.claim.id}".*?\n</details>', html, re.S
    )[0]


def plain(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", "", html)).split())


def test_every_row_has_one_card_with_its_rule_and_old_rule(every):
    html = ledger.cards_html(every)
    anchors = re.findall(r'id="(claim-[^"]*)"', html)
    assert sorted(anchors) == sorted(f"claim-{row.claim.id}" for row in every)
    for row in every:
        text = plain(part(html, row))
        stated = " ".join(typeset(wording.stated_rule(row).removesuffix(" †")).split())
        assert stated in text, row.claim.id
        assert (" †." in text) == (row.claim.seen and bool(row.claim.rule)), row.claim.id
        old = wording.before_in_words(row.claim)
        assert " ".join(typeset(old).split()) in text
        assert ("Old rule" in text) == bool(old)
    counted = [r for r in every if r.claim.paper != COMPANION and r.claim.measure]
    assert [r.claim.id for r in tallied(counted) if not ledger.quotation(r.claim)] == []


def test_a_claim_judged_on_a_stand_in_shows_what_real_tables_say(every):
    row = next(row for row in every if row.claim.id == "stratified-fig5-caption")
    (texas,) = ledger.on_real_tables(row, every)
    assert texas.claim.id == "stratified-fig5-caption-texas"
    text = plain(part(ledger.cards_html(every), row))
    assert (
        f"In Texas: {typeset(wording.verdict_in_words(texas))}; on the national extract: " in text
    )
    assert ledger.on_real_tables(texas, every) == []


def test_cards_escape_words_and_can_be_downloaded(rows):
    row = replace(rows[0], claim=replace(rows[0].claim, statement="a < b & c", value=""))
    html = ledger.cards_html([row])
    assert "a &lt; b &amp; c" in html
    for form in ("csv", "json"):
        link = rf'download="ledger.{form}" href="data:text/{form};base64,([^"]*)"'
        (code,) = re.findall(link, html)
        assert "a < b & c" in base64.b64decode(code).decode()


def test_the_command_of_a_card_measures_its_row_again(rows, capsys):
    first = next(row for row in rows if row.claim.id == "stratified-clip")
    assert main([*ledger.command(first).split()[3:], "ldp-composes"]) == 0
    out = capsys.readouterr().out
    assert len(re.findall(r"^[A-Z]", out, flags=re.M)) == 2
    assert re.search(r"^NOT REPRODUCED +stratified-clip", out, flags=re.M)
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
