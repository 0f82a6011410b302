"""From pytest-benchmark's JSON to ``benchmarks/RESULTS.md``: ``python -m benchmarks.report
FILE.json``.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from benchmarks.reference import RESULT, summary
from lib.runner.store import read_records


def markdown(report: dict) -> str:
    """Tables of the protocols (ours, the peer's, their ratio) and of the cells, with machine and
    date.
    """
    machine = report["machine_info"]
    seconds = {b["name"]: b["stats"]["min"] for b in report["benchmarks"]}
    extra = {b["name"]: b["extra_info"] for b in report["benchmarks"]}
    names = [m.group(1) for n in seconds if (m := re.fullmatch(r"test_ours\[(\w+)\]", n))]
    floor = seconds["test_random_bytes_alone"]
    lines = [
        "# Benchmarks",
        "",
        (
            f"{machine['cpu'].get('brand_raw', 'unknown CPU')}, Python {machine['python_version']},"
            f" {', '.join(f'{name} {number}' for name, number in machine['packages'].items())};"
            f" {report['datetime'][:10]}. Least time over rounds, one thread. Written by `make"
            " bench`."
        ),
        "",
        (
            f"Perturb and encode Adult's 36,679 x 4 training attributes ({machine['adult']}; k = 2,"
            " 5, 41, 74; epsilon 2, uniform split). Drawing one random byte for each of the bits"
            f" takes {floor * 1e3:.1f} ms."
        ),
        "",
        "| protocol | ours, ms | multi-freq-ldpy's clients, ms | ratio |",
        "|---|---:|---:|---:|",
    ]
    for name in names:
        ours, peer = seconds[f"test_ours[{name}]"], seconds.get(f"test_peer[{name}]")
        theirs = f"{peer * 1e3:,.0f} | {peer / ours:,.0f}" if peer else "not measured | "
        lines.append(f"| {name} | {ours * 1e3:.1f} | {theirs} |")
    lines += [
        "",
        "One cell of the grid (one training and its test), seconds.",
        "",
        "| data set, protocol | build | fit | predict |",
        "|---|---:|---:|---:|",
    ]
    for name, info in extra.items():
        if name.startswith("test_cell"):
            protocol, dataset = re.search(r"\[(\w+)-(\w+)\]", name).groups()
            lines.append(
                f"| {dataset}, {protocol} | {info['build_s']} | {info['fit_s']} |"
                f" {info['predict_s']} |"
            )
    lines += _groups(report["benchmarks"]) + _synthesizers(extra) + _audits(extra)
    lines += _releases(extra)
    lines += _explorers(extra)
    lines += _references()
    return "\n".join(lines) + "\n"


def _explorers(extra: dict) -> list[str]:
    """How long an explorer takes from a moved control to what it shows."""
    found = {
        m[1]: info for n, info in extra.items() if (m := re.match(r"test_explorer\[(.+)\]", n))
    }
    rows = [f"| {name} | {i['median_ms']} | {i['most_ms']} |" for name, i in found.items()]
    head = "Explorers: from a moved control to what it shows, 60 moves in headless Chromium."
    return ["", head, "", "| explorer | median, ms | most, ms |", "|---|---:|---:|", *rows] * bool(
        rows
    )


def _groups(benchmarks: list[dict]) -> list[str]:
    """The other benchmarks, by their groups; a group's first entry is ours and the others are
    held against it.
    """
    lines, groups = [], {}
    for b in benchmarks:
        if (
            b["fullname"]
            .split("/")[-1]
            .startswith(("test_coherence", "test_means", "test_synth.py::test_descent"))
        ):
            groups.setdefault(b["group"], []).append(b)
    for group, entries in groups.items():
        lines += [
            "",
            f"{group[0].upper()}{group[1:]}.",
            "",
            "| | seconds | times ours |",
            "|---|---:|---:|",
        ]
        first = entries[0]["stats"]["min"]
        for b in entries:
            name = (
                (re.search(r"\[(.+)\]", b["name"]) or re.search(r"test_(.+)", b["name"]))
                .group(1)
                .replace("_", " ")
            )
            ratio = b["stats"]["min"] / first
            lines.append(
                f"| {name} | {b['stats']['min']:.4g} |"
                f" {ratio:{',.0f' if ratio > 0.95 else '.1f'}} |"
            )
    return lines


def _synthesizers(extra: dict[str, dict]) -> list[str]:
    """Time and memory of each synthesizer's fit, as the process that ran it saw them."""
    fits = {
        m.group(1): info
        for n, info in extra.items()
        if (m := re.fullmatch(r"test_fit\[(\w+)\]", n))
    }
    if not fits:
        return []
    one = next(iter(fits.values()))
    lines = [
        "",
        (
            f"One fit at epsilon 1 on {one['rows']:,} rows x {one['columns']} columns of the NIST"
            f" extract ({one['label']}), in a process of its own; memory is the peak resident size,"
            " of which the imports and the table take the first part."
        ),
        "",
        "| | fit, seconds | as many rows drawn, seconds | peak memory, MB | before the fit, MB |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, f in fits.items():
        lines.append(
            f"| {name} | {f['fit_s']:.1f} | {f['sample_s']:.2f} | {f['peak_mb']:,.0f} |"
            f" {f['before_mb']:,.0f} |"
        )
    return lines


def _audits(extra: dict[str, dict]) -> list[str]:
    """CPU time and memory of each audit, as the process that ran it saw them."""
    lines = [
        "",
        "One audit with its report (the lookup learner, two splits), in a process of its own;"
        " memory is the peak resident size, of which the imports take the first part.",
        "",
        "| rows x columns | CPU, seconds | peak memory, MB | before the audit, MB |",
        "|---|---:|---:|---:|",
    ]
    audits = [info for name, info in extra.items() if name.startswith("test_audit")]
    for a in audits:
        lines.append(
            f"| {a['rows']:,} x {a['columns']:,} | {a['cpu_s']:.1f} | {a['peak_mb']:,.0f} |"
            f" {a['before_mb']:,.0f} |"
        )
    return lines if audits else []


def _releases(extra: dict[str, dict]) -> list[str]:
    """Time and memory of ``python -m lib synthesize``, as the process that ran it saw them."""
    lines = [
        "",
        "One release of 1,000,000 x 20 rows and columns by MST, from a CSV to a CSV, in a process"
        " of its own; memory is the peak resident size.",
        "",
        "| | seconds | CPU, seconds | peak memory, MB |",
        "|---|---:|---:|---:|",
    ]
    releases = {n: info for n, info in extra.items() if n.startswith("test_synthesize")}
    for name, a in releases.items():
        how = name.partition("[")[2].rstrip("]")
        lines.append(f"| {how} | {a['s']:.0f} | {a['cpu_s']:.0f} | {a['peak_mb']:,.0f} |")
    return lines if releases else []


def _references() -> list[str]:
    """Our MST and AIM beside other people's, as `benchmarks/reference.sh` has stored them."""
    if not RESULT.exists():
        return []
    found = summary(read_records(RESULT))
    lines = [
        "",
        (
            "MST and AIM as others wrote them, on the NIST extract at the same rho (delta 1e-9):"
            " mean error on all three-way marginals (Definition 14; between 0 and 2) and its 95% t"
            ' interval over runs; least is best. "round" and "sample" are two ways to draw rows'
            " from one fit. AIM is held to models of 1 MB. Stored by `benchmarks/reference.sh`."
        ),
        "",
        "| | epsilon | by | rows by | runs | error | 95% interval | fit, seconds (median) |",
        "|---|---:|---|---|---:|---:|---|---:|",
    ]
    for r in found.itertuples():
        interval = f"[{r.low:.3f}, {r.high:.3f}]" if r.runs > 1 else "one run"
        lines.append(
            f"| {r.synthesizer} | {r.epsilon} | {r.library} | {r.method} | {r.runs} |"
            f" {r.error:.3f} | {interval} | {r.seconds:.0f} |"
        )
    return lines


if __name__ == "__main__":
    Path("benchmarks/RESULTS.md").write_text(
        markdown(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))), encoding="utf-8"
    )
