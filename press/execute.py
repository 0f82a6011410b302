"""Execute chapters with papermill, several at a time, and only those whose inputs changed.

The key of a chapter is a hash of its notebook, its parameters, ``lib``, the studies that it
names, the data, and the versions of what is installed. A kernel has a folder of its own for
settings, sockets and temporary files, and sees a short list of variables: a reader's settings
change no page.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import active_children, get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any
from unittest.mock import patch

import nbformat
from tqdm import tqdm

from lib.files import write_whole
from lib.programs import environment
from press.failures import Failure, failures
from press.inputs import common, digest, sources
from press.teaching import run_times
from press.toc import Page, page_code, read_notebook

SECONDS = 25  # in which a kernel answers


class ChapterError(RuntimeError):
    """A chapter that did not run; the message shows the failing cell."""


class KernelError(OSError):
    """A kernel that did not start, which is no fault of its chapter."""


@dataclass(frozen=True)
class Executed:
    """An executed chapter: where it is, whether it ran now or before, and how it failed."""

    doc: str
    path: Path
    fresh: bool
    failures: tuple[Failure, ...] = ()


def own_folder(within: str | None = None) -> tempfile.TemporaryDirectory:
    """A temporary folder whose name is short: that of a socket has at most 100 bytes."""
    place = within or tempfile.gettempdir()
    short = len(os.fsencode(place)) < 60 or os.name == "nt"
    return tempfile.TemporaryDirectory(dir=place if short else "/tmp", ignore_cleanup_errors=True)


def transport(folder: str) -> str:
    """How to speak to a kernel: by sockets in ``folder``, which take no port from others and need
    no network, or by this machine's own network.

    Raises
    ------
    KernelError
        If there is neither.
    """
    with suppress(AttributeError, OSError), socket.socket(socket.AF_UNIX) as one:
        one.bind(f"{folder}/try")
        return "ipc"
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            socket.create_connection(server.getsockname(), 5).close()
    except OSError as error:
        raise KernelError(
            f"a kernel needs sockets in {folder} or on 127.0.0.1, and neither can be had: {error}"
        ) from None
    return "tcp"


def run_notebook(
    notebook: Path,
    output: Path,
    parameters: Mapping[str, object],
    cwd: Path,
    *,
    within: str | None = None,
    starts: int = 2,
    **options: Any,
) -> None:
    """Execute a notebook by papermill, whose ``options`` there are, in a kernel of this Python.

    Raises
    ------
    PapermillExecutionError
        If a cell fails; ``output`` has the cells until then.
    KernelError
        If the kernel does not start.
    """
    import papermill  # which takes a second to load
    from ipykernel.kernelspec import write_kernel_spec
    from traitlets.config import Config

    with (
        own_folder(within) as folder,
        patch.dict(os.environ, environment(Path(folder)), clear=True),
    ):
        # a build takes the data that are there: a download midway would change its key
        os.environ.setdefault("COMPANION_OFFLINE", "1")
        os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
        # of this Python: others may have put theirs in its environment, or moved that
        write_kernel_spec(f"{folder}/kernels/python3")
        place = {"transport": transport(folder), "connection_file": f"{folder}/k.json"}
        try:
            papermill.execute_notebook(
                notebook,
                output,
                dict(parameters),
                kernel_name="python3",
                cwd=cwd,
                start_timeout=SECONDS,
                config=Config(KernelManager=place),
                **options,
            )
            return
        except OSError as error:  # of a full disk, say
            if error.errno and not error.filename:
                error.filename = str(output)
            raise
        except RuntimeError as error:
            died = str(error).startswith("Kernel died before")
            if not (died or str(error).startswith("Kernel didn't respond")):
                raise
            if not died or starts < 2:
                raise KernelError(f"no kernel for {notebook}: {error}") from None
    run_notebook(notebook, output, parameters, cwd, within=within, starts=starts - 1, **options)


def _prepare(folder: str) -> None:
    """In a worker: it ends with its parent, and with it what it has started and ``folder``."""
    import psutil

    def end(*_: object) -> None:
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                child.kill()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)

    def watch() -> None:
        if parent := parent_process():
            parent.join()
            end()

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to answer
    signal.signal(signal.SIGTERM, end)
    Thread(target=watch, daemon=True).start()


def _work(page: Page, parameters: Mapping[str, object], output: Path, folder: str) -> None:
    """In a worker: execute a chapter, or note in its output how it failed."""
    output.parent.mkdir(parents=True, exist_ok=True)
    output.unlink(missing_ok=True)
    job = page.notebook, output, parameters, page.root
    try:
        run_notebook(*job, within=folder, progress_bar=False)
    except OSError:  # of the disk, or a KernelError: the next chapter would not run, either
        raise
    except Exception as error:
        notebook = read_notebook(output if output.exists() else page.notebook)
        if not failures(notebook, page.doc):  # the kernel ended, and no cell says why
            cells = page_code(notebook)
            ran = [c for c in cells if c.metadata.get("papermill", {}).get("start_time")]
            said = {"ename": type(error).__name__, "evalue": str(error), "traceback": [str(error)]}
            (ran or cells[:1])[-1].outputs.append(nbformat.v4.new_output("error", **said))
            nbformat.write(notebook, output)


def chapter_key(page: Page, parameters: Mapping[str, object], shared: str) -> str:
    """The hash of all that the result of the chapter depends on; ``shared`` is that of all."""
    notebook = read_notebook(page.notebook)
    cells = [(c.cell_type, c.source, c.metadata.get("tags", [])) for c in notebook.cells]
    code = "\n".join(cell.source for cell in page_code(notebook))
    body = [cells, dict(parameters), digest(sources(code, page.root), page.root), shared]
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


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
    are returned. One that failed is executed again at the next call.

    Raises
    ------
    ChapterError
        If ``strict``, for the first chapter that fails, with its traceback.
    """
    outputs = {page: folder / f"{page.doc}.ipynb" for page in pages if page.is_chapter}
    shared = {root: common(root) for root in {page.root for page in outputs}}
    keys = {page: chapter_key(page, parameters, shared[page.root]) for page in outputs}
    todo = [page for page, output in outputs.items() if not _done(output, keys[page])]
    # long ones first, so that none is left running alone at the end
    seconds = run_times()
    todo.sort(key=lambda page: -seconds.get(page.doc, math.inf))
    failed: dict[Page, list[Failure]] = {}
    if todo:
        with (
            own_folder() as own,
            ProcessPoolExecutor(workers, get_context("spawn"), _prepare, (own,)) as pool,
            tqdm(total=len(todo), disable=not progress, unit="chapter") as bar,
        ):
            try:
                jobs = {}
                for page in todo:
                    outputs[page].with_suffix(".key").unlink(missing_ok=True)
                    job = pool.submit(_work, page, dict(parameters), outputs[page], own)
                    jobs[job] = page
                for job in as_completed(jobs):
                    job.result()
                    page = jobs[job]
                    failed[page] = failures(read_notebook(outputs[page]), page.doc)
                    if not failed[page]:
                        write_whole(outputs[page].with_suffix(".key"), keys[page])
                    elif strict:
                        raise ChapterError("\n\n".join([str(f := failed[page][0]), f.traceback]))
                    bar.set_postfix_str(page.doc)
                    bar.update()
            except BaseException:  # also Ctrl-C: the pool would wait for all chapters
                pool.shutdown(wait=False, cancel_futures=True)
                for process in active_children():
                    process.terminate()
                raise
    return [
        Executed(page.doc, output, page in todo, tuple(failed.get(page, ())))
        for page, output in outputs.items()
    ]


def _done(output: Path, key: str) -> bool:
    """Whether a chapter was executed with that key."""
    with suppress(OSError):
        return output.exists() and output.with_suffix(".key").read_bytes() == key.encode()
    return False
