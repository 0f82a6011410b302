"""Own or shared models: the grid's cells, the statistics of the hypotheses on constructed rows."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pandas as pd
import pytest

from lib.domain import Domain
from lib.groups import EVERYONE, group_name
from lib.paths import DATA, ROOT
from lib.rng import stream
from studies.pooling.cells import EPSILONS, Cell, pooling_grid, run_cell
from studies.pooling.grids import CONTROLS, HYPOTHESES, evaluate
from studies.pooling.statistics import decisions, errors, of_groups, outcomes, relative, right
from studies.pooling.tables import SETTINGS, people_of
from studies.synthesizers.newyork import Table
from tests.refusals import each, refused

SIZES = {(0, 0): 8000, (0, 1): 1500, (1, 0): 400, (1, 1): 30}


def rows(pooled: float = 1.0, own=lambda people, n: people >= n, noise: float = 0.01):
    """Rows of the whole grid, of groups of four sizes. The better of plain and stratified has an
    error of 0.2 in each group, the other 0.3, and the pooled model ``pooled`` times the better.

    ``own`` says of a group's size and the break-even size whether a model of its own is better.
    """
    rng, found = stream(5, "constructed"), []
    for mechanism in ("MST", "AIM", "GEM"):
        for cell in pooling_grid(mechanism, range(6)):
            kinds = SETTINGS[cell.table].by
            for kind in kinds if cell.way == "plain" else [cell.by]:
                for codes, size in SIZES.items():
                    group = group_name(dict(zip(kinds["sex and race"], codes, strict=True)))
                    found.append(vars(cell) | {"group": group, "of": kind, "seen": size // 2})
            if (cell.way != "plain" and cell.by == "sex and race") or cell.way == "plain":
                found.append(vars(cell) | {"group": EVERYONE, "of": "", "seen": 5000})
    table = pd.DataFrame(found)
    table["held"] = table["seen"]
    least = {(t, e): 900 / e for t in SETTINGS for e in EPSILONS}
    n = np.array([least[place] for place in zip(table["table"], table["epsilon"], strict=True)])
    better = np.where(
        [own(*two) for two in zip(table["seen"], n, strict=True)], "stratified", "plain"
    )
    error = np.where(table["way"] == better, 0.2, 0.3)
    error = np.where(table["way"] == "pooled", 0.2 * pooled, error)
    for score in ("held", "seen"):
        table[f"error_{score}"] = error * (1 + rng.normal(0, noise, len(table)))
    return table


def test_the_grid_holds_every_setting_once():
    for mechanism, kinds in (("MST", 3 * 5 + 2 * 2), ("AIM", 7), ("GEM", 7)):
        cells = list(pooling_grid(mechanism))
        assert len(set(cells)) == len(cells) == 10 * 4 * (7 + 2 * kinds)
        assert {c.by for c in cells if c.way == "plain"} == {""}


REFUSED = each(
    Cell,
    {"table": "nist", "mechanism": "MST", "way": "pooled", "by": "race"},
    table=("ohio",), mechanism=("mst",), way=("merged",), by=("", "age"), epsilon=(0, "1"), run=(-1,),
)  # fmt: skip


@pytest.mark.parametrize(("call", "name"), [*REFUSED, (lambda: Cell(table="lsac", mechanism="MST", way="pooled", by="disability"), "by")])  # fmt: skip
def test_a_cell_that_is_no_cell_is_refused(call, name):
    refused(call, name)


@pytest.fixture(scope="module")
def small():
    """A thousand people in two groups of sex, of which one is small."""
    rng = stream(6, "small")
    frame = pd.DataFrame({"SEX": rng.random(13_500) < 0.02, "RAC1P": 0, "DPHY": 0}).astype(np.int16)
    frame["a"] = (rng.random(len(frame)) < np.where(frame["SEX"] == 1, 0.9, 0.1)).astype(np.int16)
    frame["b"] = frame["a"]
    domain = Domain.of({"SEX": 2, "RAC1P": 1, "DPHY": 2, "a": 2, "b": 2})
    return Table(frame, domain, "a", "replica", "0" * 64)


def test_a_cell_scores_each_group_on_people_seen_and_held_out(small):
    cell = Cell(table="nist", mechanism="MST", way="stratified", by="sex and race", epsilon=50.0)
    record = run_cell(cell, small)
    found = pd.DataFrame(record["scores"]).set_index("group")
    assert sorted(found.index) == ["SEX = 0 & RAC1P = 0", "SEX = 1 & RAC1P = 0", EVERYONE]
    assert found.loc[EVERYONE, ["seen", "held"]].tolist() == [6_750, 6_750]
    assert (found[["error_seen", "error_held"]] < 0.3).all(axis=None)
    assert not found["pooled"].any()
    assert run_cell(cell, small)["scores"] == record["scores"]
    shared = Cell(table="nist", mechanism="MST", way="pooled", by="sex and race", epsilon=0.1)
    found = pd.DataFrame(run_cell(shared, small)["scores"]).set_index("group")
    assert found["pooled"].tolist() == [True, True, False]
    plain = pd.DataFrame(
        run_cell(Cell(table="nist", mechanism="MST", way="plain"), small)["scores"]
    )
    assert set(plain["of"]) == {"", "sex and race", "race", "disability"}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_table_has_its_groups_and_more_people_than_are_seen(name):
    people, setting = people_of(name), SETTINGS[name]
    people.domain.check(people.frame)
    assert setting.seen <= len(people.frame) // 2 or people.source == "replica"
    assert {c for columns in setting.by.values() for c in columns} < set(people.domain.columns)


def test_a_group_of_few_people_and_one_of_nobody_is_left_out():
    table = rows()
    assert of_groups(table, "race")["seen"].min() == 200
    table.loc[table["seen"] == 200, "held"] = 0
    assert of_groups(table, "race")["seen"].min() == 750


def test_errors_over_groups_over_everybody_and_over_the_worst_tenth():
    table = rows(noise=0)
    at = {"table": "adult", "mechanism": "GEM", "epsilon": 1.0}
    large = {"stratified": 0.2, "plain": 0.3}  # 4,000 people, above 900
    ways = errors(table, "sex and race", **at)
    assert ways["plain"].tolist() == pytest.approx([(0.3 + 0.2 + 0.2) / 3] * 6)
    assert (
        errors(table, "sex and race", "everybody", **at).iloc[0].drop("pooled").to_dict() == large
    )
    worst = errors(table, "sex and race", "worst tenth", **at).iloc[0]
    assert worst.to_dict() == pytest.approx({"plain": 0.3, "stratified": 0.3, "pooled": 0.2})
    table.loc[table["seen"] == 200, "error_held"] = 1.0  # 400 of 9,900 people
    worst = errors(table, "sex and race", "worst tenth", **at).iloc[0]
    assert worst["plain"] == pytest.approx((400 * 1 + 590 * 0.3) / 990)


def test_the_pooled_error_is_compared_with_the_better_of_the_two():
    parts = {
        "mechanism": "MST",
        "by": "sex and race",
        "each": {"table": ["lsac"], "epsilon": [1.0]},
    }
    table = rows(pooled=1.2, noise=0)
    plain = (0.3 + 0.2 + 0.2) / 3  # stratified has 0.2, 0.3 and 0.3
    assert relative(table, **parts)["lsac, ε = 1"].tolist() == pytest.approx([0.24 / plain - 1] * 6)
    other = relative(table, against="stratified", **parts)
    assert other.iloc[0, 0] == pytest.approx(0.24 / (0.8 / 3) - 1)


def test_outcomes_are_counted_on_the_people_asked_for():
    table = rows(pooled=0.5).query("table == 'lsac' and mechanism == 'MST'")
    table["error_seen"] = table["error_held"] * np.where(table["way"] == "pooled", 9, 1)
    held, seen = (outcomes(table, "plain", score) for score in ("held", "seen"))
    assert held["smaller"].all()
    assert seen["larger"].all()
    assert outcomes(table, "plain").equals(held)


def test_rules_are_right_where_a_group_is_better_off_as_they_say():
    table = rows(own=lambda people, n: people >= 2000, noise=0)
    found = decisions(table, "MST")
    assert found["2,000 people"].all()
    assert not found["break-even"].all()
    less = right(table, "MST", "2,000 people", less="break-even")
    assert (less > 0).all(axis=None)
    assert right(table, "MST", "2,000 people").iloc[:, 0].tolist() == [1.0] * 6


@pytest.mark.parametrize(
    ("pooled", "verdicts"),
    [
        (0.7, {"M1": "supported", "M3": "supported", "E1": "supported", "G2": "supported"}),
        (1.0, {"M1": "supported", "M3": "contradicted"}),
        (1.6, {"M1": "contradicted", "M3": "contradicted", "M6": "contradicted"}),
    ],
)
def test_planted_effects_are_found(pooled, verdicts):
    found = evaluate(rows(pooled)).set_index("id")["verdict"]
    assert {name: found[name] for name in verdicts} == verdicts
    [control] = evaluate(rows(pooled), CONTROLS)["verdict"]
    assert control == ("supported" if pooled <= 1 else "contradicted")
    assert len(HYPOTHESES) == 17


def test_the_list_is_the_one_that_was_committed_before_the_grid_was_run():
    text = (DATA / "hypotheses" / "pooling.yml").read_text(encoding="utf-8")
    commit = re.search(r"commit ([0-9a-f]{40})", text)[1]
    shown = ["git", "-C", str(ROOT), "show", f"{commit}:data/hypotheses/pooling.yml"]
    then = subprocess.run(shown, capture_output=True, text=True, check=False)
    if then.returncode:
        pytest.skip("the history of the repository is not here")
    now, before = ([r for r in t.splitlines() if r[:1] == "-"] for t in (text, then.stdout))
    assert now == before
