"""Answers that a page checks: a solution states what its exercise asks for, and the build makes a
box of it (:mod:`press.exercises`).

An answer is compared as text, so that the page can hold hashes instead of the answer. A number is
rounded first; one unit of its last digit more or less is right, too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lib import validate
from lib.pages.chapter import ran_on_html, show

KIND = "application/vnd.companion.answer+json"  # of the output that carries an answer
WHOLE = ".0f"


def number_texts(value: float, spec: str) -> list[str]:
    """The texts that are right where the answer is ``value``.

    Parameters
    ----------
    value : float
    spec : str
        How numbers are written, ``answers.js`` does the same: ``".1e"`` has two significant digits,
        ``"z.2f"`` two decimals, and ``".0f"`` is a whole number, which allows no other.

    Examples
    --------
    >>> number_texts(0.0347, ".1e"), number_texts(2 / 3, "z.2f")
    (['3.4e-02', '3.5e-02', '3.6e-02'], ['0.66', '0.67', '0.68'])
    """
    near = format(value, spec)
    if spec == WHOLE:
        return [near]
    mantissa, _, power = near.partition("e")
    tenth = 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]) - 1)
    around = {format(float(near) + step * tenth, spec) for step in range(-10, 11)}
    # above 9.9 a digit is worth ten times as much, and 10 would stand for too many numbers ...
    near_enough = {t for t in around if int(t.partition("e")[2] or 0) <= int(power or 0)}
    # ... but 9.949 may be written as 9.95 first, which two digits round to 10
    places, kind = int(spec[-2]), spec[-1]
    longer = [float(format(value, f".{more}{kind}")) for more in range(places, places + 5)]
    return sorted(near_enough | {format(number, spec) for number in longer})


def answer(
    label: str,
    value: Any,
    *,
    digits: int | None = None,
    decimals: int | None = None,
    choices: Sequence[str] = (),
    hints: Mapping[Any, str] | None = None,
    live: Any = None,
    also: Sequence[float] = (),
) -> None:
    """State the answer of an exercise, in the last lines of its solution.

    Parameters
    ----------
    label : str
        What to enter, with its unit: the name of the box.
    value : number, bool, str, or set of str
        A ``bool`` is answered with yes or no, words with one or several of ``choices``.
    digits, decimals : int, optional
        Significant digits or decimals to which a number is compared; without them it is whole.
    choices : sequence of str
        What there is to choose from, for words.
    hints : mapping, optional
        What to say to wrong answers that are typical.
    live : Dataset or str, optional
        The table that the answer depends on, as for :func:`lib.pages.chapter.ran_on`.
    also : sequence of number, optional
        Other numbers that can be defended, and are right, too.

    Raises
    ------
    ValueError
        If the answer is none of the choices or no finite number, or if it is stated so coarsely
        that a number twice or half as large, or of the other sign, would be right.
    """
    spec = WHOLE if decimals is None else f"z.{decimals}f"
    spec = spec if digits is None else f".{digits - 1}e"
    if isinstance(value, bool | np.bool):
        value, choices = "yes" if value else "no", ("yes", "no")
    body: dict[str, Any] = {"label": label}
    if choices:
        chosen, spec = value if isinstance(value, set) else {value}, ""
        for one in chosen:
            validate.choice("answer", one, choices)
        shown = "|".join(c for c in choices if c in chosen)
        body |= {"choices": [*choices], "many": chosen is value, "accept": [shown]}
    else:
        accept = [text for one in (value, *also) for text in _accepted(float(one), spec)]
        body |= {"spec": spec, "value": float(value), "accept": accept}
        shown = f"{float(format(value, spec)):,.12g}"
    body["hints"] = {format(wrong, spec): said for wrong, said in (hints or {}).items()}
    body["live"] = "" if live is None else re.sub("<[^>]*>", "", ran_on_html(live))
    show({KIND: body, "text/plain": f"{label}: {shown}"})


def _accepted(value: float, spec: str) -> list[str]:
    fits = value % 1 == 0 if spec == WHOLE else abs(value) < np.inf
    what = "a finite number, whole without digits or decimals"
    validate.require(fits, "answer", what, value)
    accept = number_texts(value, spec)
    wrong = {format(v, spec) for v in (2 * value, value / 2, -value)}
    if (value or "e" in spec) and wrong & {*accept}:
        raise validate.refusal("rounding", f"finer for the answer {value:g}", spec)
    return accept
