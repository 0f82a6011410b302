"""The errata in one list: every entry of every page, and a reader who narrows it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lib.paths import CHAPTERS
from press.errata import PAPERS, entries
from tests.press.test_browser import opened

LABEL = re.compile(r"^\((errata-[\w-]+)\)=$", re.M)


def test_each_entry_of_each_page_is_in_the_list():
    texts = [(CHAPTERS / "errata" / f"{name}.md").read_text("utf-8") for name in PAPERS]
    labels = [label for text in texts for label in LABEL.findall(text)]
    assert sorted(anchor for _, _, anchor, _, _ in entries()) == sorted(labels)
    assert {path.stem for path in (CHAPTERS / "errata").glob("*.md")} == {*PAPERS}


@pytest.mark.browser
def test_the_list_is_narrowed_and_the_address_keeps_it(chromium, tmp_path):
    rows = [("means", "noise", "slip"), ("LDP", "seed", "slip"), ("LDP", "noise", "no error")]
    cells = "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in rows)
    script = Path(CHAPTERS, "_static", "companion.js").as_uri()
    (tmp_path / "list.html").write_text(
        f'<script src="{script}"></script><div class="filtered"><table><thead><tr><th>paper</th>'
        f"<th>entry</th><th>status</th></tr></thead><tbody>{cells}</tbody></table></div>",
        "utf-8",
    )
    page, _ = opened(chromium, (tmp_path / "list.html").as_uri())
    seen = lambda: page.locator("tbody tr:visible").all_inner_texts()  # noqa: E731
    assert len(seen()) == 3
    page.get_by_label("Paper").select_option("LDP")
    assert [row.split()[1] for row in seen()] == ["seed", "noise"]
    page.get_by_label("Words").fill("NOISE")
    assert [row.split()[0] for row in seen()] == ["LDP"]
    assert page.get_by_role("status").inner_text() == "1 of 3"
    again, _ = opened(chromium, page.url)
    assert again.get_by_role("status").inner_text() == "1 of 3"
    again.context.close()
    page.context.close()
