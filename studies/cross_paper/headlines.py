"""Numbers that several pages in front say: whose tables are wrong, whom a classifier finds, and how
far releases set people apart.
"""

from __future__ import annotations

import pandas as pd

from lib.groups import EVERYONE
from lib.runner.registry import results, scores
from studies.cross_paper.statistics import with_excess
from studies.cross_paper.summary import intervals, labelled
from studies.synthesizers.figures.who_pays import group_errors
from studies.synthesizers.tables import group_words


def errors_by_name() -> pd.DataFrame:
    """Errors of the groups of the national sample behind AIM at epsilon 1, by name and from the
    smallest to the largest: :func:`group_errors` with ``extra``, what privacy adds.
    """
    errors = group_errors(scores("synth_nist"), "AIM", 1.0)
    errors = errors.rename(lambda name: group_words("nist", name))
    return errors.assign(extra=errors["private"] - errors["resampled"])


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
    keys = ["release", "epsilon", "reader"]
    rows = labelled(with_excess(scores("across_nist")))
    return intervals(rows, keys, panels={EVERYONE: [EVERYONE]}).set_index(keys).sort_index()
