"""What a page may load and run: nothing from elsewhere, and no script that the build did not see."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from press.policy import META, PYTHON, with_policy
from press.toc import LESSON

PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><title>A page</title>
<script>window.own = 1;</script><script src="beside.js"></script></head>
<body><p id="words">Words</p></body></html>"""
TRIES = """async () => {
    const refused = [];
    document.addEventListener('securitypolicyviolation', e => refused.push(e.effectiveDirective));
    const add = (tag, given) => document.body.append(Object.assign(document.createElement(tag), given));
    add('script', {textContent: 'window.foreign = 1'});
    add('script', {src: 'https://elsewhere.invalid/a.js'});
    add('img', {src: 'https://elsewhere.invalid/a.png?secret'});
    add('iframe', {src: 'https://elsewhere.invalid/'});
    add('form', {action: 'https://elsewhere.invalid/'});
    document.forms[0].submit();
    const made = document.createElement('div');
    made.innerHTML = '<img src="data:," onerror="window.handled = 1">';
    document.body.append(made);
    await fetch('https://elsewhere.invalid/').catch(() => {});
    setTimeout(() => { try { eval('window.evaluated = 1'); } catch { } });  // what a test calls may
    await new Promise(done => setTimeout(done, 500));
    return [window.own, window.beside, window.foreign, window.handled, window.evaluated, [...new Set(refused)].sort()];
}"""


@pytest.mark.browser
def test_a_page_runs_its_own_scripts_and_no_other(tmp_path, chromium):
    (tmp_path / "beside.js").write_text("window.beside = 1;", "utf-8")
    (tmp_path / "page.html").write_text(with_policy(PAGE), "utf-8")
    page = chromium.new_page()
    page.goto((tmp_path / "page.html").as_uri())
    own, beside, *foreign, refused = page.evaluate(TRIES)
    assert (own, beside, foreign) == (1, 1, [None, None, None])
    kinds = ["connect-src", "form-action", "frame-src", "img-src"]
    assert refused == sorted([*kinds, "script-src", "script-src-attr", "script-src-elem"])
    page.context.close()


def test_a_policy_is_stated_once_behind_the_charset():
    page = with_policy(PAGE)
    assert page.index("charset") < page.index(META) < page.index("<title>")
    assert with_policy(page) == page
    assert "wasm" not in page
    assert "wasm-unsafe-eval" in with_policy(PAGE, more=PYTHON)


def test_every_page_of_the_book_states_a_policy_that_allows_what_is_in_it(html):
    pages = [page for page in html.rglob("*.html") if not page.is_relative_to(html / "_static")]
    assert len(pages) > 90
    for page in pages:
        text = page.read_text("utf-8")
        assert text.startswith(META) or re.search("<meta charset=", text[:1024], re.I), page
        assert text.count(META) == 1, page
        policy = re.search(f'{META}([^"]*)"', text)[1]
        for script in re.findall(r"<script\b(?![^>]*\ssrc=)[^>]*>(.+?)</script>", text, re.S):
            made = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
            assert f"'sha256-{made}'" in policy, (page, script[:80])
        assert not re.findall(r"<[a-z][^<>]*\son[a-z]+=", text), page
        lesson = LESSON.fullmatch(page.relative_to(html).with_suffix("").as_posix())
        assert ("wasm-unsafe-eval" in policy) is (lesson is not None), page
