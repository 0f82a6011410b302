"""What the explorer *Who pays?* looks up of the synthesizers (:mod:`press.explorer_data`)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from lib.runner.registry import scores
from studies.synthesizers.summary import averaged, main_fits, of_level
from studies.synthesizers.tables import group_words

BOTH = "SEX_RAC1P"  # groups by sex and race


def group_errors() -> dict[str, Any]:
    """Errors of each group by sex and race in the NIST sample, on the rows that the models saw
    (``seen``) and on people held out (``held``).

    Each has ``again``, the errors of rows drawn again by group, and ``errors`` with one model for
    everybody (``plain``), with one of its own (``own``) and the latter less the former
    (``change``): by synthesizer and group, mean and interval for each epsilon. Missing where
    nobody of a group was held out.
    """
    frame = scores("synth_nist")
    seen, held = (of_level(frame, BOTH, seen=which) for which in (True, False))
    people = seen.groupby("group")["people"].mean().sort_values(kind="stable")
    return {
        "epsilons": sorted(main_fits(seen)["epsilon"].unique().tolist()),
        "groups": [
            {"name": group_words("nist", group), "people": round(number)}
            for group, number in people.items()
        ],
        "seen": _errors(seen, people.index),
        "held": _errors(held, people.index),
    }


def _errors(rows: pd.DataFrame, groups: pd.Index) -> dict[str, Any]:
    again = rows[rows["synthesizer"] == "bootstrap"].groupby("group")["error"].mean()
    keys = ["synthesizer", "epsilon", "group"]
    errors = main_fits(rows).pivot(index=[*keys, "run"], columns="by", values="error")
    ways = errors.rename(columns={"vanilla": "plain", BOTH: "own"})[["plain", "own"]]
    each = ways.assign(change=ways["own"] - ways["plain"]).stack().reset_index(name="error")
    fits = averaged(each, "error", ["synthesizer", "by", "epsilon", "group"], floor=-np.inf)
    fits = fits.dropna(subset="mean").sort_values("epsilon", kind="stable")
    ends = {
        where: part[["mean", "low", "high"]].to_numpy().tolist()
        for where, part in fits.groupby(["synthesizer", "by", "group"])
    }
    return {
        "again": again.reindex(groups).tolist(),
        "errors": {
            name: {
                way: [ends.get((name, way, group), []) for group in groups]
                for way in ("plain", "own", "change")
            }
            for name in sorted(set(fits["synthesizer"]))
        },
    }
