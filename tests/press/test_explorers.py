"""The explorers: what their scripts compute is what ``lib`` computes, and a page that has one
answers to keys, keeps its settings, asks nobody else, and stands without scripts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from lib.coherence.bounds.within_group import insufficient_epsilon, limit_distance
from lib.coherence.guarantee import MODES, UNKNOWNS, Setting
from lib.coherence.solver import solve
from lib.domain import Domain
from lib.dp import rho_in_floats
from lib.fairness import fairness, group_rates
from lib.ldp import PROTOCOLS, make
from lib.ledger import evaluate
from lib.means import Interval, coinpress_path
from lib.paths import CHAPTERS, ROOT
from lib.runner import results, scores
from lib.synth import MST, Stratified, break_even
from press.stage import copy_static
from studies.private_means.theory import clip_slack, stratified_bound
from studies.synthesizers.figures.who_pays import group_errors
from studies.verdicts.robustness import CORRECTIONS, on_grid, with_correction, with_slack
from tests.press.test_browser import PHONE, barriers, closing

pytestmark = pytest.mark.browser
PAGE = """<!doctype html><html lang="en" data-content_root="./" data-theme="light">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A page</title>
<link rel="stylesheet" href="_static/companion.css"><style>html {{
--pst-color-background: #fff; --pst-color-text-base: #323232; --pst-color-text-muted: #48566b;
--pst-color-surface: #f5f5f5; --pst-color-border: #c9c9c9; }} body {{ margin: 8px }}</style>
<script src="_static/companion.js"></script><main><h1>A page</h1>
<div class="explorer" id="explore-{name}" data-explorer="{name}"><p>Try it.</p>
<p class="explorer-still">Without scripts, see the figure.</p></div></main></html>"""
FIGURE = (
    '<figure class="plot" id="fig-x"><div class="picture">drawn</div>'
    "<figcaption><strong>What is seen.</strong></figcaption></figure>"
)
SCRIPTS = {path.stem for path in (CHAPTERS / "_static" / "explorers").glob("*.js")}
NAMES = sorted(SCRIPTS - {"core", "formulas"})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small book: the static files, and a page for each explorer."""
    place = tmp_path_factory.mktemp("explorers")
    copy_static(ROOT, place / "_static")
    for name in NAMES:
        (place / f"{name}.html").write_text(PAGE.format(name=name), "utf-8")
    return place


@contextmanager
def exploring(chromium, folder) -> Iterator[Callable]:
    """Open pages of explorers, which are closed at the end."""
    with closing(chromium) as open_file:

        def one(name: str, **options):
            page, wrong = open_file(folder / f"{name}.html", **options)
            if options.get("java_script_enabled", True):
                page.wait_for_selector("[data-ready]")
            return page, wrong

        yield one


@pytest.fixture
def explore(chromium, folder):
    """Open the page of an explorer; the page and what went wrong on it."""
    with exploring(chromium, folder) as one:
        yield one


@pytest.fixture(scope="module")
def formula(chromium, folder):
    """Ask a function of ``formulas.js`` for the values at many arguments, in one call."""
    with exploring(chromium, folder) as one:
        page, _ = one("primer")
        yield lambda body, cases: page.evaluate(f"cases => cases.map({body})", cases)


def drawn(logs: str = "", **ranges: tuple) -> list[dict]:
    """200 settings at random: whole numbers where the ends are; of those in ``logs`` the logarithm
    is uniform.
    """
    rng, columns = np.random.default_rng(8), {}
    for name, ends in ranges.items():
        values = rng.uniform(*(np.log(ends) if name in logs else ends), 200)
        values = np.exp(values) if name in logs else values
        columns[name] = (values.astype(int) if isinstance(ends[0], int) else values).tolist()
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def near(found, expected, relative=1e-9):
    np.testing.assert_allclose(found, expected, rtol=relative, atol=1e-12)


# --- what is computed


def of_primer(belief, epsilon):
    channel = make("GRR", k=2, epsilon=epsilon).channel()
    joint = np.array([1 - belief, belief])[:, None] * channel
    after = joint[1] / joint.sum(axis=0)
    # the most powerful test at a level mixes the two nearest sets of reports
    power = np.interp(belief, [0, channel[0, 1], 1], [0, channel[1, 1], 1])
    return after.max(), after.min(), channel[1, 1], power


def of_protocol(name, k, e, n, f):
    made = make(name, k=k, epsilon=e)
    return made.variance(n, f), made.variance(n), made.p_star, made.q_star


def of_metrics(**counts):
    kinds = [[1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 0, 0], [1, 1, 1], [1, 0, 1], [0, 1, 1], [0, 0, 1]]
    arrays = np.repeat(kinds, [*counts.values()], axis=0).T
    made = fairness(*arrays) | group_rates(*arrays)
    return [made[m] for m in "DI SPD EOD OAD positive_rate_0 tpr_0 fpr_0 acc_0".split()]


def of_coinpress(n, width, sigma, a, b):
    interval = Interval(low=-width / 2, high=width / 2, sigma=sigma)
    path = coinpress_path(np.zeros(n), np.array([n]), interval, (a, b), None)
    half = float(np.ptp(path[-1])) / 2
    tail = 2 * np.log(2 / (interval.beta / 4))
    return np.sqrt(half**2 / tail - sigma**2 / n), half


def of_bound(k, m, **own):
    return stratified_bound(np.full(k, m), **own), clip_slack(k * m, own["gamma"])


def of_break_even(epsilon, columns, codes):
    domain = Domain.of({"g": 2} | {f"c{i}": codes for i in range(columns)})
    return break_even(domain, by=("g",), rho=0.95 * rho_in_floats(epsilon, 1e-9))


def of_sharing(a, b, c, d):
    """By the fit itself, of nobody: the sizes are declared."""
    sizes = {0: a, 1: b, 2: c, 3: d}
    wrapper = Stratified(inner=MST(iterations=1), by=("g",), sizes=sizes, threshold="break-even")
    domain = Domain.of({"g": 4, "x": 2})
    nobody = pd.DataFrame({"g": [], "x": []}, dtype=int)
    model = wrapper.fit(nobody, domain, rho=1e-4, rng=np.random.default_rng(0))
    return [(code,) in model.pooled for code in sizes]


COUNTS = {f"{kind}{group}": (1, 30) for group in (0, 1) for kind in ("tp", "fn", "fp", "tn")}
THEORY = {"radius": (0.1, 100.0), "epsilon": (0.01, 10.0), "gamma": (0.001, 0.5)}
FORMULAS = {
    "primer": (
        of_primer,
        "({belief: b, epsilon: e}) => [Formulas.raised(b, e), Formulas.raised(b, -e),"
        " Formulas.power(1 / (1 + Math.exp(e)), e), Formulas.power(b, e)]",
        drawn(belief=(0.001, 0.999), epsilon=(0.01, 20.0)),
    ),
    "metrics": (
        of_metrics,
        "c => { const of = g => Formulas.ratesOfCounts({tp: c['tp' + g], fn: c['fn' + g], fp: c['fp' + g],"
        " tn: c['tn' + g]}), [a, b] = [of(0), of(1)], m = Formulas.fairness(a, b);"
        " return [m.DI, m.SPD, m.EOD, m.OAD, a.positive, a.tpr, a.fpr, a.acc]; }",
        drawn(**COUNTS),
    ),
    "coinpress": (
        of_coinpress,
        "c => Object.values(Formulas.coinpressNoise({...c, rhos: [c.a, c.b]}))",
        drawn(n=(2, 3000), width=(1.0, 1e4), sigma=(0.1, 50.0), a=(0.01, 2.0), b=(0.01, 2.0)),
    ),
    "mean": (
        lambda d, s: stats.foldnorm(abs(d) / s, scale=s).mean(),
        "({d, s}) => Formulas.meanAbsolute(d, s)",
        drawn(d=(-5.0, 5.0), s=(0.01, 5.0)),
    ),
    "bound": (
        of_bound,
        "c => { c.n = c.k * c.m; return [Formulas.stratifiedBound(c), Formulas.clipSlack(c.n, c.gamma)]; }",
        drawn(k=(1, 100), m=(1, 10**4), **THEORY),
    ),
    "break_even": (
        of_break_even,
        "c => Formulas.breakEven({...c, cells: c.codes ** 2})",
        drawn("epsilon", epsilon=(0.05, 20.0), columns=(2, 40), codes=(2, 50)),
    ),
    "sharing": (
        of_sharing,  # the size is 451 people
        "({a, b, c, d}) => Formulas.sharing([a, b, c, d], 4 * Math.sqrt(2 / Math.PI) * Math.sqrt(1 / 2e-4) * 2)",
        drawn("a b c d", a=(1, 3000), b=(1, 3000), c=(1, 3000), d=(1, 3000))[:40],
    ),
    "limit": (limit_distance, "c => Formulas.limitDistance(c.epsilon)", drawn(epsilon=(1e-4, 400.0))),
    "enough": (insufficient_epsilon, "c => Formulas.insufficientEpsilon(c.alpha)", drawn(alpha=(0.001, 1.999))),
} | {
    name: (
        partial(of_protocol, name),
        f"({{k, e, n, f}}) => {{ const c = Formulas.protocol('{name}', k, e);"
        " return [Formulas.variance(c, n, f), Formulas.variance(c, n, 0), c.p, c.q]; }",
        drawn("e", k=(2, 500), e=(0.1, 10.0), n=(100, 10**6), f=(0.0, 1.0)),
    )
    for name in PROTOCOLS
}  # fmt: skip
# THE's threshold is searched on a flat bottom by the package, and known in closed form to the script;
# of Coinpress the test computes its noise back from a difference
CLOSE = {"THE": 1e-6, "coinpress": 1e-7}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_is_that_of_the_package(formula, name):
    ours, asked, cases = FORMULAS[name]
    near(formula(asked, cases), [ours(**case) for case in cases], CLOSE.get(name, 1e-9))


def guarantee(n, share, **other) -> dict:
    """A complete setting of the coherence solver."""
    return other | {"n": n, "gamma": int(n * share) + 1}


@pytest.mark.parametrize("mode", MODES)
def test_the_solver_is_that_of_the_package(formula, mode):
    ranges = {"alpha": (0.02, 2.0), "beta": (1e-13, 1.0), "epsilon": (1e-4, 0.5)}
    ranges |= {"collection": (1, 3000), "n": (10**4, 10**9), "share": (0.01, 0.5)}
    rows = drawn("alpha beta epsilon collection n", **ranges)[:48]
    asked = [(UNKNOWNS[i % 6], guarantee(**row)) for i, row in enumerate(rows)]
    found = formula(
        f"([name, s]) => {{ const x = Formulas.solve('{mode}', name, s);"
        " return x === null ? NaN : x; }",
        [[name, {k: v for k, v in s.items() if k != name}] for name, s in asked],
    )
    solved = [solve(Setting(**s | {name: None}, mode=mode)).value for name, s in asked]
    near(found, [np.nan if value is None else value for value in solved])
    assert sum(value is not None for value in solved) > 10  # an answer, not its absence


# --- what is looked up


SHOW = """([name, settings]) => {
    const explorer = Explorers.defined[name], data = ExplorerData[explorer.data];
    let all = explorer.controls;
    if (typeof all === 'function') all = all(data);
    const first = Object.fromEntries(all.map(c => [c.name, c.value]));
    return explorer.show({...first, ...settings}, data).table.rows; }"""


@pytest.fixture(scope="module")
def rows_shown(chromium, folder):
    """The rows of an explorer's table for some settings, as the script has them."""
    with exploring(chromium, folder) as one:
        page_of = cache(lambda name: one(name)[0])
        yield lambda name, settings: page_of(name).evaluate(SHOW, [name, settings])


def test_who_pays_shows_the_stored_errors_and_rates(rows_shown):
    seen, held = (group_errors(scores("synth_nist"), "AIM", 1.0, seen=s) for s in (True, False))
    rows = rows_shown("who_pays", {"group": "9", "epsilon": 1.0})
    for errors, row in ((seen, rows[1]), (held, rows[3])):
        one = errors.loc[seen.index[9]]
        near((row[1], row[4]), (one.private, one.resampled), 1e-5)
    stored = results("ldp_main").query("dataset == 'acs_coverage'")
    rows = rows_shown("who_pays", {"epsilon": 0.25, "rated": "acs_coverage/1"})
    near(rows[0][1], make("GRR", k=2, epsilon=0.25).p, 1e-5)
    near(rows[5][1], stored[stored.epsilon == 0.25].tpr_1.mean(), 1e-5)
    near(rows[5][4], stored[stored.protocol == "NonDP"].tpr_1.mean(), 1e-5)


def test_who_pays_calls_only_that_a_change_whose_interval_is_clear_of_0(explore):
    """Each sentence has both yardsticks; where the interval has 0, none is larger or smaller."""
    said = """(group) => { const d = ExplorerData.who_pays;
        const shown = Explorers.defined.who_pays.show(
            {group, epsilon: 1, synthesizer: "MST", rated: "acs_coverage/1"}, d);
        return [shown.sentence.join(" "), ["seen", "held"].map(
            (w) => d[w].errors.MST.change[Number(group)][4] ?? null)] }"""
    page, _ = explore("who_pays")
    words = {1: "larger on", -1: "smaller on", 0: "not clearly different on"}
    places = ("the rows that the model saw", "people held out")
    unclear = 0
    for group in range(18):
        text, ends = page.evaluate(said, str(group))
        if None in ends:
            assert "one person" in text
            assert "would be no gain" in text
            continue
        for place, (_, low, high) in zip(places, ends, strict=True):
            side = (low > 0) - (high < 0)
            assert f"{words[side]} {place}" in text
            unclear += not side
    assert unclear


def test_the_multiverse_judges_as_the_ledger_does(rows_shown):
    rows = evaluate()
    ids = [row.claim.id for row in rows]

    def shown(**settings) -> dict[str, str]:
        return {row[0]: row[2] for row in rows_shown("multiverse", settings)}

    assert shown() == {row.claim.id: row.verdict for row in rows}
    for factor in (0.3, 5.0):
        assert shown(factor=factor) == dict(zip(ids, with_slack(rows, factor), strict=True))
    for correction in CORRECTIONS:
        expected = dict(zip(ids, with_correction(rows, correction), strict=True))
        assert shown(correction=correction) == expected
    for setting, grid in (
        ({"hyper": "tuned"}, "ldp_tuned"),
        ({"rounding": "round"}, "ldp_rounded"),
    ):
        other = {row.claim.id: row.verdict for row in on_grid(grid)}
        assert other.items() <= shown(**setting).items()


def test_what_is_beyond_a_range_is_no_answer(explore):
    """A mean was "off by 249" on a range of 24, and the end of a search printed as the best value."""
    said = """([name, settings]) => { const explorer = Explorers.defined[name];
        const first = Object.fromEntries(explorer.controls.map(c => [c.name, c.value]));
        return explorer.show({...first, ...settings}).sentence.join(' '); }"""
    for name, settings, there, not_there in (
        ("means", {"members": 2}, "more than the range of 24", "249"),
        ("means", {"rho": 0.001}, "more than the range of 24", "63.7"),
        ("solver", {"unknown": "collection", "alpha": 1.9}, "more than 1e15", ": 1e15"),
        ("solver", {"unknown": "beta"}, "less than 1e−300", ": 1e−300"),
        ("solver", {"alpha": 2}, "α = 2 promises nothing", "accepts"),
    ):
        words = explore(name)[0].evaluate(said, [name, settings])
        assert there in words, words
        assert not_there not in words, words


def test_the_coin_estimates_as_lib_does_and_its_error_has_both_parts(explore):
    settings = {"truth": "no", "toss": 5, "people": 5000, "target": 1, "heads": 0.3}
    rows = explore("coin")[0].evaluate("s => Explorers.defined.coin.show(s).table.rows", settings)
    coin = make("GRR", k=2, epsilon=np.log(1.3 / 0.7))
    for people, yes, estimate, error in rows:
        near(estimate, (yes / people - coin.q) / (coin.p - coin.q))
        near(error, 1.96 * np.sqrt(0.3 * 0.7 / people + coin.variance(people, 0.3)))


# --- what a reader does


@pytest.fixture(scope="module", params=NAMES)
def tab(request, chromium, folder):
    """Each explorer, opened once on a phone for all the tests that use it."""
    with exploring(chromium, folder) as one:
        yield request.param, *one(request.param, **PHONE)


# a change is answered at the next frame
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
SHOWN = """() => ({sentence: document.querySelector('.explorer-sentence').textContent,
    drawn: [...document.querySelectorAll('.explorer-panel svg')].map(s => s.outerHTML).join(''),
    table: document.querySelector('.explorer-values table').textContent})"""


def sound(shown: dict) -> None:
    """Nothing undefined is said or drawn."""
    assert shown["drawn"]
    for text in shown.values():
        assert not re.findall(r".{,60}(?:NaN|undefined|\[object).{,20}", text)


def test_an_explorer_answers_to_keys_up_to_the_ends_of_its_ranges(tab):
    _, page, wrong = tab
    page.locator(".explorer-values summary").press("Enter")
    page.wait_for_selector(".explorer-values table caption")
    before = page.evaluate(SHOWN)
    sound(before)
    changed = set()
    for control in page.locator("input[type=range], select").all():
        assert control.evaluate("e => e.labels.length === 1")
        for key in ("End", "Home"):
            control.press(key)
            page.evaluate(DRAWN)
            after = page.evaluate(SHOWN)
            sound(after)
            if after != before:
                changed.add(control.get_attribute("id"))
    assert len(changed) == page.locator("input[type=range], select").count()
    page.get_by_role("button", name="Start values").press("Enter")
    page.evaluate(DRAWN)
    assert page.evaluate(SHOWN) == before
    assert wrong == []


def test_an_explorer_keeps_its_settings_in_the_address(tab):
    name, page, wrong = tab
    page.locator("input[type=range], select").first.press("End")
    page.evaluate(DRAWN)
    said, address = page.evaluate(SHOWN)["sentence"], page.evaluate("location.hash")
    assert address.startswith(f"#explore-{name}?")
    page.reload()
    page.wait_for_selector("[data-ready]")
    assert page.evaluate(SHOWN)["sentence"] == said
    page.evaluate("a => history.replaceState(null, '', a)", re.sub(r"=[^&]*", "=wrong", address))
    page.reload()
    page.wait_for_selector("[data-ready]")
    sound(page.evaluate(SHOWN))
    assert wrong == []


def test_an_explorer_fits_a_phone_and_has_no_barrier(tab):
    _, page, _ = tab
    page.locator(".explorer-values summary").click()
    assert page.evaluate("document.documentElement.scrollWidth <= 390")
    assert barriers(page, {"resultTypes": ["violations"]}) == []


def test_a_wrong_number_is_refused_in_words(explore):
    page, _ = explore("primer")
    before = page.evaluate(SHOWN)
    field = page.get_by_label("Budget ε, exact value")
    field.fill("-1")
    field.press("Enter")
    said = "Budget ε must be a number from 0.01 to 20, got -1"
    assert page.get_by_role("alert").first.inner_text() == said
    assert page.evaluate(SHOWN) == before
    field.fill("2.5")
    field.press("Enter")
    page.evaluate(DRAWN)
    assert "At ε = 2.5," in page.evaluate(SHOWN)["sentence"]
    assert page.get_by_role("alert").first.inner_text() == ""


def test_without_scripts_or_with_a_part_missing_a_page_says_so(explore, open_file, tmp_path):
    page, _ = explore("primer", java_script_enabled=False)
    assert "Without scripts, see the figure." in page.inner_text(".explorer")
    copy_static(ROOT, tmp_path / "_static")
    (tmp_path / "_static" / "explorers" / "core.js").unlink()
    (tmp_path / "page.html").write_text(PAGE.format(name="primer"), "utf-8")
    broken, _ = open_file(tmp_path / "page.html")
    broken.wait_for_function("document.body.innerText.includes('did not start')")
    assert "core.js" in broken.inner_text(".explorer-still")


def test_an_explorer_replaces_the_figure_which_stays_for_a_print(folder, explore):
    cell = f'<div class="cell">{FIGURE}</div>'
    text = PAGE.format(name="primer").replace("<div class", f"{cell}<div class", 1)
    text = text.replace('data-explorer="primer"', 'data-explorer="primer" data-replaces="fig-x"')
    (folder / "replaced.html").write_text(text, "utf-8")
    page, _ = explore("replaced")
    figure, explorer = page.get_by_text("drawn"), page.locator(".explorer-sentence")
    assert (figure.is_visible(), explorer.is_visible()) == (False, True)
    page.emulate_media(media="print")
    assert (figure.is_visible(), explorer.is_visible()) == (True, False)
    without, _ = explore("replaced", java_script_enabled=False)
    assert without.get_by_text("drawn").is_visible()
