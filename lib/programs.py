"""Programs: what our own get of the caller's variables, what other people's may do, and that they
and workers end with this process.

Where bubblewrap works, a program can be contained: it sees the system, Python and what it is given,
read-only, has one folder to write to and no network, and whatever it starts ends with it. Else it
has the user's rights, and what it moves to a session of its own outlives it. In both cases the rest
of its group ends with it, when its time is over, and when this process ends, be it by a kill.
"""

from __future__ import annotations

import os
import shutil
import signal
import site
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

from lib.paths import BUILD, PACKAGE

# what our own programs get of this session's variables
_INHERITED = {
    *"PATH HOME USER LD_LIBRARY_PATH XDG_CACHE_HOME".split(),
    *"COMPANION_DATA COMPANION_CACHE COMPANION_OFFLINE".split(),
    *"SYSTEMROOT COMSPEC PATHEXT APPDATA LOCALAPPDATA USERPROFILE".split(),  # Windows
}
# and those that speak to its terminal; the last two choose among instructions, for a second opinion
_TERMINAL = {
    *"TERM COLUMNS LANG LC_ALL LC_CTYPE PYTHONUTF8 PYTHONIOENCODING PYTHONCOERCECLOCALE".split(),
    *"TMPDIR TEMP TMP NPY_DISABLE_CPU_FEATURES OPENBLAS_CORETYPE".split(),
}
_OWN = (
    "TMPDIR TEMP TMP IPYTHONDIR JUPYTER_PATH JUPYTER_CONFIG_DIR JUPYTER_DATA_DIR"
    " JUPYTER_RUNTIME_DIR"
).split()
_AGAIN = "COMPANION_ENVIRONMENT"  # marks the environment that `environment` makes
_SYSTEM = (
    "/usr /bin /sbin /lib /lib32 /lib64"
    " /etc/alternatives /etc/fonts /etc/ld.so.cache /etc/localtime /etc/R"
).split()
_KEPT = ("PATH", "LANG", "SYSTEMROOT")  # variables of this session, beside LC_*
_MOST = 2**20  # characters of what a program prints that are read
# waits in the program's group, as nobody's child, for the pipe from this process to close
_LEASH = 'exec 3<&0; ( (read x <&3; kill -KILL 0) >/dev/null 2>&1 & ); exec "$@" </dev/null 3<&-'
# /proc is read-only, as root could change settings of the kernel in it
_BUBBLEWRAP = (
    "bwrap --unshare-all --die-with-parent --cap-drop ALL --proc /proc --remount-ro /proc"
    " --dev /dev --tmpfs /tmp"
).split()


def environment(folder: Path | None = None) -> dict[str, str]:
    """The variables of a program whose results count: few of this session's, so that nobody's
    settings reach it. One with a ``folder`` has its settings and temporary files there.
    """
    names = _INHERITED | (_TERMINAL if folder is None else set())
    kept = {name: value for name, value in os.environ.items() if name in names}
    # several programs fill the cores; results do not depend on the number of threads
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    kept |= dict.fromkeys(threads, "1") | {_AGAIN: "own"}
    if folder is None:
        return kept | {"PYTHONPATH": str(PACKAGE.parent)}  # this package, wherever it was found
    # the list of fonts takes seconds to make, so that programs share it
    own = {"MPLCONFIGDIR": str(BUILD / "matplotlib"), "PYTHONUTF8": "1"}
    return kept | own | dict.fromkeys(_OWN, str(folder))


def need_assertions() -> None:
    """Refuse to judge with a ``ValueError`` where Python leaves assertions out."""
    if not __debug__:
        raise ValueError("assertions must be on to judge by them, got python -O")


def start_again() -> None:
    """Replace this process by its program in :func:`environment`, unless it runs there."""
    if os.name == "posix" and _AGAIN not in os.environ:  # elsewhere the shell would not wait
        sys.stdout.flush()
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], environment())


@cache
def bubblewrap_works() -> bool:
    """Whether bubblewrap contains a program here, by a trial."""
    with tempfile.TemporaryDirectory() as name, suppress(OSError, subprocess.TimeoutExpired):
        trial = [sys.executable, "-c", ""]
        return run(trial, Path(name), seconds=20, contained=True).returncode == 0
    return False


