"""One changed program, audited in a process that has imported nothing of it before.

``python -m studies.privacy_audit.trial JOB`` prints what is found as JSON. What the change may
be in is imported after it is in place.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np

from lib.rng import stream
from studies.privacy_audit.mutation import put_in_place

if TYPE_CHECKING:
    from studies.privacy_audit.cases import Case

SAME = 10  # fits on each table that are compared with those of the program without the change
_BROKEN = (ArithmeticError, AssertionError, AttributeError, LookupError, NameError, TypeError)


def trial(
    module: str,
    change: str,
    leave_out: Sequence[str],
    names: Sequence[str],
    runs: Sequence[int],
    seed: int,
    level: float,
    promises: dict[str, dict] | None,
) -> dict[str, Any]:
    """Audit the cases ``names`` of a changed ``module``; without a change if that is empty.

    Parameters
    ----------
    runs : sequence of int
        Of the first pairs of tables of a case; the last, of each pair that it promises nothing for.
    promises : dict, optional
        What each case promises; what the program itself says if not given.

    Returns
    -------
    dict
        ``outcome`` is ``"caught"``, ``"refused"`` or ``"survived"``. The last has ``prints``, a
        hash of every fit, and ``promises``.
    """
    if change:
        put_in_place(module, change, tuple(leave_out))
    try:
        from studies.privacy_audit.cases import cases

        every = {name: cases()[name] for name in names}
    except Exception as error:
        return {"outcome": "refused", "found": _words(error)}
    prints = []
    for name, case in every.items():
        if promises:
            case = replace(case, promise=type(case.promise)(**promises[name]))
        if found := _alarms(case, runs, seed, level):
            return {"outcome": "caught", "mechanism": name} | found
        tables = next(iter(case.pairs.values()))
        ones = [_print(case.fit, t, stream(seed, "same", i)) for t in tables for i in range(SAME)]
        if all(is_refused for _, is_refused in ones):
            return {"outcome": "refused", "mechanism": name, "found": ones[0][0]}
        prints.append([words for words, _ in ones])
    made = {name: vars(case.promise) for name, case in every.items()}
    return {"outcome": "survived", "promises": made, "prints": prints}


def _alarms(case: Case, runs: Sequence[int], seed: int, level: float) -> dict[str, str]:
    """The checks that fail and what the first found; empty if none does.

    An audit that cannot read what a fit did ends in an ``error``.
    """
    from studies.privacy_audit.cases import DELTA
    from studies.privacy_audit.checks import audit

    fit = partial(_loudly, case.fit)
    numbers = dict(zip(case.pairs, runs, strict=False)) | dict.fromkeys(case.others, runs[-1])
    for pair, number in numbers.items():
        try:
            found = audit(
                fit, *case.asked(pair), runs=number, seed=seed, delta=DELTA, level=level
            ).alarms
        except Exception as error:
            found = {"error": _words(error)}
        if found:
            return {"alarms": ", ".join(found), "found": next(iter(found.values()))}
    return {}


def _loudly(fit: Callable, table: object, rng: np.random.Generator) -> object:
    """A crash is seen by everybody, as a refusal is."""
    try:
        return fit(table, rng)
    except _BROKEN as error:
        raise ValueError(_words(error)) from error


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:200]


def _print(fit: Callable, table: object, rng: np.random.Generator) -> tuple[str, bool]:
    """A hash of all looks of a fit, of what it releases and of what its accountant promises; or why
    it is refused, and True.
    """
    from lib.dp.looks import observed
    from studies.privacy_audit.replay import Observer

    observer = Observer()
    try:
        with observed(observer):
            released: Any = _loudly(fit, table, rng)
    except ValueError as error:
        return str(error), True
    return joblib.hash([observer.looks, released, released.accountant.promise]), False


if __name__ == "__main__":
    print(json.dumps(trial(**json.loads(sys.argv[1]))))
