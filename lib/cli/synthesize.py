"""Make a private release of a table of your own: MST, AIM or GEM, by a schema that you state.

The noise comes from the operating system's entropy and is not kept. It is made of floating-point
numbers by a generator that is not cryptographic, and the promise is a theorem about real numbers:
chapters/foundations/budgets has the attack. To publish confidential data, use a library that is
hardened against it, such as OpenDP.

A released number shows 52 bits of what drew it, so another generator than the noise's draws the
rows. Beside them stands the schema, made of what was read and not of the file's bytes: comments of
a draft count people, and they stay in the draft. A release overwrites none, and each but a
rehearsal is a line of FILE.spent.csv, beside FILE, so that budgets add up.

A finished release leaves nobody out to compare with. So the audit makes releases of random halves
by this very command; with --audit-sensitive it runs at once, else its command is printed.
"""

from __future__ import annotations

import math
import shlex
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lib import validate
from lib.files import ONE_A_PERSON, write_whole
from lib.paths import IN_REPOSITORY, PACKAGE

if TYPE_CHECKING:  # --help waits for nothing of these
    import numpy as np
    import pandas as pd

    from lib.audit.request import Request
    from lib.dp import PrivacyAccountant
    from lib.synth.stratified import StratifiedModel
    from lib.table.kinds import Coded

JUDGED = 100  # rows of a release from which on its shares say something
_LEDGER = ["when", "release", "synthesizer", "epsilon", "delta", "rho"]
SYNTHESIZERS = ("mst", "aim", "gem")


def add_arguments(parser: ArgumentParser) -> None:
    """The table, its schema, the budget, and where the release goes."""
    parser.description = __doc__
    option = parser.add_argument
    option("file", type=Path, help=ONE_A_PERSON)
    option("--schema", type=Path, required=True, metavar="YML", help="see python -m lib schema")
    option("--epsilon", type=float, required=True, help="of the (epsilon, delta) promised")
    option("--delta", type=float, default=1e-9, help="(default 1e-9)")
    option(
        "--by",
        type=lambda text: tuple(text.split(",")),
        default=(),
        metavar="A,B",
        help="a model of its own for each crossing of these columns that is large enough, one for"
        " all others; sizes are noisy, and how many are enough does not hang on the data",
    )
    option("--synthesizer", choices=SYNTHESIZERS, default="mst", help="(default mst)")
    option("--rows", type=int, help="of the release; else as many as noise says there are")
    option("--out", type=Path, required=True, metavar="CSV", help="the release, a new file")
    option("--encoding", metavar="NAME", help="of a CSV that is not UTF-8, such as cp1252")
    option(
        "--compare",
        action="store_true",
        help="also print what FILE holds beside what the release keeps, which is NOT private",
    )
    option(
        "--seed",
        type=int,
        help="to rehearse: who knows it can subtract the noise, so a"
        " release from a seed protects nobody, and its account says so",
    )
    option(
        "--audit-sensitive",
        metavar="COL",
        help="also audit this command, for predictions of"
        " COL; the report goes beside the release (.audit.html)",
    )


