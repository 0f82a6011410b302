"""Programs by other people: what they see, change, use and leave behind.

In a sandbox a program sees the system and what it is given, read-only, and one folder of its own
whose size is limited and which goes with it. It has no network, no other process, and none of this
session's variables. :func:`choose` finds how: by bubblewrap, else by ``unshare`` of util-linux,
else not at all; :func:`not_contained` says in words what remains possible.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from lib.processes import run_program

WISHES = ("auto", "require", "off")
_WAYS = ("bubblewrap", "unshare")
_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64"),
    *("/etc/alternatives", "/etc/fonts", "/etc/ld.so.cache", "/etc/localtime", "/etc/R"),
)
_KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "SYSTEMROOT")  # variables of this session
_LEFT = (
    "Not contained: memory is limited for each process and not for all of them together (they are"
    " the first to end if it runs out), and a fault of the kernel would be open to the program."
)
_OPEN = (
    "Not contained ({why}): it could read and change all files of this account (keys, marks, other"
    " submissions, this repository), use the network, leave files behind, and start any number of"
    " processes. Contained: {limits} and, if it did not kill what watches it, its processes."
)
_runs = count()  # each has an account of its own, where root runs it: processes count by account
_ROOM = str(Path(__file__).with_name("room.py"))


@dataclass(frozen=True)
class Limits:
    """What one program may use: seconds of time, gibibytes of memory for each process and of files
    together, and processes (with their threads) at a time.
    """

    seconds: float | None = 120.0
    gibibytes: float = 6.0
    files: float = 0.25
    processes: int = 256


def choose(wish: str = "auto") -> str:
    """How programs are contained here: ``"bubblewrap"``, ``"unshare"`` or ``"none"``.

    Raises
    ------
    RuntimeError
        If ``wish`` is ``"require"`` and neither works; with the reasons.
    ValueError
        If ``wish`` is none of :data:`WISHES`.

    Examples
    --------
    >>> choose("off")
    'none'
    """
    if wish not in WISHES:
        raise ValueError(f"sandbox must be one of {', '.join(WISHES)}, got {wish!r}")
    ways = () if wish == "off" else _WAYS
    way = next((way for way in ways if not _fault(way)), "none")
    if wish == "require" and way == "none":
        raise RuntimeError(f"sandbox must be one that works here, got none: {_faults()}")
    return way


def not_contained(way: str, wish: str = "auto") -> str:
    """What a program can do although it ran by :func:`choose`'s ``way``, in sentences."""
    if way != "none":
        return _LEFT
    limits = {"win32": "its time", "darwin": "its time and the size of each file"}
    most = limits.get(sys.platform, "its time, the memory of each process, the size of each file")
    return _OPEN.format(why="--sandbox=off" if wish == "off" else _faults(), limits=most)


@cache
def _fault(way: str) -> str:
    """Why a way does not work here; nothing if it does, which a trial tells."""
    program = {"bubblewrap": "bwrap"}.get(way, way)
    if sys.platform != "linux":
        return f"{program} is for Linux"
    if not shutil.which(program):
        return f"{program} is not installed"
    if way == "bubblewrap" and os.geteuid() == 0:
        return "bwrap leaves root its account's files"  # unshare gives root another account
    with tempfile.TemporaryDirectory() as folder:
        try:
            command = [sys.executable, "-I", "-S", "-c", "print(6 * 7)"]
            done = run(command, Path(folder), way, Limits(seconds=20))
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{program}: {error}"
    last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    return "" if done.stdout == "42\n" else f"{program} is refused here: {last[:200]}"


def _faults() -> str:
    return ", ".join(filter(None, map(_fault, _WAYS)))


def installation(program: str) -> list[Path]:
    """What a program needs to start: its file, or ``bin`` and ``lib`` of where it is installed."""
    hops, found = [Path(os.path.abspath(program))], []
    while hops[-1].is_symlink():
        hops.append(hops[-1].parent / os.readlink(hops[-1]))
    for path in (*hops, hops[-1].resolve()):
        names = ("bin", "lib", "lib64", "pyvenv.cfg")
        found += [path.parent.parent / n for n in names] if path.parent.name == "bin" else [path]
    return [path for path in found if path.exists()]


