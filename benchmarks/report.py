"""From pytest-benchmark's JSON to ``benchmarks/RESULTS.md``: ``python -m benchmarks.report
FILE.json``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.reference import RESULT, summary
from lib.runner.store import read_records


def markdown(report: dict) -> str:
    """Three tables: benchmarks beside others (those with a parameter ``whose``), what was measured
    alone, and the synthesizers that others wrote.
    """
    machine, beside, alone = report["machine_info"], {}, []
    for b in report["benchmarks"]:
        params, least = dict(b["params"] or {}), b["stats"]["min"]
        whose = params.pop("whose", None)
        what = ", ".join([b["group"], *map(str, params.values())])
        if whose:
            beside.setdefault(what, []).append((whose, least))
        else:
            seen = b["extra_info"] or {"s": least}
            alone.append([what, ", ".join(f"{name} {x:,.4g}" for name, x in seen.items())])
    ratios = []
    for what, [(first, least), *others] in beside.items():
        others = (f"{name} {seconds / least:,.2g}" for name, seconds in others)
        ratios.append([what, f"{first} {1e3 * least:,.3g}", ", ".join(others)])
    packages = ", ".join(f"{name} {number}" for name, number in machine["packages"].items())
    lines = [
        f"# Benchmarks\n\n{machine['cpu'].get('brand_raw', 'unknown CPU')},"
        f" Python {machine['python_version']}, {packages}; {report['datetime'][:10]}. Adult:"
        f" {machine['adult']}. Least time over rounds; written by `make bench`. Random bytes (one"
        " for each bit), one sort and one `reduceat` are limits: no result has to be right.\n",
        *_table("what", "ms", "others, times as long", *ratios),
        "\nMeasured alone: seconds (of CPU where it says so) and milliseconds, and the peak"
        " resident memory of a process of its own, of which imports take the part before.\n",
        *_table("what", "seen", *alone),
        *_references(),
    ]
    return "\n".join(lines) + "\n"


def _table(*parts: str | list[str]) -> list[str]:
    """The head's cells, then the rows, as Markdown."""
    head = [part for part in parts if isinstance(part, str)]
    rows = [head, ["---"] * len(head), *(part for part in parts if not isinstance(part, str))]
    return [f"| {' | '.join(row)} |" for row in rows]


def _references() -> list[str]:
    """Our MST and AIM beside other people's, as `benchmarks/reference.sh` has stored them."""
    if not RESULT.exists():
        return []
    head = (
        "\nMST and AIM as others wrote them, on the NIST extract at the same rho (delta 1e-9): mean"
        " error on all three-way marginals (Definition 14; between 0 and 2) and its 95% t interval"
        ' over the runs; least is best. "round" and "sample" are two ways to draw rows from one'
        " fit. AIM is held to models of 1 MB. Stored by `benchmarks/reference.sh`.\n"
    )
    names = ("", "epsilon", "by", "rows by", "runs", "error [95% interval]", "fit, s (median)")
    rows = [
        [
            *(r.synthesizer, str(r.epsilon), r.library, r.method, str(r.runs)),
            f"{r.error:.3f} [{r.low:.3f}, {r.high:.3f}]",
            f"{r.seconds:.0f}",
        ]
        for r in summary(read_records(RESULT)).itertuples()
    ]
    return [head, *_table(*names, *rows)]


if __name__ == "__main__":
    Path("benchmarks/RESULTS.md").write_text(
        markdown(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))), encoding="utf-8"
    )
