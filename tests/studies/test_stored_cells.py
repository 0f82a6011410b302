"""Stored cells of every study come out again to the last bit. If this fails, what a cell computes has
changed: raise its VERSION and run the grid anew.
"""

from __future__ import annotations

import math

import pytest

from lib.runner import Store, grid_of
from lib.runner.cell import cell_key
from studies.coherence import noisy_counts, section5
from studies.cross_paper.cells import Cell as Across
from studies.ldp_fairness.cells import BASELINE
from studies.ldp_fairness.cells import Cell as Ldp
from studies.private_means.census import CensusCell
from studies.private_means.mixtures import MixtureCell
from studies.synthesizers.cells import Cell as Synth
from studies.verdicts.verify import EQUAL, compared

NIST, LSAC = "national2019.csv", {"dataset": "lsac", "run": 0}
YEAR = "ny2024_persons.parquet"
NEWYORK = {"dataset": "newyork2024", "crossing": "SEX_RAC1P"}
CELLS = [  # the grid, a cell, the file that it needs
    ("coherence_dp", noisy_counts.Cell(release="coarse", epsilon=0.1, reader="informed", split=0), NIST),
    ("coherence_dp", noisy_counts.Cell(release="fine", epsilon=math.inf, reader="counts", split=7), NIST),
    ("coherence_dp", noisy_counts.Cell(release="medium", epsilon=1.0, reader="forest", split=3), NIST),
    ("coherence_section5", section5.Cell(variant="published", split=0), NIST),
    ("coherence_section5", section5.Cell(variant="N dropped", n=500, labels="confidence", split=0), NIST),
    ("coherence_section5", section5.Cell(variant="N dropped", learner="logistic", split=1), NIST),
    ("across_nist", Across(kind="MST", epsilon=1.0, run=2), NIST),
    ("ldp_main", Ldp(protocol=BASELINE, split="none", epsilon=math.nan, **LSAC), "db_LSAC.csv"),
    ("ldp_main", Ldp(protocol="SS", split="k-based", epsilon=2.0, **LSAC), "db_LSAC.csv"),
    ("ldp_main", Ldp(protocol="OLH", split="uniform", epsilon=0.25, **LSAC), "db_LSAC.csv"),
    ("means_mixtures", MixtureCell(n=2000, k=6, alpha=0.5), None),
    ("means_mixtures", MixtureCell(n=1000, k=3, alpha=1.0, spreads="uniform"), None),
    ("means_newyork2024", CensusCell(**NEWYORK, variable="JWMNP", setting="all strata"), YEAR),
    ("means_newyork2024", CensusCell(**NEWYORK, variable="SCHL", mechanism="laplace", budget=1.0), YEAR),
    ("means_census", CensusCell(dataset="acs_coverage", variable="SCHL", crossing="RAC1P"), "db_ACSCoverage.csv"),
    ("synth_nist", Synth(dataset="nist", synthesizer="bootstrap", epsilon=math.inf), NIST),
]  # fmt: skip


@pytest.mark.parametrize(("name", "cell", "file"), CELLS)
def test_a_stored_cell_comes_out_again(name, cell, file, real_data):
    if file:
        real_data(file)
    grid = grid_of(name)
    stored = Store(grid.path("paper"), version=grid.version).frame()
    (record,) = stored[stored["cell"] == cell_key(cell)].to_dict("records")
    assert compared(name, cell, record) == (EQUAL, "")


@pytest.mark.parametrize(
    "name", ["across_nist", "coherence_dp", "coherence_section5", "means_census", "means_mixtures"]
)
def test_a_grid_is_whole(name):
    grid = grid_of(name)
    stored = Store(grid.path("paper"), version=grid.version).frame()["cell"]
    assert sorted(stored) == sorted(map(cell_key, grid.cells("paper")))
