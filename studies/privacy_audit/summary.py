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
        any pair of tables; ``epsilon_declared``, and ``epsilon_certified``, the largest of all
        pairs; the number of these ``pairs``; ``runs`` and ``alarms`` on all pairs, the latter empty
        if no check failed.
    """
    clean = frame[frame["fault"] == ""]
    declared = clean[(clean["size"] == "small") & clean["declared"].notna()]
    same = ("relation", "unit", "declared", "epsilon_declared")
    table = declared.groupby("mechanism").agg(
        **{name: (name, "first") for name in same},
        price=("price", "max"),
        epsilon_certified=("epsilon_certified", "max"),
        pairs=("pair", "size"),
    )
    every = clean.groupby("mechanism")
    table["runs"] = every["runs"].sum()
    table["alarms"] = every["alarms"].agg(lambda alarms: ", ".join(sorted({*alarms} - {""})))
    titles = {name: case.title for name, case in cases().items() if name in table.index}
    return table.loc[[*titles]].rename(index=titles).rename_axis("mechanism").reset_index()


def caught(frame: pd.DataFrame) -> pd.DataFrame:
    """One row for each planted fault: ``fault`` and ``mechanism`` in words, and what caught it.

    Returns
    -------
    DataFrame
        ``fault, mechanism, expected, checks, found, runs``. ``expected`` is the check that must
        fail, ``checks`` are those that did.
    """
    titles, stored = cases(), frame.set_index("fault")
    rows = [
        {
            "fault": fault.title,
            "mechanism": titles[fault.case].title,
            "expected": fault.check,
            "checks": stored["alarms"][name],
            "found": stored["found"][name],
            "runs": stored["runs"][name],
        }
        for name, fault in FAULTS.items()
        if name in stored.index
    ]
    return pd.DataFrame(rows)
