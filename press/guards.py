"""What a failed cell tells a reader: which guard did not hold, and the values that it compared.

A kernel runs this file as text (:mod:`press.engine`) after a cell has failed, because a page may
have a ``lib`` of its own. So it imports nothing but the standard library and IPython.
"""

from __future__ import annotations

import ast
import json
import linecache
import re
import sys
from collections.abc import Callable
from traceback import walk_tb
from typing import Any

_Value = Callable[[ast.expr], Any]
WORDS = {
    ast.Lt: "to be less than",
    ast.Gt: "to be greater than",
    ast.LtE: "to be at most",
    ast.GtE: "to be at least",
    ast.Eq: "to equal",
    ast.NotEq: "to differ from",
    ast.In: "to be in",
    ast.NotIn: "not to be in",
    ast.Is: "to be",
    ast.IsNot: "not to be",
}
TURNED = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE}


def describe() -> str:
    """The last failure of this kernel, as JSON: whether it is a guard's, the line of the cell that
    failed, the kind of error, and a clause for the reader.
    """
    from IPython.core.getipython import get_ipython

    shell: Any = get_ipython()
    error, frames = sys.last_value, [*walk_tb(sys.last_traceback)]
    kind, page = type(error).__name__, [f for f in frames if f[0].f_globals is shell.user_ns]
    guard = kind == "AssertionError" and frames[-1] in page and _guard(*frames[-1])
    if guard:
        frame, _ = frames[-1]
        clause = explain(guard.test, frame.f_globals | frame.f_locals)
        clause += f" ({_brief(str(error))})" if str(error) else ""
    else:
        clause = _brief(f"{kind}: {error}".rstrip(": "), 200)
    line = page[0][1] if page else 0
    return json.dumps({"guard": bool(guard), "line": line, "kind": kind, "clause": clause})


def _guard(frame: Any, line: int) -> ast.Assert | None:
    """The ``assert`` in the source of ``frame`` that reaches over ``line``."""
    tree = ast.parse("".join(linecache.getlines(frame.f_code.co_filename)))
    asserts = (node for node in ast.walk(tree) if isinstance(node, ast.Assert))
    return next((a for a in asserts if a.lineno <= line <= (a.end_lineno or line)), None)


def explain(test: ast.expr, names: dict[str, Any]) -> str:
    """What ``test`` expects in words, and what was found: its parts are evaluated once more.

    Examples
    --------
    >>> explain(ast.parse("0.4 < gap < 2 * most", mode="eval").body, {"gap": 0.3, "most": 1})
    'expected `gap` to be greater than `0.4`, found 0.3'
    """

    def value(node: ast.expr) -> Any:
        whole = ast.fix_missing_locations(ast.Expression(node))
        return eval(compile(whole, "guard", "eval"), dict(names))

    try:
        return _explain(test, value)
    except Exception:  # a part that cannot be evaluated twice costs the values, not the sentence
        return f"expected {_code(test)}, which does not hold"


def _explain(test: ast.expr, value: _Value) -> str:
    match test:
        case ast.BoolOp(op=ast.And()):
            return _explain(next(part for part in test.values if not value(part)), value)
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return f"expected {_code(inner)} to be false, found {shown(value(inner))}"
        case ast.Compare():
            return _comparison(test, value)
        case ast.Call(func=ast.Name(id="all"), args=[ast.GeneratorExp() as every]):
            return _first_exception(every, value)
        case ast.Call(func=ast.Attribute(value=inner, attr="all"), args=[]):
            table: Any = value(inner)
            held = [*map(bool, getattr(table, "values", table).ravel())]
            found = f"{held.count(False)} of {len(held)}"
            return f"expected {_code(inner)} everywhere, found {found} where it is not so"
        case ast.Call():
            parts = [a for a in test.args if not isinstance(a, ast.Constant)]
            found = ", ".join(f"{_code(a)} = {shown(value(a))}" for a in parts)
            return f"expected {_code(test)}" + (f", found {found}" if found else "")
    return f"expected {_code(test)} to be true, found {shown(value(test))}"


def _comparison(test: ast.Compare, value: _Value) -> str:
    """The first pair of a chain that does not hold; a constant stands on the right."""
    left = test.left
    for operator, right in zip(test.ops, test.comparators, strict=True):
        kind = type(operator)
        if not value(ast.Compare(left, [operator], [right])):
            break
        left = right
    if isinstance(left, ast.Constant) and kind in TURNED:
        left, kind, right = right, TURNED[kind], left
    same = shown(value(left)) == shown(value(right))  # three digits do not tell them apart
    computed = (part for part in (left, right) if not isinstance(part, ast.Constant))
    found = " and ".join((in_full if same else shown)(value(part)) for part in computed)
    return f"expected {_code(left)} {WORDS[kind]} {_code(right)}, found {found}"


def _first_exception(every: ast.GeneratorExp, value: _Value) -> str:
    """The first element of ``all(... for ...)`` that does not hold, by its variables."""
    bound = (node for part in every.generators for node in ast.walk(part.target))
    targets = [node.id for node in bound if isinstance(node, ast.Name)]
    names = [ast.Name(name, ast.Load()) for name in targets]
    each = ast.Tuple([every.elt, *names], ast.Load())
    found = next(at for held, *at in value(ast.GeneratorExp(each, every.generators)) if not held)
    where = ", ".join(f"`{n}` = {shown(v)}" for n, v in zip(targets, found, strict=True))
    return f"expected {_code(every.elt)} for each {', '.join(targets)}, found {where}"


def _code(node: ast.expr) -> str:
    return f"`{ast.unparse(node)}`"


def shown(value: Any) -> str:
    """A value as a sentence shows it: three digits, and of a long one the beginning."""
    value = _plain(value)
    return f"{value:.3g}" if isinstance(value, float) else in_full(value)


def in_full(value: Any) -> str:
    """A value with all its digits."""
    return _brief(repr(_plain(value)))


def _plain(value: Any) -> Any:
    """A number of NumPy as one of Python."""
    return value.item() if hasattr(value, "item") and getattr(value, "size", 0) == 1 else value


def _brief(text: str, length: int = 100) -> str:
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(text.split()))
    return text if len(text) <= length else text[: length - 1] + "…"
