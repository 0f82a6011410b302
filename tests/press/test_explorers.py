"""The explorers: what their scripts compute is what ``lib`` computes, and a page that has one
answers to keys, keeps its settings, asks nobody else, and stands without scripts.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

import numpy as np
import pytest
from scipy import stats

from lib.coherence.bounds.within_group import (
    insufficient_epsilon,
    limit_distance,
)
from lib.coherence.guarantee import MODES, UNKNOWNS, Setting, required_size
from lib.coherence.solver import solve
from lib.fairness import fairness, group_rates
from lib.ldp import PROTOCOLS, make
from lib.ledger import evaluate
from lib.means import Interval, coinpress_path
from lib.paths import CHAPTERS, ROOT
from lib.runner import results, scores
from press.sphinx_setup import EXPLORERS, explorer_names
from press.stage import copy_static
from studies.private_means.theory import clip_slack, stratified_bound
from studies.synthesizers.figures.who_pays import group_errors
from studies.verdicts.robustness import CORRECTIONS, on_grid, with_correction, with_slack
from tests.press.test_browser import PHONE, barriers, closing, opened

pytestmark = pytest.mark.browser
PAGE = """<!doctype html><html lang="en" data-content_root="./" data-theme="light">
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A page</title>
<link rel="stylesheet" href="_static/companion.css"><style>html {{
--pst-color-background: #fff; --pst-color-text-base: #323232; --pst-color-text-muted: #48566b;
--pst-color-surface: #f5f5f5; --pst-color-border: #c9c9c9; }} body {{ margin: 8px }}</style>
<script src="_static/companion.js"></script><main><h1>A page</h1>
<div class="explorer" id="explore-{name}" data-explorer="{name}"><p>Try it.</p>
<p class="explorer-still">Without scripts, see the figure.</p></div></main></html>"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A small book: the static files, and a page for each explorer."""
    place = tmp_path_factory.mktemp("explorers")
    copy_static(ROOT, place / "_static")
    for name in explorer_names():
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


def drawn(seed: int, count: int, logs: str = "", **ranges: tuple) -> list[dict]:
    """Settings at random: whole numbers where the ends are; of those in ``logs`` the logarithm is
    uniform.
    """
    rng = np.random.default_rng(seed)
    columns = {}
    for name, (low, high) in ranges.items():
        if name in logs:
            columns[name] = np.exp(rng.uniform(np.log(low), np.log(high), count))
        else:
            draw = rng.integers if isinstance(low, int) else rng.uniform
            columns[name] = draw(low, high, count)
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def near(found, expected, relative=1e-9):
    np.testing.assert_allclose(found, expected, rtol=relative, atol=1e-12)


# --- what is computed


def test_the_primer_reads_the_channel_of_randomised_response(formula):
    cases = drawn(2, 300, belief=(0.001, 0.999), epsilon=(0.01, 20.0))
    asked = (
        "({belief: b, epsilon: e}) => [Formulas.raised(b, e), Formulas.raised(b, -e),"
        " Formulas.power(1 / (1 + Math.exp(e)), e), Formulas.power(b, e)]"
    )
    expected = []
    for belief, epsilon in map(dict.values, cases):
        channel = make("GRR", k=2, epsilon=epsilon).channel()
        joint = np.array([1 - belief, belief])[:, None] * channel
        after = joint[1] / joint.sum(axis=0)
        # the most powerful test at a level mixes the two nearest sets of reports
        power = np.interp(belief, [0, channel[0, 1], 1], [0, channel[1, 1], 1])
        expected.append([after.max(), after.min(), channel[1, 1], power])
    near(formula(asked, cases), expected)


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_protocol_is_that_of_the_package(formula, name):
    cases = drawn(3, 200, logs="e", k=(2, 500), e=(0.1, 10.0), n=(100, 10**6), f=(0.0, 1.0))
    asked = (
        f"({{k, e, n, f}}) => {{ const c = Formulas.protocol('{name}', k, e);"
        " return [c.p, c.q, Formulas.variance(c, n, f), Formulas.variance(c, n, 0)]; }"
    )
    found, expected = formula(asked, cases), []
    for k, epsilon, n, share in map(dict.values, cases):
        made = make(name, k=k, epsilon=epsilon)
        expected.append((made.p_star, made.q_star, made.variance(n, share), made.variance(n)))
    # the package searches THE's threshold on a flat bottom, which fixes it to about 1e-8; the
    # script has the closed form, so the least variance is the same and the threshold is close
    close = np.array([1e-6, 1e-6, 1e-6, 1e-9]) if name == "THE" else np.full(4, 1e-9)
    for column, relative in enumerate(close):
        near(np.array(found)[:, column], np.array(expected)[:, column], relative)


def test_the_metrics_are_those_of_the_package(formula):
    counts = np.random.default_rng(4).integers(1, 30, (100, 2, 4))
    names = ("tp", "fn", "fp", "tn")
    found = formula(
        "([zero, one]) => { const [a, b] = [zero, one].map(Formulas.ratesOfCounts);"
        " const m = Formulas.fairness(a, b);"
        " return [m.DI, m.SPD, m.EOD, m.OAD, a.positive, a.tpr, a.fpr, a.acc]; }",
        [[dict(zip(names, map(int, group), strict=True)) for group in case] for case in counts],
    )
    expected = []
    for case in counts:
        people = [(t, p, g) for g in (0, 1) for (t, p), c in zip(
            ((1, 1), (1, 0), (0, 1), (0, 0)), case[g], strict=True) for _ in range(c)]  # fmt: skip
        arrays = np.array(people).T
        made = fairness(*arrays) | group_rates(*arrays)
        rates = [made[f"{r}_0"] for r in ("positive_rate", "tpr", "fpr", "acc")]
        expected.append([made[m] for m in ("DI", "SPD", "EOD", "OAD")] + rates)
    near(found, expected)


def test_the_steps_of_coinpress_are_those_of_the_package(formula):
    rng = np.random.default_rng(6)
    cases = [
        {"n": int(rng.integers(2, 3000)), "width": float(rng.uniform(1, 1e4)),
         "sigma": float(rng.uniform(0.1, 50)), "rhos": rng.uniform(0.01, 2, steps).tolist()}
        for steps in (1, 2, 4) for _ in range(40)
    ]  # fmt: skip
    found = formula("c => Object.values(Formulas.coinpressNoise(c))", cases)
    for (noise, half), c in zip(found, cases, strict=True):
        interval = Interval(low=-c["width"] / 2, high=c["width"] / 2, sigma=c["sigma"])
        path = coinpress_path(
            np.zeros(c["n"]), np.array([c["n"]]), interval, tuple(c["rhos"]), None
        )
        width = float(np.ptp(path[-1]))
        near(half, width / 2)
        tail = 2 * np.log(2 / (interval.beta / 4))
        near(noise, np.sqrt((width / 2) ** 2 / tail - c["sigma"] ** 2 / c["n"]), 1e-7)
    folded = rng.uniform([-5, 0.01], [5, 5], (200, 2))
    found = formula("([d, s]) => Formulas.meanAbsolute(d, s)", folded.tolist())
    near(found, [stats.foldnorm(abs(d) / s, scale=s).mean() for d, s in folded])


def test_the_bound_of_the_stratified_mean_is_that_of_the_package(formula):
    own = {"radius": (0.1, 100.0), "epsilon": (0.01, 10.0), "gamma": (0.001, 0.5)}
    cases = drawn(7, 200, k=(1, 100), m=(1, 10**4), **own)
    expected = []
    for case in cases:
        case["n"] = case["k"] * case["m"]
        given = {name: case[name] for name in own}
        bound = stratified_bound(np.full(case["k"], case["m"]), **given)
        expected.append((bound, clip_slack(case["n"], case["gamma"])))
    asked = "c => [Formulas.stratifiedBound(c), Formulas.clipSlack(c.n, c.gamma)]"
    near(formula(asked, cases), expected)


def guarantees(rng: np.random.Generator, count: int) -> list[dict]:
    """Complete settings of the coherence solver, most of them of a size in which a bound holds."""
    return [
        {"alpha": float(np.exp(rng.uniform(np.log(0.02), np.log(2)))),
         "beta": float(np.exp(rng.uniform(-30, 0))), "n": n,
         "gamma": int(n * rng.uniform(0.01, 0.5)) + 1,
         "epsilon": float(np.exp(rng.uniform(np.log(1e-4), np.log(0.5)))),
         "collection": int(np.exp(rng.uniform(0, 8)))}
        for n in np.exp(rng.uniform(np.log(1e4), np.log(1e9), count)).astype(int).tolist()
    ]  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_the_solver_is_that_of_the_package(formula, mode):
    rng = np.random.default_rng(8)
    cases = guarantees(rng, 200)
    found = formula(f"s => Formulas.requiredSize('{mode}', s)", cases)
    open_ended = (Setting(**s | {"alpha": None}, mode=mode).change(alpha=s["alpha"]) for s in cases)
    expected = [required_size(setting)[0] for setting in open_ended]
    near([np.inf if size is None else size for size in found], expected)
    assert np.isfinite(expected).mean() > 0.3
    asked = [(name, s) for name in UNKNOWNS for s in guarantees(rng, 8)]
    found = formula(
        f"([name, s]) => {{ const x = Formulas.solve('{mode}', name, s);"
        " return x === Infinity ? 'inf' : x; }",
        [[name, {k: v for k, v in s.items() if k != name}] for name, s in asked],
    )
    expected = [solve(Setting(**s | {name: None}, mode=mode)).value for name, s in asked]
    for (name, s), ours, theirs in zip(asked, found, expected, strict=True):
        assert (ours is None) == (theirs is None), (name, s, ours, theirs)
        if theirs is not None:
            near(float(ours), theirs, 1e-9)
    assert sum(value is not None for value in expected) > 10  # an answer, not its absence


def test_the_limits_of_the_bounds_are_those_of_the_package(formula):
    epsilons = np.exp(np.random.default_rng(9).uniform(-9, 6, 200)).tolist()
    near(formula("e => Formulas.limitDistance(e)", epsilons), [limit_distance(e) for e in epsilons])
    alphas = np.random.default_rng(10).uniform(0.001, 1.999, 200).tolist()
    expected = [insufficient_epsilon(a) for a in alphas]
    near(formula("a => Formulas.insufficientEpsilon(a)", alphas), expected)


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
    errors, held = (
        group_errors(scores("synth_nist"), "AIM", 1.0, seen=seen) for seen in (True, False)
    )
    stored = results("ldp_main").query("dataset == 'acs_coverage'")
    strong, without = stored[stored.epsilon == 0.25], stored[stored.protocol == "NonDP"]
    for place in (2, 9, 17):
        rows = rows_shown("who_pays", {"group": str(place), "epsilon": 1.0})
        near(rows[1][1], errors.private.iloc[place], 1e-5)
        near(rows[1][4], errors.resampled.iloc[place], 1e-5)
        one = held.loc[errors.index[place]]
        rows = rows_shown("who_pays", {"group": str(place), "epsilon": 1.0, "rows": "held"})
        near((rows[1][1], rows[1][4]), (one.private, one.resampled), 1e-5)
    rows = rows_shown("who_pays", {"epsilon": 0.25, "rated": "acs_coverage/1"})
    assert rows[0][1] == pytest.approx(make("GRR", k=2, epsilon=0.25).p)
    near(rows[3][1], strong.tpr_1.mean(), 1e-5)
    near(rows[3][4], without.tpr_1.mean(), 1e-5)


def test_the_multiverse_judges_as_the_ledger_does(rows_shown):
    rows = evaluate()
    by_id = {row.claim.id: row.verdict for row in rows}

    def shown(**settings) -> dict[str, str]:
        return {row[0]: row[2] for row in rows_shown("multiverse", settings)}

    assert shown() == by_id
    for factor in (0.3, 0.5, 2.0, 5.0):
        assert shown(factor=factor) == dict(zip(by_id, with_slack(rows, factor), strict=True))
    for correction in CORRECTIONS:
        expected = dict(zip(by_id, with_correction(rows, correction), strict=True))
        assert shown(correction=correction) == expected
    for setting, grid in (
        ({"hyper": "tuned"}, "ldp_tuned"),
        ({"rounding": "round"}, "ldp_rounded"),
    ):
        found, other = shown(**setting), {row.claim.id: row.verdict for row in on_grid(grid)}
        assert {name: found[name] for name in other} == other
    moved = {name for name, verdict in shown(stratum="kept").items() if verdict != by_id[name]}
    assert moved == {
        "stratified-fig2-error", "stratified-fig2-pub-error", "stratified-fig2-parity",
        "stratified-parity-texas", "stratified-parity-nist",
    }  # fmt: skip


def test_the_coin_estimates_as_lib_does_and_its_error_has_both_parts(explore):
    settings = {"truth": "no", "toss": 5, "people": 5000, "target": 1, "heads": 0.3}
    rows = explore("coin")[0].evaluate("s => Explorers.defined.coin.show(s).table.rows", settings)
    coin = make("GRR", k=2, epsilon=np.log(1.3 / 0.7))
    for people, yes, estimate, error in rows:
        near(estimate, (yes / people - coin.q) / (coin.p - coin.q))
        near(error, 1.96 * np.sqrt(0.3 * 0.7 / people + coin.variance(people, 0.3)))


# --- what ships


def test_the_libraries_are_the_pinned_ones_and_bring_their_licences():
    pinned = json.loads((EXPLORERS / "vendor" / "versions.json").read_text("utf-8"))
    files = {path.name: path for path in (EXPLORERS / "vendor").glob("*.js")}
    assert files.keys() == pinned.keys()
    for name, path in files.items():
        assert hashlib.sha256(path.read_bytes()).hexdigest() == pinned[name]["sha256"]
        licence = CHAPTERS / "_static" / pinned[name]["licence"].partition(", ")[2]
        assert name in licence.read_text("utf-8").splitlines()[0]


# --- what a reader does


@pytest.fixture(scope="module", params=explorer_names())
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


def test_without_scripts_or_with_a_part_missing_a_page_says_so(explore, chromium, tmp_path):
    page, _ = explore("primer", java_script_enabled=False)
    assert "Without scripts, see the figure." in page.inner_text(".explorer")
    copy_static(ROOT, tmp_path / "_static")
    (tmp_path / "_static" / "explorers" / "core.js").unlink()
    (tmp_path / "page.html").write_text(PAGE.format(name="primer"), "utf-8")
    broken, _ = opened(chromium, (tmp_path / "page.html").as_uri())
    broken.wait_for_function("document.body.innerText.includes('did not start')")
    assert "core.js" in broken.inner_text(".explorer-still")
    broken.context.close()


def test_an_explorer_replaces_the_figure_which_stays_for_a_print(folder, explore):
    figure = (
        '<figure class="plot" id="fig-x"><div class="picture">drawn</div>'
        "<figcaption><strong>What is seen.</strong> Left: another.</figcaption></figure>"
    )
    text = PAGE.format(name="primer").replace("<div class", f"{figure}<div class", 1)
    text = text.replace('data-explorer="primer"', 'data-explorer="primer" data-replaces="fig-x"')
    (folder / "replaced.html").write_text(text, "utf-8")
    page, _ = explore("replaced")
    figure, explorer = page.get_by_text("drawn"), page.locator(".explorer-sentence")
    assert (figure.is_visible(), explorer.is_visible()) == (False, True)
    assert page.locator(".explorer .explorer-caption").inner_text() == "What is seen."
    assert page.locator(".explorer #fig-x").count() == page.locator("#fig-x").count() == 1
    page.emulate_media(media="print")
    assert (figure.is_visible(), explorer.is_visible()) == (True, False)
    without, _ = explore("replaced", java_script_enabled=False)
    assert without.get_by_text("drawn").is_visible()
