"""The parameters of a chapter: which are known by name, and their check before any work."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Collection, Iterable
from functools import partial
from itertools import pairwise
from typing import Any

from lib import validate

PROFILES = ("quick", "paper")
COUNTS = ("runs", "splits", "draws")  # the work of a page grows with each
KNOWN_RULES: dict[str, Callable[[str, Any], Any]] = {
    "profile": partial(validate.choice, allowed=PROFILES),
    "seed": partial(validate.integer, low=0, high=2**63 - 1),
    "runs": partial(validate.integer, low=1, high=10_000),
    "n": partial(validate.integer, low=1, high=10_000_000),
    "splits": partial(validate.integer, low=1, high=10_000),
    "draws": partial(validate.integer, low=1, high=10_000_000),
    "epsilon": validate.budget,
}


def check_parameters(**parameters: Any) -> None:
    """Check the parameters of a chapter before any work, and that papermill gave no other.

    Parameters
    ----------
    **parameters
        Each is one value whose rule is known by its name (``profile``, ``seed``, ``runs``, ``n``,
        ``splits``, ``draws``, ``epsilon``), or a pair ``(value, rule)``. A rule is a collection of
        allowed values, as a ``range``, or a function ``(name, value)`` that raises.

    Raises
    ------
    ValueError
        Naming the parameter, its value and what is allowed; or a name that papermill was given and
        the page does not declare.

    Examples
    --------
    >>> check_parameters(profile="quick", epsilon=1.0, dataset=("adult", ["adult", "lsac"]))
    """
    _refuse_unknown()
    for name, given in parameters.items():
        value, rule = given, KNOWN_RULES.get(name)
        pair = isinstance(given, tuple) and len(given) == 2
        if pair and (callable(given[1]) or isinstance(given[1], Collection)):
            value, rule = given
        if rule is None:
            raise ValueError(
                f"{name}={given!r} has no rule; known by name are {', '.join(KNOWN_RULES)}; else"
                " (value, rule)"
            )
        if isinstance(value, list | tuple | dict | set):
            raise validate.refusal(name, "one value", value)
        if name in COUNTS:  # a rule of the page narrows the known one
            KNOWN_RULES[name](name, value)
        if isinstance(rule, range):  # whose numbers nobody wants to read
            what = f"one of {rule[0]}, {rule[1]}, ..., {rule[-1]}"
            validate.require(validate.whole(value) and value in rule, name, what, value)
        else:
            rule(name, value) if callable(rule) else validate.choice(name, value, rule)


def _refuse_unknown() -> None:
    """Refuse a name that papermill was given and the page does not declare, but ``profile``, which
    the build gives to every page.

    Papermill itself warns, sets the name, and executes a page that does not use it.
    """
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    declared, given = of_papermill(getattr(shell, "user_ns", {}).get("In", ()))
    for name in given:
        if name != "profile":
            validate.choice("parameter", name, declared)


def of_papermill(history: Iterable[str]) -> tuple[list[str], list[str]]:
    """The names that a page declares and those that papermill was given, as the cells that were
    executed show them; none if papermill had no part in them.

    The two cells stand one after the other and have forms of their own: declarations with a type,
    and plain values below a comment. So a cell of a reader is not taken for one of them.

    Examples
    --------
    >>> of_papermill(["runs: int = 3  # splits", "# Parameters\\nrunz = 5\\n", "print(runs)"])
    (['runs'], ['runz'])
    """
    for before, cell in reversed([*pairwise(history)]):
        if cell.startswith("# Parameters\n") and (declared := _names(before, ast.AnnAssign)):
            return declared, _names(cell, ast.Assign)
    return [], []


def _names(source: str, kind: type[ast.Assign | ast.AnnAssign]) -> list[str]:
    """What ``source`` sets, if all its statements are of one kind."""
    try:
        body = ast.parse(source).body
    except SyntaxError:
        return []
    if not all(isinstance(statement, kind) for statement in body):
        return []
    stored = (n for n in ast.walk(ast.Module(body, [])) if isinstance(n, ast.Name))
    return [n.id for n in stored if isinstance(n.ctx, ast.Store)]
