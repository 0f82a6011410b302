"""``python -m lib``: see :mod:`lib.cli`."""

import os
import signal
import sys
import tempfile
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

from lib.cli import OWN_ENVIRONMENT, main
from lib.files import clear_leftovers, printable
from lib.paths import BUILD, RESULTS, user_cache
from lib.programs import start_again


class Terminal(TextIOWrapper):
    """Where names from data and files move no cursor."""

    def write(self, text: str) -> int:
        """Write ``text`` as :func:`lib.files.printable` has it."""
        return super().write(printable(text))


if __name__ == "__main__":
    if {*sys.argv[1:2]} & {*OWN_ENVIRONMENT}:
        start_again()
    os.environ["MPLBACKEND"] = "agg"  # no command opens a window
    # so that whatever is open is closed and cleaned up
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    with suppress(ImportError, OSError):  # without pooch there is no cache; a folder of others
        places = [Path(tempfile.gettempdir()), BUILD, RESULTS, Path("results"), user_cache()]
        clear_leftovers(places)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # an ASCII terminal gets \u03b5 for a Greek letter
            stream.reconfigure(errors="backslashreplace")
    if isinstance(out := sys.stdout, TextIOWrapper):  # on the other, bars move the cursor
        sys.stdout = Terminal(out.buffer, out.encoding, out.errors, line_buffering=True)
    sys.exit(main())
