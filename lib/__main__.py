"""``python -m lib``: see :mod:`lib.cli`."""

import sys
from io import TextIOWrapper

from lib.cli import main
from lib.processes import stop_on_sigterm

if __name__ == "__main__":
    stop_on_sigterm()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # an ASCII terminal gets \u03b5 for a Greek letter
            stream.reconfigure(errors="backslashreplace")
    sys.exit(main())
