"""Agreement in distribution with multi-freq-ldpy, of metrics with fairlearn. `make compare`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from lib.fairness import evaluate
from lib.ldp import PROTOCOLS, make
from lib.rng import stream
from tests.compare.peers import PEER_OPTIONS, peer_support
from tests.conftest import FALSE_ALARM

pytestmark = pytest.mark.compare


@pytest.mark.parametrize("name", PROTOCOLS)
@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_same_law_of_support_sets(name, epsilon):
    """Whole support sets of both, by a chi-square test of homogeneity."""
    pytest.importorskip("multi_freq_ldpy")
    np.random.seed(3)  # noqa: NPY002 - the peer knows no other way
    k, n = 5, 20_000
    values = np.full(n, 2)
    ours = make(name, k=k, epsilon=epsilon, **PEER_OPTIONS.get(name, {})).privatise_support(
        values, stream(1, name, epsilon)
    )
    theirs = peer_support(name, values, k, epsilon)
    words = [bits @ (1 << np.arange(k)) for bits in (ours, theirs)]
    table = np.array([np.bincount(w, minlength=2**k) for w in words])
    table = table[:, table.sum(axis=0) >= 10]
    assert stats.chi2_contingency(table).pvalue > FALSE_ALARM


@pytest.mark.parametrize("seed", range(5))
def test_metrics_agree_with_fairlearn(seed):
    metrics = pytest.importorskip("fairlearn.metrics")
    from sklearn.metrics import accuracy_score, recall_score

    y, hat, group = stream(seed, "fairlearn").integers(0, 2, (3, 400))
    ours = evaluate(y, hat, group)
    rates = {"sel": metrics.selection_rate, "fpr": metrics.false_positive_rate}
    rates |= {"tpr": recall_score, "acc": accuracy_score}
    told = {"y_true": y, "y_pred": hat, "sensitive_features": group}
    frame = metrics.MetricFrame(metrics=rates, **told).by_group
    assert ours["DI"] == pytest.approx(frame["sel"][0] / frame["sel"][1])
    assert ours["SPD"] == pytest.approx(frame["sel"][1] - frame["sel"][0])
    assert ours["EOD"] == pytest.approx(frame["tpr"][1] - frame["tpr"][0])
    assert ours["OAD"] == pytest.approx(frame["acc"][1] - frame["acc"][0])
    assert ours["fpr_0"] == pytest.approx(frame["fpr"][0])
    ratio = metrics.demographic_parity_ratio(y, hat, sensitive_features=group)
    assert min(ours["DI"], 1 / ours["DI"]) == pytest.approx(ratio)
