"""An assignment for one class: ``python -m course.keys a1 --seed "autumn of 2027" --out FOLDER``.

FOLDER gets the notebook ``a1.ipynb`` for ``otter assign``, and its table. The seed is a text that
draws the parameters (from ``assignments/a1.yml``) and the table, so another class or year has other
numbers. In a hidden test, ``KEY["x"]`` becomes the value that the solution gives to ``x``, and the
test gets the source of :func:`agrees`.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from textwrap import indent
from typing import Any

import jupytext
import nbformat
import numpy as np
from nbformat import NotebookNode

from course.sessions import COURSE
from lib import validate
from lib.files import read_yaml
from lib.programs import need_assertions, start_again
from lib.rng import stream
from press.toc import tags

SOURCES = COURSE / "assignments"
_FORM_ONLY = '''"""# BEGIN TEST CONFIG
success_message: The form is right. Marking will show whether the answer is right, too.
"""# END TEST CONFIG
'''


def agrees(answer, right, digits: int = 3, within: float = 0.0) -> bool:
    """Whether an answer has the form and the values of the right one.

    A list needs the same length, a mapping the same keys. Whole numbers and text must be equal;
    other numbers right to ``digits`` significant digits, rounded, or, if that is more, within the
    share ``within`` of the right one. What NumPy and pandas hold is taken for Python's own.

    Examples
    --------
    >>> agrees(0.678, 0.6784), agrees(0.68, 0.6784), agrees([], [1.5, 2.5]), agrees(12, 13)
    (True, False, False, False)
    """
    import math  # not above: hidden tests take this function's source alone

    convert = "to_dict" if isinstance(right, dict) else "tolist"
    answer = getattr(answer, convert, lambda: answer)()
    if isinstance(right, list):  # a mapping of places
        answer = dict(enumerate(answer)) if isinstance(answer, list | tuple) else None
        right = dict(enumerate(right))
    if isinstance(right, dict):
        same = isinstance(answer, dict) and answer.keys() == right.keys()
        return same and all(agrees(answer[k], v, digits, within) for k, v in right.items())
    if isinstance(answer, bool | str) or isinstance(right, bool | str):
        return type(answer) is type(right) and answer == right
    if isinstance(right, int):
        return answer == right
    place = math.floor(math.log10(abs(right))) if right else -1
    # a rounded answer is on the edge of this at most, and one bit may lie beyond
    most = max(0.5001 * 10.0 ** (place - digits + 1), within * abs(right))
    return abs(float(answer) - right) <= most


def hidden(notebook: NotebookNode) -> Iterator[tuple[str, NotebookNode]]:
    """The cells of hidden tests, each with the name of its task."""
    task = ""
    for cell in notebook.cells:
        if found := re.match(r"# BEGIN QUESTION\nname: (\w+)", cell.source):
            task = found[1]
        elif cell.source.startswith("# HIDDEN"):
            yield task, cell


def passes(test: str, space: dict[str, Any]) -> bool:
    """Whether variables pass the source of a test, which is called as otter calls it."""
    own: dict[str, Any] = {}
    exec(test, own)
    *_, function = own.values()
    try:
        function(*map(space.get, inspect.signature(function).parameters))
    except Exception:  # whatever an answer of another form leads to
        return False
    return True


def seed_number(text: str) -> int:
    """The number that a seed stands for."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest())


def drawn(choices: Any, rng: np.random.Generator) -> Any:
    """One of a list, or of the numbers ``{from, to, step}``."""
    if isinstance(choices, dict):
        low, high, step = (choices[word] for word in ("from", "to", "step"))
        choices = [round(low + step * i, 9) for i in range(round((high - low) / step) + 1)]
    return choices[rng.integers(len(choices))]


def literal(value: Any) -> str:
    """The source of an answer: finite numbers, text, lists and mappings.

    Examples
    --------
    >>> literal({"a": np.float64(0.5), "b": np.arange(2)})
    "{'a': 0.5, 'b': [0, 1]}"
    """
    plain = json.dumps(
        value,
        allow_nan=False,
        default=lambda v: v.to_dict() if hasattr(v, "to_dict") else v.tolist(),
    )
    return repr(json.loads(plain))


def write(name: str, seed: str, out: Path) -> dict[str, Any]:
    """Write an assignment's notebook and table into ``out``, and return the solution's variables.

    Raises
    ------
    ValueError
        If by these numbers a planted mistake passes a hidden test.
    """
    notebook, info = jupytext.read(SOURCES / f"{name}.md"), read_yaml(SOURCES / f"{name}.yml", dict)
    number = seed_number(seed)
    rng = stream(number, "parameters", name)
    values = {of: drawn(choices, rng) for of, choices in info["parameters"].items()}
    space: dict[str, Any] = {}
    out.mkdir(parents=True, exist_ok=True)
    with chdir(out):  # where the solution reads the table
        for cell in [cell for cell in notebook.cells if cell.cell_type == "code"]:
            if "parameters" in tags(cell):
                for of, value in values.items():
                    cell.source = re.sub(
                        rf"(?m)^{of} = .*?(?= +#)", f"{of} = {value!r}", cell.source
                    )
            if cell.source.startswith("def test_"):
                cell.source = _FORM_ONLY + cell.source
            elif not cell.source.startswith("# HIDDEN"):
                exec(cell.source, space)
            if "table" in tags(cell):
                table = space["make_table"](stream(number, "table", name))
                table.to_csv(f"{name}.csv", index=False, lineterminator="\n")
                notebook.cells.remove(cell)
    helper = indent(inspect.getsource(agrees), "    ")
    for task, cell in hidden(notebook):
        source = re.sub(r'KEY\["(\w+)"\]', lambda key: literal(space[key[1]]), cell.source)
        cell.source = re.sub(r"(?m)^(def .*\n)", lambda line: line[1] + helper, source)
        for planted in info["wrong"][task]:
            tried = dict(space)
            exec(planted["code"], tried)
            if passes(cell.source, tried):
                mistake = f"{name}, {task}: {planted['mistake']}"
                raise validate.refusal("seed", f"another, since it makes right ({mistake})", seed)
    start = nbformat.v4.new_markdown_cell((SOURCES / "start.md").read_text("utf-8"))
    notebook.cells.insert(1, start)
    nbformat.write(notebook, out / f"{name}.ipynb")
    return space


def main() -> None:
    """Write what the command line asks for."""
    parser = ArgumentParser(prog="python -m course.keys", description=__doc__.partition("\n")[0])
    parser.add_argument("name", choices=sorted(path.stem for path in SOURCES.glob("*.yml")))
    parser.add_argument("--seed", required=True, help="a text that your students do not know")
    parser.add_argument("--out", type=Path, required=True, help="a folder that they do not see")
    args = parser.parse_args()
    try:
        need_assertions()
        write(args.name, args.seed, args.out)
    except ValueError as error:
        parser.error(str(error))
    print(f"now: otter assign {args.out / args.name}.ipynb {args.out / 'dist'}")


if __name__ == "__main__":
    start_again()
    main()
