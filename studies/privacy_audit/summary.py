"""Tables of the stored audits: declared against certified epsilon, and what caught each fault."""

from __future__ import annotations

import pandas as pd

from studies.privacy_audit.cases import cases
from studies.privacy_audit.faults import FAULTS


def certified(frame: pd.DataFrame) -> pd.DataFrame:
    """One row for each mechanism without a fault, in the order of the cases.

    Parameters
    ----------
    frame : DataFrame
        Records of the grid ``privacy_audit``.

    Returns
    -------
    DataFrame
        ``mechanism`` (words), ``relation``, ``unit`` and ``declared``; ``price``, the largest on
        any pair of tables; ``delta``, ``epsilon_declared``, ``epsilon_gaussian``, and
        ``epsilon_certified``, the largest of all pairs; the number of these ``pairs``; ``runs`` and
        ``alarms`` on all pairs, the latter empty if no check failed.
    """
    clean = frame[frame["fault"] == ""]
    titles = {name: case.title for name, case in cases().items()}
    small = clean[(clean["size"] == "small") & clean["declared"].notna()].groupby("mechanism")
    first = ("relation", "unit", "declared", "delta", "epsilon_declared")
    table = small.agg(
        **{name: (name, "first") for name in first},
        price=("price", "max"),
        epsilon_gaussian=("epsilon_gaussian", "first"),
        epsilon_certified=("epsilon_certified", "max"),
        pairs=("pair", "size"),
    )
    every = clean.groupby("mechanism")
    table["runs"] = every["runs"].sum()
    table["alarms"] = every["alarms"].agg(lambda alarms: ", ".join(sorted({*alarms} - {""})))
    table = table.loc[[name for name in titles if name in table.index]]
    return table.rename(index=titles).rename_axis("mechanism").reset_index()


def caught(frame: pd.DataFrame) -> pd.DataFrame:
    """One row for each planted fault: ``fault`` and ``mechanism`` in words, and what caught it.

    Returns
    -------
    DataFrame
        ``fault, mechanism, expected, checks, found, runs``. ``expected`` is the check that must
        fail, ``checks`` are those that did.
    """
    titles, stored = cases(), frame.set_index("fault")
    planted = [name for name in FAULTS if name in stored.index]
    table = stored.loc[planted, ["alarms", "found", "runs"]].rename(columns={"alarms": "checks"})
    faults = [FAULTS[name] for name in planted]
    table.insert(0, "mechanism", [titles[fault.case].title for fault in faults])
    table.insert(1, "expected", [fault.check for fault in faults])
    return table.rename(index={name: fault.title for name, fault in FAULTS.items()}).reset_index()
