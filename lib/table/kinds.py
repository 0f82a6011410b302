"""What a column may hold, stated by the owner of the table, and the codes that stand for it.

Nothing here is learnt from the rows, because a range or a list of values that was read off them
would tell about people what no budget paid for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from lib import validate
from lib.table.reading import ISO, MISSING, as_days, as_floats, canonical_text

MOST_CODES = 2**15  # of a column: as many as 16 bits hold, and a marginal of two is 8 GB


@dataclass(frozen=True, kw_only=True)
class Category:
    """A column of stated values: code ``v`` is ``values[v]``, then the other values, then a gap.

    Parameters
    ----------
    values : tuple of str or numbers
        A text stands for itself, letter by letter; a number for each text of that number.
    missing : bool
        Whether a gap has a code.
    other : str, optional
        What is released in place of any value that is not stated.
    gaps : tuple of str
        Texts that are gaps, beside empty cells; ``missing`` is then true.
    """

    values: tuple[str | float, ...]
    missing: bool = False
    other: str | None = None
    gaps: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        values = [_stated(value) for value in validate.sequence("values", self.values)]
        good = self.other is None or isinstance(self.other, str)
        validate.require(good, "other", "text or None", self.other)
        validate.require(len(values) > 0, "values", "one or more", values)
        validate.fields(self, "gaps", validate.names)
        texts = [value for value in values if isinstance(value, str)]
        texts += [] if self.other is None else [self.other]
        numbers = [_written(value) for value in values if not isinstance(value, str)]
        good = len({*texts, *numbers, ""}) == len(texts) + len(numbers) + 1
        good &= not {canonical_text(text) for text in texts} & set(numbers)
        what = "different and not empty (quoted, 250.0 and 250.00 are two)"
        validate.require(good, "values and other", what, (*texts, *numbers))
        validate.boolean("missing", self.missing)
        _require_gaps(self, {*texts, *numbers})
        object.__setattr__(self, "values", tuple(values))
        _require_size(self.size)

    @property
    def size(self) -> int:
        """The number of codes."""
        return len(self.values) + (self.other is not None) + self.missing

    @property
    def levels(self) -> np.ndarray:
        """The text of each code but a gap's."""
        others = [] if self.other is None else [self.other]
        return np.array([*map(_written, self.values), *others], dtype=object)

    def places(self, distinct: np.ndarray) -> np.ndarray:
        """The code of each of some texts, -1 for one that has none."""
        codes = {_written(value): code for code, value in enumerate(self.values)}
        numbers = {_written(v): codes[_written(v)] for v in self.values if not isinstance(v, str)}
        rest = -1 if self.other is None else len(self.values)
        found = [codes.get(text, numbers.get(canonical_text(text), rest)) for text in distinct]
        return np.array(found, dtype=int)

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The text of each code, ``None`` for a gap; nothing is drawn."""
        return np.array([*self.levels, None], dtype=object)[codes]


@dataclass(frozen=True, kw_only=True)
class Number:
    """A column of numbers: codes of bins, then of spikes, then of a gap.

    Parameters
    ----------
    low, high : float
        The stated range, both ends in it.
    bins : int, optional
        Of equal width; else ``edges`` are given.
    edges : tuple of float
        Where bins begin, beside the first, at increasing numbers; quantiles, if they are known.
    spikes : tuple of float
        Numbers that have a code each, in the range or not, since many people have them.
    whole : bool
        Whether all numbers are whole; then ``low``, ``high`` and edges are, too.
    digits : int, optional
        Of a released number after the point; 0 for ``whole``, without it all that a float has.
    clip : bool
        Whether a number out of the range counts as its nearest end; it is refused otherwise.
    missing : bool
        Whether a gap has a code.
    gaps : tuple of str
        Texts that are gaps, beside empty cells.
    decimal : str
        The mark before decimals in the table; the release has points.
    """

    low: float
    high: float
    bins: int | None = None
    edges: tuple[float, ...] = ()
    spikes: tuple[float, ...] = ()
    whole: bool = False
    digits: int | None = None
    clip: bool = False
    missing: bool = False
    gaps: tuple[str, ...] = MISSING
    decimal: str = "."

    def __post_init__(self) -> None:
        validate.fields(self, "whole clip missing", validate.boolean)
        far = 2.0**53 if self.whole else 1e300
        for name in ("low", "high"):
            value = validate.budget(name, getattr(self, name), low=-far, high=far)
            self._require_whole(name, value)
        validate.require(self.low < self.high, "low", f"below high={self.high!r}", self.low)
        validate.choice("decimal", self.decimal, (".", ","))
        validate.fields(self, "gaps", validate.names)
        for name in ("edges", "spikes"):
            numbers = validate.finite(name, validate.sequence(name, getattr(self, name))).tolist()
            rising = sorted(set(numbers)) == numbers
            validate.require(rising, name, "numbers, each above the one before", numbers)
            for value in numbers:
                self._require_whole(name, value)
            object.__setattr__(self, name, tuple(map(plain, numbers)))
        if self.digits is not None:
            validate.integer("digits", self.digits, low=0, high=15)
            near = not self.whole and max(abs(self.low), abs(self.high)) * self._scale < 2**53
            validate.require(
                near, "digits", "of a number that is not whole, 15 in all", self.digits
            )
        one = (self.bins is None) != (not self.edges)
        validate.require(one, "bins", "given, or edges, one of them", (self.bins, self.edges))
        if self.bins is not None:
            most = min(MOST_CODES, self.high - self.low + 1 if self.whole else MOST_CODES)
            validate.integer("bins", self.bins, low=1, high=int(most))
        name, stated = ("edges", self.edges) if self.edges else ("bins", self.bins)
        different = bool((np.diff(self.bounds) > 0).all())
        validate.require(different, name, "few enough for ends that differ", stated)
        if self._scale:
            room = self._room()[1]
            what = "so few that each bin has a number of its own beside the spikes"
            validate.require(bool((room > 0).all()), name, what, stated)
        _require_size(self.size)

    def _require_whole(self, name: str, value: float) -> None:
        fits = not self.whole or value == round(value)
        validate.require(fits, name, "a whole number, as the column is whole", value)

    @property
    def size(self) -> int:
        """The number of codes."""
        return len(self.bounds) - 1 + len(self.spikes) + self.missing

    @property
    def _scale(self) -> int:
        """How many released numbers a unit has; 0 for as many as floats."""
        return 1 if self.whole else 0 if self.digits is None else 10**self.digits

    @property
    def bounds(self) -> np.ndarray:
        """Where bins begin, and the end of the last, shape ``(bins + 1,)``.

        With digits they are numbers that can be released, but for the end, which is the next.
        """
        high = float(self.high) + (1 / self._scale if self._scale else 0)
        if self.bins is None:
            bounds = np.array([self.low, *self.edges, high], dtype=float)
        else:
            bounds = np.linspace(float(self.low), high, self.bins + 1)
        return np.ceil((bounds * self._scale).round(6)) / self._scale if self._scale else bounds

    @property
    def levels(self) -> np.ndarray:
        """A number for each code but a gap's: the middle of a bin, a spike."""
        return np.append((self.bounds[1:] + self.bounds[:-1]) / 2, self.spikes)

    def places(self, distinct: np.ndarray) -> np.ndarray:
        """The code of each of some texts, -1 for one that has none."""
        numbers = as_floats(distinct, self.decimal)
        known = np.isfinite(numbers) & ((numbers == np.floor(numbers)) | (not self.whole))
        if not self.clip:
            known &= (numbers >= self.low) & (numbers <= self.high)
        codes = np.where(known, np.searchsorted(self.bounds[1:-1], numbers, side="right"), -1)
        for code, spike in enumerate(self.spikes, len(self.bounds) - 1):
            codes[numbers == spike] = code
        return codes

    def _room(self) -> tuple[np.ndarray, np.ndarray]:
        """Where bins begin in units of the last digit, and how many numbers each has to draw."""
        units = np.rint(self.bounds * self._scale)
        spikes = np.rint(np.array(self.spikes, dtype=float) * self._scale)
        taken = np.histogram(spikes[spikes < units[-1]], units)[0]
        return units[:-1], np.diff(units) - taken

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A number drawn evenly from each code's bin beside spikes, a spike, NaN for a gap."""
        bounds, bins = self.bounds, np.minimum(codes, len(self.bounds) - 2)
        if self._scale:
            first, room = self._room()
            numbers = first[bins] + np.minimum(rng.random(len(codes)) * room[bins], room[bins] - 1)
            numbers = np.floor(numbers)
            for spike in np.rint(np.array(self.spikes, dtype=float) * self._scale):
                numbers += (first[bins] <= spike) & (spike <= numbers)
            numbers = np.round(numbers / self._scale, self.digits or 0)
        else:
            low, high = bounds[bins], bounds[bins + 1]
            drawn = low + rng.random(len(codes)) * (high - low)
            numbers = np.minimum(drawn, np.nextafter(high, low))  # rounding may reach the next bin
        spikes = np.append(self.spikes, np.nan)[np.maximum(codes - len(bounds) + 1, 0)]
        return np.where(codes < len(bounds) - 1, numbers, spikes)


