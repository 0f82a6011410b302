"""Numbers that several pages in front say: whose tables are wrong, whom a classifier finds, and how
far releases set people apart.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from lib.groups import EVERYONE
from lib.runner.registry import results, scores
from lib.stats.summary import mean_interval
from studies.cross_paper.groups import WITH
from studies.cross_paper.statistics import with_excess
from studies.cross_paper.summary import intervals, labelled
from studies.synthesizers.figures.who_pays import group_errors
from studies.synthesizers.summary import averaged, main_fits, of_level
from studies.synthesizers.tables import group_words


def errors_by_name(synthesizer: str = "AIM", *, seen: bool) -> pd.DataFrame:
    """Errors of the groups of the national sample behind a synthesizer at epsilon 1, by name and
    from the smallest to the largest: :func:`group_errors` with ``extra``, what privacy adds.

    Parameters
    ----------
    synthesizer : {"AIM", "GEM", "MST"}
    seen : bool
        Errors against the rows that the model saw; else against people held out.
    """
    errors = group_errors(scores("synth_nist"), synthesizer, 1.0, seen=seen)
    errors = errors.rename(lambda name: group_words("nist", name))
    return errors.assign(extra=errors["private"] - errors["resampled"])


def parts_of_error(name: str, *, seen: bool) -> pd.DataFrame:
    """The error of one group of the national sample with AIM at epsilon 1 (``private``), that of
    its rows drawn again (``resampled``) and what privacy adds (``extra``): ``mean``, ``low`` and
    ``high`` over runs. ``seen`` is that of :func:`errors_by_name`.
    """
    rows = of_level(scores("synth_nist"), seen=seen)
    rows = rows[rows["group"].map(lambda group: group_words("nist", group)) == name]
    fits = main_fits(rows).query("synthesizer == 'AIM' and epsilon == 1")
    private = fits[fits["by"] == "vanilla"].set_index("run")["error"]
    again = rows[rows["synthesizer"] == "bootstrap"].set_index("run")["error"]
    found = {"private": private, "resampled": again, "extra": private - again}
    ends = {part: mean_interval(values.to_numpy()) for part, values in found.items()}
    return pd.DataFrame(ends, index=["mean", "low", "high"]).T


def small_against_large(*, seen: bool) -> pd.DataFrame:
    """By how much more error privacy adds to small groups than to large ones: MST, AIM and GEM in
    the national sample at epsilon 1, one model for everybody; ``mean``, ``low`` and ``high`` over
    runs. A last row has the floor: by how much more error rows drawn again have in small groups.

    Small are the groups of fewer than 50 people of whom somebody was held out in every run, large
    those of more than 2,000. What privacy adds is the error of a release minus that of rows drawn
    again, and every group counts the same, whatever its size.

    Parameters
    ----------
    seen : bool
        Errors against the rows that the model saw; else against people held out.
    """
    every = of_level(scores("synth_nist"), seen=True)
    held = of_level(scores("synth_nist"), seen=False)
    people = every.groupby("group")["people"].mean()
    asked = held["error"].notna().groupby(held["group"]).all()  # somebody was held out
    people = people[people.index.map(asked)]
    rows = (every if seen else held).set_index(["group", "run"])
    again = rows.loc[rows["synthesizer"] == "bootstrap", "error"]
    fits = main_fits(rows).query("epsilon == 1 and by == 'vanilla'")
    extra = fits.assign(extra=fits["error"] - again.reindex(fits.index))
    floor = again.reset_index(name="extra").assign(synthesizer="rows drawn again")
    extra = pd.concat([extra.reset_index(), floor])
    keys = ["synthesizer", "run"]
    small, large = (
        extra[extra["group"].isin(people.index[which])].groupby(keys)["extra"].mean()
        for which in (people < 50, people > 2000)
    )
    apart = (small - large).reset_index(name="apart")
    return averaged(apart, "apart", ["synthesizer"], floor=-np.inf).set_index("synthesizer")


def found_in_texas(*by: str) -> pd.DataFrame:
    """Share of the insured that a classifier finds, with a disability (``tpr_1``) and without
    (``tpr_0``): a row for each epsilon (0: no noise) and value of the columns ``by``, as "run".
    """
    rows = results("ldp_main").query("dataset == 'acs_coverage'").fillna({"epsilon": 0})
    return rows.groupby(["epsilon", *by])[["tpr_1", "tpr_0"]].mean()


def excess_on_everyone() -> pd.DataFrame:
    """How far each release sets everyone inside and outside apart: ``mean``, ``low`` and ``high``
    over runs, by release, epsilon and reader.
    """
    return _excess_on(EVERYONE)


def excess_on_the_difficulty() -> pd.DataFrame:
    """As :func:`excess_on_everyone`, of the people with a cognitive difficulty."""
    return _excess_on(WITH)


def _excess_on(group: str) -> pd.DataFrame:
    keys = ["release", "epsilon", "reader"]
    rows = labelled(with_excess(scores("across_nist")))
    return intervals(rows, keys, panels={group: [group]}).set_index(keys).sort_index()
