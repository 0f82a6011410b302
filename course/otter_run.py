"""Marks one submission; run by the interpreter of ``.venv-course``, with nothing of ``lib``.

Arguments: the bundle, the notebook, the folder of ``results.json``, seconds, gibibytes. When the
time is over it ends the kernel and all that this has started, which a signal to this process's
group would not reach.
"""

import os
import sys
import threading
import time


def _end_after(seconds: float) -> None:
    import psutil

    time.sleep(seconds)
    for child in psutil.Process().children(recursive=True):
        child.kill()
    os._exit(124)


def _limit(seconds: int, gibibytes: float) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    memory, file = int(gibibytes * 2**30), 2**28
    for kind, most in (("RLIMIT_CPU", seconds + 10), ("RLIMIT_FSIZE", file), ("RLIMIT_AS", memory)):
        if sys.platform == "darwin" and kind == "RLIMIT_AS":  # refused there
            continue
        resource.setrlimit(getattr(resource, kind), (most, most))


def main(bundle: str, notebook: str, out: str, seconds: str, gibibytes: str) -> None:
    """Run otter on a notebook without a container."""
    threading.Thread(target=_end_after, args=[float(seconds)], daemon=True).start()
    _limit(int(float(seconds)), float(gibibytes))
    from otter.run import main as run

    run(notebook, autograder=bundle, output_dir=out, no_logo=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