def run(args: Namespace) -> int:
    """Fit, write the release, print what was spent, and make or name the audit."""
    from lib import synth
    from lib.audit.report import report_html, verdicts
    from lib.audit.run import run_audit
    from lib.dp import epsilon_of, zcdp_rho
    from lib.synth.stratified import StratifiedModel
    from lib.table import Table, read_schema, schema_text
    from lib.table.columns import decisions, in_lines, read_column
    from lib.table.reading import read_file

    report = args.out.with_suffix(".audit.html")
    outputs = [args.out, _beside(args.out)] + [report] * (args.audit_sensitive is not None)
    there = any(path.exists() for path in outputs)
    fits = args.out.resolve().parent.is_dir() and not there
    what = "a new file in a folder that exists, without its .schema.yml (or .audit.html)"
    validate.require(fits, "out", what, str(args.out))
    rho = zcdp_rho(args.epsilon, args.delta, conversion="tight")
    if args.rows is not None:
        validate.integer("rows", args.rows, low=1)
    schema = read_schema(args.schema)
    audit = _audit(args, args.audit_sensitive or "COL")
    if args.seed is not None:
        validate.integer("seed", args.seed, low=0)
    noise, draws = _generators(args.seed)
    raw = read_file(args.file, empty=True, encoding=args.encoding)
    table = Table.of(raw, schema)
    ledger = args.file.with_name(f"{args.file.name}.spent.csv")
    spent = _spent(ledger)
    read = [read_column(raw[name].head(0), coded=column) for name, column in schema.items()]
    decided = decisions(read)[["column", "read as", "why"]]  # by the schema alone
    print(*raw.attrs["notes"], in_lines(decided), sep="\n")
    if args.audit_sensitive is not None:
        validate.choice("audit_sensitive", args.audit_sensitive, table.domain.columns)
    shown = {"progress": True} if args.synthesizer == "aim" else {}
    synthesizer = getattr(synth, args.synthesizer.upper())(**shown)
    doing = f"Fitting {args.synthesizer.upper()} to {len(table.domain)} columns"
    if shown:  # a log has no bar
        doing += f", which may take {synthesizer.seconds(table.domain):,} s or more"
    for name in args.by:
        validate.choice("by", name, table.domain.columns)
    if args.by:
        synthesizer = synth.Stratified(inner=synthesizer, by=args.by, threshold="break-even")
        groups = math.prod(table.domain[name] for name in args.by)
        doing += f", up to {groups:,} groups one after another"
    print(doing, flush=True)
    model = synthesizer.fit(table.codes, table.domain, rho=rho, rng=noise)
    rows = round(model.total) if args.rows is None else args.rows
    codes = model.sample(rows, draws)
    release = table.decode(codes, draws)
    if args.seed is None:  # first: what cannot be charged is not released
        when = datetime.now(UTC).isoformat(timespec="seconds")
        line = [when, str(args.out), args.synthesizer, args.epsilon, args.delta, rho]
        spent.loc[len(spent)] = line
        spent.tail(1).to_csv(ledger, mode="a", index=False, header=not ledger.exists())
    # before the audit, which may fail: a second fit would spend the budget a second time
    write_whole(args.out, release.to_csv(index=False), private=True)
    write_whole(_beside(args.out), schema_text(schema))
    print(in_words(model.accountant, args.epsilon, args.delta, args.seed))
    if isinstance(model, StratifiedModel):
        print(f"\n{models_in_words(model, table.schema)}")
    if args.seed is None:
        together = spent["rho"].sum()
        print(
            f"Releases of this file: {len(spent)}, together rho {together:.4g},"
            f" so (epsilon {epsilon_of(together, args.delta):.4g}, delta {args.delta:g})."
        )
    print("\nWhat the release keeps, computed on it and its schema alone:")
    print(in_lines(kept(codes, table.schema)))
    if rows < JUDGED:
        print(f"It has fewer than {JUDGED} rows, so it cannot be judged.")
    if args.compare:
        print(f"\nWhat {args.file.name} holds, which is NOT private:")
        print(in_lines(kept(table.codes, table.schema, codes)))
    print(f"\nThe release: {args.out}, {rows:,} rows, by the schema in {_beside(args.out)}")
    if args.audit_sensitive is None:
        print("\nAudit the program that made it, on random halves (COL is what is predicted):")
        print(f"  {shlex.join(['python', '-m', 'lib', 'audit', *_words(audit)])}")
        return 0
    found = run_audit(audit, progress=False, say=print)
    write_whole(report, report_html(found), private=True)
    print(*verdicts(found), f"\nThe audit: {report}. It is NOT private.", sep="\n")
    return 0


def _generators(seed: int | None) -> tuple[np.random.Generator, np.random.Generator]:
    """Two generators that do not tell of each other: of the fit, and of the released rows.

    The release shows 52 bits of what drew a number in a bin, and a few such numbers give a
    generator away, with all that it drew before.
    """
    import numpy as np

    from lib.rng import stream

    if seed is None:  # entropy of its own for each
        return np.random.default_rng(), np.random.default_rng()
    return stream(seed, "synthesize", "noise"), stream(seed, "synthesize", "rows")


