"""Evidence on the claims about synthesizers: which tables are asked, and what they can be asked.

The paper's claims are about New York in 2018, so they are judged there: on the paper's own table
where its grid was run, else on 20,000 people of it. Other tables are the companion's own rows. The
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
NEW_YORK = "newyork2018"  # the table of the paper's claims: 20,000 people of it, or all
_PAPERS_TABLE = "ny_employment"
_PLACES = {
    "nist": "the national sample",
    "acs_coverage": "Texas",
    NEW_YORK: "20,000 New Yorkers",
    _PAPERS_TABLE: "New York",
    AUTHORS: "New York as the authors stored it",
}
_RUNS = 5  # of the paper, at each setting
_STORED = ("acc", "parity_means", "disparity", "parity_ratio", "fnr_gap")  # by the authors
_stored = cache(stored_tables)


def tables_of(tables: Tables = NEW_YORK) -> dict[str, pd.DataFrame]:
    """Stored scores of the tables named; in the place of ``"newyork2018"`` those of the paper's
    whole table, where it was run.
    """
    stored = _stored()
    if tables == NEW_YORK and _PAPERS_TABLE in stored:
        tables = _PAPERS_TABLE
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


def heard(metrics: Sequence[str], tables: Tables = NEW_YORK) -> list[str]:
    """Those of ``metrics`` that the tables can be asked: of the authors' own, what they stored."""
    return [metric for metric in metrics if tables != AUTHORS or metric in _STORED]


def places(tables: Tables) -> str:
    """The tables in words."""
    return ", ".join(_PLACES[name] for name in sorted(tables_of(tables)) or [AUTHORS])


def measured(
    share: dict[str, Any], detail: str, metrics: Sequence[str], tables: Tables, frame: pd.DataFrame
) -> Evidence:
    """With what no budget paid for. ``share`` has the value, and what else is known of it."""
    said, spoken = [detail], heard(metrics, tables)
    share = share | {"runs": finished_runs(main_fits(frame)), "of": _RUNS}
    if tables == AUTHORS:
        if left := [METRICS.get(metric, metric) for metric in metrics if metric not in spoken]:
            said.append(f"left out, as it is not stored: {', '.join(left)}")
        return Evidence(detail="; ".join(said), **share)
    if unpaid := [f"{name}: {ORACLES[name]}" for name in tables_of(tables) if name in ORACLES]:
        said.append("exact group sizes in the stratified fits")
        said.append(f"oracle, not charged: {'; '.join(unpaid)}")
    kinds = sorted(set(_origins(tables).values()))
    data = "replica" if "replica" in kinds else " and ".join(kinds)
    if data == "real data" and [*tables_of(tables)] == [NEW_YORK]:
        data = "20,000 real New Yorkers, 2018"
    return Evidence(detail="; ".join(said), data=data, **share)


def share_of_settings(
    cases: Callable[..., pd.DataFrame], protocol: str = "published"
) -> Callable[..., Evidence]:
    """A measure: the share of the ``cases`` that are true under ``protocol``; under the other in
    words.

    ``cases`` gives one row a case, and one column for the stored runs and for each draw of runs
    (:mod:`studies.synthesizers.draws`); the interval is over the draws. The measure takes the
    arguments of ``cases`` by name, and besides: ``tables``; ``by``, the stratifications that count
    beside the plain fits; and ``as_spent`` for GEM at what the published script spends. Of
    ``metrics`` and ``against``, those that the authors did not store are left out for theirs.
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