def run(
    command: Sequence[str],
    folder: Path,
    way: str,
    limits: Limits,
    *,
    see: Sequence[Path] = (),
    hide: Sequence[Path] = (),
    takes: str = "",
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program by ``way`` with ``folder`` as its own, as ``lib.processes.run_program``.

    Parameters
    ----------
    folder : Path
        Where it works, and its home. In a sandbox it gets copies of the files that are there.
    see : sequence of Path
        What else it may read, beside the system and Python; where ``way`` is ``"none"``, all.
    hide : sequence of Path
        What it does not see in any case, beside this user's home and this repository.
    takes : str
        The name of a file that comes back into ``folder``; what is printed is then an error's.
    """
    folder = folder.resolve()
    homes = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), str(folder))
    own = {name: os.environ[name] for name in _KEPT if name in os.environ}
    how: dict[str, Any] = {"env": {**own, **homes, **(env or {})}, "cwd": str(folder)}
    how |= {"timeout": limits.seconds, "private": True}
    if sys.platform == "win32":
        return run_program(command, **how)
    visible = [path for path in map(Path, _SYSTEM) if path.exists()]
    visible += [*installation(sys.executable), Path(_ROOM), *map(Path.absolute, see)]
    hidden = [Path.home(), Path(__file__).parents[1], *map(Path.absolute, hide)]
    bytes_each = int(limits.files * 2**30)
    inside: dict[str, Any] = {
        "command": [*command],
        "folder": str(folder),
        "takes": takes if way != "none" else "",
        "plan": _plan(visible, hidden),
        "size": bytes_each,
        "uid": None if os.geteuid() else 60000 + (16 * os.getpid() + next(_runs)) % 5184,
        "way": way,
        "limits": {
            "RLIMIT_AS": int(limits.gibibytes * 2**30),
            "RLIMIT_FSIZE": bytes_each,
            "RLIMIT_CORE": 0,
        },
    }
    if limits.seconds is not None:
        inside["limits"]["RLIMIT_CPU"] = int(limits.seconds) + 10
    if way != "none":  # else all processes of the account would count
        inside["limits"]["RLIMIT_NPROC"] = limits.processes
    if not inside["takes"]:
        return run_program(_outside(inside), **how)
    with tempfile.TemporaryFile() as taken:
        done = run_program(_outside(inside), stdout=taken, **how)
        if taken.seek(0, os.SEEK_END):
            taken.seek(0)
            with open(folder / takes, "wb") as file:
                shutil.copyfileobj(taken, file)
    return done


def _plan(visible: Sequence[Path], hidden: Sequence[Path]) -> list[tuple[str, bool]]:
    """What is shown and what is covered, from the root down; nothing is visible but what is."""
    plan = {Path("/"): False}
    for path in sorted({*visible, *hidden}, key=lambda path: (len(path.parts), path)):
        above = next(parent for parent in path.parents if parent in plan)
        if plan[above] != (path in visible):
            plan[path] = path in visible
    return [(str(path), shown) for path, shown in plan.items() if path != Path("/")]


def _outside(inside: dict[str, Any]) -> list[str]:
    """The command line that starts :mod:`lib.room`, in namespaces of its own."""
    start = [sys.executable, "-I", "-S", _ROOM, json.dumps(inside)]
    if inside["way"] == "none":
        return start
    if inside["way"] == "unshare":
        users = [] if inside["uid"] else ["--user", "--map-root-user"]
        kinds = ["--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child"]
        return ["unshare", *users, *kinds, "--", *start]
    own = ["--size", str(inside["size"]), "--tmpfs"]
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--proc", "/proc", "--dev", "/dev"]
    known = subprocess.run(["bwrap", "--help"], capture_output=True, text=True, check=False).stdout
    if "--disable-userns" in known:
        words += ["--unshare-user", "--disable-userns"]
    words += [*own, "/tmp", *own, "/dev/shm", "--remount-ro", "/dev"]
    for path, shown in inside["plan"]:
        words += ["--ro-bind", path, path] if shown else ["--size", "65536", "--tmpfs", path]
    words += [*own, inside["folder"], "--ro-bind", inside["folder"], "/given", "--remount-ro", "/"]
    return [*words, "--", *start]
