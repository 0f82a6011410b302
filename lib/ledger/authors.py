"""The results that the authors of a paper stored themselves, as small tables in ``data/authors``.

Each table was made once, from the files of one commit of a public repository, and says so in a
YAML file beside it. A measure reads it in the place of our results: see
:func:`lib.ledger.measures.measures_of`.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path

import pandas as pd
import yaml

from lib.files import read_yaml, write_whole
from lib.paths import DATA
from lib.runner.registry import NoResults, studies

AUTHORS = "authors"  # what a measure's argument names, in the place of a grid or a table
THEIRS = "authors' results"  # the data of evidence that such a measure gives
FOLDER = DATA / "authors"


@dataclass(frozen=True)
class Repository:
    """One commit of a public repository on GitHub."""

    name: str
    commit: str

    def clone(self, clones: Path) -> Path:
        """Its git directory in a folder of clones: ``owner+name/repo``, ``owner/name``, ``name``,
        bare or not. A ``ValueError`` if there is none that has the commit.
        """
        owner, _, name = self.name.partition("/")
        for place in (f"{owner}+{name}/repo", f"{owner}/{name}", name):
            for git in (clones / place / ".git", clones / place):
                if (git / "HEAD").exists() and not _git(git, "cat-file", "-e", self.commit)[0]:
                    return git
        raise ValueError(
            f"clones must be a folder with a clone of {self.name} at {self.commit[:7]}, got"
            f" {str(clones)!r}"
        )

    def files(self, clones: Path, wanted: Callable[[str], bool]) -> dict[str, bytes]:
        """The files of the commit whose path is ``wanted``, in the order of their paths."""
        git = self.clone(clones)
        listed = _git(git, "ls-tree", "-r", "-z", "--name-only", self.commit)[1]
        paths = sorted(path for path in listed.decode().split("\0") if path and wanted(path))
        asked = "".join(f"{self.commit}:{path}\n" for path in paths).encode()
        stream, found = io.BytesIO(_git(git, "cat-file", "--batch", input=asked)[1]), {}
        for path in paths:
            found[path] = stream.read(int(stream.readline().split()[2]))
            stream.readline()
        return found


def _git(git: Path, *words: str, input: bytes = b"") -> tuple[int, bytes]:
    done = subprocess.run(["git", f"--git-dir={git}", *words], input=input, capture_output=True)
    return done.returncode, done.stdout


@dataclass(frozen=True)
class Table:
    """A table in ``data/authors``: where it is from, how it was made, and what it says.

    ``make`` gives the rows from the bytes of the files that are ``wanted``, by their paths;
    ``about`` says in words how they were reduced, and how runs, ties and NaN are treated.
    """

    name: str
    repository: Repository
    wanted: Callable[[str], bool]
    make: Callable[[Mapping[str, bytes]], pd.DataFrame]
    about: Mapping[str, str]
    packed: bool = False

    @property
    def path(self) -> Path:
        """``NAME.csv``, or ``NAME.csv.gz`` of a large table (``packed``)."""
        return FOLDER / f"{self.name}.csv{'.gz' * self.packed}"

    def read(self) -> pd.DataFrame:
        """The rows; :class:`NoResults` if they are not here."""
        if not self.path.exists():
            raise NoResults(f"no {self.path.name} in {FOLDER.name}")
        return _read(self.path)

    def text(self, clones: Path) -> tuple[str, str]:
        """The rows as CSV and what is said of them as YAML, made again from a clone."""
        files = self.repository.files(clones, self.wanted)
        rows = self.make(files).to_csv(index=False, lineterminator="\n")
        said = {
            "repository": f"https://github.com/{self.repository.name}",
            "commit": self.repository.commit,
            **self.about,
            "sha256": hashlib.sha256(rows.encode()).hexdigest(),
            "files": _sums(files),
        }
        return rows, yaml.safe_dump(said, sort_keys=False, width=100, allow_unicode=True)

    def stored(self) -> tuple[str, str] | None:
        """What :meth:`text` gave when the table was stored."""
        said = FOLDER / f"{self.name}.yml"
        if not (self.path.exists() and said.exists()):
            return None
        rows = self.path.read_bytes()
        return (gzip.decompress(rows) if self.packed else rows).decode(), said.read_text("utf-8")

    def write(self, rows: str, said: str) -> None:
        """Store what :meth:`text` gave."""
        FOLDER.mkdir(parents=True, exist_ok=True)
        write_whole(self.path, gzip.compress(rows.encode(), mtime=0) if self.packed else rows)
        write_whole(FOLDER / f"{self.name}.yml", said)


def _sums(files: Mapping[str, bytes]) -> dict[str, str]:
    """SHA-256 of each file; of many, that of a folder's files together, in the order of paths."""
    if len(files) <= 12:
        return {path: hashlib.sha256(body).hexdigest() for path, body in files.items()}
    folders: dict[str, list[str]] = {}
    for path in files:
        folders.setdefault("/".join(path.split("/")[:3]), []).append(path)
    return {
        f"{folder}/ ({len(paths)} files)": hashlib.sha256(
            b"".join(hashlib.sha256(files[path]).digest() for path in paths)
        ).hexdigest()
        for folder, paths in folders.items()
    }


@cache
def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path)


def tables() -> Sequence[Table]:
    """The tables that the studies name."""
    return [
        getattr(import_module(module), name)
        for study in studies()
        for module, name in (place.split(":") for place in study.published)
    ]


def renew(clones: Path, *, check: bool = False) -> list[str]:
    """Make every table again from a folder of clones; with ``check`` write nothing and name those
    that differ from what is stored.

    Raises
    ------
    ValueError
        If a repository has no clone there, or a file of it is not what it should be.
    """
    found = [(table, table.text(clones)) for table in tables()]
    if check:
        return [table.name for table, texts in found if table.stored() != texts]
    for table, texts in found:
        table.write(*texts)
    return []


def described(name: str) -> dict:
    """What is said of a table: repository, commit, files, treatment."""
    return read_yaml(FOLDER / f"{name}.yml", dict)
