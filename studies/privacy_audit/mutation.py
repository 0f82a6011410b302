"""Programs with one small change: all that can be made of a module, and a run of one of them.

A change is another number, operator, comparison or name, an argument that is left out or swapped
with the next one, or a call that is not made. Checks of arguments, messages, types, and the
defaults of parameters stay as they are. The name of a change has the text around it and no line, so
it stays the same where other lines of a file change.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from copy import copy
from functools import partial
from importlib.machinery import SourceFileLoader
from itertools import takewhile
from typing import Any
from unittest.mock import patch

from lib.paths import PACKAGE

_AROUND = 40  # characters before and after a change that are part of its name
_OPPOSITES = (
    (ast.Add, ast.Sub),
    (ast.Mult, ast.Div),
    (ast.BitOr, ast.BitAnd),
    (ast.And, ast.Or),
    (ast.Eq, ast.NotEq),
    (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn),
)
_OPERATORS = {own: (other,) for pair in _OPPOSITES for own, other in (pair, pair[::-1])} | {
    ast.Pow: (ast.Mult,),
    ast.FloorDiv: (ast.Mult,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
}
_CYCLES = (
    ("max", "min"),
    ("maximum", "minimum"),
    ("any", "all"),
    ("ADD_OR_REMOVE", "REPLACE", "WITHIN"),
    ("MARGINAL", "CELL", "ROWS"),
)
_NAMES = {
    own: other
    for names in _CYCLES
    for own, other in zip(names, (*names[1:], names[0]), strict=True)
}
_CASTS = {"float", "int", "tuple", "list", "str", "dict", "set", "len", "iter"}
_OBJECTS = {"self", "data", "domain", "rng", "accountant", "payer", "what", "name"}
_LEFT_OUT = (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.arguments)
_HEADS = ("decorator_list", "annotation", "returns")


def changes(tree: ast.Module, leave_out: tuple[str, ...] = ()) -> Iterator[str]:
    """The name of every change of a module, which ``tree`` has while its name is the last one.

    ``leave_out`` names functions and classes that stay as they are.

    Examples
    --------
    >>> tree = ast.parse("def half(x): return x / 2")
    >>> for name in changes(tree):
    ...     print(name)
    half: return x / 2 -> return x
    half: return x / 2 -> return x * 2
    half: return x / 2 -> return x / 3
    half: return x / 2 -> return x / 1
    """
    seen: Counter[str] = Counter()
    for where, old, put, whole in _places(tree, "", tree, leave_out):
        before = ast.unparse(whole)
        for new in _instead(old):
            put(new)
            after = ast.unparse(new if whole is old else whole)
            change = f"{where or 'module'}: {_shown(before, after)}"
            seen[change] += 1
            yield change if seen[change] == 1 else f"{change} ({seen[change]})"
            put(old)


def _places(
    node: ast.AST, where: str, whole: ast.AST, leave_out: tuple[str, ...]
) -> Iterator[tuple[str, ast.AST, Callable[[ast.AST], None], ast.AST]]:
    """Of each part of ``node``: the function, the part, what replaces it, and its statement."""
    for name, value in ast.iter_fields(node):
        if name in _HEADS:
            continue
        for place, part in enumerate(value if isinstance(value, list) else [value]):
            field = isinstance(node, ast.ClassDef) and isinstance(part, ast.AnnAssign)
            if field or not isinstance(part, ast.AST) or _stays(part):
                continue
            inside = where
            if isinstance(part, ast.FunctionDef | ast.ClassDef):
                inside = f"{where}.{part.name}".lstrip(".")
                if part.name in leave_out:
                    continue
            own = whole
            if isinstance(part, ast.stmt) or (isinstance(node, ast.stmt) and hasattr(node, "body")):
                own = part  # of a block only the head
            many = isinstance(value, list)
            put = partial(value.__setitem__, place) if many else partial(setattr, node, name)
            yield inside, part, put, own
            yield from _places(part, inside, own, leave_out)


def _stays(part: ast.AST) -> bool:
    """Messages, types, docstrings, and what checks arguments."""
    if isinstance(part, ast.Expr):
        return _stays(part.value) or isinstance(part.value, ast.Constant)
    if isinstance(part, ast.Call):
        names = ast.unparse(part.func).split(".")
        return names[0] in ("validate", "share") or names[-1].startswith(("errstate", "_require"))
    return isinstance(part, _LEFT_OUT)


def _instead(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in the place of ``node``."""
    for operator in _OPERATORS.get(type(node), ()):
        yield operator()
    match node:
        case ast.Constant(value=int() | float() as value):
            yield from map(ast.Constant, _numbers(value))
        case ast.BinOp(left=inner) | ast.UnaryOp(operand=inner):
            yield inner
        case ast.IfExp():
            yield from (node.body, node.orelse)
        case ast.Slice():
            for end in (end for end in ("lower", "upper", "step") if getattr(node, end)):
                shorter = copy(node)
                setattr(shorter, end, None)
                yield shorter
        case ast.comprehension(ifs=[_, *_]):
            yield ast.comprehension(node.target, node.iter, [], node.is_async)
        case ast.Name(id=name, ctx=ast.Load()) if name in _NAMES:
            yield ast.Name(_NAMES[name], node.ctx)
        case ast.Attribute(attr=name) if name in _NAMES:
            yield ast.Attribute(node.value, _NAMES[name], node.ctx)
        case ast.Expr(value=ast.Call()):
            yield ast.Pass()
        case ast.Call():
            yield from _calls(node)
        case ast.If():
            yield ast.If(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)


