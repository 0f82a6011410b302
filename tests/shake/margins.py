"""How far each comparison of a page is from turning: the least distance of its two sides.

In a kernel that loads this extension of IPython (``COMPANION_EXTENSION``), the code of every cell is rewritten before it
runs. A comparison stays what it is, and notes the distance of its sides. So does a choice: the
place of a largest or smallest number, a rank, an order, and "close to". An assertion that fails is
noted, and stops nothing.
"""

from __future__ import annotations

import ast
import atexit
import builtins
import json
import operator
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lib.files import write_whole
from tests.shake.jitter import install, is_exact

GUARD, PAGE = "guard", "page"  # an assertion of a page, and any other line of it
_HOOK = "__companion_margins__"
_OPERATIONS: dict[str, Callable] = {
    "Lt": operator.lt,
    "LtE": operator.le,
    "Gt": operator.gt,
    "GtE": operator.ge,
    "Eq": operator.eq,
    "NotEq": operator.ne,
}
_EXTREMES = ("idxmax", "idxmin", "argmax", "argmin")
_ORDERS = ("rank", "argsort", "nlargest", "nsmallest", "sort_values")
_CLOSE = ("allclose", "isclose")
_MONOTONIC = ("is_monotonic_increasing", "is_monotonic_decreasing")
Margin = tuple[float, float]  # distance, and the larger side's size


def _numbers(value: Any) -> np.ndarray | None:
    """The value as an array of floats; None if it holds no inexact kind of number."""
    try:
        array = np.asarray(value)
        if array.dtype == object:
            array = array.astype(np.float64)
    except (TypeError, ValueError):
        return None
    return array.astype(np.float64) if array.dtype.kind == "f" else None


def _least(distance: np.ndarray, size: np.ndarray) -> Margin | None:
    """The element that is nearest to turning, as a share of its size."""
    distance, size = np.broadcast_arrays(distance, size)
    known = np.isfinite(distance) & np.isfinite(size)
    if not known.any():
        return None
    distance, size = distance[known], size[known]
    with np.errstate(all="ignore"):
        share = np.where(size > 0, distance / size, 0.0)
    at = np.lexsort((distance, share))[0]
    return float(distance[at]), float(size[at])


def of_sides(left: Any, right: Any) -> Margin | None:
    """The margin of a comparison; None where both sides are exact, or none is a number.

    Examples
    --------
    >>> of_sides([1 / 3, 0.5], 0.5)  # one half against one half is exact
    (0.16666666666666669, 0.5)
    """
    if isinstance(left, list) and isinstance(right, list) and left == right:
        return of_order(left)  # a list against itself, sorted
    try:
        if hasattr(left, "align") and hasattr(right, "align"):
            left, right = left.align(right)
    except (TypeError, ValueError):
        return None
    one, other = _numbers(left), _numbers(right)
    if one is None and other is None:
        return None
    try:
        sides = [np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)]
        one, other = np.broadcast_arrays(*sides)
    except (TypeError, ValueError):
        return None
    inexact = ~(is_exact(one) & is_exact(other))
    return _least(np.abs(one - other)[inexact], np.fmax(np.abs(one), np.abs(other))[inexact])


def of_order(values: Any, extreme: bool = False) -> Margin | None:
    """The least gap between neighbours in size; with ``extreme``, that at the nearer end."""
    array = _numbers(values)
    if array is None or array.size < 2:
        return None
    if array.ndim > 1:
        found = [m for row in array.reshape(-1, array.shape[-1]) if (m := of_order(row, extreme))]
        return min(found, key=lambda m: m[0] / (m[1] or 1), default=None)
    array = np.sort(array[np.isfinite(array)])
    inexact = ~(is_exact(array[1:]) & is_exact(array[:-1]))
    gaps, sizes = np.diff(array), np.fmax(np.abs(array[1:]), np.abs(array[:-1]))
    return _least(gaps[inexact], sizes[inexact])


def of_extreme(values: Any, largest: bool) -> Margin | None:
    """The gap between the largest (or smallest) number and the next."""
    array = _numbers(values)
    if array is None or array.size < 2:
        return None
    if array.ndim > 1:
        found = [m for column in array.T if (m := of_extreme(column, largest))]
        return min(found, key=lambda m: m[0] / (m[1] or 1), default=None)
    array = np.sort(array[np.isfinite(array)])
    return of_order(array[-2:] if largest else array[:2])