def _beside(out: Path) -> Path:
    """The schema of a release: as public as it."""
    return out.with_suffix(".schema.yml")


def kept(
    codes: pd.DataFrame, schema: Mapping[str, Coded], other: pd.DataFrame | None = None
) -> pd.DataFrame:
    """What rows hold, column by column: those of a release, or of the file beside it.

    Returns
    -------
    DataFrame
        ``column``, the ``shares`` of each spike (else of the most frequent code) and of gaps, the
        code of the ``median``; with ``other`` codes the ``error``, half the L1 distance of shares.
    """
    import numpy as np
    import pandas as pd

    from lib.table import Category, Number

    rows = []
    for name, column in schema.items():
        levels, counts = column.levels, np.bincount(codes[name], minlength=column.size)
        shares, values = counts / max(1, len(codes)), range(len(levels))
        spikes = len(column.spikes) if isinstance(column, Number) else 0
        shown = [*values[-spikes:]] if spikes else [int(np.argmax(shares[: len(levels)]))]
        shown += range(len(levels), column.size)
        words = ", ".join(f"{_value(column, code)}: {shares[code]:.1%}" for code in shown)
        row = {"column": name, "shares": words, "median": ""}
        if not isinstance(column, Category):
            order = np.argsort(levels)
            below = counts[order].cumsum()
            row["median"] = _value(column, order[np.searchsorted(below, below[-1] / 2)])
        if other is not None:
            others = np.bincount(other[name], minlength=column.size) / max(1, len(other))
            row["error"] = f"{np.abs(shares - others).sum() / 2:.3f}"
        rows.append(row)
    return pd.DataFrame(rows)


def _spent(ledger: Path) -> pd.DataFrame:
    """The earlier releases of a file; a ``ValueError`` for a ledger that cannot go on."""
    import pandas as pd

    from lib.table.reading import read_file

    if not ledger.exists():
        return pd.DataFrame(columns=_LEDGER)
    what = f"a table of {', '.join(_LEDGER)} in whole lines"
    try:
        spent = read_file(ledger, empty=True).astype(object)
    except ValueError as error:
        raise validate.refusal("ledger", f"{what} ({error})", str(ledger)) from None
    validate.require([*spent] == _LEDGER, "ledger", what, str(ledger))
    spent["rho"] = pd.to_numeric(spent["rho"], errors="coerce")
    whole = ledger.read_bytes().endswith(b"\n")  # else the next line would be a part of the last
    validate.require(whole and bool(spent["rho"].gt(0).all()), "ledger", what, str(ledger))
    return spent


def account(accountant: PrivacyAccountant) -> pd.DataFrame:
    """What was spent on what: looks of one kind and price together, in the order of the first.

    Returns
    -------
    DataFrame
        ``part`` (of disjoint rows; empty for all), ``kind``, ``looks``, the price ``each`` and of
        ``all``, the share of the ``budget``, and ``first``, the label of one look.
    """
    import pandas as pd

    rows = []
    for entry in accountant.entries:
        inner = zip(entry.parts or (), entry.inside, strict=True)
        parts = [(part, one) for part, looks in inner for one in looks] or [("", entry)]
        rows += [(part, one.kind, one.what, one.cost) for part, one in parts]
    looks = pd.DataFrame(rows, columns=["part", "kind", "first", "each"])
    # equal shares of a budget differ in the last digits
    key = [looks["part"], looks["kind"], looks["each"].map("{:.6g}".format)]
    found = looks.groupby(key, sort=False).agg(
        looks=("each", "size"), all=("each", "sum"), first=("first", "first")
    )
    return found.assign(budget=found["all"] / accountant.budget).reset_index()