def _numbers(value: float) -> tuple[float, ...]:
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return (value + 1, value - 1)
    return (2 * value, value / 2) if value else (1.0,)


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    """Two arguments swapped, a keyword left out, or the argument without the call."""
    args, keywords = node.args, node.keywords
    if any(isinstance(arg, ast.Starred) for arg in args):
        return
    for i in range(len(args) - 1):
        one, two = args[i : i + 2]
        if _may_swap(one) and _may_swap(two):
            yield ast.Call(node.func, [*args[:i], two, one, *args[i + 2 :]], keywords)
    for left_out in keywords:
        if left_out.arg:
            yield ast.Call(node.func, args, [k for k in keywords if k is not left_out])
    if len(args) == 1 and not keywords and getattr(node.func, "id", "") not in _CASTS:
        yield args[0]


def _may_swap(arg: ast.AST) -> bool:
    """A value; with an object in its place, a call would only crash."""
    if isinstance(arg, ast.Name):
        return arg.id not in _OBJECTS
    return not isinstance(arg, ast.Constant) or isinstance(arg.value, int | float)


def _shown(before: str, after: str) -> str:
    """The two texts, as far as they differ and a little around it."""
    before, after = " ".join(before.split()), " ".join(after.split())
    first = max(0, _equal(before, after) - _AROUND)
    last = max(0, _equal(before[first:][::-1], after[first:][::-1]) - _AROUND)
    return " -> ".join(text[first : len(text) - last].strip() for text in (before, after))


def _equal(one: str, other: str) -> int:
    """With how many equal characters two texts begin."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def parsed(module: str) -> ast.Module:
    """The program of a module of the package; neither it nor a package around it is imported."""
    file = PACKAGE.joinpath(*module.split(".")[1:]).with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))


def put_in_place(module: str, change: str, leave_out: tuple[str, ...] = ()) -> None:
    """Let this process import ``module`` with one change; it must not have imported it before."""
    if module in sys.modules:
        raise RuntimeError(f"{module} must not be imported before it is changed")
    tree = parsed(module)
    if change not in changes(tree, leave_out):
        raise ValueError(f"change must be one of {module}, got {change!r}")
    code = compile(ast.fix_missing_locations(tree), module, "exec", dont_inherit=True)
    others = SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, name: str) -> Any:
        return code if name == module else others(loader, name)

    patch.object(SourceFileLoader, "get_code", get_code).start()
