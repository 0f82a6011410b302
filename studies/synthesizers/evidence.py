"""Evidence on the claims about synthesizers: which tables are asked, and what they can be asked.

The paper's claims are about New York, so they are judged there: on the paper's own table where its
grid was run, else on the stand-in from published aggregates. The stand-in can be asked about
groups' sizes and means and about who worked; what follows from its assumed laws is no evidence
(``silent`` in ``data/synthesizer_metrics.yml``). Other tables are the companion's own rows. The
scores that the paper's authors stored are asked as the table ``"authors"``; they are of the
published protocol alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import Any

import numpy as np
import pandas as pd

from lib.ledger.authors import AUTHORS, read_table
from lib.ledger.rules import Evidence
from lib.runner import NoResults
from studies.measures import fact, share_of_draws
from studies.synthesizers.settings import AS_SPENT
from studies.synthesizers.summary import (
    ABOUT,
    KEYS,
    METRICS,
    PROTOCOLS,
    finished_runs,
    main_fits,
    scored,
    stored_tables,
)
from studies.synthesizers.tables import BY, ORACLES, origin

NOTHING = fact(math.nan, "no stored results")
Tables = str | Sequence[str]
NEW_YORK = "newyork"  # the tables of the paper's claims: its own, or the stand-in
_PAPERS_TABLE, _STAND_IN = "ny_employment", "newyork"
_PLACES = {
    "nist": "the national sample",
    "acs_coverage": "Texas",
    _STAND_IN: "the stand-in for New York",
    _PAPERS_TABLE: "New York",
    AUTHORS: "New York as the authors stored it",
}
_RUNS = 5  # of the paper, at each setting
_STORED = ("acc", "parity_means", "disparity", "parity_ratio", "fnr_gap")  # by the authors
_stored = cache(stored_tables)


def tables_of(tables: Tables = NEW_YORK) -> dict[str, pd.DataFrame]:
    """Stored scores of the tables named; of ``"newyork"`` the paper's own where it was run,
    else the stand-in's.
    """
    stored = _stored()
    if tables == NEW_YORK:
        tables = _PAPERS_TABLE if _PAPERS_TABLE in stored else _STAND_IN
    return {name: stored[name] for name in np.atleast_1d(tables) if name in stored}


def cells(protocol: str = "published", tables: Tables = NEW_YORK) -> pd.DataFrame:
    """Scores of every stored cell of :func:`tables_of` under one of
    :data:`~studies.synthesizers.summary.PROTOCOLS`; empty if there are none.
    """
    if tables == AUTHORS and protocol == "published":
        return read_table("synthesizers").assign(dataset=AUTHORS, small="keep")
    frames = [_scored(protocol, name) for name in tables_of(tables)]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=[*KEYS])


@cache
def _scored(protocol: str, table: str) -> pd.DataFrame:
    return scored(_stored()[table], **PROTOCOLS[protocol])


def _origins(tables: Tables) -> dict[str, str]:
    """Where the rows of each table are from."""
    return {name: origin(own["data_source"].unique()) for name, own in tables_of(tables).items()}


def _is_stand_in(tables: Tables) -> bool:
    return _origins(tables).get(_STAND_IN, "real data") != "real data"


def heard(metrics: Sequence[str], tables: Tables = NEW_YORK) -> list[str]:
    """Those of ``metrics`` for which the tables are evidence: all of them but on the stand-in, and
    those that the authors stored.
    """
    if tables == AUTHORS:
        return [metric for metric in metrics if metric in _STORED]
    assumed = _is_stand_in(tables)
    return [metric for metric in metrics if not (assumed and "silent" in ABOUT[metric])]


def places(tables: Tables) -> str:
    """The tables in words."""
    return ", ".join(_PLACES[name] for name in sorted(tables_of(tables)) or [AUTHORS])


def measured(
    share: dict[str, Any], detail: str, metrics: Sequence[str], tables: Tables, frame: pd.DataFrame
) -> Evidence:
    """With what no budget paid for and the stand-in's limits; not comparable if the tables are no
    evidence for any of ``metrics``. ``share`` has the value, and what else is known of it.
    """
    said, spoken = [detail], heard(metrics, tables)
    left = [metric for metric in metrics if metric not in spoken]
    titles = ", ".join(METRICS.get(metric, metric) for metric in left)
    share = share | {"runs": finished_runs(main_fits(frame)), "of": _RUNS}
    if tables == AUTHORS:
        said += [f"left out, as it is not stored: {titles}"] * bool(left)
        return Evidence(detail="; ".join(said), **share)
    if unpaid := [f"{name}: {ORACLES[name]}" for name in tables_of(tables) if name in ORACLES]:
        said.append("exact group sizes in the stratified fits")
        said.append(f"oracle, not charged: {'; '.join(unpaid)}")
    silent = "; ".join(dict.fromkeys(ABOUT[metric]["silent"] for metric in left))
    if not spoken:
        said[0] = f"{silent}. Not held against the claim: {detail}"
    elif _is_stand_in(tables):
        known = dict.fromkeys(ABOUT[metric]["speaks"] for metric in spoken)
        said.append(f"on the stand-in {'; '.join(known)}")
        said += [f"left out: {titles}, as {silent}"] * bool(left)
    kinds = sorted(set(_origins(tables).values()))
    data = "replica" if "replica" in kinds else " and ".join(kinds)
    return Evidence(detail="; ".join(said), comparable=bool(spoken), data=data, **share)


def share_of_settings(
    cases: Callable[..., pd.DataFrame], protocol: str = "published"
) -> Callable[..., Evidence]:
    """A measure: the share of the ``cases`` that are true under ``protocol``; under the other in
    words.

    ``cases`` gives one row a case, and one column for the stored runs and for each draw of runs
    (:mod:`studies.synthesizers.draws`); the interval is over the draws. The measure takes the
    arguments of ``cases`` by name, and besides: ``tables``; ``by``, the stratifications that count
    beside the plain fits; and ``as_spent`` for GEM at what the published script spends. Of
    ``metrics`` and ``against``, those for which the tables are no evidence are left out.
    """
    [other] = set(PROTOCOLS) - {protocol}
    seen = other == "published"
    words = "rows that were seen" if seen else "held-out rows and every group"

    @wraps(cases)
    def measure(
        *, tables: Tables = NEW_YORK, as_spent: bool = False, by: Sequence[str] = BY, **arguments
    ) -> Evidence:
        asked = [arguments["metric"]] if "metric" in arguments else []
        for name in {"metrics", "against"} & set(arguments):
            asked += arguments[name]
            arguments[name] = heard(arguments[name], tables) or arguments[name]
        if tables == AUTHORS and asked and not heard(asked, tables):
            raise NoResults(", ".join(METRICS[metric] for metric in asked))

        def frame_of(protocol: str) -> pd.DataFrame:
            frame = cells(protocol, tables)
            if as_spent and tables != AUTHORS:  # the published GEM in the place of GEM
                frame = frame[frame["synthesizer"] != "GEM"]
                frame = frame.replace({"synthesizer": {AS_SPENT: "GEM"}})
            return frame[frame["by"].isin(["vanilla", *by])]

        frame, beside = frame_of(protocol), frame_of(other)
        if frame.empty or (true := cases(frame, **arguments)).empty:
            return NOTHING
        detail = f"{int(true[0].sum())} of {int(true[0].notna().sum())} on {places(tables)}"
        if len(beside):
            detail += f"; {words}: {cases(beside, **arguments)[0].mean():.0%}"
        return measured(share_of_draws(true.to_numpy()), detail, asked or ["acc"], tables, frame)

    measure.__annotations__ = cases.__annotations__ | {"return": "Evidence"}
    return measure
