"""What the explorer *Who pays?* looks up of the synthesizers (:mod:`press.explorer_data`)."""

from __future__ import annotations

from typing import Any

from lib.runner.registry import scores
from studies.synthesizers.summary import averaged, main_fits, of_level
from studies.synthesizers.tables import group_words

BOTH = "SEX_RAC1P"  # groups by sex and race


def group_errors() -> dict[str, Any]:
    """Errors of each group by sex and race in the NIST sample, with one model for everybody and
    with one of its own: by synthesizer and group, mean and interval for each epsilon.
    """
    rows = of_level(scores("synth_nist"), BOTH, seen=True)
    people = rows.groupby("group")["people"].mean().sort_values(kind="stable")
    again = rows[rows["synthesizer"] == "bootstrap"].groupby("group")["error"].mean()
    fits = averaged(main_fits(rows), "error", ("synthesizer", "by", "epsilon", "group"))
    fits = fits.sort_values("epsilon", kind="stable")
    ends = {
        where: part[["mean", "low", "high"]].to_numpy().tolist()
        for where, part in fits.groupby(["synthesizer", "by", "group"])
    }
    return {
        "epsilons": sorted(fits["epsilon"].unique().tolist()),
        "groups": [
            {"name": group_words("nist", group), "people": round(number), "again": again[group]}
            for group, number in people.items()
        ],
        "errors": {
            name: {
                way: [ends[name, by, group] for group in people.index]
                for way, by in (("plain", "vanilla"), ("own", BOTH))
            }
            for name in sorted(set(fits["synthesizer"]))
        },
    }
