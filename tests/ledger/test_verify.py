"""``verify``: what is drawn, what is seen to be wrong, and what the bound is worth."""

from __future__ import annotations

import numpy as np
import pytest

from lib.cli import main
from lib.rng import stream
from studies.verdicts import verify as verifying
from studies.verdicts.verify import EQUAL, stored_cells, verify, wrong_at_most

SEED = 20261125


@pytest.fixture(scope="module")
def stored():
    return stored_cells()


def test_the_bound_covers_the_share_that_is_wrong():
    rng, most = stream(SEED, "bound"), [wrong_at_most(k, 100) for k in range(101)]
    for share in (0.01, 0.05, 0.2):
        seen = rng.binomial(100, share, 4000)
        covered = np.mean(share <= np.array(most)[seen])
        assert covered > 0.95 - 5 * np.sqrt(0.05 * 0.95 / 4000)


def test_equal_cells_pass_and_a_changed_number_is_found(stored, monkeypatch, capsys):
    cells = stored[0][stored[0]["grid"] == "means_mixtures"]
    found = verify(cells, 6, 5)
    assert found["times"].sum() == 6
    assert {*found["outcome"]} == {EQUAL}
    assert verify(cells, 6, 5).equals(found)  # the seed decides

    victim, cells = found["cell"].iloc[0], cells.copy(deep=True)
    position = [record["cell"] for record in cells["record"]].index(victim)
    record = dict(cells["record"].iloc[position])
    record["scores"] = [dict(row) for row in record["scores"]]
    name = next(n for n, value in record["scores"][0].items() if isinstance(value, float))
    record["scores"][0][name] *= 1.001
    cells["record"] = [
        record if n == position else other for n, other in enumerate(cells["record"])
    ]
    monkeypatch.setattr(verifying, "stored_cells", lambda: (cells, ["lsac"]))
    assert main(["verify", "--cells", "6", "--seed", "5", "--workers", "1"]) == 1
    said = capsys.readouterr().out
    assert f"different: means_mixtures, cell {victim}, scores" in said
    times = int(found["times"].iloc[0])
    assert f"At most {wrong_at_most(times, 6):.1%} of the stored cells" in said
    assert "Not drawn, since their data are not here: lsac." in said
    for words, named in (("--cells 0", "cells must be"), ("--seed -1", "seed must be")):
        assert main(["verify", *words.split()]) == 2
        assert named in capsys.readouterr().err
