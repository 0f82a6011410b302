"""A guide with a fault put in fails, by its own checks."""

from __future__ import annotations

import nbformat
import pytest

from lib.paths import CHAPTERS
from press.pairs import notebook_of
from tests.programs import python

FAULTS = [  # a guide, a text of its cells, and what is wrong
    ("protocol", "1 / (1 + math.exp(-self.epsilon))", "1 / (1 + math.exp(-2 * self.epsilon))"),
    # half of it is left over
    ("synthesizer", "each = budget / len(domain)", "each = budget / len(domain) / 2"),
    ("synthesizer", "np.maximum(noisy, 0)", "np.maximum(noisy, 0) + 9"),
    ("dataset", '"sex": (kept["sex"] == "m")', '"sex": (kept["sex"] == "f")'),
    ("dataset", '"west": 2}', '"west": 1}'),
    ("dataset", 'sum(",," in line for line in lines)}', "0}"),
    ("metric", '(rates["fpr_1"] - rates["fpr_0"])', '(rates["fpr_0"] - rates["fpr_1"])'),
    ("metric", "parts[1].mean() - parts[0].mean()", "parts[0].mean()"),
    ("claim", "decrease = -sign *", "decrease = -1 *"),  # the measure has no sign
    ("paper", '"studies.coin_survey.cells:GRID"', '"studies.coin_survey.cells:GRIDS"'),
]
OTHER_ERRORS = {
    "dataset": "ValueError",
    "paper": "RuntimeError",
}  # than those of a guide's own checks


@pytest.mark.parametrize(("guide", "old", "new"), FAULTS)
def test_a_fault_is_caught(guide, old, new, tmp_path):
    notebook = notebook_of(CHAPTERS / "guides" / f"{guide}.md")
    (cell,) = (cell for cell in notebook.cells if cell.cell_type == "code" and old in cell.source)
    cell.source = cell.source.replace(old, new)
    nbformat.write(notebook, tmp_path / "guide.ipynb")
    own = {"MPLBACKEND": "agg", "TMPDIR": str(tmp_path), "COMPANION_DATA": ""}
    words = ["-m", "IPython", "--colors=NoColor", "guide.ipynb"]
    done = python(*words, cwd=tmp_path, check=False, **own)
    said = {"AssertionError", OTHER_ERRORS.get(guide, "AssertionError")}
    assert done.returncode == 1
    assert any(f"\n{name}: " in done.stdout or f"\n{name}\n" in done.stdout for name in said), (
        done.stdout[-2000:] + done.stderr[-2000:]
    )
