"""Numbers as a page prints them."""

import numpy as np
import pytest

from lib.typeset import typeset, value_text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("-0.355 [-0.36, -0.35]", "−0.355 [−0.36, −0.35]"),
        ("-0.000 ± 0.002 and -0.0004", "0.000 ± 0.002 and −0.0004"),
        ("4.666e+04, 2.61e+03, 1e+00", "46,660, 2,610, 1"),
        ("4.2e-03, 9.36e-14, 1e-6, 5e+21", "0.0042, 9.36 × 10⁻¹⁴, 10⁻⁶, 5 × 10²¹"),
        ("-8.4e-07", "−8.4 × 10⁻⁷"),
        ("from -inf to inf", "from −∞ to ∞"),
        ("k-2, 2019-01, 3-4, 9e69d8b, db_9e6x, info", "k-2, 2019-01, 3-4, 9e69d8b, db_9e6x, info"),
        ("`x = -1e-9` is -1", "`x = -1e-9` is −1"),
        ("-0 and -0.50", "0 and −0.50"),
        ("+0.000 [-0.006, +0.006], +0.001, n+0", "0.000 [−0.006, +0.006], +0.001, n+0"),
    ],
)
def test_text(text, words):
    assert typeset(text) == words
    assert typeset(words) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.float64(39.6829), "39.7"),
        (np.int64(25900), "25900"),
        (np.bool_(False), "no"),
        (np.datetime64("NaT"), "–"),
        (None, "–"),
        (float("nan"), "–"),
        (-np.inf, "−∞"),
        (0.0005, "0.0005"),
        ("plain, -0.1", "plain, −0.1"),
        (12_345_678.0, "1.23 × 10⁷"),
    ],
)
def test_values_of_a_table(value, words):
    assert value_text(value) == words
