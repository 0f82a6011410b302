"""What chapters start with: checked parameters, the line on data, figures and tables as HTML."""

from __future__ import annotations

import re
from functools import partial
from html import escape
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from lib import validate
from lib.pages.chapter import (
    about_html,
    check_parameters,
    figure_html,
    table_html,
)

ALT = "A line that rises from one to two."


@pytest.fixture
def replica():
    about = {"name": "adult", "label": "replica", "source": "replica", "sha256": "ab" * 32}
    task, frame = SimpleNamespace(title="Adult <small>"), pd.DataFrame({"x": range(1234)})
    return SimpleNamespace(is_replica=True, task=task, frame=frame, **about)


def test_known_parameters_pass():
    check_parameters(profile="paper", seed=0, runs=1, epsilon=0.5, splits=1, draws=1)
    check_parameters(dataset=("lsac", ["adult", "lsac"]), k=(5, partial(validate.integer, low=2)))


def test_a_phone_is_given_the_stacked_picture():
    wide, stacked = (plt.subplots(figsize=size)[0] for size in ((7, 3), (3.5, 6)))
    html = figure_html(wide, "Rise", ALT, stacked=stacked)
    assert re.search(
        '<source media="[^"]*" srcset="data:[^"]*" width="350" height="600"><img', html
    )


def test_names_from_data_are_shown_as_they_are():
    """`2 ** n + noise ** 2` was printed in bold."""
    names = ["*vip*", "`x` **y**", "$10k_$20k", "<b>&", "2 ** n + noise ** 2"]
    html = table_html(pd.DataFrame({"*group*": names}))
    assert '<th scope="col">*group*</th>' in html
    assert re.findall(r"<td[^>]*>(.*?)</td>", html) == [escape(name) for name in names]
    shown = table_html(pd.DataFrame({"DI": [0.12345, np.nan]}), "Cap", formats={"DI": ".2f"})
    assert re.findall(r'<td class="num">(.*?)</td>', shown) == ["0.12", "–"]
    assert "<caption>Cap</caption>" in shown
    assert "<td><code>x</code> <strong>y</strong></td>" in re.sub(
        ' class="[^"]*"', "", table_html(pd.DataFrame({"a": ["`x` **y**"]}), marks=True)
    )


def test_the_line_says_real_or_replica_and_how_to_rerun(replica):
    html = about_html("ldp/fairness", replica, "stored results", runs=20, seed=7)
    for words in (
        "live: Adult &lt;small&gt; (1,234 rows, differentially private replica)",
        "stored results · runs 20 · seed 7",
        "<code>python -m lib rerun ldp/fairness</code>",
    ):
        assert words in html
