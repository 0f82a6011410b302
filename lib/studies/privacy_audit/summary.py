"""Tables of the stored audits: declared against certified epsilon for each mechanism, and each
fault with what caught it.
"""

from __future__ import annotations

import pandas as pd

from lib.studies.privacy_audit.cases import cases
from lib.studies.privacy_audit.faults import FAULTS

__all__ = ["caught", "certified"]


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
        ``epsilon_certified``, the largest of all pairs; ``pairs`` and ``runs`` over all pairs;
        ``alarms``, empty if no check failed.
    """
    clean = frame[frame["fault"] == ""]
    small, rows = clean[clean["size"] == "small"].groupby("mechanism"), []
    for name, case in cases().items():
        if name not in small.groups:
            continue
        part = small.get_group(name)
        first = part.iloc[0]
        rows.append(
            {"mechanism": case.title}
            | {
                field: first[field]
                for field in ("relation", "unit", "declared", "delta", "epsilon_declared")
            }
            | {
                "price": part["price"].max(),
                "epsilon_gaussian": first["epsilon_gaussian"],
                "epsilon_certified": part["epsilon_certified"].max(),
                "pairs": len(part),
                "runs": int(clean.loc[clean["mechanism"] == name, "runs"].sum()),
                "alarms": ", ".join(
                    sorted({a for a in clean.loc[clean["mechanism"] == name, "alarms"] if a})
                ),
            }
        )
    return pd.DataFrame(rows)


def caught(frame: pd.DataFrame) -> pd.DataFrame:
    """One row for each planted fault: ``fault`` and ``mechanism`` in words, the checks that failed,
    what was found, ``runs``.

    ``expected`` is the check that must fail. It is empty for the one that is no fault.
    """
    titles, stored = {name: case.title for name, case in cases().items()}, frame.set_index("fault")
    return pd.DataFrame(
        [
            {
                "fault": fault.title,
                "mechanism": titles[fault.case],
                "expected": fault.check,
                "checks": stored.loc[name, "alarms"],
                "found": stored.loc[name, "found"],
                "runs": int(stored.loc[name, "runs"]),
            }
            for name, fault in FAULTS.items()
            if name in stored.index
        ]
    )
