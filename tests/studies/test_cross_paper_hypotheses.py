"""Hypotheses on constructed tables: a planted effect is found, none is not at the stated rate."""

from __future__ import annotations

import re
import runpy
import subprocess

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from lib.ledger.rules import LEVEL
from lib.paths import DATA, ROOT
from lib.rng import stream
from studies.cross_paper.cells import READERS, across_grid
from studies.cross_paper.groups import SEXES, WITH
from studies.cross_paper.hypotheses import (
    CONTROLS,
    HYPOTHESES,
    MARGIN,
    controls,
    evaluate,
)
from studies.cross_paper.statistics import RELEASE, small_crossings

FILE = DATA / "hypotheses" / "cross_paper.yml"
SIZES = {
    "everyone": 25_900,
    WITH: 1_521,
    "men": 12_600,
    "women": 13_300,
    "men & Asian": 1_000,
    "women & Asian": 1_123,
    "men & other": 430,
    "women & other": 420,
    "men & White": 7_000,
    "men & Pacific Islander": 20,
}


def _rows(seed: int, noise: float = 0.01) -> pd.DataFrame:
    """A table of the whole grid in which nothing has an effect on anything."""
    cells = pd.DataFrame([vars(c) for c in across_grid()])[RELEASE]
    groups = pd.DataFrame({"group": list(SIZES), "people": list(SIZES.values())})
    rows = cells.merge(groups, how="cross").merge(pd.DataFrame({"reader": READERS}), how="cross")
    rng = stream(seed, "constructed")
    scores = ("positive_rate", "tpr", "acc", "error_in")
    columns = {c: rng.uniform(0.2, 0.8, len(rows)) for c in scores}
    return rows.assign(excess=rng.normal(0, noise, len(rows)), **columns)


def _row(table: pd.DataFrame, name: str) -> pd.Series:
    return table.set_index("id").loc[name]


@pytest.mark.thorough("long statistics")
def test_without_any_effect_the_family_errs_at_most_at_the_stated_rate():
    """Six tables through every statistic; hypotheses with a margin are about the margin and left
    out.
    """
    family = [h for h in HYPOTHESES if not h.tolerance]
    wrong = sum((evaluate(_rows(seed), family)["adjusted"] <= LEVEL).any() for seed in range(6))
    assert stats.binom.sf(wrong - 1, 6, LEVEL) > 1e-4


def test_within_the_margin_is_supported_and_at_the_margin_it_is_not():
    assert _row(evaluate(_rows(1)), "E1")["verdict"] == "supported"
    rows = _rows(1)
    at = (rows["kind"] == "AIM") & (rows["reader"] == "tracer")
    rows.loc[at, "excess"] += MARGIN
    row = _row(evaluate(rows), "E1")
    assert row["verdict"] == "not supported"
    assert row["decided_by"].startswith("AIM")
    rows.loc[at, "excess"] += 10 * MARGIN
    assert _row(evaluate(rows), "E1")["verdict"] == "contradicted"


def test_planted_effects_are_found_and_only_they():
    rows = _rows(2)
    strata = (rows["by"] == "SEX_RAC1P") & (rows["kind"] == "MST") & (rows["weights"] == "public")
    strata &= (rows["reader"] == "lookup") & rows["group"].isin(small_crossings(rows))
    rows.loc[strata, "excess"] += 0.05
    linked = rows["kind"].isin(["GRR linked", "OUE linked"]) & (rows["reader"] == "forest")
    rows.loc[linked & (rows["group"] == WITH), "excess"] += 0.3
    clear = (rows["kind"] == "clear") & rows["group"].isin([WITH, "everyone"])
    rows.loc[clear, "excess"] += 0.6
    table = evaluate(rows)
    assert _row(table, "S3")["verdict"] == "supported"
    assert _row(table, "S3")["estimate"] == pytest.approx(0.05, abs=0.01)
    assert _row(table, "E4")["verdict"] == _row(table, "L1")["verdict"] == "supported"
    for name in ("S2", "S4", "L3", "F1", "P2"):
        assert _row(table, name)["verdict"] == "nothing found", name
    assert controls(rows)["verdict"].tolist() == ["supported", "nothing found", "nothing found"]


def test_a_relation_is_found_with_its_sign():
    rows = _rows(3)
    tracer = rows["reader"] == "tracer"
    rows.loc[tracer, "excess"] = 0.1 - 0.1 * rows.loc[tracer, "error_in"]
    table = evaluate(rows)
    assert _row(table, "P1")["verdict"] == "supported"
    assert _row(table, "P2")["verdict"] == "found, below"
    assert _row(table, "P1")["estimate"] == pytest.approx(-1)
    gap = rows[rows["group"].isin(SEXES)].copy()
    gap["tpr"] = np.where(gap["group"] == "men", 0.5 + gap["epsilon"].clip(upper=100) / 400, 0.5)
    rows.loc[gap.index, "tpr"] = gap["tpr"]
    forest = (rows["reader"] == "forest") & (rows["group"] == WITH)
    rows.loc[forest, "excess"] = rows.loc[forest, "epsilon"].clip(upper=100) / 100
    assert _row(evaluate(rows), "F2")["verdict"] == "found, above"


def test_the_list_is_the_one_that_was_committed_before_the_grid_was_run(tmp_path):
    """Statements, parts, directions and references, as the file's head says."""
    commit = re.search(r"commit ([0-9a-f]{40})", FILE.read_text(encoding="utf-8"))[1]
    shown = ["git", "-C", str(ROOT), "show", f"{commit}:lib/experiments/across_hypotheses.py"]
    then = subprocess.run(shown, capture_output=True, text=True, check=False)
    if then.returncode:
        pytest.skip("the history of the repository is not here")
    source = tmp_path / "stated.py"
    source.write_text(then.stdout, encoding="utf-8")
    stated = runpy.run_path(str(source))
    for now, before in (("HYPOTHESES", HYPOTHESES), ("CONTROLS", CONTROLS)):
        assert [(h.id, h.part, h.direction, h.reference, h.statement) for h in stated[now]] == [
            (h.id, h.place, h.rule, h.tolerance.get("reference", 0.0), h.statement) for h in before
        ]
