"""Numbers as a page prints them: with a minus sign and powers of ten, and a zero without a sign."""

from __future__ import annotations

import math
import re
from numbers import Integral, Real

_SMALL, _LARGE = 1e-4, 1e7  # between them a number is printed without a power of ten
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_EXPONENT = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]?\d+)\b")
_CODE = re.compile(r"(`[^`]*`)")


def _power(match: re.Match[str]) -> str:
    digits, exponent = match[1], int(match[2])
    value = float(match[0])
    if _SMALL <= value < _LARGE or value == 0:
        places = max(0, len(digits.partition(".")[2]) - exponent)
        return f"{value:,.{places}f}"
    power = f"10{str(exponent).translate(SUPERSCRIPTS)}"
    return power if float(digits) == 1 else f"{digits} × {power}"


def typeset(text: str) -> str:
    """``text`` with its numbers as a page prints them; what stands between backticks is left.

    Examples
    --------
    >>> typeset("p 3.3e-23, from -0.000 to -0.17; 2.61e+03 of inf")
    'p 3.3 × 10⁻²³, from 0.000 to −0.17; 2,610 of ∞'
    >>> typeset("beta e^-30, alpha 1e-6, `delta=1e-9`, 2019-11")
    'beta e⁻³⁰, alpha 10⁻⁶, `delta=1e-9`, 2019-11'
    """
    parts = _CODE.split(text)
    parts[::2] = map(_typeset, parts[::2])
    return "".join(parts)


def _typeset(text: str) -> str:
    text = _EXPONENT.sub(_power, text)
    text = re.sub(r"\be\^(-?\d+)", lambda m: "e" + m[1].translate(SUPERSCRIPTS), text)
    text = re.sub(r"(?<![\w.])inf\b", "∞", text)
    text = re.sub(r"(?<![\w)\].–-])-(?=\.?\d|∞)", "−", text)
    return re.sub(r"(?:−|(?<![\w)\].])\+)(0(?:\.0+)?)(?![\d.]*\d)", r"\1", text)


def value_text(value: object) -> str:
    """One value of a table: three significant digits, yes or no, a dash where there is none.

    Examples
    --------
    >>> [value_text(v) for v in (39.6829, -0.0, 1234.0, 8.4e-07, float("inf"), None, True)]
    ['39.7', '0', '1,234', '8.4 × 10⁻⁷', '∞', '–', 'yes']
    """
    if value is None or value != value:  # NaN and NaT differ from themselves
        return "–"
    if str(value) in ("True", "False"):  # of Python and of NumPy
        return "yes" if value else "no"
    if isinstance(value, Integral) or not isinstance(value, Real):
        return typeset(str(value))
    number = float(value)
    whole = math.isfinite(number) and number == round(number) and abs(number) < _LARGE
    return typeset(f"{number:,.0f}" if whole else f"{number:.3g}")
