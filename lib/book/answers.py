"""Answers that a page checks: a solution states what its exercise asks for, and the build makes a
box of it (:mod:`lib.book.exercises`).

An answer is compared as text, so that the page can hold hashes instead of the answer. A number is
rounded first; one unit of its last digit more or less is right, too.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Collection, Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from html import escape
from typing import Any

import numpy as np
from IPython.display import display

from lib import validate
from lib.book.chapter import ran_on_html

KIND = "application/vnd.companion.answer+json"  # of the output that carries an answer
Rounding = Mapping[str, int]  # {"digits": 2}, {"decimals": 1}, or {} for a whole number
HALF_UP = Context(prec=400, rounding=ROUND_HALF_UP)  # a float has no more digits before its point


def rounded(value: float | Decimal, rounding: Rounding) -> Decimal:
    """``value`` to so many significant digits or decimals, halves away from zero."""
    if "digits" in rounding:
        return Context(prec=rounding["digits"], rounding=ROUND_HALF_UP).plus(Decimal(value))
    last = Decimal(1).scaleb(-rounding.get("decimals", 0))
    return Decimal(value).quantize(last, context=HALF_UP)


def number_text(value: float | Decimal, rounding: Rounding) -> str:
    """The text of a number that is hashed; ``answers.js`` writes the same.

    Examples
    --------
    >>> number_text(0.0347, {"digits": 2}), number_text(2 / 3, {"decimals": 3})
    ('3.5e-2', '0.667')
    """
    near = rounded(value, rounding) if rounding else Decimal(value)
    if "digits" in rounding:
        return f"{near:.{rounding['digits'] - 1}e}"
    return f"{near:f}".removeprefix("-" if not near else "")


def number_texts(value: float, rounding: Rounding) -> list[str]:
    """The texts of all numbers that are right where ``value`` is."""
    if not rounding:
        return [number_text(value, rounding)]
    near = rounded(value, rounding)
    digits = "digits" in rounding
    last = near.adjusted() - rounding["digits"] + 1 if digits else -rounding["decimals"]
    tenth = Decimal(1).scaleb(last - 1)  # in tenths, since below 1.0 a digit is worth a tenth
    right = (near + step * tenth for step in range(-10, 11))
    # above 9.9 a digit is worth ten times as much, and 10 would stand for too many numbers
    fine = (v for v in right if not digits or rounded(v, rounding).adjusted() <= near.adjusted())
    return sorted({number_text(v, rounding) for v in fine})


def choice_text(chosen: Collection[str], choices: Sequence[str]) -> str:
    """The text of one or several of ``choices``, in their order."""
    return "|".join(c for c in choices if c in chosen)


def seal(salt: str, text: str) -> str:
    """What a page holds of the text of an answer."""
    return hashlib.sha256(f"{salt}|{text}".encode()).hexdigest()[:16]


def answer(
    label: str,
    value: Any,
    *,
    digits: int | None = None,
    decimals: int | None = None,
    choices: Sequence[str] = (),
    hints: Mapping[Any, str] | None = None,
    live: Any = None,
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
        The table that the answer depends on, as for :func:`lib.book.chapter.ran_on`.

    Raises
    ------
    ValueError
        If the answer is none of the choices or no finite number, or if it is stated so coarsely
        that a number twice or half as large, or of the other sign, would be right.
    """
    if isinstance(value, bool | np.bool):
        value, choices = "yes" if value else "no", ("yes", "no")
    if choices:
        body = _choice_body(value, choices, hints or {})
    else:
        given = {"digits": digits, "decimals": decimals}
        rounding = {name: places for name, places in given.items() if places is not None}
        body = _number_body(float(value), rounding, hints or {})
    on = "" if live is None else ran_on_html(live)
    body |= {"label": label, "live": re.sub("<[^>]*>", "", on)}
    text = f"{label}: {body.pop('words')}"
    html = f'<p class="answer-text">{escape(text)}</p>{on}'
    display({KIND: body, "text/plain": text, "text/html": html}, raw=True)


def _choice_body(value: Any, choices: Sequence[str], hints: Mapping[Any, str]) -> dict[str, Any]:
    chosen = {value} if isinstance(value, str) else set(value)
    for one in [*chosen, *hints]:
        validate.choice("answer", one, choices)
    return {
        "choices": list(choices),
        "many": not isinstance(value, str),
        "accept": [choice_text(chosen, choices)],
        "hints": {choice_text({wrong}, choices): said for wrong, said in hints.items()},
        "words": ", ".join(c for c in choices if c in chosen),
    }


def _number_body(value: float, rounding: Rounding, hints: Mapping[Any, str]) -> dict[str, Any]:
    if not math.isfinite(value) or (not rounding and value != int(value)):
        wanted = "a finite number" if rounding else "a whole number, or have digits or decimals"
        raise validate.refusal("answer", wanted, value)
    if len(rounding) > 1 or ("digits" in rounding and not value):
        raise validate.refusal("rounding", "decimals, or digits of a number other than 0", rounding)
    accept = number_texts(value, rounding)
    if value and {number_text(v, rounding) for v in (2 * value, value / 2, -value)} & {*accept}:
        raise validate.refusal("rounding", f"finer for the answer {value:g}", rounding)
    return {
        "rounding": rounding,
        "value": value,
        "accept": accept,
        "hints": {number_text(float(wrong), rounding): said for wrong, said in hints.items()},
        "words": f"{rounded(value, rounding):,f}",
    }
