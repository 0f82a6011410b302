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
