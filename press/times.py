"""``python -m lib book --times``: keep the run times of the last build with the repository."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from lib.paths import BUILD, ROOT
from press.execute import read_stamp
from press.teaching import TIMES
from press.toc import pages


def write_times(
    executed: Path = BUILD / "executed" / "quick", path: Path = TIMES, root: Path = ROOT
) -> int:
    """Write the seconds that each chapter took when it was last executed; how many chapters have
    one is returned.
    """
    stamps = {page.doc: read_stamp(executed / f"{page.doc}.json") for page in pages(root)}
    rows = [f"{doc},{record['seconds']:.0f}" for doc, record in stamps.items() if record]
    if not rows:
        raise ValueError(
            f"path={str(executed)!r} holds no executed chapter; build the book first: python -m lib"
            " book"
        )
    machine = (
        f"# quick profile, two chapters side by side, {os.cpu_count()} cores, {platform.machine()},"
        " kernel start included; load average of the quarter of an hour before:"
        f" {os.getloadavg()[2]:.1f}"
    )
    path.write_text("\n".join([machine, "chapter,seconds", *rows]) + "\n", "utf-8")
    return len(rows)
