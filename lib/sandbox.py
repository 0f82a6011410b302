"""Programs by other people: what they see, change, use and leave behind.

In a sandbox a program sees the system and what it is given, read-only, and one folder of its own
whose size is limited and which goes with it. It has no network, no other process, and none of this
session's variables. :func:`choose` finds how: by bubblewrap, else by ``unshare`` of util-linux,
else not at all; :func:`not_contained` says in words what remains possible.

Called as a program, this file is what runs inside: it makes the room, gives up all rights, and
starts the program. So it imports the standard library alone, also on systems with less of it.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

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
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC = 1, 2, 4, 8, 32, 4096, 16384  # mount(2)
_NEWUSER, _SIOCSIFFLAGS = 0x10000000, 0x8914  # of unshare(2), and of netdevice(7)
_DUMPABLE, _DROP, _NO_NEW = 4, 24, 38  # of prctl(2): SET_DUMPABLE, CAPBSET_DROP, SET_NO_NEW_PRIVS


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
    """Run a program by ``way`` with ``folder`` as its own, as :func:`lib.processes.run_program`.

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
    from lib.processes import run_program  # the inside has no package around it

    folder = folder.resolve()
    homes = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), str(folder))
    own = {name: os.environ[name] for name in _KEPT if name in os.environ}
    how: dict[str, Any] = {"env": {**own, **homes, **(env or {})}, "cwd": str(folder)}
    how |= {"timeout": limits.seconds, "private": True}
    if sys.platform == "win32":
        return run_program(command, **how)
    visible = [path for path in map(Path, _SYSTEM) if path.exists()]
    visible += [*installation(sys.executable), Path(__file__), *map(Path.absolute, see)]
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
    """The command line that starts :func:`_enter`, in namespaces of its own."""
    start = [sys.executable, "-I", "-S", __file__, json.dumps(inside)]
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


# --- inside


def _enter(inside: dict[str, Any]) -> int:
    """Make the room, give up all rights, and run the program in it: its exit status."""
    import resource

    folder = inside["folder"]
    if inside["way"] == "unshare":
        _room(inside)
    elif inside["way"] == "bubblewrap":
        _copy("/given", folder)
    os.chdir(folder)
    for name, most in inside["limits"].items():
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(ValueError, OSError):  # macOS has no limit of memory
            resource.setrlimit(kind, (most, most))
    if inside["way"] != "none":
        _give_up_rights(inside["uid"])
    if not (pid := os.fork()):
        _start(inside["command"], quiet=bool(inside["takes"]))
    while (ended := os.wait())[0] != pid:  # also what it has orphaned, as the first process here
        pass
    if inside["takes"] and os.path.isfile(inside["takes"]):
        with open(inside["takes"], "rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
            sys.stdout.flush()
    status = os.waitstatus_to_exitcode(ended[1])
    return status if status >= 0 else 128 - status


def _start(command: list[str], quiet: bool) -> NoReturn:
    if quiet:
        os.dup2(2, 1)
    try:
        os.execvp(command[0], command)
    except OSError as error:  # in the words of the leash
        print(f"cannot start {type(error).__name__}: {error}: {command[0]}", file=sys.stderr)
    os._exit(127)


def _room(inside: dict[str, Any]) -> None:
    """A root of its own in memory: what is visible, read-only, and the program's folder."""
    import fcntl

    libc = ctypes.CDLL(None, use_errno=True)

    def checked(failed: int, about: str) -> None:
        if failed:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), about)

    def mount(source: str, target: str, kind: str = "", flags: int = 0, data: str = "") -> None:
        words = map(os.fsencode, (source, target, kind))
        checked(libc.mount(*words, ctypes.c_ulong(flags), os.fsencode(data)), target)

    os.umask(0o022)
    root = inside["folder"]  # the room is built where the folder was, which stays open for copying
    given = os.open(root, os.O_RDONLY)
    mount("tmpfs", root, "tmpfs", _NOSUID, f"mode=755,size={inside['size']},nr_inodes=100k")
    for path, shown in inside["plan"]:
        place = root + path
        if shown and not os.path.isdir(path):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            open(place, "w").close()
        else:
            os.makedirs(place, exist_ok=True)
        mount(*(path, place, "", _BIND | _REC) if shown else ("tmpfs", place, "tmpfs"))
    with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
        points = [re.sub(r"\\(\d{3})", lambda m: chr(int(m[1], 8)), x.split()[4]) for x in file]
    for point in points:
        if point.startswith(root + "/"):  # flags that were set cannot be taken away
            kept = os.statvfs(point).f_flag & _NOEXEC
            mount("", point, "", _REMOUNT | _BIND | _RDONLY | _NOSUID | _NODEV | kept)
    for place in ("/tmp", "/dev/shm", "/proc"):
        os.makedirs(root + place, exist_ok=True)
        os.chmod(root + place, 0o1777)
    for name in ("null", "zero", "full", "random", "urandom"):
        open(f"{root}/dev/{name}", "w").close()
        mount(f"/dev/{name}", f"{root}/dev/{name}", "", _BIND)
    os.symlink("/proc/self/fd", root + "/dev/fd")
    mount("proc", root + "/proc", "proc", _NOSUID | _NODEV | _NOEXEC)
    os.makedirs(root + inside["folder"], exist_ok=True)
    _copy(f"/proc/self/fd/{given}", root + inside["folder"])
    os.close(given)
    if inside["uid"]:
        for name in ("", *os.listdir(root + inside["folder"])):
            os.chown(os.path.join(root + inside["folder"], name), inside["uid"], inside["uid"])
    with socket.socket() as own:  # this machine may call itself, and nobody else
        fcntl.ioctl(own, _SIOCSIFFLAGS, struct.pack("16sh", b"lo", 1))
    os.chdir(root)
    checked(libc.pivot_root(b".", b"."), "pivot_root")
    checked(libc.umount2(b".", 2), "umount2")  # the old root, with all that is in it
    os.chdir("/")


def _copy(source: str, target: str) -> None:
    for entry in os.scandir(source):
        if entry.is_file():
            shutil.copyfile(entry.path, os.path.join(target, entry.name))


def _give_up_rights(uid: int | None) -> None:
    """Become an account without files, without any right of root, and unable to get one."""
    libc = ctypes.CDLL(None)
    with suppress(OSError):
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        libc.prctl(_DUMPABLE, 1, 0, 0, 0)
        if not libc.unshare(_NEWUSER):
            for name, words in (("setgroups", "deny"), ("uid_map", ""), ("gid_map", "")):
                with open(f"/proc/self/{name}", "w") as file:
                    file.write(words or f"{uid} {uid} 1")
    with suppress(OSError):  # no namespace within, where it would be root again
        with open("/proc/sys/user/max_user_namespaces", "w") as file:
            file.write("0")
    for number in range(64):
        libc.prctl(_DROP, number, 0, 0, 0)
    libc.prctl(_NO_NEW, 1, 0, 0, 0)
    version = (ctypes.c_uint32 * 2)(0x20080522, 0)  # of capset(2), and this process
    libc.capset(version, (ctypes.c_uint32 * 6)())


if __name__ == "__main__":
    sys.exit(_enter(json.loads(sys.argv[1])))
