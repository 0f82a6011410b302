"""What pages refuse before any work: parameters, answers that no box could check, figures and
tables without what a reader needs.
"""

from __future__ import annotations

from functools import partial
from math import nan

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from lib import validate
from lib.pages.answers import answer
from lib.pages.chapter import check_parameters as check
from lib.pages.chapter import figure_html, ran_on_html, table_html

FRAME = pd.DataFrame({"x": [1.0]})


def figure(caption, alt):
    figure_html(plt.figure(), caption, alt)


REFUSED = [
    (lambda: check(profile="slow"), r"profile must be one of .*'quick', 'paper'.*, got 'slow'"),
    (lambda: check(epsilon=0), r"epsilon must be .*, got 0"),
    (lambda: check(epsilon=nan), r"epsilon must be .*, got nan"),
    (lambda: check(whatever=3), "whatever=3 has no rule"),
    (lambda: check(k=(1, partial(validate.integer, low=2))), r"k must be .*, got 1"),
    (lambda: answer("x", nan, digits=2), "answer must be a finite number"),
    (lambda: answer("x", 0.0, digits=2), "rounding must be finer"),
    (lambda: answer("x", "GRR", choices=["SS", "OUE"]), "answer must be one of"),
    (lambda: figure("Rise", "short"), "must be"),
    (lambda: table_html(FRAME, formats={"nope": ".2f"}), r"formats must be .*, got 'nope'"),
    (lambda: ran_on_html(), "data must name at least one table, got none"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_it_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()
