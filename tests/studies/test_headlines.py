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
    assert sorted(found.index) == ["AIM", "GEM", "MST", "rows drawn again"]
    floor = found.loc["rows drawn again"]
    assert [floor["mean"], floor["low"], floor["high"]] == pytest.approx([0] * 3)  # none planted
    for column in ("mean", "low", "high"):
        shown = found[column].drop("rows drawn again")
        assert shown.tolist() == pytest.approx([0.75 if seen else -0.25] * 3)


def test_the_parts_of_an_error_add_up_and_agree_with_the_table():
    for seen in (True, False):
        part = headlines.parts_of_error("men, Pacific Islander", seen=seen)
        mean = part["mean"]
        assert mean["private"] - mean["resampled"] == pytest.approx(mean["extra"])
        row = headlines.errors_by_name(seen=seen).loc["men, Pacific Islander", mean.index]
        assert row.tolist() == pytest.approx(mean.tolist())
        assert ((part["low"] < mean) & (mean < part["high"])).all()
