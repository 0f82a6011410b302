"""Execute chapters with papermill, two at a time, and only those whose inputs changed.

The key of a chapter is a hash of its cells, the source of the houses that it
reaches, the data that this source can read, its parameters and the profile. A
strict execution stops with the failing cell and its traceback; else a failed cell
costs a sentence in its place, and the chapter runs again at the next build.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import nbformat
from tqdm import tqdm

from lib.datasets.cache import sha256_of
from lib.files import read_json, write_whole
from lib.paths import user_cache
from lib.processes import ONE_THREAD
from press.failures import Failure, failures, without_execution
from press.kernels import end_notebooks, execute_notebook
from press.reach import digest, is_python, reachable
from press.teaching import run_times
from press.toc import Page, page_code, read_notebook

# not the chapter's, so start again: two kernels that start in the same instant may be given one
# port, and the process beside the kernel may crash (it ended once without a word)
_STARTS = 3
TABLES = ("csv", "parquet")  # forms of data sets
_AGAIN = (
    "Kernel didn't respond",
    "Address already in use",
    "Kernel died before replying to kernel_info",
    *(f"papermill ended with -{number}" for number in (6, 7, 11)),  # SIGABRT, SIGBUS, SIGSEGV
)


class ChapterError(RuntimeError):
    """A chapter that did not run; the message shows the failing cell."""


@dataclass(frozen=True)
class Executed:
    """An executed chapter: where it is, how long it ran, which data it named, whether it ran now or
    before, and which cells failed.
    """

    doc: str
    path: Path
    seconds: float
    data: tuple[dict, ...]
    fresh: bool
    failures: tuple[Failure, ...] = ()


def _code(notebook: nbformat.NotebookNode) -> str:
    """The Python of a notebook, that which it writes to a module included; magics are no Python,
    nor are other files, nor is a cell with a mistake, which fails when it runs.
    """
    texts = (
        re.sub(r"^%.*\n?", "", cell.source, flags=re.M)
        for cell in page_code(notebook)
        if not re.match(r"%%writefile (?!\S+\.py$)", cell.source, re.M)
    )
    return "\n".join(filter(is_python, texts))


def _data_files(reach: list[Path], root: Path) -> list[Path]:
    """Data files that source with this reach may read: data sets, results, claims."""
    data = root / "data"
    inside = [file.relative_to(root).parts for file in reach]
    parts = {part[1] for part in inside if part[0] == "lib"}
    places = [(path.parent, kind) for path in reach for kind in ("*.j2", "*.yml")]
    if "datasets" in parts:
        tables = [data / "replicas", user_cache()]
        if local := os.environ.get("COMPANION_DATA"):
            tables.append(Path(local))
        kinds = [f"{inner}*.{kind}" for inner in ("", "folktables/**/") for kind in TABLES]
        places += [(folder, kind) for folder in tables for kind in kinds]
        places += [(data, "datasets.yml"), (data, "aggregates/*")]
    if parts & {"runner", "ledger"}:
        places += [(data, "results/*.parquet"), (data, "results/*.sqlite"), (data, "facts.yml")]
    if "ledger" in parts:
        places.append((data, "**/*.yml"))
    if root / "press" / "teaching.py" in reach:  # it reads every chapter
        places += [(root / "chapters", "**/*.md"), (data, "*.csv")]
    if parts & {"plotting", "pages"}:
        places.append((root / "lib", "**/*.mplstyle"))
    found = {file for folder, pattern in places for file in folder.glob(pattern)}
    sources = "".join(path.read_text("utf-8") for path in reach)
    found |= {file for file in data.glob("*.yml") if file.name in sources}
    return [file for file in found if file.is_file()]  # a pipe would be waited for


def chapter_key(page: Page, parameters: Mapping[str, object]) -> str:
    """The hash of everything that the result of the chapter depends on."""
    notebook = read_notebook(page.notebook)
    cells = [(c.cell_type, c.source, c.metadata.get("tags", [])) for c in notebook.cells]
    reach = reachable(_code(notebook), page.root)
    lock = (page.root / "locks").glob("dev.txt")
    files = digest([*reach, *lock, *_data_files(reach, page.root)], page.root)
    body = json.dumps([cells, dict(parameters), files], sort_keys=True)
    return hashlib.sha256(body.encode()).hexdigest()


def data_used(html_outputs: Iterable[str]) -> list[dict[str, str]]:
    """Name, source and SHA-256 of each data set that a chapter's badges named, without repeats."""
    pattern = re.compile(r'data-dataset="([^"]*)" data-source="([^"]*)" data-sha256="([^"]*)"')
    seen = {match for html in html_outputs for match in pattern.findall(html)}
    return [dict(zip(("name", "source", "sha256"), match, strict=True)) for match in sorted(seen)]


