"""``python -m lib``: see :mod:`lib.cli`."""

import sys
from io import TextIOWrapper

from lib.cli import main
from lib.parse import printable
from lib.processes import stop_on_sigterm


class Terminal(TextIOWrapper):
    """Where names from data and files move no cursor."""

    def write(self, text: str) -> int:
        """Write ``text`` as :func:`lib.parse.printable` has it."""
        return super().write(printable(text))


if __name__ == "__main__":
    stop_on_sigterm()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # an ASCII terminal gets \u03b5 for a Greek letter
            stream.reconfigure(errors="backslashreplace")
    if isinstance(out := sys.stdout, TextIOWrapper):  # on the other, bars move the cursor
        sys.stdout = Terminal(out.buffer, out.encoding, out.errors, line_buffering=True)
    sys.exit(main())
