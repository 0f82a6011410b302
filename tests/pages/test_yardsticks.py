"""A sentence about a group holds by both yardsticks, or says where it does not."""

from __future__ import annotations

import pandas as pd
import pytest

from lib.pages.yardsticks import by_both, sign


def row(mean, half=0.1):
    return pd.Series({"mean": mean, "low": mean - half, "high": mean + half})


def test_a_sign_needs_the_whole_interval():
    assert [sign(row(mean)) for mean in (0.5, 0.05, -0.05, -0.5)] == [1, 0, 0, -1]
    assert sign(row(0.1)) == sign(row(-0.1)) == 0  # an end at 0 is not clear of it
    assert sign(row(0.5, float("nan"))) == 0  # one run has no interval


@pytest.mark.parametrize(("seen", "held"), [(0.5, 0.2), (-0.5, -0.2), (0.05, -0.05)])
def test_where_both_agree_the_words_have_both_numbers(seen, held):
    words = by_both("MST", row(seen), row(held))
    assert list(words) == ["seen_MST", "held_MST"]
    assert [float(w.split()[0].replace("−", "-")) for w in words.values()] == [seen, held]
    with pytest.raises(AssertionError, match="MST must not say that the two yardsticks disagree"):
        by_both("MST", row(seen), row(held), differs=True)


@pytest.mark.parametrize(("seen", "held"), [(0.5, -0.2), (-0.5, 0.2), (0.5, 0.05), (0.05, -0.5)])
def test_where_they_disagree_the_sentence_must_say_so(seen, held):
    with pytest.raises(AssertionError, match="MST must say that the two yardsticks disagree"):
        by_both("MST", row(seen), row(held))
    assert by_both("MST", row(seen), row(held), differs=True)


def test_a_row_without_an_interval_is_refused():
    with pytest.raises(ValueError, match="row must be"):
        by_both("MST", pd.Series({"mean": 0.5}), row(0.2))
