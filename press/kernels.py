"""Notebooks that papermill executes, each in a process of its own.

A process that starts from nothing loads libraries for three seconds, longer than most chapters
take. So on Linux it is forked from one that has loaded them. Elsewhere a fork is not safe, or
unknown, and each process loads what it needs.
"""

from __future__ import annotations

import atexit
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint
from multiprocessing import active_children, connection, get_context, parent_process
from pathlib import Path
from threading import RLock, Thread
from typing import Any

from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner

from lib.paths import HOUSES
from lib.processes import adopt_orphans, end_all

_FORKS = sys.platform == "linux"
_Fork: Any = get_context("fork").Process if _FORKS else object
_context: Any = get_context("forkserver" if _FORKS else "spawn")
_TURNS = RLock()  # a signal may find its own thread inside


def execute_notebook(
    source: Path,
    output: Path,
    parameters: Mapping[str, Any],
    cwd: Path,
    env: Mapping[str, str],
    *,
    strict: bool = True,
) -> str:
    """Execute ``source`` and write ``output``; papermill's complaint is returned, ``""`` if it ran.

    Without ``strict`` a failed cell has a sentence in its place (:mod:`press.engine`), and is no
    complaint.

    The process and its kernel end when this process ends, be it by a kill. What they leave in
    their temporary folder is removed.
    """
    if _FORKS:
        _context.set_forkserver_preload(["press.libraries", "papermill", "ipykernel.kernelapp"])
    # a kernel that was asked to end may still be writing there
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        log, temporary = Path(folder, "log"), Path(folder, "temporary")
        log.touch()
        temporary.mkdir()
        env = dict(env) | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
        code = run_apart(_execute, source, output, dict(parameters), cwd, env, log, strict)
        said = log.read_text("utf-8", "replace")
    if code and (code != 1 or not said):  # a signal, or a lost status: the log says nothing of it
        said = f"{said}\npapermill ended with {code}".strip()
    return said if code else ""


def run_apart(target: Callable[..., object], *arguments: Any) -> int | None:
    """Run a function in a process of its own; its exit status, once it has ended.

    A status can be read once, and a thread that starts a process asks for those of all others. So
    threads take turns, or one of them could read 255 for a process that ended well.
    """
    with _TURNS:
        process = _context.Process(target=target, args=arguments)
        process.start()
    connection.wait([process.sentinel])
    with _TURNS:
        process.join()
        code = process.exitcode
        process.close()
    return code


def end_notebooks() -> None:
    """End every execution that another thread of this process waits for."""
    with _TURNS:
        for process in active_children():
            process.terminate()


def _execute(
    source: Path,
    output: Path,
    parameters: dict,
    cwd: Path,
    env: dict[str, str],
    log: Path,
    strict: bool,
) -> None:
    """In the new process: papermill, and a kernel that is forked before papermill has threads."""
    os.environ.clear()
    os.environ |= env
    tempfile.tempdir = None  # what was loaded before the fork may have asked where it is
    with open(log, "ab") as file:
        for number in (1, 2):
            os.dup2(file.fileno(), number)
    os.chdir(cwd)
    if _FORKS:
        _Forked.prepare()
    _end_with_parent()
    import papermill

    from press.engine import register

    engine = None if strict else register()
    try:
        papermill.execute_notebook(
            source, output, parameters, engine, progress_bar=False, start_timeout=45, cwd=cwd
        )
    except Exception:
        traceback.print_exc()
        sys.exit(1)


def _end_with_parent() -> None:
    """End, with all that this process has started, when the one that asked for it has ended."""

    def watch() -> None:
        if parent := parent_process():
            parent.join()
            end_all()

    if hasattr(os, "setsid"):
        os.setsid()
    adopt_orphans()
    Thread(target=watch, daemon=True).start()


class _Kernel(_Fork):
    """A process of multiprocessing with what jupyter_client asks of a ``subprocess.Popen``."""

    stdin = stdout = stderr = None

    def poll(self) -> int | None:
        """Its exit status, None while it runs."""
        return self.exitcode

    def wait(self) -> int | None:
        """Its exit status, when it has ended."""
        self.join()
        return self.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal."""
        os.kill(self.pid or 0, number)


class _Forked(LocalProvisioner):
    """A kernel that was forked before, and waits for the address that it is to serve."""

    process: Any
    kernel: _Kernel
    address: connection.Connection

    @classmethod
    def prepare(cls) -> None:
        """Fork a kernel, and let the next one that is asked for be this one."""
        receiver, cls.address = connection.Pipe(duplex=False)
        cls.kernel = _Kernel(target=_serve, args=(receiver,))
        cls.kernel.start()
        receiver.close()
        factory = KernelProvisionerFactory.instance()
        factory.provisioners["forked"] = EntryPoint("forked", f"{__name__}:{cls.__name__}", "")
        factory.default_provisioner_name = "forked"

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Tell the kernel the arguments of the command that would start one."""
        self.address.send(cmd[cmd.index("-f") :])
        self.process, self.pid = self.kernel, self.kernel.pid
        return self.connection_info


def _serve(receiver: connection.Connection) -> None:
    """In the kernel: be as a process that has just started, but for the libraries."""
    from ipykernel.kernelapp import IPKernelApp

    from press.libraries import PATH

    _end_with_parent()
    arguments = receiver.recv()
    sys.path[:], sys.argv[:] = PATH, ["ipykernel_launcher", *arguments]
    # a page may have a package of its own in its folder; tqdm looks for a kernel at its import
    for name in [name for name in sys.modules if name.partition(".")[0] in (*HOUSES, "tqdm")]:
        del sys.modules[name]
    try:
        IPKernelApp.launch_instance(arguments)
    finally:
        atexit._run_exitfuncs()
