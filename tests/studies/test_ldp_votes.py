"""The vote that noise on a group holds among people who are alike."""

import numpy as np
import pandas as pd
import pytest

from lib.datasets import load
from lib.ldp import GRR
from studies.ldp_fairness.votes import (
    by_income,
    margins,
    of_dataset,
    positive_rates,
    turning_epsilon,
)


def _cell(positives, people, cell="a"):
    """Rows of one cell: cells, group and label, from positives and people of groups 0 and 1."""
    rows = [(cell, z, int(i < positives[z])) for z in (0, 1) for i in range(people[z])]
    cells, group, y = map(np.array, zip(*rows, strict=True))
    return pd.DataFrame({"x": cells}), group.astype(int), y.astype(int)


def test_the_smaller_margin_gives_way_at_the_turning_epsilon():
    cells, group, y = _cell((20, 5), (30, 40))  # margins +10 and -30
    found = margins(cells, group, y)
    assert found["margin"].to_numpy().tolist() == [[10, -30]]
    at = turning_epsilon(10, -30)
    assert at == pytest.approx(np.log(3))
    assert positive_rates(found, at + 0.01).tolist() == [1, 0]
    assert positive_rates(found, at - 0.01).tolist() == [0, 0]
    assert positive_rates(found, np.inf).tolist() == [1, 0]


def test_groups_that_agree_and_cells_of_one_group_never_turn():
    assert np.isnan(turning_epsilon([5, -5, 5, 30], [7, -7, 0, -10])).all()
    one = [_cell((20, 0), (30, 0)), _cell((9, 30), (10, 40), "b")]
    cells = pd.concat([c for c, *_ in one], ignore_index=True)
    found = margins(cells, *(np.concatenate(parts) for parts in list(zip(*one, strict=True))[1:]))
    for epsilon in (1e-6, 1.0, np.inf):
        assert positive_rates(found, epsilon).tolist() == [1, 1]


def test_reports_of_a_real_protocol_turn_a_majority_where_the_formula_says():
    """300,000 people a group: the noise of a margin is far below what is asked of it."""
    cells, group, y = _cell((200_000, 50_000), (300_000, 300_000))
    at = turning_epsilon(*margins(cells, group, y)["margin"].to_numpy()[0])
    for epsilon, positive in ((at - 0.1, False), (at + 0.1, True)):
        reports = GRR(k=2, epsilon=epsilon).privatise(group, np.random.default_rng(3))
        heard = 2 * y[reports == 0] - 1
        assert (heard.sum() > 0) == positive


def test_income_and_groups_of_the_study():
    rates = by_income([30_000, 100_000]).set_index("income")
    assert (rates.loc[30_000] > rates.loc[100_000]).all()
    data = load("lsac")
    people = of_dataset(data)["people"]
    assert people.sum().tolist() == np.bincount(data.protected).tolist()


def test_what_is_no_group_or_label_is_refused():
    cells, group, y = _cell((1, 1), (2, 2))
    with pytest.raises(ValueError, match="group must be whole numbers"):
        margins(cells, group + 1, y)
    with pytest.raises(ValueError, match="epsilon must be a number > 0"):
        positive_rates(margins(cells, group, y), 0)
