"""The ledger in a headless Chromium: its menus, and its address."""

from __future__ import annotations

import pytest

from lib.ledger import evaluate, read_claims
from studies.verdicts.cards import contested

pytestmark = pytest.mark.browser
LEDGER = "chapters/verdicts/ledger"
ROWS = len(read_claims())
SHOWN = ".claim:not([hidden])"


@pytest.fixture
def ledger(open_page):
    """Open the ledger at an address; its page is closed after the test."""

    def open_at(*anchor: str, **options):
        page, wrong = open_page(LEDGER, *anchor, **options)
        assert wrong == [] or not options.get("java_script_enabled", True)
        return page

    return open_at


def status(page) -> str:
    return page.locator(".filter-bar [role=status]").inner_text()


def test_the_groups_are_closed_at_first_and_a_choice_opens_what_it_leaves(ledger):
    page = ledger()
    assert page.locator(".claims[open]").count() == 0
    assert status(page) == f"{ROWS} of {ROWS} rows"
    page.locator("[name=verdict]").select_option("contested")
    disputed = contested(evaluate())
    assert status(page) == f"{len(disputed)} of {ROWS} rows"
    shown = page.locator(SHOWN).evaluate_all("cards => cards.map(card => card.id)")
    assert set(shown) == {f"claim-{row.claim.id}" for row in disputed}
    page.locator("[name=text]").fill("-0.011 GRR")  # no card has these words in this order
    assert status(page) == f"0 of {ROWS} rows"
    page.get_by_role("button", name="Show all").click()
    page.wait_for_function("() => document.querySelectorAll('.claims[open]').length === 0")
    assert status(page) == f"{ROWS} of {ROWS} rows"


def test_the_address_keeps_the_choice_and_those_of_before_still_work(ledger):
    page = ledger()
    page.locator("[name=kind]").select_option("equivalence")
    page.locator("[name=text]").fill("acscoverage")
    said, address = status(page), page.evaluate("location.hash")
    again = ledger(address)
    assert status(again) == said != f"{ROWS} of {ROWS} rows"
    old = ledger("#filter?verdict=same+direction&source=Companion%2C+on+LDP+and+fairness&data=gone")
    rows = [r for r in evaluate() if r.claim.about == "ldp" and r.verdict == "same direction"]
    assert status(old) == f"{len(rows)} of {ROWS} rows"


def test_an_address_opens_its_card_and_drops_the_choice(ledger):
    page = ledger("#claim-ldp-correlation")
    card = page.locator("#claim-ldp-correlation")
    assert card.locator("blockquote").is_visible()
    page.locator("[name=verdict]").select_option("reproduced")
    assert not card.is_visible()
    page.evaluate("location.hash = '#claim-ldp-correlation'")
    card.locator("blockquote").wait_for(state="visible")
    assert status(page) == f"{ROWS} of {ROWS} rows"


def test_an_address_of_before_leads_to_the_page_of_the_method(ledger):
    ledger("#many-tests-at-once").wait_for_url("**/verdicts/method.html#many-tests-at-once")


def test_nothing_on_the_first_screen_jumps_while_the_page_loads(chromium, html):
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    page.add_init_script(
        "window.shift = 0; new PerformanceObserver((list) => { for (const one of"
        " list.getEntries()) window.shift += one.value; }).observe("
        "{ type: 'layout-shift', buffered: true });"
    )
    page.goto((html / f"{LEDGER}.html").as_uri())
    page.wait_for_selector(".ledger.ready")
    assert page.evaluate("window.shift") < 0.05
    page.close()


def test_without_scripts_all_claims_are_a_list_and_each_opens(ledger):
    page = ledger("#claim-ldp-correlation", java_script_enabled=False)
    assert page.locator(".claims[open]").count() == 4
    assert not page.locator(".filter-bar").is_visible()
    lines = page.locator(".claim > summary")
    assert lines.count() == ROWS
    assert lines.last.is_visible()
    lines.last.click()
    assert page.locator(".claim").last.locator("dl").is_visible()
