"""A result file that is damaged is an error that names it; only one that is not there makes a
claim "not run".
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import partial

import pytest

from lib.cli import main
from lib.paths import RESULTS
from lib.runner import NoResults, StoreError, grid_of, results
from studies.coherence.claims import results as coherence
from studies.ldp_fairness import evidence as ldp_evidence
from studies.ldp_fairness.claims import results as ldp
from studies.private_means.claims import census as means
from studies.synthesizers.summary import stored_tables
from studies.verdicts import command


def _has_value(evidence) -> bool:
    return not math.isnan(evidence.value)


READERS = [  # what reads a grid's stored records, and what it says where there are none
    ("ldp_main", lambda: ldp.MEASURES["nondp"]("adult", "DI"), _has_value),
    ("means_mixtures", lambda: means.MEASURES["mixture_ratio"]("StratCOINPRESS"), _has_value),
    ("means_census", lambda: means.MEASURES["census_parity"](dataset="nist"), _has_value),
    ("coherence_section5", coherence.MEASURES["section5_gap"], _has_value),
    ("coherence_dp", coherence.MEASURES["dp_bound_holds"], _has_value),
    ("coherence_dp", coherence.MEASURES["clear_counts_coherent"], _has_value),
    ("synth_nist", stored_tables, len),
]


@pytest.fixture
def stored(tmp_path, monkeypatch):
    """An empty folder in place of the committed results, and nothing remembered of these,
    neither now nor after.
    """

    def forget() -> None:
        for remembered in (ldp_evidence._grid, means.mixtures, means.census, coherence._stored):
            remembered.cache_clear()

    elsewhere = lambda name: replace(grid_of(name), folder=tmp_path)  # noqa: E731
    monkeypatch.setattr("lib.runner.registry.grid_of", elsewhere)
    monkeypatch.setattr("lib.ledger.judge.RESULTS", tmp_path)
    forget()
    yield tmp_path
    forget()


def _truncated(name: str, folder) -> None:
    whole = (RESULTS / f"{name}.parquet").read_bytes()
    (folder / f"{name}.parquet").write_bytes(whole[: len(whole) // 2])


@pytest.mark.parametrize(("name", "read", "something"), READERS)
def test_only_a_file_that_is_not_there_is_not_run(name, read, something, stored):
    """A damaged one is an error that names it; it was taken for results that are not there yet."""
    assert not something(read())
    with pytest.raises(NoResults, match=f"no results of {name!r}"):
        results(name)
    _truncated(name, stored)
    with pytest.raises(StoreError, match=rf"{re.escape(str(stored))}/{name}.parquet is damaged"):
        read()


@pytest.mark.parametrize("how", [(), ("--write",), ("--check",)])
def test_the_ledger_stops_at_a_damaged_file_and_keeps_its_verdicts(
    how, stored, monkeypatch, capsys
):
    """The verdicts of all rows of a damaged file were overwritten by "not run", with status 0."""
    verdicts = stored / "verdicts.yml"
    verdicts.write_text("ldp-nondp-di-adult: reproduced\n", encoding="utf-8")
    monkeypatch.setattr(command, "write_verdicts", partial(command.write_verdicts, path=verdicts))
    _truncated("ldp_main", stored)
    assert main(["claims", *how]) == 2
    assert f"{stored}/ldp_main.parquet is damaged" in capsys.readouterr().err
    assert verdicts.read_text(encoding="utf-8") == "ldp-nondp-di-adult: reproduced\n"