def _failure(output: Path, log: str) -> str:
    """The failing cell with its traceback, or papermill's own words if no cell failed."""
    with suppress(ValueError, FileNotFoundError):  # papermill was killed, and left half of it
        for number, cell in enumerate(read_notebook(output).cells):
            for out in cell.get("outputs", []):
                if out.output_type == "error":
                    trace = "\n".join(out.traceback)
                    return f"cell {number}:\n{cell.source}\n\n{trace}"
    return log


def kernel_environment() -> dict[str, str]:
    """The environment of a kernel: one thread, no download, no warning of a library's own."""
    # a build takes the data that are there: a download midway would change the key it has just
    # computed
    default = {"COMPANION_OFFLINE": "1"}
    return default | os.environ | ONE_THREAD | {"PYDEVD_DISABLE_FILE_VALIDATION": "1"}


def _run(page: Page, parameters: Mapping[str, object], output: Path, strict: bool) -> float:
    """The seconds that the chapter took.

    A chapter whose process ended has no outputs, unless ``strict``, which refuses it.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    job = (page.notebook, output, parameters, page.root, kernel_environment())
    for _ in range(_STARTS):
        said = execute_notebook(*job, strict=strict)
        if not any(sign in said for sign in _AGAIN):
            break
    seconds = time.perf_counter() - start
    if said and strict:
        raise ChapterError(f"{page.doc} failed in {_failure(output, said)}")
    if said:
        nbformat.write(without_execution(page, said.strip().splitlines()[-1]), output)
    return seconds


def read_stamp(stamp: Path) -> dict | None:
    """What is known of an execution; None if nothing is, or the file is damaged: run it again."""
    try:
        record = read_json(stamp, dict)
        return record if {"key", "sha256", "seconds", "data"} <= record.keys() else None
    except (OSError, ValueError):
        return None


def _one(page: Page, parameters: Mapping[str, object], folder: Path, strict: bool) -> Executed:
    output, stamp = folder / f"{page.doc}.ipynb", folder / f"{page.doc}.json"
    key = chapter_key(page, parameters)
    record = read_stamp(stamp) or {}
    if output.is_file() and (record.get("key"), record.get("sha256")) == (key, sha256_of(output)):
        return Executed(page.doc, output, record["seconds"], tuple(record["data"]), fresh=False)
    stamp.unlink(missing_ok=True)
    seconds = _run(page, parameters, output, strict)
    notebook = read_notebook(output)
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", [])]
    data = data_used(out.get("data", {}).get("text/html", "") for out in outputs)
    failed = tuple(failures(notebook, page.doc))
    if not failed:  # without a stamp it runs again
        record = {"key": key, "sha256": sha256_of(output), "seconds": seconds, "data": data}
        write_whole(stamp, json.dumps(record | {"parameters": dict(parameters)}))
    return Executed(page.doc, output, seconds, tuple(data), fresh=True, failures=failed)


def execute(
    pages: Iterable[Page],
    parameters: Mapping[str, object],
    folder: Path,
    *,
    workers: int = 2,
    progress: bool = True,
    strict: bool = True,
) -> list[Executed]:
    """Execute those chapters among ``pages`` whose key changed; all of them, in the order given,
    are returned.

    Raises
    ------
    ChapterError
        If ``strict``: after the others have finished, with every failing cell in the message.
    """
    chapters = [page for page in pages if page.is_chapter]
    # long ones first, so that none is left running alone at the end
    seconds = run_times().to_dict()
    order = sorted(chapters, key=lambda page: -seconds.get(page.doc, math.inf))
    done = {}
    errors = []
    with (
        ThreadPoolExecutor(workers) as pool,
        tqdm(total=len(chapters), disable=not progress, unit="chapter") as bar,
    ):
        jobs = {pool.submit(_one, page, parameters, folder, strict): page for page in order}
        try:
            for job in as_completed(jobs):
                doc = jobs[job].doc
                try:
                    done[doc] = job.result()
                    how = "in" if done[doc].fresh else "unchanged,"
                    bar.set_postfix_str(f"{doc} {how} {done[doc].seconds:.0f} s")
                except ChapterError as error:
                    errors.append(str(error))
                bar.update()
        except BaseException:  # Ctrl-C, SIGTERM: the pool would wait for all chapters
            pool.shutdown(wait=False, cancel_futures=True)
            end_notebooks()
            raise
    if errors:
        raise ChapterError("\n\n".join(errors))
    return [done[page.doc] for page in chapters]
