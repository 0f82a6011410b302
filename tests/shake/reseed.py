"""Every page with other master seeds: a guard on numbers drawn live must hold for an honest run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import numpy as np

from lib import validate
from lib.paths import BUILD, ROOT
from press.pairs import pair_up
from press.toc import pages
from tests.shake.margins import GUARD
from tests.shake.shake import Job, run_variant

FIRM = 4.753  # standard deviations that a normal law exceeds with probability 1e-6
DERIVED = "pvalue > 1e-06"  # holds for an honest run but for one in a million, by what a p-value is


def reseed(
    seeds: int,
    docs: Iterable[str] | None = None,
    *,
    workers: int = 2,
    root: Path = ROOT,
    build: Path = BUILD / "shake",
    say: Callable[[str], object] = print,
) -> int:
    """Execute the chapters with other master seeds, and say how likely an honest run fails a guard.

    Over the seeds, the distance of a guard's sides, as a share of the larger, has a mean and a
    standard deviation. A guard is firm if it never failed and its mean is at least :data:`FIRM`
    deviations, which a normal law exceeds with probability 1e-6. A page on which the first two
    seeds leave every comparison as it is draws nothing that it compares, and does not run again.

    Returns
    -------
    int
        The number of guards that are not firm.
    """
    from papermill import inspect_notebook

    seeds = validate.integer("seeds", seeds, low=2)
    known = {page.doc: page for page in pages(root) if page.is_chapter}
    chosen = known if docs is None else [validate.choice("chapter", d, known) for d in docs]
    drawn = [doc for doc in chosen if "seed" in inspect_notebook(str(known[doc].notebook))]
    pair_up(root)
    shares: dict[str, list[float]] = {}
    failed: Counter[str] = Counter()
    first: Mapping[str, tuple[float, float]] = {}
    for n in range(1, seeds + 1):
        say(f"seed {n} of {seeds}, {len(drawn)} chapters")
        folder = build / f"seed-{n}"
        job = Job(drawn, {"profile": "quick", "seed": n}, False, workers, str(root), str(folder))
        found = run_variant({}, job, folder, noting=True)
        for place, (distance, size) in found.margins.items():
            if f": {GUARD}: " in place and not place.endswith(DERIVED) and size:
                shares.setdefault(place, []).append(distance / size)
        for doc, said in found.failed.items():
            failed.update(f"{doc}: {one}" for one in said.split("; "))
        if n == 1:
            first = found.margins
        elif n == 2:
            both = first.keys() | found.margins.keys()
            turned = {p.split(": ")[0] for p in both if first.get(p) != found.margins.get(p)}
            drawn = [doc for doc in drawn if doc in turned | found.failed.keys()]
    loose = {place: f"failed {times} times" for place, times in failed.items()}
    for place, values in sorted(shares.items()):
        spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
        # a distance that only rounding moves belongs to no draw
        deviations = np.mean(values) / spread if spread > 1e-9 * max(values) else math.inf
        if deviations < FIRM and place not in loose:
            loose[place] = f"{deviations:.1f} standard deviations"
    for place, said in sorted(loose.items()):
        say(f"{said}: {place}")
    say(f"{len(shares)} guards with numbers, {seeds} seeds: {len(loose)} are not firm")
    return len(loose)
