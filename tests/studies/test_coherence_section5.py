"""Section 5: the table, the published protocol, the cells."""

from __future__ import annotations

import numpy as np
import pytest

from lib.rng import stream
from studies.coherence import section5 as study
from studies.coherence.table import COLUMNS, NOT_ASKED, TARGET, load_section5


def test_the_raw_table_is_the_papers(real_data):
    real_data("national2019.csv")
    section5 = load_section5()
    assert section5.frame.shape == (27_253, 9)  # the paper's 27,254 counts the header
    counts = section5.frame[TARGET].value_counts().to_dict()
    assert counts == {2: 24_379, 1: 1521, NOT_ASKED: 1353}
    assert (section5.frame.loc[section5.frame[TARGET] == NOT_ASKED, "AGEP"] < 5).all()
    assert section5.lens == COLUMNS


@pytest.mark.parametrize("variant", [v for v in study.VARIANTS if v != "N dropped"])
def test_the_published_split_leaves_out_one_row_of_an_odd_table(variant):
    section5 = load_section5()
    h, inside = study.published_labels(
        section5, study.Cell(variant=variant, split=0), stream(0, "published")
    )
    n = len(section5.frame)
    assert inside.sum() == n // 2
    assert np.isnan(h).sum() == n - 2 * (n // 2)
    third = {"N in the middle": 0.0}.get(variant, NOT_ASKED)
    assert set(np.unique(h[~np.isnan(h)])) <= {-1.0, 1.0, float(third)}
