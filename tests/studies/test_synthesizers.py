"""Cells of the synthesizer rerun: rows that nobody saw, groups by name, scores by hand, streams."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest

from lib.datasets.codebook import codebook
from lib.domain import Domain
from lib.dp import zcdp_rho
from lib.rng import stream
from lib.runner import tidy
from lib.runner.records import plain_values
from lib.synth import GEM, MST, Stratified
from lib.synth.workload import ABSENT
from studies.synthesizers.cells import Cell, declared, run_cell, synth_grid, synthesizer
from studies.synthesizers.newyork import EMPLOYMENT_DOMAIN, encode_employment
from studies.synthesizers.scores import classifier, group_scores
from studies.synthesizers.settings import AS_DECLARED, AS_SPENT, BASELINES, DELTA
from studies.synthesizers.stylised import best_pair, pair_errors, two_bits
from studies.synthesizers.tables import (
    WORDS,
    Table,
    group_words,
    split,
    table_of,
)

DOMAIN = Domain.of({"SEX": 2, "RAC1P": 3, "AGE": 4, "y": 2})


@pytest.fixture(scope="module")
def small() -> Table:
    rng = stream(3, "synth cells")
    frame = pd.DataFrame({c: rng.integers(0, k, 800) for c, k in DOMAIN}).astype(np.int16)
    frame["y"] = (frame["AGE"] + rng.integers(0, 2, 800) > 2).astype(np.int16)
    frame.loc[frame["RAC1P"] == 2, "RAC1P"] = 1
    frame.loc[:3, "RAC1P"] = 2
    return Table(frame, DOMAIN, "y", "generated", "0")


def _by_group(real, synthetic, predictions=None) -> pd.DataFrame:
    """Scores with the groups as index."""
    told = np.zeros(len(real)) if predictions is None else predictions
    synthetic = synthetic.reset_index(drop=True)
    return pd.DataFrame(group_scores(real, synthetic, told, "y", DOMAIN)).set_index("group")


def test_the_papers_table_is_encoded_from_raw_codes():
    columns = "AGEP SCHL MAR SEX DIS ESP MIL DREM RAC1P".split()
    rows = [
        (0, -1, 5, 1, 1, 8, -1, -1, 1),
        (19, 1, 1, 2, 2, -1, 4, 2, 9),
        (20, 21, 2, 1, 2, -1, 1, 1, 6),
        (99, 24, 3, 2, 1, 1, 2, 2, 2),
    ]
    raw = pd.DataFrame(rows, columns=columns).astype(float)
    frame = encode_employment(raw, pd.Series([False, True, True, False]))
    EMPLOYMENT_DOMAIN.check(frame)
    assert frame.columns.tolist() == list(EMPLOYMENT_DOMAIN.columns)
    shown = frame[["AGEP", "SCHL", "ESP", "RAC1P", "EMPLOYED"]].to_numpy().tolist()
    assert shown == [[0, 0, 8, 0, 0], [0, 0, 0, 8, 1], [1, 4, 0, 5, 1], [4, 4, 1, 1, 0]]


def test_held_out_rows_are_a_fifth_and_shared(small):
    seen, held = split(small, 0, 1)
    assert (len(seen), len(held)) == (640, 160)
    again, other = split(small, 0, 1)[1], split(small, 1, 1)[1]
    assert held.equals(again)
    assert not held.equals(other)
    columns = list(DOMAIN.columns)
    both, all_ = (
        f.sort_values(columns, ignore_index=True) for f in (pd.concat([seen, held]), small.frame)
    )
    assert both.equals(all_)


def test_scores_of_a_table_against_itself_are_zero_and_absence_is_the_worst(small):
    seen, _ = split(small, 0, 1)
    perfect = _by_group(seen, seen)
    assert perfect["error"].dropna().eq(0).all()
    assert perfect["means"]["everyone"] == 0
    nobody = _by_group(seen, seen[seen["RAC1P"] != 2]).loc["RAC1P = 2"]
    assert (nobody["error"], nobody["share"]) == (ABSENT, 0)
    assert nobody["means"] == 2  # AGE and y, each taken for 0
    assert math.isnan(_by_group(seen[seen["RAC1P"] != 2], seen)["means"]["RAC1P = 2"])


def test_means_by_hand():
    real = pd.DataFrame({"SEX": [0, 1], "RAC1P": [0, 0], "AGE": [2, 0], "y": [0, 0]})
    fake = real.assign(AGE=[3, 1])
    means = _by_group(real, fake)["means"]
    assert means["everyone"] == 1.0  # |1 - 2| / 1; y has a true mean of 0
    assert means["SEX = 0"] == 0.5


def test_a_classifiers_rates_by_hand(small):
    seen, held = split(small, 0, 1)
    predict = classifier(seen, "y", DOMAIN, 0)
    acc, own = (_by_group(real, seen, predict(real))["acc"] for real in (held, seen))
    whole = sum((held["SEX"] == s).mean() * acc[f"SEX = {s}"] for s in (0, 1))
    assert acc["everyone"] == pytest.approx(whole)
    assert own["everyone"] > acc["everyone"] > 0.6
    one = _by_group(held, seen, classifier(seen.assign(y=1), "y", DOMAIN, 0)(held))
    assert one["rate"]["SEX = 0"] == 1.0
    assert one["fnr"]["SEX = 1"] == 0.0
    assert one["acc"]["everyone"] == held["y"].mean()


@pytest.mark.parametrize(
    "fields",
    [
        {"synthesizer": "MST", "epsilon": 0.5},
        {"synthesizer": "MST", "by": "SEX_RAC1P", "small": "drop"},
        {"synthesizer": "bootstrap", "epsilon": math.inf},
    ],
)
def test_a_cell_comes_out_the_same_alone(fields, small):
    cell = Cell(dataset="nist", **fields)
    one, two = (plain_values(run_cell(cell, small), "cell") for _ in range(2))  # what may be stored
    del one["fit_s"], two["fit_s"]
    np.testing.assert_equal(one, two)


def test_the_real_rows_are_the_floor_and_independence_is_not(small):
    records = [Cell(dataset="nist", synthesizer=b, epsilon=math.inf) for b in BASELINES]
    scores = tidy(pd.DataFrame([vars(cell) | run_cell(cell, small) for cell in records]))
    error = scores[scores["group"] == "everyone"].set_index(["seen", "synthesizer"])["error"]
    assert error[True, "real"] == 0
    assert error[False, "real"] < error[False, "independent"]
    assert 0 < error[True, "bootstrap"] < error[True, "independent"]


def test_dropped_groups_get_nobody(small):
    cell = Cell(dataset="nist", synthesizer="MST", by="SEX_RAC1P", small="drop")
    assert synthesizer(cell) == Stratified(inner=MST(), by=("SEX", "RAC1P"), small="drop")
    few = small.frame["RAC1P"] == 2
    frame = pd.concat([small.frame[~few]] * 5 + [small.frame[few]], ignore_index=True)
    big = dataclasses.replace(small, frame=frame)
    scores = pd.DataFrame(run_cell(cell, big)["scores"])
    assert scores.loc[scores["group"] == "RAC1P = 2", "share"].tolist() == [0, 0]


def test_the_budget_is_the_declared_one_but_for_the_published_slip():
    cell = Cell(dataset="nist", synthesizer="GEM, single cells", epsilon=0.1)
    assert declared(cell) == pytest.approx(zcdp_rho(0.1, DELTA))
    slip = Cell(dataset="nist", synthesizer=AS_SPENT, epsilon=0.1)
    assert declared(slip) > 900 * declared(cell)
    assert synthesizer(slip) == GEM.published(shrink=8)
    as_declared = dataclasses.replace(slip, synthesizer=AS_DECLARED)
    assert synthesizer(as_declared) == synthesizer(slip)
    assert declared(as_declared) == declared(dataclasses.replace(slip, synthesizer="GEM"))
    inside = synthesizer(dataclasses.replace(slip, by="SEX"))
    assert isinstance(inside, Stratified)
    assert inside.keep_columns


def test_the_grid_has_what_the_paper_has():
    cells = list(synth_grid("nist"))
    assert len({repr(c) for c in cells}) == len(cells) == 5 * (3 + 72 + 6 + 6 + 12)
    # the published GEM by sex and by race, and at the declared budget plain and by both
    assert len(list(synth_grid("newyork2018"))) == len(cells) + 5 * 4 * 6


def test_a_stylised_fit_knows_the_pair_that_it_measured():
    people = two_bits(4000, {"p": 0.2, "q": 0.9, "r": 0.0}, stream(1, "stylised"))
    chosen, model = best_pair(people)
    assert chosen == ("q", "q'")
    errors = pair_errors(people, model)
    assert errors["q, q'"] == pytest.approx(0, abs=1e-6)
    assert errors["p, p'"] == pytest.approx(0.2, abs=0.05)


def test_names_of_groups_agree_with_the_data_sheets():
    """Women are code 0 in the NIST extract and code 1 in New York, which counts the Bureau's
    1 and 2 from 0.
    """
    assert group_words("nist", "SEX = 0 & RAC1P = 3") == "women, Alaska Native"
    assert group_words("newyork2018", "SEX = 0") == "men"
    book = codebook("nist")
    assert WORDS["nist"]["RAC1P"][:4] == tuple(book["RAC1P"].codes[:4])
    assert tuple(book["SEX"].codes) == ("Female", "Male")
    assert WORDS["nist"]["SEX"] == ("women", "men")
    for dataset in ("nist", "acs_coverage"):
        domain = table_of(dataset, "replica").domain
        assert all(len(names) == domain[c] for c, names in WORDS[dataset].items())


def test_new_yorks_sample_is_adults_in_all_bins_of_age(real_data):
    """folktables keeps people of 17 to 89 years."""
    real_data("ny2018_acsemployment_sample_20000.csv")
    table = table_of("newyork2018")
    assert len(table.frame) == 20_000
    assert table.frame["EMPLOYED"].mean() == pytest.approx(0.57485)
    assert set(table.frame["AGEP"]) == {0, 1, 2, 3, 4}