class Recorder:
    """The margins of one process, by what was compared."""

    def __init__(self) -> None:
        self.found: dict[str, Margin] = {}
        self.failed: list[str] = []
        self.label = ""

    def note(self, place: str, margin: Margin | None) -> None:
        """Keep ``margin`` if it is the least at ``place``."""
        if margin is not None:
            place = f"{self.label}{place}"
            known = self.found.get(place, margin)
            self.found[place] = min(known, margin, key=lambda m: (m[0] / (m[1] or 1.0), m[0]))

    def check(self, place: str, holds: Any) -> None:
        """An assertion: one that fails is noted, and the page goes on."""
        if not holds:
            self.failed.append(f"{self.label}{place}")

    def compare(self, place: str, names: str, *sides: Any) -> Any:
        """What ``a < b < c`` gives; its margins are noted."""
        result: Any = True
        for name, left, right in zip(names.split(), sides[:-1], sides[1:], strict=True):
            if left is not right:  # x != x asks for NaN
                self.note(place, of_sides(left, right))
            result = _OPERATIONS[name](left, right)
            if len(sides) > 2 and not result:
                return result
        return result

    def call(self, place: str, name: str, receiver: Any, *args: Any, **arguments: Any) -> Any:
        """What the call gives; the margin of the choice that it makes is noted."""
        function = getattr(receiver, name)
        if name in _CLOSE and len(args) > 1:
            one, other = (np.asarray(a, dtype=np.float64) for a in args[:2])
            relative = args[2] if len(args) > 2 else arguments.get("rtol", 1e-5)
            if "rel_tol" in arguments or "abs_tol" in arguments:  # math.isclose
                relative = arguments.get("rel_tol", 1e-9)
                allowed = np.fmax(
                    relative * np.fmax(abs(one), abs(other)), arguments.get("abs_tol", 0)
                )
            else:
                allowed = arguments.get("atol", 1e-8) + relative * np.abs(other)
            margin = np.abs(allowed - np.abs(one - other))
            self.note(place, _least(margin, np.fmax(np.abs(one), np.abs(other))))
        else:
            values = args[0] if args and receiver is np else receiver
            if name == "sort_values":
                by = args[0] if args else arguments.get("by")
                values = receiver[by] if isinstance(by, str) else receiver if by is None else None
            if name in _EXTREMES:
                self.note(place, of_extreme(values, name.endswith("max")))
            elif arguments.get("key") is None:
                self.note(place, of_order(values))
        return function(*args, **arguments)

    def monotonic(self, place: str, name: str, receiver: Any) -> Any:
        """Whether a column rises or falls; its least step is noted."""
        self.note(place, of_order(receiver))
        return getattr(receiver, name)

    def pick(self, place: str, name: str, values: Any, key: Callable) -> Any:
        """``min``, ``max`` or ``sorted`` with a key."""
        values = list(values)
        keys = [key(value) for value in values]
        if keys and not isinstance(keys[0], tuple | list):
            margin = of_order(keys) if name == "sorted" else of_extreme(keys, name == "max")
            self.note(place, margin)
        return getattr(builtins, name)(values, key=key)


class Rewriter(ast.NodeTransformer):
    """Rewrites comparisons and choices so that a :class:`Recorder` notes them."""

    def __init__(self) -> None:
        self.place = ""

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        before, self.place = self.place, f"{GUARD}: {ast.unparse(node.test)}"
        checked = ast.Expr(self._hooked("check", node, self.visit(node.test)))
        self.place = before
        return ast.fix_missing_locations(ast.copy_location(checked, node))

    def _hooked(self, method: str, node: ast.AST, *arguments: ast.expr, **more: Any) -> ast.expr:
        place = self.place or f"{PAGE}: {ast.unparse(node)}"
        function = ast.Attribute(ast.Name(_HOOK, ast.Load()), method, ast.Load())
        call = ast.Call(function, [ast.Constant(place), *arguments], more.get("keywords", []))
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        names = [type(op).__name__ for op in node.ops]
        whole = self.place or f"{PAGE}: {ast.unparse(node)}"
        before, self.place = self.place, whole
        self.generic_visit(node)
        self.place = before
        if not all(name in _OPERATIONS for name in names):
            return node
        self.place, sides = whole, [node.left, *node.comparators]
        hooked = self._hooked("compare", node, ast.Constant(" ".join(names)), *sides)
        self.place = before
        return hooked

    def visit_Call(self, node: ast.Call) -> ast.AST:
        text = f"{PAGE}: {ast.unparse(node)}"
        self.generic_visit(node)
        function, before = node.func, self.place
        self.place = self.place or text
        hooked: ast.AST = node
        starred = any(isinstance(a, ast.Starred) for a in node.args)
        if isinstance(function, ast.Attribute):
            if function.attr in (*_EXTREMES, *_ORDERS, *_CLOSE) and not starred:
                hooked = self._hooked(
                    "call",
                    node,
                    ast.Constant(function.attr),
                    function.value,
                    *node.args,
                    keywords=node.keywords,
                )
        elif (
            isinstance(function, ast.Name)
            and function.id in ("min", "max", "sorted")
            and [k.arg for k in node.keywords] == ["key"]
            and len(node.args) == 1
            and not starred
        ):
            key = node.keywords[0].value
            hooked = self._hooked("pick", node, ast.Constant(function.id), *node.args, key)
        self.place = before
        return hooked

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        text = f"{PAGE}: {ast.unparse(node)}"
        self.generic_visit(node)
        if node.attr not in _MONOTONIC:
            return node
        before, self.place = self.place, self.place or text
        hooked = self._hooked("monotonic", node, ast.Constant(node.attr), node.value)
        self.place = before
        return hooked


def recorder() -> Recorder:
    """The recorder of this process, where rewritten code finds it."""
    if not hasattr(builtins, _HOOK):
        setattr(builtins, _HOOK, Recorder())
    return getattr(builtins, _HOOK)


def rewritten(source: str, file: str) -> Any:
    """The code object of ``source``, rewritten."""
    recorder()
    return compile(ast.fix_missing_locations(Rewriter().visit(ast.parse(source))), file, "exec")


def write_at_exit(path: Path) -> None:
    """Write what was noted when the process ends."""
    atexit.register(lambda: write_whole(path, json.dumps([recorder().found, recorder().failed])))


def load_ipython_extension(shell: Any) -> None:
    """Note the margins of what this kernel runs, beside the list of data that it finds, and jitter
    with the seed of ``COMPANION_JITTER``, if there is one.
    """
    if seed := os.environ.get("COMPANION_JITTER"):
        install(int(seed))
    recorder()
    shell.ast_transformers.append(Rewriter())
    write_at_exit(Path(os.environ["COMPANION_FOUND"]).with_suffix(".margins"))
