"""``verify``: what is drawn, what is seen to be wrong, and what the certificate says."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from lib.cli import main
from lib.datasets import TASKS
from lib.rng import stream
from lib.runner.registry import GRIDS
from studies.verdicts import verify as verifying
from studies.verdicts.verify import EQUAL, OTHER, inventory, verify, wrong_at_most

SEED = 20261125


@pytest.fixture(params=["what can be run anywhere", "what needs the real data"])
def stored(request, real_data):
    """The inventory of a newcomer, who has no real data, and that of somebody who has them."""
    files = [task.of_file.name for task in TASKS.values()]
    if request.param != "what can be run anywhere":
        real_data(*files)
    cells, missing = inventory()
    assert set(missing) <= {*TASKS}
    assert ("ldp_main" in set(cells["grid"])) == (not missing)
    return cells


def test_every_stored_cell_has_a_chance_and_more_where_claims_rest(stored):
    assert stored["weight"].sum() == pytest.approx(1)
    assert (stored["weight"] > 0).all()
    share = stored.groupby("grid")["weight"].sum()
    if "ldp_main" in share:
        assert share["ldp_main"] > share["ldp_appendix"]
    assert not stored["cell"].duplicated().any()


def test_tampering_with_one_cell_in_twenty_is_caught_in_ten_minutes(stored):
    """A thousand forgeries of 5% of the cells, each against a certificate of ten minutes."""
    rng, weight = stream(SEED, "tamper"), stored["weight"].to_numpy()
    number = int(600 / (weight @ stored["seconds"]))
    wrong = [weight[rng.permutation(weight.size)[: weight.size // 20]].sum() for _ in range(1000)]
    assert np.mean(1 - (1 - np.array(wrong)) ** number) > 0.95


def test_the_bound_covers_the_share_that_is_wrong():
    rng, most = stream(SEED, "bound"), [wrong_at_most(k, 100) for k in range(101)]
    for share in (0.01, 0.05, 0.2):
        seen = rng.binomial(100, share, 4000)
        covered = np.mean(share <= np.array(most)[seen])
        assert covered > 0.95 - 5 * np.sqrt(0.05 * 0.95 / 4000)


def test_equal_cells_are_certified_and_a_changed_number_is_found(monkeypatch, tmp_path, capsys):
    asked = {"minutes": 0.02, "seed": 5, "grids": ["means_mixtures"], "progress": False}
    clean = verify(**asked)
    assert {*clean.cells["outcome"]} == {EQUAL}
    drawn = int(clean.cells["times"].sum())
    assert clean.bounds()["wrong at most"].iloc[-1] == wrong_at_most(0, drawn)
    assert verify(**asked).cells.equals(clean.cells)  # the seed decides

    whole, victim = verifying._stored("means_mixtures"), clean.cells["cell"].iloc[0]

    def changed(name):
        frame = whole.copy()
        scores = [[dict(row) for row in rows] for rows in frame["scores"]]
        changed = scores[int((frame["cell"] == victim).argmax())][0]
        changed[next(n for n, value in changed.items() if isinstance(value, float))] *= 1.001
        frame["scores"] = pd.Series(scores, frame.index, dtype=object)
        return frame

    monkeypatch.setattr(verifying, "_stored", changed)
    out = tmp_path / "c.md"
    words = "verify --minutes 0.02 --seed 5 --grid means_mixtures --quiet --out"
    assert main([*words.split(), str(out)]) == 3
    said = json.loads(out.with_suffix(".json").read_text("utf-8"))
    assert [c["cell"] for c in said["cells"] if c["outcome"] == OTHER] == [victim]
    assert f"cell {victim}, scores" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"minutes": 0.0}, "minutes must be"),
        ({"seed": -1}, "seed must be"),
        ({"workers": 0}, "workers must be"),
        ({"grids": ["nothing"]}, "grid must be"),
    ],
)
def test_bad_values_are_refused(change, said):
    with pytest.raises(ValueError, match=said):
        verify(**({"minutes": 1.0, "seed": 1, "progress": False} | change))


def test_a_grid_states_a_known_tolerance():
    for name in GRIDS:
        cell = next(iter(GRIDS[name].cells("quick")))
        assert GRIDS[name].agrees(cell) in verifying.TOLERANCES
