"""The inside of a sandbox: makes the room, gives up all rights, and starts the program in it.

:mod:`lib.sandbox` calls this file as a program, in namespaces of its own. No package is around it
there, so it imports the standard library alone.
"""

from __future__ import annotations

import ctypes
import json
import os
import re
import shutil
import socket
import struct
import sys
from contextlib import suppress
from typing import Any, NoReturn

_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REMOUNT, _BIND, _REC = 1, 2, 4, 8, 32, 4096, 16384  # mount(2)
_NEWUSER, _SIOCSIFFLAGS = 0x10000000, 0x8914  # of unshare(2), and of netdevice(7)
_DUMPABLE, _DROP, _NO_NEW = 4, 24, 38  # of prctl(2): SET_DUMPABLE, CAPBSET_DROP, SET_NO_NEW_PRIVS


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
            _write(place, "")
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
        _write(f"{root}/dev/{name}", "")
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


def _write(path: str, words: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(words)


def _copy(source: str, target: str) -> None:
    for entry in os.scandir(source):
        if entry.is_file():
            shutil.copyfile(entry.path, os.path.join(target, entry.name))


def _give_up_rights(uid: int | None) -> None:
    """Become an account without files, without any right of root, and unable to get one."""
    libc = ctypes.CDLL(None)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="utf-8") as file:
        file.write("1000")
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        libc.prctl(_DUMPABLE, 1, 0, 0, 0)
        if not libc.unshare(_NEWUSER):
            for name, words in (("setgroups", "deny"), ("uid_map", ""), ("gid_map", "")):
                _write(f"/proc/self/{name}", words or f"{uid} {uid} 1")
    with suppress(OSError):  # no namespace within, where it would be root again
        _write("/proc/sys/user/max_user_namespaces", "0")
    for number in range(64):
        libc.prctl(_DROP, number, 0, 0, 0)
    libc.prctl(_NO_NEW, 1, 0, 0, 0)
    version = (ctypes.c_uint32 * 2)(0x20080522, 0)  # of capset(2), and this process
    libc.capset(version, (ctypes.c_uint32 * 6)())


if __name__ == "__main__":
    sys.exit(_enter(json.loads(sys.argv[1])))