def in_words(
    accountant: PrivacyAccountant, epsilon: float, delta: float, seed: int | None = None
) -> str:
    """The account of a release, and what it promises under which relation; nothing with a seed."""
    table, promise = account(accountant), accountant.promise
    shown = table.to_string(
        index=False, formatters={"all": "{:.4g}".format, "budget": "{:.1%}".format}
    )
    lines = [f"Spent, in rho of zCDP, by the relation {accountant.relation!r} one row:\n{shown}"]
    price = (table["all"] / table["looks"])[table["kind"] == "measurement"].min()
    lines.append(
        f"Noise: a count has a standard deviation of up to {(2 * price) ** -0.5:,.0f} people."
    )
    if table["part"].any():
        lines.append(
            "Parts (by codes, in the schema's order) hold different rows: all cost as the dearest."
        )
    if promise is None:
        raise RuntimeError("the fit counted something exactly, so it promises nothing")
    held = (
        f"rho {promise.price:.4g}, so (epsilon {epsilon:g}, delta {delta:g}), by the relation"
        f" {promise.relation!r} one row."
    )
    if seed is None:
        lines += [
            f"Promised: {held}",
            "In real arithmetic: floating-point noise of a generator "
            "that is not cryptographic does not keep it against everybody (see --help).",
        ]
    else:
        lines += [
            f"NOT promised, for the noise was drawn from seed {seed}, and anybody who knows"
            f" or guesses it can subtract it. Without --seed: {held}"
        ]
    return "\n".join(lines)


def models_in_words(model: StratifiedModel, schema: Mapping[str, Coded]) -> str:
    """Which groups have a model of their own, which share one, and why."""
    from lib.groups import group_name

    lines = [
        f"A group of at least {math.ceil(model.least):,} people has a model of its own, the others"
        " share one (that number",
        "hangs on the columns and the budget, not on the data; the sizes are noisy and paid for):",
    ]
    for codes in sorted(model.sizes, key=model.sizes.__getitem__, reverse=True):
        size, name = (
            model.sizes[codes],
            group_name(
                {c: _value(schema[c], code) for c, code in zip(model.by, codes, strict=True)}
            ),
        )
        filled = ", so that those who share are enough" if size > model.least else ""
        way = f"shared{filled}" if codes in model.pooled else "its own" if size > 0 else "none"
        lines.append(f"  {name}: {size:,.0f} people, {way}")
    return "\n".join(lines)


def _value(column: Coded, code: int) -> str:
    """What a code stands for."""
    import numpy as np

    from lib.table import Date, Number

    if code == len(column.levels):
        return "missing"
    level = column.levels[code]
    if isinstance(column, Number) and code < len(column.bounds) - 1:
        return f"{column.bounds[code]:g} to under {column.bounds[code + 1]:g}"
    if isinstance(column, Date):
        return f"{column.by} from {np.datetime64(int(level), 'D')}"
    return f"{level:g}" if isinstance(column, Number) else str(level)


def _audit(args: Namespace, sensitive: str) -> Request:
    """The audit of this command as a curator, for the groups of ``by``."""
    from lib.audit.request import Request

    options = {name: getattr(args, name) for name in ("epsilon", "delta", "synthesizer", "rows")}
    options["by"] = ",".join(args.by)
    # a word of its own, the schema is a file that the curator may read
    schema_file = str(_beside(args.out.resolve()))
    words = [sys.executable, "-m", "lib", "synthesize", "--schema", schema_file]
    words += [f"--{name}={value}" for name, value in options.items() if value not in (None, "")]
    if IN_REPOSITORY:  # a curator gets no PYTHONPATH
        words = ["env", f"PYTHONPATH={PACKAGE.parent}", *words]
    return Request(
        file=args.file,
        sensitive=sensitive,
        groups=args.by,
        schema=_beside(args.out),
        encoding=args.encoding,
        curator=f"{shlex.join(words)} {{half}} --out {{release}} --seed {{seed}}",
        reads=(PACKAGE,),
    )


def _words(request: Request) -> list[str]:
    """The command line of such an audit."""
    groups = ["--groups", *request.groups] if request.groups else []
    options = ["--schema", str(request.schema)]
    options += ["--encoding", request.encoding] if request.encoding else []
    words = [str(request.file), "--sensitive", request.sensitive, *groups]
    return [
        *words,
        *options,
        "--curator",
        request.curator or "",
        "--reads",
        *map(str, request.reads),
    ]
