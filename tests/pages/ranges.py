"""What the comment of a parameter says of its range, and whether the page's own check agrees.

A number's comment states its range as ``1000 to 5000000`` (both ends allowed), ``at least 2``,
``> 0``, ``> 0 and < 1`` or ``0.1, 1 or 5``, and in other words what the number does.
``python -m tests.pages.ranges [ldp/fairness ...]`` prints what is missing, page by page.
"""

from __future__ import annotations

import ast
import io
import math
import re
import sys
import tokenize
from collections.abc import Callable
from dataclasses import dataclass
from unittest import mock

import jupytext

from lib.pages import parameters as module
from lib.paths import ROOT

LARGE = 10**6  # people, seeds: "at least 2" holds if this is let in; for other numbers, 100
_N = r"[-−]?(?:\d[\d,_]*)?\.?\d+(?:e[-−+]?\d+)?(?![\d,_]*\d| [mb]illion)"
_ENDS = rf"(?P<low>{_N}) to (?P<high>{_N})"
_BOUND = rf"(?:at least|at most|above|below|>=|<=|>|<) ?{_N}"
_LIST = rf"{_N}(?:, {_N})* or {_N}"
_SIDES = {"at least": ">=", "at most": "<=", "above": ">", "below": "<"}


@dataclass(frozen=True)
class Parameter:
    """A number among the parameters of a page: name, type, default, comment."""

    name: str
    kind: type
    default: float
    comment: str


def number(text: str) -> float:
    """A number as a comment has it: ``5,000``, ``1e-9``, ``−30``."""
    return float(re.sub(r"[,_]", "", text.replace("−", "-")))


def numbers(source: str) -> list[Parameter]:
    """The numbers that the parameters' cell declares."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = {t.start[0]: t.string.lstrip("# ") for t in tokens if t.type == tokenize.COMMENT}
    found = []
    for node in ast.parse(source).body:
        kind = {"int": int, "float": float}.get(getattr(getattr(node, "annotation", 0), "id", ""))
        if isinstance(node, ast.AnnAssign) and kind and node.value:
            default = ast.literal_eval(node.value)
            comment = comments.get(node.end_lineno or 0, "")
            found.append(Parameter(ast.unparse(node.target), kind, default, comment))
    return found


def probes(said: str, kind: type) -> tuple[list[float], list[float], str] | None:
    """Numbers that a range lets in, numbers that it does not, and the comment without the range;
    None if no range is stated.

    Examples
    --------
    >>> probes("people, 2 to 400", int)
    ([2.0, 400.0], [1.0, 401.0], 'people, ')
    >>> probes("budget", float) is None
    True
    """

    def below(x: float) -> float:
        return x - 1 if kind is int else x - max(abs(x), 1e-3) * 1e-3

    def above(x: float) -> float:
        return -below(-x)

    if found := re.search(_ENDS, said):
        low, high = number(found["low"]), number(found["high"])
        return [low, high], [below(low), above(high)], said.replace(found[0], "")
    if found := re.search(rf"{_BOUND}(?: and {_BOUND})?", said):
        inside, outside = [], []
        for words, _, at in re.findall(rf"((at \w+|above|below|[<>]=?)) ?({_N})", found[0]):
            side, end = _SIDES.get(words, words), number(at)
            step, back = (above, below) if side[0] == ">" else (below, above)
            inside.append(end if "=" in side else step(end))
            outside.append(back(end) if "=" in side else end)
        if len(inside) == 1 and found[0].startswith(("at least", ">", "above")):
            inside.append(max(LARGE if kind is int else 100, 10 * inside[0]))
        return inside, outside, said.replace(found[0], "")
    if found := re.search(_LIST, said):
        listed = [number(one) for one in re.findall(_N, found[0])]
        return listed, [max(listed) + 1, min(listed) - 1], said.replace(found[0], "")
    return None


def rules(page: str) -> tuple[list[Parameter], dict[str, Callable[[float], object]]]:
    """The numbers of ``chapters/PAGE``, and for each what ``check_parameters`` asks of it there."""
    cells = jupytext.read(ROOT / "chapters" / f"{page}.md").cells
    code = [c for c in cells if c.cell_type == "code" and not c.source.startswith("%%")]
    declared = next(c.source for c in code if "parameters" in c.metadata.get("tags", []))
    checked = next((c.source for c in code if "check_parameters(" in c.source), "")
    names: dict = {"__name__": "page"}
    exec(declared, names)
    given: dict[str, object] = {}
    with mock.patch.multiple("lib.pages", check_parameters=lambda **some: given.update(some)):
        for statement in ast.parse(checked).body:
            exec(compile(ast.Module([statement], []), page, "exec"), names)
            if given:
                break

    def rule(name: str) -> Callable[[float], object]:
        pair = isinstance(given[name], tuple)
        return lambda value: module.check_parameters(
            **{name: (value, given[name][1]) if pair else value}  # type: ignore[index]
        )

    return numbers(declared), {name: rule(name) for name in given}


def faults(page: str) -> list[str]:
    """What is wrong with the comments of the numbers of a page; empty if they agree with its
    checks.
    """
    declared, checks = rules(page)
    return [f"{one.name}: {why}" for one in declared if (why := compare(one, checks))]


def compare(one: Parameter, checks: dict[str, Callable[[float], object]]) -> str:
    """What is wrong with the comment of one number, given the checks by name; else ``""``."""
    if one.name not in checks:
        return "no check"
    if not (found := probes(one.comment, one.kind)):
        least, most = (_refusal(checks[one.name], one.kind(at)) for at in (-(10**15), 10**15))
        return f"no range in {one.comment!r}; the page says: {least}; {most}"
    inside, outside, rest = found
    if len(re.findall(r"[^\W\d_]{2,}", rest)) < 2:
        return f"no effect in {one.comment!r}"
    for value in [one.default, *inside]:
        if said := _refusal(checks[one.name], one.kind(value)):
            return f"{one.comment!r} allows {value:g}, but {said}"
    for value in outside:
        if not _refusal(checks[one.name], one.kind(value)):
            return f"{one.comment!r} does not allow {value:g}, and the page does"
    return ""


def _refusal(check: Callable[[float], object], value: float) -> str:
    if not math.isfinite(value):
        return "not finite"
    try:
        check(value)
    except ValueError as error:
        return str(error)
    return ""


def main(pages: list[str]) -> None:
    """Print the faults of the pages named, or of all."""
    from tests.press.conftest import CHAPTERS

    for page in pages or [p.doc.removeprefix("chapters/") for p in CHAPTERS]:
        for fault in faults(page):
            print(f"{page}: {fault}")


if __name__ == "__main__":
    main(sys.argv[1:])
