"""Each claim has its card: the paper's words, our reading, the rule, the command that measures it
again.
"""

from __future__ import annotations

import base64
import re
from dataclasses import replace

import pytest

from lib.cli import main
from lib.ledger import evaluate
from studies.verdicts import cards as ledger


@pytest.fixture(scope="module")
def every():
    return evaluate()


@pytest.fixture(scope="module")
def rows(every):
    return ledger.contested(every)


def test_each_contested_claim_has_a_short_quotation_and_a_reading_and_no_other_a_reading(
    rows, every
):
    assert ledger.unexplained(rows) == []
    assert all(len(row.claim.quote.replace("[…]", " ").split()) <= 30 for row in rows)
    assert {r.claim.id for r in every if r.claim.reading} <= {row.claim.id for row in rows}


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
