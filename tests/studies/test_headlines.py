"""The numbers that several pages in front say."""

from __future__ import annotations

import pytest

from lib.runner import scores
from studies.cross_paper import headlines
from studies.synthesizers.summary import of_level


@pytest.mark.parametrize("seen", [True, False])
def test_small_groups_stand_beside_large_ones_on_the_rows_asked_for(monkeypatch, seen):
    """Planted: privacy adds 0.75 more to small groups on rows seen, and 0.25 less on the others."""
    frame = scores("synth_nist").copy()
    again = of_level(frame, seen=True).query("synthesizer == 'bootstrap'")
    people = again.groupby("group")["people"].mean()
    floor = frame["synthesizer"] == "bootstrap"
    small = frame["group"].isin(people.index[people < 50])
    planted = small * frame["seen"].map({True: 0.75, False: -0.25})
    known = frame["error"].notna()
    frame["error"] = (frame["run"] / 10 + 0.125 + planted.where(~floor, 0.0)).where(known)
    monkeypatch.setattr(headlines, "scores", lambda name: frame)
    found = headlines.small_against_large(seen=seen)
    assert sorted(found.index) == ["AIM", "GEM", "MST"]
    for column in ("mean", "low", "high"):
        assert found[column].tolist() == pytest.approx([0.75 if seen else -0.25] * 3)


def test_the_two_comparisons_disagree_and_so_no_page_may_say_that_small_groups_pay_most():
    seen, held = (headlines.small_against_large(seen=seen) for seen in (True, False))
    assert seen["low"].min() > 0.3
    assert held["low"]["AIM"] > 0 > held["high"]["MST"]
    men = [headlines.errors_by_name(seen=s).loc["men, Pacific Islander"] for s in (True, False)]
    assert men[0]["extra"] > 3 * men[1]["extra"] > 0
    assert len(headlines.errors_by_name(seen=False)) == len(headlines.errors_by_name(seen=True)) - 2


def test_a_group_has_an_excess_of_its_own():
    everyone, own = headlines.excess_on_everyone(), headlines.excess_on_the_difficulty()
    assert everyone.index.equals(own.index)
    assert own["mean"].max() > everyone["mean"].max() * 0.9
    assert not everyone["mean"].equals(own["mean"])
