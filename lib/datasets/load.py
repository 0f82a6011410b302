"""From a name to a checked table that says where its bytes came from."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from lib.datasets.registry import FILES, Task, task

__all__ = ["Dataset", "load"]


@dataclass(frozen=True)
class Dataset:
    """A table of integer codes with its :class:`~lib.datasets.registry.Task`.

    ``source`` is ``"local"``, ``"cache"``, ``"download"`` or ``"replica"``;
    ``sha256`` is that of the file the rows were read from.
    """

    task: Task
    frame: pd.DataFrame
    source: str
    sha256: str

    @property
    def name(self) -> str:
        return self.task.name

    @property
    def is_replica(self) -> bool:
        return self.source == "replica"

    @property
    def label(self) -> str:
        """``"real data"`` or ``"replica"``, for badges and captions."""
        return "replica" if self.is_replica else "real data"

    @property
    def y(self) -> np.ndarray:
        """Target, shape (n,), 0 or 1."""
        return self.frame[self.task.target].to_numpy()

    @property
    def protected(self) -> np.ndarray:
        """Protected attribute ``A_p``, shape (n,), 1 for the paper's privileged group."""
        return self.frame[self.task.protected].to_numpy()


def load(name: str, source: str = "auto") -> Dataset:
    spec = task(name)
    path = Path(os.environ["COMPANION_DATA"]) / spec.file
    raw = path.read_bytes()
    digest = hashlib.sha256(raw).hexdigest()
    if digest != FILES[spec.file].sha256:
        raise ValueError(f"{path} has SHA-256 {digest}; {FILES[spec.file].sha256} is expected")
    frame = pd.read_csv(path).astype(np.int16)[list(spec.domain.columns)]
    return Dataset(spec, spec.domain.check(frame), "local", digest)
