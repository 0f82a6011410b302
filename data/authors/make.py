"""Make the tables of this folder again, from clones of the authors' repositories.

    python -m data.authors.make CLONES [--check]

What a table holds, and the repository and commit that it is from, is written by hand in the YAML
file beside it. This program adds the checksums there, and writes the rows.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import yaml

from data.authors.rows import TABLES
from lib.files import write_whole
from lib.ledger import authors


def _git(git: Path, *words: str, input: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", f"--git-dir={git}", *words], input=input, capture_output=True)


def clone(clones: Path, repository: str, commit: str) -> Path:
    """The git directory of ``owner/name`` in a folder of clones: ``owner+name/repo``,
    ``owner/name``, ``name``, bare or not. A ``ValueError`` if there is none that has the commit.
    """
    owner, _, name = repository.partition("/")
    for place in (f"{owner}+{name}/repo", f"{owner}/{name}", name):
        for git in (clones / place / ".git", clones / place):
            if (git / "HEAD").exists() and not _git(git, "cat-file", "-e", commit).returncode:
                return git
    raise ValueError(
        f"clones must be a folder with a clone of {repository} at {commit[:7]}, got {str(clones)!r}"
    )


def read_files(git: Path, commit: str, wanted: Callable[[str], bool]) -> dict[str, bytes]:
    """The files of the commit whose path is ``wanted``, in the order of their paths."""
    listed = _git(git, "ls-tree", "-r", "-z", "--name-only", commit).stdout
    paths = sorted(path for path in listed.decode().split("\0") if path and wanted(path))
    asked = "".join(f"{commit}:{path}\n" for path in paths).encode()
    stream, found = io.BytesIO(_git(git, "cat-file", "--batch", input=asked).stdout), {}
    for path in paths:
        found[path] = stream.read(int(stream.readline().split()[2]))
        stream.readline()
    return found


def checksums(files: Mapping[str, bytes]) -> dict[str, str]:
    """SHA-256 of each file; of many, that of a folder's files together, in the order of paths."""
    if len(files) <= 12:
        return {path: hashlib.sha256(body).hexdigest() for path, body in files.items()}
    folders: dict[str, list[bytes]] = {}
    for path, body in files.items():
        folder = "/".join(path.split("/")[:3])
        folders.setdefault(folder, []).append(hashlib.sha256(body).digest())
    return {
        f"{folder}/ ({len(digests)} files)": hashlib.sha256(b"".join(digests)).hexdigest()
        for folder, digests in folders.items()
    }


def texts(name: str, clones: Path) -> tuple[str, str]:
    """The rows of a table as CSV and what is said of them as YAML, made from a clone."""
    said = authors.described(name)
    repository, (wanted, make) = (
        said["repository"].removeprefix("https://github.com/"),
        TABLES[name],
    )
    files = read_files(clone(clones, repository, said["commit"]), said["commit"], wanted)
    rows = make(files).to_csv(index=False, lineterminator="\n")
    said |= {"sha256": hashlib.sha256(rows.encode()).hexdigest(), "files": checksums(files)}
    return rows, yaml.safe_dump(said, sort_keys=False, width=100, allow_unicode=True)


def stored(name: str) -> tuple[str, str]:
    """What :func:`texts` gave when the table was stored."""
    table = authors.table_path(name)
    rows = table.read_bytes()
    said = authors.FOLDER / f"{name}.yml"
    return (gzip.decompress(rows) if table.suffix == ".gz" else rows).decode(), said.read_text(
        "utf-8"
    )


def main(argv: list[str] | None = None) -> int:
    """Make every table, or name those that are not what the files give; 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m data.authors.make", description=__doc__)
    parser.add_argument("clones", type=Path, help="a folder with clones of the repositories")
    parser.add_argument("--check", action="store_true", help="write nothing, and compare")
    args = parser.parse_args(argv)
    try:
        made = {name: texts(name, args.clones) for name in TABLES}
    except ValueError as error:
        parser.error(str(error))
    if args.check:
        changed = [name for name, own in made.items() if own != stored(name)]
        if changed:
            print("tables that are not what the authors' files give:", ", ".join(changed))
        return int(bool(changed))
    for name, (rows, said) in made.items():
        table = authors.table_path(name)
        packed = gzip.compress(rows.encode(), mtime=0) if table.suffix == ".gz" else rows
        write_whole(table, packed)
        write_whole(authors.FOLDER / f"{name}.yml", said)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
