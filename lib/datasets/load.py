"""From a name to a checked table that says where its bytes came from."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from lib import validate
from lib.datasets.cache import SOURCES, DataError, Unavailable, locate, sha256_of
from lib.datasets.codebook import paper_codes
from lib.datasets.registry import TASKS, File, Task, task
from lib.files import read_json
from lib.paths import REPLICAS

_log = logging.getLogger("companion.data")


@dataclass(frozen=True)
class Dataset:
    """A table of integer codes with its :class:`~lib.datasets.registry.Task`.

    ``source`` is ``"local"``, ``"cache"``, ``"download"`` or ``"replica"``;
    ``sha256`` is that of the file the rows were read from; ``notes`` say what
    was tried before (empty if the first source had it).
    """

    task: Task
    frame: pd.DataFrame
    source: str
    sha256: str
    notes: tuple[str, ...] = field(default=())

    @property
    def name(self) -> str:
        """The key of its task."""
        return self.task.name

    @property
    def is_replica(self) -> bool:
        """Whether the rows are those of the embedded replica."""
        return self.source == "replica"

    @property
    def label(self) -> str:
        """``"real data"`` or ``"replica"``, for captions."""
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
    """The table called ``name``: real where it can be had, else the replica, with a note.

    Parameters
    ----------
    name : str
        A key of ``lib.datasets.registry.TASKS``, or ``"module:TASK"`` for a task of your own.
    source : {"auto", "local", "cache", "download", "replica"}
        ``"auto"`` takes the first that has the file, in this order.

    Raises
    ------
    ValueError
        For an unknown name or source; :class:`~lib.datasets.download.DataError`
        (a ``ValueError``) for bytes that are not the registered ones, or a
        source that was asked for by name and does not have the file; and for a
        table without a column of the domain, or with an entry that is no code.
    """
    spec = task(name)
    validate.choice("source", source, ("auto", *SOURCES, "replica"))
    notes: tuple[str, ...] = ()
    if source != "replica":
        try:
            found = locate(spec.of_file, source)
        except Unavailable as error:
            if source != "auto":
                raise
            notes = (str(error),)
            _log.warning("%s: using the embedded replica, since %s", name, error)
        else:
            make = spec.prepare
            frame = make(_as_it_is(found.path)) if make else pd.read_csv(found.path)
            return Dataset(spec, coded(spec, frame), found.source, found.sha256)
    return _replica(spec, notes)


def _as_it_is(path: Path) -> pd.DataFrame:
    if path.suffix == ".parquet":
        return pd.read_parquet(path)
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def coded(spec: Task, frame: pd.DataFrame) -> pd.DataFrame:
    """The columns of the task's domain, checked as they came and only then narrowed, int16 where
    that holds them all.

    Raises
    ------
    ValueError
        If a column is missing, or an entry is no code of its column.
    """
    columns = list(spec.domain.columns)
    if missing := [c for c in columns if c not in frame.columns]:
        raise ValueError(
            f"the table of {spec.name!r} has no column {missing[0]!r}; it has {list(frame.columns)}"
        )
    return spec.domain.narrow(frame[columns].infer_objects())


def _replica(spec: Task, notes: tuple[str, ...]) -> Dataset:
    path = REPLICAS / f"{spec.name}.parquet"
    if not path.exists():
        tried = f" ({notes[0]})" if notes else ""
        raise Unavailable(
            f"there is no replica of {spec.name} at {path}; make it with:"
            f" python data/replicas/make.py{tried}"
        )
    sha256 = _as_recorded(path, spec.name)
    stored = pd.read_parquet(path)
    frame = paper_codes(spec.name, stored) if TASKS.get(spec.name) is spec else stored
    return Dataset(spec, coded(spec, frame), "replica", sha256, notes)


def _as_recorded(path: Path, name: str) -> str:
    """The checksum of a replica, which must be the one on record: other rows are not what the
    record speaks of.
    """
    index = path.with_name("replicas.json")
    try:
        records = read_json(index, dict) if index.exists() else {}
        recorded = records.get(name, {}).get("sha256", "none")
    except (ValueError, AttributeError) as error:
        raise DataError(f"{index} must be a record of replicas, got {error}") from None
    if (found := sha256_of(path)) != recorded:
        raise DataError(
            f"{path} must be the replica on record in {index.name}, SHA-256"
            f" {recorded}, got SHA-256 {found}; restore both files, or make it"
            " again with: python data/replicas/make.py"
        )
    return found


def load_raw(name: str | File, source: str = "auto") -> tuple[pd.DataFrame, str]:
    """A registered file as it is, each field of a CSV file a string, and its source; there are no
    replicas.
    """
    found = locate(name, source)
    return _as_it_is(found.path), found.source
