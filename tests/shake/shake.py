"""Every page and every verdict under other arithmetic: they must say the same.

A number of this book must not hang on its last bit, which another processor, library or number of
threads sets otherwise. So all chapters are executed, and all claims judged, in each
:data:`VARIANTS`; then texts and verdicts are compared with those of this machine as it is. For each
guard (an assertion of a page, a rule of the ledger) the margin is given: the distance of what it
compares, in units of what the jitter moves it by.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from types import CodeType
from typing import Any

from lib import validate
from lib.files import write_whole
from lib.paths import BUILD, ROOT
from press.compare import differences
from press.execute import execute
from press.pairs import pair_up
from press.toc import Page, pages
from tests.shake.jitter import RELATIVE, install
from tests.shake.margins import GUARD, recorder, rewritten

LEAST = 1000.0  # units of the jitter that a guard's margin must have
BASE = "as it is"
# tags of cells that are about this machine's time, or about last bits themselves
OWN = {"timed", "last-bits"}
_RESULT = "result.json"


def _no_dispatch() -> dict[str, str]:
    """NumPy without the instructions that it chooses by processor."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    here = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(here)}


# by name, the environment of a process; each setting that the processor lacks falls back to one
# that it has
VARIANTS: dict[str, Callable[[], dict[str, str]]] = {
    BASE: dict,
    "dispatch": lambda: _no_dispatch() | {"OPENBLAS_CORETYPE": "Prescott"},
    "Haswell": lambda: {
        "OPENBLAS_CORETYPE": "Haswell",
        "COMPANION_THREADS": "2",
        "PYTHONHASHSEED": "1",
    },
    "SkylakeX": lambda: {"OPENBLAS_CORETYPE": "SkylakeX", "PYTHONHASHSEED": "2"},
    "Zen": lambda: {"OPENBLAS_CORETYPE": "Zen", "COMPANION_THREADS": "2", "PYTHONHASHSEED": "3"},
} | {f"jitter {n}": lambda n=n: {"COMPANION_JITTER": str(n)} for n in (1, 2, 3)}


@dataclass(frozen=True)
class Outcome:
    """What one variant gives: the verdicts, the chapters that failed, and the margins of guards."""

    folder: Path
    verdicts: Mapping[str, str]
    failed: Mapping[str, str]
    margins: Mapping[str, tuple[float, float]]


def shake(
    names: Iterable[str] = tuple(VARIANTS),
    docs: Iterable[str] | None = None,
    *,
    claims: bool = True,
    workers: int = 2,
    root: Path = ROOT,
    build: Path = BUILD / "shake",
    say: Callable[[str], object] = print,
) -> int:
    """Run the variants, say what differs and what margin each guard has.

    Parameters
    ----------
    names : iterable of str
        Of :data:`VARIANTS`; the machine as it is comes first in any case.
    docs : iterable of str, optional
        Only these chapters, as ``chapters/ldp/proofs``.
    claims : bool
        Judge the claims, too.

    Returns
    -------
    int
        The number of differences, and of guards with a margin below :data:`LEAST`.
    """
    chosen = [BASE, *(validate.choice("variant", n, VARIANTS) for n in names if n != BASE)]
    listed = [page for page in pages(root) if page.is_chapter]
    known = {page.doc: page for page in listed}
    if docs is not None:
        listed = [known[validate.choice("chapter", doc, known)] for doc in docs]
    pair_up(root)
    moved = [name for name in chosen if name.startswith("jitter")]
    found = {}
    for name in chosen:
        say(f"{name}: {' '.join(f'{k}={v}' for k, v in VARIANTS[name]().items()) or 'no change'}")
        # without a jitter, margins are noted in the variants, and the book is taken as it is built
        folder = build / name.replace(" ", "-")
        noting = bool(moved) or name != BASE
        pages_in = folder if noting else build.parent / "executed" / "quick"
        docs = [page.doc for page in listed]
        job = Job(docs, {"profile": "quick"}, claims, workers, str(root), str(pages_in))
        found[name] = run_variant(VARIANTS[name](), job, folder, noting)
    wrong = [w for name in chosen[1:] for w in compared(name, found[BASE], found[name], listed)]
    wrong += [f"{BASE}: {doc} failed: {said}" for doc, said in found[BASE].failed.items()]
    noted = found[BASE if moved else chosen[-1]]
    units = margins(noted, [found[name] for name in moved])
    for place, unit in sorted(units.items(), key=lambda item: -item[1]):
        say(f"{unit:8.2g}  {place[:150]}")
    low = {p: u for p, u in units.items() if u < LEAST}
    wrong += [f"margin {u:.3g} units of the jitter, below {LEAST:g}: {p}" for p, u in low.items()]
    for text in wrong:
        say(text)
    least = min(units.values(), default=math.inf)
    say(
        f"{len(listed)} chapters, {len(found[BASE].verdicts)} verdicts, {len(chosen) - 1} variants:"
        f" {len(wrong) - len(low)} differences; {len(units)} guards, {len(low)} with a margin below"
        f" {LEAST:g} units of the jitter, the least {least:.3g}"
    )
    return len(wrong)


