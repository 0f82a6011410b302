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

FRAME, ALT = pd.DataFrame({"x": [1.0]}), "A line that rises from one to two."


def figure(caption, alt):
    figure_html(plt.figure(), caption, alt)


REFUSED = [
    (lambda: check(profile="slow"), r"profile must be one of .*'quick', 'paper'.*, got 'slow'"),
    (lambda: check(epsilon=0), r"epsilon must be .*, got 0"),
    (lambda: check(epsilon=nan), r"epsilon must be .*, got nan"),
    (lambda: check(epsilon=[0.5, 1.0]), r"epsilon must be one value, got \[0.5, 1.0\]"),
    (lambda: check(profile=["quick", "paper"]), "profile must be one value"),
    (lambda: check(runs=(2,)), "runs must be one value"),
    (lambda: check(seed={}), "seed must be one value"),
    (lambda: check(splits=0), r"splits must be .*, got 0"),
    (lambda: check(draws="3"), r"draws must be .*, got '3'"),
    (lambda: check(epsilon=601), r"epsilon must be .*<= 600, got 601"),
    (lambda: check(epsilon=1e-17), r"epsilon must be .*, got 1e-17"),
    (lambda: check(seed=-1), r"seed must be .*, got -1"),
    (lambda: check(runs=0), r"runs must be .*, got 0"),
    (lambda: check(dataset=("x", ["adult"])), r"dataset must be one of .*'adult'.*, got 'x'"),
    (lambda: check(whatever=3), "whatever=3 has no rule"),
    (lambda: check(k=(1, partial(validate.integer, low=2))), r"k must be .*, got 1"),
    (lambda: answer("x", nan, digits=2), "answer must be a finite number"),
    (lambda: answer("x", 2.5), "answer must be a finite number, whole"),
    (lambda: answer("x", 0.0, digits=2), "rounding must be finer"),
    (lambda: answer("x", 0.02, decimals=2), "rounding must be finer"),
    (lambda: answer("x", "GRR", choices=["SS", "OUE"]), "answer must be one of"),
    (lambda: figure("Rise", ""), "must be"),
    (lambda: figure("Rise", "short"), "must be"),
    (lambda: figure("", ALT), "must be"),
    (lambda: figure("Rise", None), "must be"),
    (lambda: table_html(FRAME, formats={"nope": ".2f"}), r"formats must be .*, got 'nope'"),
    (lambda: ran_on_html(), "data must name at least one table, got none"),
]


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_it_is_refused_by_name(call, words):
    with pytest.raises(ValueError, match=words):
        call()
