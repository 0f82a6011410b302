"""Several audits in one report: a row for each, and one correction over the tests of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd

from lib import validate
from lib.audit.exposure import adjusted
from lib.audit.report import record, report_html, to_json
from lib.audit.request import Request
from lib.audit.run import Audit, run_audit
from lib.audit.table import read_table
from lib.audit.words import condition, gaps, power


def run_audits(
    requests: Sequence[Request],
    *,
    progress: bool = True,
    say: Callable[[str], object] | None = None,
) -> list[Audit]:
    """:func:`~lib.audit.run.run_audit` of each request, with Holm's correction over all tests.

    Requests differ in their release or sensitive column. All files are read before any work; the
    errors are those of ``run_audit``, and a ``ValueError`` for none or two of the same.
    """
    asked = [(request.release and request.release.name, request.sensitive) for request in requests]
    distinct = 0 < len(asked) == len(set(asked))
    validate.require(distinct, "release", "files of different names, sensitive columns once", asked)
    tables = [read_table(request) for request in requests]
    pairs = list(zip(requests, tables, strict=True))
    tests = sum(len(request.learners) * len(table.members) for request, table in pairs)
    audits = [run_audit(r, table=t, tests=tests, progress=progress, say=say) for r, t in pairs]
    verdicts = pd.concat([audit.verdicts for audit in audits], keys=range(len(audits)))
    verdicts = adjusted(verdicts, requests[0].false_alarm)
    return [replace(audit, verdicts=verdicts.loc[i]) for i, audit in enumerate(audits)]


def overview(audits: Sequence[Audit]) -> pd.DataFrame:
    """One row an audit: what was found."""
    rows = []
    for audit in audits:
        flagged, groups = audit.flagged["group"].nunique(), len(audit.members)
        row: dict[str, object] = {
            "release": _name(audit),
            "predicted": audit.schema.sensitive,
            "groups flagged": f"{flagged} of {groups}",
            "smallest adjusted p": audit.verdicts["adjusted"].min(),
            "largest W1": audit.coherence["distance"].max(),
        }
        if audit.certificate is not None:
            row["epsilon is at least"] = audit.certificate["epsilon"].max()
        rows.append(row)
    return pd.DataFrame(rows)


def in_words(audits: Sequence[Audit]) -> str:
    """Which are flagged, and what the correction is over."""
    found = [_name(audit) for audit in audits if len(audit.flagged)]
    names = [f" ({_name(audit)}, {audit.schema.sensitive})" for audit in audits]
    named = f": {', '.join(dict.fromkeys(found))}" if found else ""
    given = dict.fromkeys(condition(a.request) for a in audits if a.request.certify)
    limits = "".join(f" Limits of epsilon hold {one}." for one in given)
    read = " ".join(dict.fromkeys(map(gaps, audits)))
    return (
        f"Dependence is found in {len(found)} of {len(audits)} rows of this table{named}."
        f" {power(audits, names)} Holm's"
        f" correction goes over all {audits[0].tests} tests of all rows, so that some group of some"
        f" row is flagged falsely with probability at most {audits[0].request.false_alarm:g}."
        f" Distances and limits of epsilon are of each row by itself.{limits} {read}"
    )


def warnings(audits: Sequence[Audit]) -> list[str]:
    """The warnings of each, and what was recognised in its files, with its name."""
    said = [
        f"{_name(audit)}: {words}"
        for audit in audits
        for words in (*audit.warnings, *audit.table.notes)
    ]
    return list(dict.fromkeys(said))  # two sensitive columns are of one file


def overview_html(audits: Sequence[Audit], files: Sequence[str]) -> str:
    """The page of all; ``files`` are the names of the reports of each, in the same folder."""
    names = [f"{_name(audit)}, {audit.schema.sensitive}" for audit in audits]
    several = {
        "words": in_words(audits),
        "table": overview(audits),
        "warnings": warnings(audits),
        "links": list(zip(names, files, strict=True)),
    }
    return report_html(audits[0], several)


def overview_json(audits: Sequence[Audit]) -> str:
    """``words``, the number of ``tests``, and the record of each audit in ``releases``."""
    records = [record(audit) for audit in audits]
    return to_json({"words": in_words(audits), "tests": audits[0].tests, "releases": records})


def _name(audit: Audit) -> str:
    """What was released."""
    request = audit.request
    how = {"clear": "halves in the clear", "curator": "the curator's"}
    return how.get(request.mode) or request.release.name