@dataclass(frozen=True)
class Job:
    """What the process of a variant is asked to do."""

    docs: list[str]
    parameters: dict[str, Any]
    claims: bool
    workers: int
    root: str
    pages_in: str


def run_variant(change: Mapping[str, str], job: Job, folder: Path, noting: bool) -> Outcome:
    """Run one variant in a process of its own, since libraries choose when they are loaded.

    Parameters
    ----------
    change : mapping of str
        Its environment, beside that of this process.
    job : Job
    folder : Path
        Where what it found is written.
    noting : bool
        Whether margins are noted; else the pages are executed as they are for readers.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _RESULT).unlink(missing_ok=True)
    # before the packages, among which there may be another of the name `tests`
    places = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": places} | dict(change)
    if noting:
        environment["COMPANION_EXTENSION"] = "tests.shake.margins"
    command = [sys.executable, "-m", __name__, str(folder), json.dumps(asdict(job))]
    subprocess.run(command, env=environment, cwd=job.root, check=True)
    result = json.loads((folder / _RESULT).read_text("utf-8"))
    noted = {f"ledger: {place}": tuple(m) for place, m in result["margins"].items()}
    for doc in job.docs:
        file = Path(job.pages_in, f"{doc}.margins")
        kept, failed = json.loads(file.read_text("utf-8")) if file.exists() else ({}, [])
        noted |= {f"{doc}: {place}": tuple(m) for place, m in kept.items()}
        if failed:
            result["failed"][doc] = "; ".join(failed)
    return Outcome(Path(job.pages_in), result["verdicts"], result["failed"], noted)


def compared(name: str, base: Outcome, other: Outcome, listed: Iterable[Page]) -> list[str]:
    """What a variant says otherwise, one line for each cell of a page and each verdict."""
    found = []
    for page in listed:
        if page.doc in other.failed:
            found.append(f"{name}: {page.doc} failed: {other.failed[page.doc]}")
        elif page.doc not in base.failed:
            pair = [one.folder / f"{page.doc}.ipynb" for one in (base, other)]
            said = differences(*pair, names=(BASE, name), pictures=False, without=OWN)
            found += [f"{name}: {page.doc}: {text}" for text in said]
    for claim in sorted(base.verdicts.keys() | other.verdicts.keys()):
        verdicts = base.verdicts.get(claim), other.verdicts.get(claim)
        if verdicts[0] != verdicts[1]:
            found.append(f"{name}: claim {claim}: {verdicts[0]} | {verdicts[1]}")
    return found


def margins(base: Outcome, jittered: Iterable[Outcome]) -> dict[str, float]:
    """The margin of each guard in units of the jitter: the distance of its sides as a share of the
    larger, over what the jitter moves that share by, and at least over the jitter itself.
    """
    shares = [{p: d / s for p, (d, s) in one.margins.items() if s} for one in (base, *jittered)]
    units = {}
    for place, (_, size) in base.margins.items():
        if f": {GUARD}: " in place or place.startswith("ledger: "):
            share, *others = (own[place] for own in shares if place in own) if size else (math.inf,)
            units[place] = share / max([RELATIVE, *(abs(other - share) for other in others)])
    return units


# --- in the process of a variant


def _rewrite(module: Any) -> None:
    """Let the functions of a module note the margins of their comparisons."""
    source = Path(module.__file__).read_text("utf-8")
    for code in rewritten(source, module.__file__).co_consts:
        if isinstance(code, CodeType) and hasattr(vars(module).get(code.co_name), "__code__"):
            vars(module)[code.co_name].__code__ = code


def _verdicts() -> dict[str, str]:
    """The verdict of every claim, measured again; its margin is noted."""
    from lib.ledger import judge, rules
    from lib.ledger.evidence import Measurer

    rows = judge.evaluate(measured=Measurer(fresh=True))
    _rewrite(rules)
    for row in rows:
        if row.claim.measure:
            final = replace(row.evidence, p=row.adjusted_p, p_opposite=row.adjusted_opposite)
            recorder().label = f"{row.claim.id}: "
            rules.judge(row.claim.rule, final, row.claim.tolerance)
    also = {f"{r.claim.id}, {name}": one.verdict for r in rows for name, one in r.also.items()}
    return {row.claim.id: row.verdict for row in rows} | also


def _main(folder: Path, job: Job) -> None:
    listed = [Page(doc, Path(job.root)) for doc in job.docs]
    executed = execute(
        listed, job.parameters, Path(job.pages_in), workers=job.workers, strict=False
    )
    failed = {page.doc: "; ".join(map(str, page.failures)) for page in executed if page.failures}
    if seed := os.environ.get("COMPANION_JITTER"):
        for name in [name for name in sys.modules if name.startswith("lib.runner")]:
            del sys.modules[name]
        install(int(seed))
    verdicts = _verdicts() if job.claims else {}
    result = {"verdicts": verdicts, "failed": failed, "margins": recorder().found}
    write_whole(folder / _RESULT, json.dumps(result))


if __name__ == "__main__":
    _main(Path(sys.argv[1]), Job(**json.loads(sys.argv[2])))
