"""The figures of the lessons on budgets and on audits: what is red."""

from __future__ import annotations

import pandas as pd
from matplotlib.colors import to_hex

from lib.plotting.style import BLUE, RED
from studies.foundations.figures import routes
from studies.privacy_audit.figures import prices


def test_a_conversion_below_the_exact_one_lies_in_the_shaded_part():
    table = pd.DataFrame(
        {"rho": [0.1, 10.0], "exact for a Gaussian": [1.0, 10.0], "standard": [1.2, 11.0]}
    ).assign(tight=[1.1, 10.5], **{"as printed": [1.1, 8.0]})
    fig, alt = routes(table, 1e-9)
    (ax,) = fig.axes
    printed = next(line for line in ax.lines if line.get_color() == RED)
    assert printed.get_ydata().tolist() == [1.1, 0.8]
    assert ax.patches[0].get_y() + ax.patches[0].get_height() == 1
    assert "as printed 1.10 to 0.80" in alt


def test_a_program_that_costs_more_than_it_declares_is_red():
    fig, alt = prices(pd.Series({"kept": 0.5, "broken, badly": 1.9}), 0.5)
    (ax,) = fig.axes
    colours = [to_hex(bar.get_facecolor()).upper() for bar in ax.patches]
    assert colours == [BLUE, RED]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["kept", "broken,\nbadly"]
    assert "broken, badly 1.90; declared 0.5" in alt