def containment(required: bool) -> bool:
    """Whether programs are contained here; a ``RuntimeError`` if they must be and cannot."""
    if required and not bubblewrap_works():
        raise RuntimeError(
            "contained must be left out where bubblewrap is not installed or may not run (a"
            f" container does the same), got {required}"
        )
    return bubblewrap_works()


def in_words(whose: str, contained: bool) -> str:
    """What a program could do, in a sentence that begins with it.

    >>> in_words("The program", contained=False)
    'The program ran with your rights: it could read and change your files, and use the network.'
    """
    if not contained:
        return (
            f"{whose} ran with your rights: it could read and change your files, and use the"
            " network."
        )
    return (
        f"{whose} was contained by bubblewrap: it could read the system and what it was given,"
        " write to one folder of its own, and had no network."
    )


def run(
    command: Sequence[str],
    folder: Path,
    *,
    seconds: float | None,
    contained: bool,
    see: Sequence[Path] = (),
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program in ``folder``, its home, to its end: its exit status and what it printed.

    Parameters
    ----------
    see : sequence of Path
        What else it may read if it is ``contained``, beside the system, Python and itself.
    env : mapping, optional
        Variables beside the path and the language; it gets no others of this session.

    Raises
    ------
    FileNotFoundError
        If there is no such program.
    subprocess.TimeoutExpired
        If ``seconds`` are over.

    Examples
    --------
    >>> folder = Path(tempfile.gettempdir())
    >>> run([sys.executable, "-c", "print(6 * 7)"], folder, seconds=20, contained=False).stdout
    '42\\n'
    """
    if not (program := shutil.which(command[0])):
        raise FileNotFoundError(f"there is no program {command[0]!r}")
    words, own = [os.path.abspath(program), *command[1:]], str(folder.resolve())
    if contained:
        words = [*_BUBBLEWRAP, *_binds([*see, *_installation(Path(words[0]))], own), "--", *words]
    if os.name == "posix":
        words = ["/bin/sh", "-c", _LEASH, "sh", *words]
    homes = dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), own)
    kept = {n: v for n, v in os.environ.items() if n in _KEPT or n.startswith("LC_")}
    kept |= {**homes, "PYTHONUSERBASE": site.getuserbase(), **(env or {})}
    text = partial(tempfile.TemporaryFile, "w+", encoding="utf-8", errors="replace")
    with (
        text() as out,
        text() as err,
        subprocess.Popen(
            words, stdin=-1, stdout=out, stderr=err, cwd=own, env=kept, start_new_session=True
        ) as process,
    ):
        try:
            status = process.wait(seconds)
        finally:  # what it has left running, too
            with suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL) if os.name == "posix" else process.kill()
        said = [file.read(_MOST) for file in (out, err) if not file.seek(0)]
    return subprocess.CompletedProcess(list(command), status, *said)


def _binds(see: Sequence[Path], folder: str) -> Iterator[str]:
    """What is shown, read-only, and the folder that is not."""
    programs = sys.executable, f"{sys.base_prefix}/bin/python"
    pythons = [path for program in programs for path in _installation(Path(program))]
    packages = [path for path in sys.path if path.endswith("-packages")]
    paths = [*_SYSTEM, *packages, *map(str, [*see, *pythons])]
    shown: set[Path] = set()
    for path in sorted(map(Path, map(os.path.abspath, paths))):
        if shown.isdisjoint([path, *path.parents]):  # else it is there already
            shown.add(path)
            yield from ("--ro-bind-try", str(path), str(path))
    yield from ("--bind", folder, folder, "--chdir", folder, "--remount-ro", "/")


def _installation(program: Path) -> list[Path]:
    """What a program needs to start: its file, or ``bin`` and ``lib`` of where it is installed."""
    parts = [program]
    if program.parent.name == "bin":
        parts = [program.parents[1] / name for name in ("bin", "lib", "lib64", "pyvenv.cfg")]
    if program.is_symlink():
        parts += _installation(program.parent / program.readlink())
    return parts


def end_with_parent(parent: int) -> None:
    """Make this process a worker: Ctrl-C is for its ``parent``, and it ends when that has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.25)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