@dataclass(frozen=True, kw_only=True)
class Date:
    """A column of dates in bins by the calendar, from which days that exist are drawn.

    Parameters
    ----------
    first, last : str or datetime.date
        The stated days, both in the range, as ``2024-02-29``.
    by : str
        ``"day"``, ``"month"``, ``"quarter"`` or ``"year"``: what a code stands for.
    format : str
        How the table writes a date, for ``strptime``; by default ISO 8601, where a time of the day
        is left out.
    clip : bool
        Whether a date out of the range counts as its nearest end; it is refused otherwise.
    missing : bool
        Whether a gap has a code.
    gaps : tuple of str
        Texts that are gaps, beside empty cells.

    Examples
    --------
    >>> dates = Date(first="2024-02-01", last="2024-12-31", by="month")
    >>> dates.places(np.array(["2024-02-29", "2024-03-01"])).tolist(), dates.size
    ([0, 1], 11)
    """

    first: str
    last: str
    by: str = "month"
    format: str = ISO
    clip: bool = False
    missing: bool = False
    gaps: tuple[str, ...] = MISSING

    def __post_init__(self) -> None:
        validate.fields(self, "clip missing", validate.boolean)
        validate.fields(self, "gaps", validate.names)
        validate.choice("by", self.by, ("day", "month", "quarter", "year"))
        for name in ("first", "last"):
            text = str(getattr(self, name))
            good = bool(np.isfinite(as_days(np.array([text]))[0])) and len(text) == 10
            validate.require(good, name, "a day such as 2024-02-29", text)
            object.__setattr__(self, name, text)
        validate.require(self.first <= self.last, "first", f"up to last={self.last}", self.first)
        validate.instance("format", self.format, str)
        day = pd.Series([pd.Timestamp(self.first)]).dt.strftime(self.format)
        same = as_days(day.to_numpy(), self.format)[0] == as_days(np.array([self.first]))[0]
        what = "of strptime with year, month and day (such as %d.%m.%Y)"
        validate.require(bool(same), "format", what, self.format)
        _require_size(self.size)

    @property
    def size(self) -> int:
        """The number of codes."""
        return len(self.bounds) - 1 + self.missing

    @property
    def bounds(self) -> np.ndarray:
        """The first day of each code, counted from 1970, and the day after the last."""
        first, last = as_days(np.array([self.first, self.last]))
        periods = pd.period_range(self.first, self.last, freq=self.by[0].upper())
        return np.append(np.maximum(periods.asfreq("D", "start").astype("int64"), first), last + 1)

    @property
    def levels(self) -> np.ndarray:
        """The first day of each code but a gap's, counted from 1970."""
        return self.bounds[:-1]

    def places(self, distinct: np.ndarray) -> np.ndarray:
        """The code of each of some texts, -1 for one that has none."""
        days, bounds = as_days(distinct, self.format), self.bounds
        known = np.isfinite(days)
        if not self.clip:
            known &= (days >= bounds[0]) & (days < bounds[-1])
        return np.where(known, np.searchsorted(bounds[1:-1], days, side="right"), -1)

    def decode(self, codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The text of a day drawn evenly from each code, NaN for a gap."""
        bounds = np.append(self.bounds, np.nan)
        days = bounds[codes] + np.floor(rng.random(len(codes)) * np.diff(bounds)[codes])
        return pd.to_datetime(pd.Series(days), unit="D").dt.strftime(self.format).to_numpy(object)


def _stated(value: object) -> str | float:
    """A value of a category: a text without blanks around it, or a number in one type."""
    if isinstance(value, str):
        return value.strip()
    number = validate.as_float(value)
    what = "texts or finite numbers (yes, no and dates in quotes)"
    validate.require(abs(number) <= 1e300, "values", what, value)
    return plain(value)


def _written(value: str | float) -> str:
    return value if isinstance(value, str) else canonical_text(str(value))


def _require_gaps(column: Category, values: set[str]) -> None:
    both = values.intersection(column.gaps)
    validate.require(not both, "gaps", "no stated values", sorted(both))
    fits = column.missing or not column.gaps
    validate.require(fits, "missing", "true, as there are gaps", column.missing)


Coded = Category | Number | Date


def plain(value: Any) -> Any:
    """The one form of a parameter: equal numbers of several types are written alike."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    whole = value == int(value) and -(2**63) <= value < 2**64  # others YAML is not read with
    return int(value) if whole else float(value)


def _require_size(size: int) -> None:
    validate.require(size <= MOST_CODES, "codes of a column", f"at most {MOST_CODES:,}", size)
