"""SIGKILL in the middle of each write that a sweep makes: what was done is kept, and the sweep goes
on to the same table.

The kills of ``test_sweep.py`` come by the clock and fall where the time goes, which is hardly ever
into a write.
"""

from __future__ import annotations

import multiprocessing
import signal

import pandas as pd
import pytest

from lib.runner.store import Store
from tests.runner import killed
from tests.runner.killed import CELLS, POINTS
from tests.runner.toy import sweep

FOLDED = 3  # cells that an earlier sweep left in the parquet file
STABLE = ["cell", "version", "number", "budget", "value", "label"]


def _in_a_new_process(path, *point: object) -> int | None:
    """How it ended: 0, or the signal with a minus."""
    # imports once, then makes a clean process in no time
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(["tests.runner.killed"])
    process = server.Process(target=killed.sweep, args=(path, *point))
    process.start()
    process.join(120)
    return process.exitcode


@pytest.mark.parametrize(
    ("point", "n", "done"),
    [
        ("record half written", 1, FOLDED),
        ("record half written", 4, FOLDED + 3),
        *((point, 1, len(CELLS)) for point in list(POINTS)[1:]),
    ],
)
def test_a_sweep_killed_while_it_writes_loses_nothing_and_goes_on(path, tmp_path, point, n, done):
    sweep(path, CELLS[:FOLDED])
    assert _in_a_new_process(path, point, n) == -signal.SIGKILL
    left = Store(path, version="1").frame().set_index("cell")
    assert len(left) == done
    assert _in_a_new_process(path) == 0
    resumed = Store(path, version="1").frame()
    undisturbed = sweep(tmp_path / "undisturbed.parquet", CELLS)
    pd.testing.assert_frame_equal(resumed[STABLE], undisturbed[STABLE])
    # to the last field, the times among them: none was run again
    pd.testing.assert_frame_equal(resumed.set_index("cell").loc[left.index], left)
    assert {file.suffix for file in path.parent.glob("grid.*")} <= {".parquet", ".lock"}


def test_killed_at_the_same_record_again_and_again(path, tmp_path):
    """Each time the next record is torn where the last one was cut off."""
    for done in range(3):
        assert _in_a_new_process(path, "record half written", 2) == -signal.SIGKILL
        assert len(Store(path, version="1")) == done + 1
    assert _in_a_new_process(path) == 0
    resumed = Store(path, version="1").frame()
    pd.testing.assert_frame_equal(resumed[STABLE], sweep(tmp_path / "b.parquet", CELLS)[STABLE])
