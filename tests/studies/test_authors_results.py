"""What the authors stored, in our columns: known numbers, and measures that do not look away."""

from __future__ import annotations

import numpy as np
import pytest

from data.authors import rows
from lib.ledger.claim import read_claims
from lib.runner import results
from studies.ldp_fairness import authors as ldp
from studies.private_means import authors as means

CLAIMS = {claim.id: claim.of_authors() for claim in read_claims()}


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [  # found by a reader of the same files with code of their own
        ("fig5-two-best", None, 0.917),
        ("fig5-caption", None, 0.750),
        ("gem-wins", None, 0.867),
        # the same reader, over all stratifications and with a rank correlation of .8
        ("fig5-gem", {}, 0.778),
        ("fig5-best", {}, 0.722),
        ("fig5-parity", {}, 0.500),
        ("fig5-three", {}, 0.278),
        ("fig4-budget", {"correlation": 0.8}, 0.667),
        ("fig7b", {"correlation": 0.8, "stratified_only": False}, 0.0),
        ("fig7c", {"correlation": 0.8, "stratified_only": False}, 0.25),
        # counted by hand in the means of the five stored runs, budget by budget: by sex and race
        ("fig5-gem", None, 5 / 6),
        ("fig5-three", None, 3 / 6),
        ("fig5-best", None, 5 / 6),
        ("fig5-aim-low", None, 1.0),
    ],
)
def test_the_synthesizers_scores_give_what_another_reader_found(name, arguments, value):
    claim = CLAIMS[f"stratified-{name}"]
    asked = {key: own for key, own in claim.arguments.items() if arguments is None or key != "by"}
    found = claim.measured_by()(**asked | (arguments or {}))
    assert found.value == pytest.approx(value, abs=5e-4)
    assert (found.data, found.runs > 1) == ("authors' results", True)
    assert found.runs == 3 or name not in ("fig5-two-best", "fig5-caption", "gem-wins")


def test_who_loses_by_a_mean_of_their_own_is_what_another_reader_counted():
    found = means.census().query("metric == 'losing' and method == 'StratCOINPRESS'")
    majority = (found["mean"] > 0.5).groupby(found["variable"]).agg(["sum", "size"])
    assert majority["sum"].to_dict() == {"SCHL": 13, "WKHP": 6, "JWMNP": 4, "PINCP": 0}
    assert set(majority["size"]) == {31}
    at = found.set_index(["variable", "crossing"])["mean"]
    assert at["SCHL", "SEX_RAC1P"] == pytest.approx(0.70, abs=5e-3)


def test_the_mixtures_have_their_means_and_gaps_to_plain_coinpress():
    both = means.mixtures().set_index(["n", "cell", "method"])[["mean", "gap"]].unstack()
    own, plain = both["mean", "StratCOINPRESS"], both["mean", "COINPRESS"]
    assert own.groupby("n").mean().mean() == pytest.approx(0.00094, abs=5e-6)
    assert both["gap", "StratCOINPRESS"].to_numpy() == pytest.approx((own - plain).to_numpy())


def test_the_baselines_of_the_ldp_paper_are_ours_to_the_last_bit():
    """Same splits, same model, no noise: so groups and metrics mean the same."""
    keys, names = ["dataset", "run"], ["acc", "f1", "recall", "DI", "SPD", "EOD", "OAD", "acc_1"]
    ours, found = (
        frame[frame["protocol"] == "NonDP"].set_index(keys).sort_index()[names]
        for frame in (results("ldp_main"), ldp.trainings("table2"))
    )
    assert ours.shape == found.shape == (60, len(names))
    assert np.abs(ours - found).max(axis=None) < 1e-12


def _file(rows: str) -> dict[str, bytes]:
    head = "seed,acc,f1,auc,recall,cm,SP_a_1,SP_a_0,SPD,DI,EO_a_1,EO_a_0,EOD,OA_a_1,OA_a_0,OAD\n"
    return {"results/LSAC/non_private/LGBM_results_non_private.csv": (head + rows).encode()}


# group 1: 6 people, 4 positive, 3 found, 1 falsely; group 0: 4 people, 2 positive, 1 found
_GOOD = '0,0.7,{f1},{auc},{recall},"[[3 1]\n [2 4]]",{sp1},0.25,{spd},{di},0.75,0.5,0.25,{oa1},{oa0},{oad}\n'


def _numbers(**changes) -> dict:
    two = 4 / 6
    found = {"f1": 8 / 11, "auc": (two + 3 / 4) / 2, "recall": two, "sp1": two, "oa1": two}
    found |= {"spd": two - 0.25, "di": 0.25 / two, "oa0": 0.75, "oad": two - 0.75}
    return found | changes


def test_counts_follow_from_rates_and_a_lost_point_is_put_back():
    row = rows.ldp(_file(_GOOD.format(**_numbers(oa0=750)))).iloc[0]
    counts = "tp_1 fp_1 tp_0 fp_0 people_1 people_0 positive_1 positive_0".split()
    assert row[counts].tolist() == [3, 1, 1, 0, 6, 4, 4, 2]


@pytest.mark.parametrize("wrong", [{"oad": 0.2}, {"di": 0.9}, {"auc": 0.5}])
def test_rates_that_do_not_fit_their_counts_are_refused(wrong):
    with pytest.raises(ValueError, match="files must hold rates that fit their counts"):
        rows.ldp(_file(_GOOD.format(**_numbers(**wrong))))
